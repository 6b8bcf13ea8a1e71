#!/usr/bin/env bash
# The committed parser is what antlr4 generates from the grammar. Skipped (77) where antlr4 is not installed.
set -u
command -v antlr4 >/dev/null || { echo "antlr4 is not installed"; exit 77; }
[ -f grammar/MtfLexer.g4 ] || { echo "no grammar/MtfLexer.g4"; exit 77; }
fresh=$(mktemp -d) && trap 'rm -rf "$fresh"' EXIT
options=(-Dlanguage=Cpp -Werror)
grep -qslE 'class .*Visitor' grammar/generated/*Visitor.h && options+=(-visitor) || options+=(-no-visitor)
ls grammar/generated/*Listener.h >/dev/null 2>&1 && options+=(-listener) || options+=(-no-listener)
namespace=$(sed -nE 's/^namespace +([A-Za-z_:]+) *\{.*/\1/p' grammar/generated/MtfParser.h | head -n 1)
[ -n "$namespace" ] && options+=(-package "$namespace")
cp grammar/MtfLexer.g4 grammar/MtfParser.g4 "$fresh"
(cd "$fresh" && antlr4 "${options[@]}" MtfLexer.g4 && antlr4 "${options[@]}" MtfParser.g4) || exit 1
status=0
for file in grammar/generated/*.cpp grammar/generated/*.h; do
  # The first lines name the version and the path of the grammar.
  if ! diff -q <(grep -v '^// Generated from' "$file") <(grep -v '^// Generated from' "$fresh/$(basename "$file")") >/dev/null; then
    echo "$file is not what the grammar generates: generate it again"
    status=1
  fi
done
exit $status
