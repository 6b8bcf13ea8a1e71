// Questions to a session leave no trace on its values or names.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <map>
#include <sstream>

#include "../../places.h"
#include "graph/op.h"
#include "graph/value_table.h"
#include "library/library.h"
#include "plan/runtime.h"
#include "run/mpi_runtime.h"
#include "session/explanation.h"
#include "session/search.h"
#include "session/session.h"

namespace mtf::session {
namespace {

/// Computes as another runtime, and knows the nodes that its sessions have added.
class Watched final : public plan::Runtime {
 public:
  int rank() const override { return own_.rank(); }
  int ranks() const override { return own_.ranks(); }
  bool knows_numbers() const override { return own_.knows_numbers(); }
  std::unique_ptr<plan::Runtime> planner(bool beside) const override { return own_.planner(beside); }
  void heed(Interrupt interrupt) override { own_.heed(std::move(interrupt)); }
  void added(graph::Node& node) override {
    nodes_.push_back(node.weak_from_this());
    own_.added(node);
  }
  void meet(const graph::Capture& capture, const plan::ProgramForm& form, Span place) override {
    own_.meet(capture, form, place);
  }
  std::vector<std::shared_ptr<plan::Tensor>> run(const std::shared_ptr<const plan::Plan>& plan,
                                                 const plan::PlanInputs& inputs, Span place) override {
    return own_.run(plan, inputs, place);
  }
  const plan::Counters& counted(const plan::Plan& plan) const override { return own_.counted(plan); }
  int64_t peak_bytes() const override { return own_.peak_bytes(); }
  void restart_peak() override { own_.restart_peak(); }
  std::shared_ptr<plan::Tensor> place(graph::Node& node, const plan::HostView& data) override {
    return own_.place(node, data);
  }
  std::shared_ptr<plan::Tensor> place_own(graph::Node& node, const plan::HostView& data) override {
    return own_.place_own(node, data);
  }
  Interval own_rows(const graph::Node& node) const override { return own_.own_rows(node); }
  Loaded load(graph::Node& node, const io::PositionedFile& file, uint64_t place) override {
    return own_.load(node, file, place);
  }
  plan::HostTensor fetch(const graph::Value& value) override { return own_.fetch(value); }
  uint64_t store(const graph::Value& value, const io::PositionedFile& file, uint64_t place) override {
    return own_.store(value, file, place);
  }
  std::vector<uint64_t> added_up(std::vector<uint64_t> numbers, Span place) override {
    return own_.added_up(std::move(numbers), place);
  }
  std::string first_of(const std::string& text, Span place) override { return own_.first_of(text, place); }
  std::string broadcast(const std::string& bytes, Span place) override { return own_.broadcast(bytes, place); }
  void finish() override { own_.finish(); }
  [[noreturn]] void abort(const std::string& message, int status) override { own_.abort(message, status); }

  /// Returns the properties of all existing nodes, by their numbers.
  std::map<int64_t, std::string> carried() const {
    std::map<int64_t, std::string> all;
    for (const std::weak_ptr<graph::Node>& each : nodes_)
      if (const graph::NodePtr node = each.lock()) all[node->id] = carried_by(*node);
    return all;
  }

 private:
  static std::string tensor(const std::shared_ptr<plan::Tensor>& tensor) {
    return tensor ? fmt::format(" {} of {} and {}", fmt::ptr(tensor.get()), tensor.use_count(),
                                tensor->storage.use_count())
                  : " none";
  }
  static std::string carried_by(const graph::Node& node) {
    std::string text =
        fmt::format("{} {} at {}, place {}, in {}, again {}, ended {}", node.operation->op->name, node.name.text(),
                    fmt::ptr(node.operation.get()), node.variable, fmt::ptr(node.segment.get()),
                    fmt::ptr(node.again.get()), fmt::ptr(node.ended.get()));
    text += fmt::format(", kept {}, later {}, used {}, pending {}, held", node.is_kept(), node.is_for_later(),
                        node.uses(), graph::ValueTable::is_pending(node));
    for (size_t r = 0; r < node.operation->results.size(); ++r) text += fmt::format(" {}", node.held(int(r)));
    text += "; of";
    for (const graph::Value& operand : node.operands()) text += fmt::format(" {}.{}", operand.node->id, operand.result);
    text += "; computed";
    for (const std::shared_ptr<plan::Tensor>& each : node.computed().results) text += tensor(each);
    text += "; copies";
    for (const auto& [result, copy] : node.computed().copies) text += fmt::format(" {}", result) + tensor(copy);
    return text + fmt::format("; {} programs", node.computed().copied_by.size());
  }

