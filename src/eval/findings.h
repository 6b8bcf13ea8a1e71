#pragma once
// The errors and warnings of a check, and the limits of its work.
#include <functional>
#include <limits>
#include <string>
#include <unordered_set>
#include <vector>

#include "support/diagnostics.h"

namespace mtf::eval {

/// Thrown to end a check before the end of the program. The reason has been reported.
struct CheckEnded {};

/// The receiver of errors. A check collects them and goes on; a run or a plan ends with the first.
class Findings {
 public:
  /// Collects errors in `list` from here on. `list` must outlive this.
  void collect_in(Diagnostics& list) { list_ = &list; }
  bool collects() const { return list_ != nullptr; }
  /// The number of errors.
  size_t count() const { return list_ == nullptr ? 0 : list_->error_count(); }

  /// Adds an error or a warning. Throws it as an error if none are collected. A check ends after a hundred errors,
  /// because each takes time to explain and nobody reads more. `doubt`: the number of unknown conditions, and of calls
  /// and loops that may have ended, around the error.
  void report(Diagnostic diagnostic, int doubt = 0);
  /// Passes warnings to `tell` from here on.
  void on_warning(std::function<void(const Diagnostic&)> tell) { tell_ = std::move(tell); }
  /// Notes that a check has already reported these warnings.
  void have_been_told(const Diagnostics& warnings);
  /// Reports a warning: it is collected, or told. Reports each kind and place only once, however often the code is
  /// evaluated.
  void warn(Diagnostic diagnostic);
  /// A walk that a check may have to repeat. Its findings are dropped unless they are kept.
  class [[nodiscard]] Trial {
   public:
    explicit Trial(Findings& findings);
    ~Trial();
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;
    void keep() { keep_up_to(std::numeric_limits<int>::max()); }
    /// Keeps the findings, except the errors with more doubt than `doubt`.
    void keep_up_to(int doubt);

   private:
    friend class Findings;
    Findings& findings_;
    Diagnostics found_;
    std::vector<int> doubts_;  ///< of each finding
    Trial* const outer_trial_;
    Diagnostics* const outer_;
    const size_t told_before_;
    const int exceptions_;
    bool is_kept_ = false;
  };

  /// Counts the expressions that a check evaluates. Ends the check (check_cut_short) at the limit.
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
  Trial* trial_ = nullptr;  ///< the innermost trial under way
  int64_t steps_ = 0;
};

}  // namespace mtf::eval
