#include "syntax/parse.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "snippets.h"
#include "syntax/print.h"
#include "syntax/signature.h"

namespace mtf::syntax {
namespace {

using namespace ast;

Program parse_text(const std::string& text, ParseMode mode = ParseMode::kScript) {
  return parse_or_throw(SourceFile::create("test.mtf", text), mode);
}

// Returns the one statement of a text.
Stmt only(const std::string& text) {
  Program program = parse_text(text, ParseMode::kRepl);
  EXPECT_EQ(program.body.statements.size(), 1u) << text;
  static std::vector<std::shared_ptr<const SourceFile>> kept;  // spans point into it
  kept.push_back(program.file);
  return std::move(program.body.statements.at(0));
}

// Returns the expression with all its parentheses.
std::string grouped(const std::string& text) {
  const Stmt statement = only(text);
  const std::function<std::string(const Expr&)> show = [&](const Expr& expr) -> std::string {
    if (const auto* binary = expr.as<BinaryExpr>()) {
      return "(" + show(*binary->left) + " " + std::string(to_text(binary->op)) + " " + show(*binary->right) + ")";
    }
    if (const auto* unary = expr.as<UnaryExpr>()) {
      return "(" + std::string(to_text(unary->op)) + " " + show(*unary->operand) + ")";
    }
    if (const auto* range = expr.as<RangeExpr>()) return "(" + show(*range->begin) + " .. " + show(*range->end) + ")";
    if (const auto* at = expr.as<AtExpr>()) return "(" + show(*at->object) + " @)";
    return print(expr);
  };
  return show(*statement.as<ExprStmt>()->value);
}

TEST(Parse, EverySnippetPrintsTheSameAgain) {
  for (const std::string& text : test::snippets()) {
    Diagnostics diagnostics;
    const Program program = parse(SourceFile::create("snippet.mtf", text), diagnostics);
    ASSERT_TRUE(diagnostics.empty()) << text << diagnostics.render();
    const std::string once = print(program);
    const Program again = parse(SourceFile::create("printed.mtf", once), diagnostics);
    ASSERT_TRUE(diagnostics.empty()) << once << diagnostics.render();
    EXPECT_EQ(print(again), once);
    EXPECT_EQ(again.comments.size(), program.comments.size()) << once;
    ASSERT_EQ(again.body.statements.size(), program.body.statements.size());
    for (std::size_t i = 0; i < again.body.statements.size(); ++i) {
      EXPECT_EQ(print(again.body.statements[i]), print(program.body.statements[i]));
      EXPECT_EQ(again.body.statements[i].doc, program.body.statements[i].doc);
    }
  }
}

TEST(Parse, OperatorsBindAsDocumented) {
  EXPECT_EQ(grouped("-x ^ 2 ^ y"), "(- (x ^ (2 ^ y)))");
  EXPECT_EQ(grouped("2 ^ -x * y"), "((2 ^ (- x)) * y)");
  EXPECT_EQ(grouped("a - b - c * d % e"), "((a - b) - ((c * d) % e))");
  EXPECT_EQ(grouped("a + 1..b * 2"), "((a + 1) .. (b * 2))");
  EXPECT_EQ(grouped("not a == b and c or d"), "(((not (a == b)) and c) or d)");
  EXPECT_EQ(grouped("-x @ {}"), "(- (x @))");
  EXPECT_EQ(grouped("x @ dp ^ 2"), "((x @) ^ 2)");
}

TEST(Parse, AnArrowBelongsToItsArgument) {
  const Stmt statement = only("einsum(x, rename(w, b -> b2) -> [a, b2])");
  const auto* call = statement.as<ExprStmt>()->value->as<CallExpr>();
  ASSERT_EQ(call->arguments.size(), 2u);
  EXPECT_EQ(call->arguments[0].target, nullptr);
  EXPECT_EQ(print(*call->arguments[1].target), "[a, b2]");
}

TEST(Parse, SpansCoverWhatWasWritten) {
  const std::string text = "print(\"é\", (a + b) * c)";
  const Stmt statement = only(text);
  const auto* call = statement.as<ExprStmt>()->value->as<CallExpr>();
  const Expr& product = *call->arguments[1].value;
  EXPECT_EQ(product.span.text(), "(a + b) * c");
  EXPECT_EQ(product.as<BinaryExpr>()->left->span.text(), "a + b");
  EXPECT_EQ(product.as<BinaryExpr>()->op_span.text(), "*");
  EXPECT_EQ(call->arguments_span.text(), "(\"é\", (a + b) * c)");
}

TEST(Parse, StringsAreTextAndExpressions) {
  const Stmt statement = only(R"(print("a\n{{{x:.4f}}}\"{y}"))");
  const auto& parts = statement.as<ExprStmt>()->value->as<CallExpr>()->arguments[0].value->as<StringExpr>()->parts;
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[0].text, "a\n{");
  EXPECT_EQ(parts[1].format, ".4f");
  EXPECT_EQ(parts[2].text, "}\"");
  EXPECT_EQ(parts[3].format, std::nullopt);
}

