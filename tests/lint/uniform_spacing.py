#!/usr/bin/env python3
"""Sources are spaced as clang-format spaces them with .clang-format, and their includes stand in its order.

Where a line ends stays the author's decision: each line that the tool too leaves as a line has the tool's spaces, its
indentation among them; a line that the tool would break or join is not looked at. `--write` mends the files.
"""
import pathlib
import re
import shutil
import subprocess
import sys
from xml.etree import ElementTree

VERSION = 14
INCLUDE = re.compile(r'\s*#\s*include\b')


def characters(line):
    """What of a line is not white space; nor is what continues a macro's."""
    return re.sub(r'\s+|\\$', '', line)


def with_includes_sorted(lines, formatted):
    """The lines with each run of includes in the order in which `formatted` has them."""
    place = {characters(line): at for at, line in enumerate(formatted)}
    result, run = [], []
    for line in lines + ['']:
        if INCLUDE.match(line):
            run.append(line)
        else:
            result += sorted(run, key=lambda include: place.get(characters(include), -1)) + [line]
            run = []
    return result[:-1]


def extents(lines):
    """For each line that is not blank: the places of its first and last character among all that are not white space."""
    result, end = {}, 0
    for at, line in enumerate(lines):
        begin, end = end, end + len(characters(line))
        if end > begin:
            result[at] = (begin, end)
    return result


def indentation(line):
    """The spaces before it."""
    return line[:len(line) - len(line.lstrip())]


def begins_statement(before):
    """Whether the line behind this one begins a statement or declaration, and does not go on with one."""
    return re.sub(r'\s*//.*', '', before).endswith(('{', '}', ';', ':'))


def mended(lines, formatted):
    """The lines, each that the tool leaves as a line spaced as it has it."""
    result = with_includes_sorted(lines, formatted)
    line_of = {extent: formatted[at] for at, extent in extents(formatted).items()}
    before, before_is_indented = ';', True
    for at, extent in extents(result).items():
        line = line_of.get(extent)
        if line is None or line.endswith('\\'):  # a macro's lines end where the longest does, which the tool may have made
            before_is_indented = False
        else:
            if not (before_is_indented and begins_statement(before)):
                line = indentation(result[at]) + line.lstrip()
            before_is_indented = indentation(line) == indentation(line_of[extent])
            result[at] = line
        before = result[at]
    return result


def look_at(path, formatted, write):
    """What is wrong with one file, each complaint a line; mends it if `write`."""
    text = path.read_text()
    if formatted == text:
        return []
    lines, formatted = text.splitlines(), formatted.splitlines()
    wanted = mended(lines, formatted)
    if ''.join(map(characters, wanted)) != ''.join(map(characters, formatted)):
        return [f'{path}: clang-format changes more than spaces: see `clang-format {path} | diff {path} -`']
    if write:
        if wanted != lines:
            path.write_text('\n'.join(wanted) + '\n')
        return []
    return [f'{path}:{at}: expected `{new}`, found `{old}`' for at, (old, new) in enumerate(zip(lines, wanted), 1) if old != new]


def is_there():
    if not shutil.which('clang-format'):
        return False
    said = subprocess.run(['clang-format', '--version'], check=True, capture_output=True, text=True).stdout
    return f'version {VERSION}.' in said


def replaced(text, answer):
    """The text with the replacements that clang-format answers for it; it counts bytes."""
    encoded, result, at = text.encode(), b'', 0
    for replacement in ElementTree.fromstring(answer).iter('replacement'):
        offset = int(replacement.get('offset'))
        result += encoded[at:offset] + (replacement.text or '').encode()
        at = offset + int(replacement.get('length'))
    return (result + encoded[at:]).decode()


def all_formatted(paths):
    """The text of each file as clang-format has it. It is asked for many at once: a start takes longer than ten files."""
    processes = 2
    running = [subprocess.Popen(['clang-format', '--output-replacements-xml', *map(str, paths[first::processes])], stdout=subprocess.PIPE)
               for first in range(processes)]
    result = [''] * len(paths)
    for first, process in enumerate(running):
        answers = process.communicate()[0].split(b'<?xml version=\'1.0\'?>\n')[1:]
        result[first::processes] = [replaced(path.read_text(), answer) for path, answer in zip(paths[first::processes], answers, strict=True)]
    return result


def main():
    if not is_there():
        print(f'skipped: there is no clang-format {VERSION}, which Debian 12 has in a package of this name; others space otherwise')
        return 77
    paths = sorted(path for folder in ('src', 'tests') for ending in ('*.h', '*.cpp') for path in pathlib.Path(folder).rglob(ending))
    write = '--write' in sys.argv[1:]
    wrong = [complaint for path, formatted in zip(paths, all_formatted(paths)) for complaint in look_at(path, formatted, write)]
    if wrong:
        print('\n'.join(wrong[:40] + [f'{len(wrong)} lines in all; `tests/lint/uniform_spacing.py --write` mends them']))
    return 1 if wrong else 0


if __name__ == '__main__':
    sys.exit(main())
