#!/usr/bin/env bash
# Text for people is made in src/tool/. A session answers with records: its headers declare no function that gives a text, but for
# the one that writes a session as a script. Standard output and standard error are written by src/tool/ and src/line_editor/, by
# what ends a process in src/run/, by the program of src/notebook/, and by src/api/ where an embedder has given nothing to write to. Nobody reads what was printed:
# a message is a Diagnostic, whose parts its renderer tells apart.
set -u
outside='^src/(tool|notebook|line_editor|run|api|include)/'
wrong=$(
  grep -nE '^ *(static )?(std::string|std::string_view) +[a-z_]+\(' src/session/*.h | grep -vE ' script_of\(' |
    sed 's/$/: a session answers with records/'
  grep -rnE 'std::(cout|cerr|clog)\b|\b(printf|fprintf|fputs|puts|fputc|putchar|perror)\(|fmt::print|<iostream>' src | grep -vE "$outside" |
    sed 's/$/: only src\/tool writes to standard output and standard error/'
  grep -rnE '(starts_with|ends_with|contains|find|rfind|split|== *|!= *)\(? *"( *(-->|:::|= (help|note):)|(error|warning): |, no communication)' src |
    sed 's/$/: nobody reads what was printed/'
  grep -rnE '(find|split|starts_with|from_chars|strtol|strtod)\([^;]*\b(render|to_string|print)\(' src | grep -vE '^src/(support|syntax)/' |
    sed 's/$/: nobody reads what was printed/'
)
[ -z "$wrong" ] || { echo "$wrong"; exit 1; }
