#pragma once
// What has been assigned, to be taken back: by a prompt whose statement failed, by a check that walks another way.
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "support/restore.h"

namespace mtf {

/// What was changed, and how to take it back: of each thing the first change alone, so that a loop which assigns a
/// thousand times keeps one old value.
class UndoLog {
 public:
  /// `what` and `part` name the thing that is about to change.
  void add(const void* what, size_t part, std::function<void()> take_back) {
    if (changed_.insert({what, part}).second) steps_.push_back(std::move(take_back));
  }
  /// Everything, the last change first.
  void take_back() {
    for (auto step = steps_.rbegin(); step != steps_.rend(); ++step) (*step)();
    clear();
  }
  void clear() {
    steps_.clear();
    changed_.clear();
  }

 private:
  std::vector<std::function<void()>> steps_;
  std::set<std::pair<const void*, size_t>> changed_;
};

/// Where an evaluator writes down what it assigns: the innermost log, if there is any.
class Undo {
 public:
  /// True if somebody may take back what is assigned now, so that old values must not be changed in place.
  bool wanted() const { return log_ != nullptr; }
  /// UndoLog::add, if it is wanted.
  void add(const void* what, size_t part, std::function<void()> take_back) {
    if (log_ != nullptr) log_->add(what, part, std::move(take_back));
  }
  /// Writes into `log` for as long as what it returns lives.
  Restore<UndoLog*> into(UndoLog& log) { return Restore<UndoLog*>(log_, &log); }

 private:
  UndoLog* log_ = nullptr;
};

}  // namespace mtf
