#pragma once
// What `rematerialize` knows of a schedule, and trials of a choice.
//
// A *copy* of a step computes some of its results again. StepFacts holds, for each step, which memory it reads and
// writes, who reads its results, what a copy costs, and whether a copy computes the same values. A Trial places the
// copies of chosen steps and promises:
// - each step has at most one copy, which runs just before the first late reader of its results, or just before the
//   first copy that reads them
// - the cost of all copies, and the bytes that are in use at each step and at each copy
// A trial changes no schedule, and takes one walk over the steps. repeat_choice.h compares trials, and repeat_copies.h
// writes one into the schedule.
#include <cstdint>
#include <limits>
#include <vector>

#include "schedule/schedule.h"
#include "spmd/instruction_costs.h"

namespace mtf::schedule {

inline constexpr int kNever = std::numeric_limits<int>::max();  ///< later than each step

/// A value that a step writes.
struct Written {
  int value = -1;
  std::vector<int> reads;  ///< the memory that the step reads to make it
  std::vector<int> users;  ///< the steps that read it, ascending
  int64_t bytes = 0;       ///< 0: it lies in the memory of an input that dies
  int kind = -1;           ///< of its memory, if an output has memory of this kind; else -1
  bool stays = false;      ///< it is an output
  bool may_repeat = true;  ///< a copy of the step may make it again: it does not stay, and nothing reads windows of it
};

/// What the choice knows of a step.
struct Facts {
  std::vector<Written> written;
  int first_result = 0;       ///< the number of the first one among the results of all steps
  std::vector<int> reads;     ///< memory, each once
  int64_t staging = 0;        ///< bytes
  double cost = 0;            ///< of a copy, in flops
  int end = 0;                ///< the last step during which it runs
  int early = 0;              ///< later reads read a copy; the choice sets it
  bool overwrites = false;    ///< it may write a result over an operand
  bool may_repeat = false;    ///< a copy computes the same values
  bool is_candidate = false;  ///< a result is kept for later while too much memory is in use
  int64_t saved = 0;          ///< the bytes of such results
};

/// The steps of a schedule, and who reads their results.
class StepFacts {
 public:
  explicit StepFacts(const Schedule& schedule);

  int size() const { return static_cast<int>(schedule_.steps.size()); }
  Facts& operator[](int s) { return facts_[s]; }
  const Facts& operator[](int s) const { return facts_[s]; }
  /// Returns the step that writes the memory `value`; -1: an input.
  int maker(int value) const { return maker_[value]; }
  /// Returns the number of the memory `value`, which a step writes, among the results of all steps.
  int result(int value) const { return facts_[maker_[value]].first_result + index_[value]; }
  /// Returns the number of results of all steps.
  int results() const {
    return facts_.empty() ? 0 : facts_.back().first_result + static_cast<int>(facts_.back().written.size());
  }
  const Written& written(int value) const { return facts_[maker_[value]].written[index_[value]]; }
  /// Returns the value whose memory `value` is, or is a window into.
  int memory(int value) const { return memory_[schedule_.alias_of[value]]; }
  /// Returns the number of kinds of memory that outputs have.
  int kinds() const { return kinds_; }
  const Schedule& schedule() const { return schedule_; }

 private:
  Written& written(int value) { return facts_[maker_[value]].written[index_[value]]; }

  void find_memory();

  int64_t bytes(int v) const;

  /// True if a copy of the step computes the same values, whatever ran before it.
  bool may_repeat(const Step& step) const;

  Facts facts_of(int s, spmd::InstructionCosts& costs);

  static void add_once(std::vector<int>& all, int value);

  /// Returns the memory that a copy of the step reads, which makes `value` alone.
  std::vector<int> reads_of(const Step& step, int value) const;

  /// Outputs that take the memory of dying inputs need none of their own.
  void give_dying_inputs();

  /// Numbers the kinds of memory that outputs have: other values could be stored there before (lend_outputs).
  void find_kinds();

  const Schedule& schedule_;
  const spmd::LocalProgram& program_;
  Schedule planned_;              // with buffers; empty without loops
  std::vector<Facts> facts_;      // for each step
  std::vector<int> memory_;       // for each value with its own memory, or a window
  std::vector<bool> has_window_;  // for each value with its own memory
  std::vector<bool> stays_;       // for each value with its own memory: it is an output
  std::vector<int> maker_;        // for each value: its step; -1: an input
  std::vector<int> index_;        // for each value: its index in Facts::written
  int kinds_ = 0;
};

/// The schedule with copies of chosen steps: each copy runs before the first late reader of its results, or before the
/// first copy that reads them.
class Trial {
 public:
  /// `repeated`, for each step: it is chosen.
  Trial(const StepFacts& facts, const std::vector<char>& repeated);

  /// Returns the step before which the copy of `s` runs; kNever: there is none.
  int at(int s) const { return at_[s]; }
  /// True if the copy of `s` makes the result with index `w` in Facts::written.
  bool needed(int s, size_t w) const { return needed_[static_cast<size_t>(facts_[s].first_result) + w] != 0; }
  /// Returns all copies as they run.
  const std::vector<int>& copies() const { return copies_; }
  double cost() const;

  /// True if a reader of `value`, which the step `s` writes, reads the copy from the step `reader` on.
  bool reads_copy(int s, int value, int reader) const;

  /// Returns the bytes in use at each position: at a step, or at a copy before it.
  std::vector<int64_t> in_use() const;

  int64_t peak() const;

  /// Returns the position of a step among all steps and copies.
  int position(int s) const { return position_[s]; }

 private:
  /// Places the copy of `s`, whose readers and their copies are placed.
  void place(int s, bool repeated);

  bool copy_reads(int s, int value) const;

  void put_in_order();

  /// The time for which results and their copies are in memory, as positions.
  struct Lives {
    std::vector<int> last, last_of_copy;  ///< for each result: the last read; -1: none
    std::vector<char> lent, copy_lent;    ///< for each result: it lies in the memory of a later output
  };

  Lives lives() const;
  /// Finds the values that lie in the memory of outputs, as lend_outputs does.
  void find_lent(Lives& lives) const;
  /// Returns the bytes of results of `s` that a run at `position` writes over operands.
  int64_t overwritten(int s, int reader, int position, const Lives& lives) const;

  const StepFacts& facts_;
  std::vector<int> at_;                    // for each step
  std::vector<char> needed_;               // for each result
  std::vector<int> position_, copied_at_;  // for each step: of itself, and of its copy
  std::vector<int> copies_;
  std::vector<int> at_position_;  // a step, or -1 - s for the copy of s
};

}  // namespace mtf::schedule
