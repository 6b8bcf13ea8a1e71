// Cuts: where what has been collected in the global graph is computed, and what of it is forgotten after.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "eval/evaluator.h"
#include "ops/op.h"
#include "support/text.h"

namespace mtf {

/// A name is live if a statement that is still to come mentions it: a later one of its own block or of a block inside
/// that is under way, any of a loop under way, or one of a function that may be called.
bool Evaluator::is_live(size_t frame, const Binding& binding) const {
  const BlockFrame& own = frames[frame];
  if (own.keep_all || own.info->captured.count(binding.name)) return true;
  for (size_t i = frame; i < frames.size() && frames[i].activation == own.activation; ++i) {
    const BlockFrame& inner = frames[i];
    auto last = inner.info->last_mention.find(binding.name);
    if (last == inner.info->last_mention.end()) continue;
    if (last->second > inner.statement || (current_is_live_ && last->second == inner.statement)) return true;
    const StatementInfo& statement = inner.info->statements[inner.statement];
    if (statement.is_loop && statement.mentions.count(binding.name)) return true;
  }
  return false;
}

void Evaluator::collect(const HostValue& value, Values& roots) {
  if (const Value* tensor = tensor_of(value)) {
    roots.push_back(*tensor);
  } else if (auto* list = value.as<ListPtr>()) {
    if ((*list)->visited == visit_) return;
    (*list)->visited = visit_;
    for (const HostValue& item : (*list)->items) collect(item, roots);
  } else if (auto* instance = value.as<InstancePtr>()) {
    if ((*instance)->visited == visit_) return;
    (*instance)->visited = visit_;
    for (const Binding& binding : (*instance)->scope->bindings) collect(binding.value, roots);
  }
}

void Evaluator::cut(const Values& needed, Span span) {
  if (!engine_) return;
  ++visit_;
  Values live;
  for (size_t f = 0; f < frames.size(); ++f) {
    const BlockFrame& frame = frames[f];
    auto& bindings = frame.scope->bindings;
    for (size_t i = 0; i < bindings.size(); ++i) {
      Binding& binding = bindings[i];
      if (binding.value.is<int64_t>() || binding.value.is<Dim>() || binding.value.is<None>()) continue;
      bool hidden = false;
      for (size_t j = i + 1; j < bindings.size() && !hidden; ++j) hidden = bindings[j].name == binding.name;
      if (!hidden ? is_live(f, binding) : frame.info->captured.count(binding.name) > 0) {
        collect(binding.value, live);
        continue;
      }
      // Nobody will read it: what it holds need not be kept, unless this very statement is using it.
      if (frame.keep_all || abstract() || frame.info->captured.count(binding.name)) continue;
      bool used_now = false;
      for (size_t g = f; g < frames.size() && frames[g].activation == frame.activation; ++g) {
        used_now = used_now || frames[g].info->statements[frames[g].statement].mentions.count(binding.name);
      }
      if (!used_now && (binding.value.is<Value>() || binding.value.is<ListPtr>())) binding.value = None{};
    }
  }
  // Outside of every block: the names of a REPL, between two entries.
  if (top && (frames.empty() || frames[0].scope != top)) {
    for (const Binding& binding : top->bindings) collect(binding.value, live);
  }
  Values roots = needed;
  for (const auto& [scope, values] : watched_) roots.insert(roots.end(), values.begin(), values.end());
  roots.insert(roots.end(), live.begin(), live.end());
  Values pending_roots;
  for (const Value& root : roots) {
    if (!root.node->is_computed(root.result)) pending_roots.push_back(root);
  }
  if (!pending_roots.empty()) {
    const Counters before = collect_costs ? engine_->counters() : Counters{};
    roots.clear();
    engine_->compute(pending_roots);
    if (collect_costs) {
      if (reports.empty() || reports.back().turns != turns) reports.emplace_back().turns = turns;
      StatementReport& report = reports.back();
      const auto& costs = engine_->last_costs();
      constexpr size_t kMostCosts = 1000;  // of a long loop the first turns are enough; the counters have all
      if (report.costs.size() < kMostCosts) report.costs.insert(report.costs.end(), costs.begin(), costs.end());
      Counters now = difference(engine_->counters(), before);
      report.counters.flops += now.flops;
      report.counters.unique_flops += now.unique_flops;
      report.counters.processors = now.processors;
      report.counters.peak_bytes = std::max(report.counters.peak_bytes, now.peak_bytes);
      for (int kind = 0; kind < kCollectiveKinds; ++kind) {
        for (const auto& [axes, count] : now.collectives[kind]) report.counters.collectives[kind][axes] += count;
      }
    }
    if (on_cut) on_cut(span);
    forget_history(pending_roots);
  }
  if (places_changed_) {
    places_changed_ = false;
    ++settled_;
    forget_history(live);
  }
  if (history_grown_ > std::max<size_t>(16, history_kept_)) {
    live.insert(live.end(), needed.begin(), needed.end());
    for (const auto& [scope, values] : watched_) live.insert(live.end(), values.begin(), values.end());
    forget_unreachable(live);
  }
}

/// What a gradient could go through: the operation passes gradients on, and to numbers that have them.
static bool passes_gradients(const Node& node) {
  if (node.op->gradient == nullptr || node.op->ends_gradients) return false;
  for (const TensorType& type : node.types) {
    if (is_float(type.element)) return true;
  }
  return false;
}

static bool all_computed(const Node& node) {
  const size_t count = node.types.size() - static_cast<size_t>(node.op->saved_results);
  for (size_t r = 0; r < count; ++r) {
    if (!node.is_computed(static_cast<int>(r))) return false;
  }
  return true;
}

/// Drops what made a value where no gradient can need it: of variables and of operations without a gradient always; of
/// others where the way back goes through a variable that has been assigned since (the value then says so itself).
/// What an earlier call has been through is not walked again until a variable is assigned.
void Evaluator::forget_history(const Values& values) {
  // Operands first, without recursion: a history may be long. `stale` are nodes that are not kept, but through which a
  // kept value has read an assigned variable.
  std::unordered_map<const Node*, const Node*> stale;
  std::vector<std::pair<Node*, size_t>> stack;
  std::vector<Node*> again;  // not computed yet: the next call walks them again
  Values released;           // nodes on the stack must outlive the walk
  auto release = [&](Node& node) {
    std::move(node.operands.begin(), node.operands.end(), std::back_inserter(released));
    node.operands.clear();
  };
  auto visit = [&](Node* node) {
    if (node->settled == settled_) return;
    node->settled = settled_;
    stack.emplace_back(node, 0);
  };
  for (const Value& value : values) {
    visit(value.node.get());
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next < node->operands.size()) {
        visit(node->operands[next++].node.get());
        continue;
      }
      Node& done = *node;
      stack.pop_back();
      if (done.operands.empty()) continue;
      const bool computed = all_computed(done);
      if (!computed) again.push_back(&done);
      if (!passes_gradients(done)) {
        if (computed) release(done);
        continue;
      }
      const Node* reason = nullptr;
      for (const Value& operand : done.operands) {
        if (operand.node->superseded.is_known()) reason = operand.node.get();
        else if (auto found = stale.find(operand.node.get()); found != stale.end()) reason = found->second;
        if (reason) break;
      }
      if (!reason) {
        ++history_grown_;
        continue;
      }
      if (!computed) {
        stale[&done] = reason;
        continue;
      }
      done.superseded = reason->superseded;
      done.variable = reason->variable;
      done.read = reason->read.is_known() ? reason->read : done.span;
      release(done);
    }
  }
  for (Node* node : again) node->settled = 0;
}

