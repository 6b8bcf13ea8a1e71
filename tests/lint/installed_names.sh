#!/usr/bin/env bash
# What an installed header names, no header of the program names too: they are in one namespace, and a linker takes either.
set -u
names=$(grep -rhoE '^(struct|class|enum class|enum|using) +[A-Za-z]+' src/include | awk '{print $NF}' | sort -u)
wrong=$(grep -rnE --include='*.h' '^ *(struct|class|enum class|enum|using) +[A-Za-z]+ *(:|\{|=|final)' src | grep -v '^src/include/' |
  awk -v names="$names" 'BEGIN { while (split(names, list, "\n") > n) installed[list[++n]] = 1 }
    { match($0, /(struct|class|enum|using) +(class +)?[A-Za-z]+/); count = split(substr($0, RSTART, RLENGTH), words, " ")
      if (words[count] in installed) print $0 ": an installed header has a " words[count] " too" }')
[ -z "$wrong" ] || { echo "$wrong"; exit 1; }
