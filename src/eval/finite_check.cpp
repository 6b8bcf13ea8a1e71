#include "eval/finite_check.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <unordered_map>

#include "eval/display.h"
#include "graph/op.h"
#include "graph/region.h"
#include "ops/first_not_finite.h"
#include "ops/loop.h"
#include "plan/execution.h"
#include "support/diagnostics.h"
#include "support/restore.h"
#include "support/text.h"

namespace mtf::eval {
namespace {

using graph::Value;
using graph::Values;

/// The indices of the iterations of nested loops, outermost first.
using IterationVariable = std::vector<std::pair<Dim, int64_t>>;

/// An operation that has computed a non-finite element from finite operands.
struct Culprit {
  graph::OperationRef operation;
  int result = 0;
  ops::NotFinite found;
  IterationVariable iterations;
  std::vector<std::string> operands;  ///< the text of each operand in the message
};

/// `x: f32[batch=4]`; only the type for a value without a name.
std::string operand_text(Name name, const TensorType& type) {
  return name.empty() ? to_string(type) : fmt::format("{}: {}", name.text(), to_string(type));
}

double number_in(const plan::HostTensor& numbers, const IterationVariable& iterations) {
  int64_t index = 0;
  for (const auto& [dim, place] : iterations) index = index * dim.size + place;
  return numbers.number(index);
}

/// Checks the values of a loop's iterations.
class IterationsLook {
 public:
  /// The numbers for each result of the outermost loop's operation, one for each combination of iterations of the
  /// enclosing loops.
  using Numbers = std::map<int, const plan::HostTensor*>;
  /// Returns whether an operand of the loop is finite.
  using IsFinite = std::function<bool(size_t operand)>;

  IterationsLook(const graph::LaidOutOperation& loop, Numbers numbers, IsFinite operand_is_finite)
      : loop_(loop),
        region_(*loop.region),
        numbers_(std::move(numbers)),
        operand_is_finite_(std::move(operand_is_finite)) {
    for (const auto& [root, given] : numbers_) {
      const graph::ProgramValue check = region_.iteration.roots[root];
      if (region_.iteration.maker(check).op == &ops::kFirstNotFinite)
        looked_at_[region_.iteration.operands_of(check.source)[0]] = given;
      else inner_[check.source][check.result] = given;
    }
    const graph::Program& iteration = region_.iteration;
    readers_.resize(iteration.operations.size());
    is_result_.resize(iteration.operations.size());
    for (size_t i = 0; i < iteration.operations.size(); ++i)
      for (const graph::ProgramValue& operand : iteration.operands_of(i))
        if (!operand.is_input()) readers_[operand.source].push_back(i);
    const int32_t behind_stacked = region_.carried + region_.stacked;
    for (int32_t r = 0; r < static_cast<int32_t>(iteration.roots.size()); ++r) {
      const bool is_saved = r >= behind_stacked - region_.saved && r < behind_stacked;
      if (!is_saved && !iteration.roots[r].is_input()) is_result_[iteration.roots[r].source] = true;
    }
  }

  /// Returns the first culprit in the order of the iterations.
  std::optional<Culprit> first(IterationVariable outer) {
    const auto& attributes = loop_.attributes.get<ops::ScanAttributes>();
    iterations_ = std::move(outer);
    iterations_.emplace_back(attributes.over, 0);
    for (int64_t iteration = 0; iteration < attributes.over.size; ++iteration) {
      iterations_.back().second = attributes.reverse ? attributes.over.size - 1 - iteration : iteration;
      if (std::optional<Culprit> found = in_iteration()) return found;
    }
    return std::nullopt;
  }

