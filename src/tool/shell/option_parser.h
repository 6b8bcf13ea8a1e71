#pragma once
// Declaration of a command's options, independent of the parsing library.
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace mtf::tool {

/// Each function declares one option and the variable for its value. `names` is `--long` or `-s,--long`, `type` is the
/// name of the value in help, and `about` is a sentence.
class OptionParser {
 public:
  explicit OptionParser(CLI::App& app) : app_(app) {}
  void word(const std::string& name, std::string& to, const std::string& about, bool required);
  void words(const std::string& name, std::vector<std::string>& to, const std::string& about, bool required);
  void flag(const std::string& names, bool& to, const std::string& about);
  void text(const std::string& names, std::string& to, const std::string& type, const std::string& about);
  void text(const std::string& names, std::optional<std::string>& to, const std::string& type,
            const std::string& about);
  /// An option with which the command starts itself. Help does not show it.
  void hidden_text(const std::string& names, std::string& to);
  /// A flag for tests. Help does not show it.
  void hidden_flag(const std::string& names, bool& to);
  /// An option that may be repeated.
  void texts(const std::string& names, std::vector<std::string>& to, const std::string& type, const std::string& about);
  void number(const std::string& names, int& to, const std::string& type, const std::string& about);

  /// Declares that `option` excludes all of the others: giving both is an error, with `help`.
  void excludes(const std::string& option, const std::vector<std::string>& others, const std::string& help = {});
  /// Declares that `option` needs one of the others.
  void needs(const std::string& option, const std::vector<std::string>& others);

 private:
  struct Rule {
    std::string option;
    std::vector<std::string> others;
    std::string help;
    bool wants_one;  ///< true: needs one of the others; false: excludes them
  };
  void add(Rule rule);

  CLI::App& app_;
  std::shared_ptr<std::vector<Rule>> rules_;  ///< checked after the app has parsed the command line
};

}  // namespace mtf::tool
