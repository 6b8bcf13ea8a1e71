#include "syntax/walk.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "snippets.h"
#include "syntax/parse.h"

namespace mtf::syntax {
namespace {

/// Records a walk: names as they are, labels with `:`, bindings with `=`, scopes as braces.
class Events : public ast::Walk {
 public:
  std::string text;

 protected:
  void name(Name name, Span) override { text += name.str() + " "; }
  void rest(Span) override { text += ".. "; }
  void label(const ast::Ident& label) override { text += label.name.str() + ": "; }
  void bind(const ast::Ident& ident) override { text += ident.name.str() + "= "; }
  void open_scope() override { text += "{ "; }
  void close_scope() override { text += "} "; }
};

std::string events(const std::string& text) {
  const ast::Program program = parse_or_throw(SourceFile::create("test.mtf", text), ParseMode::kRepl);
  Events walk;
  for (const ast::Stmt& stmt : program.body.statements) walk.statement(stmt);
  while (walk.text.ends_with(' ')) walk.text.pop_back();
  return walk.text;
}

TEST(Walk, FollowsTheOrderOfEvaluation) {
  EXPECT_EQ(events("let (x, y) = f(a, over: b, c -> [.., d])"), "f a over: b c .. d x= y=");
  EXPECT_EQ(events("net.w := p"), "p net");
  EXPECT_EQ(events("let x = y[d: 0..n] @ {e -> rows}"), "y d n e x=");
  EXPECT_EQ(events("let l = [x + y for x in xs]"), "xs { x= x y } l=");
  EXPECT_EQ(events("for (p, g) in zip(a, b) { no_grad { p := g } }"), "zip a b { p= g= { { g p } } }");
  EXPECT_EQ(events("dim a = n, b = a\nmesh m = [rows: k]\nlayout l = {a -> rows}\nuse m"), "n a= a b= k m= l= m");
  EXPECT_EQ(events("while c { if a { f() } else if b { g() } else { h() } }"), "c { a { f } b { g } { h } }");
  EXPECT_EQ(events("assert c, \"{m:.2f}\"\nseed s\noption o = v\nimport nn as n, \"a/b.mtf\""), "c m s v o= n= b=");
  EXPECT_EQ(events("let c = counters { let y = x }"), "{ x y= } c=");
  EXPECT_EQ(events("setting t = s\nwith m.t = v { with layout l { f() } }"), "s t= m v { l { f } }");
  EXPECT_EQ(events("let y: [a] = if c { p } else { q }"), "a c p q y=");
}

TEST(Walk, FunctionsAndModelsAreScopesOfTheirParameters) {
  EXPECT_EQ(events("fn f(x: [.., a], y = b) -> [c] { return g(x)\n fn g(z) = z }"),
            "f= { x= y= .. a b c { g= g x g= { z= z } } }");
  EXPECT_EQ(events("let f = fn(x) -> [..] = x ^ y"), "{ x= .. x y } f=");
  EXPECT_EQ(events("let f = fn(x = a) {\n let z = x\n return g(z)\n fn g(y) = y }"),
            "{ x= a { g= x z= g z g= { y= y } } } f=");
  EXPECT_EQ(events("model M(a: dim) { param w: [a] @ l = 0; state m: like w = v }"), "M= { a= { a l w= w v m= } }");
}

TEST(Walk, OfATwinLooksUpTheDim) {
  EXPECT_EQ(events("let y = rename(x, n -> n', n' -> n'') @ {n' -> rows, m'' -> cols}"), "rename x n n n n n m y=");
  EXPECT_EQ(events("let y = x[n': 0, n''][m': ..n']"), "x n n m n y=");
  EXPECT_EQ(events("let y = slice(x, n': (0, 1)) + f(x, over: [n', n''])"), "slice x n: f x over: n n y=");
  EXPECT_EQ(events("layout l = {n' -> rows}"), "l=");
  EXPECT_EQ(events("fn f(x: [n, n']) -> [n''] = x"), "f= { x= n n n x }");
}

TEST(Walk, GoesOverEverySnippet) {
  std::size_t names = 0;
  for (const std::string& text : test::snippets()) {
    const ast::Program program = parse_or_throw(SourceFile::create("snippet.mtf", text));
    Events walk;
    walk.block(program.body);
    names += walk.text.size();
    EXPECT_EQ(std::count(walk.text.begin(), walk.text.end(), '{'), std::count(walk.text.begin(), walk.text.end(), '}'));
  }
  EXPECT_GT(names, 1000u);
}

}  // namespace
}  // namespace mtf::syntax