 private:
  std::optional<Culprit> in_iteration() const {
    const graph::Program& iteration = region_.iteration;
    for (size_t i = 0; i < iteration.operations.size(); ++i) {
      const graph::OperationRef& operation = iteration.operations[i].operation;
      const std::span<const graph::ProgramValue> operands = iteration.operands_of(i);
      if (const auto inner = inner_.find(static_cast<int32_t>(i)); inner != inner_.end()) {
        IterationsLook look(*operation, inner->second, [&](size_t operand) { return is_finite(operands[operand]); });
        if (std::optional<Culprit> found = look.first(iterations_)) return found;
      }
      for (size_t r = 0; r < operation->results.size(); ++r) {
        const auto result = static_cast<int>(r);
        const std::optional<ops::NotFinite> found = found_in({static_cast<int32_t>(i), result});
        if (found && !operands.empty() && leaves_statement(i) &&
            std::all_of(operands.begin(), operands.end(),
                        [&](const graph::ProgramValue& operand) { return is_finite(operand); }))
          return Culprit{operation, result, *found, iterations_, operand_texts(operands)};
      }
    }
    return std::nullopt;
  }

  /// True if an operation has a non-finite result, and a value that a statement binds or the loop returns depends on
  /// it.
  bool leaves_statement(size_t i) const {
    const graph::ProgramOperation& entry = region_.iteration.operations[i];
    bool is_finite_all = true;
    for (size_t r = 0; r < entry.operation->results.size(); ++r)
      is_finite_all = is_finite_all && is_finite({static_cast<int32_t>(i), static_cast<int32_t>(r)});
    if (is_finite_all) return false;
    return !entry.name.empty() || is_result_[i] || entry.operation->region ||
           std::any_of(readers_[i].begin(), readers_[i].end(), [&](size_t reader) { return leaves_statement(reader); });
  }

  std::vector<std::string> operand_texts(std::span<const graph::ProgramValue> operands) const {
    std::vector<std::string> texts;
    for (const graph::ProgramValue& operand : operands) {
      const int32_t number = operand.is_input() ? region_.input_number[operand.input()] : -1;
      const Name name = operand.is_input() ? region_.iteration.inputs[operand.input()].name
                                           : region_.iteration.operations[operand.source].name;
      texts.push_back(number >= 0 ? number_text(loop_.inputs[number], region_.iteration.type(operand).element)
                                  : operand_text(name, region_.iteration.type(operand)));
    }
    return texts;
  }

  std::optional<ops::NotFinite> found_in(graph::ProgramValue value) const {
    const auto at = looked_at_.find(value);
    if (at == looked_at_.end()) return std::nullopt;
    return ops::not_finite(number_in(*at->second, iterations_), region_.iteration.type(value).dims);
  }

  bool is_finite(graph::ProgramValue value) const {
    if (looked_at_.count(value) > 0) return !found_in(value);
    if (!mtf::is_float(region_.iteration.type(value).element)) return true;
    if (value.is_input()) {
      const int32_t number = region_.input_number[value.input()];
      if (number >= 0) return std::isfinite(loop_.inputs[number]);
      return operand_is_finite_(value.input());
    }
    const std::span<const graph::ProgramValue> operands = region_.iteration.operands_of(value.source);
    return std::all_of(operands.begin(), operands.end(),
                       [&](const graph::ProgramValue& operand) { return is_finite(operand); });
  }

