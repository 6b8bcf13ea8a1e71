#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "graph/op.h"
#include "graph/region.h"
#include "spmd/passes.h"
#include "support/interrupt.h"

namespace mtf::spmd {
namespace {

class Carrier {
 public:
  /// `moved`: the shardings of inputs that arrive in other blocks than the program says.
  explicit Carrier(graph::Program& program, const std::map<size_t, Sharding>& moved = {})
      : program_(program), count_(program.operations.size()) {
    const size_t values = count_ + program.inputs.size();
    finer_.resize(values);
    readers_.resize(values);
    held_.assign(values, false);
    useful_.assign(values, false);
    kept_.assign(values, false);
    meets_.assign(values, false);
    like_.assign(count_, -1);
    for (const auto& [input, sharding] : moved) {
      finer_[count_ + input] = sharding;
      kept_[count_ + input] = true;
    }
  }

  void run() {
    std::map<std::pair<const graph::LaidOutOperation*, int>, size_t> inputs;
    for (size_t k = 0; k < program_.inputs.size(); ++k)
      inputs.emplace(std::pair(program_.inputs[k].operation.get(), program_.inputs[k].result), count_ + k);
    for (size_t i = 0; i < count_; ++i) {
      for (const graph::ProgramValue& operand : program_.operands_of(i))
        readers_[index(operand)].push_back(static_cast<int32_t>(i));
      like_[i] = program_.operations[i].like;
      if (const auto at_input = inputs.find({at(i).why.like.get(), at(i).why.like_result}); at_input != inputs.end())
        like_[i] = static_cast<int32_t>(at_input->second);
    }
    for (size_t i = 0; i < program_.roots.size(); ++i) {
      const bool only_history = !program_.only_history.empty() && program_.only_history[i];
      if (!only_history) held_[index(program_.roots[i])] = true;
    }
    for (size_t i = 0; i < count_; ++i) refine(i);
    for (size_t i = count_; i-- > 0;) see_use(i);
    for (size_t k = 0; k < program_.inputs.size(); ++k)
      if (kept_[count_ + k] && readers_[count_ + k].size() > 1) follow(count_ + k);
    for (size_t i = 0; i < count_; ++i) {
      keep(i);
      if (kept_[i] && readers_[i].size() > 1) follow(i);
    }
    move_inputs();
  }

 private:
  const graph::LaidOutOperation& at(size_t i) const { return *program_.operations[i].operation; }
  /// Returns the index of a value in the vectors below: results of operations first, then inputs.
  size_t index(graph::ProgramValue value) const {
    return value.is_input() ? count_ + static_cast<size_t>(value.input()) : static_cast<size_t>(value.source);
  }
  const TensorType& type(size_t index) const {
    return index < count_ ? at(index).results[0] : program_.type(graph::ProgramValue::input(index - count_));
  }
  const MeshPtr& mesh(size_t index) const {
    return index < count_ ? at(index).mesh : program_.mesh(graph::ProgramValue::input(index - count_));
  }

  /// Gives inputs the shardings in which they arrive. Operations that copy the layout of an input refer to its new
  /// operation.
  void move_inputs() {
    for (size_t k = 0; k < program_.inputs.size(); ++k) {
      if (!finer_[count_ + k]) continue;
      graph::ProgramInput& input = program_.inputs[k];
      auto now = std::make_shared<graph::LaidOutOperation>(*input.operation);
      now->shardings[input.result] = *finer_[count_ + k];
      input.operation = std::move(now);
    }
    for (size_t i = 0; i < count_; ++i) {
      const auto like = static_cast<size_t>(like_[i]);
      if (like_[i] < 0 || like < count_ || !finer_[like]) continue;
      auto follows = std::make_shared<graph::LaidOutOperation>(at(i));
      follows->why.like = program_.inputs[like - count_].operation;
      program_.operations[i].operation = std::move(follows);
    }
  }

  static bool renames(const graph::LaidOutOperation& operation, const graph::IterationDim& dim) {
    return operation.op->role == graph::Role::kView && dim.is_free() && dim.operands[0] >= 0 && dim.results[0] >= 0 &&
           operation.operands[0].dims[dim.operands[0]].name != operation.results[0].dims[dim.results[0]].name;
  }

