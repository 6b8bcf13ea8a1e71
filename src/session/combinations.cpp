#include "session/combinations.h"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <exception>
#include <map>
#include <mutex>
#include <thread>

#include "plan/runtime.h"
#include "session/what_if.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "syntax/parse.h"

namespace mtf::session {
namespace {

using Values = std::vector<std::pair<std::string, std::string>>;

/// Returns the value of an option as a number of processors; 1 if it is not given or no number.
int64_t number_of(const Values& set, std::string_view option) {
  for (const auto& [name, value] : set) {
    int64_t number = 1;
    if (name == option) {
      std::from_chars(value.data(), value.data() + value.size(), number);
      return std::max<int64_t>(number, 1);
    }
  }
  return 1;
}

bool gives(const Values& set, std::string_view option) {
  return std::any_of(set.begin(), set.end(), [&](const auto& each) { return each.first == option; });
}

/// Returns the divisors of a number, up to 64: `1, 2, 4, 8`.
std::string divisors(int64_t number) {
  std::vector<std::string> found;
  for (int64_t each = 1; each <= std::min<int64_t>(number, 64); ++each)
    if (number % each == 0) found.push_back(std::to_string(each));
  return join(found, ", ");
}

void plan_one(const CombinationQuestion& question, const plan::Runtime& runtime, OptionSet& combination) {
  eval::Settings settings = question.settings;
  std::erase_if(settings.set, [&](const auto& given) { return gives(combination.set, given.first); });
  settings.set.insert(settings.set.end(), combination.set.begin(), combination.set.end());
  try {
    const Planned planned = plan_script(question.name, question.text, settings, runtime, nullptr, &question.machine);
    const int64_t processors = planned.whole && planned.whole->mesh ? planned.whole->mesh->size() : 1;
    if (question.processors && processors != *question.processors) {
      combination.refused = fmt::format("the mesh of the script has {}, and there are {}",
                                        count_text(processors, "processor"), thousands(*question.processors));
      return;
    }
    for (const eval::StatementReport& statement : planned.statements) combination.parts.add(statement);
    combination.seconds = combination.parts.total();
    combination.peak_bytes = planned.counters.peak_bytes;
  } catch (const UserError& error) {
    const Diagnostic& why = error.diagnostic();
    const bool has_message = why.kind() == Kind::assertion_failed || why.label().empty();
    combination.refused = !has_message ? why.label() : why.notes().empty() ? error.what() : why.notes()[0];
  }
}

}  // namespace

std::vector<std::string> options_of(const std::string& name, const std::string& text) {
  std::vector<std::string> names;
  const ast::Program program = syntax::parse_or_throw(SourceFile::create(name, text));
  for (const ast::Stmt& statement : program.body.statements)
    if (const auto* option = std::get_if<ast::OptionStmt>(&statement.node)) names.push_back(option->name.name.str());
  return names;
}

std::vector<OptionSet> combinations_of(const CombinationQuestion& question, const std::vector<TriedOption>& over) {
  const std::vector<std::string> options = options_of(question.name, question.text);
  const bool has_dp = std::find(options.begin(), options.end(), "dp") != options.end();
  std::vector<OptionSet> all = {{}};
  for (const TriedOption& option : over) {
    std::vector<OptionSet> longer;
    for (const OptionSet& each : all)
      for (const std::string& value : option.values) {
        longer.push_back(each);
        longer.back().set.emplace_back(option.name, value);
      }
    all = std::move(longer);
  }
  if (!question.processors || !has_dp) return all;
  for (OptionSet& each : all) {
    Values known = each.set;
    known.insert(known.end(), question.settings.set.begin(), question.settings.set.end());
    std::vector<std::string> product;
    int64_t split = 1;
    for (const char* option : {"dp", "tp", "pp", "cp"}) {
      if (std::find(options.begin(), options.end(), option) == options.end()) continue;
      if (option == std::string_view("dp") && !gives(known, option)) continue;
      product.emplace_back(option);
      split *= number_of(known, option);
    }
    if (gives(known, "dp")) {
      if (split != *question.processors)
        each.refused = fmt::format("{} is {}, and there are {}", join(product, " * "), split,
                                   count_text(*question.processors, "processor"));
    } else if (*question.processors % split != 0) {
      each.refused = fmt::format("{} is {}, which does not divide {}; these do: {}", join(product, " * "), split,
                                 count_text(*question.processors, "processor"), divisors(*question.processors));
    } else {
      each.set.emplace_back("dp", std::to_string(*question.processors / split));
    }
  }
  return all;
}

std::vector<OptionSet> ways_out(const CombinationQuestion& question) {
  const std::vector<std::string> options = options_of(question.name, question.text);
  const Values& given = question.settings.set;
  std::vector<OptionSet> ways;
  const auto way = [&](const Values& set) {
    const auto is_known = [&](const auto& each) {
      return std::find(options.begin(), options.end(), each.first) != options.end();
    };
    const auto is_given = [&](const auto& each) { return std::find(given.begin(), given.end(), each) != given.end(); };
    if (std::all_of(set.begin(), set.end(), is_known) && !std::all_of(set.begin(), set.end(), is_given))
      ways.emplace_back().set = set;
  };
  way({{"recompute", "full"}});
  way({{"zero", "1"}});
  way({{"zero", "3"}});
  way({{"zero", "3"}, {"recompute", "full"}});
  const int64_t dp = number_of(given, "dp");
  for (const int64_t times : {2, 4, 8}) {
    way({{"micro", std::to_string(times * number_of(given, "micro"))}});
    if (dp % times != 0) continue;
    for (const char* option : {"tp", "pp", "cp"})
      way({{option, std::to_string(times * number_of(given, option))}, {"dp", std::to_string(dp / times)}});
  }
  return ways;
}

void plan_combinations(const CombinationQuestion& question, const plan::Runtime& runtime,
                       std::vector<OptionSet>& combinations) {
  std::atomic<std::size_t> next = 0;
  std::mutex mutex;
  std::size_t done = 0;
  std::exception_ptr failure;
  const auto work = [&] {
    for (std::size_t i = next++; i < combinations.size(); i = next++) {
      try {
        if (combinations[i].refused.empty()) plan_one(question, runtime, combinations[i]);
      } catch (...) {
        const std::lock_guard lock(mutex);
        failure = std::current_exception();
        next = combinations.size();
      }
      const std::lock_guard lock(mutex);
      ++done;
      if (question.on_progress) question.on_progress(done, combinations.size());
    }
  };
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < std::thread::hardware_concurrency() && i < combinations.size(); ++i)
    others.emplace_back(work);
  work();
  others.clear();
  if (failure) std::rethrow_exception(failure);
}

