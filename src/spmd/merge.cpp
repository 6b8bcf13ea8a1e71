#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "graph/op.h"
#include "graph/region.h"
#include "ops/attention.h"
#include "ops/ops.h"
#include "spmd/expand.h"
#include "spmd/local_builder.h"
#include "spmd/loop_of_permutes.h"
#include "spmd/passes.h"
#include "spmd/sum_in_factors.h"
#include "spmd/work.h"
#include "support/diagnostics.h"
#include "support/interrupt.h"
#include "types/key.h"

namespace mtf::spmd {
namespace {

using ProgramValues = std::vector<graph::ProgramValue>;

/// Finds a dim that is split although the operation, with these operands, needs it gathered. Returns the number of its
/// blocks, or 0 if there is no such dim.
int64_t expanded_blocks(const graph::Program& program, const graph::LaidOutOperation& operation,
                        std::span<const graph::ProgramValue> operands) {
  AxisSet axes = 0;
  bool split = false;
  for (const graph::IterationDim& dim : operation.space().dims) {
    if (dim.kind != graph::SplitKind::kExpand) continue;
    for (size_t k = 0; k < operands.size(); ++k) {
      if (dim.operands[k] < 0 || !same_mesh(program.mesh(operands[k]), operation.mesh)) continue;
      const AxisList& list = program.sharding(operands[k]).dims[dim.operands[k]];
      split = split || !list.empty();
      axes |= list.set();
    }
    for (size_t r = 0; r < operation.results.size(); ++r)
      split = split || (dim.results[r] >= 0 && !operation.shardings[r].dims[dim.results[r]].empty());
  }
  return split ? operation.mesh->group_size(axes) : 0;
}

/// Returns the number of blocks of queries that compute different amounts, or 1 if all compute the same.
int64_t uneven_blocks(const graph::LaidOutOperation& operation) {
  if (!operation.mesh || (operation.op != &ops::kAttention && operation.op != &ops::kAttentionGradient)) return 1;
  const ops::AttentionParts parts(operation);
  const auto length = static_cast<size_t>(parts.length_position);
  return parts.is_uneven() ? operation.mesh->group_size(operation.shardings[0].dims[length].set()) : 1;
}

/// True if the operation is a product that may become a loop of permutes.
bool may_loop(const graph::LaidOutOperation& operation, int64_t most_whole) {
  return most_whole < kUnlimited && operation.op == &ops::kEinsum && operation.operands.size() == 2 && operation.mesh &&
         operation.mesh->size() > 1;
}

/// True if a pass with these options may replace the operation.
bool may_expand(const graph::LaidOutOperation& operation, const LoweringOptions& options) {
  return operation.op->expand || may_loop(operation, options.most_whole) || may_have_factors(operation);
}

/// Copies a program, merges equal operations, and optionally expands operations.
class Merger {
 public:
  Merger(const graph::Program& from, Forms& forms, const LoweringOptions* options)
      : captured_inputs_(from.inputs.size()), options_(options), forms_(forms) {
    graph::Program& program = result_.program;
    program.inputs = from.inputs;
    program.operations.reserve(from.operations.size());
    program.operands.reserve(from.operands.size());
    known_.reserve(from.operations.size());
    for (graph::ProgramInput& input : program.inputs) input.is_own = false;
    std::vector<size_t> stands_for(from.operations.size());
    auto resolve = [&](graph::ProgramValue value) {
      return value.is_input() ? value : results_[stands_for[value.source] + static_cast<size_t>(value.result)];
    };
    ProgramValues operands;
    for (size_t i = 0; i < from.operations.size(); ++i) {
      check_interrupt();
      operands.clear();
      for (const graph::ProgramValue& operand : from.operands_of(i)) operands.push_back(resolve(operand));
      const graph::ProgramOperation& entry = from.operations[i];
      const size_t before = program.operations.size();
      stands_for[i] = add(entry, operands);
      if (entry.like < 0 || program.operations.size() == before ||
          program.operations.back().operation != entry.operation)
        continue;
      const graph::ProgramValue like = resolve({entry.like, entry.operation->why.like_result});
      program.operations.back().like = like.is_input() ? -1 : like.source;
    }
    for (const graph::ProgramValue& root : from.roots) program.roots.push_back(resolve(root));
    program.only_history = from.only_history;
    for (const graph::ProgramValue& value : from.for_gradients) program.for_gradients.push_back(resolve(value));
  }

  MergedProgram take() { return std::move(result_); }

