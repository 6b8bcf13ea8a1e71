#!/usr/bin/env bash
# Each folder of src/ is a namespace, mtf::spmd, so that a name says its room; other folders' names are only declared there.
# The words of all are mtf itself (support, types, kernels/element_type.h), as is what installed headers declare (api); the tree
# that syntax makes is mtf::ast.
set -u
wrong=$(find src -name '*.h' -o -name '*.cpp' | sort | xargs awk '
  FNR == 1 {
    split(FILENAME, path, "/")
    room = path[2]
    if (room ~ /^(support|types|api|include)$/ || FILENAME == "src/kernels/element_type.h") room = ""
    foreign = 0
  }
  /^namespace mtf/ {
    split($2, names, "::")
    foreign = names[2] != room && names[2] !~ /^(ast|internal)$/ ? $2 : ""
  }
  foreign && !/^(namespace|struct|class|enum|union|template|}|\/\/|$)/ { print FILENAME ":" FNR ": stands in " foreign; foreign = "" }
  /^}  \/\/ namespace mtf/ { foreign = "" }
')
[ -z "$wrong" ] || { echo "$wrong"; exit 1; }
