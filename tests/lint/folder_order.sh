#!/usr/bin/env bash
# The files of a folder include only folders before it in CMakeLists.txt's MTF_FOLDERS, and src/include/mtf only itself.
set -u
read -ra folders < <(sed -n 's/^set(MTF_FOLDERS \(.*\))$/\1/p' CMakeLists.txt)
[ ${#folders[@]} -gt 0 ] || { echo "no MTF_FOLDERS in CMakeLists.txt"; exit 1; }
folders+=(notebook)  # a program of its own, on top of all

wrong=$(
  grep -rnE --include='*.h' --include='*.cpp' '^ *# *include "' src | grep -v '^src/include/' | sort |
    awk -v order="${folders[*]}" '
      BEGIN { for (count = split(order, names, " "); count > 0; --count) place[names[count]] = count }
      {
        match($0, /include "[^"]*"/)
        included = substr($0, RSTART + 9, RLENGTH - 10)
        split($0, parts, ":")
        split(parts[1], path, "/")
        folder = path[2]
        where = parts[1] ":" parts[2] ": "
        if (split(included, to, "/") > 1) {
          if (to[1] != "mtf" && !(to[1] in place && place[to[1]] <= place[folder])) print where "src/" folder " must not include " included
        } else if (included ~ /^Mtf(Lexer|Parser)\.h$/) {
          if (folder != "syntax") print where "only src/syntax knows the generated parser"
        } else if (included !~ /\.def$/) {
          print where "write \"" folder "/" included "\", relative to src/"
        }
      }'
  for folder in src/*/; do
    folder=$(basename "$folder")
    [[ " ${folders[*]} include package python " == *" $folder "* ]] || echo "src/$folder is not in CMakeLists.txt's MTF_FOLDERS"
  done
  [ -d src/include ] && grep -rnE '^ *# *include "' src/include | grep -vE 'include "mtf/' |
    sed 's/$/: an installed header includes only installed headers/'
)
[ -z "$wrong" ] || { echo "$wrong"; exit 1; }
