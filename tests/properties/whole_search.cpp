#include "whole_search.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "in_child.h"
#include "on_ranks.h"
#include "shrink.h"
#include "syntax/parse.h"

namespace mtf::properties {
namespace {

constexpr size_t kRuns = 3;      // legal trials of a program
constexpr uint64_t kBatch = 50;  // programs of one child: its plans are kept for later programs, as in a session
constexpr uint64_t kBatchOfRanks = 250;  // starting ranks takes a second
constexpr unsigned kPatience =
    120;  // seconds of computing for one program; most take a tenth of a second, nested gradients in loops many
constexpr unsigned kLessPatience = 4;  // while a program is shrunk
constexpr int kMostAttempts = 600;     // of shrinking
constexpr int kMostAttemptsOnRanks = 150;

/// Messages in the pipe: parts with a separator that no program has.
constexpr char kPart = '\x1f', kEnd = '\x1e';
constexpr const char* kWords[] = {"holds", "ends", "refused"};

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, kPart);) parts.push_back(part);
  return parts;
}

Checks checks_of(const Search& what) { return {what.plans, what.ranks > 1}; }

/// The parser learns as it reads; every child inherits what its parent has learnt.
void teach_parser(const Search& what) {
  for (uint64_t seed = what.first; seed < what.first + 5; ++seed)
    syntax::parse_or_throw(SourceFile::create("program.mtf", whole_program(seed, features_of(what.features)).text()));
}

ChildResult batch_on_ranks(const Search& what) {
  std::vector<std::string> words = {"--whole-programs", std::to_string(what.count),
                                    "--first",          std::to_string(what.first),
                                    "--features",       what.features};
  if (what.plans) words.push_back("--plans");
  return on_ranks(what.ranks, words);
}

ChildResult script_on_ranks(const WholeProgram& program, const Trial& trial, int ranks) {
  const std::string path =
      (std::filesystem::temp_directory_path() / fmt::format("whole_program_{}.mtf", getpid())).string();
  std::ofstream(path) << text_at(program, trial);
  std::vector<std::string> words = {"--whole-script", path, "--mesh", trial.where.mesh, "--layout", trial.where.layout};
  for (const auto& [name, value] : program.set) words.insert(words.end(), {"--set", name + "=" + value});
  const ChildResult result = on_ranks(ranks, words);
  std::filesystem::remove(path);
  return result;
}

std::optional<Failure> failure_alone(const WholeProgram& program, const Trial& trial, const Search& what) {
  const ChildResult child =
      what.ranks > 1 ? script_on_ranks(program, trial, what.ranks)
                     : in_child(
                           [&](const auto& say) {
                             if (const Verdict verdict = verdict_at(program, trial, checks_of(what)); verdict.fails())
                               say(verdict.failure.kind + "\n" + verdict.failure.what);
                           },
                           kLessPatience);
  if (!child.ended.empty() && (what.ranks == 1 || child.said.empty())) return Failure{child.ended, ""};
  if (child.said.empty()) return std::nullopt;
  const size_t end = child.said.find('\n');
  return Failure{child.said.substr(0, end), end < child.said.size() ? child.said.substr(end + 1) : ""};
}

struct Small {
  WholeProgram program;
  Trial trial;
  Failure failure;
};

std::optional<Small> smallest(const WholeProgram& program, const Trial& trial, const Failure& failure,
                              const Search& what) {
  Small small{program, trial, failure};
  auto fails = [&](const WholeProgram& candidate, const Trial& at) {
    std::optional<Failure> found = failure_alone(candidate, at, what);
    if (!found || found->kind != failure.kind) return false;
    small.failure = *found;
    return true;
  };
  if (!fails(program, trial)) return std::nullopt;
  for (const Trial& each : simpler_trials(program, trial, what.ranks))
    if (fails(small.program, each)) {
      small.trial = each;
      break;
    }
  if (WholeProgram without = small.program; !without.set.empty()) {
    without.set.clear();
    if (fails(without, small.trial)) small.program.set.clear();
  }
  small.program.statements = smallest_tree(
      small.program.statements,
      [&](const Statements& statements) {
        WholeProgram candidate = small.program;
        candidate.statements = statements;
        return fails(candidate, small.trial);
      },
      what.ranks > 1 ? kMostAttemptsOnRanks : kMostAttempts);
  if (!fails(small.program, small.trial)) return std::nullopt;
  return small;
}

std::string report_of(const Found& found, const Search& what, bool shrink) {
  const std::string ranks = what.ranks > 1 ? fmt::format(" --ranks {}", what.ranks) : "";
  std::string text = fmt::format("seed {}: {}\n  {}\n  again: test_properties --whole-program {}{}\n{}", found.seed,
                                 found.failure.kind, to_string(found.trial), found.seed, ranks, found.failure.what);
  if (!shrink) return text;
  const std::optional<Small> small =
      smallest(whole_program(found.seed, features_of(what.features)), found.trial, found.failure, what);
  if (!small) return text + "  (not so when it is run alone: see the programs that ran before it)\n";
  std::string set;
  for (const auto& [name, value] : small->program.set) set += fmt::format(" --set {}={}", name, value);
  return text + fmt::format("The smallest program found that fails so, {}{}{}:\n{}{}\n", to_string(small->trial), set,
                            ranks, text_at(small->program, small->trial), small->failure.what);
}

