// What the text of a block says about names.
#include "eval/block_info.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "support/text.h"
#include "syntax/parse.h"
#include "syntax/print.h"

namespace mtf {
namespace {

std::string sorted(const NameSet& names) {
  std::vector<std::string> texts;
  for (Name name : names) texts.push_back(name.str());
  std::sort(texts.begin(), texts.end());
  return join(texts, " ");
}

struct Infos {
  explicit Infos(const std::string& text) : program(parse_or_throw(SourceFile::create("test.mtf", text), ParseMode::kRepl)) {}
  const BlockInfo& top() { return infos.of(program.body); }
  const ast::Stmt& statement(size_t i) const { return program.body.statements.at(i); }

  ast::Program program;
  BlockInfos infos;
};

TEST(BlockInfo, AnAssignmentHasTheFirstNameOfItsTarget) {
  Infos infos("p := a\nnet.w := b\nxs[i].v := c\nf().w := d");
  const auto& statements = infos.top().statements;
  EXPECT_EQ(sorted(statements[0].own.assigns), "p");
  EXPECT_EQ(sorted(statements[0].own.reads), "a");
  EXPECT_EQ(sorted(statements[1].own.assigns), "net");
  EXPECT_EQ(sorted(statements[1].own.reads), "b net");
  EXPECT_EQ(sorted(statements[2].own.assigns), "xs");
  EXPECT_EQ(sorted(statements[2].own.reads), "c i xs");
  EXPECT_EQ(sorted(statements[3].own.assigns), "");
  EXPECT_TRUE(statements[3].own.assigns_unnamed);
  EXPECT_EQ(sorted(infos.top().own.assigns), "net p xs");
}

TEST(BlockInfo, AStatementBindsInItsBlock) {
  Infos infos("let (x, (y, z)) = f(a)\ndim d = 2, e = 3\nfor i in 0..2 { let inner = i }\nfn g(q) = q\nimport nn as n");
  std::vector<std::string> binds;
  for (const StatementInfo& statement : infos.top().statements) binds.push_back(sorted(statement.binds));
  EXPECT_EQ(binds, (std::vector<std::string>{"x y z", "d e", "", "g", "n"}));
}

TEST(BlockInfo, TheLastUseReadsOrAssigns) {
  Infos infos("let x = 1\nlet y = x\nfor i in 0..3 { no_grad { x := y } }\nlet z = 2\nfn f() { z := 3 }\nprint(1)");
  const auto& last = infos.top().last_use;
  EXPECT_EQ(last.at("x"), 2u);
  EXPECT_EQ(last.at("y"), 2u);
  EXPECT_EQ(last.at("z"), 4u);
  EXPECT_EQ(sorted(infos.top().captured), "z");
}

TEST(BlockInfo, ANameExpiresAfterTheLastStatementThatHasIt) {
  Infos infos("let x = 1\nlet y = x\nif y { x := 2 }\nlet y = 3\nprint(1)");
  const auto& expires = infos.top().expires;
  EXPECT_EQ(sorted({expires[2].begin(), expires[2].end()}), "x");
  EXPECT_EQ(sorted({expires[3].begin(), expires[3].end()}), "y");
  EXPECT_EQ(sorted({expires[4].begin(), expires[4].end()}), "print");
}

TEST(BlockInfo, WhatMayBeAPlaceIsAnAlias) {
  Infos infos("let a = net.w\nlet b = a + 1\nfor (p, g) in zip(q, r) { let c = p }\nfn f(z) { let d = z\n z := 1 }\nlet (e, h) = (a, b)\ne := 2");
  EXPECT_EQ(sorted(infos.top().aliases), "a c e g h p");
  EXPECT_EQ(sorted(infos.top().bound), "a b c d e f g h p z");
  ASSERT_EQ(infos.top().targets.size(), 1u);
  EXPECT_EQ(print(*infos.top().targets[0]), "e");
}

TEST(BlockInfo, AReturnReadsTheAnnotationOfItsFunction) {
  Infos infos("fn f(x: [.., a], a: dim, b: dim) -> [.., b] {\n  let y = x\n  print(1)\n  if c { return y }\n  print(2)\n}");
  infos.top();
  const auto& body = std::get<ast::Block>(infos.statement(0).as<ast::FnStmt>()->body);
  const auto& last = infos.infos.of(body).last_use;
  EXPECT_EQ(last.at("b"), 2u);
  EXPECT_EQ(last.at(".."), 2u);
  EXPECT_EQ(last.at("y"), 2u);
}

TEST(BlockInfo, BodiesOfFunctionsAreApart) {
  Infos infos("fn f(x, y = k()) { return grad(x, h(y)) }\nlet g = fn(x) = opt.step(x)\nmodel M { let l = N()\n fn call(x) = l(x) }\nq(1)(2)");
  const auto& top = infos.top();
  EXPECT_EQ(top.own.functions.size(), 3u);
  EXPECT_FALSE(top.own.mentions_grad);
  EXPECT_TRUE(top.mentions_grad);
  EXPECT_TRUE(top.statements[0].mentions_grad);
  EXPECT_FALSE(top.statements[1].mentions_grad);
  EXPECT_EQ(top.own.callees.size(), 2u);  // q(1)(…) and q
  EXPECT_TRUE(top.own.callees[0]->as<ast::CallExpr>());

  const auto callees = [&](size_t function) {
    std::vector<std::string> texts;
    for (const ast::Expr* callee : infos.infos.of(top.own.functions[function]).callees) texts.push_back(print(*callee));
    return join(texts, " ");
  };
  EXPECT_EQ(callees(0), "k grad h");
  EXPECT_TRUE(infos.infos.of(top.own.functions[0]).mentions_grad);
  EXPECT_EQ(callees(1), "opt.step");
  EXPECT_EQ(callees(2), "N");
  EXPECT_EQ(infos.infos.of(top.own.functions[2]).functions.size(), 1u);
}

}  // namespace
}  // namespace mtf
