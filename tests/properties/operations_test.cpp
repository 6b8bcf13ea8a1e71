// Properties of every operation in the registry, tested on the examples and samples of its record.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>

#include "../execution_on.h"
#include "compare.h"
#include "graph/op.h"
#include "ops/ops.h"
#include "ops/registry.h"
#include "plan/plan.h"
#include "samples.h"
#include "session/session.h"
#include "whole_run.h"

namespace mtf::properties {
namespace {

constexpr Sizes kSmall = {3, 4, 2, 2};
const std::vector<std::string> kMeshes = {"p:1", "p:2", "p:3", "p:4", "r:2;c:2", "r:2;c:3"};

class EveryOperation : public testing::TestWithParam<const graph::Op*> {
 protected:
  const graph::Op& op() const { return *GetParam(); }
};

// ---- Examples -------------------------------------------------------------------------------------------------------

std::string expected_output(std::string_view script) {
  std::istringstream lines{std::string(script)};
  std::string text;
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("#>")) text += line.substr(line.size() > 2 && line[2] == ' ' ? 3 : 2) + "\n";
  return text;
}

TEST_P(EveryOperation, ExamplePrintsWhatItSays) {
  if (op().example.empty()) GTEST_SKIP() << "scripts cannot call it";
  const std::string script(op().example);
  for (const std::string mesh : {"", "p:1", "p:3"}) {
    eval::Settings settings = settings_at({""});  // the layout is the script's
    if (!mesh.empty()) settings.mesh = parse_axes(mesh);
    const Diagnostics found = session::Session::check_text("example.mtf", script, settings);
    ASSERT_FALSE(found.has_errors()) << found.render();
    std::ostringstream out;
    session::Session(settings, &execution(), out).run_text("example.mtf", script);
    EXPECT_EQ(out.str(), expected_output(script)) << script;
  }
}

// ---- Layouts --------------------------------------------------------------------------------------------------------

void expect_same(const Script& script, const Where& where, const Outcome& expected, const Outcome& found,
                 const std::vector<Tolerance>& tolerances) {
  for (size_t i = 0; i < script.results.size(); ++i) {
    const std::string how = tensor_difference(expected.results[i], found.results[i], tolerances[i]);
    EXPECT_TRUE(how.empty()) << script.results[i] << how << "\n" << to_string(where) << "\n" << script.text();
  }
}

struct Whole {
  Outcome outcome;
  std::vector<Tolerance> tolerances;
};

/// Runs the script on one processor, and compares it with the reference; returns nothing if it is refused with these
/// sizes.
std::optional<Whole> whole_run(const Script& script) {
  Whole whole;
  try {
    whole.tolerances = tolerances_of(script);
    whole.outcome = run(execution(), script, {});
    expect_same(script, {}, run(reference_execution(), script, {}), whole.outcome, whole.tolerances);
  } catch (const UserError&) { return std::nullopt; }
  return whole;
}

/// The split run must give the same as the run on one processor, and count the predicted numbers.
void expect_layout_changes_nothing(const Script& script, const Whole& whole, const std::vector<std::string>& meshes,
                                   size_t most_layouts, plan::Execution& execution = properties::execution(),
                                   plan::Execution& dry_execution = properties::dry_execution()) {
  const std::vector<std::string> dims = dims_of(script);
  for (const std::string& mesh : meshes) {
    const std::vector<std::string> layouts = layouts_of(dims, mesh);
    const size_t step = (layouts.size() + most_layouts - 1) / most_layouts;
    for (size_t i = 0; i < layouts.size(); i += step) {
      const Where where{mesh, layouts[i]};
      SCOPED_TRACE(to_string(where));
      Outcome predicted;
      try {
        predicted = run(dry_execution, script, where);
      } catch (const UserError& error) {
        ASSERT_EQ(error.diagnostic().kind(), Kind::axis_used_twice) << error.what() << script.text();
        continue;
      }
      const Outcome found = run(execution, script, where);
      expect_same(script, where, whole.outcome, found, whole.tolerances);
      const std::string counts = counter_difference(predicted.counters, found.counters);
      EXPECT_TRUE(counts.empty()) << counts << to_string(where) << "\n" << script.text();
      if (testing::Test::HasFailure()) return;
    }
  }
}

constexpr size_t kAll = 1 << 20;

TEST_P(EveryOperation, SplitIsWholeUnderEveryLayout) {
  for (const Sample& sample : samples_of(op())) {
    SCOPED_TRACE(sample.line);
    const Script script = sample.script(kUneven);
    const std::optional<Whole> whole = whole_run(script);
    ASSERT_TRUE(whole) << script.text();
    expect_layout_changes_nothing(script, *whole, kMeshes, kAll);
  }
}

TEST_P(EveryOperation, SplitIsWholeOfDimsThatDivide) {
  for (const Sample& sample : samples_of(op())) {
    SCOPED_TRACE(sample.line);
    Script script = sample.script(kEven);
    add_gradient(script, sample);
    const std::optional<Whole> whole = whole_run(script);
    ASSERT_TRUE(whole) << script.text();
    expect_layout_changes_nothing(script, *whole, {"p:2", "r:2;c:3"}, 36);
  }
}

TEST_P(EveryOperation, SplitIsWholeOfDimsOfOneSize) {
  for (const Sample& sample : samples_of(op())) {
    SCOPED_TRACE(sample.line);
    Script script = sample.script(kEqual);
    add_gradient(script, sample);
    const std::optional<Whole> whole = whole_run(script);
    ASSERT_TRUE(whole) << script.text();
    expect_layout_changes_nothing(script, *whole, {"p:3", "r:2;c:2"}, 36);
  }
}

TEST_P(EveryOperation, GradientSplitIsWhole) {
  for (const Sample& sample : samples_of(op())) {
    SCOPED_TRACE(sample.line);
    Script script = sample.script(kUneven);
    if (!add_gradient(script, sample)) continue;
    const std::optional<Whole> whole = whole_run(script);
    ASSERT_TRUE(whole) << script.text();
    expect_layout_changes_nothing(script, *whole, kMeshes, 36);
  }
}

TEST_P(EveryOperation, SplitIsWholeOfMisalignedSizes) {
  for (const Sample& sample : samples_of(op())) {
    SCOPED_TRACE(sample.line);
    int ran = 0;
    for (const Sizes& sizes : kMisaligned) {
      const Script script = sample.script(sizes);
      const std::optional<Whole> whole = whole_run(script);
      if (!whole) continue;  // it needs more elements than there are
      ++ran;
      expect_layout_changes_nothing(script, *whole, {"p:2", "p:3", "r:2;c:2"}, 9);
    }
    EXPECT_GT(ran, 0);
  }
}

TEST_P(EveryOperation, FusionChangesNoBit) {
  for (const Sample& sample : samples_of(op())) {
    SCOPED_TRACE(sample.line);
    Script script = sample.script(kUneven);
    add_gradient(script, sample);
    const std::optional<Whole> whole = whole_run(script);
    ASSERT_TRUE(whole) << script.text();
    for (const std::string mesh : {"p:1", "p:3", "r:2;c:2"}) {
      const std::vector<std::string> layouts = layouts_of(dims_of(script), mesh);
      for (size_t i = 0; i < layouts.size(); i += 1 + layouts.size() / 8) {
        const Where where{mesh, layouts[i]};
        if (is_illegal(script, where)) continue;
        const Outcome fused = run(execution(), script, where), single = run(single_execution(), script, where);
        expect_same(script, where, fused, single, whole->tolerances);
        const std::string counts = counter_difference(fused.counters, single.counters, false);
        EXPECT_TRUE(counts.empty()) << counts << to_string(where) << "\n" << script.text();
      }
    }
  }
}

TEST_P(EveryOperation, CutsChangeNoBit) {
  for (const Sample& sample : samples_of(op())) {
    SCOPED_TRACE(sample.line);
    Script script = sample.script(kUneven);
    add_gradient(script, sample);
    const std::optional<Whole> whole = whole_run(script);
    ASSERT_TRUE(whole) << script.text();
    const std::vector<std::string> layouts = layouts_of(dims_of(script), "r:2;c:2");
    for (size_t i = 0; i < layouts.size(); i += 1 + layouts.size() / 8) {
      const Where where{"r:2;c:2", layouts[i], true};
      if (is_illegal(script, where)) continue;
      const Outcome predicted = run(dry_execution(), script, where), found = run(execution(), script, where);
      expect_same(script, where, whole->outcome, found, whole->tolerances);
      const std::string counts = counter_difference(predicted.counters, found.counters);
      EXPECT_TRUE(counts.empty()) << counts << to_string(where) << "\n" << script.text();
    }
  }
}

TEST(LoopsOfPermutes, ChangeNoProduct) {
  for (const Sample& sample : samples_of(ops::kEinsum)) {
    SCOPED_TRACE(sample.line);
    Script script = sample.script(kEven);
    add_gradient(script, sample);
    const std::optional<Whole> whole = whole_run(script);
    ASSERT_TRUE(whole) << script.text();
    expect_layout_changes_nothing(script, *whole, {"p:2", "p:3", "p:6", "r:2;c:3"}, 36, looping_execution(),
                                  dry_looping_execution());
  }
}

/// Three steps of Adam for a Transformer that is stored in parts (ZeRO 3).
TEST(LoopsOfPermutes, TrainAModelAsItIsTrained) {
  const std::string script =
      "import losses, optim, transformer\n"
      "option stacked = false\noption mixed = false\n"
      "dim batch = 8, length = 4, vocab = 16, d_model = 8, heads = 4, d_head = 4, d_ff = 16\n"
      "mesh line = [p: 4]\n"
      "layout zero = {batch -> p, params \"*\": {d_model -> p, d_ff -> p}, states \"*\": {d_model -> p, d_ff -> p}}\n"
      "fn train() {\n"
      "  let net = transformer.LanguageModel(vocab, length, d_model, heads, d_head, d_ff, layers: 2, stacked: "
      "stacked)\n"
      "  let opt = optim.Adam(net.params, lr: 0.01)\n"
      "  let ids = random.integers([batch, length], 0, size(vocab))\n"
      "  let permutes = 0\n"
      "  for step in 0..3 {\n"
      "    let loss = zeros([])\n"
      "    let c = counters {\n"
      "      loss := losses.language(net(ids), ids, vocab)\n"
      "      opt.minimize(loss)\n"
      "    }\n"
      "    print(\"f {loss}\")\n"
      "    permutes := c.permute.count\n"
      "  }\n"
      "  return permutes\n"
      "}\n"
      "let permutes = 0\n"
      "if mixed { with precision mixed { permutes := train() } } else { permutes := train() }\n"
      "print(\"c {permutes > 0}\")\n";
  for (const char* stacked : {"false", "true"})
    for (const char* mixed : {"false", "true"}) {
      eval::Settings settings = settings_at({""});
      settings.set = {{"stacked", stacked}, {"mixed", mixed}};
      std::ostringstream plain, looped;
      session::Session(settings, &execution(), plain).run_text("model.mtf", script);
      session::Session(settings, &looping_execution(), looped).run_text("model.mtf", script);
      EXPECT_EQ(output_difference(plain.str(), looped.str(), false, *mixed == 't'), "") << stacked << " " << mixed;
      EXPECT_NE(looped.str().find("c true"), std::string::npos) << looped.str();
      EXPECT_NE(plain.str().find("c false"), std::string::npos) << plain.str();
    }
}

// ---- Infinities -----------------------------------------------------------------------------------------------------

/// True for operations that add up products: a factor of NaN gives NaN even if the other factor is 0.
bool is_dense_product(const graph::Op& op) {
  return op.role == graph::Role::kContraction || op.name == "conv" || op.name == "mean_pool";
}

/// For any inputs, a gradient of 0 of the result gives gradients of 0.
TEST_P(EveryOperation, NothingComesThroughAGradientOf0) {
  if (is_dense_product(op())) GTEST_SKIP() << "it is a dense product";
  for (const Sample& sample : samples_of(op())) {
    SCOPED_TRACE(sample.line);
    Script script = sample.script(kSmall);
    if (!add_gradient(script, sample)) continue;
    for (const std::string value : {"1.0 / 0.0", "-1.0 / 0.0", "0.0 / 0.0", "1e38", "-1e38", "1e-40", "-0.0"}) {
      Script extreme = sample.script(kSmall);
      for (const std::string& input : sample.real_inputs())
        extreme.inputs += fmt::format("let {0} = where(random.uniform({0}.shape) < 0.3, {1}, {0})\n", input, value);
      std::string of;
      for (const std::string& input : sample.real_inputs()) of += (of.empty() ? "" : ", ") + input;
      extreme.body += fmt::format("let slopes = grad(sum(where(zeros(result.shape, bool), result, 0)), [{}])\n", of);
      extreme.results.clear();
      for (size_t i = 0; i < sample.real_inputs().size(); ++i) {
        extreme.body += fmt::format("let slope_{0} = slopes[{0}]\n", i);
        extreme.results.push_back(fmt::format("slope_{}", i));
      }
      const std::vector<std::string> layouts = layouts_of(dims_of(extreme), "p:2");
      for (const Where& where : {Where{}, Where{"p:2", layouts.back()}, Where{"p:2", layouts[layouts.size() / 2]}}) {
        if (is_illegal(extreme, where)) continue;
        const Outcome found = run(execution(), extreme, where);
        for (const plan::HostTensor& slope : found.results)
          for (int64_t i = 0; i < size_of(slope.type.dims); ++i)
            ASSERT_EQ(slope.number(i), 0) << value << " " << to_string(where) << "\n" << extreme.text();
      }
    }
  }
}

// ---- Gradients ------------------------------------------------------------------------------------------------------

/// A script that computes a number from tensors, and the number's gradient.
class Differences {
 public:
  Differences(const Script& script, std::string loss, std::vector<std::string> of)
      : evaluation_(execution(), {}), loss_(std::move(loss)), of_(std::move(of)) {
    evaluation_.run(script.inputs);
    evaluation_.compute_all();
    start_ = evaluation_.evaluator.builder.context;
    for (const std::string& name : of_) inputs_.push_back(evaluation_.fetch(name));
  }

