#pragma once
// What has been assigned, to be taken back: by a prompt whose statement failed or was interrupted, by a check that
// walks another way. Of a list that is extended in place the length is written down, not the items.
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "support/restore.h"
#include "types/saturating.h"

namespace mtf::eval {

/// What was changed, and how to take it back: of each thing the first change alone, so that a loop which assigns a
/// thousand times keeps one old value.
class UndoLog {
 public:
  /// Part `part` of `what` is about to change. `take_back` is called while `what` is alive, which it does not keep so;
  /// what it keeps takes about `bytes()`, which is asked only if this is the first change.
  template <typename Bytes>
  void add(const std::shared_ptr<const void>& what, size_t part, std::function<void()> take_back, const Bytes& bytes) {
    if (changed_.insert({what.get(), part}).second)
      steps_.push_back({what, {what.get(), part}, std::move(take_back), bytes()});
  }
  /// What `later` wrote down behind this, which is then empty.
  void add(UndoLog& later) {
    for (Step& step : later.steps_)
      if (changed_.insert(step.which).second) steps_.push_back(std::move(step));
    later.clear();
  }
  /// About what all that it keeps takes.
  int64_t bytes() const {
    int64_t bytes = 0;
    for (const Step& step : steps_) bytes = saturating_add(bytes, step.bytes);
    return bytes;
  }
  /// Everything, the last change first.
  void take_back() {
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step)
      if (const auto alive = step->what.lock()) step->take_back();
    clear();
  }
  /// Forgets what is alive no more, now and then: what the scopes of a million turns have held.
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

/// Of what keeps nothing that is large.
inline int64_t no_bytes() { return 0; }

/// Where an evaluator writes down what it assigns: the innermost log, if there is any. Beside it, what the turn of a
/// loop that is under way assigns can be taken back alone.
class Undo {
 public:
  /// True if somebody may take back what is assigned now, so that old values must not be changed in place.
  bool wanted() const { return log_ != nullptr; }
  /// UndoLog::add, if it is wanted.
  template <typename Bytes>
  void add(const std::shared_ptr<const void>& what, size_t part, std::function<void()> take_back, const Bytes& bytes) {
    if (log_ == nullptr) return;
    turn_.add(what, part, take_back, no_bytes);
    log_->add(what, part, std::move(take_back), bytes);
  }
  void add(const std::shared_ptr<const void>& what, size_t part, std::function<void()> take_back) {
    add(what, part, std::move(take_back), no_bytes);
  }
  /// Adds the changes of `log`, which has ended, to the log in use.
  void keep(UndoLog& log) {
    if (log_ != nullptr) log_->add(log);
  }
  /// Writes into `log` for as long as what it returns lives.
  Restore<UndoLog*> into(UndoLog& log) { return Restore<UndoLog*>(log_, &log); }

  void begin_statement() {
    turn_.clear();
    turns_ = 0;
  }
  /// A turn of a loop has ended, and what it assigned may be kept even if the statement does not end.
  void end_turn() {
    turn_.clear();
    ++turns_;
    if (log_ != nullptr) log_->forget_what_is_gone();
  }
  /// The statement's turns that have ended.
  int64_t turns() const { return turns_; }
  /// What has been assigned since the last of them.
  void take_back_turn() { turn_.take_back(); }

 private:
  UndoLog* log_ = nullptr;
  UndoLog turn_;
  int64_t turns_ = 0;
};

}  // namespace mtf::eval
