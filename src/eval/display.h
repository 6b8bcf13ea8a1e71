#pragma once
// The text of values, for `print` and for interpolated strings. Tensors are computed for it, by a cut. In a check or a
// plan tensors have no text.
#include <functional>
#include <string>

#include "eval/cuts.h"
#include "eval/host_value.h"
#include "ops/builder.h"

namespace mtf::eval {

/// The text of a tensor's element with `digits` significant digits.
std::string number_text(double number, ElementType element, int digits = 6);

class Display {
 public:
  /// `builder` has the source position of the cuts.
  Display(const ops::Builder& builder, Cuts& cuts, const AbstractDomain& domain)
      : builder_(builder), cuts_(cuts), domain_(domain) {}

  /// Returns the text that `print` shows. Strings `inside` a list have quotes.
  std::string text(const HostValue& value, bool inside = false);
  /// Formats a number, each element of a tensor, or a string. `format` is a format of std::format, at `format_span`.
  /// Fails (bad_format) if the format does not fit the value.
  std::string formatted(const HostValue& value, const std::string& format, Span span, Span format_span);

 private:
  std::string unsettled_text(const HostValue& value, bool inside);
  std::string list_text(const ListPtr& value, const std::function<std::string(const HostValue&)>& item_text);

  const ops::Builder& builder_;
  Cuts& cuts_;
  const AbstractDomain& domain_;
};

}  // namespace mtf::eval
