// The words and signs of the .mtf language.
//
// Line ends, `;` and brackets are tokens here; src/syntax/token_stream.cpp decides which line ends
// separate statements, and whether the brackets match, before the parser runs. The lexer itself
// keeps a stack of open brackets only to know where the `{e}` of a string ends and where its
// `:format` begins.
//
// Operations (einsum, sum, print …) are identifiers, never keywords.
lexer grammar MtfLexer;

@lexer::members {
  // '(' '[' '{', and 'i' for the `{` of a string.
  std::vector<char> open_;

  bool in_interpolation() const { return !open_.empty() && open_.back() == 'i'; }

  void close() {
    if (!open_.empty() && open_.back() != 'i') open_.pop_back();
  }

  void close_brace() {
    if (!in_interpolation()) return close();
    open_.pop_back();
    setType(INTERPOLATION_CLOSE);
    popMode();
  }

  void colon() {
    if (!in_interpolation()) return;
    setType(FORMAT_COLON);
    setMode(FORMAT);
  }

  // In a string's `{x:=^10}` the format begins behind the colon: the `=` is given back.
  void define() {
    if (!in_interpolation()) return;
    _input->seek(_input->index() - 1);
    colon();
  }

  // `'` is part of a name only directly behind it; elsewhere it is what other languages begin a string with.
  void prime() {
    const size_t before = _input->LA(-2);
    const bool is_letter = (before >= 'a' && before <= 'z') || (before >= 'A' && before <= 'Z') || before == '_';
    if (!is_letter && !(before >= '0' && before <= '9') && before != '\'') setType(UNKNOWN);
  }

  // A string, with all that it contains, ends with its line.
  void line_end() {
    if (modeStack.empty()) return;
    while (!modeStack.empty()) popMode();
    size_t kept = 0;
    while (kept < open_.size() && open_[kept] != 'i') ++kept;
    open_.resize(kept);
    setType(STRING_BROKEN);
  }
}

// LANGUAGE is the name `language` where a file begins with it and a version (src/syntax/language_version.cpp).
// COMMENT is `#` up to the end of its line. LexedFile (src/syntax/lexed_file.cpp) reads comments, and skips spaces and
// tabs: both are half of most texts, and need no automaton.
tokens { INTERPOLATION_CLOSE, FORMAT_COLON, STRING_BROKEN, LANGUAGE, COMMENT }

// Statement words.
DIM: 'dim';
MESH: 'mesh';
LAYOUT: 'layout';
USE: 'use';
OPTION: 'option';
SETTING: 'setting';
WITH: 'with';
SEED: 'seed';
PRECISION: 'precision';
IMPORT: 'import';
LET: 'let';
PARAM: 'param';
STATE: 'state';
MODEL: 'model';
FN: 'fn';
FOR: 'for';
WHILE: 'while';
IF: 'if';
ELSE: 'else';
BREAK: 'break';
CONTINUE: 'continue';
RETURN: 'return';
ASSERT: 'assert';
COUNTERS: 'counters';
NO_GRAD: 'no_grad';

// Element types.
F32: 'f32';
F64: 'f64';
BF16: 'bf16';
I32: 'i32';
BOOL: 'bool';

AS: 'as';
IN: 'in';
AND: 'and';
OR: 'or';
NOT: 'not';
TRUE: 'true';
FALSE: 'false';
NONE: 'none';

IDENT: [a-zA-Z_] [a-zA-Z0-9_]*;
FLOAT: [0-9]+ '.' [0-9]+ ([eE] [+-]? [0-9]+)? | [0-9]+ [eE] [+-]? [0-9]+;
INT: [0-9]+;

// `n'` is the twin of the dim `n`.
PRIME: '\'' { prime(); };

LPAREN: '(' { open_.push_back('('); };
RPAREN: ')' { close(); };
LBRACKET: '[' { open_.push_back('['); };
RBRACKET: ']' { close(); };
LBRACE: '{' { open_.push_back('{'); };
RBRACE: '}' { close_brace(); };

DEFINE: ':=' { define(); };
COLON: ':' { colon(); };
ARROW: '->';
EQUAL: '==';
NOT_EQUAL: '!=';
LESS_EQUAL: '<=';
GREATER_EQUAL: '>=';
LESS: '<';
GREATER: '>';
ASSIGN: '=';
FLOOR_DIVIDE: '//';
PLUS: '+';
MINUS: '-';
STAR: '*';
SLASH: '/';
PERCENT: '%';
CARET: '^';
AT: '@';
DOTDOT: '..';
DOT: '.';
COMMA: ',';
SEMICOLON: ';';

STRING_OPEN: '"' -> pushMode(STRING);

NEWLINE: ('\r'? '\n' | '\r') { line_end(); };
UNKNOWN: .;

mode STRING;

STRING_TEXT: (~["{}\\\r\n] | '\\' [nt"\\] | '{{' | '}}')+;
STRING_CLOSE: '"' -> popMode;
INTERPOLATION_OPEN: '{' { open_.push_back('i'); } -> pushMode(DEFAULT_MODE);
BAD_ESCAPE: '\\' ~[\r\n]?;
LONE_BRACE: '}';
STRING_LINE_END: ('\r'? '\n' | '\r') { line_end(); } -> type(STRING_BROKEN);

mode FORMAT;

FORMAT_TEXT: ~[{}"\r\n]+;
FORMAT_CLOSE: '}' { open_.pop_back(); } -> type(INTERPOLATION_CLOSE), popMode;
FORMAT_LINE_END: ('\r'? '\n' | '\r') { line_end(); } -> type(STRING_BROKEN);
FORMAT_UNKNOWN: . -> type(UNKNOWN);
