// The names in the text of a block.
#include "eval/block_info.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/text.h"
#include "syntax/parse.h"
#include "syntax/print.h"

namespace mtf::eval {
namespace {

std::string sorted(const NameSet& names) {
  std::vector<std::string> texts;
  for (Name name : names) texts.push_back(name.str());
  std::sort(texts.begin(), texts.end());
  return mtf::join(texts, " ");
}

struct Infos {
  explicit Infos(const std::string& text)
      : program(parse_or_throw(SourceFile::create("test.mtf", text), syntax::ParseMode::kRepl)) {}
  const BlockInfo& top() { return infos.of(program.body); }
  const ast::Stmt& statement(size_t i) const { return program.body.statements.at(i); }

  ast::Program program;
  BlockInfos infos;
};

std::string expiring(const BlockInfo& info, size_t statement) {
  const std::vector<Name>& names = info.expires.at(statement);
  return sorted({names.begin(), names.end()});
}

TEST(BlockInfo, ATargetIsAPartOfItsFirstName) {
  Infos infos("p := a\nnet.w := b\nxs[i].v := c\nf().w := d");
  const BlockInfo& info = infos.top();
  ASSERT_EQ(info.targets.size(), 4u);
  std::vector<std::string> names;
  for (const ast::Expr* target : info.targets) names.push_back(base_name(*target).str());
  EXPECT_EQ(names, (std::vector<std::string>{"p", "net", "xs", ""}));
  EXPECT_EQ(sorted(info.assigns), "p");
  EXPECT_EQ(sorted(info.statement_mentions[0]), "a");
  EXPECT_EQ(sorted(info.statement_mentions[2]), "c i xs");
}

TEST(BlockInfo, AStatementBindsInItsBlock) {
  Infos infos("let (x, (y, z)) = f(a)\ndim d = 2, e = 3\nfor i in 0..2 { let inner = i }\nfn g(q) = q\nimport nn as n");
  std::vector<std::string> binds;
  for (const ast::Stmt& statement : infos.program.body.statements) {
    std::vector<std::string> names;
    for (const ast::Ident& ident : ast::names_bound_by(statement)) names.push_back(ident.name.str());
    binds.push_back(mtf::join(names, " "));
  }
  EXPECT_EQ(binds, (std::vector<std::string>{"x y z", "d e", "", "g", "n"}));
}

TEST(BlockInfo, TheLastStatementThatReadsOrAssignsKeepsAName) {
  Infos infos("let x = 1\nlet y = x\nfor i in 0..3 { no_grad { x := y } }\nlet z = 2\nfn f() { z := 3 }\nprint(1)");
  EXPECT_EQ(expiring(infos.top(), 2), "i x y");
  EXPECT_EQ(expiring(infos.top(), 4), "f z");
  EXPECT_EQ(sorted(infos.top().captured), "z");
}

TEST(BlockInfo, ANameExpiresAfterTheLastStatementThatHasIt) {
  Infos infos("let x = 1\nlet y = x\nif y { x := 2 }\nlet y = 3\nprint(1)");
  EXPECT_EQ(expiring(infos.top(), 2), "x");
  EXPECT_EQ(expiring(infos.top(), 3), "y");
  EXPECT_EQ(expiring(infos.top(), 4), "print");
}

TEST(BlockInfo, WhatMayBeAPlaceIsAnAlias) {
  Infos infos(
      "let a = net.w\nlet b = a + 1\nfor (p, g) in zip(q, r) { let c = p }\nfn f(z) { let d = z\n"
      " z := 1 }\nlet (e, h) = (a, b)\ne := 2");
  EXPECT_EQ(sorted(infos.top().aliases), "a c e g h p");
  EXPECT_EQ(sorted(infos.top().bound), "a b c d e f g h p z");
  ASSERT_EQ(infos.top().targets.size(), 1u);
  EXPECT_EQ(syntax::print(*infos.top().targets[0]), "e");
}

TEST(BlockInfo, AReturnReadsTheAnnotationOfItsFunction) {
  Infos infos(
      "fn f(x: [.., a], a: dim, b: dim) -> [.., b] {\n  let y = x\n  print(1)\n  if c { return y }\n  print(2)\n}");
  infos.top();
  const auto& body = std::get<ast::Block>(infos.statement(0).as<ast::FnStmt>()->body);
  EXPECT_EQ(expiring(infos.infos.of(body), 2), ".. b c y");
}

TEST(BlockInfo, ABlockOfAFunctionWithoutANameIsApart) {
  Infos infos("let g = fn(x) {\n  let y = h(x)\n  w := y\n  return y\n}\nprint(g)");
  const BlockInfo& info = infos.top();
  EXPECT_EQ(sorted(info.captured), "h w");
  EXPECT_TRUE(info.targets.empty());
  const auto& g = *infos.statement(0).as<ast::LetStmt>()->value->as<ast::LambdaExpr>();
  const BlockInfo& body = infos.infos.of(std::get<ast::Block>(g.body));
  EXPECT_EQ(body.targets.size(), 1u);
  EXPECT_EQ(expiring(body, 2), "y");
}

TEST(BlockInfo, BodiesOfFunctionsAreApart) {
  Infos infos(
      "fn f(x, y = k()) { return grad(x, h(y)) }\nlet g = fn(x) = opt.step(x)\nmodel M { let l = N()\n"
      " fn call(x) = l(x) }\nq(1)(2)");
  const BlockInfo& info = infos.top();
  ASSERT_EQ(info.calls.size(), 2u);  // q(1)(…) and q
  EXPECT_EQ(syntax::print(*info.calls[0]), "q(1)");
  EXPECT_EQ(syntax::print(*info.calls[1]), "q");
  EXPECT_EQ(sorted(info.statement_mentions[0]), "grad h k x y");
  EXPECT_EQ(sorted(info.captured), "N grad h k opt");
}

}  // namespace
}  // namespace mtf::eval
