#include "types/notation.h"

namespace mtf {

std::vector<std::pair<std::string, std::string>> parse_pairs(const std::string& text, const std::string& left,
                                                             const std::string& right) {
  std::vector<std::pair<std::string, std::string>> pairs;
  size_t at = 0;
  while (at < text.size()) {
    size_t end = text.find_first_of(kSeparators, at);
    if (end == std::string::npos) end = text.size();
    std::string entry = text.substr(at, end - at);
    at = end + 1;
    if (entry.empty()) continue;
    size_t colon = entry.find(':');
    if (colon == std::string::npos || colon == 0 || colon + 1 == entry.size() ||
        entry.find(':', colon + 1) != std::string::npos)
      throw std::invalid_argument("expected " + left + ":" + right + ", found `" + entry + "`");
    pairs.emplace_back(entry.substr(0, colon), entry.substr(colon + 1));
  }
  return pairs;
}

}  // namespace mtf