  /// Compares the gradient that the script computes with central differences, element by element.
  void check() {
    std::string list;
    for (const std::string& name : of_) list += (list.empty() ? "" : ", ") + name;
    run(loss_ + "let slopes_checked = grad(loss, [" + list + "])\n");
    std::vector<plan::HostTensor> slopes;
    for (size_t i = 0; i < of_.size(); ++i) {
      evaluation_.run(fmt::format("let slope_checked = slopes_checked[{}]\n", i));
      slopes.push_back(evaluation_.fetch("slope_checked"));
    }
    for (size_t i = 0; i < of_.size(); ++i) {
      ASSERT_TRUE(slopes[i].type == inputs_[i].type)
          << to_string(slopes[i].type) << " of " << to_string(inputs_[i].type);
      // The differences lose digits by the loss's magnitude, not by the slope's.
      const double scale = std::max(1.0, std::max(largest(slopes[i]), std::abs(loss_at(i, 0, 0))));
      for (int64_t e = 0; e < size_of(inputs_[i].type.dims); ++e) {
        const double step = 1e-5 * std::max(1.0, std::abs(inputs_[i].number(e)));
        const double expected = (loss_at(i, e, step) - loss_at(i, e, -step)) / (2 * step);
        ASSERT_NEAR(slopes[i].number(e), expected, 1e-6 * scale) << "d loss / d " << of_[i] << ", element " << e;
      }
    }
  }

