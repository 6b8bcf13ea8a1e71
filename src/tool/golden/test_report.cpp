#include "tool/golden/test_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "support/printable.h"
#include "support/text.h"
#include "tool/golden/golden_file.h"
#include "tool/shell/generated_file.h"
#include "tool/shell/output.h"

namespace mtf::tool {
namespace {

constexpr std::string_view kJunitBegin = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites";

bool is_junit(const std::string& text) { return text.starts_with(kJunitBegin); }

std::string time_text(const TestResult& result) {
  return fmt::format("{:.2f} s, {}", result.time.count(), count_text(static_cast<std::int64_t>(result.runs), "run"));
}

/// In XML, characters that have a meaning are written as entities. It has none at all for control characters.
std::string xml(std::string_view text) {
  std::string out;
  for (const char c : text) switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default: out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? '?' : c;
    }
  return out;
}

/// The first line below the place: what JUnit and TAP show in a list.
std::string headline(const std::string& failures) {
  const std::vector<std::string> lines = printed_lines(failures);
  return lines.size() > 1 ? std::string(trim(lines[1])) : lines.empty() ? std::string() : lines.front();
}

}  // namespace

TestReport::TestReport(const TestReportOptions& options, std::size_t count) : options_(options), count_(count) {
  if (!options_.junit.empty()) expect_replaceable(options_.junit, "a report of JUnit", is_junit);
  if (options_.tap) write_output("TAP version 13\n1..{}\n", count_);
}

void TestReport::add(TestResult result) {
  const bool passed = result.failures.empty();
  if (!passed) ++failed_;
  if (options_.tap) {
    write_output("{}ok {} - {}\n", passed ? "" : "not ", results_.size() + 1, printable(result.script));
    if (!passed) {
      write_output("  ---\n  message: |\n");
      for (const std::string& line : printed_lines(result.failures)) write_output("    {}\n", printable(line));
      write_output("  ...\n");
    }
  } else if (!passed) {
    write_output("FAILED {}\n", result.failures);
  } else if (options_.verbose) {
    write_output("passed {} ({})\n", printable(result.script), time_text(result));
  }
  flush_output();
  results_.push_back(std::move(result));
}

int TestReport::finish() {
  if (options_.durations > 0) say_durations();
  if (!options_.junit.empty()) replace_file(options_.junit, junit());
  write_output("{}{}\n", options_.tap ? "# " : "", counts());
  return failed() == 0 ? 0 : 1;
}

std::string TestReport::counts() const {
  std::string text = fmt::format("{} passed, {} failed", results_.size() - failed_, failed());
  const std::size_t done = results_.size() + outdated_;
  if (done < count_) text += fmt::format(", {} not run", count_ - done);
  return text;
}

void TestReport::say_durations() const {
  std::vector<const TestResult*> slowest;
  for (const TestResult& result : results_) slowest.push_back(&result);
  std::stable_sort(slowest.begin(), slowest.end(),
                   [](const TestResult* a, const TestResult* b) { return a->time > b->time; });
  slowest.resize(std::min(slowest.size(), static_cast<std::size_t>(options_.durations)));
  for (const TestResult* result : slowest)
    write_output("{}{:8.2f} s  {} ({})\n", options_.tap ? "# " : "", result->time.count(), printable(result->script),
                 count_text(static_cast<std::int64_t>(result->runs), "run"));
}

std::string TestReport::junit() const {
  double seconds = 0;
  for (const TestResult& result : results_) seconds += result.time.count();
  const std::string attributes = fmt::format("tests=\"{}\" failures=\"{}\" skipped=\"{}\" time=\"{:.3f}\"", count_,
                                             failed_, count_ - results_.size(), seconds);
  std::string text =
      fmt::format("{} {}>\n  <testsuite name=\"mtf test\" errors=\"0\" {}>\n", kJunitBegin, attributes, attributes);
  for (const TestResult& result : results_) {
    const std::string script = xml(printable(result.script));
    text += fmt::format("    <testcase classname=\"{}\" name=\"{}\" file=\"{}\" time=\"{:.3f}\"",
                        script.substr(0, script.find_last_of('/') + 1), script.substr(script.find_last_of('/') + 1),
                        script, result.time.count());
    if (result.failures.empty()) text += "/>\n";
    else
      text += fmt::format(">\n      <failure message=\"{}\">{}</failure>\n    </testcase>\n",
                          xml(printable(headline(result.failures))), xml(result.failures));
  }
  return text + "  </testsuite>\n</testsuites>\n";
}

}  // namespace mtf::tool
