#pragma once
// What a collective is counted as.
#include <cstdint>
#include <string_view>

namespace mtf::spmd {

/// Each kind of instruction that communicates has a record, which says what it is counted as: spmd/collectives.h.
enum class CollectiveKind : uint8_t { kAllReduce, kReduceScatter, kAllGather, kAllToAll, kPermute };
inline constexpr int kCollectiveKinds = 5;
std::string_view name(CollectiveKind kind);

}  // namespace mtf::spmd
