if exists("b:did_ftplugin")
  finish
endif
let s:cpo = &cpo
set cpo&vim
let b:did_ftplugin = 1

setlocal comments=:##,:# commentstring=#\ %s
setlocal shiftwidth=2 softtabstop=2 expandtab
setlocal formatoptions+=croql formatoptions-=t
setlocal equalprg=
if executable("mtf")
  setlocal keywordprg=mtf\ help
endif
compiler mtf
let b:undo_ftplugin = "setlocal comments< commentstring< shiftwidth< softtabstop< expandtab< formatoptions< equalprg< keywordprg< makeprg< errorformat<"

" `:MtfFormat` writes the script as `mtf fmt` does, and leaves it alone if it cannot be read.
command! -buffer MtfFormat call s:Format()
let b:undo_ftplugin .= " | delcommand -buffer MtfFormat"

if exists("*s:Format")
  let &cpo = s:cpo
  unlet s:cpo
  finish
endif

function s:Format()
  let lines = systemlist("mtf fmt -", getline(1, "$"))
  if v:shell_error
    echohl ErrorMsg | echomsg get(lines, 0, "mtf fmt failed") | echohl None
    return
  endif
  let view = winsaveview()
  call setline(1, lines)
  if line("$") > len(lines)
    call deletebufline("%", len(lines) + 1, "$")
  endif
  call winrestview(view)
endfunction

let &cpo = s:cpo
unlet s:cpo
