#pragma once
// How `mtf test` tells what passed: lines for people, TAP (the Test Anything Protocol, version 13), and a file in the
// form of JUnit, which servers for continuous integration read.
#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace mtf::tool {

/// One script that was tested.
struct TestResult {
  std::string script;
  std::string failures;  ///< empty: it passed
  std::size_t runs = 0;  ///< combinations of mesh, layout, memory and ranks that ran
  std::chrono::duration<double> time{};
};

struct TestReportOptions {
  bool verbose = false;  ///< scripts that pass are named too
  bool tap = false;      ///< standard output is TAP
  std::string junit;     ///< the file that is written at the end; empty: none
  int durations = 0;     ///< how many of the slowest scripts are named at the end
};

class TestReport {
 public:
  /// `count` scripts will be tested. Throws UserError if the file of JUnit must not be written.
  TestReport(const TestReportOptions& options, std::size_t count);

  void add(TestResult result);
  std::size_t failed() const { return failed_ + outdated_; }

  /// Counts scripts that would fail because their expectations are out of date, and were shown with what would change.
  void leave(std::size_t outdated) { outdated_ += outdated; }

  /// Writes what stands at the end. Scripts that were never added have not run. Returns the exit status. Throws
  /// UserError if the file of JUnit cannot be written.
  int finish();

 private:
  std::string counts() const;
  void say_durations() const;
  std::string junit() const;

  const TestReportOptions options_;
  const std::size_t count_;
  std::vector<TestResult> results_;
  std::size_t failed_ = 0, outdated_ = 0;
};

}  // namespace mtf::tool