TEST(Parse, AFormatMayBeginWithAnEqualsSign) {
  const Stmt statement = only(R"(print("{x:=^10}|"))");
  const auto& parts = statement.as<ExprStmt>()->value->as<CallExpr>()->arguments[0].value->as<StringExpr>()->parts;
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(parts[0].format, "=^10");
  EXPECT_EQ(parts[0].format_span.text(), "=^10");
}

TEST(Parse, LinesContinueInBracketsAndAfterOperators) {
  EXPECT_EQ(parse_text("let x = f(a,\n\n b\n)\nlet y = [1,\n 2]").body.statements.size(), 2u);
  EXPECT_EQ(parse_text("let x =\n a +\n b or\n not\n c\nlet z = 1").body.statements.size(), 2u);
  EXPECT_EQ(parse_text("layout l = {a -> b,\n c -> d\n}\nlet y = x @ {\n}\n").body.statements.size(), 2u);
  EXPECT_EQ(parse_text("if a { print(1) }\n\nelse { print(2) }\nprint(3)").body.statements.size(), 2u);
  EXPECT_EQ(parse_text("let c = f(counters {\n let a = 1\n let b = 2\n})").body.statements.size(), 1u);
  EXPECT_EQ(parse_text("layout l = {a -> [x,\n model\n], b ->\n let}\nlet z = 1").body.statements.size(), 2u);
  EXPECT_EQ(parse_text("let y = x.not\nlet z = 1").body.statements.size(), 2u);
  EXPECT_EQ(parse_text("\r\nprint(1)\r\n;;print(2)\r\n").body.statements.size(), 2u);
}

TEST(Parse, DocsBelongToTheFileOrToWhatFollows) {
  const Program program = parse_text(
      "#!/usr/bin/mtf\n"
      "## The file,\n"
      "##  two lines.\n"
      "\n"
      "## A dim.\n"
      "dim a = 1\n"
      "# no\n"
      "## far\n"
      "\n"
      "fn f() {\n"
      "  ## Inner.\n"
      "  let x = 1\n"
      "}");
  EXPECT_EQ(program.doc, "The file,\n two lines.");
  EXPECT_EQ(program.body.statements[0].doc, "A dim.");
  EXPECT_EQ(program.body.statements[1].doc, "");
  EXPECT_EQ(std::get<Block>(program.body.statements[1].as<FnStmt>()->body).statements[0].doc, "Inner.");
}

TEST(Parse, ALineThatEndsInASemicolonIsQuiet) {
  const Program program = parse_text("let w = 1; let v = 2;\nlet x = 3; let y = 4\nlet z = 5; # why", ParseMode::kRepl);
  std::vector<bool> quiet;
  for (const Stmt& statement : program.body.statements) quiet.push_back(statement.quiet);
  EXPECT_EQ(quiet, (std::vector<bool>{true, true, false, false, true}));
}