 private:
  /// The shardings of the operands of an expandable operation, and the number of blocks.
  struct Context {
    std::vector<ExpandedOperand> operands;
    int64_t blocks = 1;
    bool operator==(const Context&) const = default;
  };

  enum class Replaced : uint8_t { kStays, kExpanded, kBalanced };

  /// Makes equal keys for equal applications of an operation of this form.
  void make_key(int32_t form, const graph::ProgramOperation& entry, const ProgramValues& operands) {
    key_.clear();
    mtf::append(key_, form);
    mtf::append(key_, entry.replica);
    for (const graph::ProgramValue& operand : operands)
      mtf::append(key_, operand.is_input() ? operand.source : first_[operand.source] + operand.result);
  }

  /// Returns the index in results_ at which the values for the operation's results begin.
  size_t add(const graph::ProgramOperation& entry, const ProgramValues& operands) {
    graph::Program& program = result_.program;
    const int32_t form = forms_.of(entry.operation);
    make_key(form, entry, operands);
    const auto [at, fresh] = known_.try_emplace(key_, results_.size());
    size_t& begin = at->second;
    if (!fresh) {
      const graph::ProgramValue first = results_[begin];
      if (!first.is_input() && program.operations[first.source].name.empty())
        program.operations[first.source].name = entry.name;
      return begin;
    }
    if (options_ && may_expand(*entry.operation, *options_)) {
      if (const graph::Program* const parts = expansion(form, entry.operation, operands)) {
        const ProgramValues results = expand(entry, operands, *parts);
        begin = results_.size();
        results_.insert(results_.end(), results.begin(), results.end());
        return begin;
      }
    }
    const auto index = static_cast<int32_t>(program.operations.size());
    graph::ProgramOperation added = entry;
    added.first_operand = static_cast<int32_t>(program.operands.size());
    program.operands.insert(program.operands.end(), operands.begin(), operands.end());
    program.operations.push_back(std::move(added));
    result_.forms.push_back(form);
    first_.push_back(static_cast<int32_t>(begin));
    for (size_t r = 0; r < entry.operation->results.size(); ++r) results_.push_back({index, static_cast<int32_t>(r)});
    return begin;
  }

  ProgramValues expand(const graph::ProgramOperation& entry, const ProgramValues& operands,
                       const graph::Program& parts) {
    graph::Program& program = result_.program;
    ProgramValues inputs(operands);
    for (size_t i = operands.size(); i < parts.inputs.size(); ++i) inputs.push_back(own_number(parts.inputs[i]));
    std::vector<size_t> stands_for(parts.operations.size());
    auto resolve = [&](graph::ProgramValue value) {
      return value.is_input() ? inputs[value.input()]
                              : results_[stands_for[value.source] + static_cast<size_t>(value.result)];
    };
    for (size_t i = 0; i < parts.operations.size(); ++i) {
      ProgramValues of;
      for (const graph::ProgramValue& operand : parts.operands_of(i)) of.push_back(resolve(operand));
      graph::ProgramOperation part = parts.operations[i];
      part.replica = entry.replica;
      part.origin = -1;
      part.like = -1;
      stands_for[i] = add(part, of);
    }
    ProgramValues results;
    for (const graph::ProgramValue& root : parts.roots) results.push_back(resolve(root));
    if (!results[0].is_input() && program.operations[results[0].source].name.empty())
      program.operations[results[0].source].name = entry.name;
    return results;
  }

