#include "tool/shell/option_parser.h"

#include <CLI/CLI.hpp>
#include <algorithm>

#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf::tool {

void OptionParser::word(const std::string& name, std::string& to, const std::string& about, bool required) {
  app_.add_option(name, to, about)->required(required)->type_name("");
}

void OptionParser::words(const std::string& name, std::vector<std::string>& to, const std::string& about,
                         bool required) {
  app_.add_option(name, to, about)->required(required)->type_name("");
}

void OptionParser::flag(const std::string& names, bool& to, const std::string& about) {
  app_.add_flag(names, to, about);
}

void OptionParser::text(const std::string& names, std::string& to, const std::string& type, const std::string& about) {
  app_.add_option(names, to, about)->type_name(type);
}

void OptionParser::text(const std::string& names, std::optional<std::string>& to, const std::string& type,
                        const std::string& about) {
  const auto take = [&to](const std::string& value) { to = value; };
  app_.add_option_function<std::string>(names, take, about)->type_name(type);
}

void OptionParser::hidden_text(const std::string& names, std::string& to) { app_.add_option(names, to)->group(""); }

void OptionParser::hidden_flag(const std::string& names, bool& to) { app_.add_flag(names, to)->group(""); }

void OptionParser::texts(const std::string& names, std::vector<std::string>& to, const std::string& type,
                         const std::string& about) {
  const auto take = [&to](const std::string& value) { to.push_back(value); };
  app_.add_option_function<std::string>(names, take, about)->type_name(type)->trigger_on_parse();
}

void OptionParser::number(const std::string& names, int& to, const std::string& type, const std::string& about) {
  app_.add_option(names, to, about)->type_name(type);
}

void OptionParser::excludes(const std::string& option, const std::vector<std::string>& others,
                            const std::string& help) {
  add({option, others, help, false});
}

void OptionParser::needs(const std::string& option, const std::vector<std::string>& others) {
  add({option, others, {}, true});
}

void OptionParser::add(Rule rule) {
  if (!rules_) {
    rules_ = std::make_shared<std::vector<Rule>>();
    app_.final_callback([&app = app_, rules = rules_] {
      const auto is_given = [&](const std::string& option) { return app.get_option(option)->count() > 0; };
      if (is_given("--help")) return;
      for (const Rule& each : *rules) {
        if (!is_given(each.option)) continue;
        const auto other = std::find_if(each.others.begin(), each.others.end(), is_given);
        if (each.wants_one && other == each.others.end()) {
          std::vector<std::string> names;
          for (const std::string& name : each.others) names.push_back(code(name));
          fail(Diagnostic(Kind::bad_usage, {},
                          fmt::format("{} says something only beside {}", code(each.option), join_words(names, "or"))));
        }
        if (!each.wants_one && other != each.others.end())
          fail(Diagnostic(Kind::bad_usage, {},
                          fmt::format("{} and {} cannot be combined", code(each.option), code(*other)))
                   .help(each.help));
      }
    });
  }
  rules_->push_back(std::move(rule));
}

}  // namespace mtf::tool