  const graph::LaidOutOperation& loop_;
  const graph::Region& region_;
  const Numbers numbers_;
  const IsFinite operand_is_finite_;
  IterationVariable iterations_;
  std::map<graph::ProgramValue, const plan::HostTensor*> looked_at_;
  std::vector<std::vector<size_t>> readers_;  ///< the consumers of each operation of the iteration
  std::vector<bool> is_result_;               ///< the operation computes a result of the iteration
  std::map<int32_t, Numbers> inner_;          ///< by the loop operations inside the iteration
};

std::string what_it_is(double number) { return std::isnan(number) ? "NaN" : number > 0 ? "inf" : "-inf"; }

std::string operation_text(const graph::Op& op) { return code(std::string(op.symbol.empty() ? op.name : op.symbol)); }

/// ` at [layers=2, batch=1]`; empty for a number.
std::string place_text(const Culprit& culprit) {
  std::vector<std::string> parts;
  for (const auto& [dim, place] : culprit.iterations) parts.push_back(fmt::format("{}={}", dim.name.text(), place));
  const Dims& dims = culprit.operation->results[culprit.result].dims;
  for (size_t d = 0; d < dims.size(); ++d)
    parts.push_back(fmt::format("{}={}", dims[d].name.text(), culprit.found.position[d]));
  return parts.empty() ? std::string() : fmt::format(" at [{}]", mtf::join(parts, ", "));
}

/// Returns the element of a computed operand that an element-wise operation has read to compute its non-finite element.
std::string operand_there(const Culprit& culprit, const Value& operand, plan::Execution& execution) {
  const Dims& dims = culprit.operation->results[culprit.result].dims;
  if (!culprit.operation->op->lane || !operand.node->is_computed(operand.result)) return {};
  int64_t index = 0;
  for (const Dim& dim : operand.dims()) {
    const int at = find_dim(dims, dim.name);
    if (at < 0) return {};
    index = index * dim.size + culprit.found.position[at];
  }
  return fmt::format(", {} there", number_text(execution.fetch(operand).number(index), operand.element()));
}

}  // namespace

struct FiniteCheck::Looked {
  graph::NodePtr node;
  Values operands;
  std::map<int, graph::Handle> results;     ///< the number of each checked result
  std::map<int, graph::Handle> iterations;  ///< for a loop: the numbers of its iterations, by result
  bool is_bound = false;                    ///< somebody holds it, or it has a name
};

FiniteCheck::FiniteCheck(ops::Builder& builder, const Values& needed) {
  Values roots = builder.table->pending_held();
  for (const Value& value : needed)
    if (!value.node->is_computed(value.result)) roots.push_back(value);
  const Restore context(builder.context, builder.context);
  const Restore written(builder.written, false);
  builder.context.no_grad = true;
  builder.context.segment = nullptr;
  const auto number_of = [&](const Value& value) {
    builder.context.mesh = value.mesh();
    graph::Handle number(builder.add(ops::kFirstNotFinite, {value}));
    number.value().node->is_looked_at = true;
    return number;
  };
  std::unordered_map<const graph::Node*, size_t> known;
  const auto entry_of = [&](const graph::NodePtr& node) -> Looked& {
    const auto [at, is_new] = known.try_emplace(node.get(), looked_.size());
    if (is_new) looked_.push_back({.node = node, .operands = {}, .results = {}, .iterations = {}});
    return looked_[at->second];
  };
  const std::vector<graph::NodePtr> nodes = graph::pending(roots);
  std::vector<bool> is_bound;
  for (const graph::NodePtr& node : nodes) is_bound.push_back(node->is_held() || !node->name.empty());
  for (size_t n = 0; n < nodes.size(); ++n) {
    const graph::NodePtr& node = nodes[n];
    for (const Value& operand : node->operands()) {  // computed by an earlier cut, or read from a file
      if (!operand.node->is_computed(operand.result) || !is_float(operand.element())) continue;
      std::map<int, graph::Handle>& results = entry_of(operand.node).results;
      if (results.count(operand.result) == 0) results.emplace(operand.result, number_of(operand));
    }
    Looked& entry = entry_of(node);
    entry.operands = node->operands();
    entry.is_bound = is_bound[n] ||
                     std::any_of(needed.begin(), needed.end(), [&](const Value& value) { return value.node == node; });
    const graph::LaidOutOperation& operation = *node->operation;
    for (size_t r = 0; r < operation.results.size(); ++r) {
      const Value value{node, static_cast<int>(r)};
      if (ops::is_of_iterations(operation, value.result)) entry.iterations.emplace(value.result, graph::Handle(value));
      else if (ops::is_looked_at(operation, value.result)) entry.results.emplace(value.result, number_of(value));
    }
  }
}

FiniteCheck::~FiniteCheck() = default;

void FiniteCheck::expect_finite(plan::Execution& execution) const {
  struct Told {
    const Looked* entry;
    std::map<int, double> results;
  };
  std::unordered_map<const graph::Node*, Told> told;
  const auto found_in = [&](const Value& value) -> std::optional<ops::NotFinite> {
    const Told& of = told.at(value.node.get());
    const auto at = of.results.find(value.result);
    return at == of.results.end() ? std::nullopt : ops::not_finite(at->second, value.dims());
  };
  const std::function<bool(const Value&)> is_finite = [&](const Value& value) {
    const graph::LaidOutOperation& operation = value.operation();
    if (!mtf::is_float(value.element())) return true;
    if (operation.op->role == graph::Role::kNumber) return std::isfinite(operation.inputs[0]);
    const auto at = told.find(value.node.get());
    if (at == told.end()) return true;
    if (at->second.results.count(value.result) > 0) return !found_in(value);
    const Values& operands = at->second.entry->operands;
    return operation.region || std::all_of(operands.begin(), operands.end(), is_finite);
  };
  for (const Looked& entry : looked_) {
    Told& here = told[entry.node.get()];
    here.entry = &entry;
    for (const auto& [result, number] : entry.results) here.results[result] = execution.fetch(number.value()).number(0);
  }
  // Goes backward through the program, and marks the non-finite values that a bound value is computed from.
  std::unordered_map<const graph::Node*, bool> leaves;
  for (auto entry = looked_.rbegin(); entry != looked_.rend(); ++entry) {
    const graph::LaidOutOperation& operation = *entry->node->operation;
    bool is_finite_all = true;
    for (size_t r = 0; r < operation.results.size(); ++r)
      is_finite_all = is_finite_all && is_finite({entry->node, static_cast<int>(r)});
    bool& goes_on = leaves[entry->node.get()];
    goes_on = !is_finite_all && (goes_on || entry->is_bound);
    if (goes_on || operation.region)
      for (const Value& operand : entry->operands) leaves[operand.node.get()] = true;
  }
  const auto first_of = [&](const Looked& entry) -> std::optional<Culprit> {
    const graph::OperationRef& operation = entry.node->operation;
    if (!entry.iterations.empty()) {
      std::map<int, plan::HostTensor> fetched;
      IterationsLook::Numbers numbers;
      for (const auto& [result, number] : entry.iterations)
        numbers[result] = &(fetched[result] = execution.fetch(number.value()));
      IterationsLook look(*operation, numbers, [&](size_t operand) { return is_finite(entry.operands[operand]); });
      if (std::optional<Culprit> found = look.first({})) return found;
    }
    if (entry.operands.empty() || !leaves[entry.node.get()] ||
        !std::all_of(entry.operands.begin(), entry.operands.end(), is_finite))
      return std::nullopt;
    for (const auto& [result, number] : entry.results)
      if (const auto found = found_in({entry.node, result})) return Culprit{operation, result, *found, {}, {}};
    return std::nullopt;
  };
  for (const Looked& entry : looked_) {
    const std::optional<Culprit> found = first_of(entry);
    if (!found) continue;
    const graph::LaidOutOperation& operation = *found->operation;
    Diagnostic diagnostic(Kind::not_finite, operation.span,
                          fmt::format("{} gives {}{}", operation_text(*operation.op), what_it_is(found->found.number),
                                      place_text(*found)));
    std::vector<std::string> operands = found->operands;
    if (found->iterations.empty())
      for (const Value& operand : entry.operands) {
        const graph::LaidOutOperation& made_by = operand.operation();
        operands.push_back(made_by.op->role == graph::Role::kNumber
                               ? number_text(made_by.inputs[0], made_by.results[0].element)
                               : operand_text(operand.node->name, operand.type()) +
                                     operand_there(*found, operand, execution));
      }
    diagnostic.note(fmt::format("{} finite: {}", operands.size() == 1 ? "its operand is" : "its operands are",
                                mtf::join(operands, "; ")));
    for (const graph::CallFrame* frame = operation.frame.get(); frame; frame = frame->caller.get())
      if (frame->span.is_known())
        diagnostic.related(frame->span, frame->backward ? "in the gradient of this" : "in this call");
    fail(std::move(diagnostic));
  }
}

}  // namespace mtf::eval
