#pragma once
// Logs of assignments, to undo them: when a prompt's statement fails or is interrupted, and when a check walks another
// branch. For a list that is extended in place the log keeps the old length, not the items.
//
// A prompt undoes, a script does not. At a prompt, an error undoes its own statement, and an interrupt undoes the loop
// iteration that has not ended. The log holds the old values for this, so plans overwrite none of their inputs.
// run/bound_plan.h says when an interrupt ends a plan.
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "support/restore.h"
#include "types/saturating.h"

namespace mtf::eval {

/// A list of changes, each with a function that undoes it. Keeps only the first change of each object's part, so a loop
/// that assigns a thousand times keeps one old value.
class UndoLog {
 public:
  /// Logs that part `part` of `what` is about to change. `take_back` undoes the change; it is called only if `what` is
  /// still alive, and must not keep `what` alive. `bytes()` estimates the memory that `take_back` holds. It is called
  /// only for the first change.
  template <typename Bytes>
  void add(const std::shared_ptr<const void>& what, size_t part, std::function<void()> take_back, const Bytes& bytes) {
    if (changed_.insert({what.get(), part}).second)
      steps_.push_back({what, {what.get(), part}, std::move(take_back), bytes()});
  }
  /// Appends the changes of `later`, which is then empty.
  void add(UndoLog& later) {
    for (Step& step : later.steps_)
      if (changed_.insert(step.which).second) steps_.push_back(std::move(step));
    later.clear();
  }
  /// The approximate memory that the log holds.
  int64_t bytes() const {
    int64_t bytes = 0;
    for (const Step& step : steps_) bytes = saturating_add(bytes, step.bytes);
    return bytes;
  }
  /// Undoes all changes, the last one first.
  void take_back() {
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step)
      if (const auto alive = step->what.lock()) step->take_back();
    clear();
  }
  /// Drops the changes of dead objects once the log has doubled. Otherwise a loop of a million iterations would leave
  /// an entry for each of its scopes.
  void forget_what_is_gone() {
    if (steps_.size() < next_look_) return;
    std::erase_if(steps_, [](const Step& step) { return step.what.expired(); });
    next_look_ = 2 * steps_.size() + 64;
  }
  bool empty() const { return steps_.empty(); }
  void clear() {
    steps_.clear();
    changed_.clear();
  }

 private:
  struct Step {
    std::weak_ptr<const void> what;
    std::pair<const void*, size_t> which;
    std::function<void()> take_back;
    int64_t bytes = 0;
  };
  std::vector<Step> steps_;
  std::set<std::pair<const void*, size_t>> changed_;
  size_t next_look_ = 64;
};

/// The `bytes` of a change whose `take_back` holds nothing large.
inline int64_t no_bytes() { return 0; }

/// Logs an evaluator's assignments in the innermost log, if there is one. A second log allows undoing only the present
/// iteration of a loop.
class Undo {
 public:
  /// True if assignments are being logged. Old values must then not be changed in place.
  bool wanted() const { return log_ != nullptr; }
  /// Calls UndoLog::add if assignments are being logged.
  template <typename Bytes>
  void add(const std::shared_ptr<const void>& what, size_t part, std::function<void()> take_back, const Bytes& bytes) {
    if (log_ == nullptr) return;
    iteration_.add(what, part, take_back, no_bytes);
    log_->add(what, part, std::move(take_back), bytes);
  }
  void add(const std::shared_ptr<const void>& what, size_t part, std::function<void()> take_back) {
    add(what, part, std::move(take_back), no_bytes);
  }
  /// Adds the changes of `log`, which has ended, to the log in use.
  void keep(UndoLog& log) {
    if (log_ != nullptr) log_->add(log);
  }
  /// Makes `log` the innermost log for the lifetime of the returned object.
  Restore<UndoLog*> into(UndoLog& log) {
    since_ = graph::last_node_id();
    return Restore<UndoLog*>(log_, &log);
  }
  /// The last node that an undo of the present iteration would keep.
  int64_t since() const { return since_; }

  void begin_statement() {
    iteration_.clear();
    iterations_ = 0;
    since_ = graph::last_node_id();
  }
  /// Ends a loop iteration. Its assignments may be kept even if the statement does not end.
  void end_iteration() {
    if (!iteration_.empty()) iteration_.clear();
    ++iterations_;
    since_ = graph::last_node_id();
    if (log_ != nullptr) log_->forget_what_is_gone();
  }
  /// The number of iterations that the statement has ended.
  int64_t iterations() const { return iterations_; }
  /// Undoes the assignments since the last iteration ended.
  void take_back_iteration() { iteration_.take_back(); }

 private:
  UndoLog* log_ = nullptr;
  UndoLog iteration_;
  int64_t iterations_ = 0;
  int64_t since_ = 0;
};

}  // namespace mtf::eval
