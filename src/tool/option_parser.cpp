#include "tool/option_parser.h"

#include <CLI/CLI.hpp>

namespace mtf::tool {

void OptionParser::word(const std::string& name, std::string& to, const std::string& about, bool required) {
  app_.add_option(name, to, about)->required(required)->type_name("");
}

void OptionParser::words(const std::string& name, std::vector<std::string>& to, const std::string& about, bool required) {
  app_.add_option(name, to, about)->required(required)->type_name("");
}

void OptionParser::flag(const std::string& names, bool& to, const std::string& about) { app_.add_flag(names, to, about); }

void OptionParser::text(const std::string& names, std::string& to, const std::string& type, const std::string& about) {
  app_.add_option(names, to, about)->type_name(type);
}

void OptionParser::text(const std::string& names, std::optional<std::string>& to, const std::string& type, const std::string& about) {
  const auto take = [&to](const std::string& value) { to = value; };
  app_.add_option_function<std::string>(names, take, about)->type_name(type);
}

void OptionParser::texts(const std::string& names, std::vector<std::string>& to, const std::string& type, const std::string& about) {
  const auto take = [&to](const std::string& value) { to.push_back(value); };
  app_.add_option_function<std::string>(names, take, about)->type_name(type)->trigger_on_parse();
}

void OptionParser::number(const std::string& names, int& to, const std::string& type, const std::string& about) {
  app_.add_option(names, to, about)->type_name(type);
}

}  // namespace mtf::tool
