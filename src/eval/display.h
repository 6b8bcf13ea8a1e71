#pragma once
// How values are printed, and put into strings. Tensors are computed for it, by a cut; in a check or a plan they have
// no text.
#include <string>

#include "eval/cuts.h"
#include "eval/host_value.h"
#include "ops/builder.h"

namespace mtf::eval {

/// A tensor's element, with so many significant digits.
std::string number_text(double number, ElementType element, int digits = 6);

class Display {
 public:
  /// Cuts are made where `builder` stands.
  Display(const ops::Builder& builder, Cuts& cuts, const AbstractDomain& domain)
      : builder_(builder), cuts_(cuts), domain_(domain) {}

  /// As `print` shows it; `inside` a list strings have quotes.
  std::string text(const HostValue& value, bool inside = false);
  /// A number, each element of a tensor, or a string in a format of std::format, which stands at `format_span`. Fails
  /// (bad_format) if it has none that fits.
  std::string formatted(const HostValue& value, const std::string& format, Span span, Span format_span);

 private:
  std::string unsettled_text(const HostValue& value, bool inside);
  std::string list_text(const ListPtr& value);

  const ops::Builder& builder_;
  Cuts& cuts_;
  const AbstractDomain& domain_;
};

}  // namespace mtf::eval
