#include "run/level_agreement.h"

#include <fmt/format.h>

#include <algorithm>

#include "kernels/level.h"
#include "run/transport.h"
#include "support/diagnostics.h"

namespace mtf::run {
namespace {

/// At least the number of levels of any architecture.
constexpr size_t kMostLevels = 8;

}  // namespace

void choose_level() {
  try {
    kernels::use_level(kernels::default_level());
  } catch (const kernels::LevelError& error) { fail(Kind::unusable_level, {}, "{}", error.what()); }
}

LevelAgreement agree_on_level(Transport& transport) {
  if (transport.ranks() == 1) {
    choose_level();
    return {};
  }
  const std::vector<std::string_view> levels = kernels::all_levels();
  std::vector<int64_t> refused(kMostLevels, 1);  // 1 for levels that this rank may not use
  std::string wrong;
  try {
    const std::string_view fastest = kernels::default_level();
    const std::vector<std::string_view> usable = kernels::usable_levels();
    for (size_t k = 0; k < levels.size(); ++k) {
      if (std::find(usable.begin(), usable.end(), levels[k]) != usable.end()) refused[k] = 0;
      if (levels[k] == fastest) break;
    }
  } catch (const kernels::LevelError& error) { wrong = fmt::format("rank {}: {}", transport.rank(), error.what()); }
  const std::vector<int64_t> own = refused;
  transport.max_of_all(refused);
  const auto fastest_of = [&](const std::vector<int64_t>& may_not) {
    size_t k = kMostLevels;
    while (k > 0 && may_not[k - 1] != 0) --k;
    return k;
  };
  const size_t common = fastest_of(refused);
  if (common == 0) {
    std::string said;
    for (const std::string& text : transport.gather_texts(wrong))
      if (said.empty()) said = text;
    if (said.empty()) said = "the ranks have no level of kernels in common";
    transport.broadcast(said);
    return {.refusal = said, .notice = {}};
  }
  const std::string_view level = levels[common - 1];
  kernels::use_level(level);
  std::vector<int64_t> fastest_anywhere{static_cast<int64_t>(fastest_of(own))};
  transport.max_of_all(fastest_anywhere);
  const auto fastest = static_cast<size_t>(fastest_anywhere[0]);
  if (fastest == common) return {};
  return {.refusal = {},
          .notice = fmt::format("the ranks use the kernels for {}: not all of them can use those for {}",
                                kernels::describe_level(level), kernels::describe_level(levels[fastest - 1]))};
}

}  // namespace mtf::run
