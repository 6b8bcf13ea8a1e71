# Completion of mtf in bash. The command itself says what there is, so this file has no list of its own.
_mtf() {
  local word=${COMP_WORDS[COMP_CWORD]} words
  if [ "$COMP_CWORD" = 1 ]; then
    words=$(mtf --help 2>/dev/null | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
  elif [ "${COMP_WORDS[1]}" = help ]; then
    words=$(mtf help operations 2>/dev/null | grep '^    ' | tr -d ',')
  elif [[ $word == -* ]]; then
    words=$(mtf "${COMP_WORDS[1]}" --help 2>/dev/null | sed -n '/^Options:/,/^$/s/^  \(-[a-z],\)\?\(--[a-z-]*\).*/\2/p')
  else
    return
  fi
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}
complete -o default -F _mtf mtf