  /// Returns the sharding of a value if the value keeps the splits that reach it.
  const Sharding& finer(graph::ProgramValue value) const {
    const std::optional<Sharding>& finer = finer_[index(value)];
    return finer ? *finer : program_.sharding(value);
  }

  /// Returns the axes that split a value only if it keeps the splits that reach it.
  AxisSet gained(graph::ProgramValue value) const { return finer(value).split() & ~program_.sharding(value).split(); }

  void refine(size_t i) {
    check_interrupt();
    const graph::LaidOutOperation& operation = at(i);
    if (held_[i] || operation.results.size() != 1 || operation.region ||
        operation.origin == graph::LayoutOrigin::kGiven || operation.op->is_leaf())
      return;
    if (operation.origin == graph::LayoutOrigin::kLike) {
      const int32_t like = like_[i];
      if (like >= 0 && finer_[like] && type(like).dims == operation.results[0].dims &&
          same_mesh(mesh(like), operation.mesh))
        finer_[i] = finer_[like];
      return;
    }
    const std::span<const graph::ProgramValue> operands = program_.operands_of(i);
    bool may = operation.op->role == graph::Role::kView;
    for (const graph::ProgramValue& operand : operands) may = may || gained(operand);
    if (!may) return;
    Sharding result = operation.shardings[0];
    for (const graph::IterationDim& dim : operation.space().dims) {
      if (!dim.is_free() || dim.results[0] < 0 || !result.dims[dim.results[0]].empty()) continue;
      for (size_t k = 0; k < operands.size(); ++k) {
        if (dim.operands[k] < 0 || !same_mesh(program_.mesh(operands[k]), operation.mesh)) continue;
        const AxisList& list = finer(operands[k]).dims[dim.operands[k]];
        const bool reaches = renames(operation, dim) || !(program_.sharding(operands[k]).dims[dim.operands[k]] == list);
        if (!reaches || list.empty() || (result.split() & list.set())) continue;
        result.dims[dim.results[0]] = list;
        break;
      }
    }
    if (!(result == operation.shardings[0])) finer_[i] = result;
  }

  /// Marks the operands whose carried splits divide the work of a product, either this operation or a later one.
  void see_use(size_t i) {
    const graph::LaidOutOperation& operation = at(i);
    const std::span<const graph::ProgramValue> operands = program_.operands_of(i);
    AxisSet known = 0;
    for (const Sharding& result : operation.shardings) known |= result.split();
    for (const graph::ProgramValue& operand : operands) known |= program_.sharding(operand).split();
    const bool product = operation.op->role == graph::Role::kContraction;
    for (const graph::ProgramValue& operand : operands) {
      const AxisSet axes = gained(operand);
      if (!axes || operand.is_input()) continue;
      if (product ? (axes & ~known) != 0 : finer_[i] && useful_[i]) useful_[index(operand)] = true;
    }
  }

  /// If several operations read a kept value, they keep its split too, and so do their consumers. This goes on up to
  /// the point where the results are together no larger than the value, because gathering them then moves no more
  /// bytes. So parts that are rotated separately and joined again are gathered after the join.
  void follow(size_t value) {
    constexpr size_t kMostFollowed = 64;
    const auto size = [&](size_t i) { return size_of(type(i).dims); };
    std::vector<size_t> followed;
    std::map<size_t, size_t> unread{{value, readers_[value].size()}};  // for each value: its remaining reads
    std::set<size_t> next(readers_[value].begin(), readers_[value].end());
    int64_t total = size(value);
    size_t kept = 0;
    while (!next.empty() && followed.size() < kMostFollowed) {
      const size_t i = *next.begin();
      if (!finer_[i]) break;
      next.erase(next.begin());
      followed.push_back(i);
      for (const graph::ProgramValue& operand : program_.operands_of(i)) {
        const auto read = unread.find(index(operand));
        if (read == unread.end() || --read->second > 0) continue;
        total -= size(read->first);
        unread.erase(read);
      }
      next.insert(readers_[i].begin(), readers_[i].end());
      if (!readers_[i].empty()) total += size(i), unread.emplace(i, readers_[i].size());
      if (total <= size(value)) kept = followed.size();
    }
    for (size_t n = 0; n < kept; ++n) meets_[followed[n]] = true;
  }

