" The mtf tensor language. `mtf editors --write` keeps the word lists current.
if exists("b:current_syntax")
  finish
endif
let s:cpo = &cpo
set cpo&vim

" words: statements
syntax keyword mtfStatement assert break continue counters dim else fn for if import layout let mesh model no_grad option param precision return seed setting state use while with
" words: operators
syntax keyword mtfOperator and as in not or
" words: constants
syntax keyword mtfBoolean false none true
" words: types
syntax keyword mtfType bf16 bool f32 f64 i32
" words: operations
syntax keyword mtfOperation abs acos acosh add all any argmax argmin argsort as_multiplied asin asinh atan atanh attention bit_and bit_not bit_or bit_xor broadcast cast cast_like cast_parts ceil clip concat conv copy cos cosh cross_entropy cumprod cumsum div dropout einsum elu eq erf exp expm1 fill floor floordiv gather ge gelu gt isfinite isinf isnan layer_norm le leaky_relu log log1p log_softmax logical_and logical_not logical_or logsumexp lt max max_pool maximum mean mean_pool min minimum mod mul ne neg norm one_hot ones pad pow prod range reciprocal relu rename reshape reverse round rsqrt scatter_add scatter_max scatter_min scatter_mul scatter_set selu shift shift_left shift_right sigmoid sign sin sinh slice softmax softplus sort sqrt square stack std stop_gradient sub sum swish tan tanh tensor top_k triangle unstack var where xor zeros zeros_like
" words: functions
syntax keyword mtfFunction check_gradient custom_gradient ends_with find float grad int join len lines lower matches print recompute replace scan size split stacked starts_with string strip upper write zip
" words: modules
syntax keyword mtfModule checkpoint data decode init logs losses metrics moe nn optim random transformer vision

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
let &cpo = s:cpo
unlet s:cpo
