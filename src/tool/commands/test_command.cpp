#include <regex.h>
#include <string.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <memory>
#include <numeric>
#include <sstream>
#include <thread>

#include "support/printable.h"
#include "support/source.h"
#include "support/text.h"
#include "tool/commands/commands.h"
#include "tool/golden/golden_run.h"
#include "tool/golden/golden_test.h"
#include "tool/golden/pass_file.h"
#include "tool/golden/test_report.h"
#include "tool/golden/text_diff.h"
#include "tool/shell/generated_file.h"
#include "tool/shell/launch.h"
#include "tool/shell/output.h"
#include "tool/shell/process.h"
#include "tool/shell/script.h"

namespace mtf::tool {
namespace {

struct TestOptions {
  std::vector<std::string> paths;
  bool update = false;
  bool yes = false;
  bool first_only = false;
  int jobs = 2;
  int limit = static_cast<int>(kGoldenLimit.count());  // seconds
  std::optional<std::string> filter;
  bool fail_fast = false;
  TestReportOptions report;
  std::string on_ranks;
};

std::string describe_end(const std::string& script, const WorkResult& result, int limit) {
  const std::string where = result.place.empty() ? "" : " " + result.place;
  if (result.signal == 0)
    return fmt::format("{}:1:{}\n    it took longer than {} s and was ended\n", printable(script), where, limit);
  return fmt::format("{}:1:{}\n    mtf itself ended by signal {} ({}): a bug in mtf\n", printable(script), where,
                     result.signal, strsignal(result.signal));
}

// What a process that ran a script sends: how long each part is, then the parts.
std::string packed(const GoldenResult& result, double seconds) {
  return fmt::format("{} {} {} {} {} ", result.failures.size(), result.before.size(), result.proposal.size(),
                     result.runs, seconds) +
         result.failures + result.before + result.proposal + result.unasked;
}

/// A script that was run, and for how long.
struct Run {
  GoldenResult result;
  std::chrono::duration<double> time{};
};

Run unpacked(const std::string& text) {
  std::istringstream sizes(text);
  std::size_t failures = 0, before = 0, proposal = 0;
  Run run;
  double seconds = 0;
  sizes >> failures >> before >> proposal >> run.result.runs >> seconds;
  const std::size_t at = static_cast<std::size_t>(sizes.tellg()) + 1;
  run.result.failures = text.substr(at, failures);
  run.result.before = text.substr(at + failures, before);
  run.result.proposal = text.substr(at + failures + before, proposal);
  run.result.unasked = text.substr(at + failures + before + proposal);
  run.time = std::chrono::duration<double>(seconds);
  return run;
}

/// Decides which proposed changes are written.
class Review {
 public:
  explicit Review(bool yes) : all_(yes), asks_(!yes && isatty(STDIN_FILENO) != 0 && isatty(STDOUT_FILENO) != 0) {}

  /// Shows a change, and asks about it if that is possible. An error that the script does not expect becomes an
  /// expectation only with an explicit consent.
  bool accepts(const std::string& script, const GoldenResult& result) {
    const TextDiff difference = diff_lines(printed_lines(result.before), printed_lines(result.proposal));
    write_output("{}\n{}", printable(script), indented(difference.text));
    if (!result.unasked.empty()) {
      write_output("it does not expect this error:\n{}", indented(result.unasked));
      if (!asks_) write_output("not written: a line `#!` below the line that is refused asks for it\n");
      return asks_ && !done_ && ask("expect this error? [y]es, [n]o: ") == 'y';
    }
    if (all_ || !asks_ || done_) return all_;
    const char answer = ask("write this? [y]es, [n]o, [a]ll, [q]uit: ");
    all_ = answer == 'a';
    done_ = answer == 'q';
    return all_ || answer == 'y';
  }
  bool asks() const { return asks_; }

 private:
  static std::string indented(const std::string& text) {
    std::string out;
    for (const std::string& line : printed_lines(text)) out += "    " + printable(line) + "\n";
    return out;
  }
  static char ask(const std::string& question) {
    write_output(question);
    flush_output();
    std::string answer;
    return std::getline(std::cin, answer) && !trim(answer).empty() ? trim(answer)[0] : 'n';
  }

  bool all_, asks_, done_ = false;
};

void write_script(const std::string& path, const GoldenResult& result) {
  replace_file(path, result.proposal, [&] {
    if (SourceFile::read(path)->text() != result.before)
      fail(Kind::cannot_write, {}, "{} was changed while it ran: it stays as it is now", path);
  });
}

/// An extended regular expression, as `grep -E` has them.
class Filter {
 public:
  /// Throws UserError if the expression is none.
  explicit Filter(const std::string& text) {
    const int error = regcomp(&expression_, text.c_str(), REG_EXTENDED | REG_NOSUB);
    if (error == 0) return;
    char sentence[200];
    regerror(error, &expression_, sentence, sizeof sentence);
    fail(Diagnostic(Kind::bad_option_value, {}, fmt::format("--filter \"{}\": {}", printable(text), sentence))
             .help("expected a regular expression as `grep -E` has them: --filter 'bert|gpt'"));
  }
  Filter(const Filter&) = delete;
  Filter& operator=(const Filter&) = delete;
  ~Filter() { regfree(&expression_); }