/// Adds the messages of a batch to the tally. Returns the last program that they name.
uint64_t add_up(const ChildResult& child, const Search& what, Tally& tally,
                const std::function<void(const Found&)>& add) {
  uint64_t seed = what.first, last_run = what.first + what.count;
  std::istringstream in(child.said);
  for (std::string message; std::getline(in, message, kEnd);) {
    const std::vector<std::string> parts = parts_of(message);
    if (parts.size() < 2) continue;
    seed = std::stoull(parts[0]);
    const std::string word = parts.size() > 2 ? parts[2] : "";
    if (word != kWords[2] && seed != last_run) ++tally.programs, last_run = seed;
    if (word != kWords[2]) ++tally.runs;
    if (word == kWords[1]) ++tally.ended;
    auto found = [&](const std::string& kind, const std::string& how) {
      tally.found.push_back(
          {seed,
           trials_of(whole_program(seed, features_of(what.features)), what.ranks)[std::stoul(parts[1])],
           {kind, how}});
      add(tally.found.back());
    };
    if (word == "fails") found(parts.at(3), parts.size() > 4 ? parts[4] : "");
    else if (word.empty() && in.eof() && !child.ended.empty()) found(child.ended, "");
  }
  return seed;
}

}  // namespace

void run_batch(const Search& what, const std::function<void(const std::string& message)>& say) {
  for (uint64_t seed = what.first; seed < what.first + what.count; ++seed) {
    const WholeProgram program = whole_program(seed, features_of(what.features));
    const std::vector<Trial> trials = trials_of(program, what.ranks);
    size_t legal = 0;
    for (size_t t = 0; t < trials.size() && legal < kRuns; ++t) {
      if (what.ranks > 1) watch(kPatience, fmt::format("seed {}, {}", seed, to_string(trials[t])));
      say(fmt::format("{}{}{}{}", seed, kPart, t, kPart));
      const Verdict verdict = verdict_at(program, trials[t], checks_of(what));
      if (verdict.fails()) say(fmt::format("fails{}{}{}{}", kPart, verdict.failure.kind, kPart, verdict.failure.what));
      else say(kWords[static_cast<size_t>(verdict.kind)]);
      say(std::string(1, kEnd));
      if (verdict.fails()) break;
      if (verdict.kind != Verdict::Kind::kRefused) ++legal;
    }
  }
}

Tally search(const Search& what, const std::function<void(const std::string& report)>& tell) {
  Tally tally;
  std::map<std::string, size_t> kinds;
  const auto add = [&](const Found& one) {
    tell(report_of(one, what, what.shrink && ++kinds[one.failure.kind] <= what.most_of_a_kind));
  };
  if (what.ranks == 1) teach_parser(what);
  const uint64_t end = what.first + what.count;
  for (Search part = what; part.first < end;) {
    part.count = std::min(end - part.first, what.ranks > 1 ? kBatchOfRanks : kBatch);
    const ChildResult child =
        what.ranks > 1 ? batch_on_ranks(part) : in_child([&](const auto& say) { run_batch(part, say); }, kPatience);
    const size_t failed_before = tally.found.size();
    const uint64_t last = add_up(child, part, tally, add);
    if (!child.ended.empty() && child.said.empty() && tally.found.size() == failed_before)
      throw std::runtime_error("the programs could not be run: " + child.ended);
    part.first = child.ended.empty() ? part.first + part.count : last + 1;
  }
  tally.refused = what.count - tally.programs;
  return tally;
}

Tally tally_of(const Search& what, const std::string& said, const std::function<void(const Found&)>& add) {
  Tally tally;
  add_up({said, ""}, what, tally, add);
  tally.refused = what.count - tally.programs;
  return tally;
}

std::string to_string(const Tally& tally) {
  return fmt::format(
      "{} of {} whole programs do the same everywhere ({} runs, {} of them ended by the error that ends the reference; "
      "{} programs are refused)",
      tally.programs - tally.found.size(), tally.programs, tally.runs, tally.ended, tally.refused);
}

std::string census(uint64_t count) {
  std::map<std::string, uint64_t> uses;
  uint64_t statements = 0, largest = 0;
  for (uint64_t seed = 0; seed < count; ++seed) {
    const WholeProgram program = whole_program(seed, default_features());
    for (const std::string& each : program.made_of) ++uses[each];
    const uint64_t size = mtf::properties::count(program.statements);
    statements += size, largest = std::max(largest, size);
  }
  std::string text =
      fmt::format("{} statements a program, {} in the largest\n", statements / std::max<uint64_t>(count, 1), largest);
  for (const auto& [what, programs] : uses)
    text += fmt::format("{:6.1f}%  {}\n", 100.0 * static_cast<double>(programs) / static_cast<double>(count), what);
  return text;
}

std::string shown(const Search& what) {
  const WholeProgram program = whole_program(what.first, features_of(what.features));
  std::string text = program.text();
  for (const auto& [name, value] : program.set) text += fmt::format("# --set {}={}\n", name, value);
  for (const Trial& trial : trials_of(program, what.ranks)) {
    const std::optional<Failure> failure = failure_alone(program, trial, what);
    text += fmt::format("# {}: {}\n{}", to_string(trial), failure ? failure->kind : "all holds",
                        failure ? failure->what : "");
  }
  return text;
}

}  // namespace mtf::properties
