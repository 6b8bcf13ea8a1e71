#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "graph/op.h"
#include "graph/region.h"
#include "spmd/partial_sums.h"
#include "spmd/passes.h"
#include "spmd/program_readers.h"
#include "support/interrupt.h"

namespace mtf::spmd {
namespace {

/// Returns the sharding of operand `k` with which `reader` makes a result in `sharding`. Returns nothing if the
/// operation needs some dim gathered.
std::optional<Sharding> operand_layout(const graph::LaidOutOperation& reader, size_t k, const Sharding& sharding) {
  Sharding result = replicated(reader.operands[k].dims.size());
  for (const graph::IterationDim& dim : reader.space().dims) {
    if (!dim.is_free()) return std::nullopt;
    if (dim.operands[k] >= 0 && dim.results[0] >= 0) result.dims[dim.operands[k]] = sharding.dims[dim.results[0]];
  }
  return result;
}

/// Returns the splits that two shardings have in common.
Sharding common(const Sharding& a, const Sharding& b) {
  Sharding both = replicated(a.dims.size());
  for (size_t d = 0; d < a.dims.size(); ++d)
    for (int i = 0; i < std::min(a.dims[d].size(), b.dims[d].size()) && a.dims[d][i] == b.dims[d][i]; ++i)
      both.dims[d].push_back(a.dims[d][i]);
  return both;
}

/// True for a sum whose result is much smaller than its operand, such as a norm, or the moments of the rows of a
/// gradient. The operand may have any layout: a partial result costs little to reduce, and another layout little to
/// reshard.
bool is_summary(const graph::LaidOutOperation& operation) {
  constexpr int64_t kMuch = 8;
  const std::vector<graph::IterationDim>& dims = operation.space().dims;
  const auto is_kept_or_summed = [](const graph::IterationDim& dim) {
    return dim.is_free() || (dim.kind == graph::SplitKind::kReduce && dim.reduce == kernels::Reduction::kSum);
  };
  if (operation.results.size() != 1 || operation.operands.size() != 1 ||
      !std::all_of(dims.begin(), dims.end(), is_kept_or_summed))
    return false;
  const Dims& kept = operation.results[0].dims;
  return kept.empty() || size_of(kept) <= size_of(operation.operands[0].dims) / kMuch;
}

/// True if the layout comes from a line with `@`, directly or along a residual stream.
bool is_inherited(const graph::LaidOutOperation& operation) {
  return operation.results.size() == 1 && operation.inherited[0] != 0;
}

class Sinker {
 public:
  Sinker(graph::Program& program, Forms& forms)
      : program_(program),
        forms_(forms),
        readers_(program),
        partial_(partial_sums(program, readers_)),
        asked_(count()),
        leads_to_summary_(count()),
        moved_(count()) {
    for (size_t i = 0; i < count(); ++i) {
      const graph::ProgramValue value{static_cast<int32_t>(i), 0};
      const std::span<const graph::ProgramValue> operands = program_.operands_of(i);
      made_of_.push_back(is_element_wise(value) && operands.size() == 1 ? made_of(operands[0]) : value);
    }
  }

  void run() {
    for (size_t i = count(); i-- > 0;) sink(i);
    for (size_t i = 0; i < count(); ++i) {
      follow(i);
      follow_primal(i);
    }
  }

 private:
  size_t count() const { return program_.operations.size(); }
  const graph::LaidOutOperation& at(size_t i) const { return *program_.operations[i].operation; }

  void move(size_t i, size_t result, Sharding sharding) {
    auto there = std::make_shared<graph::LaidOutOperation>(at(i));
    there->shardings[result] = std::move(sharding);
    program_.operations[i].operation = std::move(there);
    moved_[i] = true;
  }

  /// Returns the sharding in which `read` wants its operand, or nothing if it needs the operand as it is.
  const std::optional<Sharding>& wanted_by(const ProgramReaders::Read& read) {
    const graph::LaidOutOperation& reader = at(read.operation);
    const auto [known, fresh] =
        known_.try_emplace({forms_.of(program_.operations[read.operation].operation), read.operand});
    if (fresh) known->second = operand_layout(reader, static_cast<size_t>(read.operand), reader.shardings[0]);
    return known->second;
  }

