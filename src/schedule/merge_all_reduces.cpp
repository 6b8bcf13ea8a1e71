#include <algorithm>
#include <functional>
#include <map>
#include <queue>
#include <tuple>
#include <unordered_set>

#include "schedule/passes.h"

namespace mtf {
namespace {

/// All_reduces of one kind can be one step.
using Kind = std::tuple<AxisSet, Reduction, ElementType, const Mesh*, AxisSet>;

void keep_first_of_each(std::vector<int>& values) {
  std::unordered_set<int> seen;
  std::erase_if(values, [&](int v) { return !seen.insert(v).second; });
}

class Merger {
 public:
  explicit Merger(Schedule& schedule) : schedule_(schedule), program_(schedule.program), maker_(program_.values.size(), -1) {
    std::map<Kind, int> kinds;
    for (size_t s = 0; s < schedule.steps.size(); ++s) {
      units_.push_back({static_cast<int>(s)});
      kind_of_.push_back(-1);
      for (int v : schedule.steps[s].writes) maker_[v] = static_cast<int>(s);
      if (!is_small_all_reduce(schedule.steps[s])) continue;
      kind_of_[s] = kinds.emplace(kind_of(schedule.steps[s]), static_cast<int>(kinds.size())).first->second;
    }
    kinds_ = static_cast<int>(kinds.size());
    unit_of_.resize(units_.size());
  }

  void run() {
    for (int kind = 0; kind < kinds_; ++kind)
      if (std::count(kind_of_.begin(), kind_of_.end(), kind) > 1) merge(kind);
    if (units_.size() < schedule_.steps.size()) emit();
  }

 private:
  using Unit = std::vector<int>;  // steps that run as one, in order

  int64_t bytes(const Step& step) const {
    const LocalValue& value = program_.values[step.writes[0]];
    return largest_block(value) * size_of(value.element);
  }

  bool is_small_all_reduce(const Step& step) const {
    return step.kind == StepKind::kCollective && program_.instructions[step.instructions[0]].kind == InstructionKind::kAllReduce &&
           bytes(step) <= kSmallAllReduce;
  }

  Kind kind_of(const Step& step) const {
    const Instruction& instruction = program_.instructions[step.instructions[0]];
    const LocalValue& value = program_.values[instruction.operands[0]];
    return {instruction.axes, instruction.reduction, value.element, value.mesh.get(), value.varies()};
  }

  /// Calls `body(unit)` for each unit that makes what `unit` reads.
  template <typename Body>
  void for_needs(const Unit& unit, Body body) const {
    for (int s : unit)
      for (int v : schedule_.steps[s].reads)
        if (int made = maker_[schedule_.alias_of[v]]; made >= 0) body(unit_of_[made]);
  }

  /// Merges the all_reduces of `kind` that come after as many others of it, one after the other. None of those needs
  /// another, and what needs one of them comes before none of them, so no step has to run both before and after.
  void merge(int kind) {
    struct Group {
      int unit = -1;       // the latest that joined, and has the steps of all
      int64_t bytes = 0;
    };
    std::vector<Group> groups;                   // for each number of others before: the one that may still grow
    std::vector<size_t> after(units_.size(), 0); // for each unit: how many of the kind one after the other end with it
    number_units();
    bool merged = false;
    for (size_t u = 0; u < units_.size(); ++u) {
      size_t before = 0;
      for_needs(units_[u], [&](int need) { before = std::max(before, after[need]); });
      after[u] = before;
      if (kind_of_[units_[u][0]] != kind) continue;
      after[u] = before + 1;
      if (before == groups.size()) groups.emplace_back();
      Group& group = groups[before];
      const int64_t more = bytes(schedule_.steps[units_[u][0]]);
      if (group.unit >= 0 && group.bytes + more <= kLargestAllReduce) {
        Unit all = std::move(units_[group.unit]);
        all.push_back(units_[u][0]);
        units_[group.unit].clear();
        units_[u] = std::move(all);
        merged = true;
      } else {
        group.bytes = 0;
      }
      group = {static_cast<int>(u), group.bytes + more};
    }
    if (merged) put_in_order();
  }

  void number_units() {
    for (size_t u = 0; u < units_.size(); ++u)
      for (int s : units_[u]) unit_of_[s] = static_cast<int>(u);
  }

  /// Merged steps stand where the last of them stood; what needs them and stood before that is put off until after it.
  void put_in_order() {
    number_units();
    std::vector<int> waits(units_.size(), 0);
    std::vector<std::vector<int>> readers(units_.size());
    std::priority_queue<int, std::vector<int>, std::greater<>> ready;
    for (size_t u = 0; u < units_.size(); ++u) {
      for_needs(units_[u], [&](int need) {
        readers[need].push_back(static_cast<int>(u));
        ++waits[u];
      });
      if (!units_[u].empty() && waits[u] == 0) ready.push(static_cast<int>(u));
    }
    std::vector<Unit> ordered;
    while (!ready.empty()) {
      const int u = ready.top();
      ready.pop();
      ordered.push_back(std::move(units_[u]));
      for (int reader : readers[u])
        if (--waits[reader] == 0) ready.push(reader);
    }
    units_ = std::move(ordered);
  }

  void emit() {
    std::vector<Step> result;
    for (const Unit& unit : units_) {
      Step step = std::move(schedule_.steps[unit[0]]);
      for (size_t i = 1; i < unit.size(); ++i) {
        const Step& other = schedule_.steps[unit[i]];
        step.instructions.push_back(other.instructions[0]);
        step.writes.push_back(other.writes[0]);
        step.reads.push_back(other.reads[0]);
      }
      if (unit.size() > 1) keep_first_of_each(step.reads);
      result.push_back(std::move(step));
    }
    schedule_.steps = std::move(result);
  }

  Schedule& schedule_;
  const LocalProgram& program_;
  std::vector<int> maker_;     // for each value: the step that makes it
  std::vector<int> kind_of_;   // for each step: the kind of all_reduce, or -1
  std::vector<Unit> units_;    // in the order in which they run
  std::vector<int> unit_of_;   // for each step
  int kinds_ = 0;
};

}  // namespace

void merge_all_reduces(Schedule& schedule) { Merger(schedule).run(); }

}  // namespace mtf
