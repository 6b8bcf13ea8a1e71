#pragma once
// Arithmetic operators and comparisons of numbers of the host.
#include <cstdint>

#include "eval/host_value.h"

namespace mtf::eval {

/// Compute `a op b`. `integers` fails at `span` (integer_overflow, division_by_zero).
HostValue integers(ast::BinaryOp op, int64_t a, int64_t b, Span span);
HostValue floats(ast::BinaryOp op, double a, double b);

/// True if `op` is such an operator, and both operands are ints or floats.
inline bool are_numbers(ast::BinaryOp op, const HostValue& a, const HostValue& b) {
  return op < ast::BinaryOp::kIn && (a.is<int64_t>() || a.is<double>()) && (b.is<int64_t>() || b.is<double>());
}
/// Computes `a op b`, for which `are_numbers` is true.
inline HostValue of_numbers(ast::BinaryOp op, const HostValue& a, const HostValue& b, Span span) {
  auto *a_int = a.as<int64_t>(), *b_int = b.as<int64_t>();
  if (a_int && b_int) return integers(op, *a_int, *b_int, span);
  return floats(op, a_int ? static_cast<double>(*a_int) : *a.as<double>(),
                b_int ? static_cast<double>(*b_int) : *b.as<double>());
}

}  // namespace mtf::eval
