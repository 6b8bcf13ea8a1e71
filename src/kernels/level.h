// Levels of kernels (kernel_table.h), and the one that this process uses.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mtf::kernels {

/// No level can be used as was asked; the message says why, and which levels there are.
struct LevelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The levels of this architecture, the slowest first: names as "v3".
std::vector<std::string_view> all_levels();

/// Those that this build has and this processor can run, the slowest first. Never empty: a
/// processor that runs none is a LevelError.
std::vector<std::string_view> usable_levels();

/// Returns the usable level with this name; for an empty name the fastest usable one. Throws LevelError if the name is
/// unknown, or if this build or this processor lacks the level.
std::string_view level_named(std::string_view name);
/// Returns the level that MTF_CPU in the environment names; if it is not set, the fastest usable one. Throws
/// LevelError.
std::string_view default_level();

/// Makes `level`, a usable one, that of this process. Code that was compiled before (FusedLoop) keeps the level that it
/// was compiled for. The caller sees to it that no kernel runs.
void use_level(std::string_view level);

/// The level in use; chooses as table() does.
std::string_view level_in_use();

/// Whether products of floats are added with one rounding (fused multiply-add): all levels that do so compute the same
/// bits, except where a processor multiplies bf16 by itself.
bool fuses_products(std::string_view level);
bool multiplies_bf16(std::string_view level);

/// What people read: "x86-64-v4 with AVX512_BF16".
std::string describe_level(std::string_view level);

}  // namespace mtf::kernels
