#!/usr/bin/env bash
# tests/editors.sh MTF: the editors' files, in a real Vim and in the library that colours for Visual Studio Code, where they
# are installed (for the latter: npm install vscode-textmate vscode-oniguruma, and MTF_NODE_MODULES=FOLDER).
set -u
mtf=$(realpath "$1")
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tried=0 status=0
if command -v node >/dev/null; then
  tried=1
  node "$source/tests/editors/textmate.mjs" "$source" || status=1
fi
if command -v vim >/dev/null && vim --version | grep -q '+eval'; then
  tried=1
  for settings in nocompatible compatible; do
    script=check
    [ $settings = compatible ] && script=compatible
    rm -f "$folder/result"
    TERM=dumb timeout 120 vim -u NONE --cmd "set $settings" --not-a-term -es \
      -c "let g:source='$source' | let g:folder='$folder' | let g:mtf='$mtf' | let g:result='$folder/result'" \
      -S "$source/tests/editors/$script.vim" >"$folder/log" 2>&1
    if [ ! -e "$folder/result" ]; then
      echo "vim ($settings) did not come to the end:"
      cat "$folder/log"
      status=1
    elif [ -s "$folder/result" ]; then
      cat "$folder/result"
      status=1
    fi
  done
fi
[ $tried = 1 ] || exit 77
exit $status