OptionSets ranked(const CombinationQuestion& question, std::vector<OptionSet> combinations,
                  std::optional<int64_t> memory, std::size_t most) {
  OptionSets answer;
  answer.machine = question.machine.name;
  answer.processors = question.processors.value_or(0);
  answer.memory = memory;
  std::map<std::pair<double, int64_t>, std::size_t> places;
  std::map<std::string, int64_t> refused;
  for (OptionSet& each : combinations) {
    if (!each.refused.empty()) {
      ++refused[each.refused];
      continue;
    }
    ++answer.planned;
    answer.too_large += memory && each.peak_bytes > *memory;
    const auto [place, is_new] = places.try_emplace({each.seconds, each.peak_bytes}, answer.all.size());
    if (is_new) {
      answer.all.push_back(std::move(each));
      continue;
    }
    Values& set = answer.all[place->second].set;
    for (std::size_t i = 0; i < set.size(); ++i) {
      const std::vector<std::string> known = split(set[i].second, '|');
      if (std::find(known.begin(), known.end(), each.set[i].second) == known.end())
        set[i].second += "|" + each.set[i].second;
    }
  }
  std::stable_sort(answer.all.begin(), answer.all.end(),
                   [](const OptionSet& a, const OptionSet& b) { return a.seconds < b.seconds; });
  for (const OptionSet& each : answer.all) {
    if (answer.front.empty() || each.peak_bytes < answer.front.back().peak_bytes) answer.front.push_back(each);
    if (answer.best.size() < most && (!memory || each.peak_bytes <= *memory)) answer.best.push_back(each);
  }
  answer.refused.assign(refused.begin(), refused.end());
  std::stable_sort(answer.refused.begin(), answer.refused.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return answer;
}

std::vector<std::pair<std::string, double>> more_time(const OptionSet& than, const OptionSet& of) {
  std::map<std::string, double> more;
  for (const auto& [part, seconds] : of.parts.named()) more[part] += seconds;
  for (const auto& [part, seconds] : than.parts.named()) more[part] -= seconds;
  std::vector<std::pair<std::string, double>> sorted(more.begin(), more.end());
  std::erase_if(sorted, [&](const auto& each) { return each.second < 0.001 * of.seconds; });
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  return sorted;
}

}  // namespace mtf::session
