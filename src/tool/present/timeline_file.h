#pragma once
// Pictures of a run over time: the steps and collectives of each processor.
//
// Each rank sends the events of its timeline to rank 0 as JSON (told_of). Rank 0 makes a file with one track for each
// processor. The processors of one rank run the same step at the same time, and share the rank's threads.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "run/timeline.h"
#include "types/placement.h"

namespace mtf::tool {

/// Returns the events of this rank, for rank 0. Includes at most kMostTracks of the rank's processors of each mesh.
std::string told_of(const run::Timeline& timeline, int rank, int ranks, const Placement& placement);
inline constexpr std::size_t kMostTracks = 64;

/// Returns a file for chrome://tracing and Perfetto: a process for each processor, with one track for computations and
/// one for collectives, which may overlap. The first processor of each rank also has a track of the lines that need
/// results, with their iterations, and a counter of the memory of the largest processor. Arrows show which rank the
/// others have waited for in a collective.
std::string chrome_trace(const std::vector<std::string>& told);

/// Returns the same as a self-contained SVG, with a row for each processor: the last kMostDrawn events of each rank.
/// Steps that follow each other too closely to be told apart are one rectangle.
std::string timeline_svg(const std::vector<std::string>& told);
inline constexpr std::size_t kMostDrawn = 2000;

/// True if a text is one of these files.
bool is_timeline(std::string_view text);

}  // namespace mtf::tool
