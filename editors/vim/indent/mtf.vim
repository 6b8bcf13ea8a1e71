" Two spaces for each bracket that a line leaves open, as `mtf fmt` writes.
if exists("b:did_indent")
  finish
endif
let s:cpo = &cpo
set cpo&vim
let b:did_indent = 1

setlocal indentexpr=MtfIndent(v:lnum)
setlocal indentkeys=0{,0},0),0],!^F,o,O,0#
let b:undo_indent = "setlocal indentexpr< indentkeys<"

if exists("*MtfIndent")
  let &cpo = s:cpo
  unlet s:cpo
  finish
endif

let s:skip = "synIDattr(synID(line('.'), col('.'), 0), 'name') =~ 'String\\|Comment'"

" A line without what stands in strings, and without its comment.
function s:Code(line)
  let code = substitute(a:line, '"\%([^"\\]\|\\.\)*"', '""', 'g')
  return substitute(code, '#.*$', '', '')
endfunction

" How many more brackets are open at the end of a line than at its beginning, as far as lines go: those that open and
" close on one line count nothing, and several that open together count once.
function s:Opened(code)
  let [depth, least] = [0, 0]
  for sign in split(substitute(a:code, '[^][(){}]', '', 'g'), '\zs')
    let depth += sign =~ '[[({]' ? 1 : -1
    let least = min([least, depth])
  endfor
  return depth - least > 0 ? 1 : 0
endfunction

" How many brackets a line closes that lines before it have opened.
function s:Closed(code)
  let [depth, least] = [0, 0]
  for sign in split(substitute(a:code, '[^][(){}]', '', 'g'), '\zs')
    let depth += sign =~ '[[({]' ? 1 : -1
    let least = min([least, depth])
  endfor
  return -least
endfunction

" The indent of the line that opened what a line closes, and so on, or its own.
function s:Base(number)
  let opener = 0
  call cursor(a:number, 1)
  for i in range(s:Closed(s:Code(getline(a:number))))
    let opener = searchpair('[[({]', '', '[])}]', 'bW', s:skip)
  endfor
  return opener > 0 ? s:Base(opener) : indent(a:number)
endfunction

" Whether a statement goes on behind a line.
function s:GoesOn(code)
  return a:code =~ '\([-+*/%^=<>,@]\|:\|\<and\|\<or\|\<not\|\.\)\s*$' && a:code !~ '^\s*$'
endfunction

function MtfIndent(number)
  let line = getline(a:number)
  if line =~ '^#[>!:]'
    return 0
  endif
  let above = prevnonblank(a:number - 1)
  while above > 0 && getline(above) =~ '^\s*#'
    let above = prevnonblank(above - 1)
  endwhile
  if above == 0
    return 0
  endif
  let code = s:Code(getline(above))
  let width = shiftwidth()
  let indent = s:Base(above) + (s:Opened(code) ? width : 0)
  let before = prevnonblank(above - 1)
  let went_on = before > 0 && s:GoesOn(s:Code(getline(before))) && !s:Opened(s:Code(getline(before)))
  let in_list = s:Inside(a:number)
  if s:GoesOn(code) && !went_on && !s:Opened(code) && !in_list
    let indent += width
  elseif !s:GoesOn(code) && went_on && !in_list && !s:Closed(code)
    let indent -= width
  endif
  if line =~ '^\s*[])}]'
    let indent -= width
  endif
  return max([indent, 0])
endfunction

" Whether a line begins inside `(` or `[`.
function s:Inside(number)
  call cursor(a:number, 1)
  return searchpair('[[(]', '', '[])]', 'bnW', s:skip, max([1, a:number - 50])) > 0
endfunction

let &cpo = s:cpo
unlet s:cpo