  /// Returns the program that replaces an operation, or null. Operations that are one object and whose operands have
  /// equal shardings share an expansion. The decision to expand is made once for all operations of a form.
  const graph::Program* expansion(int32_t form, const graph::OperationRef& operation, const ProgramValues& operands) {
    const graph::Program& program = result_.program;
    const bool expands = operation->op->expand != nullptr;
    Context context{{}, expands ? expanded_blocks(program, *operation, operands) : 1};
    const int64_t uneven = expands ? uneven_blocks(*operation) : 1;
    if (context.blocks == 0 && uneven == 1) return nullptr;
    for (const graph::ProgramValue& operand : operands) {
      if (same_mesh(program.mesh(operand), operation->mesh))
        context.operands.push_back({program.sharding(operand), program.inherited(operand)});
      else context.operands.push_back({replicated(program.type(operand).dims.size()), 0});
    }
    const auto here = [&](const auto& known) { return known.first == context; };
    std::deque<std::pair<Context, Replaced>>& decided = expanded_[form];
    const auto decision = std::find_if(decided.begin(), decided.end(), here);
    if (decision != decided.end() && decision->second == Replaced::kStays) return nullptr;
    std::deque<std::pair<Context, graph::Program>>& known = expansions_[operation.get()];
    if (const auto at = std::find_if(known.begin(), known.end(), here); at != known.end()) return &at->second;
    std::optional<graph::Program> parts;
    Replaced how = Replaced::kExpanded;
    if (expands) {
      const bool is_known = decision != decided.end();
      if (context.blocks > 0 && !(is_known && decision->second == Replaced::kBalanced)) {
        parts = expansion_of(*operation, context.operands, context.blocks);
        if (!is_known && is_less_whole(operation, context.operands, *parts, *options_)) parts.reset();
      }
      if (!parts && uneven > 1) {
        parts = balanced(*operation, context.operands, uneven);
        how = Replaced::kBalanced;
      }
    } else {
      if (may_loop(*operation, options_->most_whole)) parts = loop_of_permutes(operation, context.operands, *options_);
      if (!parts) parts = sum_in_factors(*operation, context.operands);
    }
    if (decision == decided.end()) decided.emplace_back(context, parts ? how : Replaced::kStays);
    if (!parts) return nullptr;
    return &known.emplace_back(std::move(context), std::move(*parts)).second;
  }

  graph::ProgramValue own_number(const graph::ProgramInput& number) {
    graph::Program& program = result_.program;
    for (size_t i = captured_inputs_; i < program.inputs.size(); ++i) {
      const graph::ProgramInput& other = program.inputs[i];
      if (other.number == number.number && other.operation->results[0] == number.operation->results[0] &&
          same_mesh(other.operation->mesh, number.operation->mesh))
        return graph::ProgramValue::input(i);
    }
    program.inputs.push_back(number);
    program.inputs.back().is_own = true;
    return graph::ProgramValue::input(program.inputs.size() - 1);
  }

  const size_t captured_inputs_;
  const LoweringOptions* const options_;  ///< null: operations are not expanded
  MergedProgram result_;
  Forms& forms_;
  std::unordered_map<std::string, size_t> known_;  ///< by form and operands: the index in results_ of the first result
  ProgramValues results_;                          ///< the results of each application, in order
  std::vector<int32_t> first_;  ///< for each operation of the new program: the index in results_ of its first result
  std::unordered_map<int32_t, std::deque<std::pair<Context, Replaced>>> expanded_;  ///< by form
  std::unordered_map<const graph::LaidOutOperation*, std::deque<std::pair<Context, graph::Program>>> expansions_;
  std::string key_;
};

}  // namespace

MergedProgram merge(const graph::Program& program, Forms& forms) { return Merger(program, forms, nullptr).take(); }

/// Returns the flops that one processor alone would need for an operation.
static Cost unique_flops(const graph::LaidOutOperation& operation) {
  if (!operation.region) return work_of_whole(operation);
  const graph::Region& region = *operation.region;
  Forms forms;
  Cost flops = unique_flops(merge(region.iteration, forms));
  for (size_t r = static_cast<size_t>(region.carried + region.stacked); r < region.iteration.roots.size(); ++r) {
    const TensorType& type = region.iteration.type(region.iteration.roots[r]);  // for the addition to the sum
    flops.add(work_of_whole(*helper_operation(ops::kAdd, {type, type}, {}, operation)));
  }
  return flops.times(region.iterations);
}

Cost unique_flops(const MergedProgram& merged) {
  std::unordered_map<int32_t, int64_t> times;
  for (int32_t form : merged.forms) ++times[form];
  Cost flops;
  for (size_t i = 0; i < merged.forms.size(); ++i)
    if (int64_t& all = times[merged.forms[i]])
      flops.add(unique_flops(*merged.program.operations[i].operation).times(std::exchange(all, 0)));
  return flops;
}

void expand(MergedProgram& merged, Forms& forms, const LoweringOptions& options) {
  const graph::Program& program = merged.program;
  for (size_t i = 0; i < program.operations.size(); ++i) {
    const graph::LaidOutOperation& operation = *program.operations[i].operation;
    if (!may_expand(operation, options) ||
        (operation.op->expand && expanded_blocks(program, operation, program.operands_of(i)) == 0 &&
         uneven_blocks(operation) == 1))
      continue;
    merged = Merger(program, forms, &options).take();
    return;
  }
}

}  // namespace mtf::spmd