  /// What the readers of a value want of its layout.
  struct Wish {
    bool refuses = false;                 ///< some reader needs the value as it is
    std::optional<Sharding> wanted = {};  ///< by the readers that ask for a layout
    bool has_summary = false;             ///< other readers, which lead to a summary, accept any layout
    bool is_given = true;  ///< the layout is asked for; else some readers only have it from their operands
  };
  Wish wish_of(graph::ProgramValue value) {
    Wish wish;
    for (const ProgramReaders::Read& read : readers_.of(value)) {
      const graph::LaidOutOperation& reader = at(read.operation);
      if (reader.results.size() != 1 || !same_mesh(reader.mesh, program_.mesh(value))) return {.refuses = true};
      if (leads_to_summary_[read.operation]) {
        wish.has_summary = true;
        continue;
      }
      wish.is_given = wish.is_given && asked_[read.operation];
      const std::optional<Sharding>& asked = wanted_by(read);
      if (!asked) return {.refuses = true};
      wish.wanted = wish.wanted ? common(*wish.wanted, *asked) : *asked;
    }
    return wish;
  }

  void sink(size_t i) {
    check_interrupt();
    const graph::LaidOutOperation& operation = at(i);
    const graph::ProgramValue value{static_cast<int32_t>(i), 0};
    asked_[i] = operation.origin != graph::LayoutOrigin::kRules || is_inherited(operation);
    leads_to_summary_[i] = is_summary(operation);
    if (operation.origin == graph::LayoutOrigin::kGiven || operation.op->is_leaf()) return;
    if (operation.results.size() != 1 || operation.region) return sink_results(i);
    if (readers_.is_root(value)) return;
    const Wish wish = wish_of(value);
    if (wish.refuses) return;
    const auto& [refuses, wanted, has_summary, is_given] = wish;
    if (!wanted) {
      leads_to_summary_[i] = leads_to_summary_[i] || (has_summary && operation.origin == graph::LayoutOrigin::kRules &&
                                                      operation.space().is_free());
      return;
    }
    const AxisSet own = operation.shardings[0].split(), gained = wanted->split() & ~own;
    if (own & ~wanted->split()) return;  // work would be repeated
    if (!gained &&
        moved_elements(i, *wanted) > moved_elements(i, operation.shardings[0]) + elements(operation.results[0]))
      return;  // more would move before the operation than behind it
    if (has_summary && gained && !(partial_[i] & gained)) return;  // a whole value needs no reduction for a summary
    // A layout that nobody asks for is worth it if a sum is scattered instead of reduced, or if nothing must be sent.
    if (!is_given && (!gained || ((gained & ~partial_[i]) && !is_created(i)))) return;
    asked_[i] = true;
    if (*wanted != operation.shardings[0]) move(i, 0, *wanted);
  }

  static double elements(const TensorType& type) {
    double product = 1;
    for (const Dim& dim : type.dims) product *= static_cast<double>(dim.size);
    return product;
  }

  /// Returns the elements of the operands that must be resharded to compute operation `i` in `sharding`. An operand of
  /// an element-wise operation counts as what it is made of. If that is several values, the operand counts nothing,
  /// because it may move to the same layout itself.
  double moved_elements(size_t i, const Sharding& sharding) const {
    const graph::LaidOutOperation& operation = at(i);
    const std::span<const graph::ProgramValue> operands = program_.operands_of(i);
    double moved = 0;
    for (size_t k = 0; k < operands.size(); ++k) {
      const graph::ProgramValue value = made_of(operands[k]);
      if (!value.is_input() && (is_element_wise(value) || program_.maker(value).op->is_leaf())) continue;
      const std::optional<Sharding> needed = operand_layout(operation, k, sharding);
      if (!needed || *needed != program_.sharding(operands[k])) moved += elements(operation.operands[k]);
    }
    return moved;
  }
  /// Returns the value of which single-operand element-wise operations make `value`.
  graph::ProgramValue made_of(graph::ProgramValue value) const {
    return value.is_input() || value.result != 0 ? value : made_of_[value.source];
  }
  /// True if operation `i` creates its result from numbers, such as random ones, or is element-wise in such a value.
  bool is_created(size_t i) const {
    const graph::ProgramValue value = made_of({static_cast<int32_t>(i), 0});
    return !value.is_input() && program_.operands_of(static_cast<size_t>(value.source)).empty();
  }
  bool is_element_wise(graph::ProgramValue value) const {
    return program_.maker(value).results.size() == 1 && program_.maker(value).space().is_free();
  }

  /// For an operation with several results, or with iterations: gives each result the sharding that its readers ask
  /// for.
  void sink_results(size_t i) {
    for (size_t r = 0; r < at(i).results.size(); ++r) {
      const graph::ProgramValue value{static_cast<int32_t>(i), static_cast<int32_t>(r)};
      if (readers_.is_root(value)) continue;
      auto [refuses, wanted, has_summary, is_given] = wish_of(value);
      if (refuses || !wanted || !is_given || (has_summary && !is_sum(at(i), r))) continue;
      if (at(i).region && !is_free_to_lie(at(i), r, *wanted)) continue;
      if (*wanted == at(i).shardings[r] || (at(i).shardings[r].split() & ~wanted->split())) continue;
      move(i, r, *wanted);
    }
  }

