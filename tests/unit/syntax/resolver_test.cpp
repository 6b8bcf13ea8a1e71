// The facts about names that follow from a text alone.
#include "syntax/resolver.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/text.h"
#include "syntax/parse.h"
#include "syntax/print.h"

namespace mtf::ast {
namespace {

std::string sorted(const NameSet& names) {
  std::vector<std::string> texts;
  for (Name name : names) texts.push_back(name.str());
  std::sort(texts.begin(), texts.end());
  return mtf::join(texts, " ");
}

struct Text {
  explicit Text(const std::string& text)
      : program(syntax::parse_or_throw(SourceFile::create("test.mtf", text), syntax::ParseMode::kRepl)) {}
  const BlockFacts& top() const { return *program.body.facts; }
  const Stmt& statement(size_t i) const { return program.body.statements.at(i); }

  Program program;
};

std::string expiring(const BlockFacts& facts, size_t statement) {
  const std::vector<Name>& names = facts.expires.at(statement);
  return sorted({names.begin(), names.end()});
}

const FunctionFacts& statement_facts(const Text& text, size_t i) { return *text.statement(i).as<FnStmt>()->facts; }

TEST(Resolver, ATargetIsAPartOfItsFirstName) {
  const Text text("p := a\nnet.w := b\nxs[i].v := c\nf().w := d");
  const BlockFacts& facts = text.top();
  ASSERT_EQ(facts.targets.size(), 4u);
  std::vector<std::string> names;
  for (const Expr* target : facts.targets) names.push_back(base_name(*target).str());
  EXPECT_EQ(names, (std::vector<std::string>{"p", "net", "xs", ""}));
  EXPECT_EQ(sorted(facts.assigns), "p");
  EXPECT_EQ(sorted(facts.statement_mentions[0]), "a");
  EXPECT_EQ(sorted(facts.statement_mentions[2]), "c i xs");
}

TEST(Resolver, AStatementBindsInItsBlock) {
  const Text text(
      "let (x, (y, z)) = f(a)\ndim d = 2, e = 3\nfor i in 0..2 { let inner = i }\nfn g(q) = q\nimport nn as n");
  std::vector<std::string> binds;
  for (const Stmt& statement : text.program.body.statements) {
    std::vector<std::string> names;
    for (const Ident& ident : names_bound_by(statement)) names.push_back(ident.name.str());
    binds.push_back(mtf::join(names, " "));
  }
  EXPECT_EQ(binds, (std::vector<std::string>{"x y z", "d e", "", "g", "n"}));
}

TEST(Resolver, TheLastStatementThatReadsOrAssignsKeepsAName) {
  const Text text("let x = 1\nlet y = x\nfor i in 0..3 { no_grad { x := y } }\nlet z = 2\nfn f() { z := 3 }\nprint(1)");
  EXPECT_EQ(expiring(text.top(), 2), "i x y");
  EXPECT_EQ(expiring(text.top(), 4), "f z");
  EXPECT_EQ(sorted(text.top().captured), "z");
}

TEST(Resolver, ANameExpiresAfterTheLastStatementThatHasIt) {
  const Text text("let x = 1\nlet y = x\nif y { x := 2 }\nlet y = 3\nprint(1)");
  EXPECT_EQ(expiring(text.top(), 2), "x");
  EXPECT_EQ(expiring(text.top(), 3), "y");
  EXPECT_EQ(expiring(text.top(), 4), "print");
}

TEST(Resolver, WhatMayBeAPlaceIsAnAlias) {
  const Text text(
      "let a = net.w\nlet b = a + 1\nfor (p, g) in zip(q, r) { let c = p }\nfn f(z) { let d = z\n"
      " z := 1 }\nlet (e, h) = (a, b)\ne := 2");
  EXPECT_EQ(sorted(text.top().aliases), "a c e g h p");
  EXPECT_EQ(sorted(text.top().bound), "a b c d e f g h p z");
  ASSERT_EQ(text.top().targets.size(), 1u);
  EXPECT_EQ(syntax::print(*text.top().targets[0]), "e");
}

TEST(Resolver, AReturnReadsTheAnnotationOfItsFunction) {
  const Text text(
      "fn f(x: [.., a], a: dim, b: dim) -> [.., b] {\n  let y = x\n  print(1)\n  if c { return y }\n  print(2)\n}");
  const auto& body = std::get<Block>(text.statement(0).as<FnStmt>()->body);
  EXPECT_EQ(expiring(*body.facts, 2), ".. b c y");
}

TEST(Resolver, ABlockOfAFunctionWithoutANameIsApart) {
  const Text text("let g = fn(x) {\n  let y = h(x)\n  w := y\n  return y\n}\nprint(g)");
  const BlockFacts& facts = text.top();
  EXPECT_EQ(sorted(facts.captured), "h w");
  EXPECT_TRUE(facts.targets.empty());
  const auto& g = *text.statement(0).as<LetStmt>()->value->as<LambdaExpr>();
  const BlockFacts& body = *std::get<Block>(g.body).facts;
  EXPECT_EQ(body.targets.size(), 1u);
  EXPECT_EQ(expiring(body, 2), "y");
}

TEST(Resolver, BodiesOfFunctionsAreApart) {
  const Text text(
      "fn f(x, y = k()) { return grad(x, h(y)) }\nlet g = fn(x) = opt.step(x)\nmodel M { let l = N()\n"
      " fn call(x) = l(x) }\nq(1)(2)");
  const BlockFacts& facts = text.top();
  ASSERT_EQ(facts.calls.size(), 2u);  // q(1)(…) and q
  EXPECT_EQ(syntax::print(*facts.calls[0]), "q(1)");
  EXPECT_EQ(syntax::print(*facts.calls[1]), "q");
  EXPECT_EQ(sorted(facts.statement_mentions[0]), "grad h k");
  EXPECT_EQ(sorted(facts.captured), "N grad h k opt");
}

TEST(Resolver, PrintsWhatEachFunctionCapturesAndWhatEachBlockBindsReadsAssignsAndCalls) {
  const Text text(
      "let k = 2\nlet n = 0\nfn scaled(x, by = k) {\n  let y = x * by\n  for i in 0..y {\n    n := n + i\n  }\n"
      "  return shifted(y)\n  fn shifted(z) = z + y + k\n}\nmodel M(d: dim) {\n  param w: [d] = 0\n"
      "  fn call(x) = x * w\n}\nlet m = M(d)\nm.w := scaled(n)");
  EXPECT_EQ(text_of_facts(text.program),
            "1:program; binds M by call d i k m n scaled shifted w x y z; "
            "reads M d k m n scaled; assigns n; assigns parts w; calls M scaled\n"
            "  3:fn; captures k n\n"
            "    3:block; binds i shifted y z; reads by i k n shifted x y; assigns n; calls shifted\n"
            "      5:block; reads i n; assigns n\n"
            "      9:fn; captures k y\n"
            "  11:model\n"
            "    11:block; binds call w x; reads d w\n"
            "      13:fn; captures w\n");
}

TEST(Resolver, ANameThatIsBoundFurtherDownIsCapturedBefore) {
  const Text text("fn f() {\n  print(x)\n  let x = 1\n  return x\n}\nfn g(x) = [x for x in x]");
  EXPECT_EQ(sorted(statement_facts(text, 0).captured), "print x");
  EXPECT_EQ(sorted(statement_facts(text, 1).captured), "");
}

TEST(Resolver, ACapturedReadKnowsTheNamesThatAreBoundThere) {
  const Text text("fn f(a) {\n  let b = nn.relu(a)\n  fn g(c) { let d = c\n return other }\n  let e = b\n}");
  const FunctionFacts& f = statement_facts(text, 0);
  ASSERT_EQ(f.reads.size(), 2u);
  EXPECT_EQ(f.reads[0].part->name, Name("relu"));
  EXPECT_EQ(f.reads[1].part, nullptr);
  const std::vector<Name> before = f.bound_at(f.reads[0]), inside = f.bound_at(f.reads[1]);
  EXPECT_EQ(sorted({before.begin(), before.end()}), "a g");
  EXPECT_EQ(sorted({inside.begin(), inside.end()}), "a b c d g");
}

}  // namespace
}  // namespace mtf::ast
