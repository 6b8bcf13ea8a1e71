#!/usr/bin/env python3
"""No large number stands for infinity in the standard library: infinity is written 1.0 / 0.0."""
import pathlib
import re
import sys

LARGEST = 1e8
NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?:[eE][+-]?\d+)?(?![\w.])")

wrong = []
for path in sorted(pathlib.Path("stdlib").glob("*.mtf")):
    for n, line in enumerate(path.read_text().split("\n"), 1):
        code = re.sub(r'"[^"]*"', '""', line).split("#")[0]
        wrong += [f"{path}:{n}: {number}" for number in NUMBER.findall(code) if float(number) >= LARGEST]
if wrong:
    print("\n".join(wrong))
sys.exit(bool(wrong))
