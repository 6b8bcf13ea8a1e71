" The mtf tensor language. `mtf editors --write` keeps the word lists current.
if exists("b:current_syntax")
  finish
endif

" words: statements
syntax keyword mtfStatement
" words: operators
syntax keyword mtfOperator
" words: constants
syntax keyword mtfBoolean
" words: types
syntax keyword mtfType
" words: operations
syntax keyword mtfOperation
" words: functions
syntax keyword mtfFunction
" words: modules
syntax keyword mtfModule

syntax match mtfNumber "\<[0-9]\+\(\.[0-9]\+\)\?\([eE][+-]\?[0-9]\+\)\?\>"
syntax match mtfSign "->\|@\|:="
" After a dot every word is a name; a statement word before a colon is a label.
syntax match mtfName "\(\w\|[])]\)\@1<=\.[A-Za-z_]\w*"
syntax match mtfDeclared "\(\<\(fn\|model\)\s\+\)\@8<=[A-Za-z_]\w*"

syntax region mtfString start=+"+ end=+"+ oneline contains=mtfEscape,mtfInterpolation
syntax match mtfEscape +\\[nt"\\]\|{{\|}}+ contained
syntax region mtfInterpolation matchgroup=mtfBrace start="{{\@!" end="}" oneline contained contains=TOP

syntax match mtfComment "#.*$" contains=@Spell
syntax match mtfDocumentation "##.*$" contains=@Spell
syntax match mtfExpectation "^\s*#[>!:].*$"

highlight default link mtfStatement Statement
highlight default link mtfOperator Operator
highlight default link mtfBoolean Boolean
highlight default link mtfType Type
highlight default link mtfOperation Function
highlight default link mtfFunction Function
highlight default link mtfModule Include
highlight default link mtfNumber Number
highlight default link mtfSign Operator
highlight default link mtfDeclared Identifier
highlight default link mtfString String
highlight default link mtfEscape SpecialChar
highlight default link mtfBrace Delimiter
highlight default link mtfComment Comment
highlight default link mtfDocumentation SpecialComment
highlight default link mtfExpectation PreProc

let b:current_syntax = "mtf"
