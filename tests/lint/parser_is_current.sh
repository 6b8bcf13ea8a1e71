#!/usr/bin/env bash
# The committed parser is the one that the grammar generates: by the grammar's hash, and, where antlr4 is installed,
# by generating it again.
set -u
generated=grammar/generated
hash=$(cat grammar/MtfLexer.g4 grammar/MtfParser.g4 | sha256sum | cut -d ' ' -f 1)
if [ "$hash" != "$(cat $generated/grammar.sha256)" ]; then
  echo "$generated was generated from another grammar: run grammar/generate and commit what it writes"
  exit 1
fi
command -v antlr4 >/dev/null || exit 0
fresh=$(mktemp -d) && trap 'rm -rf "$fresh"' EXIT
grammar/generate "$fresh" >"$fresh.log" 2>&1 || { cat "$fresh.log"; rm -f "$fresh.log"; exit 1; }
rm -f "$fresh.log"
if ! diff -rq -I '^// Generated from' "$generated" "$fresh"; then
  echo "$generated was edited by hand, or is of another antlr4: run grammar/generate and commit what it writes"
  exit 1
fi
