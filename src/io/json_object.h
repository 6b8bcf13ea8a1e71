// JSON of files: an object that says each thing once.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace mtf::io {

/// A text that is a JSON object in which no object says a key twice. Throws IoError of kind kBadFile, in which the text
/// is called `what` ("its header"), and with the line of what is no JSON where there are several.
nlohmann::json parse_object(const std::string& text, const std::string& path, const std::string& what);

/// A value as JSON, for a message: its beginning.
std::string excerpt_of(const nlohmann::json& value);

}  // namespace mtf::io