  run::MpiRuntime own_{{.threads = 1}};
  std::vector<std::weak_ptr<graph::Node>> nodes_;
};

eval::Settings with_library() {
  eval::Settings settings;
  settings.library = &library::host_library();
  return settings;
}

constexpr const char* kBegin =
    "import optim\n"
    "mesh grid = [p: 2, q: 2]\n"
    "layout own = {batch -> p}\n"
    "use grid\n"
    "use own\n"
    "dim batch = 4, n = 8, hidden = 4\n"
    "model Net() {\n"
    "  param w: [n, hidden] = init.normal(stddev: 0.1)\n"
    "  param v: [hidden, n] = init.normal()\n"
    "  state turns: [] = 0\n"
    "  fn call(x) = einsum(relu(einsum(x, w -> [batch, hidden])), v -> [batch, n])\n"
    "}\n"
    "let net = Net()\n"
    "let opt = optim.Adam(net.params)\n"
    "let x = random.normal([batch, n])\n"
    "let list = [x + 1, (x * 2, [x @ {n -> q}])]\n"
    "let y = net(x)\n"
    "let loss = sum(square(y))\n"
    "fn counter(start) {\n"
    "  let sum_so_far = start\n"
    "  let all = [start]\n"
    "  let turns = 0\n"
    "  fn step(more) {\n"
    "    if sum(more) > 100 { sum_so_far := sum_so_far + more }\n"
    "    while sum(sum_so_far) < 0 { all := all + [more]; turns := turns + 1 }\n"
    "    return (sum_so_far, len(all), turns)\n"
    "  }\n"
    "  return step\n"
    "}\n"
    "let step = counter(x)\n";

constexpr const char* kQuestions[] = {
    "let residue = list[0]",
    "let (a, b) = list[1]",
    "list[0] := x",
    "concat([list[0], list[0]], over: n)",
    "grad(loss, net.params + [x])",
    "grad(loss, [x, y])",
    "opt.minimize(sum(square(net(x))))",
    "for i in 0..3 { opt.minimize(sum(square(net(list[0])))) }",
    "net.w := net.w * 2; net.turns := net.turns + 1",
    "step(x)",
    "for i in 0..2 { step(y) }",
    "let z = if loss > 1 { x } else { list[0] }",
    "for part in [list[0], x] { if sum(part) > 1 { x := part } }",
    "x := list[0]",
    "list := list + [x]",
    "net",
    "scan(fn(c, w) = (c + w, c), zeros([n]), x, over: batch)",
    "recompute(net, x)",
    "counters { let h = net(x) }",
    "print(x); print(loss)",
    "use {n -> q}; let h = net(x)",
    "fn later(a) = a + loss; later(x)",
    "nope(x)",
    "random.normal([n]) + sum(x, over: batch)",
};

class Questions : public testing::Test {
 protected:
  /// Asks every question about a statement, also under assumptions.
  void ask(const std::string& text) {
    const std::vector<Assumption> assumptions = {
        {}, {.layout = parse_layout("n:q")}, {.mesh = parse_axes("p:4;q:2"), .layout = parse_layout("")}};
    const auto ask_once = [&](const auto& question) {
      try {
        question();
      } catch (const UserError& error) { refused += error.what(); }
    };
    for (const Assumption& assumption : assumptions) {
      ask_once([&] { session.plan(text, "<plan>", assumption); });
      ask_once([&] { session.plan(text, "<plan>", assumption, std::make_shared<plan::ProgramRecord>()); });
      ask_once([&] { explain_statement(session, text, "<why>", assumption, 2); });
      ask_once([&] { session.what_is(text, "<type>", assumption); });
      ask_once([&] { session.held(assumption); });
    }
    const WhatIf what = WhatIf::statement(session, text, "<what>");
    ask_once([&] { what.compare(assumptions, std::nullopt, true); });
    ask_once([&] {
      SearchRequest request;
      request.question.processors = 4;
      search_layouts(what, std::move(request));
    });
    ask_once([&] { session.check_here("there.mtf", text); });
    ask_once([&] { session.lies(text); });
    ask_once([&] { session.variables(text); });
    session.known_names("");
  }