  bool fits(const std::string& text) const { return regexec(&expression_, text.c_str(), 0, nullptr, 0) == 0; }

 private:
  regex_t expression_{};
};

/// Leaves the tests whose path fits the expression. It is an error if none does: nothing would be tested.
std::vector<std::string> filtered(std::vector<std::string> tests, const std::string& expression) {
  const Filter filter(expression);
  const std::size_t count = tests.size();
  std::erase_if(tests, [&](const std::string& test) { return !filter.fits(test); });
  if (tests.empty())
    fail(Diagnostic(Kind::bad_option_value, {},
                    fmt::format("--filter \"{}\" fits none of {}", printable(expression),
                                count_text(static_cast<std::int64_t>(count), "test")))
             .help("it is compared with paths, such as tests/scripts/einsum.mtf"));
  return tests;
}

std::vector<std::string> chosen_tests(const TestOptions& options) {
  // Nothing would be tested in a folder without tests.
  std::vector<std::string> tests = find_scripts_in_each(
      options.paths.empty() ? std::vector<std::string>{"."} : options.paths, "test",
      "a test is a script, NAME.mtf, with `#>` lines below what it prints", {".mtf", std::string(kPassFile)});
  return options.filter ? filtered(std::move(tests), *options.filter) : tests;
}

class Tests {
 public:
  explicit Tests(const TestOptions& options)
      : options_(options), scripts_(chosen_tests(options)), report_(options.report, scripts_.size()) {}

