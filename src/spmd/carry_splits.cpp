#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "graph/op.h"
#include "spmd/passes.h"

namespace mtf::spmd {
namespace {

class Carrier {
 public:
  explicit Carrier(graph::Program& program) : program_(program), count_(program.operations.size()) {}

  void run() {
    finer_.resize(count_);
    readers_.resize(count_);
    held_.assign(count_, false);
    for (size_t i = 0; i < count_; ++i)
      for (const graph::ProgramValue& operand : program_.operands_of(i))
        if (!operand.is_input()) readers_[operand.source].push_back(static_cast<int32_t>(i));
    for (size_t i = 0; i < program_.roots.size(); ++i) {
      const bool only_history = !program_.only_history.empty() && program_.only_history[i];
      if (const graph::ProgramValue root = program_.roots[i]; !root.is_input() && !only_history)
        held_[root.source] = true;
    }
    for (size_t i = 0; i < count_; ++i) refine(i);
    useful_.assign(count_, false);
    for (size_t i = count_; i-- > 0;) see_use(i);
    kept_.assign(count_, false);
    meets_.assign(count_, false);
    for (size_t i = 0; i < count_; ++i) {
      keep(i);
      if (kept_[i] && readers_[i].size() > 1) follow(i);
    }
  }

 private:
  const graph::LaidOutOperation& at(size_t i) const { return *program_.operations[i].operation; }

  static bool renames(const graph::LaidOutOperation& operation, const graph::IterationDim& dim) {
    return operation.op->role == graph::Role::kView && dim.is_free() && dim.operands[0] >= 0 && dim.results[0] >= 0 &&
           operation.operands[0].dims[dim.operands[0]].name != operation.results[0].dims[dim.results[0]].name;
  }

  /// Where a value lies if it keeps the splits that reach it.
  const Sharding& finer(graph::ProgramValue value) const {
    if (!value.is_input() && finer_[value.source]) return *finer_[value.source];
    return program_.sharding(value);
  }

  /// The axes that split the operand only if it keeps them.
  AxisSet gained(graph::ProgramValue value) const { return finer(value).split() & ~program_.sharding(value).split(); }

  void refine(size_t i) {
    const graph::LaidOutOperation& operation = at(i);
    if (held_[i] || operation.results.size() != 1 || operation.region ||
        operation.origin == graph::LayoutOrigin::kGiven || operation.op->is_leaf())
      return;
    if (operation.origin == graph::LayoutOrigin::kLike) {
      const int32_t like = program_.operations[i].like;
      if (like >= 0 && finer_[like] && at(like).results[0].dims == operation.results[0].dims &&
          same_mesh(at(like).mesh, operation.mesh))
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

  /// Which operands' splits divide the work of a product here, or of one behind.
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
      if (product ? (axes & ~known) != 0 : finer_[i] && useful_[i]) useful_[operand.source] = true;
    }
  }

  /// Several operations read a kept value. They keep its split too, and so do those behind them, up to where what they
  /// have made of it is no larger in all: to gather that moves no more than to gather the value. So parts that are
  /// turned apart and joined again are gathered joined.
  void follow(size_t value) {
    constexpr size_t kMostFollowed = 64;
    const auto size = [&](size_t i) { return size_of(at(i).results[0].dims); };
    std::vector<size_t> followed;
    std::map<size_t, size_t> unread{
        {value, readers_[value].size()}};  // of what is made: how often it is still to be read
    std::set<size_t> next(readers_[value].begin(), readers_[value].end());
    int64_t total = size(value);
    size_t kept = 0;
    while (!next.empty() && followed.size() < kMostFollowed) {
      const size_t i = *next.begin();
      if (!finer_[i]) break;
      next.erase(next.begin());
      followed.push_back(i);
      for (const graph::ProgramValue& operand : program_.operands_of(i)) {
        const auto read = operand.is_input() ? unread.end() : unread.find(static_cast<size_t>(operand.source));
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

  /// A value keeps its splits if that is of use, and if what it is computed from kept them and only it reads that, or
  /// all who do keep them.
  void keep(size_t i) {
    if (!finer_[i]) return;
    const graph::LaidOutOperation& operation = at(i);
    kept_[i] = useful_[i];
    if (operation.origin == graph::LayoutOrigin::kLike) kept_[i] = kept_[program_.operations[i].like];
    else
      for (const graph::ProgramValue& operand : program_.operands_of(i))
        if (!operand.is_input() && kept_[operand.source])
          kept_[i] = kept_[i] || meets_[i] || operation.op->role == graph::Role::kContraction ||
                     readers_[operand.source].size() == 1;
    if (!kept_[i]) return;
    auto moved = std::make_shared<graph::LaidOutOperation>(operation);
    moved->shardings[0] = *finer_[i];
    program_.operations[i].operation = std::move(moved);
  }

  graph::Program& program_;
  const size_t count_;
  std::vector<std::optional<Sharding>> finer_;  ///< of each operation that a lost split can reach
  std::vector<std::vector<int32_t>> readers_;   ///< of each operation, an operation as often as it reads it
  std::vector<bool> held_, useful_, kept_;
  std::vector<bool> meets_;  ///< its operands are read by several, all of which keep their splits
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

void carry_splits(graph::Program& program) {
  if (loses_a_split(program)) Carrier(program).run();
}

}  // namespace mtf::spmd
