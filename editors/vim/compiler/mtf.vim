" `:compiler mtf`, then `:make` checks the script and goes to the first error.
if exists("current_compiler")
  finish
endif
let current_compiler = "mtf"
let s:cpo = &cpo
set cpo&vim

CompilerSet makeprg=mtf\ check\ %:S
CompilerSet errorformat=
      \%Eerror:\ %m,
      \%Wwarning:\ %m,
      \%C%*[\ ]-->\ %f:%l:%c,
      \%C%*[\ ]=\ %m,
      \%C%.%#\|%.%#,
      \%C%*[\ ]:::%.%#,
      \%Z%$

let &cpo = s:cpo
unlet s:cpo
