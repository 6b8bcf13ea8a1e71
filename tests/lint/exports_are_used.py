#!/usr/bin/env python3
# src/exports.cmake exports no header that other folders do not need, and each source names headers by their folder. (The
# build refuses a header that is not exported.) Each folder of src/ is in CMakeLists.txt's MTF_FOLDERS, and installed headers
# include only installed headers.
import os
import re
import sys

folders = re.search(r'set\(MTF_FOLDERS ([^)]*)\)', open('CMakeLists.txt').read())[1].split()
exported = {f'{folder}/{header}'
            for folder, headers in re.findall(r'set\(MTF_EXPORTS_(\w+) ([^)]*)\)', open('src/exports.cmake').read())
            for header in headers.split()}
wrong = []

includes = {}
for folder, _, names in os.walk('src'):
    for name in names:
        if name.endswith(('.h', '.cpp', '.c', '.def')):
            path = os.path.join(folder, name)
            includes[path[len('src/'):]] = re.findall(r'^ *# *include "([^"]+)"', open(path).read(), re.M)

needed, found = set(), []
for path, headers in includes.items():
    home = path.split('/')[0]
    for header in headers:
        room = header.split('/')[0]
        if home == 'include' and room != 'mtf':
            wrong.append(f'src/{path}: an installed header includes only installed headers, not {header}')
        if '/' not in header and not re.match(r'Mtf(Lexer|Parser)\.h$', header) and home not in ('package', 'python'):
            wrong.append(f'src/{path}: write "{home}/{header}", relative to src/')
        if room in folders and room != home:
            found.append(header)
while found:  # what an exported header includes is exported too
    header = found.pop()
    if header in needed:
        continue
    needed.add(header)
    found += [each for each in includes.get(header, []) if each.split('/')[0] in folders]

for header in sorted(exported - needed):
    wrong.append(f'src/exports.cmake exports {header}, which no other folder includes')
for folder in sorted(os.listdir('src')):
    if os.path.isdir(f'src/{folder}') and folder not in folders + ['include', 'notebook', 'package', 'python']:
        wrong.append(f'src/{folder} is not in CMakeLists.txt\'s MTF_FOLDERS')
print('\n'.join(wrong))
sys.exit(bool(wrong))