  /// Asks everything. Returns the changes of the nodes' properties.
  std::string changed_by_questions() {
    std::string changed;
    for (const std::string text : kQuestions) {
      const std::map<int64_t, std::string> before = runtime.carried();
      ask(text);
      const std::map<int64_t, std::string> after = runtime.carried();
      for (const auto& [id, carried] : before)
        if (const auto now = after.find(id); now == after.end() || now->second != carried)
          changed += text + ":\n  " + carried + "\n  " + (now == after.end() ? "gone" : now->second) + "\n";
    }
    return changed;
  }

  Watched runtime;
  plan::Execution execution{runtime};
  std::ostringstream out;
  Session session{with_library(), &execution, out};
  std::string refused;  ///< the errors of questions without an answer
};

TEST_F(Questions, ChangeNoValue) {
  session.execute(kBegin);
  EXPECT_EQ(changed_by_questions(), "");
}

TEST_F(Questions, ChangeNoValueOfAFileThatWaitsToBeComputed) {
  session.load(std::string(kBegin) + "print(loss)\n", "begin.mtf", false);
  EXPECT_EQ(changed_by_questions(), "");
}

/// Returns all answers of a session about itself and about a training step.
std::string told(Session& session, std::ostringstream& out) {
  for (const char* text : {"print(step(x))", "loss", "list[0]", "net.w", "random.uniform([n])",
                           "grad(loss, [x, net.w])", "opt.minimize(sum(square(net(x))))", "net.w", "net.turns"}) {
    for (const EntryReport& report : session.execute(text)) {
      out << text << ": " << to_string(report.counters);
      for (const EntryReport::Binding& binding : report.bindings)
        out << binding.name << " " << to_string(binding.type) << " " << binding.value << "\n";
    }
  }
  for (const HeldName& held : session.held()) out << held.name << " " << held.bytes << "\n";
  return out.str();
}

TEST_F(Questions, AreNotSeenByWhatIsEnteredAfterwards) {
  Watched other_runtime;
  plan::Execution other_execution(other_runtime);
  std::ostringstream other_out;
  Session other(with_library(), &other_execution, other_out);
  other.execute(kBegin);
  const std::string expected = told(other, other_out);
  session.execute(kBegin);
  for (const char* text : kQuestions) ask(text);
  EXPECT_EQ(told(session, out), expected);
}

TEST_F(Questions, DoNotNameWhatTheSessionLeftWithoutAName) {
  session.execute("mesh m = [a: 2]\nlayout split = {n -> a}\ndim n = 4\nlet x = random.uniform([n])\nlet l = [x + 1]");
  session.plan("let residue = l[0]");
  session.what_is("fn(x) = x");
  session.check_here("there.mtf", "let other = l[0]");
  const Explanation why = explain_statement(session, "concat([l[0], l[0]], over: n)", "<why>", {}, 2);
  ASSERT_FALSE(why.collectives.empty());
  EXPECT_EQ(why.collectives[0].cost.from.name, "add");
}

TEST_F(Questions, FindTheRuleThatSharedKeysNeedBesidesThatOfHeads) {
  session.execute(
      "import nn\nmesh m = [model: 8]\nlayout split = {heads -> model}\nuse m\nuse split\n"
      "dim batch = 4, length = 16, features = 64, heads = 16, head_size = 8\n"
      "let att = nn.Attention(features, length, heads, head_size, key_heads: 8)\n"
      "let x = random.normal([batch, length, features])");
  const Explanation why = explain_statement(session, "let g = grad(sum(att(x)), att.params)", "<why>", {}, 1);
  ASSERT_FALSE(why.better.empty());
  EXPECT_EQ(notation(why.better[0].layout), "heads:model;group:model");
  EXPECT_LT(why.better[0].total.flops, why.now.flops);
}

}  // namespace
}  // namespace mtf::session
