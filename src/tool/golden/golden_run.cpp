#include "tool/golden/golden_run.h"

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <new>
#include <optional>

#include "api/records.h"
#include "run/mpi_runtime.h"
#include "session/session.h"
#include "support/source.h"
#include "support/text.h"
#include "support/text_sink.h"
#include "tool/golden/golden_test.h"
#include "tool/present/message_json.h"
#include "tool/shell/launch.h"
#include "tool/shell/on_ranks.h"
#include "tool/shell/output.h"
#include "tool/shell/program_options.h"

namespace mtf::tool {
namespace {

/// Receives the events of a run while it runs.
class Listener {
 public:
  virtual ~Listener() = default;
  virtual void printed(std::string_view line) = 0;
  /// The output since the previous statement belongs to this statement.
  virtual void statement_ended(std::size_t first_line, std::size_t last_line) = 0;
  virtual void warned(const Diagnostic& warning) = 0;
};

/// Makes an outcome of the events.
class OutcomeMaker final : public Listener {
 public:
  explicit OutcomeMaker(const std::string& name) : name_(name) {}

  void printed(std::string_view line) override { outcome_.lines.emplace_back(line); }
  void statement_ended(std::size_t first_line, std::size_t last_line) override {
    const auto own = outcome_.lines.begin() + static_cast<std::ptrdiff_t>(taken_);
    outcome_.statements.push_back({first_line, last_line, {own, outcome_.lines.end()}});
    taken_ = outcome_.lines.size();
  }
  void warned(const Diagnostic& warning) override { warned(diagnostic_record(warning)); }
  void warned(const DiagnosticRecord& warning) { outcome_.errors.push_back(found_error(warning, name_)); }

  void failed(const DiagnosticRecord& diagnostic) {
    FoundError error = found_error(diagnostic, name_);
    const std::size_t line = std::max<std::size_t>(error.line, 1);
    if (taken_ < outcome_.lines.size()) statement_ended(line, line);
    outcome_.errors.push_back(std::move(error));
  }
  void in_trouble(std::string trouble) { outcome_.trouble = std::move(trouble); }
  bool is_in_trouble() const { return !outcome_.trouble.empty(); }

  Outcome take() {
    taken_ = 0;
    return std::exchange(outcome_, {});
  }

 private:
  const std::string name_;
  Outcome outcome_;
  std::size_t taken_ = 0;  // lines that belong to a statement
};

/// A run has printed more than kGoldenMostOutput.
struct TooMuchOutput {};

std::string too_much_output() {
  return fmt::format("it printed more than {} and was ended\n", bytes_text(kGoldenMostOutput));
}

/// Sends the output to a listener, if there is one, line by line.
class PrintedLines : private TextSink {
 public:
  explicit PrintedLines(Listener* listener) : listener_(listener), stream_(this) {
    stream_.exceptions(std::ios::badbit);
  }
  std::ostream& stream() { return stream_; }
  /// Sends the rest of an unfinished line.
  void finish() {
    if (!line_.empty()) listener_->printed(std::exchange(line_, {}));
  }

 private:
  void take(std::string_view text) override {
    if (listener_ == nullptr) return;
    size_ += text.size();
    if (size_ > kGoldenMostOutput) throw TooMuchOutput();
    for (std::size_t end; (end = text.find('\n')) != std::string_view::npos; text.remove_prefix(end + 1)) {
      listener_->printed(line_.append(text.substr(0, end)));
      line_.clear();
    }
    line_ += text;
  }

