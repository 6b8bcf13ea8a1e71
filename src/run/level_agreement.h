#pragma once
// The level of kernels (kernels/level.h) that all ranks of a job use, so that results have the same bits on every rank.
#include <string>

namespace mtf::run {

class Transport;

/// Selects the default level for this process. Fails (unusable_level).
void choose_level();

/// The outcome of an agreement, the same on all ranks.
struct LevelAgreement {
  std::string refusal;  ///< the reason why there is no common level; empty if there is one
  std::string notice;   ///< a message for people if a rank could use a faster level; usually empty
};

/// Selects on each rank the fastest level that every rank may use. A rank may use its default level and slower ones.
/// All ranks call it. If no level is found, several ranks return a refusal; a single rank fails (unusable_level).
LevelAgreement agree_on_level(Transport& transport);

}  // namespace mtf::run
