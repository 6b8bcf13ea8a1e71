if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1

setlocal comments=:##,:# commentstring=#\ %s
setlocal shiftwidth=2 softtabstop=2 expandtab smartindent
setlocal formatoptions+=croql formatoptions-=t
let b:undo_ftplugin = "setlocal comments< commentstring< shiftwidth< softtabstop< expandtab< smartindent< formatoptions<"
