// The grammar of the .mtf language. The AST that src/syntax/ast_builder.cpp makes of it is described
// in src/syntax/ast.h.
//
// The parser reads the tokens that src/syntax/token_stream.cpp lets through: brackets match, every
// statement ends in exactly one NEWLINE (also before a block's `}` and at the end of the file), and
// there is none before `else`, nor where a line continues.
parser grammar MtfParser;

options { tokenVocab = MtfLexer; }

program: statement* EOF;

statement: body NEWLINE;

body
  : language_statement
  | dim_statement
  | mesh_statement
  | layout_statement
  | use_statement
  | option_statement
  | setting_statement
  | with_statement
  | seed_statement
  | precision_statement
  | import_statement
  | let_statement
  | param_statement
  | fn_statement
  | model_statement
  | for_statement
  | while_statement
  | break_statement
  | continue_statement
  | return_statement
  | assert_statement
  | no_grad_statement
  | expr_statement
  ;

block: LBRACE statement* RBRACE;

language_statement: LANGUAGE INT;
dim_statement: DIM dim_item (COMMA dim_item)*;
dim_item: IDENT ASSIGN expr;
mesh_statement: MESH IDENT ASSIGN mesh_literal;
mesh_literal: LBRACKET (mesh_axis (COMMA mesh_axis)* COMMA?)? RBRACKET;
mesh_axis: any_word COLON expr;
layout_statement: LAYOUT IDENT ASSIGN layout_literal;
use_statement: USE (path | layout_literal | mesh_literal);
option_statement: OPTION IDENT ASSIGN expr;
setting_statement: SETTING IDENT ASSIGN expr;
with_statement: WITH with_item block;
with_item
  : LAYOUT (path | layout_literal)
  | MESH (path | mesh_literal)
  | PRECISION precision_word
  | SEED expr
  | path ASSIGN expr
  ;
seed_statement: SEED expr;
precision_statement: PRECISION precision_word;
import_statement: IMPORT import_item (COMMA import_item)*;
import_item: (IDENT | string) (AS IDENT)?;
let_statement: LET patterns (COLON annotation)? ASSIGN expr;
param_statement: (PARAM | STATE) IDENT COLON stored_type (AT layout_ref)? ASSIGN expr;
fn_statement: FN IDENT LPAREN parameters? RPAREN (ARROW annotation)? (block | ASSIGN expr);
model_statement: MODEL IDENT (LPAREN parameters? RPAREN)? block;
for_statement: FOR patterns IN expr block;
while_statement: WHILE expr block;
break_statement: BREAK;
continue_statement: CONTINUE;
// Several expressions are a tuple.
return_statement: RETURN (expr (COMMA expr)*)?;
assert_statement: ASSERT expr (COMMA expr)?;
no_grad_statement: NO_GRAD block;
// Also `if` as a statement: that is an `if_else` alone.
expr_statement: expr (DEFINE expr)?;

pattern: IDENT | LPAREN pattern (COMMA pattern)+ COMMA? RPAREN;
// Several are a tuple's, which needs no parentheses here.
patterns: pattern (COMMA pattern)*;

parameters: parameter (COMMA parameter)* COMMA?;
parameter: IDENT (COLON annotation)? (ASSIGN expr)?;

annotation: shape | annotation_word;
annotation_word: IDENT | DIM | MODEL | FN | element_type;
shape: element_type? LBRACKET (shape_item (COMMA shape_item)* COMMA?)? RBRACKET;
shape_item: DOTDOT | expr;
// The IDENT is `like`.
stored_type: shape | element_type? IDENT path_with_index;
element_type: F32 | F64 | BF16 | I32 | BOOL;

// At most one attribute: with more, where the path ends and `.` of an expression begins would take
// looking ahead without end.
layout_ref: layout_literal | IDENT (DOT any_word)?;
layout_literal: LBRACE (layout_item (COMMA layout_item)* COMMA?)? RBRACE;
// Before a path the IDENT is `params`, `states` or `values`.
layout_item
  : DOTDOT
  | IDENT PRIME* ARROW (any_word | LBRACKET any_word (COMMA any_word)* COMMA? RBRACKET)
  | IDENT string COLON layout_literal
  ;

path: IDENT (DOT any_word)*;
path_with_index: IDENT path_step*;
path_step: DOT any_word | LBRACKET expr RBRACKET;

// Tightest first.
expr
  : primary                                                                            # primary_expr
  | expr LPAREN arguments? RPAREN                                                      # call_expr
  | expr LBRACKET index_arguments RBRACKET                                             # index_expr
  | expr DOT any_word                                                                  # attribute_expr
  | expr AT layout_ref                                                                 # at_expr
  | <assoc = right> expr op = CARET expr                                               # binary_expr
  | op = MINUS expr                                                                    # unary_expr
  | expr op = (STAR | SLASH | FLOOR_DIVIDE | PERCENT) expr                             # binary_expr
  | expr op = (PLUS | MINUS) expr                                                      # binary_expr
  | expr DOTDOT expr                                                                   # range_expr
  | expr op = (EQUAL | NOT_EQUAL | LESS | LESS_EQUAL | GREATER | GREATER_EQUAL | IN) expr  # binary_expr
  | op = NOT expr                                                                      # unary_expr
  | expr op = AND expr                                                                 # binary_expr
  | expr op = OR expr                                                                  # binary_expr
  | FN LPAREN parameters? RPAREN (ARROW annotation)? (block | ASSIGN expr)             # lambda_expr
  ;

primary
  : IDENT PRIME*
  | INT
  | FLOAT
  | TRUE
  | FALSE
  | NONE
  | element_type
  | string
  | parens
  | list
  | COUNTERS block
  | if_else
  ;

// As a value each of its blocks is one expression, and it has an `else`.
if_else: IF expr block (ELSE IF expr block)* (ELSE block)?;

// One expression in parentheses, or a tuple.
parens: LPAREN expr (COMMA expr)* COMMA? RPAREN;
list: LBRACKET (list_item (comprehension_loop+ | (COMMA list_item)* COMMA?))? RBRACKET;
comprehension_loop: FOR patterns IN expr (IF expr)*;
list_item: DOTDOT | expr;

arguments: argument (COMMA argument)* COMMA?;
argument: (any_word PRIME* COLON)? expr (ARROW expr)?;
index_arguments: index_argument (COMMA index_argument)* COMMA?;
index_argument: (any_word PRIME* COLON)? (expr DOTDOT? | DOTDOT expr?);

string: STRING_OPEN (STRING_TEXT | interpolation)* STRING_CLOSE;
interpolation: INTERPOLATION_OPEN expr (FORMAT_COLON FORMAT_TEXT?)? INTERPOLATION_CLOSE;

// What may stand after `.`, as the label of an argument and as a mesh axis: a name or any reserved word.
any_word
  : IDENT | DIM | MESH | LAYOUT | USE | OPTION | SETTING | WITH | SEED | PRECISION | IMPORT | LET | PARAM | STATE | MODEL
  | FN | FOR | WHILE | IF | ELSE | BREAK | CONTINUE | RETURN | ASSERT | COUNTERS | NO_GRAD | F32 | F64 | BF16 | I32 | BOOL | AS | IN | AND | OR | NOT
  | TRUE | FALSE | NONE
  ;

// The IDENT is `mixed`.
precision_word: element_type | IDENT;
