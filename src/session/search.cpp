#include "session/search.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "support/diagnostics.h"

namespace mtf::session {
namespace {

/// From this factor of repeated work on, the search reports that fewer processors suffice.
constexpr double kMuchRepeated = 2;

/// Short forms of a program with repeated layers.
struct ShortForms {
  std::string option;  ///< the option that counts the layers
  cost::RepeatedCosts costs;
};

/// Finds short forms of a program. An option counts layers if the number of operations grows in proportion to the
/// number.
std::optional<ShortForms> short_forms(const WhatIf& what, const cost::LayoutCosts& whole) {
  constexpr int64_t kFewestLayers = 8;  // with fewer layers the whole program is as short
  for (const auto& [option, text] : what.options()) {
    int64_t layers = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), layers);
    if (error != std::errc() || end != text.data() + text.size() || layers < kFewestLayers) continue;
    const auto with = [&, &option = option](int64_t number) {
      return what.recorded(whole.machine(), {.option = std::pair(option, std::to_string(number))});
    };
    try {
      const cost::RepeatedCosts costs(with(cost::RepeatedCosts::kFew), with(cost::RepeatedCosts::kMore), layers);
      if (costs.stand_for(whole)) return ShortForms{option, costs};
    } catch (const UserError&) {  // the program does not accept so few of what this option counts
    }
  }
  return std::nullopt;
}

/// Returns `count` axis names: first the names that the script uses, then new ones.
std::vector<Name> axis_names(const plan::ProgramRecord& record, int count) {
  std::vector<Name> names;
  auto add = [&](Name name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const graph::LayoutRecord::Decision& decision : record.layouts()->decisions())
    if (decision.operation->why.asked)
      for (const LayoutRule& rule : decision.operation->why.asked->rules.rules)
        for (Name axis : rule.axes) add(axis);
  for (const char* name : {"rows", "cols", "planes", "tubes"}) add(Name(name));
  names.resize(static_cast<size_t>(count), Name("more"));
  return names;
}

}  // namespace

double repeated_work(const plan::Counters& counters) {
  const double all = static_cast<double>(counters.flops) * static_cast<double>(counters.processors);
  return counters.unique_flops > 0 ? all / static_cast<double>(counters.unique_flops) : 1;
}

SearchAnswer search_layouts(const WhatIf& what, SearchRequest request) {
  SearchAnswer answer{std::move(request.question), {}, what.recorded(request.machine), {}, std::nullopt};
  cost::SearchQuestion& question = answer.question;
  if (!question.memory) question.memory = request.machine.memory;
  question.axes = axis_names(answer.costs.record(), request.axes);
  question.peak = [&what](const MeshPtr& mesh, const LayoutPtr& rules) {
    return what.planned({.mesh = mesh->axes(), .layout = *rules}).counters.peak_bytes;
  };
  const std::optional<ShortForms> repeated = short_forms(what, answer.costs);
  if (repeated) {
    question.repeated = &repeated->costs;
    answer.layers = repeated->option;
  }
  answer.result = search(answer.costs, question);
  const cost::SearchResult& result = answer.result;
  if (const double times = result.best() ? repeated_work(result.best()->cost.counters) : 1;
      times >= kMuchRepeated && !question.mesh && !result.is_ended) {
    // At least as many processors as have distinct work, rounded to a power of two.
    cost::SearchQuestion fewer = question;
    for (fewer.processors = 1;
         static_cast<double>(2 * fewer.processors) * times <= static_cast<double>(question.processors);)
      fewer.processors *= 2;
    fewer.most = 1;
    if (std::vector<cost::Candidate> found = search(answer.costs, fewer).found; !found.empty())
      answer.fewer = std::move(found.front());
  }
  question.repeated = nullptr;  // the functions refer to objects that end here
  question.peak = nullptr;
  return answer;
}

}  // namespace mtf::session
