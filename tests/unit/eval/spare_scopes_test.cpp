// The scopes of blocks and calls that are reused.
#include "eval/spare_scopes.h"

#include <gtest/gtest.h>

namespace mtf::eval {
namespace {

struct Scopes {
  /// Makes the scope of a block that binds `x`, passes it to `held`, and ends it.
  template <typename Held>
  const Scope* ended(const Held& held) {
    const OwnScope scope(spare, top, 0, 0);
    scope->bind("x", make_list({int64_t{1}}), {});
    held(scope);
    return &*scope;
  }
  bool is_used_again(const Scope* scope) {
    const OwnScope next(spare, top, 0, 0);
    return &*next == scope;
  }

  Undo undo;
  SpareScopes spare{undo};
  ScopePtr top = std::make_shared<Scope>(nullptr, 0, 0);
};

TEST(SpareScopes, OneThatNobodyHoldsIsUsedAgain) {
  Scopes scopes;
  EXPECT_TRUE(scopes.is_used_again(scopes.ended([](const ScopePtr&) {})));
}

TEST(SpareScopes, OneThatSomebodyHoldsIsLeftToHim) {
  Scopes scopes;
  ScopePtr holder;
  EXPECT_FALSE(scopes.is_used_again(scopes.ended([&](const ScopePtr& scope) { holder = scope; })));
  EXPECT_NE(holder->find_own("x"), nullptr);
}

TEST(SpareScopes, OneThatAFunctionSeesIsNotUsedAgain) {
  Scopes scopes;
  scopes.ended([](const ScopePtr& scope) { scope->capture(); });
  EXPECT_TRUE(scopes.top->captured);
  const OwnScope next(scopes.spare, scopes.top, 0, 0);
  EXPECT_FALSE(next->captured);
}

TEST(SpareScopes, OneThatOnlyItsOwnFunctionsSeeLosesItsNames) {
  ListPtr list = std::make_shared<List>();
  std::weak_ptr<Function> left;
  std::vector<FunctionPtr> outside;
  for (const bool leaves : {false, true}) {
    Scopes scopes;
    scopes.ended([&](const ScopePtr& scope) {
      scope->bind("list", list, {});
      const auto function = std::make_shared<Function>();
      function->scope = scope;
      scope->capture();
      scope->declare("f", function, {});
      scope->bind("g", function, {});
      if (leaves) outside.push_back(function);
      left = function;
    });
    EXPECT_EQ(left.expired(), !leaves);
    EXPECT_EQ(list.use_count(), leaves ? 2 : 1);
    scopes.top->release();
  }
  EXPECT_EQ(list.use_count(), 1);
}

TEST(SpareScopes, OneWhoseChangesAreWrittenDownIsNotUsedAgain) {
  Scopes scopes;
  UndoLog log;
  const auto written = scopes.undo.into(log);
  scopes.ended([&](const ScopePtr& scope) { scope->note(*scope->find_own("x"), scopes.undo); });
  const OwnScope next(scopes.spare, scopes.top, 0, 0);
  next->bind("y", int64_t{2}, {});
  log.take_back();  // the log is empty now
  ASSERT_EQ(next->bindings.size(), 1u);
  EXPECT_EQ(next->bindings[0].name, Name("y"));
}

TEST(SpareScopes, AScopeUsedAgainIsAsANewOne) {
  Scopes scopes;
  ListPtr list = std::make_shared<List>();
  const Scope* const ended = scopes.ended([&](const ScopePtr& scope) {
    scope->bind("y", list, {});
    scope->named = std::make_shared<const Named>();
  });
  EXPECT_EQ(list.use_count(), 1);
  EXPECT_EQ(scopes.top.use_count(), 1);
  const int64_t node = graph::new_node_id();
  const OwnScope inner(scopes.spare, scopes.top, 0, 3);
  ASSERT_EQ(&*inner, ended);
  EXPECT_TRUE(inner->bindings.empty());
  EXPECT_EQ(inner->named, nullptr);
  EXPECT_EQ(inner->parent, scopes.top);
  EXPECT_EQ(inner->outermost, scopes.top.get());
  EXPECT_EQ(inner->uncertain, 3);
  EXPECT_GE(inner->number, node);
  EXPECT_LT(inner->number, graph::new_node_id());
}

}  // namespace
}  // namespace mtf::eval
