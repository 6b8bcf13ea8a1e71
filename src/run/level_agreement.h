#pragma once
// The level of kernels (kernels/level.h) that all ranks of a job use: results have the same bits on every rank.
#include <string>

namespace mtf::run {

class Transport;

/// Makes the default level that of this process. Fails (unusable_level).
void choose_level();

/// The outcome of an agreement, the same on all ranks.
struct LevelAgreement {
  std::string refusal;  ///< why there is no level for all; empty: there is one
  std::string notice;   ///< what to tell people: that a rank could use a faster level. Mostly empty
};

/// Makes the fastest level that every rank may use that of each: its default level, or a slower one. All ranks come
/// here. One rank alone fails (unusable_level) where several find a refusal.
LevelAgreement agree_on_level(Transport& transport);

}  // namespace mtf::run
