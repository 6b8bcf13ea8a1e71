#include <chrono>

#include "programs.h"

namespace mtf::run {
namespace plans_test {

const Dim batch{"batch", 8}, io{"io", 33};

/// `x := x * factor + 1`, as the evaluator makes the operation for a variable.
graph::Value step(Script& b, graph::Value x, double factor) {
  return b.assigned(b.map(ops::kAdd, b.map(ops::kMul, x, factor), 1.0), {x.sharding()});
}

TEST(Plans, AreKeptForAChangingNumber) {
  Script b(execution(), "p:4", "batch:p");
  graph::Value x = b.input({batch, io});
  std::vector<double> first = numbers(execution().fetch(x));
  for (int iteration = 1; iteration <= 3; ++iteration) {
    graph::Value y = b.map(ops::kMul, x, iteration + 0.5);
    std::vector<double> now = numbers(execution().fetch(y));
    for (size_t i = 0; i < now.size(); ++i) ASSERT_EQ(now[i], first[i] * (iteration + 0.5));
  }
}

TEST(Plans, AHistoryOfAMillionNodesGoesAway) {
  graph::Values history{graph::Value{std::make_shared<graph::Node>()}};
  for (int iteration = 0; iteration < 1000000; ++iteration) {
    auto next = std::make_shared<graph::Node>();
    next->set_operands({history[0], history[0]});
    history[0] = graph::Value{std::move(next)};
  }
  std::weak_ptr<graph::Node> last = history[0].node;
  history.clear();
  EXPECT_TRUE(last.expired());
}

TEST(Plans, AnAssignedVariableIsUpdatedInSlot) {
  Script b(execution(), "p:4", "batch:p");
  static auto file = SourceFile::create("x.mtf", "x := x + 1");
  b.span = Span{file.get(), 0, 1};
  auto cut = [&] {
    execution().materialize(
        *b.table, {}, [] { return false; }, b.span);
  };
  graph::Handle x = step(b, b.input({batch, io}), 1);
  cut();
  auto slot = [&] { return x.value().computed()->blocks[0]; };
  const void* first = slot();
  for (int iteration = 0; iteration < 3; ++iteration) {
    x = step(b, x.value(), 2);
    cut();
    EXPECT_EQ(slot(), first);
  }
  const graph::Handle old = x;
  x = step(b, x.value(), 2);
  cut();
  EXPECT_NE(slot(), first) << "somebody holds the old value";
}

TEST(Plans, AValueThatANameHoldsIsNotOverwritten) {
  Script b(execution(), "p:4", "batch:p");
  graph::Value x = b.input({batch, io});
  std::vector<double> before = numbers(execution().fetch(x));
  execution().compute({step(b, x, 2)});
  EXPECT_EQ(numbers(execution().fetch(x)), before);
}

TEST(Plans, FusedAndSingleLoopsHaveTheSameBits) {
  static ExecutionOn<MpiRuntime> single({.threads = 1, .use_mpi = under_mpi()}, {.skipped_passes = {"fuse_loops"}});
  Written program = [](Script& b) {
    graph::Value x = b.input({batch, io}), y = b.input({io});
    graph::Value t = b.map(ops::kTanh, b.map(ops::kMul, b.map(ops::kAdd, x, y), 0.3));
    return b.map(ops::kAdd, b.map(ops::kExp, t), b.map(ops::kDiv, t, b.map(ops::kAdd, b.map(ops::kSquare, y), 1.0)));
  };
  EXPECT_EQ(numbers(result_of(execution(), program, "p:4", "batch:p")),
            numbers(result_of(single, program, "p:4", "batch:p")));
}

TEST(Plans, LaunchOfAKeptPlanIsQuick) {
  Script b(execution(), "p:4", "");
  graph::Value x = b.input({{"n", 16}});
  auto chain = [&](int length, double number) {
    graph::Value y = x;
    for (int i = 0; i < length; ++i) y = b.einsum({b.map(ops::kMul, y, number), x}, {{"n", 16}});
    return y;
  };
  for (int length : {1, 20}) {
    execution().compute({chain(length, 0)});
    double best = 1e9;
    for (int iteration = 1; iteration <= 20; ++iteration) {
      graph::Value y = chain(length, 1.0 / iteration);
      auto start = std::chrono::steady_clock::now();
      execution().compute({y});
      best =
          std::min(best, std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count());
    }
    RecordProperty("microseconds_for_" + std::to_string(2 * length) + "_instructions", std::to_string(best));
    std::printf("%d instructions: %.1f us\n", 2 * length, best);
  }
}

}  // namespace plans_test
}  // namespace mtf::run
