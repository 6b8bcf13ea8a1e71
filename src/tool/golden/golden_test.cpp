#include "tool/golden/golden_test.h"

#include <unistd.h>

#include <algorithm>

#include "api/records.h"
#include "run/mpi_runtime.h"
#include "session/session.h"
#include "support/printable.h"
#include "support/source.h"
#include "support/text.h"
#include "support/text_sink.h"
#include "tool/golden/pass_file.h"
#include "tool/golden/text_diff.h"
#include "tool/present/message_json.h"
#include "tool/shell/process.h"
#include "tool/shell/program_options.h"
#include "tool/shell/script.h"

namespace mtf::tool {
namespace {

/// What a run gave: what it printed, statement by statement where that is known, and its errors.
struct Outcome {
  std::vector<std::string> lines;
  std::vector<StatementOutput> statements;
  std::vector<FoundError> errors;
  std::string trouble;  ///< not the program's: it took too long, or ended without a message
};

std::vector<FoundError> found_errors(const Diagnostics& found, const std::string& name) {
  std::vector<FoundError> errors;
  for (const Diagnostic& diagnostic : found.list()) errors.push_back(found_error(diagnostic_record(diagnostic), name));
  return errors;
}

eval::Settings settings_of(const Combination& combination) {
  ProgramOptions options;
  options.mesh = combination.mesh;
  options.layout = combination.layout;
  return settings_of(options, combination.ranks);
}

/// A run has printed more than kGoldenMostOutput.
struct TooMuchOutput {};

std::string too_much_output() {
  return fmt::format("it printed more than {} and was ended\n", bytes_text(kGoldenMostOutput));
}

/// Keeps what a run prints, as far as that is kept.
class Capture : private TextSink {
 public:
  Capture() : stream_(this) { stream_.exceptions(std::ios::badbit); }
  std::ostream& stream() { return stream_; }
  const std::string& text() const { return text_; }
  /// The lines since it was last asked.
  std::vector<std::string> new_lines() {
    std::vector<std::string> lines = printed_lines(std::string_view(text_).substr(taken_));
    taken_ = text_.size();
    return lines;
  }

 private:
  void take(std::string_view text) override {
    if (text_.size() + text.size() > kGoldenMostOutput) throw TooMuchOutput();
    text_ += text;
  }

