// Levels of kernels (kernel_table.h), and the one that this process uses.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace mtf::kernels {

/// A requested level cannot be used. The message says why, and lists the levels.
struct LevelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The levels of this architecture, the slowest first, by names such as "v3".
std::vector<std::string_view> all_levels();

/// The levels that this build has and this processor can run, the slowest first. Never empty: throws LevelError if the
/// processor can run none.
std::vector<std::string_view> usable_levels();

/// Returns the usable level with this name; for an empty name the fastest usable one. Throws LevelError if the name is
/// unknown, or if this build or this processor lacks the level.
std::string_view level_named(std::string_view name);
/// Returns the level that MTF_CPU in the environment names; if it is not set, the fastest usable one. Throws
/// LevelError.
std::string_view default_level();

/// Makes a usable level the level of this process. Compiled code (FusedLoop) keeps the level for which it was compiled.
/// The caller ensures that no kernel runs.
void use_level(std::string_view level);

/// The level in use. Chooses one as table() does.
std::string_view level_in_use();

/// True if products of floats are added with one rounding (fused multiply-add). All levels that do so compute the same
/// bits, except for bf16 that the processor multiplies itself. The number of partial sums therefore belongs to the
/// algorithm and does not depend on the width of a register. tests/unit/kernels/same_bits.def holds checksums. Level v2
/// rounds twice, so its bits differ.
bool fuses_products(std::string_view level);
bool multiplies_bf16(std::string_view level);

/// The level's description for people: "x86-64-v4 with AVX512_BF16".
std::string describe_level(std::string_view level);

}  // namespace mtf::kernels
