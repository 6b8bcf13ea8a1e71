#include "tool/golden/golden_test.h"

#include <algorithm>

#include "session/session.h"
#include "support/printable.h"
#include "tool/golden/golden_run.h"
#include "tool/golden/pass_file.h"
#include "tool/golden/text_diff.h"
#include "tool/shell/script.h"

namespace mtf::tool {
namespace {

std::string indented(const std::string& text) {
  std::string out;
  for (const std::string& line : printed_lines(text)) out += "    " + printable(line) + "\n";
  return out;
}

class GoldenRun {
 public:
  GoldenRun(const std::string& path, const GoldenOptions& options)
      : path_(path), options_(options), script_(read_script(path)) {
    read_expectations();
  }

  GoldenResult run(const std::function<void(const std::string&)>& say_place) {
    std::vector<Combination> list = combinations(golden_);
    if (options_.first_only && list.size() > 1) list.resize(1);
    for (const std::string& problem : golden_.problems)
      result_.failures += fmt::format("{}:{}\n", printable(path_), problem);
    result_.runs = list.size();
    bool first = true;
    for (std::size_t begin = 0, end = 1; begin < list.size(); begin = end++) {
      while (list[begin].ranks > 1 && end < list.size() && list[end].ranks == list[begin].ranks) ++end;
      std::vector<Outcome> outcomes = run_some(list, begin, end, say_place);
      for (std::size_t i = begin; i < end; ++i) {
        where_ = to_string(list[i]);
        const Outcome& outcome = outcomes[i - begin];
        if (options_.update && std::exchange(first, false) && outcome.trouble.empty()) propose(outcome);
        compare(outcome);
      }
    }
    for (const Complaint& complaint : complaints_) {
      std::string where = complaint.where.empty() ? "" : " " + complaint.where;
      if (complaint.more > 0) where += fmt::format(", and {} more", complaint.more);
      result_.failures += fmt::format("{}:{}:{}\n{}", printable(path_), complaint.line, where, complaint.text);
    }
    return result_;
  }

 private:
  void read_expectations() {
    golden_ = parse_golden(script_.text);
    expected_.clear();
    for (const ExpectedLine& line : golden_.output) expected_.push_back(line.text);
  }

  /// Runs the combinations from `begin` to `end`: one, or several on the same number of ranks.
  std::vector<Outcome> run_some(const std::vector<Combination>& list, std::size_t begin, std::size_t end,
                                const std::function<void(const std::string&)>& say_place) {
    const auto begins = [&](std::size_t i) { say_place(to_string(list[i])); };
    std::vector<Outcome> outcomes(end - begin);
    std::vector<std::size_t> on_ranks;
    const auto take = [&](std::size_t i, Outcome run) {
      std::vector<FoundError>& warnings = outcomes[i - begin].errors;
      run.errors.insert(run.errors.begin(), warnings.begin(), warnings.end());
      outcomes[i - begin] = std::move(run);
    };
    for (std::size_t i = begin; i < end; ++i) {
      begins(i);
      const eval::Settings settings = settings_of(list[i], parsed_);
      const Diagnostics found = session::Session::check_text(script_.name, script_.text, settings);
      outcomes[i - begin].errors = found_errors(found, script_.name);
      if (found.has_errors()) continue;
      if (list[i].ranks > 1) on_ranks.push_back(i);
      else take(i, run_in_process(script_, found, settings, options_.threads));
    }
    std::vector<Outcome> runs = run_on_ranks(path_, list[begin].ranks, on_ranks, options_.limit, begins);
    for (std::size_t k = 0; k < runs.size(); ++k) take(on_ranks[k], std::move(runs[k]));
    return outcomes;
  }

  void propose(const Outcome& outcome) {
    const std::string text = update_golden(script_.text, outcome.statements, outcome.errors);
    if (text == script_.text) return;
    result_.before = script_.text;
    result_.proposal = text;
    for (const std::size_t k : unasked_errors(golden_.errors, outcome.errors))
      result_.unasked += outcome.errors[k].rendered;
    if (!result_.unasked.empty()) return;
    script_.text = text;
    read_expectations();
  }

