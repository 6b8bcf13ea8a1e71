#include <algorithm>
#include <utility>

#include "graph/op.h"
#include "graph/region.h"
#include "spmd/decider.h"
#include "spmd/halos.h"
#include "spmd/local_text.h"
#include "spmd/loop_copies.h"
#include "spmd/partial_results.h"
#include "spmd/passes.h"
#include "spmd/split_loop.h"
#include "spmd/sum_chains.h"
#include "support/diagnostics.h"
#include "support/interrupt.h"

namespace mtf::spmd {
namespace {

/// Walks over the operations: lets the decider decide, then adds the instructions.
class Splitter {
 public:
  Splitter(const MergedProgram& merged, const LoweringOptions& options, const EnclosingLoop& loop)
      : loop_(loop),
        graph_(merged.program),
        names_(names_of(graph_)),
        decisions_(options.decisions),
        local_(graph_),
        halos_(graph_),
        decider_(merged, loop, local_),
        sums_(graph_, names_, local_, decider_,
              [this](int index, const Term& a, const Term& b) { return sum_of(index, a, b); }),
        loops_(graph_, names_, local_, decider_, options, loop),
        zero_(graph_.operations.size()),
        locals_(decider_.readers().results(), -1),
        input_locals_(graph_.inputs.size(), -1) {}

  LocalProgram run() {
    for (size_t i = 0; i < graph_.operations.size(); ++i) {
      check_interrupt();
      lower(static_cast<int>(i));
    }
    std::vector<int> outputs;
    for (size_t r = 0; r < graph_.roots.size(); ++r) {
      const RootDecision decision = decider_.root(r, local(graph_.roots[r]));
      outputs.push_back(output(r, decision));
      if (decisions_) decisions_->roots.push_back(decision), decisions_->roots.back().output = outputs.back();
    }
    const std::vector<std::pair<int, int>> kept =
        decider_.copies_for_gradients([this](graph::ProgramValue value) { return existing_local(value); });
    LocalProgram result = local_.take();
    result.passes_over_windows = halos_.passes_over_windows();
    for (int output : outputs) result.outputs.push_back({output});
    for (const auto& [which, copy] : kept) {
      result.outputs.push_back({copy});
      result.copied.push_back(which);
    }
    if (decisions_) finish_decisions(kept, result);
    return result;
  }

 private:
  // ---- values -------------------------------------------------------------------------------------------------------

  /// Returns the local value that holds a value of the graph, or -1.
  int existing_local(graph::ProgramValue value) const {
    return value.is_input() ? input_locals_[value.input()] : locals_[decider_.readers().index_of(value)];
  }

  /// Returns the local value that holds a value of the graph. Adds an input when it is first needed.
  int local(graph::ProgramValue value) {
    if (!value.is_input()) {
      MTF_CHECK(existing_local(value) >= 0, "{} is read before it is lowered", graph_.maker(value).op->name);
      return existing_local(value);
    }
    int& index = input_locals_[value.input()];
    if (index >= 0) return index;
    const graph::OperationRef& node = decider_.operation_of(value);
    const auto which = static_cast<size_t>(value.input());
    if (which >= loop_.tensors.size()) return index = local_.add_input(value.input(), node->mesh);
    index = local_.add_input(value.input(), node->mesh, &loop_.tensors[which]);
    if (which < loop_.tensor_owners.size() && !loop_.tensor_owners[which].empty())
      index = local_.from_owner(node, index, loop_.over, loop_.tensor_owners[which]);
    return index = local_.bring(index, graph_.sharding(value), node, nullptr);
  }

  bool is_zero(graph::ProgramValue value) const { return !value.is_input() && zero_[value.source]; }

  // ---- operations ---------------------------------------------------------------------------------------------------

  /// Marks the following instructions as part of operation `index`.
  void begin(int index) {
    const graph::ProgramOperation& entry = graph_.operations[index];
    const graph::LaidOutOperation& node = *entry.operation;
    local_.set_backward(entry.replica != 0 || !node.written);  // gradients are the operations that no line wrote
    local_.in_replica(entry.replica);
  }

  void lower(int index) {
    begin(index);
    const graph::OperationRef& node = graph_.operations[index].operation;
    const auto term_of = [&](graph::ProgramValue operand) {
      const int value = local_.onto_mesh(local(operand), node);
      return Term{value, local_[value].partial, is_zero(operand)};
    };
    if (const std::optional<SumChains::Lowered> chain = sums_.lower(index, term_of)) {
      OperationDecision decision{.node = node};
      for (const Term& term : chain->terms) {
        decision.values.push_back(term.value);
        decision.separate_terms.push_back(term.axes);
      }
      if (chain->sum) complete({index, 0}, *chain->sum, sum_reason(local_[*chain->sum].partial, node->mesh), decision);
      return record(std::move(decision));
    }
    std::vector<int> operands;
    std::vector<bool> zeros;
    operands.reserve(static_cast<size_t>(graph_.operations[index].operand_count));
    for (const graph::ProgramValue& operand : graph_.operands_of(index)) {
      operands.push_back(term_of(operand).value);
      zeros.push_back(is_zero(operand));
    }
    if (node->region) return add_loop(index, loops_.lower(index, std::move(operands)));
    zero_[index] = ops::is_zero(*node) || (node->op->role == graph::Role::kView && zeros[0]);
    Computed computed = compute(index, std::move(operands), zeros);
    for (size_t r = 0; r < computed.outcomes.size(); ++r)
      complete({index, static_cast<int32_t>(r)}, computed.outcomes[r], computed.reason, computed.decision);
    record(std::move(computed.decision));
  }

