#include "whole_search.h"

#include <fmt/format.h>

#include <map>
#include <sstream>

#include "in_child.h"
#include "shrink.h"

namespace mtf::properties {
namespace {

constexpr uint64_t kBatch = 50;          // programs that one child runs: plans are kept from one to the next, as in a session
constexpr unsigned kPatience = 120;      // seconds of computing for one program; most take a tenth of one, gradients of gradients in loops many
constexpr unsigned kLessPatience = 4;    // where a program is made small
constexpr int kMostAttempts = 600;       // of shrinking

/// What goes through the pipe: parts with a separator that no program has.
constexpr char kPart = '\x1f', kEnd = '\x1e';

std::vector<std::string> parts_of(const std::string& text) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, kPart);) parts.push_back(part);
  return parts;
}

std::optional<Failure> failure_alone(const WholeProgram& program, const Trial& trial, Checks checks) {
  const ChildResult child = in_child([&](const auto& say) {
    if (const std::optional<Failure> failure = failure_at(program, trial, checks)) say(failure->kind + kPart + failure->what);
  }, kLessPatience);
  if (!child.ended.empty()) return Failure{child.ended, ""};
  if (child.said.empty()) return std::nullopt;
  const std::vector<std::string> parts = parts_of(child.said);
  return Failure{parts[0], parts.size() > 1 ? parts[1] : ""};
}

struct Small {
  WholeProgram program;
  Trial trial;
  Failure failure;
};

std::optional<Small> smallest(const WholeProgram& program, const Trial& trial, const Failure& failure, Checks checks) {
  Small small{program, trial, failure};
  auto fails = [&](const WholeProgram& candidate, const Trial& at) {
    std::optional<Failure> found = failure_alone(candidate, at, checks);
    if (!found || found->kind != failure.kind) return false;
    small.failure = *found;
    return true;
  };
  if (!fails(program, trial)) return std::nullopt;
  auto simpler_trial = [&] {
    std::vector<Trial> simpler;
    for (const char* mesh : {"p:1", "p:2"}) {
      simpler.push_back({{mesh, ""}, false});
      for (const std::string& dim : program.dims) simpler.push_back({{mesh, dim + ":p"}, false});
      if (program.own_meshes) simpler.clear();
    }
    simpler.push_back({trial.where, false});
    for (const Trial& each : simpler)
      if (fails(small.program, each)) {
        small.trial = each;
        return;
      }
  };
  simpler_trial();
  if (WholeProgram without = small.program; !without.set.empty()) {
    without.set.clear();
    if (fails(without, small.trial)) small.program.set.clear();
  }
  const auto shrink = [&] { return smallest_tree(small.program.statements, [&](const Statements& statements) {
    WholeProgram candidate = small.program;
    candidate.statements = statements;
    return fails(candidate, small.trial);
  }, kMostAttempts); };
  small.program.statements = shrink();
  if (!fails(small.program, small.trial)) return std::nullopt;
  return small;
}

std::string report_of(const Found& found, const Search& what, bool shrink) {
  std::string text = fmt::format("seed {}: {}\n  {}\n  again: test_properties --whole-program {}\n{}", found.seed, found.failure.kind,
                                 to_string(found.trial), found.seed, found.failure.what);
  if (!shrink) return text;
  const std::optional<Small> small = smallest(whole_program(found.seed, what.features), found.trial, found.failure, what.checks);
  if (!small) return text + "  (not so when it is run alone: see the programs that ran before it)\n";
  std::string set;
  for (const auto& [name, value] : small->program.set) set += fmt::format(" --set {}={}", name, value);
  return text + fmt::format("The smallest program found that fails so, {}{}:\n{}{}\n", to_string(small->trial), set, text_at(small->program, small->trial), small->failure.what);
}

}  // namespace

std::vector<Found> search(const Search& what, const std::function<void(const std::string& report)>& tell) {
  std::vector<Found> found;
  std::map<std::string, size_t> kinds;
  auto add = [&](Found one) {
    tell(report_of(one, what, what.shrink && ++kinds[one.failure.kind] <= what.most_of_a_kind));
    found.push_back(std::move(one));
  };
  uint64_t next = what.first;
  const uint64_t end = what.first + what.count;
  while (next < end) {
    const uint64_t last = std::min(end, next + kBatch);
    const ChildResult child = in_child([&](const auto& say) {
      for (uint64_t seed = next; seed < last; ++seed) {
        const WholeProgram program = whole_program(seed, what.features);
        const std::vector<Trial> trials = trials_of(program);
        for (size_t t = 0; t < trials.size(); ++t) {
          say(fmt::format("{}{}{}{}", seed, kPart, t, kPart));
          const std::optional<Failure> failure = failure_at(program, trials[t], what.checks);
          if (failure) say(failure->kind + kPart + failure->what);
          say(std::string(1, kEnd));
          if (failure) break;
        }
      }
    }, kPatience);
    uint64_t seed = next;
    std::istringstream in(child.said);
    for (std::string message; std::getline(in, message, kEnd);) {
      const std::vector<std::string> parts = parts_of(message);
      seed = std::stoull(parts[0]);
      const Trial trial = trials_of(whole_program(seed, what.features))[std::stoul(parts[1])];
      if (parts.size() > 3) add({seed, trial, {parts[2], parts[3]}});
      else if (in.eof() && !child.ended.empty()) add({seed, trial, {child.ended, ""}});
    }
    next = child.ended.empty() ? last : seed + 1;
  }
  return found;
}

std::string shown(const Search& what) {
  const WholeProgram program = whole_program(what.first, what.features);
  std::string text = program.text();
  for (const auto& [name, value] : program.set) text += fmt::format("# --set {}={}\n", name, value);
  for (const Trial& trial : trials_of(program)) {
    const std::optional<Failure> failure = failure_alone(program, trial, what.checks);
    text += fmt::format("# {}: {}\n{}", to_string(trial), failure ? failure->kind : "all holds", failure ? failure->what : "");
  }
  return text;
}

}  // namespace mtf::properties
