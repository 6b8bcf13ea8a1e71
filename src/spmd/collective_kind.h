#pragma once
// The kinds under which collectives are counted.
#include <cstdint>
#include <string_view>

namespace mtf::spmd {

/// Each kind of instruction that communicates has a record with the kind under which it is counted:
/// spmd/collectives.h.
enum class CollectiveKind : uint8_t { kAllReduce, kReduceScatter, kAllGather, kAllToAll, kPermute };
inline constexpr int kCollectiveKinds = 5;
std::string_view name(CollectiveKind kind);

}  // namespace mtf::spmd