  /// Lets a value keep its splits if they are useful. Also lets it keep them if an operand keeps its splits. In that
  /// case this operation must be the operand's only reader, or all readers must keep the splits.
  void keep(size_t i) {
    if (!finer_[i]) return;
    const graph::LaidOutOperation& operation = at(i);
    kept_[i] = useful_[i];
    if (operation.origin == graph::LayoutOrigin::kLike) kept_[i] = kept_[like_[i]];
    else
      for (const graph::ProgramValue& operand : program_.operands_of(i))
        if (kept_[index(operand)])
          kept_[i] = kept_[i] || meets_[i] || operation.op->role == graph::Role::kContraction ||
                     readers_[index(operand)].size() == 1;
    if (!kept_[i]) return;
    auto moved = std::make_shared<graph::LaidOutOperation>(operation);
    moved->shardings[0] = *finer_[i];
    program_.operations[i].operation = std::move(moved);
  }

  graph::Program& program_;
  const size_t count_;
  // For each result of an operation, then for each input:
  std::vector<std::optional<Sharding>> finer_;  ///< the sharding that a carried split allows
  std::vector<std::vector<int32_t>> readers_;   ///< lists an operation once for each read
  std::vector<bool> held_, useful_, kept_;
  std::vector<bool> meets_;    ///< several operations read its operands, and all keep their splits
  std::vector<int32_t> like_;  ///< for each operation: the index of the value whose layout it copies; -1: none
};

}  // namespace

bool loses_a_split(const graph::Program& program) {
  for (size_t i = 0; i < program.operations.size(); ++i) {
    const graph::LaidOutOperation& operation = *program.operations[i].operation;
    if (operation.op->role != graph::Role::kView || operation.origin != graph::LayoutOrigin::kRules) continue;
    const graph::ProgramValue operand = program.operands_of(i)[0];
    if (program.sharding(operand).split() & ~operation.shardings[0].split()) return true;
  }
  return false;
}

/// Lets values that iterations save for their gradients keep splits, both in the loop that saves them and in the loop
/// that reads them.
static void carry_out_of_iterations(graph::Program& program) {
  std::map<graph::ProgramValue, Sharding> moved;  // the sharding in one iteration
  for (size_t i = 0; i < program.operations.size(); ++i) {
    graph::OperationRef& operation = program.operations[i].operation;
    if (!operation->region || operation->region->hands_on || !operation->region->stages.empty()) continue;
    graph::Region region = *operation->region;
    std::map<size_t, Sharding> moved_inputs;
    const std::span<const graph::ProgramValue> operands = program.operands_of(i);
    for (size_t k = 0; k < operands.size(); ++k)
      if (const auto at = moved.find(operands[k]); at != moved.end() && region.is_placed(k))
        moved_inputs.emplace(k, at->second);
    const int32_t end = region.carried + region.stacked, first = end - region.saved;
    if (moved_inputs.empty() && (first == end || !loses_a_split(region.iteration))) continue;
    std::vector<bool>& is_saved = region.iteration.only_history;
    is_saved.assign(region.iteration.roots.size(), false);
    std::fill(is_saved.begin() + first, is_saved.begin() + end, true);
    Carrier(region.iteration, moved_inputs).run();
    is_saved.clear();
    auto now = std::make_shared<graph::LaidOutOperation>(*operation);
    for (int32_t r = first; r < end; ++r) {
      Sharding lies = region.iteration.sharding(region.iteration.roots[r]);
      Sharding all = lies;
      all.dims.insert(all.dims.begin(), AxisList());
      if (all == now->shardings[r]) continue;
      now->shardings[r] = std::move(all);
      moved.emplace(graph::ProgramValue{static_cast<int32_t>(i), r}, std::move(lies));
    }
    now->region = with_form(std::move(region));
    operation = std::move(now);
  }
}

void carry_splits(graph::Program& program) {
  carry_out_of_iterations(program);
  if (loses_a_split(program)) Carrier(program).run();
}

}  // namespace mtf::spmd