  Listener* const listener_;
  std::ostream stream_;
  std::string line_;
  std::size_t size_ = 0;
};

/// Runs a script on a runtime: on each of its ranks. The first rank has a listener.
void run_script(const Script& script, const Diagnostics& found, const eval::Settings& settings, plan::Runtime& runtime,
                Listener* listener) {
  PrintedLines output(listener);
  plan::Execution execution(runtime);
  session::Session session(settings, &execution, output.stream());
  if (listener != nullptr) {
    session.on_statement([&](const eval::StatementReport& statement) {
      if (!statement.span.is_known()) return;
      const std::size_t last = std::max(statement.span.begin, statement.span.end - 1);
      listener->statement_ended(statement.span.position().line, statement.span.file->position(last).line);
    });
    session.on_warning([&](const Diagnostic& warning) { listener->warned(warning); });
  }
  session.have_been_told(found);
  try {
    session.run_text(script.name, script.text);
    runtime.finish();
  } catch (const UserError&) {
    output.finish();
    throw;
  }
  output.finish();
}

// ---- records --------------------------------------------------------------------------------------------------------

// A record is a line: a letter, then its content.
enum TellKind : char {
  kBegins = 'b',     // the next combination
  kPrinted = 'p',    // a line
  kStatement = 's',  // its first and last line
  kWarning = 'w',    // in JSON
  kTooMuch = 'm',    // the output is too long
  kEnded = 'e',      // the combination
};

void tell(TellKind kind, std::string_view text = {}) {
  write_output("{}{}\n", static_cast<char>(kind), text);
  flush_output();
}

/// Writes records for the process that has started the ranks.
class RecordWriter final : public Listener {
 public:
  void printed(std::string_view line) override { tell(kPrinted, line); }
  void statement_ended(std::size_t first_line, std::size_t last_line) override {
    tell(kStatement, fmt::format("{} {}", first_line, last_line));
  }
  void warned(const Diagnostic& warning) override { tell(kWarning, trim(message_json(warning))); }
};

/// Reads `3,4,5`; returns nothing for any other text.
std::optional<std::vector<std::size_t>> variables_below(const std::string& text) {
  std::vector<std::size_t> places;
  for (const std::string& word : split(text, ',')) {
    std::size_t place = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), place);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    places.push_back(place);
  }
  return places;
}

/// Runs `step`. If it does not end normally, ends all ranks with a message.
template <typename Step>
void end_all_unless(plan::Runtime& runtime, const Step& step) {
  const auto end_all = [&](const std::string& message, ExitCode code) {
    runtime.abort(message, static_cast<int>(code));
  };
  try {
    step();
  } catch (const UserError& error) {
    end_all(message_json(error.diagnostic()), error.diagnostic().exit_code());
  } catch (const TooMuchOutput&) {
    tell(kTooMuch);
    end_all({}, ExitCode::kLimit);
  } catch (const std::bad_alloc&) {
    end_all(fmt::format("error: rank {} needs more memory than there is [out_of_memory]\n", runtime.rank()),
            ExitCode::kLimit);
  } catch (const std::exception& error) { end_all(bug_message(error), ExitCode::kBug); }
}

/// Returns the first error among the messages, or nothing.
std::optional<DiagnosticRecord> first_error(const std::string& messages) {
  for (const std::string& line : printed_lines(messages))
    if (auto message = read_message_json(line); message && message->is_error) return message;
  return std::nullopt;
}

/// Runs combinations on ranks. Starts a new job after each failure.
class Jobs {
 public:
  Jobs(const std::string& path, std::int64_t ranks, const std::vector<std::size_t>& which, std::chrono::seconds limit,
       const std::function<void(std::size_t)>& begins)
      : path_(path), ranks_(ranks), which_(which), limit_(limit), begins_(begins), maker_(path) {}

  std::vector<Outcome> run() {
    while (outcomes_.size() < which_.size()) run_job();
    return std::move(outcomes_);
  }

 private:
  void run_job() {
    std::vector<std::string> places;
    for (std::size_t i = outcomes_.size(); i < which_.size(); ++i) places.push_back(std::to_string(which_[i]));
    const auto take = [&](std::string_view record) { return take_record(record); };
    const ProcessResult result = run_program_on_ranks(
        ranks_, {own_program(), "test", "--on-ranks", join(places, ","), path_}, limit_, kGoldenMostOutput, take);
    const bool all_ended = outcomes_.size() == which_.size();
    if (all_ended && result.status == 0) return;
    if (all_ended) outcomes_.pop_back();  // its ranks did not end
    if (maker_.is_in_trouble()) {         // and has reported that
    } else if (result.timed_out) {
      maker_.in_trouble("it took too long and was ended\n");
    } else if (const auto error = first_error(result.err)) {
      maker_.failed(*error);
    } else {
      maker_.in_trouble(fmt::format("it ended with status {}\n{}", result.status, result.err));
    }
    outcomes_.push_back(maker_.take());
  }

