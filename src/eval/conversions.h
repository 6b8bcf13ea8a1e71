#pragma once
// Conversions of host values to the kinds that expressions and statements expect. Each fails at `span`, with the
// expected and the found kind.
#include <optional>
#include <string_view>

#include "eval/host_value.h"

namespace mtf::ops {
class Builder;  // ops/builder.h
}

namespace mtf::eval {

class Cuts;  // eval/cuts.h

/// Fails (dim_twice) if a dim occurs twice. The help shows how to write a shape with two dims of one size.
void refuse_twice(const Dims& dims, Span span);

class Conversions {
 public:
  /// `cuts` read tensors without dims as numbers.
  Conversions(ops::Builder& builder, Cuts& cuts) : builder_(builder), cuts_(cuts) {}

  /// Returns a tensor as it is, and a number as a tensor without dims.
  graph::Value to_tensor(const HostValue& value, Span span) const;
  /// Returns a known or unknown number as a tensor without dims: i32 for an int, bool for a bool, else f32.
  graph::Value number_tensor(const HostValue& value) const;
  graph::Value number_tensor(const HostValue& value, ElementType element) const;
  /// Returns the number of a tensor without dims, unknown in a check or a plan. Returns any other value as it is.
  HostValue on_host(const HostValue& value, Span span) const;
  static Dim to_dim(const HostValue& value, Span span);
  /// Returns a list of dims. Each dim may occur once.
  static Dims to_dims(const HostValue& value, Span span);
  /// `what`: the use of the int in messages, for instance "a seed". Returns nothing if only the run knows the int.
  std::optional<int64_t> to_int(const HostValue& value, Span span, std::string_view what) const;
  /// Returns a bool; nothing if only the run knows it.
  std::optional<bool> to_condition(const HostValue& value, Span span) const {
    if (auto* b = value.as<bool>()) [[likely]]
      return *b;
    return read_condition(value, span);
  }

 private:
  std::optional<bool> read_condition(const HostValue& value, Span span) const;

  ops::Builder& builder_;
  Cuts& cuts_;
};

}  // namespace mtf::eval
