#pragma once
// Keys: 128-bit hashes (XXH3) of texts that are the same on all ranks.
#include <array>
#include <cstdint>
#include <string_view>

namespace mtf {

using PlanKey = std::array<uint64_t, 2>;

PlanKey key_of(std::string_view text);

struct PlanKeyHash {
  size_t operator()(const PlanKey& key) const { return key[0]; }
};

/// A hash of all that ranks have been given so far, in order: numbers of the host, literals, data.
class Digest {
 public:
  void add(std::string_view bytes);
  uint64_t value() const { return value_; }

 private:
  uint64_t value_ = 0;
};

}  // namespace mtf
