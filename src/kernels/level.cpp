#include "kernels/level.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdlib>

#include "kernels/kernel_table.h"
#include "kernels/level_of_processor.h"

// MTF_LEVELS lists the levels of this build, with MTF_LEVEL(name in C, name) for each.
extern "C" {
#define MTF_LEVEL(symbol, name) extern const mtf::kernels::KernelTable mtf_kernels_##symbol;
MTF_LEVELS
#undef MTF_LEVEL
}

namespace mtf::kernels {
namespace {

struct Level {
  std::string_view name;
  const KernelTable* table;
};

#define MTF_LEVEL(symbol, name) Level{name, &mtf_kernels_##symbol},
constexpr std::array kBuilt{MTF_LEVELS};
#undef MTF_LEVEL

/// All levels of the architecture, the slowest first.
struct LevelName {
  std::string_view name, description;
  bool fuses_products = true, multiplies_bf16 = false;
};
#if defined(__x86_64__)
constexpr std::array kLevels{
    LevelName{"v2", "x86-64-v2", false},
    LevelName{"v3", "x86-64-v3"},
    LevelName{"v4", "x86-64-v4"},
    LevelName{"v4-bf16", "x86-64-v4 with AVX512_BF16", true, true},
};
#else
constexpr std::array kLevels{LevelName{kBuilt[0].name, kBuilt[0].name}};
#endif

std::size_t position_of_level(std::string_view name) {
  const auto found =
      std::find_if(kLevels.begin(), kLevels.end(), [&](const LevelName& each) { return each.name == name; });
  return static_cast<std::size_t>(found - kLevels.begin());
}

bool runs_here(std::string_view name) {
  return position_of_level(name) < static_cast<std::size_t>(mtf_levels_of_processor());
}

const Level* built(std::string_view name) {
  const auto found = std::find_if(kBuilt.begin(), kBuilt.end(), [&](const Level& each) { return each.name == name; });
  return found == kBuilt.end() ? nullptr : &*found;
}

/// Lists the names that satisfy `wanted`: "v2, v3".
template <typename List, typename Wanted>
std::string listed(const List& list, const Wanted& wanted) {
  std::string text;
  for (const auto& each : list)
    if (wanted(each.name)) text += (text.empty() ? "" : ", ") + std::string(each.name);
  return text;
}

std::atomic<const Level*> in_use = nullptr;

const Level& chosen() {
  const Level* level = in_use.load(std::memory_order_acquire);
  if (level == nullptr) {
    use_level(default_level());
    level = in_use.load(std::memory_order_acquire);
  }
  return *level;
}

}  // namespace

std::vector<std::string_view> all_levels() {
  std::vector<std::string_view> names;
  for (const LevelName& level : kLevels) names.push_back(level.name);
  return names;
}

std::vector<std::string_view> usable_levels() {
  std::vector<std::string_view> names;
  for (const LevelName& level : kLevels)
    if (built(level.name) != nullptr && runs_here(level.name)) names.push_back(level.name);
  if (names.empty())
    throw LevelError("this processor runs none of the levels of this build (" +
                     listed(kBuilt, [](std::string_view) { return true; }) + "): build it with -DMTF_LEVELS=all");
  return names;
}

std::string_view level_named(std::string_view name) {
  const std::vector<std::string_view> usable = usable_levels();
  if (name.empty()) return usable.back();
  if (const auto found = std::find(usable.begin(), usable.end(), name); found != usable.end()) return *found;
  std::string here;
  for (const std::string_view each : usable) here += (here.empty() ? "" : ", ") + std::string(each);
  const std::string text(name);
  if (position_of_level(name) == kLevels.size())
    throw LevelError("there is no level '" + text + "': expected one of " + here);
  if (!runs_here(name))
    throw LevelError("this processor cannot run " + describe_level(name) + ": expected one of " + here);
  throw LevelError("this build has no kernels for " + describe_level(name) + ": expected one of " + here +
                   ", or a build with -DMTF_LEVELS=all");
}

std::string_view default_level() {
  const char* const wanted = std::getenv("MTF_CPU");
  try {
    return level_named(wanted == nullptr ? "" : wanted);
  } catch (const LevelError& error) {
    if (wanted == nullptr || *wanted == '\0') throw;
    throw LevelError("MTF_CPU=" + std::string(wanted) + ": " + error.what());
  }
}

void use_level(std::string_view level) {
  if (!runs_here(level) || built(level) == nullptr)
    throw LevelError("level '" + std::string(level) + "' is not usable");
  in_use.store(built(level), std::memory_order_release);
}

std::string_view level_in_use() { return chosen().name; }

std::string describe_level(std::string_view level) {
  const std::size_t position = position_of_level(level);
  return std::string(position < kLevels.size() ? kLevels[position].description : level);
}

bool fuses_products(std::string_view level) { return kLevels[position_of_level(level)].fuses_products; }
bool multiplies_bf16(std::string_view level) { return kLevels[position_of_level(level)].multiplies_bf16; }

const KernelTable& table() { return *chosen().table; }

}  // namespace mtf::kernels
