#pragma once
// From values of the host to what the place where they stand asks for. Each fails at `span` with what was expected and
// what was found.
#include <optional>
#include <string_view>

#include "eval/host_value.h"

namespace mtf::ops {
class Builder;  // ops/builder.h
}

namespace mtf::eval {

class Cuts;  // eval/cuts.h

/// Fails (dim_twice) for the first dim that stands twice; the help says how to write a shape with two dims of one size.
void refuse_twice(const Dims& dims, Span span);

class Conversions {
 public:
  /// A tensor without dims is read as a number by a cut.
  Conversions(ops::Builder& builder, Cuts& cuts) : builder_(builder), cuts_(cuts) {}

  /// A tensor, or a number as a tensor without dims.
  graph::Value to_tensor(const HostValue& value, Span span) const;
  /// A number, also an unknown one, as a tensor without dims: i32 or bool if it is whole or a bool, else f32.
  graph::Value number_tensor(const HostValue& value) const;
  graph::Value number_tensor(const HostValue& value, ElementType element) const;
  static Dim to_dim(const HostValue& value, Span span);
  /// A list of dims, each once.
  static Dims to_dims(const HostValue& value, Span span);
  /// `what` it is for: "a seed". Nothing if only the run knows.
  std::optional<int64_t> to_int(const HostValue& value, Span span, std::string_view what) const;
  /// A bool; nothing if only the run knows.
  std::optional<bool> to_condition(const HostValue& value, Span span) const;

 private:
  ops::Builder& builder_;
  Cuts& cuts_;
};

}  // namespace mtf::eval
