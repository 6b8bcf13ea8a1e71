#include "exec/plan_key.h"

#include <xxhash.h>

namespace mtf {

PlanKey key_of(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return {hash.low64, hash.high64};
}

void Digest::add(std::string_view bytes) { value_ = XXH3_64bits_withSeed(bytes.data(), bytes.size(), value_); }

}  // namespace mtf
