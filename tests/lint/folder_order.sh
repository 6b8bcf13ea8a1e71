#!/usr/bin/env bash
# The files of a folder include only folders before it in CMakeLists.txt's MTF_FOLDERS, and src/include/mtf only itself.
set -u
read -ra folders < <(sed -n 's/^set(MTF_FOLDERS \(.*\))$/\1/p' CMakeLists.txt)
[ ${#folders[@]} -gt 0 ] || { echo "no MTF_FOLDERS in CMakeLists.txt"; exit 1; }

wrong=$(
  for place in "${!folders[@]}"; do
    folder=${folders[place]}
    [ -d "src/$folder" ] || continue
    earlier=" ${folders[*]:0:place} $folder mtf "
    find "src/$folder" -name '*.h' -o -name '*.cpp' | sort | while read -r file; do
      grep -nE '^ *# *include "' "$file" | while IFS= read -r line; do
        included=$(sed -E 's/.*include "([^"]*)".*/\1/' <<<"$line")
        case $included in
          */*) [[ $earlier == *" ${included%%/*} "* ]] || echo "$file:${line%%:*}: src/$folder must not include $included" ;;
          *.def) ;;
          MtfLexer.h | MtfParser.h) [ "$folder" = syntax ] || echo "$file:${line%%:*}: only src/syntax knows the generated parser" ;;
          *) echo "$file:${line%%:*}: write \"$folder/$included\", relative to src/" ;;
        esac
      done
    done
  done
  for folder in src/*/; do
    folder=$(basename "$folder")
    [[ " ${folders[*]} include " == *" $folder "* ]] || echo "src/$folder is not in CMakeLists.txt's MTF_FOLDERS"
  done
  [ -d src/include ] && grep -rnE '^ *# *include "' src/include | grep -vE 'include "mtf/' |
    sed 's/$/: an installed header includes only installed headers/'
)
[ -z "$wrong" ] || { echo "$wrong"; exit 1; }