 private:
  void run(const std::string& text) {
    evaluation_.evaluator.builder.context = start_;
    evaluation_.run(text);
  }
  double loss_at(size_t input, int64_t element, double by) {
    plan::HostTensor changed = inputs_[input];
    double number = changed.number(element) + by;
    std::memcpy(changed.bytes.data() + element * 8, &number, 8);
    evaluation_.set(of_[input], changed);
    run(loss_);
    const double loss = evaluation_.fetch("loss").number(0);
    evaluation_.set(of_[input], inputs_[input]);
    return loss;
  }

  Evaluation evaluation_;
  std::string loss_;
  std::vector<std::string> of_;
  std::vector<plan::HostTensor> inputs_;
  graph::Context start_;
};

bool has_bf16(const Sample& sample) { return sample.line.find("bf16") != std::string::npos; }

/// A number computed from the result, in which every element has a weight of its own.
const std::string kLoss = "let loss = sum(result * (0.3 * result + 1))\n";

TEST_P(EveryOperation, GradientIsTheCentralDifference) {
  for (const Sample& sample : samples_of(op())) {
    if (has_bf16(sample)) continue;
    SCOPED_TRACE(sample.line);
    Script script = sample.script(kSmall, ElementType::kF64);
    Script with_gradient = script;
    if (!add_gradient(with_gradient, sample)) continue;
    Differences(script, script.body + kLoss, sample.real_inputs()).check();
    if (HasFailure()) return;
  }
}

/// Compares the gradient of a number that depends on the gradients of `first` with differences. `constants` precede the
/// script, once.
void check_second_gradient(const Sample& sample, const std::string& first, const std::string& constants = "") {
  Script script = sample.script({2, 3, 2, 2}, ElementType::kF64);
  if (!whole_run(script)) script = sample.script(kSmall, ElementType::kF64);
  Script with_gradient = script;
  if (!add_gradient(with_gradient, sample)) return;
  script.inputs += constants;
  std::string loss = script.body + "let first = " + first + "\nlet slopes = grad(first, [", sum;
  const std::vector<std::string> of = sample.real_inputs();
  for (size_t i = 0; i < of.size(); ++i) {
    loss += (i ? ", " : "") + of[i];
    sum += fmt::format("{}sum(slopes[{}] * (0.2 * slopes[{}] + {}))", i ? " + " : "", i, i, i + 1);
  }
  loss += "])\nlet loss = " + sum + "\n";
  try {
    Differences(script, loss, of).check();
  } catch (const UserError& error) { EXPECT_EQ(error.diagnostic().kind(), Kind::no_gradient) << error.what(); }
}

TEST_P(EveryOperation, SecondGradientIsTheCentralDifference) {
  for (const Sample& sample : samples_of(op())) {
    if (has_bf16(sample)) continue;
    SCOPED_TRACE(sample.line);
    check_second_gradient(sample, "sum(result * (0.3 * result + 1))");
    if (HasFailure()) return;
  }
}

TEST_P(EveryOperation, SecondGradientIsTheCentralDifferenceWhereTheFirstIsZero) {
  for (const Sample& sample : samples_of(op())) {
    if (has_bf16(sample)) continue;
    SCOPED_TRACE(sample.line);
    check_second_gradient(sample, "sum(square(result - before))",
                          "let before = stop_gradient(" + sample.expression + ")\n");
    if (HasFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Registry, EveryOperation, testing::ValuesIn(sampled_ops()),
                         [](const testing::TestParamInfo<const graph::Op*>& info) { return test_name(*info.param); });

// ---- The registry ---------------------------------------------------------------------------------------------------

/// A runtime that keeps the operations of all programs that it runs, both as captured and as processors compute them.
class WatchedRuntime : public run::DryRuntime {
 public:
  std::vector<std::shared_ptr<plan::Tensor>> run(const std::shared_ptr<const plan::Plan>& plan,
                                                 const plan::PlanInputs& inputs, Span place) override {
    for (const graph::ProgramOperation& each : plan->program.operations) operations.push_back(each.operation);
    for (const spmd::Instruction& each : plan->schedule->program.instructions)
      if (each.kind == spmd::InstructionKind::kCompute) operations.push_back(each.node);
    return run::DryRuntime::run(plan, inputs, place);
  }
  std::vector<graph::OperationRef> operations;
};

/// Runs a script under layouts that split it.
void run_split(plan::Execution& execution, const Script& script) {
  for (const std::string& layout : layouts_of(dims_of(script), "p:2")) {
    Evaluation evaluation(execution, {"p:2", layout});
    try {
      evaluation.run(script.inputs);
      evaluation.compute_all();
      evaluation.run(script.body);
      evaluation.compute_all();
    } catch (const UserError&) {}
  }
}

/// Returns the operations of all samples under layouts that split them, and of products as loops of permutes.
const std::vector<graph::OperationRef>& sampled_operations() {
  static const std::vector<graph::OperationRef> operations = [] {
    ExecutionOn<WatchedRuntime> execution, looping(plan::ExecutionOptions{.most_whole = 0});
    for (const graph::Op* op : sampled_ops())
      for (const Sample& sample : samples_of(*op)) {
        Script script = sample.script(kUneven);
        add_gradient(script, sample);
        run_split(execution, script);
      }
    for (const Sample& sample : samples_of(ops::kEinsum)) run_split(looping, sample.script(kEven));
    std::vector<graph::OperationRef> all = std::move(execution.runtime().operations);
    for (const graph::OperationRef& each : looping.runtime().operations) all.push_back(each);
    return all;
  }();
  return operations;
}

/// Excludes leaves, which are inputs of every program, and views that change nothing, which are their operands. Only a
/// run with `--check-finite` looks for the first element that is not finite.
TEST(Registry, EveryOperationIsRunByASample) {
  std::set<const graph::Op*> seen;
  for (const graph::OperationRef& operation : sampled_operations()) seen.insert(operation->op);
  for (const graph::Op* op : ops::all_ops())
    if (op->infer && !op->is_leaf() && op->role != graph::Role::kView && op->name != "first_not_finite" &&
        op->role != graph::Role::kLoop) {  // drawn programs test loops
      EXPECT_TRUE(seen.count(op)) << "no sample of any operation runs " << op->name;
    }
}

TEST(Registry, AttributesAreReadAsTheyPrint) {
  std::set<std::string> seen;
  for (const graph::OperationRef& operation : sampled_operations()) {
    const std::string text = to_string(operation->attributes);
    if (!seen.insert(fmt::format("{} {}", operation->op->name, text)).second) continue;
    const graph::Attributes read = read_attributes(*operation->op, text);
    EXPECT_TRUE(read == operation->attributes)
        << operation->op->name << ": " << text << ", read as " << to_string(read);
    EXPECT_EQ(to_string(read), text) << operation->op->name;
  }
  EXPECT_GT(seen.size(), 100u);
}

TEST(Registry, TextThatIsNoAttributesIsRefused) {
  for (const std::string_view text :
       {"", "over: ", "over: a, ", "along: a", "over: a, reverse: 1", "over: a over: a", "-> [a]"})
    EXPECT_THROW(read_attributes(ops::kCumsum, text), std::invalid_argument) << text;
  EXPECT_THROW(read_attributes(ops::kAdd, "over: a"), std::invalid_argument);
  EXPECT_THROW(read_attributes(ops::kEinsum, "-> [a=2]"), std::invalid_argument);
  EXPECT_THROW(read_attributes(ops::kEinsum, "product: other -> [a]"), std::invalid_argument);
}

TEST(Registry, EveryOperationHasAGradientOrAReason) {
  for (const graph::Op* op : ops::all_ops())
    if (op->infer && !op->is_leaf()) { EXPECT_NE(op->gradient == nullptr, op->no_gradient.empty()) << op->name; }
}

}  // namespace
}  // namespace mtf::properties
