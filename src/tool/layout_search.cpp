#include "tool/layout_search.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <optional>

#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/compare_text.h"
#include "tool/layout_choices.h"
#include "tool/plan_text.h"
#include "tool/search_text.h"

namespace mtf::tool {
namespace {

/// Where all processors together do the work so often, it is said that fewer would do.
constexpr double kMuchRepeated = 2;

/// Short forms of what is searched, where its layers repeat.
struct ShortForms {
  Searched few, more;
  std::string option;  ///< that says how many layers there are
  RepeatedCosts costs;
};

/// Those that there are, if one of the numbers given to options is how often something repeats: if with another number
/// there are as many operations more as there are turns more.
std::optional<ShortForms> short_forms(const Planner& plan, const Settings& settings, const LayoutCosts& whole) {
  constexpr int64_t kFewestLayers = 8;  // with fewer, the whole is no longer
  for (size_t i = 0; i < settings.set.size(); ++i) {
    const std::string& text = settings.set[i].second;
    int64_t layers = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), layers);
    if (error != std::errc() || end != text.data() + text.size() || layers < kFewestLayers) continue;
    auto with = [&](int64_t number) {
      Settings shorter = settings;
      shorter.set[i].second = std::to_string(number);
      return plan(shorter, std::make_shared<ProgramRecord>());
    };
    try {
      Searched few = with(RepeatedCosts::kFew), more = with(RepeatedCosts::kMore);
      const RepeatedCosts costs(LayoutCosts(few.record, whole.machine(), few.before), LayoutCosts(more.record, whole.machine(), more.before), layers);
      if (costs.stand_for(whole)) return ShortForms{std::move(few), std::move(more), settings.set[i].first, costs};
    } catch (const UserError&) {  // it does not work with so few of what this option counts
    }
  }
  return std::nullopt;
}

/// Names for as many axes as a mesh may have: those that what the program wrote speaks of, then others.
std::vector<Name> axis_names(const ProgramRecord& record, int count) {
  std::vector<Name> names;
  auto add = [&](Name name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const LayoutRecord::Decision& decision : record.layouts()->decisions())
    if (decision.operation->why.asked)
      for (const LayoutRule& rule : decision.operation->why.asked->rules.rules)
        for (Name axis : rule.axes) add(axis);
  for (const char* name : {"rows", "cols", "planes", "tubes"}) add(Name(name));
  names.resize(static_cast<size_t>(count), Name("more"));
  return names;
}

}  // namespace

int64_t number_of_processors(const std::string& text) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > 1'000'000)
    fail(Kind::bad_option_value, {}, "--processors {}: expected a number from 1 to 1,000,000", quote(text));
  return number;
}

int64_t bytes_option(const std::string& text) {
  static const std::pair<std::string_view, double> units[] = {{"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}, {"TiB", 1099511627776.0},
                                                              {"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"B", 1}, {"", 1}};
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit = trim(std::string_view(end, text.data() + text.size()));
  for (const auto& [name, factor] : units)
    if (error == std::errc() && number > 0 && number * factor < 9e18 && unit == name) return static_cast<int64_t>(number * factor);
  fail(Kind::bad_option_value, {}, "--memory {}: expected bytes, such as 16GiB or 80GB", quote(text));
}

std::function<void(const SearchProgress&)> shown_progress(std::function<void(const std::string&)> show) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point began = Clock::now();
  return [began, next = began + std::chrono::seconds(1), show = std::move(show)](const SearchProgress& progress) mutable {
    const Clock::time_point now = Clock::now();
    if (now < next) return;
    next = now + std::chrono::milliseconds(100);
    const std::string best = progress.best ? fmt::format(", the best takes {}", seconds_text(*progress.best)) : "";
    show(fmt::format("searching: {}{}, {:.0f} s", count_text(progress.looked_at, "candidate"), best, std::chrono::duration<double>(now - began).count()));
  };
}

std::string search_layouts(const Planner& plan, const Settings& settings, SearchRequest request) {
  const Searched searched = plan(settings, std::make_shared<ProgramRecord>());
  LayoutCosts costs(searched.record, request.machine, searched.before);
  costs.heed(request.poll);
  SearchQuestion& question = request.question;
  if (!question.memory) question.memory = request.machine.memory;
  question.axes = axis_names(*searched.record, request.axes);
  question.peak = [&](const MeshPtr& mesh, const LayoutPtr& rules, const StoredLayoutsPtr& stored) {
    Settings other = settings;
    other.mesh = mesh->axes();
    other.layout = rules->rules;
    other.stored = stored;
    return plan(other, nullptr).peak_bytes;
  };
  const std::optional<ShortForms> repeated = short_forms(plan, settings, costs);
  if (repeated) question.repeated = &repeated->costs;
  const SearchResult result = search(costs, question);
  std::string text = found_text(result, question, costs, repeated ? repeated->option : "", request.width);
  if (const double times = repeated_work(result.best->cost.counters); times >= kMuchRepeated && !question.mesh) {
    // As many as have work of their own, at least: a power of two, as processors come.
    SearchQuestion fewer = question;
    for (fewer.processors = 1; static_cast<double>(2 * fewer.processors) * times <= static_cast<double>(question.processors);) fewer.processors *= 2;
    if (const SearchResult found = search(costs, fewer); found.best) text += fewer_text(*result.best, *found.best);
  }
  return text + estimate_note(costs.doubts(), request.width);
}

}  // namespace mtf::tool