TEST(Parse, AByteOrderMarkIsSkipped) {
  const Program program = parse_text("\xEF\xBB\xBFprint(1)");
  EXPECT_EQ(program.body.statements.at(0).span.text(), "print(1)");
}

TEST(Parse, AMeshAxisMayBeAnyWord) {
  for (const std::string_view word : reserved_words()) {
    const std::string text = fmt::format(
        "mesh grid = [data: 2, {0}: 4]\nlayout l = {{a -> {0}, b -> [data, {0}]}}\nlet y = x @ {{a -> {0}}}\n", word);
    EXPECT_EQ(print(parse_text(text)), text);
  }
}

TEST(Print, KeepsCommentsAndLines) {
  const std::string text =
      "## About.\n\nlet x = f(a,\n  # why\n  b)  # what\n\n# end of a part\nmodel M {  # a model\n  # nothing\n}\n"
      "let a = 1; let b = 2\nfor i in 0..3 { x := i }\n# last\n";
  EXPECT_EQ(print(parse_text(text)), text);
}

TEST(Print, Normalizes) {
  EXPECT_EQ(print(parse_text("let   x=a+b   *(c)\n\n\n\nif a{f()}else{g()}")),
            "let x = a + b * (c)\n\nif a { f() } else { g() }\n");
}

TEST(Parse, MakesSignatures) {
  const Program program = parse_text(
      "fn f(x: [.., a], n: int = none) -> f32[a] { return x }\nmodel M(a: dim) { }\nlet g = fn(x, y = 1) = x");
  const Signature& f = *program.body.statements[0].as<FnStmt>()->signature;
  EXPECT_EQ(f.text, "f(x: [.., a], n: int = none) -> f32[a]");
  EXPECT_EQ(f.span.text(), "fn f(x: [.., a], n: int = none) -> f32[a]");
  EXPECT_EQ(f.parameters[0].kind, ParameterKind::kShaped);
  EXPECT_FALSE(f.parameters[0].has_default);
  EXPECT_EQ(f.parameters[1].kind, ParameterKind::kInt);
  EXPECT_TRUE(f.parameters[1].none_is_default);
  EXPECT_EQ(program.body.statements[1].as<ModelStmt>()->signature->text, "M(a: dim)");
  const Signature& g = *program.body.statements[2].as<LetStmt>()->value->as<LambdaExpr>()->signature;
  EXPECT_EQ(g.text, "fn(x, y = 1)");
  EXPECT_TRUE(g.parameters[1].has_default);
  const Program of_block = parse_text("let g = fn(x: [a]) -> [b] { return x }");
  const Signature& h = *of_block.body.statements[0].as<LetStmt>()->value->as<LambdaExpr>()->signature;
  EXPECT_EQ(h.text, "fn(x: [a]) -> [b]");
  EXPECT_EQ(h.span.text(), "fn(x: [a]) -> [b]");
}

TEST(Signature, OfARecordIsItsText) {
  const Signature sum = "sum(x: tensor, over: dims = all -> shape?)";
  EXPECT_EQ(sum.name, Name("sum"));
  ASSERT_EQ(sum.parameters.size(), 2U);
  EXPECT_FALSE(sum.parameters[0].has_default);
  EXPECT_TRUE(sum.parameters[1].has_default);
  EXPECT_EQ(sum.parameters[1].text, "over: dims = all");
  EXPECT_EQ(sum.arrow, ArrowKind::kOptionalShape);
  EXPECT_EQ(Signature("pad(x: tensor, DIM: pair..., value: number = 0)").labels, LabelKind::kPair);
  const Signature zip = "zip(a, b, more...) -> list";
  EXPECT_TRUE(zip.parameters[2].is_variadic);
  EXPECT_EQ(zip.result, ParameterKind::kList);
  EXPECT_TRUE(Signature("recompute(f, ...) -> value").takes_rest);
}

