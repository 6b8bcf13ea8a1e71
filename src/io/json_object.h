// JSON in files, without repeated keys in any object.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace mtf::io {

/// Parses a text that must be JSON without repeated keys in any object. Throws IoError of kind kBadFile. Its message
/// calls the text `what` ("its header"), and names the line of a syntax error if there are several lines.
nlohmann::json parse_json(const std::string& text, const std::string& path, const std::string& what);
/// The same for a text that must be an object.
nlohmann::json parse_object(const std::string& text, const std::string& path, const std::string& what);

/// The beginning of a value as JSON, for a message.
std::string excerpt_of(const nlohmann::json& value);

}  // namespace mtf::io