  /// Handles a record. Returns true if a combination begins, which has a time limit of its own.
  bool take_record(std::string_view record) {
    const char kind = record.empty() ? '\0' : record.front();
    const std::string_view text = record.substr(std::min<std::size_t>(1, record.size()));
    if (kind == kBegins) begins_(which_[outcomes_.size()]);
    else if (kind == kPrinted) maker_.printed(text);
    else if (kind == kStatement) take_statement(text);
    else if (kind == kTooMuch) maker_.in_trouble(too_much_output());
    else if (kind == kEnded) outcomes_.push_back(maker_.take());
    else if (const auto warning = kind == kWarning ? read_message_json(text) : std::nullopt) maker_.warned(*warning);
    else maker_.printed(record);  // a line that is no record of ours
    return kind == kBegins;
  }

  void take_statement(std::string_view text) {
    std::size_t first = 0, last = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), first);
    std::from_chars(std::min(end + 1, text.data() + text.size()), text.data() + text.size(), last);
    maker_.statement_ended(first, last);
  }

  const std::string& path_;
  const std::int64_t ranks_;
  const std::vector<std::size_t>& which_;
  const std::chrono::seconds limit_;
  const std::function<void(std::size_t)>& begins_;
  OutcomeMaker maker_;  // of the current combination
  std::vector<Outcome> outcomes_;
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

std::vector<FoundError> found_errors(const Diagnostics& found, const std::string& name) {
  std::vector<FoundError> errors;
  for (const Diagnostic& diagnostic : found.list()) errors.push_back(found_error(diagnostic_record(diagnostic), name));
  return errors;
}

eval::Settings settings_of(const Combination& combination, const std::shared_ptr<syntax::ParsedScripts>& parsed) {
  ProgramOptions options;
  options.mesh = combination.mesh;
  options.layout = combination.layout;
  options.memory = combination.memory;
  options.set = combination.set;
  eval::Settings settings = settings_of(options, combination.ranks);
  settings.parsed = parsed;
  return settings;
}

Outcome run_in_process(const Script& script, const Diagnostics& found, const eval::Settings& settings, int threads) {
  OutcomeMaker maker(script.name);
  try {
    run::MpiRuntime runtime({.threads = threads});
    run_script(script, found, settings, runtime, &maker);
  } catch (const UserError& error) {
    maker.failed(diagnostic_record(error.diagnostic()));
  } catch (const TooMuchOutput&) { maker.in_trouble(too_much_output()); }
  return maker.take();
}

std::vector<Outcome> run_on_ranks(const std::string& path, std::int64_t ranks, const std::vector<std::size_t>& which,
                                  std::chrono::seconds limit, const std::function<void(std::size_t)>& begins) {
  return Jobs(path, ranks, which, limit, begins).run();
}

int run_as_rank(const std::string& path, const std::string& which) {
  const Script script = read_script(path);
  GoldenFile golden = parse_golden(script.text);
  const std::vector<Combination> list = combinations(golden);
  const auto places = variables_below(which);
  if (!places || std::any_of(places->begin(), places->end(), [&](std::size_t place) { return place >= list.size(); }))
    fail(Kind::bad_option_value, {}, "--on-ranks {}: expected places of combinations", which);
  run::MpiRuntime job({.use_mpi = true});  // MPI lives until the last combination has ended
  end_all_unless(job, [&] { check_ranks(launch(), job.ranks()); });
  const auto parsed = std::make_shared<syntax::ParsedScripts>();
  RecordWriter writer;
  Listener* const listener = job.rank() == 0 ? &writer : nullptr;
  for (const std::size_t place : *places) {
    if (listener != nullptr) tell(kBegins);
    {
      const eval::Settings settings = settings_of(list[place], parsed);
      run::MpiRuntime runtime({.use_mpi = true});
      end_all_unless(runtime, [&] { run_script(script, Diagnostics(), settings, runtime, listener); });
    }
    if (listener != nullptr) tell(kEnded);
  }
  return 0;
}

}  // namespace mtf::tool
