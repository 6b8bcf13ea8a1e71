// Another machine behind the interface, as the first version of a device's runtime. It computes nothing, and logs its
// requests.
#include "plan/runtime.h"

#include <gtest/gtest.h>

#include <sstream>

#include "../../places.h"
#include "library/library.h"
#include "plan/plan.h"
#include "session/session.h"
#include "support/diagnostics.h"

namespace mtf::eval {
namespace {

using Log = std::vector<std::string>;

/// A runtime of one rank. Every number that it returns is 0.
class LoggingRuntime final : public plan::Runtime {
 public:
  LoggingRuntime(Log& log, bool knows_numbers = true) : log_(log), knows_numbers_(knows_numbers) {}

  int rank() const override { return 0; }
  int ranks() const override { return 1; }
  bool knows_numbers() const override { return knows_numbers_; }
  std::unique_ptr<plan::Runtime> planner(bool) const override {
    log_.emplace_back("planner");
    return std::make_unique<LoggingRuntime>(log_, false);
  }

  void heed(Interrupt) override {}
  void added(graph::Node&) override { ++nodes; }
  void meet(const graph::Capture& capture, const plan::ProgramForm&, Span) override {
    log_.push_back("meet for " + std::to_string(capture.program.operations.size()) + " operations");
  }
  std::vector<std::shared_ptr<plan::Tensor>> run(const std::shared_ptr<const plan::Plan>& plan,
                                                 const plan::PlanInputs& inputs, Span) override {
    const spmd::LocalProgram& program = plan->schedule->program;
    log_.push_back("run plan " + std::to_string(plan->number) + " of " + std::to_string(inputs.values.size()) +
                   " inputs");
    std::vector<std::shared_ptr<plan::Tensor>> outputs;
    for (const std::vector<int>& output : program.outputs) {
      const spmd::LocalValue& value = program.values[output[0]];
      outputs.push_back(std::make_shared<plan::Tensor>(
          plan::Tensor{value.type(), value.mesh, value.sharding(), value.order, nullptr, {}}));
      log_.push_back("  gives " + value.name + ": " + to_string(value.type(), value.sharding(), *value.mesh));
    }
    return outputs;
  }
  const plan::Counters& counted(const plan::Plan& plan) const override { return plan.predicted; }
  int64_t peak_bytes() const override { return 0; }
  void restart_peak() override {}

  std::shared_ptr<plan::Tensor> place(graph::Node& node, const plan::HostView&) override {
    return placed("place ", node);
  }
  std::shared_ptr<plan::Tensor> place_own(graph::Node& node, const plan::HostView&) override {
    return placed("place own ", node);
  }
  Interval own_rows(const graph::Node& node) const override { return {0, node.operation->results[0].dims[0].size}; }
  Loaded load(graph::Node& node, const io::PositionedFile&, uint64_t) override { return {placed("load ", node)}; }
  plan::HostTensor fetch(const graph::Value& value) override {
    log_.push_back("fetch " + to_string(value.type()));
    return {value.type(),
            std::vector<std::byte>(static_cast<size_t>(size_of(value.dims()) * size_of(value.element())))};
  }
  uint64_t store(const graph::Value& value, const io::PositionedFile&, uint64_t) override {
    log_.push_back("store " + to_string(value.type()));
    return 0;
  }

  std::vector<uint64_t> added_up(std::vector<uint64_t> numbers, Span) override { return numbers; }
  std::string first_of(const std::string& text, Span) override { return text; }
  std::string broadcast(const std::string& bytes, Span) override { return bytes; }
  void finish() override { log_.emplace_back("finish"); }
  [[noreturn]] void abort(const std::string& message, int) override { throw std::runtime_error(message); }

  int64_t nodes = 0;

 private:
  std::shared_ptr<plan::Tensor> placed(const std::string& how, const graph::Node& node) {
    const graph::LaidOutOperation& operation = *node.operation;
    log_.push_back(how + to_string(operation.results[0], operation.shardings[0], *operation.mesh));
    return std::make_shared<plan::Tensor>(plan::Tensor{operation.results[0],
                                                       operation.mesh,
                                                       operation.shardings[0],
                                                       plan::as_written(operation.results[0].dims.size()),
                                                       nullptr,
                                                       {}});
  }

  Log& log_;
  const bool knows_numbers_;
};

const std::string kExample =
    "import data\nmesh line = [p: 2]\nlayout split = {batch -> p}\nuse line\nuse split\n"
    "dim batch = 2, length = 4\n"
    "let w = random.normal([length])\n"
    "let text = data.text(\"" +
    source_folder() +
    "/tests/unit/library/letters.txt\")\n"
    "for (x, y) in text.batches(batch, length) { print(sum(x * w - y)) }\n";

Settings with_library() {
  Settings settings;
  settings.library = &library::host_library();
  return settings;
}

class AnotherRuntime : public testing::Test {
 protected:
  Log log;
  LoggingRuntime runtime{log};
  plan::Execution execution{runtime};
  std::ostringstream out;
  session::Session session{with_library(), &execution, out};
};

TEST_F(AnotherRuntime, IsAskedForPlansPlacesAndNumbers) {
  session.run_text("example.mtf", kExample);
  runtime.finish();
  const Log batch = {"place i32[batch=2/p, length=4]", "place i32[batch=2/p, length=4]"};
  Log expected = batch;
  expected.insert(expected.end(), {"meet for 6 operations", "run plan 1 of 2 inputs", "  gives w: f32[length=4]",
                                   "  gives value.5: f32[]", "fetch f32[]"});
  expected.insert(expected.end(), batch.begin(), batch.end());
  expected.insert(expected.end(), {"meet for 5 operations", "run plan 2 of 3 inputs", "  gives value.5: f32[]",
                                   "fetch f32[]", "finish"});
  EXPECT_EQ(log, expected);
  EXPECT_EQ(out.str(), "0\n0\n");
  EXPECT_GT(runtime.nodes, 5);
  EXPECT_EQ(execution.counters().total(spmd::CollectiveKind::kAllReduce).count, 2);
}

TEST_F(AnotherRuntime, CanBePlannedFor) {
  session.execute(kExample);
  log.clear();
  const session::Planned planned = session.plan("let z = sum(einsum(range(batch), w -> [batch, length]) -> [length])");
  EXPECT_EQ(log, (Log{"planner", "meet for 4 operations", "run plan 1 of 1 inputs", "  gives z.2: f32[batch=2/p]",
                      "  gives z: f32[length=4]"}));
  ASSERT_EQ(planned.statements.size(), 1u);
  EXPECT_EQ(planned.statements[0].counters.total(spmd::CollectiveKind::kAllReduce).values, 4);
}

}  // namespace
}  // namespace mtf::eval