/// Drops the history through which no gradient can reach anything that the program can still name. Walks all of it, so
/// it is called when as much has been added as the last walk left.
void Evaluator::forget_unreachable(const Values& live) {
  std::unordered_set<const Node*> named;
  for (const Value& value : live) named.insert(value.node.get());
  std::unordered_set<const Node*> useful;  // a named node, or one whose history leads to one
  std::vector<std::pair<Node*, size_t>> stack;
  std::vector<Node*> droppable;
  std::vector<const Node*> open;  // not computed yet
  const int64_t mark = new_mark();
  size_t kept = 0;
  for (const Value& value : live) {
    if (value.node->mark == mark) continue;
    value.node->mark = mark;
    stack.emplace_back(value.node.get(), 0);
    while (!stack.empty()) {
      auto& [node, next] = stack.back();
      if (next < node->operands.size()) {
        Node* operand = node->operands[next++].node.get();
        if (operand->mark != mark) {
          operand->mark = mark;
          stack.emplace_back(operand, 0);
        }
        continue;
      }
      Node& done = *node;
      stack.pop_back();
      bool leads = false;
      if (passes_gradients(done)) {
        for (const Value& operand : done.operands) {
          leads = leads || (is_float(operand.element()) && useful.count(operand.node.get()));
        }
      }
      if (leads || named.count(&done) || done.superseded.is_known()) useful.insert(&done);
      if (done.operands.empty()) continue;
      ++kept;
      if (!all_computed(done)) open.push_back(&done);
      else if (!leads) droppable.push_back(&done);
    }
  }
  // What is still to be computed may need a saved result that was not kept: then it is made again, from its operands.
  std::unordered_set<const Node*> needed;
  while (!open.empty()) {
    const Node* node = open.back();
    open.pop_back();
    for (const Value& operand : node->operands) {
      if (!operand.node->is_computed(operand.result) && needed.insert(operand.node.get()).second) open.push_back(operand.node.get());
    }
  }
  Values released;
  for (Node* node : droppable) {
    if (needed.count(node)) continue;
    std::move(node->operands.begin(), node->operands.end(), std::back_inserter(released));
    node->operands.clear();
    --kept;
  }
  history_kept_ = kept;
  history_grown_ = 0;
}

// ---- counters --------------------------------------------------------------------------------------------------------