  /// Collects the combinations with the same error, so that it is reported once.
  struct Complaint {
    std::size_t line;
    std::string text, where;
    int more = 0;
  };

  void complain(std::size_t line, const std::string& text) {
    Complaint complaint{std::max<std::size_t>(line, 1), indented(text), where_};
    for (Complaint& same : complaints_) {
      if (same.line != complaint.line || same.text != complaint.text) continue;
      ++same.more;
      return;
    }
    complaints_.push_back(std::move(complaint));
  }

  void compare(const Outcome& outcome) {
    if (!outcome.trouble.empty()) return complain(1, outcome.trouble);
    const ErrorMismatch mismatch = match_errors(golden_.errors, outcome.errors);
    for (const std::size_t i : mismatch.missing)
      complain(golden_.errors[i].at, missing_text(golden_.errors[i], outcome.errors));
    for (const std::size_t k : mismatch.surprising)
      complain(outcome.errors[k].line, "this error was not expected:\n" + outcome.errors[k].rendered);
    if (golden_.output.empty() && golden_.errors.empty()) return compare_with_first(outcome);
    std::vector<std::string> lines;
    for (const std::string& line : outcome.lines) lines.emplace_back(trim_right(line));
    const TextDiff difference =
        diff_lines(expected_, lines, [&](const std::string& expected, const std::string& found) {
          return fits_line(expected, found, golden_.tolerance);
        });
    if (!difference.text.empty()) complain(line_of_output(difference.first), difference.text);
  }

  // A script without expectations must succeed, and print the same under all combinations.
  void compare_with_first(const Outcome& outcome) {
    if (!first_lines_) {
      first_lines_ = outcome.lines;
      first_where_ = where_;
    }
    const TextDiff difference =
        diff_lines(*first_lines_, outcome.lines, [&](const std::string& first, const std::string& found) {
          return is_same_line(first, found, golden_.tolerance);
        });
    if (!difference.text.empty())
      complain(1, fmt::format("it does not print what it prints {}:\n{}", first_where_, difference.text));
  }

  static std::string missing_text(const ExpectedError& expected, const std::vector<FoundError>& found) {
    if (expected.kind.empty())
      return fmt::format("expected on line {}: an error; `mtf test --update` writes which\n", expected.line);
    std::string text = fmt::format("expected on line {}: {}{}{}\n", expected.line, expected.kind,
                                   expected.text.empty() ? "" : ": ", expected.text);
    for (const FoundError& error : found)
      if (error.line == expected.line) text += fmt::format("found: {}: {}\n", error.kind, error.sentence);
    return text;
  }

  std::size_t line_of_output(std::size_t index) const {
    if (golden_.output.empty()) return 1;
    return golden_.output[std::min(index, golden_.output.size() - 1)].at;
  }

  std::string path_;
  GoldenOptions options_;
  Script script_;
  const std::shared_ptr<syntax::ParsedScripts> parsed_ = std::make_shared<syntax::ParsedScripts>();
  GoldenFile golden_;
  std::vector<std::string> expected_;
  std::optional<std::vector<std::string>> first_lines_;
  std::string first_where_, where_;
  std::vector<Complaint> complaints_;
  GoldenResult result_;
};

}  // namespace

GoldenResult run_golden(const std::string& path, const GoldenOptions& options,
                        const std::function<void(const std::string&)>& say_place) {
  GoldenResult result;
  try {
    if (path.ends_with(kPassFile)) return run_pass_file(path, options.update);
    return GoldenRun(path, options).run(say_place);
  } catch (const UserError& error) { result.failures = error.what(); } catch (const std::exception& error) {
    result.failures = fmt::format("{}: {}\n", printable(path), error.what());
  }
  return result;
}

}  // namespace mtf::tool
