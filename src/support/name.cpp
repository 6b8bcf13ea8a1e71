#include "support/name.h"

#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace mtf {
namespace {

// Texts by id. They stay where they are: block k holds the ids from 2^k - 1 on, so that a text is read without a lock.
class Table {
 public:
  std::uint32_t id_of(std::string_view text) {
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
    }
    const std::unique_lock lock(mutex_);
    if (const auto found = ids_.find(text); found != ids_.end()) return found->second;  // another thread was first
    const auto [block, index] = place_of(count_);
    if (index == 0) blocks_[block].store(new std::string[std::size_t{1} << block], std::memory_order_release);
    std::string& kept = blocks_[block].load(std::memory_order_relaxed)[index];
    kept = text;
    ids_.emplace(kept, count_);
    return count_++;
  }

  std::string_view text_of(std::uint32_t id) const {
    const auto [block, index] = place_of(id);
    return blocks_[block].load(std::memory_order_acquire)[index];
  }

 private:
  struct Place {
    std::size_t block, index;
  };
  static Place place_of(std::uint32_t id) {
    const std::uint64_t number = std::uint64_t{id} + 1;
    const auto block = static_cast<std::size_t>(std::bit_width(number) - 1);
    return {block, static_cast<std::size_t>(number - (std::uint64_t{1} << block))};
  }

  std::shared_mutex mutex_;
  std::array<std::atomic<std::string*>, 33> blocks_{};
  std::unordered_map<std::string_view, std::uint32_t> ids_;
  std::uint32_t count_ = 0;
};

Table& table() {
  static Table* const instance = [] {
    auto* made = new Table();  // never destroyed: Names may outlive everything
    made->id_of({});           // the empty text is 0
    return made;
  }();
  return *instance;
}

}  // namespace

Name::Name(std::string_view text) : id_(text.empty() ? 0 : table().id_of(text)) {}

std::string_view Name::text() const { return table().text_of(id_); }

}  // namespace mtf
