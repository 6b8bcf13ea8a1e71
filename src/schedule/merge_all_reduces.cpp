#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <tuple>
#include <unordered_set>

#include "schedule/passes.h"
#include "support/interrupt.h"

namespace mtf::schedule {
namespace {

/// The properties that all_reduces of one step share.
using Kind = std::tuple<AxisSet, kernels::Reduction, ElementType, const Mesh*, AxisSet>;

void keep_first_of_each(std::vector<int>& values) {
  std::unordered_set<int> seen;
  std::erase_if(values, [&](int v) { return !seen.insert(v).second; });
}

class Merger {
 public:
  explicit Merger(Schedule& schedule)
      : schedule_(schedule),
        program_(schedule.program),
        kind_of_(schedule.steps.size(), -1),
        order_(schedule.steps.size()),
        last_of_(schedule.steps.size()),
        earlier_(schedule.steps.size(), -1),
        needs_begin_(1, 0) {
    std::iota(order_.begin(), order_.end(), 0);
    std::iota(last_of_.begin(), last_of_.end(), 0);
    std::map<Kind, int> kinds;
    std::vector<int> maker(program_.values.size(), -1);
    for (size_t s = 0; s < schedule.steps.size(); ++s) {
      for (int v : schedule.steps[s].reads)
        if (const int made = maker[schedule.alias_of[v]]; made >= 0) needs_.push_back(made);
      needs_begin_.push_back(needs_.size());
      for (int v : schedule.steps[s].writes) maker[v] = static_cast<int>(s);
      if (!is_small_all_reduce(schedule.steps[s])) continue;
      kind_of_[s] = kinds.emplace(kind_of(schedule.steps[s]), static_cast<int>(kinds.size())).first->second;
      if (kind_of_[s] == static_cast<int>(of_kind_.size())) of_kind_.push_back(0);
      ++of_kind_[kind_of_[s]];
    }
  }

  void run() {
    for (size_t kind = 0; kind < of_kind_.size(); ++kind)
      if (of_kind_[kind] > 1) merge(static_cast<int>(kind));
    if (order_.size() < schedule_.steps.size()) emit();
  }

 private:
  int64_t bytes(const Step& step) const {
    const spmd::LocalValue& value = program_.values[step.writes[0]];
    return largest_block(value) * size_of(value.element);
  }

  bool is_small_all_reduce(const Step& step) const {
    return step.kind == StepKind::kCollective &&
           program_.instructions[step.instructions[0]].kind == spmd::InstructionKind::kAllReduce &&
           bytes(step) <= kSmallAllReduce;
  }

  Kind kind_of(const Step& step) const {
    const spmd::Instruction& instruction = program_.instructions[step.instructions[0]];
    const spmd::LocalValue& value = program_.values[instruction.operands[0]];
    return {instruction.axes, instruction.reduction, value.element, value.mesh.get(), value.varies()};
  }

  /// Calls `body(last)` for each step that the steps merged into `last` need. The argument is the last step of its own
  /// merged group.
  template <typename Body>
  void for_needs(int last, Body body) const {
    for (int s = last; s >= 0; s = earlier_[s])
      for (size_t i = needs_begin_[s]; i < needs_begin_[s + 1]; ++i) body(last_of_[needs_[i]]);
  }

  /// Merges all_reduces of `kind` that have the same number of such all_reduces before them on a path. None of these
  /// needs another one. No step that needs one of them must come before another, so the merge makes no cycle.
  void merge(int kind) {
    struct Group {
      int last = -1;
      int64_t bytes = 0;
    };
    std::vector<Group> groups;                             // for each number of predecessors: the group that may grow
    std::vector<size_t> after(schedule_.steps.size(), 0);  // for each step: longest chain of this kind there
    std::vector<int> joined;                               // steps merged into a later one
    for (int s : order_) {
      check_interrupt();
      size_t before = 0;
      for_needs(s, [&](int need) { before = std::max(before, after[need]); });
      after[s] = before;
      if (kind_of_[s] != kind) continue;
      after[s] = before + 1;
      if (before == groups.size()) groups.emplace_back();
      Group& group = groups[before];
      const int64_t more = bytes(schedule_.steps[s]);
      if (group.last >= 0 && group.bytes + more <= spmd::kLargestAllReduce) {
        earlier_[s] = group.last;
        joined.push_back(group.last);
      } else {
        group.bytes = 0;
      }
      group = {s, group.bytes + more};
    }
    if (joined.empty()) return;
    for (int s : joined) last_of_[s] = -1;
    for (int s : order_)
      if (last_of_[s] == s)
        for (int each = s; each >= 0; each = earlier_[each]) last_of_[each] = s;
    put_in_order();
  }

  /// Puts merged steps at the position of their last member, and moves steps that need them behind it.
  void put_in_order() {
    std::vector<int> index(schedule_.steps.size(), 0);
    std::vector<int> waits(schedule_.steps.size(), 0);
    std::vector<int> begin(schedule_.steps.size() + 1, 0);  // for each step: index of its first reader in `readers`
    std::erase_if(order_, [&](int s) { return last_of_[s] != s; });
    for (size_t i = 0; i < order_.size(); ++i) {
      index[order_[i]] = static_cast<int>(i);
      for_needs(order_[i], [&](int need) { ++begin[need + 1]; });
    }
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<int> readers(begin.back()), next(begin.begin(), begin.end() - 1);
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;  // positions in order_
    for (size_t i = 0; i < order_.size(); ++i) {
      for_needs(order_[i], [&](int need) {
        readers[next[need]++] = order_[i];
        ++waits[order_[i]];
      });
      if (waits[order_[i]] == 0) ready.push(static_cast<int>(i));
    }
    std::vector<int> ordered;
    while (!ready.empty()) {
      const int s = order_[ready.top()];
      ready.pop();
      ordered.push_back(s);
      for (int r = begin[s]; r < begin[s + 1]; ++r)
        if (--waits[readers[r]] == 0) ready.push(index[readers[r]]);
    }
    order_ = std::move(ordered);
  }

  void emit() {
    std::vector<Step> result;
    result.reserve(order_.size());
    for (int last : order_) {
      Step& step = result.emplace_back(std::move(schedule_.steps[last]));
      if (earlier_[last] < 0) continue;
      for (int s = earlier_[last]; s >= 0; s = earlier_[s]) {
        step.instructions.push_back(schedule_.steps[s].instructions[0]);
        step.reads.push_back(schedule_.steps[s].reads[0]);
        step.writes.push_back(schedule_.steps[s].writes[0]);
      }
      for (std::vector<int>* each : {&step.instructions, &step.reads, &step.writes})
        std::reverse(each->begin(), each->end());
      keep_first_of_each(step.reads);
    }
    schedule_.steps = std::move(result);
  }

  Schedule& schedule_;
  const spmd::LocalProgram& program_;
  std::vector<int> kind_of_;         // for each step: the kind of all_reduce, or -1
  std::vector<int> of_kind_;         // the number of steps of each kind
  std::vector<int> order_;           // steps in their new order; for merged ones, the last
  std::vector<int> last_of_;         // for each step: the last step merged with it
  std::vector<int> earlier_;         // for each step: the step before it in its merged group, or -1
  std::vector<int> needs_;           // for all steps, in order: the producers of its operands
  std::vector<size_t> needs_begin_;  // for each step: index in needs_; and the end
};

}  // namespace

void merge_all_reduces(Schedule& schedule) { Merger(schedule).run(); }

}  // namespace mtf::schedule
