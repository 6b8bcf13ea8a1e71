autocmd BufRead,BufNewFile *.mtf setfiletype mtf
autocmd BufRead,BufNewFile * if getline(1) =~# '^#!.*\<mtf\>' | setfiletype mtf | endif
