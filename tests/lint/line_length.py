#!/usr/bin/env python3
"""No line of a source has more than 120 columns, but those of texts that stand in a source as they are."""
import pathlib
import re
import sys

wrong = []
for path in sorted(p for root in ("src", "tests") for p in pathlib.Path(root).rglob("*") if p.suffix in (".h", ".cpp")):
    text = re.sub(r'R"(\w*)\(.*?\)\1"', lambda raw: "\n" * raw.group().count("\n"), path.read_text(), flags=re.DOTALL)
    wrong += [f"{path}:{n}: {len(line)} columns" for n, line in enumerate(text.split("\n"), 1) if len(line) > 120]
if wrong:
    print("\n".join(wrong))
sys.exit(bool(wrong))