  /// The results of an operation on blocks, in the split in which it is computed, and the reason to reduce them.
  struct Computed {
    OperationDecision decision = {};
    std::vector<int> outcomes = {};
    ReasonRef reason = nullptr;
  };

  Computed compute(int index, std::vector<int> values, const std::vector<bool>& zeros) {
    const graph::OperationRef& node = graph_.operations[index].operation;
    Computed computed{.decision = decider_.split(index, std::move(values), zeros)};
    OperationDecision& decision = computed.decision;
    const Lowering of{node, decider_.space(index), *decision.split, names_[index], graph_.operations[index].origin};
    std::vector<int> operands;
    for (size_t k = 0; k < decision.values.size(); ++k)
      operands.push_back(local_.bring(decision.reshardings[k], decision.wanted[k], node,
                                      summed_reason(local_[decision.values[k]], *node)));
    decision.shares_halo = !operands.empty() && halos_.shares_halo(index, local_, of, operands[0]);
    decider_.compute(index, decision);
    computed.outcomes = apply(index, of, decision, std::move(operands));
    computed.reason = reduce_reason(*node, of.space, of.split);
    for (int& outcome : computed.outcomes) outcome = reduce_others(local_, of, outcome, computed.reason);
    return computed;
  }

  /// Adds the instructions that compute an operation as decided.
  std::vector<int> apply(int index, const Lowering& of, const OperationDecision& decision, std::vector<int> operands) {
    if (of.node->op == &ops::kAssign) local_.stores(operands[0]);
    if (decision.by == ComputedBy::kName) return {operands[0]};
    const int first = operands.empty() ? -1 : operands[0];
    if (decision.shares_halo) operands[0] = halos_.fetched(index, local_, of, operands[0]);
    for (const Fetch& each : decision.fetches)
      operands[each.operand] = fetch(local_, of, operands[each.operand], each.dim, each.map, each.axes);
    std::vector<int> results;
    if (decision.by == ComputedBy::kTotals) {
      results = {scan(local_, of, operands[0])};
    } else {
      for (size_t r = 0; r < of.node->results.size(); ++r) results.push_back(local_.add(block(of, decision, r)));
      if (decision.by == ComputedBy::kIntervals) reshape_by_intervals(local_, of, operands[0], results[0]);
      else local_.compute(of.node, operands, results, of.origin);
      for (size_t r = 0; r < results.size(); ++r)
        if (const int dim = decision.added_back[r]; dim >= 0)
          results[r] = add_back(local_, of, results[r], of.space.dims[dim].results[r],
                                of.split.dims[of.space.dims[dim].follows]);
    }
    if (of.node->op->role == graph::Role::kView && of.split.operands[0] == of.split.results[0])
      local_.is_view(results[0], first, of.node);
    return results;
  }

  /// Returns the block of result `r` that a processor computes.
  LocalValue block(const Lowering& of, const OperationDecision& decision, size_t r) const {
    LocalValue result = block_of_result(of.name, *of.node, static_cast<int>(r), of.split.results[r]);
    result.partial &= ~loop_.micro;  // a micro-batch's sum over them is complete for that micro-batch
    const int adds = decision.added_back[r];
    if (adds >= 0) {
      LocalDim& wide = result.dims[of.space.dims[adds].results[r]];
      wide.mapped = true;
      wide.map = of.space.dims[adds].reach;
    }
    if (sums_unrounded(of) && (result.partial || adds >= 0) && result.element == ElementType::kBf16)
      result.element = ElementType::kF32;  // parts are rounded once, after the reduction
    return result;
  }

  Term sum_of(int addition, const Term& a, const Term& b) {
    const int value = compute(addition, {a.value, b.value}, {a.zero, b.zero}).outcomes[0];
    const graph::OperationRef& node = graph_.operations[addition].operation;
    if (local_[value].partial) return {value, local_[value].partial};
    return {local_.bring(value, node->shardings[0], node, nullptr), 0, a.zero && b.zero};
  }

