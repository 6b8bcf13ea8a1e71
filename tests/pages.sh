#!/usr/bin/env bash
# tests/pages.sh MTF: what stdlib/ERRORS.md shows at a command line ends with the kind of diagnostic whose page it is on.
set -u
mtf=$(realpath "$1")
page=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)/stdlib/ERRORS.md
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
mtf() { "$mtf" "$@"; }
status=0 kind= count=0
while IFS= read -r line; do
  case $line in
    '## '*) kind=${line#\#\# } ;;
    '$ '*)
      ((++count))
      said=$(eval "${line#\$ }" 2>&1)
      case $said in
        *"[$kind]"*) ;;
        *) echo "$kind: ${line}"; echo "$said"; status=1 ;;
      esac ;;
  esac
done <"$page"
[ $count -gt 0 ] || { echo "no command in $page"; exit 1; }
exit $status