TEST(Parse, SaysThatABraceWasExpected) {
  Diagnostics found;
  parse(SourceFile::create("test.mtf", "layout l = {a -> b c}"), found);
  ASSERT_TRUE(found.has_errors());
  EXPECT_NE(found.render().find("expected `}` or `,`, found `c`"), std::string::npos) << found.render();
}

TEST(ParseUse, ReadsWhatStandsBehindTheWord) {
  const auto read = [](const std::string& text) {
    const Program program = parse_text(text, ParseMode::kUse);
    EXPECT_EQ(program.body.statements.size(), 1U) << text;
    return print(program);
  };
  EXPECT_EQ(read("grid"), "use grid\n");
  EXPECT_EQ(read("mine.dp"), "use mine.dp\n");
  EXPECT_EQ(read("[rows: 2, cols: n]"), "use [rows: 2, cols: n]\n");
  EXPECT_EQ(read("{batch -> rows, io -> [a, b]}"), "use {batch -> rows, io -> [a, b]}\n");
  for (const char* wrong : {"", "3", "{a -> b} {}", "{a -> b}; x", "[a: 2", "use a", "{a -> b}\ndim a = 2"}) {
    Diagnostics found;
    parse(SourceFile::create("test.mtf", wrong), found, ParseMode::kUse);
    EXPECT_TRUE(found.has_errors()) << wrong;
  }
}

TEST(IsIncomplete, WhileABracketIsOpenOrALineContinues) {
  EXPECT_TRUE(is_incomplete("fn f(x) {"));
  EXPECT_TRUE(is_incomplete("let x = f(a,\n"));
  EXPECT_TRUE(is_incomplete("let x ="));
  EXPECT_FALSE(is_incomplete("let x = 3"));
  EXPECT_FALSE(is_incomplete("let x = \"a"));
  EXPECT_FALSE(is_incomplete("let x = )"));
  EXPECT_FALSE(is_incomplete(""));
}

TEST(ReservedWords, AreThoseOfTheLexer) {
  const auto& words = reserved_words();
  EXPECT_EQ(words.size(), 38u);
  EXPECT_TRUE(std::is_sorted(words.begin(), words.end()));
  for (const auto* word : {"dim", "counters", "bf16", "not"}) {
    EXPECT_NE(std::find(words.begin(), words.end(), word), words.end()) << word;
  }
  EXPECT_EQ(std::find(words.begin(), words.end(), "print"), words.end());
}

TEST(Tokenize, ClassifiesAndNeverFails) {
  const auto file = SourceFile::create("t.mtf", "let x = \"a{y:.2f}\" # c\n\"open");
  std::string classes;
  for (const Token& token : tokenize(file)) classes += "wnxsobcE"[static_cast<int>(token.kind)];
  EXPECT_EQ(classes, "wnossbnosbscss");
}

TEST(ParsedScripts, ParseAScriptOnce) {
  ParsedScripts scripts;
  Diagnostics found;
  const auto parsed = [&](const std::string& name, const std::string& text) {
    return scripts.parse(SourceFile::create(name, text), found);
  };
  const auto first = parsed("a.mtf", "let x = 1\n");
  EXPECT_EQ(parsed("a.mtf", "let x = 1\n"), first);
  EXPECT_NE(parsed("b.mtf", "let x = 1\n"), first);
  EXPECT_NE(parsed("a.mtf", "let x = 2\n"), first);
  EXPECT_TRUE(found.empty());
}

TEST(ParsedScripts, SayAgainWhatIsWrong) {
  ParsedScripts scripts;
  for (int i = 0; i < 2; ++i) {
    Diagnostics found;
    scripts.parse(SourceFile::create("a.mtf", "let = 1\n"), found);
    EXPECT_TRUE(found.has_errors());
    EXPECT_THROW(scripts.parse_or_throw(SourceFile::create("a.mtf", "let = 1\n")), UserError);
  }
}

}  // namespace
}  // namespace mtf::syntax