  int run() {
    std::vector<std::size_t> all(scripts_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    std::vector<std::pair<std::size_t, Run>> proposals;
    run(all, options_.update, [&](std::size_t script, Run run) {
      if (!run.result.proposal.empty()) proposals.emplace_back(script, std::move(run));
      else count(script, run);
      return !options_.fail_fast || report_.failed() == 0;
    });
    if (!proposals.empty()) review(proposals);
    return report_.finish();
  }

 private:
  /// Runs scripts until `done` returns false.
  template <typename Done>
  void run(const std::vector<std::size_t>& which, bool update, const Done& done) {
    const int threads = std::max(1, static_cast<int>(std::thread::hardware_concurrency()) / options_.jobs);
    const std::chrono::seconds limit(options_.limit);
    const auto work = [&](std::size_t i, const SayPlace& say_place) {
      const auto begin = std::chrono::steady_clock::now();
      const GoldenResult result =
          run_golden(scripts_[which[i]], {update, options_.first_only, threads, limit}, say_place);
      return packed(result, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    };
    // A process that has started ranks needs a little more time to end them.
    divide_work(which.size(), options_.jobs, limit + std::chrono::seconds(5), work,
                [&](std::size_t i, const WorkResult& result) {
                  if (result.finished) return done(which[i], unpacked(result.text));
                  Run ended;
                  ended.result.failures = describe_end(scripts_[which[i]], result, options_.limit);
                  if (result.signal == 0) ended.time = limit;
                  return done(which[i], std::move(ended));
                });
  }

  void count(std::size_t script, const Run& run) { count(script, run, run.result.failures); }
  void count(std::size_t script, const Run& run, const std::string& failures) {
    report_.add({scripts_[script], failures, run.result.runs, run.time});
  }

  void review(const std::vector<std::pair<std::size_t, Run>>& proposals) {
    Review review(options_.yes);
    std::vector<std::size_t> again;  // an accepted error may not occur under all combinations: run these again
    std::size_t left = 0;
    for (const auto& [script, run] : proposals) {
      const GoldenResult& result = run.result;
      try {
        if (!review.accepts(scripts_[script], result)) {
          ++left;
          continue;
        }
        write_script(scripts_[script], result);
      } catch (const OutputError&) { throw; } catch (const UserError& error) {
        count(script, run, error.what());
        continue;
      }
      write_output("updated {}\n", printable(scripts_[script]));
      if (result.unasked.empty()) count(script, run);
      else again.push_back(script);
    }
    run(again, false, [&](std::size_t script, const Run& run) {
      count(script, run);
      return true;
    });
    report_.leave(left);
    if (left > 0 && !options_.yes && !review.asks()) write_output("nothing was written: --yes writes what is shown\n");
  }

  const TestOptions& options_;
  std::vector<std::string> scripts_;
  TestReport report_;
};

int test(const TestOptions& options) {
  if (!options.on_ranks.empty() && options.paths.size() == 1 && launch().uses_mpi())
    return run_as_rank(options.paths.front(), options.on_ranks);
  if (launch().is_one_of_several() || !options.on_ranks.empty())
    fail(Diagnostic(Kind::bad_usage, {}, "`mtf test` starts the ranks that a script asks for itself")
             .help("run it without mpirun"));
  constexpr int kMostJobs = 1024;
  if (options.jobs < 1 || options.jobs > kMostJobs)
    fail(Kind::bad_option_value, {}, "--jobs {}: expected a number from 1 to {}", options.jobs, kMostJobs);
  constexpr int kLongestLimit = 1'000'000;
  if (options.limit < 1 || options.limit > kLongestLimit)
    fail(Kind::bad_option_value, {}, "--limit {}: expected a number from 1 to {}", options.limit, kLongestLimit);
  if (options.report.durations < 0)
    fail(Kind::bad_option_value, {}, "--durations {}: expected a number of scripts", options.report.durations);
  return Tests(options).run();
}

}  // namespace

const Command kTestCommand = {
    .name = "test",
    .summary = "Run scripts that carry their own output, and compare",
    .details =
        "Without files the scripts of this folder. A script says what it prints, and under what:\n"
        "  #: meshes  \"\" \"all:4\" \"rows:2;cols:3\"   every combination of these must print the same;\n"
        "  #: layouts \"\" \"batch:all\"               \"\" is no mesh (one axis, all) and the layout {}\n"
        "  #: memory  \"\" \"2MiB\"                  what each processor has, as --memory of mtf run; \"\" is any\n"
        "  #: ranks   1 2 4                       more than one are started with mpirun\n"
        "  #: set     steps=2                     options and dims of the script, as --set of mtf run\n"
        "  #: tolerance 0.001                     how far printed numbers may be from the expected ones, relative to\n"
        "                                         them; integers are exact\n"
        "  #> 30                                  below a statement: a line that it prints; `…` in it is any text\n"
        "  #! unknown_name: batsh                 below a line that must be refused: kind, and part of the message\n"
        "Combinations in which a layout names an axis that the mesh lacks, or the mesh has fewer processors than\n"
        "there are ranks, are left out; each mesh and each layout must run at least once. A script without `#>` and\n"
        "`#!` must end well and print the same everywhere. --update shows what would change so that the script "
        "expects\n"
        "what it prints now, or how it is refused, and asks; --yes writes it without asking. An error for which no "
        "`#!`\n"
        "asks is then not expected: a bare `#!` asks for one. --first leaves out all but the first combination: a "
        "quick\n"
        "look, not a test of layouts. Exit status 1 if a script failed.\n"
        "Files that end in .pass are tests of the compiler's passes: cases of a sentence behind #, a\n"
        "program as `mtf trace` prints it, the name of a pass, and the program after it, which --update writes.\n"
        "\n"
        "Examples:\n"
        "  mtf test tests/scripts\n"
        "  mtf test tests/scripts --filter 'einsum|layout' --fail-fast -v\n"
        "  mtf test tests --junit results.xml --durations 10\n"
        "  mtf test --update tests/scripts/einsum.mtf\n"
        "  mtf test --update --yes tests/scripts\n",
    .declare = [](OptionParser& parser, ProgramOptions&) -> std::function<int()> {
      auto options = std::make_shared<TestOptions>();
      parser.words("paths", options->paths, "Scripts, or folders of scripts", false);
      parser.flag("--update", options->update, "Show how expectations have changed, and rewrite them");
      parser.flag("--yes", options->yes, "With --update: rewrite without asking");
      parser.flag("--first", options->first_only,
                  "Each script under the first mesh, layout and number of ranks only: quick");
      parser.number("-j,--jobs", options->jobs, "N", "Scripts at once (default: 2)");
      parser.number("--limit", options->limit, "N",
                    fmt::format("Seconds that each run may take (default: {})", kGoldenLimit.count()));
      parser.text("--filter", options->filter, "PATTERN", "Only scripts whose path fits this regular expression");
      parser.flag("--fail-fast", options->fail_fast, "End with the first script that fails");
      parser.flag("-v,--verbose", options->report.verbose, "Name scripts that pass too, with time and number of runs");
      parser.number("--durations", options->report.durations, "N", "Name the N slowest scripts at the end");
      parser.text("--junit", options->report.junit, "FILE", "Write the results in the form of JUnit, for servers");
      parser.flag("--tap", options->report.tap, "Print the results as TAP, version 13");
      parser.hidden_text("--on-ranks", options->on_ranks);
      parser.needs("--yes", {"--update"});
      parser.excludes("--update", {"--tap", "--junit", "--fail-fast"});
      return [options] { return test(*options); };
    }};

}  // namespace mtf::tool