namespace {

/// Collectives of one kind, or a part of them: `c.all_reduce`, `c.all_reduce.over("cols")`.
class CollectiveFigures : public Object {
 public:
  CollectiveFigures(std::optional<Counters> counters, CollectiveKind kind, std::optional<CollectiveCount> part)
      : counters_(std::move(counters)), kind_(kind), part_(part) {}
  std::string_view kind() const override { return "the figure of a collective"; }
  std::string print() const override {
    if (!counters_) return "";
    const CollectiveCount c = count();
    return fmt::format("{} {}, {}, {}", name(kind_), c.count, count_text(c.values, "value"), bytes_text(c.bytes));
  }
  std::vector<std::string> attributes() const override { return {"count", "calls", "values", "bytes", "wire_bytes", "over"}; }
  std::optional<HostValue> attribute(Evaluator&, Name name) override {
    const std::string_view figure = name.text();
    if (figure == "over" && !part_) return over();
    const CollectiveCount c = counters_ ? count() : CollectiveCount{};
    auto result = [&](int64_t number) -> HostValue { return counters_ ? HostValue(number) : unknown(UnknownKind::kInt); };
    if (figure == "count") return result(c.count);
    if (figure == "calls") return result(c.calls);
    if (figure == "values") return result(c.values);
    if (figure == "bytes") return result(c.bytes);
    if (figure == "wire_bytes") return result(c.wire_bytes);
    return std::nullopt;
  }

 private:
  CollectiveCount count() const { return part_ ? *part_ : counters_->total(kind_); }
  HostValue over() const {
    auto builtin = std::make_shared<Builtin>();
    builtin->name = "over";
    builtin->signature = "over(axis: string, …)";
    builtin->call = [counters = counters_, kind = kind_](Evaluator& evaluator, Arguments& arguments) -> HostValue {
      std::vector<std::string> axes;
      if (arguments.items.empty()) fail(Kind::missing_argument, arguments.span, "`over` needs the name of a mesh axis, such as `over(\"cols\")`");
      for (const GivenArgument& item : arguments.items) {
        auto* axis = item.value.as<Text>();
        if (!axis) fail(Kind::type_mismatch, item.span, "expected the name of a mesh axis as a string, found {}", describe(item.value));
        evaluator.check_axis(**axis, item.span);
        axes.push_back(**axis);
      }
      std::optional<CollectiveCount> part;
      if (counters) part = counters->over(kind, axes);
      else part = CollectiveCount{};
      return ObjectPtr(std::make_shared<CollectiveFigures>(counters, kind, part));
    };
    return BuiltinPtr(builtin);
  }
  std::optional<Counters> counters_;
  CollectiveKind kind_;
  std::optional<CollectiveCount> part_;
};

/// What `counters { … }` gives; in a check the figures are unknown.
class CounterFigures : public Object {
 public:
  explicit CounterFigures(std::optional<Counters> counters) : counters_(std::move(counters)) {}
  std::string_view kind() const override { return "what a block counted"; }
  std::string print() const override { return counters_ ? to_string(*counters_) : ""; }
  std::vector<std::string> attributes() const override {
    return {"flops", "unique_flops", "processors", "peak_bytes", "all_reduce", "reduce_scatter", "all_gather", "all_to_all", "permute"};
  }
  std::optional<HostValue> attribute(Evaluator&, Name wanted) override {
    const std::string_view figure = wanted.text();
    auto result = [&](int64_t Counters::*number) -> HostValue { return counters_ ? HostValue((*counters_).*number) : unknown(UnknownKind::kInt); };
    if (figure == "flops") return result(&Counters::flops);
    if (figure == "unique_flops") return result(&Counters::unique_flops);
    if (figure == "processors") return result(&Counters::processors);
    if (figure == "peak_bytes") return result(&Counters::peak_bytes);
    for (int kind = 0; kind < kCollectiveKinds; ++kind) {
      constexpr std::string_view kNames[kCollectiveKinds] = {"all_reduce", "reduce_scatter", "all_gather", "all_to_all", "permute"};
      if (figure == kNames[kind]) {
        return HostValue(ObjectPtr(std::make_shared<CollectiveFigures>(counters_, static_cast<CollectiveKind>(kind), std::nullopt)));
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<Counters> counters_;
};

}  // namespace

HostValue Evaluator::counters_block(const ast::CountersExpr& counters, const ScopePtr& scope) {
  ScopePtr inner = nested(scope);
  if (!engine_) {
    if (run_block(counters.body, inner) == Flow::kReturn && !activations.empty()) activations.back().maybe_results.push_back(activations.back().result);
    return ObjectPtr(std::make_shared<CounterFigures>(std::nullopt));
  }
  {
    Restore restore(current_is_live_);
    current_is_live_ = true;  // what the block reads is computed before it, and not counted
    cut({}, counters.body.span);
  }
  engine_->restart_peak();
  const Counters before = engine_->counters();
  watched_.emplace_back(inner.get(), Values{});
  PopLast pop(watched_);
  run_block(counters.body, inner);
  cut({}, counters.body.span);
  if (abstract()) return ObjectPtr(std::make_shared<CounterFigures>(std::nullopt));
  return ObjectPtr(std::make_shared<CounterFigures>(difference(engine_->counters(), before)));
}

}  // namespace mtf
