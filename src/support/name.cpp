#include "support/name.h"

#include <deque>
#include <unordered_map>

namespace mtf {
namespace {

struct Table {
  std::deque<std::string> texts{std::string()};  // a deque, so that views stay valid
  std::unordered_map<std::string_view, std::uint32_t> ids{{std::string_view(), 0}};
};

Table& table() {
  static Table* const instance = new Table();  // never destroyed: Names may outlive everything
  return *instance;
}

}  // namespace

Name::Name(std::string_view text) {
  Table& names = table();
  const auto found = names.ids.find(text);
  if (found != names.ids.end()) {
    id_ = found->second;
    return;
  }
  id_ = static_cast<std::uint32_t>(names.texts.size());
  names.texts.emplace_back(text);
  names.ids.emplace(names.texts.back(), id_);
}

std::string_view Name::text() const { return table().texts[id_]; }

}  // namespace mtf
