#include "support/name.h"

#include <array>
#include <atomic>
#include <bit>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

namespace mtf {
namespace {

struct Known {
  std::string text;
  std::uint32_t plain = 0;  // the id of the plain name
};

std::string_view plain_part(std::string_view text) { return text.substr(0, text.find(kOwnNameMark)); }

// Texts by id. A text never moves: block k holds the ids from 2^k - 1 on. So reading a text needs no lock.
class Table {
 public:
  std::uint32_t id_of(std::string_view text) {
    {
      const std::shared_lock lock(mutex_);
      if (const auto found = ids_.find(text); found != ids_.end()) return found->second;
    }
    const std::string_view plain = plain_part(text);
    const std::uint32_t plain_id = plain.size() < text.size() ? id_of(plain) : 0;
    const std::unique_lock lock(mutex_);
    if (const auto found = ids_.find(text); found != ids_.end()) return found->second;  // another thread was faster
    const auto [block, index] = place_of(count_);
    if (index == 0) blocks_[block].store(new Known[std::size_t{1} << block], std::memory_order_release);
    Known& kept = blocks_[block].load(std::memory_order_relaxed)[index];
    kept.text = text;
    kept.plain = plain.size() < text.size() ? plain_id : count_;
    ids_.emplace(kept.text, count_);
    return count_++;
  }

  const Known& known(std::uint32_t id) const {
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
  std::array<std::atomic<Known*>, 33> blocks_{};
  std::unordered_map<std::string_view, std::uint32_t> ids_;
  std::uint32_t count_ = 0;
};

Table& table() {
  static Table* const instance = [] {
    auto* made = new Table();  // never destroyed: Names may outlive everything
    made->id_of({});           // the empty text has the id 0
    return made;
  }();
  return *instance;
}

}  // namespace

Name::Name(std::string_view text) : id_(text.empty() ? 0 : table().id_of(text)) {}

Name Name::own(std::string_view plain, std::string_view owner, std::string_view statement) {
  std::string text(plain);
  for (const std::string_view part : {std::string_view(), owner, statement}) (text += part) += kOwnNameMark;
  return Name(text);
}

std::string_view Name::text() const { return table().known(id_).text; }

Name Name::plain() const {
  Name plain;
  plain.id_ = table().known(id_).plain;
  return plain;
}

Name Name::followed_by(std::string_view suffix) const {
  const std::string_view whole = text(), plain = plain_part(whole);
  return Name(std::string(plain).append(suffix).append(whole.substr(plain.size())));
}

}  // namespace mtf