  std::ostream stream_;
  std::string text_;
  std::size_t taken_ = 0;
};

std::size_t line_at(Span span, std::size_t offset) { return span.file->position(offset).line; }

/// `found`: the warnings of its check.
Outcome run_in_process(const Script& script, const Diagnostics& found, const Combination& combination, int threads) {
  Outcome outcome;
  Capture output;
  try {
    run::MpiRuntime runtime({.threads = threads});
    plan::Execution execution(runtime);
    session::Session session(settings_of(combination), &execution, output.stream());
    session.on_statement([&](const eval::StatementReport& statement) {
      if (!statement.span.is_known()) return;
      const std::size_t last = std::max(statement.span.begin, statement.span.end - 1);
      outcome.statements.push_back({statement.span.position().line, line_at(statement.span, last), output.new_lines()});
    });
    session.on_warning([&](const Diagnostic& warning) {
      outcome.errors.push_back(found_error(diagnostic_record(warning), script.name));
    });
    session.have_been_told(found);
    session.run_text(script.name, script.text);
  } catch (const UserError& error) {
    FoundError found = found_error(diagnostic_record(error.diagnostic()), script.name);
    if (const auto rest = output.new_lines(); !rest.empty()) {
      const std::size_t line = std::max<std::size_t>(found.line, 1);
      outcome.statements.push_back({line, line, rest});
    }
    outcome.errors.push_back(std::move(found));
  } catch (const TooMuchOutput&) { outcome.trouble = too_much_output(); }
  outcome.lines = printed_lines(output.text());
  return outcome;
}

/// The first error among the messages; nothing if there is none.
std::optional<DiagnosticRecord> first_error(const std::string& messages) {
  for (const std::string& line : printed_lines(messages))
    if (auto message = read_message_json(line); message && message->is_error) return message;
  return std::nullopt;
}

Outcome run_on_ranks(const std::string& path, const Combination& combination) {
  std::vector<std::string> words = {"mpirun",      "-q",  "--oversubscribe", "-n", std::to_string(combination.ranks),
                                    own_program(), "run", "--json-messages", path};
  if (combination.mesh) words.insert(words.end(), {"--mesh", *combination.mesh});
  if (combination.layout) words.insert(words.end(), {"--layout", *combination.layout});
  std::vector<std::pair<std::string, std::string>> variables = {{"OMPI_MCA_mpi_yield_when_idle", "1"},
                                                                {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"}};
  if (geteuid() == 0)
    variables.insert(variables.end(), {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}});
  const ProcessResult result = run_process(words, variables, kGoldenLimit - std::chrono::seconds(5), kGoldenMostOutput);
  Outcome outcome;
  outcome.lines = printed_lines(result.out);
  if (result.too_much_output) outcome.trouble = too_much_output();
  else if (result.timed_out) outcome.trouble = "it took too long and was ended\n";
  else if (auto error = first_error(result.err)) outcome.errors.push_back(found_error(*error, path));
  else if (result.status != 0) outcome.trouble = fmt::format("it ended with status {}\n{}", result.status, result.err);
  return outcome;
}

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
    bool first = true;
    for (const Combination& combination : list) {
      where_ = to_string(combination);
      say_place(where_);
      const Outcome outcome = run_once(combination);
      if (options_.update && std::exchange(first, false) && outcome.trouble.empty()) propose(outcome);
      compare(outcome);
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

  Outcome run_once(const Combination& combination) {
    const Diagnostics found = session::Session::check_text(script_.name, script_.text, settings_of(combination));
    if (found.has_errors()) {
      Outcome refused;
      refused.errors = found_errors(found, script_.name);
      return refused;
    }
    Outcome outcome = combination.ranks == 1 ? run_in_process(script_, found, combination, options_.threads)
                                             : run_on_ranks(path_, combination);
    std::vector<FoundError> warnings = found_errors(found, script_.name);
    outcome.errors.insert(outcome.errors.begin(), warnings.begin(), warnings.end());
    return outcome;
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

  /// What is wrong in the same way under several combinations is said once.
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
    const TextDiff difference = diff_lines(expected_, lines);
    if (!difference.text.empty()) complain(line_of_output(difference.first), difference.text);
  }

  // A script without expectations must end well, and print the same everywhere.
  void compare_with_first(const Outcome& outcome) {
    if (!first_lines_) {
      first_lines_ = outcome.lines;
      first_where_ = where_;
    }
    const TextDiff difference = diff_lines(*first_lines_, outcome.lines);
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
  GoldenFile golden_;
  std::vector<std::string> expected_;
  std::optional<std::vector<std::string>> first_lines_;
  std::string first_where_, where_;
  std::vector<Complaint> complaints_;
  GoldenResult result_;
};

}  // namespace

FoundError found_error(const DiagnosticRecord& diagnostic, const std::string& name) {
  FoundError error;
  error.kind = diagnostic.kind;
  error.is_error = diagnostic.is_error;
  error.words = diagnostic.message;
  const auto add = [&](const PlaceRecord& place, const std::string& label) {
    error.words += "\n" + label;
    if (error.line == 0 && place.file == name) error.line = place.line;
  };
  add(diagnostic.place, diagnostic.found);
  for (const DiagnosticRecord::Related& related : diagnostic.related) add(related.place, related.text);
  for (const std::string& text : diagnostic.notes) error.words += "\n" + text;
  for (const std::string& text : diagnostic.helps) error.words += "\n" + text;
  error.sentence = diagnostic.found.empty() ? diagnostic.message : diagnostic.found;
  error.rendered = diagnostic.text;
  return error;
}

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
