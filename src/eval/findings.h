#pragma once
// What a check finds, and how much it may do to find it.
#include <functional>
#include <limits>
#include <string>
#include <unordered_set>
#include <vector>

#include "support/diagnostics.h"

namespace mtf::eval {

/// Thrown where a check ends before the program does; why has been reported.
struct CheckEnded {};

/// Where errors go: a check collects them and goes on, whoever runs or plans a program ends with the first.
class Findings {
 public:
  /// From here on errors are collected in `list`, which lives longer.
  void collect_in(Diagnostics& list) { list_ = &list; }
  bool collects() const { return list_ != nullptr; }
  /// How many errors there are.
  size_t count() const { return list_ == nullptr ? 0 : list_->error_count(); }

  /// Adds an error or a warning; throws it as an error where none are collected. Ends a check that has found a hundred:
  /// each takes time to explain, and nobody reads more. `doubt`: how many conditions that only the run knows, and calls
  /// and loops that may have ended, stand around it.
  void report(Diagnostic diagnostic, int doubt = 0);
  /// From here on warnings are told to `tell`.
  void on_warning(std::function<void(const Diagnostic&)> tell) { tell_ = std::move(tell); }
  /// A check has told them.
  void have_been_told(const Diagnostics& warnings);
  /// A warning of what is evaluated: collected, or told; once for each kind and place, however often that is evaluated.
  void warn(Diagnostic diagnostic);
  /// A walk that a check may have to take again: what it finds counts once it is kept, and is dropped otherwise.
  class [[nodiscard]] Trial {
   public:
    explicit Trial(Findings& findings);
    ~Trial();
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;
    void keep() { keep_up_to(std::numeric_limits<int>::max()); }
    /// Drops the errors that are more in doubt than that.
    void keep_up_to(int doubt);

   private:
    friend class Findings;
    Findings& findings_;
    Diagnostics found_;
    std::vector<int> doubts_;  ///< of each that is found
    Trial* const outer_trial_;
    Diagnostics* const outer_;
    const size_t told_before_;
    const int exceptions_;
    bool is_kept_ = false;
  };

  /// Counts what a check does, in expressions evaluated; ends the check (check_cut_short) when that is too much.
  void count_steps(Span span, size_t steps) {
    if (list_ != nullptr) [[unlikely]]
      count_steps_of_check(span, steps);
  }

 private:
  void count_steps_of_check(Span span, size_t steps);

  Diagnostics* list_ = nullptr;
  std::function<void(const Diagnostic&)> tell_;
  std::unordered_set<std::string> told_;  ///< kinds and places of warnings
  std::vector<std::string> told_on_trial_;
  Trial* trial_ = nullptr;  ///< the innermost that is under way
  int64_t steps_ = 0;
};

}  // namespace mtf::eval
