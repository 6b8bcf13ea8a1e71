#pragma once
// A run as pictures of time: which step each processor was in, and which collective, when.
//
// Each rank tells the events of its timeline as JSON (told_of); rank 0 makes of them all a file with one track a
// processor. Processors of one rank are in the same step at the same time, and share the rank's threads.
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "run/timeline.h"

namespace mtf::tool {

/// The events of this rank, for rank 0. Of each mesh at most kMostTracks of the rank's processors are told of.
std::string told_of(const run::Timeline& timeline, int rank, int ranks, const std::vector<std::int64_t>& placement);
inline constexpr std::size_t kMostTracks = 64;

/// What chrome://tracing and Perfetto read: a process for each processor, with a track for what it computes and one for
/// its collectives, which may go on meanwhile.
std::string chrome_trace(const std::vector<std::string>& told);

/// The same as a self-contained SVG, a row a processor: the last kMostDrawn events of each rank.
std::string timeline_svg(const std::vector<std::string>& told);
inline constexpr std::size_t kMostDrawn = 2000;

/// Whether a text is one or the other.
bool is_timeline(std::string_view text);

}  // namespace mtf::tool
