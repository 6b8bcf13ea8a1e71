#pragma once
// The settings of `--set name=value`, which replace the options and top-level dims of a program.
#include <string>
#include <utility>
#include <vector>

#include "eval/findings.h"
#include "eval/host_value.h"

namespace mtf::eval {

class Options {
 public:
  /// `given` are the names and values of the command line.
  explicit Options(std::vector<std::pair<std::string, std::string>> given) : given_(std::move(given)) {}

  /// Adds a setting, as if it were on the command line.
  void give(const std::string& name, const std::string& text) { given_.emplace_back(name, text); }
  /// Returns the value of a name declared at `span`. The command line's value, converted to a value like `kind`, has
  /// precedence over `declared`. Fails (bad_option_value) if the conversion does.
  HostValue value(const std::string& name, HostValue declared, const HostValue& kind, Span span);
  /// Reports the settings of the command line that no declaration has matched.
  void report_unmatched(Findings& findings) const;

 private:
  std::vector<std::pair<std::string, std::string>> given_;
  std::vector<std::string> declared_;  ///< the names declared so far
};

}  // namespace mtf::eval
