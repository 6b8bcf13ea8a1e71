#pragma once
// Declaring the options of a command, whatever library parses them.
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mtf::tool {

/// Each function declares one option and where its value goes; `names` is `--long` or `-s,--long`, `type` what help
/// calls the value, `about` a sentence.
class OptionParser {
 public:
  explicit OptionParser(CLI::App& app) : app_(app) {}
  void word(const std::string& name, std::string& to, const std::string& about, bool required);
  void words(const std::string& name, std::vector<std::string>& to, const std::string& about, bool required);
  void flag(const std::string& names, bool& to, const std::string& about);
  void text(const std::string& names, std::string& to, const std::string& type, const std::string& about);
  void text(const std::string& names, std::optional<std::string>& to, const std::string& type,
            const std::string& about);
  /// An option with which the command starts itself: help does not show it.
  void hidden_text(const std::string& names, std::string& to);
  /// A flag for tests: help does not show it.
  void hidden_flag(const std::string& names, bool& to);
  /// An option that may stand several times.
  void texts(const std::string& names, std::vector<std::string>& to, const std::string& type, const std::string& about);
  void number(const std::string& names, int& to, const std::string& type, const std::string& about);

  /// What has been declared as `option` cannot stand beside any of the others: whoever gives both is refused, with
  /// `help`.
  void excludes(const std::string& option, const std::vector<std::string>& others, const std::string& help = {});
  /// It says something only where one of the others is given.
  void needs(const std::string& option, const std::vector<std::string>& others);

 private:
  struct Rule {
    std::string option;
    std::vector<std::string> others;
    std::string help;
    bool wants_one;  ///< of the others; or none
  };
  void add(Rule rule);

  CLI::App& app_;
  std::shared_ptr<std::vector<Rule>> rules_;  ///< that the app checks when it has been parsed
};

}  // namespace mtf::tool
