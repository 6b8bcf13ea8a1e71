#include "ops/call.h"

#include "support/diagnostics.h"

namespace mtf::ops {

const Argument& Call::argument(std::string_view name) const {
  for (size_t i = 0; i < arguments.size(); ++i)
    if (signature.parameters[i].name.text() == name) return arguments[i];
  MTF_CHECK(false, "{} has no parameter {}", signature.name.text(), name);
  return arguments[0];
}

double Call::number(std::string_view name, double otherwise) const {
  const Argument& given = argument(name);
  return given.given ? given.number : otherwise;
}

Span Call::span_of(std::string_view name) const {
  const Argument& given = argument(name);
  return given.given && given.span.is_known() ? given.span : span;
}

}  // namespace mtf::ops
