#pragma once
// What `--set name=value` reaches: the options and top-level dims of a program.
#include <string>
#include <utility>
#include <vector>

#include "eval/findings.h"
#include "eval/host_value.h"

namespace mtf::eval {

class Options {
 public:
  /// `given`: of the command line.
  explicit Options(std::vector<std::pair<std::string, std::string>> given) : given_(std::move(given)) {}

  /// As if the command line had given it too.
  void give(const std::string& name, const std::string& text) { given_.emplace_back(name, text); }
  /// The value of a name declared at `span`: what the command line gives for it, as a value of the kind that `declared`
  /// is (else bad_option_value); `declared` if it gives nothing.
  HostValue value(const std::string& name, HostValue declared, const HostValue& kind, Span span);
  /// Warns of what the command line gives that no declaration has matched.
  void report_unmatched(Findings& findings) const;

 private:
  std::vector<std::pair<std::string, std::string>> given_;
  std::vector<std::string> declared_;  ///< the names met so far
};

}  // namespace mtf::eval
