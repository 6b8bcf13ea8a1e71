#pragma once
// The level of kernels (kernels/level.h) that all ranks of a job use: results have the same bits on every rank.
#include <string>

namespace mtf::run {

class Transport;

/// Makes the default level that of this process. Fails (unusable_level).
void choose_level();

/// Makes the fastest level that every rank may use that of each: its default level, or a slower one. All ranks come
/// here. Fails on all of them (unusable_level) if one has no default level, or if they have none in common. Returns
/// what to tell people: which level it is, if a rank could use a faster one, else nothing.
std::string agree_on_level(Transport& transport);

}  // namespace mtf::run
