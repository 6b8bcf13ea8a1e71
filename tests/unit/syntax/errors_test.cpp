// The parser's messages for programs that it refuses.

#include <gtest/gtest.h>

#include "syntax/parse.h"

namespace mtf::syntax {
namespace {

Diagnostics errors_of(const std::string& text) {
  Diagnostics diagnostics;
  parse(SourceFile::create("t.mtf", text), diagnostics);
  return diagnostics;
}

// Returns "kind line:column label", one error per line.
std::string summary(const std::string& text) {
  std::string out;
  const Diagnostics errors = errors_of(text);
  for (const Diagnostic& error : errors.list()) {
    const Position place = error.span().position();
    out += fmt::format("{} {}:{} {}\n", record(error.kind()).name, place.line, place.column, error.label());
  }
  return out;
}

TEST(SyntaxError, SaysExpectedAndFound) {
  EXPECT_EQ(summary("let x = 3 4"), "syntax_error 1:11 expected the end of the line, found `4`\n");
  EXPECT_EQ(summary("let y = f(a b)"), "syntax_error 1:13 expected `,` or `)`, found `b`\n");
  EXPECT_EQ(summary("let state = 2"), "syntax_error 1:5 expected a name or `(`, found the reserved word `state`\n");
  EXPECT_EQ(summary("for i 0..3 { f() }"), "syntax_error 1:7 expected `in`, found `0`\n");
  EXPECT_EQ(summary("if x\nf()"), "syntax_error 1:5 expected `{`, found the end of the line\n");
  EXPECT_EQ(summary("return"), "return_outside_fn 1:1 \n");
  EXPECT_EQ(summary("let x = "), "syntax_error 1:8 expected an expression, found the end of the file\n");
  EXPECT_EQ(summary(", f()"), "syntax_error 1:1 expected a statement, found `,`\n");
}

TEST(SyntaxError, RendersWithHelp) {
  EXPECT_EQ(errors_of("x = 3  # why").render(), R"(error: this cannot be read as a program [syntax_error]
 --> t.mtf:1:3
  |
1 | x = 3  # why
  |   ^ expected the end of the line, found `=`
  = help: `let` makes a name; `x := …` gives an existing one a new value: write `let x = 3  # why`
)");
}

TEST(SyntaxError, HelpsWithWhatOtherLanguagesWrite) {
  const auto helps = [](const std::string& text, const std::string& help) {
    return errors_of(text).render().find("= help: " + help + "\n") != std::string::npos;
  };
  EXPECT_TRUE(helps(
      "let x = b if a else c",
      "`where(c, a, b)` chooses for each element, and a value is chosen by: write `let x = if a { b } else { c }`"));
  EXPECT_TRUE(helps("if x = 3 { f() }", "`==` compares"));
  EXPECT_TRUE(helps("x += 1", "write `x := x + 1`"));
  EXPECT_TRUE(helps("let x = 2 ** 3", "the power is `^`: write `let x = 2 ^ 3`"));
  EXPECT_TRUE(helps("// twice", "a comment begins with `#`: write `# twice`"));
  EXPECT_TRUE(helps("let x = 1\n  + 2", "a line goes on where the one before ends in an operator"));
  EXPECT_TRUE(helps("for i in x: f(i)", "a block stands between `{` and `}`: write `for i in x { f(i) }`"));
  EXPECT_FALSE(helps("layout l = [a -> b]", "a block stands between `{` and `}`"));
  EXPECT_TRUE(helps("let x = model", "`model` cannot be a name; choose another"));
  EXPECT_FALSE(helps("let x = 1 +\nlet y = 2", "`let` cannot be a name; choose another"));
}

TEST(SyntaxError, OnceForEachStatementThatHoldsUnknownCharacters) {
  EXPECT_EQ(summary("let x = 'a' && 'b'\nlet y = 'c'"),
            "syntax_error 1:9 `'` has no meaning here\nsyntax_error 2:9 `'` has no meaning here\n");
}

TEST(SyntaxError, OneForEachStatement) {
  EXPECT_EQ(summary("let x = = 3\nmodel M {\n  let = 1\n  fn f( = 2\n  let z = 1 +* 2\n}\nlet y = 1 1"),
            "syntax_error 1:9 expected an expression, found `=`\n"
            "syntax_error 3:7 expected a name or `(`, found `=`\n"
            "bracket_mismatch 4:7 expected `)` to close `(` before the next statement\n"
            "syntax_error 5:14 expected an expression, found `*`\n"
            "syntax_error 7:11 expected the end of the line, found `1`\n");
}

TEST(Brackets, SayWhichAndWhereOpened) {
  EXPECT_EQ(summary("let w = (a]"), "bracket_mismatch 1:11 expected `)` to close `(`, found `]`\n");
  EXPECT_EQ(summary("f())"), "bracket_mismatch 1:4 `)` closes nothing\n");
  EXPECT_EQ(summary("let x = f(a\nlet y = 2"),
            "bracket_mismatch 1:10 expected `)` to close `(` before the next statement\n");
  EXPECT_EQ(summary("fn f() {\n  g()"), "bracket_mismatch 1:8 expected `}` to close `{` before the end\n");
  EXPECT_EQ(summary("fn f()\n{\n}"), "syntax_error 2:1 a block's `{` cannot begin a line\n");
}

TEST(Brackets, ABracketThatWasForgottenIsSoughtWhereItsLineEnds) {
  EXPECT_EQ(summary("fn f(x) {\n  return (x + 1\n}"), "bracket_mismatch 2:10 expected `)` to close `(`, found `}`\n");
}

TEST(Brackets, IndentationTellsWhichBlockIsNotClosed) {
  EXPECT_EQ(summary("model M {\n  fn f() {\n    g()\n}\nlet y = 1"),
            "bracket_mismatch 2:10 expected `}` to close `{`\n");
  EXPECT_EQ(summary("fn f() {\n  g()\nlet y = 1\nif y {\n}"), "bracket_mismatch 1:8 expected `}` to close `{`\n");
}

TEST(SyntaxError, LinesBelowAStatementThatCannotBeReadBelongToIt) {
  EXPECT_EQ(summary("if x:\n  return = 1\n  y = 2\nlet z = 1 1"),
            "syntax_error 1:5 expected `{`, found `:`\nsyntax_error 4:11 expected the end of the line, found `1`\n");
}

TEST(SyntaxError, AMissingOperandIsWhereItsLineEnds) {
  EXPECT_EQ(summary("dim a =\nlet x = 1"), "syntax_error 1:8 expected an expression, found the end of the line\n");
}

TEST(Strings, AreCheckedInside) {
  EXPECT_EQ(summary("print(\"abc)\nprint(1)"), "unterminated_string 1:7 expected `\"` before the end of the line\n");
  EXPECT_EQ(summary("print(\"abc\ndef\")\nprint(1)"),
            "unterminated_string 1:7 expected `\"` before the end of the line\n");
  EXPECT_EQ(summary("print(\"abc {x)\n"), "unterminated_string 1:7 expected `}` and `\"` before the end of the line\n");
  EXPECT_EQ(summary("print(\"abc {x)}\")\n"), "bracket_mismatch 1:14 `)` closes nothing\n");
  EXPECT_EQ(summary("print(\"\\q\")"), "bad_escape 1:8 the escapes are \\n \\t \\\" \\\\\n");
  EXPECT_EQ(summary("print(\"}\")"), "syntax_error 1:8 a brace in a string is written `}}`\n");
  EXPECT_EQ(summary("print(\"{x:zz}\")"), "bad_format 1:11 expected a format such as `.4f`, `>10` or `+.2e`\n");
  EXPECT_EQ(summary("print(\"{x:999999d}\")"), "bad_format 1:11 expected a format such as `.4f`, `>10` or `+.2e`\n");
  EXPECT_EQ(summary("print(\"{}\")"), "syntax_error 1:9 expected an expression, found `}`\n");
}

TEST(Checks, OfWhatAGrammarCannotSay) {
  EXPECT_EQ(summary("let x = a < b < c"), "chained_comparison 1:15 a second comparison\n");
  EXPECT_EQ(summary("let x = (a < b) == c"), "");
  EXPECT_EQ(summary("x"), "not_a_statement 1:1 expected a call or `counters`\n");
  EXPECT_EQ(summary("f() := 3"),
            "assign_not_a_place 1:1 expected a name, such as `x` or `net.w`, on the left of `:=`\n");
  EXPECT_EQ(summary("param w: [a] = 0"), "misplaced_statement 1:1 a `param` or `state` stands directly in a `model`\n");
  EXPECT_EQ(summary("f(a: 1, a: 2)"), "duplicate_argument 1:9 `a` again\n");
  EXPECT_EQ(summary("fn f(x, x) = x"), "duplicate_name 1:9 `x` again\n");
  EXPECT_EQ(summary("let (a, a) = b"), "duplicate_name 1:9 `a` again\n");
  EXPECT_EQ(summary("layout l = {a -> x, a -> y}"), "duplicate_name 1:21 `a` again\n");
  EXPECT_EQ(summary("layout l = {.., a -> x}"), "bad_layout 1:12 `..` has no other rules to keep here\n");
  EXPECT_EQ(summary("layout l = {params \"*\": {a -> x, a -> y}}"), "duplicate_name 1:34 `a` again\n");
  EXPECT_EQ(summary("with layout {states \"*\": {a -> x}} { f() }\nuse {params \"w\": {}, a -> x}"), "");
  EXPECT_EQ(summary("let n = 9223372036854775808"), "bad_number 1:9 integers are at most 9,223,372,036,854,775,807\n");
  EXPECT_EQ(summary("let n = 1e999"), "bad_number 1:9 the largest number is about 1.8e308\n");
  EXPECT_EQ(summary("import \"my-lib.mtf\""), "syntax_error 1:8 `my-lib` cannot be a name\n");
  EXPECT_EQ(summary("fn f() { option a = 1 }"),
            "misplaced_statement 1:10 an `option` stands at the top level of a file\n");
  EXPECT_EQ(
      summary("fn f(x: strin) = x"),
      "unknown_type 1:9 expected dim, dims, int, float, bool, string, fn, list, model or a shape, found `strin`\n");
}

TEST(Text, MustBeUtf8AndSmall) {
  EXPECT_EQ(summary("print(\"\xFF\")"), "invalid_utf8 1:8 byte 0xFF\n");
  EXPECT_EQ(summary("let π = 3"), "syntax_error 1:5 `π` has no meaning here\n");
  EXPECT_EQ(errors_of(std::string(SourceFile::kMaxBytes + 1, ' ')).exit_code(), ExitCode::kLimit);
}

TEST(Nesting, IsLimited) {
  const auto repeated = [](const std::string& text, int times) {
    std::string out;
    for (int i = 0; i < times; ++i) out += text;
    return out;
  };
  const auto is_too_deep = [](const std::string& text) {
    const Diagnostics errors = errors_of(text);
    return !errors.empty() && errors.list().front().kind() == Kind::nesting_too_deep;
  };
  for (const std::string part :
       {"(", "[", "-", "not ", "f(", "a ^ ", "fn(x) = ", "\"{", "a + ", "a[", "x @ {} @ a @ "}) {
    EXPECT_TRUE(is_too_deep("let x = " + repeated(part, 8000) + "a")) << part;
  }
  for (const std::string part : {"(1)", "[1]", ".b", " @ {}", " * 2", "..a"}) {
    EXPECT_TRUE(is_too_deep("let x = a" + repeated(part, 8000))) << part;
  }
  EXPECT_TRUE(is_too_deep(repeated("if a { ", 8000)));
  EXPECT_TRUE(is_too_deep("use a" + repeated(".b", 8000)));
  EXPECT_EQ(summary("let x = " + repeated("(", 200) + "a" + repeated(")", 200)), "");
  EXPECT_EQ(summary("let x = a" + repeated(" + a", 900)), "");
  EXPECT_EQ(summary("if a { }" + repeated(" else if b { }", 3000)), "");
}

}  // namespace
}  // namespace mtf::syntax