  /// True for a result of a loop that is a sum over its iterations.
  static bool is_sum(const graph::LaidOutOperation& operation, size_t result) {
    return operation.region && static_cast<int32_t>(result) >= operation.region->carried + operation.region->stacked;
  }

  /// True if a result of a loop may take the sharding `wanted`. Carries may not, because their shardings follow from
  /// the iteration. A stacked value may, and there are two cases for its split along the loop's dim:
  /// - Iterations compute it in blocks over the same axes: then `wanted` must not split the loop's dim and is changed
  /// accordingly.
  /// - Otherwise each iteration sends its slice to the processor that stores the slice.
  static bool is_free_to_lie(const graph::LaidOutOperation& loop, size_t result, Sharding& wanted) {
    const auto index = static_cast<int32_t>(result);
    const graph::Region& region = *loop.region;
    const bool is_stacked = index >= region.carried && index < region.carried + region.stacked;
    if (is_stacked && !region.stages.empty()) return false;
    if (is_stacked) {
      const AxisSet owners = wanted.dims[0].set();
      const graph::ProgramValue root = region.iteration.roots[result];
      if ((region.iteration.sharding(root).split() & owners) || loop.mesh->group_size(owners) == 1 || region.hands_on ||
          !same_mesh(region.iteration.mesh(root), loop.mesh))
        wanted = graph::off_loop_dim(loop.results[result].dims, std::move(wanted), *loop.mesh);
    }
    return index >= region.carried;
  }

  /// Gives values on the way to a total the sharding of the values that they are computed from.
  void follow(size_t i) {
    if (!leads_to_summary_[i] || is_summary(at(i))) return;
    const std::span<const graph::ProgramValue> operands = program_.operands_of(i);
    for (size_t k = 0; k < operands.size(); ++k) {
      if (operands[k].is_input() || !moved_[operands[k].source]) continue;
      Sharding sharding = at(i).shardings[0];
      for (const graph::IterationDim& dim : at(i).space().dims)
        if (dim.operands[k] >= 0 && dim.results[0] >= 0)
          sharding.dims[dim.results[0]] = program_.sharding(operands[k]).dims[dim.operands[k]];
      AxisSet used = 0;
      bool twice = false;
      for (const AxisList& axes : sharding.dims) {
        twice = twice || (used & axes.set());
        used |= axes.set();
      }
      if (!twice) return move(i, 0, std::move(sharding));
    }
  }

  /// Leaves a gradient in the sharding of its operand, if it only copies a layout and its primal value is computed in
  /// that sharding.
  void follow_primal(size_t i) {
    const int32_t primal = program_.operations[i].like;
    const graph::LaidOutOperation& operation = at(i);
    if (primal < 0 || !moved_[primal] || at(primal).region || operation.why.like_result != 0 ||
        operation.op->role != graph::Role::kView || operation.results.size() != 1 ||
        operation.operands[0] != operation.results[0] || readers_.is_root({static_cast<int32_t>(i), 0}))
      return;
    const graph::ProgramValue operand = program_.operands_of(i)[0];
    const Sharding& lies = program_.sharding(operand);
    const Dims& dims = operation.results[0].dims;
    if (lies != operation.shardings[0] && same_mesh(program_.mesh(operand), operation.mesh) &&
        lies == graph::layout_like(dims, at(primal), operation.why.like_result).sharding)
      move(i, 0, lies);
  }

  graph::Program& program_;
  Forms& forms_;
  const ProgramReaders readers_;
  const std::vector<AxisSet> partial_;
  std::vector<bool> asked_;             ///< for each operation: its layout was requested by a later one
  std::vector<bool> leads_to_summary_;  ///< for each operation: a total, or all its readers lead to one
  std::vector<bool> moved_;
  std::vector<graph::ProgramValue> made_of_;  ///< of the first result of each operation
  std::map<std::pair<int32_t, int32_t>, std::optional<Sharding>>
      known_;  ///< results of wanted_by, by the reader's form and the operand
};

}  // namespace

void sink_layouts(graph::Program& program, Forms& forms) {
  const auto is_split = [](const auto& entry) {
    const std::vector<Sharding>& shardings = entry.operation->shardings;
    return std::any_of(shardings.begin(), shardings.end(), [](const Sharding& sharding) { return sharding.split(); });
  };
  // Without a split there is no layout to sink. Looking for one would compute the space of each operation.
  if (std::any_of(program.inputs.begin(), program.inputs.end(), is_split) ||
      std::any_of(program.operations.begin(), program.operations.end(), is_split))
    Sinker(program, forms).run();
}

}  // namespace mtf::spmd