  /// Makes the outcome of an operation its result, in the result's layout unless it stays partial.
  void complete(graph::ProgramValue value, int outcome, const ReasonRef& reason, OperationDecision& operation) {
    const graph::OperationRef& node = decider_.operation_of(value);
    ResultDecision decision = decider_.result(value, outcome, reason);
    if (decision.stays == StaysPartial::kNo)
      outcome = rounded(local_, local_.bring(decision.resharding, decision.wanted, node, reason), node, value.result);
    locals_[decider_.readers().index_of(value)] = outcome;
    operation.results.push_back(std::move(decision));
  }

  /// Adds a loop. Registers the copies that iterations made as copies of the loop's operands and results.
  void add_loop(int index, LoopSplitter::Lowered lowered) {
    LocalLoop& loop = lowered.loop;
    const std::vector<int> read = loop.operands, given = loop.results;
    const std::vector<LoopCopy> copies = add_copies(loop, local_);
    local_.run_in_iterations(loop.node, std::move(loop.operands), std::move(loop.results),
                             graph_.operations[index].origin,
                             std::make_shared<const LocalProgram>(std::move(loop.iteration)));
    const auto result = [&](size_t r) { return graph::ProgramValue{index, static_cast<int32_t>(lowered.results[r])}; };
    for (size_t r = 0; r < given.size(); ++r)
      complete(result(r), given[r], sum_reason(local_[given[r]].partial, graph_.operations[index].operation->mesh),
               lowered.decision);
    for (const LoopCopy& copy : copies) {
      if (copy.rename) local_.compute(copy.rename, {copy.under_another_name}, {copy.value});
      local_.has_been_brought(copy.of_operand ? read[copy.of] : existing_local(result(copy.of)), copy.value);
    }
    record(std::move(lowered.decision));
  }

  // ---- roots --------------------------------------------------------------------------------------------------------

  /// Returns the local value that holds root `r` at the end.
  int output(size_t r, const RootDecision& decision) {
    const graph::ProgramValue root = graph_.roots[r];
    const graph::OperationRef& node = decider_.operation_of(root);
    switch (decision.kind) {
      case RootDecision::Kind::kSum: return added_to_sum(decision.value, node);
      case RootDecision::Kind::kPartial: return decision.value;
      case RootDecision::Kind::kOwner: return given_to_owner(decision, root, loop_.root_owners[r]);
      case RootDecision::Kind::kLayout: break;
    }
    return local_.bring(decision.resharding, decision.wanted, node, nullptr);
  }

  /// Adds the term of an iteration to the running value of its sum.
  int added_to_sum(int value, const graph::OperationRef& node) {
    const int before = local_.add_sum(value, node);
    const int after = local_.add(local_[before]);
    const TensorType type = local_[value].type();
    local_.compute(helper_operation(ops::kAdd, {type, type}, {}, *node), {before, value}, {after});
    return after;
  }

  /// Sends a value to its owner. If the value is a partial sum over the owner's axes, it becomes complete only there.
  int given_to_owner(const RootDecision& decision, graph::ProgramValue root, const AxisList& owners) {
    int value = decision.value;
    if (!local_[value].mesh) value = local_.add_input(root.input(), loop_.mesh);  // a number has no sharding
    const graph::OperationRef& node = decider_.operation_of(root);
    const ReasonRef reason = sum_reason(local_[value].partial & ~decision.wanted.partial, loop_.mesh);
    return local_.to_owner(node, local_.bring(value, decision.wanted, node, reason), loop_.over, owners);
  }

  // ---- decisions ----------------------------------------------------------------------------------------------------

  void record(OperationDecision decision) {
    if (decisions_) decisions_->operations.push_back(std::move(decision));
  }

  void finish_decisions(const std::vector<std::pair<int, int>>& kept, const LocalProgram& program) {
    for (const auto& [which, copy] : kept)
      decisions_->kept_copies.emplace_back(existing_local(graph_.for_gradients[which]), copy);
    decisions_->values = program.values;
    const LocalWriter writer(program);
    for (size_t value = 0; value < program.values.size(); ++value)
      decisions_->names.push_back(writer.name(static_cast<int>(value)));
  }

  const EnclosingLoop& loop_;
  const graph::Program& graph_;
  const std::vector<std::string> names_;
  Decisions* const decisions_;  ///< null: nobody asks for them
  LocalBuilder local_;
  Halos halos_;
  Decider decider_;
  SumChains sums_;
  LoopSplitter loops_;
  std::vector<bool> zero_;   ///< for each operation: its result is a constant zero
  std::vector<int> locals_;  ///< the local value that holds each result, or -1
  std::vector<int> input_locals_;
};

}  // namespace

LocalProgram split(const MergedProgram& merged, const LoweringOptions& options, const EnclosingLoop* loop) {
  LocalProgram local = Splitter(merged, options, loop ? *loop : EnclosingLoop{}).run();
  if (!loop) leave_out_unread_of_loops(local);
  return local;
}

}  // namespace mtf::spmd
