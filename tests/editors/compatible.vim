" The editors' files under the settings of vi: what is wrong goes to v:errors, and those to the file g:result.
set compatible
let g:cpo = &cpo
let &runtimepath = g:source . '/editors/vim,' . &runtimepath
filetype plugin indent on
syntax on
let v:errmsg = ''
execute 'edit ' . g:source . '/tests/editors/syntax.mtf'
call assert_equal('', v:errmsg)
call assert_equal('mtf', &filetype)
call assert_match('^%Eerror:', &errorformat)
call assert_equal('mtfStatement', synIDattr(synID(3, 1, 1), 'name'))
call assert_equal(2, exists(':MtfFormat'))
call assert_equal(g:cpo, &cpo)
let before = getline(1, '$')
%left
silent normal! gg=G
call assert_equal(before, getline(1, '$'))
call writefile(v:errors, g:result)
qall!
