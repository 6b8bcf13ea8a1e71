#pragma once
// Answers as JSON, for all clients (to_json in mtf/interpreter.h), and their documentation.
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mtf::session {
struct OptionSets;  // session/combinations.h
}

namespace mtf {

/// Returns the combinations of options of a script.
std::string to_json(const session::OptionSets& found);

struct JsonField {
  std::string_view name, type, doc;
};
struct JsonObject {
  std::string_view name, doc;
  std::vector<JsonField> fields;
};
/// The objects of answers, each with all of its fields (json_fields.def).
const std::vector<JsonObject>& json_objects();

}  // namespace mtf
