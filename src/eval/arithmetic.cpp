#include "eval/arithmetic.h"

#include <cmath>

#include "support/diagnostics.h"
#include "support/integers.h"

namespace mtf::eval {
namespace {

using ast::BinaryOp;

template <typename Number>
bool compare(BinaryOp op, Number a, Number b) {
  switch (op) {
    case BinaryOp::kEqual: return a == b;
    case BinaryOp::kNotEqual: return a != b;
    case BinaryOp::kLess: return a < b;
    case BinaryOp::kLessEqual: return a <= b;
    case BinaryOp::kGreater: return a > b;
    default: return a >= b;
  }
}

[[noreturn]] void overflow(Span span, int64_t a, BinaryOp op, int64_t b) {
  fail(Kind::integer_overflow, span, "{} {} {}", a, ast::to_text(op), b);
}

/// Returns the floor of the exact quotient, as for tensors (`floordiv_of`, kernels/lane_math.h).
double floor_of_quotient(double a, double b) {
  const double quotient = std::floor(a / b);
  const double rest = std::isinf(b) ? a : std::fma(-quotient, b, a);
  return (b > 0 ? rest < 0 : rest > 0) ? quotient - 1 : quotient;
}

/// Returns the exact remainder, rounded once. It has the sign of `b`, and a smaller magnitude.
double rest_of_quotient(double a, double b) {
  double rest = std::fmod(a, b);
  if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
  if (std::abs(rest) >= std::abs(b) && std::isfinite(b)) rest = std::nextafter(b, 0.0);
  return std::copysign(rest, b);
}

}  // namespace

HostValue integers(BinaryOp op, int64_t a, int64_t b, Span span) {
  int64_t result = 0;
  switch (op) {
    case BinaryOp::kAdd:
      if (__builtin_add_overflow(a, b, &result)) overflow(span, a, op, b);
      return result;
    case BinaryOp::kSubtract:
      if (__builtin_sub_overflow(a, b, &result)) overflow(span, a, op, b);
      return result;
    case BinaryOp::kMultiply:
      if (__builtin_mul_overflow(a, b, &result)) overflow(span, a, op, b);
      return result;
    case BinaryOp::kDivide:
      if (b == 0) fail(Kind::division_by_zero, span, "{} / 0", a);
      return static_cast<double>(a) / static_cast<double>(b);
    case BinaryOp::kFloorDivide:
    case BinaryOp::kModulo:
      if (b == 0) fail(Kind::division_by_zero, span, "{} {} 0", a, ast::to_text(op));
      if (b == -1) {
        if (op == BinaryOp::kModulo) return int64_t{0};
        if (__builtin_sub_overflow(int64_t{0}, a, &result)) overflow(span, a, op, b);
        return result;
      }
      result = floor_div(a, b);
      return op == BinaryOp::kFloorDivide ? result : a - result * b;
    case BinaryOp::kPower: {
      if (a == 0 && b < 0) fail(Kind::division_by_zero, span, "{} ^ {}", a, b);
      if (b < 0) return std::pow(static_cast<double>(a), static_cast<double>(b));
      int64_t base = a, exponent = b;
      result = 1;
      while (exponent > 0) {
        if ((exponent & 1) && __builtin_mul_overflow(result, base, &result)) overflow(span, a, op, b);
        exponent >>= 1;
        if (exponent > 0 && __builtin_mul_overflow(base, base, &base)) overflow(span, a, op, b);
      }
      return result;
    }
    default: return compare(op, a, b);
  }
}

HostValue floats(BinaryOp op, double a, double b) {
  switch (op) {
    case BinaryOp::kAdd: return a + b;
    case BinaryOp::kSubtract: return a - b;
    case BinaryOp::kMultiply: return a * b;
    case BinaryOp::kDivide: return a / b;
    case BinaryOp::kFloorDivide: return floor_of_quotient(a, b);
    case BinaryOp::kModulo: return rest_of_quotient(a, b);
    case BinaryOp::kPower: return std::pow(a, b);
    default: return compare(op, a, b);
  }
}

}  // namespace mtf::eval
