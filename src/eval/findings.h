#pragma once
// What a check finds, and how much it may do to find it.
#include "support/diagnostics.h"

namespace mtf {

/// Thrown where a check ends before the program does; why has been reported.
struct CheckEnded {};

/// Where errors go: a check collects them and goes on, whoever runs or plans a program ends with the first.
class Findings {
 public:
  /// From here on errors are collected in `list`, which lives longer.
  void collect_in(Diagnostics& list) { list_ = &list; }
  bool collects() const { return list_ != nullptr; }
  /// How many there are.
  size_t count() const { return list_ == nullptr ? 0 : list_->list().size(); }

  /// Adds an error or a warning; throws it as an error where none are collected. Ends a check that has found a hundred:
  /// each takes time to explain, and nobody reads more.
  void report(Diagnostic diagnostic);
  /// Counts what a check does, in expressions evaluated; ends the check (check_cut_short) when that is too much.
  void count_steps(Span span, size_t steps);

 private:
  Diagnostics* list_ = nullptr;
  int64_t steps_ = 0;
};

}  // namespace mtf
