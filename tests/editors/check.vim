" Vim's side of tests/editors.sh: writes what is wrong to v:errors, and those to the file g:result.
set nocompatible
let &runtimepath = g:source . '/editors/vim,' . &runtimepath
filetype plugin indent on
syntax on

function Group(line, text)
  let column = stridx(getline(a:line), a:text) + 1
  return synIDattr(synID(a:line, column, 1), 'name')
endfunction

execute 'edit ' . g:source . '/tests/editors/syntax.mtf'
call assert_equal('mtf', &filetype)
for [line, text, group] in [
      \ [1, '## Doc', 'mtfDocumentation'], [2, '# A', 'mtfComment'], [3, 'model', 'mtfStatement'], [3, 'Net', 'mtfDeclared'],
      \ [4, 'param', 'mtfStatement'], [4, 'init', 'mtfModule'], [4, '0.1', 'mtfNumber'], [5, 'call', 'mtfDeclared'],
      \ [5, '->', 'mtfSign'], [5, 'relu', 'mtfOperation'], [7, 'counters', 'mtfStatement'], [7, 'print', 'mtfFunction'],
      \ [7, 'loss', 'mtfString'], [7, 'len', 'mtfFunction'], [7, '\n', 'mtfEscape'], [9, '.model', 'mtfName'],
      \ [9, '12.5', 'mtfNumber'], [10, '#> 3', 'mtfExpectation']]
  call assert_equal(group, Group(line, text), line . ' ' . text)
endfor

" What is formatted is indented as Vim would.
for file in glob(g:source . '/stdlib/*.mtf', 0, 1) + glob(g:source . '/examples/*.mtf', 0, 1)
  execute 'edit ' . file
  let before = getline(1, '$')
  %left
  silent normal! gg=G
  call assert_equal(before, getline(1, '$'), file)
  bwipeout!
endfor

" An error's place and words.
call writefile(['let x = 1', 'let y = 2 ** 3'], g:folder . '/wrong.mtf')
execute 'edit ' . g:folder . '/wrong.mtf'
let &makeprg = g:mtf . ' check %'
silent make
let found = filter(getqflist(), 'v:val.valid')
call assert_equal(1, len(found))
call assert_equal([2, 11, 'E'], [get(found, 0, {}).lnum, get(found, 0, {}).col, get(found, 0, {}).type])
call assert_match('cannot be read', get(found, 0, {}).text)
call assert_match('the power is', get(found, 0, {}).text)

call writefile(v:errors, g:result)
qall!
