#!/usr/bin/env bash
# tests/editors.sh MTF: the editors' files, in a real Vim, Neovim and Emacs, and in the library that colours for Visual Studio Code,
# where they are installed (for the latter: npm install vscode-textmate vscode-oniguruma, and MTF_NODE_MODULES=FOLDER).
set -u
mtf=$(realpath "$1")
source=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
tried=0 status=0
if command -v node >/dev/null; then
  tried=1
  node "$source/tests/editors/textmate.mjs" "$source" || status=1
  timeout 200 node "$source/tests/editors/vscode/process.mjs" "$mtf" || status=1
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
# The language server, in Neovim and in Emacs with eglot.
printf 'dim n = 4\nseed 1\nlet x = random.normal([n])\nlet y = xx\n' | tee "$folder/neovim.mtf" >"$folder/emacs.mtf"
if command -v nvim >/dev/null; then
  tried=1
  rm -f "$folder/result"
  timeout 200 nvim --headless -u NONE --cmd "set runtimepath+=$source/editors/vim" \
    -c "filetype plugin on | let g:folder='$folder' | let g:mtf_command='$mtf' | let g:result='$folder/result'" \
    -c "luafile $source/tests/editors/check.lua" </dev/null >"$folder/log" 2>&1
  if [ ! -e "$folder/result" ] || [ -s "$folder/result" ]; then
    echo "neovim:"
    cat "$folder/log" "$folder/result"
    status=1
  fi
fi
eglot=$(find /usr/share/emacs/site-lisp/elpa-src -maxdepth 1 -name 'eglot-*' 2>/dev/null | head -n 1)
if command -v emacs >/dev/null && [ -n "$eglot" ]; then
  tried=1
  MTF_COMMAND=$mtf MTF_SCRIPT=$folder/emacs.mtf timeout 200 emacs -Q --batch -L "$source/editors/emacs" \
    $(printf -- '-L %s ' /usr/share/emacs/site-lisp/elpa-src/*) -l "$source/tests/editors/check.el" </dev/null >"$folder/log" 2>&1 ||
    { echo "emacs:"; cat "$folder/log"; status=1; }
fi
[ $tried = 1 ] || exit 77
exit $status
