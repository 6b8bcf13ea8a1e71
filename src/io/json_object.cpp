#include "io/json_object.h"

#include <algorithm>
#include <set>
#include <vector>

#include "io/io_error.h"

namespace mtf::io {

using Json = nlohmann::json;

Json parse_json(const std::string& text, const std::string& path, const std::string& what) {
  std::vector<std::set<std::string>> keys;
  std::string repeated;
  auto look = [&](int, Json::parse_event_t event, Json& value) {
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key && !keys.back().insert(value.get<std::string>()).second)
      repeated = value.get<std::string>();
    return true;
  };
  if (text.find('\0') != std::string::npos) fail_bad_file(path, "{} is no JSON", what);  // the parser would stop there
  Json json;
  try {
    json = Json::parse(text, look);
  } catch (const Json::parse_error& error) {
    const std::size_t end = std::min(error.byte, text.size());
    const auto lines = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
    fail_bad_file(path, "{} is no JSON{}", what, lines > 0 ? fmt::format(", in line {}", lines + 1) : "");
  }
  if (!repeated.empty()) fail_bad_file(path, "{} says `{}` twice", what, printable(repeated));
  return json;
}

Json parse_object(const std::string& text, const std::string& path, const std::string& what) {
  Json json = parse_json(text, path, what);
  if (!json.is_object()) fail_bad_file(path, "{} is no JSON object", what);
  return json;
}

std::string excerpt_of(const Json& value) {
  constexpr std::size_t kLongest = 40;
  const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  return text.size() <= kLongest ? text : text.substr(0, kLongest) + "…";
}

}  // namespace mtf::io
