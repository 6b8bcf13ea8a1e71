#!/usr/bin/env python3
"""Prints unicode_categories.def: where each run of characters of one general category begins."""
import unicodedata

CATEGORIES = "Lu Ll Lt Lm Lo Mn Mc Me Nd Nl No Pc".split()


def kind(code):
    category = unicodedata.category(chr(code))
    return category if category in CATEGORIES else category[0]


print(f"// Made by unicode_categories.py, of Unicode {unicodedata.unidata_version}: where each run of one category begins.")
runs = [(0, kind(0))]
for code in range(1, 0x110000):
    if kind(code) != runs[-1][1]:
        runs.append((code, kind(code)))
line = ""
for first, category in runs:
    entry = f"{{{first:#x}, k{category}}}, "
    if len(line) + len(entry) > 118:
        print(line.rstrip())
        line = ""
    line += entry
print(line.rstrip())
