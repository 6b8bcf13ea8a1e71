// Every element-wise operation, every operation on rows, and their gradients at 0, -0, denormals, the ends of their
// type, infinities and NaN, against the mathematical values. A new operation without a line here fails the test.
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <map>
#include <numbers>
#include <optional>
#include <set>

#include "call_text.h"
#include "ops/elementwise.h"
#include "whole_graph.h"

namespace mtf::test {
namespace extremes_test {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();
const ElementType kTypes[] = {ElementType::kF32, ElementType::kF64, ElementType::kBf16};

double as(ElementType element, double x) {
  if (element == ElementType::kF64) return x;
  if (element == ElementType::kF32) return static_cast<float>(x);
  return to_float(to_bf16(static_cast<float>(x)));
}

std::vector<double> points(ElementType element) {
  const bool wide = element == ElementType::kF64;
  const double most = wide ? 1e308 : 1e38, far = wide ? 740 : 100, denormal = wide ? 1e-310 : 1e-39;
  std::vector<double> list;
  for (const double x : {0.0, denormal, 0.5, 1.0, 3.0, far, most, kInfinity})
    for (const double sign : {1.0, -1.0}) list.push_back(as(element, sign * x));
  list.push_back(kNan);
  return list;
}

/// The mathematical limit. Nothing: there is no limit, or the two sides differ.
using Limit = std::optional<double>;

std::string difference(ElementType element, double found, Limit expected) {
  if (!expected) return "";
  const double wanted = as(element, *expected);
  if (std::isnan(wanted) && std::isnan(found)) return "";
  if (wanted == found) return "";
  const double digits = element == ElementType::kF64 ? 1e-12 : element == ElementType::kF32 ? 1e-4 : 2e-2;
  const double least = element == ElementType::kF64 ? 1e-320 : element == ElementType::kF32 ? 3e-43 : 2e-40;
  if (std::abs(found - wanted) <= digits * std::abs(wanted) + least) return "";
  return fmt::format("expected {}, found {}", wanted, found);
}

// ---- One operand ----------------------------------------------------------------------------------------------------

struct OfOne {
  std::function<double(double)> value;
  std::function<Limit(double)> slope;  ///< null: no gradient
};

double sigmoid(double x) { return x > 0 ? 1 / (1 + std::exp(-x)) : std::exp(x) / (1 + std::exp(x)); }
/// x y, for a y that goes to 0 faster than any x grows.
double fading(double x, double y) { return y == 0 ? 0 * y : x * y; }
double gelu_u(double x) { return 2 * 0.79788456080286535588 * (x + 0.044715 * x * x * x); }
double gelu_gate(double x) { return std::isinf(x) || std::abs(x) > 1e100 ? (x > 0 ? 1 : 0) : sigmoid(gelu_u(x)); }
double gelu_slope(double x) {
  if (std::abs(x) > 50) return x > 0 ? 1 : 0;
  const double gate = gelu_gate(x);
  return gate + x * gate * (1 - gate) * 2 * 0.79788456080286535588 * (1 + 3 * 0.044715 * x * x);
}
double swish_slope(double x) {
  const double s = sigmoid(x);
  return std::abs(x) > 800 ? s : s + x * s * (1 - s);
}
Limit nothing(double) { return std::nullopt; }

const std::map<std::string_view, OfOne>& of_one() {
  constexpr double kScale = 1.0507009873554804934, kAlpha = 1.6732632423543772848;
  const auto zero = [](double) -> Limit { return 0; };
  static const std::map<std::string_view, OfOne> table = {
      {"neg", {[](double x) { return -x; }, [](double) -> Limit { return -1; }}},
      {"abs", {[](double x) { return std::abs(x); }, [](double x) -> Limit { return x > 0   ? 1
                                                                                    : x < 0 ? -1
                                                                                            : x; }}},
      {"sign", {[](double x) { return x > 0   ? 1
                                      : x < 0 ? -1
                                              : x; }, zero}},
      {"sqrt",
       {[](double x) { return std::sqrt(x); },
        [](double x) -> Limit { return x == 0 && std::signbit(x) ? std::nullopt : Limit(0.5 / std::sqrt(x)); }}},
      {"rsqrt",
       {[](double x) { return 1 / std::sqrt(x); },
        [](double x) -> Limit { return x == 0 && std::signbit(x) ? std::nullopt : Limit(-0.5 / std::sqrt(x) / x); }}},
      {"exp", {[](double x) { return std::exp(x); }, [](double x) -> Limit { return std::exp(x); }}},
      {"log", {[](double x) { return std::log(x); }, [](double x) -> Limit { return 1 / x; }}},
      {"sin", {[](double x) { return std::sin(x); }, [](double x) -> Limit { return std::cos(x); }}},
      {"cos", {[](double x) { return std::cos(x); }, [](double x) -> Limit { return -std::sin(x); }}},
      {"tanh", {[](double x) { return std::tanh(x); }, nothing}},
      {"sigmoid", {sigmoid, nothing}},
      {"relu", {[](double x) { return x < 0 ? 0 : x; }, [](double x) -> Limit { return x > 0 ? 1 : 0; }}},
      {"gelu", {[](double x) { return fading(x, gelu_gate(x)); }, gelu_slope}},
      {"swish", {[](double x) { return fading(x, sigmoid(x)); }, swish_slope}},
      {"elu", {[](double x) { return x > 0 ? x : std::expm1(x); }, nothing}},
      {"selu", {[](double x) { return kScale * (x > 0 ? x : kAlpha * std::expm1(x)); }, nothing}},
      {"softplus", {[](double x) { return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x)); }, sigmoid}},
      {"square", {[](double x) { return x * x; }, [](double x) -> Limit { return 2 * x; }}},
      {"reciprocal", {[](double x) { return 1 / x; }, [](double x) -> Limit { return -1 / x / x; }}},
      {"expm1", {[](double x) { return std::expm1(x); }, [](double x) -> Limit { return std::exp(x); }}},
      {"log1p", {[](double x) { return std::log1p(x); }, [](double x) -> Limit { return 1 / (1 + x); }}},
      {"erf",
       {[](double x) { return std::erf(x); },
        [](double x) -> Limit { return 2 * std::numbers::inv_sqrtpi * std::exp(-x * x); }}},
      {"tan", {[](double x) { return std::tan(x); }, [](double x) -> Limit { return 1 + std::tan(x) * std::tan(x); }}},
      {"asin",
       {[](double x) { return std::asin(x); }, [](double x) -> Limit { return 1 / std::sqrt((1 - x) * (1 + x)); }}},
      {"acos",
       {[](double x) { return std::acos(x); }, [](double x) -> Limit { return -1 / std::sqrt((1 - x) * (1 + x)); }}},
      {"atan", {[](double x) { return std::atan(x); }, [](double x) -> Limit { return 1 / (1 + x * x); }}},
      {"sinh", {[](double x) { return std::sinh(x); }, [](double x) -> Limit { return std::cosh(x); }}},
      {"cosh", {[](double x) { return std::cosh(x); }, [](double x) -> Limit { return std::sinh(x); }}},
      {"asinh", {[](double x) { return std::asinh(x); }, [](double x) -> Limit { return 1 / std::hypot(1, x); }}},
      {"acosh",
       {[](double x) { return std::acosh(x); },
        [](double x) -> Limit { return 1 / (std::sqrt(x - 1) * std::sqrt(x + 1)); }}},
      {"atanh", {[](double x) { return std::atanh(x); }, [](double x) -> Limit { return 1 / ((1 - x) * (1 + x)); }}},
      {"floor", {[](double x) { return std::floor(x); }, zero}},
      {"ceil", {[](double x) { return std::ceil(x); }, zero}},
      {"round", {[](double x) { return std::nearbyint(x); }, zero}},
      {"gelu_grad", {gelu_slope, nothing}},
      {"swish_grad", {swish_slope, nothing}},
      {"cast", {[](double x) { return x; }, [](double) -> Limit { return 1; }}},
      {"cast_parts", {[](double x) { return x; }, [](double) -> Limit { return 1; }}},
  };
  return table;
}

/// Slopes that approach 0 as 1 - y does, whose digits f32 does not have. They must be near, and 0 at infinities.
const std::map<std::string_view, std::function<double(double)>>& rough_slopes() {
  static const std::map<std::string_view, std::function<double(double)>> table = {
      {"tanh", [](double x) { return 1 / std::cosh(x) / std::cosh(x); }},
      {"sigmoid", [](double x) { return sigmoid(x) * sigmoid(-x); }},
      {"elu", [](double x) { return x > 0 ? 1 : std::exp(x); }},
      {"selu", [](double x) { return 1.0507009873554804934 * (x > 0 ? 1 : 1.6732632423543772848 * std::exp(x)); }},
      {"gelu_grad", [](double x) { return x == 0             ? 0.79788456080286535588
                                          : std::abs(x) > 50 ? 0
                                                             : kNan; }},
      {"swish_grad", [](double x) { return x == 0             ? 0.5
                                           : std::abs(x) > 50 ? 0
                                                              : kNan; }},
  };
  return table;
}

graph::Value node_of(WholeGraph& graph, const graph::Op& op, const graph::Values& operands) {
  if (op.name == "cast") return graph.builder.cast(operands[0], ElementType::kF64);
  if (op.name == "cast_parts")
    return graph.builder.add_node(op, operands, ops::CastAttributes{operands[0].element()})[0];
  return graph.builder.add_node(op, operands)[0];
}

/// Returns the gathered gradients of `y` for the gradient `d` of `y`.
graph::Values slopes(WholeGraph& graph, const graph::Value& y, double d, const graph::Values& of) {
  const Array all{y.type(), std::vector<double>(static_cast<size_t>(size_of(y.dims())), d)};
  return gradients_of(graph.builder, {y}, {graph.input(all)}, of);
}

void expect_nothing_of_0(WholeGraph& graph, const graph::Value& y, const graph::Values& of, std::string_view name) {
  const graph::Values first = slopes(graph, y, 0, of);
  for (const graph::Value& slope : first) {
    for (const double number : graph.numbers(slope)) { EXPECT_EQ(number, 0) << name; }
    const graph::Values second = slopes(graph, slope, 0, of);
    for (const graph::Value& bend : second)
      for (const double number : graph.numbers(bend)) { EXPECT_EQ(number, 0) << "second gradient of " << name; }
  }
}

bool is_of_reals(const graph::Op& op) {
  static const std::set<std::string_view> other = {"logical_and", "logical_or", "logical_not", "bit_and",    "bit_or",
                                                   "bit_xor",     "bit_not",    "shift_left",  "shift_right"};
  return op.lane && !other.count(op.name);
}

TEST(Extremes, functions_of_one_operand_have_their_limits) {
  for (const graph::Op* op : ops::all_ops()) {
    if (!is_of_reals(*op) || kernels::arity(*op->lane) != 1) continue;
    const auto line = of_one().find(op->name);
    ASSERT_NE(line, of_one().end()) << op->name << " has no line in this table";
    for (const ElementType element : kTypes) {
      WholeGraph graph;
      const std::vector<double> at = points(element);
      const graph::Value x = graph.input({{element, {{Name("n"), static_cast<int64_t>(at.size())}}}, at});
      const graph::Value y = node_of(graph, *op, {x});
      const std::vector<double> values = graph.numbers(y), d = graph.numbers(slopes(graph, y, 1, {x})[0]);
      const auto rough = rough_slopes().find(op->name);
      for (size_t i = 0; i < at.size(); ++i) {
        const auto where = [&] { return fmt::format("{} of {} {}", op->name, name(element), at[i]); };
        EXPECT_EQ(difference(element, values[i], line->second.value(at[i])), "") << where();
        if (std::isnan(at[i])) continue;
        EXPECT_EQ(difference(element, d[i], line->second.slope(at[i])), "") << "slope of " << where();
        if (rough == rough_slopes().end()) continue;
        EXPECT_FALSE(std::isnan(d[i])) << "slope of " << where();
        const double wanted = rough->second(at[i]), rounding = element == ElementType::kBf16 ? 2e-2 : 1e-6;
        if (!std::isnan(wanted)) { EXPECT_NEAR(d[i], wanted, rounding) << "slope of " << where(); }
      }
      expect_nothing_of_0(graph, y, {x}, op->name);
    }
  }
}

// ---- Two operands ---------------------------------------------------------------------------------------------------

struct OfTwo {
  std::function<Limit(double, double)> value, first, second;  ///< null: not tested here
};

Limit pow_first(double a, double b) {
  if (b == 0) return 0;
  if (std::isnan(a) || std::isnan(b)) return std::nullopt;
  const double power = std::pow(a, b - 1);
  if (std::isfinite(power) && std::abs(power) > 1e38 && std::abs(b) < 1) return std::nullopt;  // f32 cannot hold it
  return power == 0 ? Limit(0) : Limit(b * power);
}
Limit pow_second(double a, double b) {
  if (std::isnan(a) || std::isnan(b)) return std::nullopt;
  if (!(a > 0)) return 0;
  const double power = std::pow(a, b);
  return power == 0 || a == 1 ? Limit(0) : Limit(power * std::log(a));
}
Limit half_at_ties(double a, double b, bool taken) {
  if (std::isnan(a) || std::isnan(b)) return std::nullopt;
  return a == b ? 0.5 : taken ? 1 : 0;
}

const std::map<std::string_view, OfTwo>& of_two() {
  using L = Limit;
  const auto one = [](double, double) -> L { return 1; };
  const auto minus = [](double, double) -> L { return -1; };
  const auto first = [](double a, double) -> L { return a; };
  const auto second = [](double, double b) -> L { return b; };
  const auto least = [](double a, double b) -> L { return std::isnan(a) || a < b ? a : b; };
  const auto most = [](double a, double b) -> L { return std::isnan(a) || a > b ? a : b; };
  const auto zero_or = [](bool zero, double x) -> L { return zero ? 0 : x; };
  static const std::map<std::string_view, OfTwo> table = {
      {"add", {[](double a, double b) -> L { return a + b; }, one, one}},
      {"sub", {[](double a, double b) -> L { return a - b; }, one, minus}},
      {"mul", {[](double a, double b) -> L { return a * b; }, second, first}},
      {"div",
       {[](double a, double b) -> L { return a / b; }, [](double, double b) -> L { return 1 / b; },
        // -a / b². There is no limit if a and b are both 0, or if a is infinite and b is not a valid divisor.
        [](double a, double b) -> L {
          if ((a == 0 && b == 0) || (std::isinf(a) && std::isinf(b))) return std::nullopt;
          return -(a / b) / b;
        }}},
      {"pow", {[](double a, double b) -> L { return std::pow(a, b); }, pow_first, pow_second}},
      {"minimum",
       {least, [](double a, double b) { return half_at_ties(a, b, a < b); },
        [](double a, double b) { return half_at_ties(a, b, b < a); }}},
      {"maximum",
       {most, [](double a, double b) { return half_at_ties(a, b, a > b); },
        [](double a, double b) { return half_at_ties(a, b, b > a); }}},
      {"at_least", {most, nullptr, nullptr}},
      {"at_most", {least, nullptr, nullptr}},
      {"leaky_relu",
       {[=](double a, double b) -> L {
          return a > 0 ? a : zero_or((a == 0 && !std::isnan(b)) || (b == 0 && !std::isnan(a)), a * b);
        },
        [](double a, double b) -> L { return a > 0 ? 1 : b; }, [](double a, double) -> L { return a > 0 ? 0 : a; }}},
      {"zero_times", {[=](double a, double b) { return zero_or(a == 0, a * b); }, nullptr, nullptr}},
      {"zero_over", {[=](double a, double b) { return zero_or(a == 0, a / b); }, nullptr, nullptr}},
      {"zero_product", {[=](double a, double b) { return zero_or(a == 0 || b == 0, a * b); }, nullptr, nullptr}},
      {"shifted", {[](double a, double b) -> L { return a == b ? (a == -kInfinity ? a : 0) : a - b; }, one, minus}},
      {"scale", {[](double a, double b) -> L { return a * b; }, second, nullptr}},
      {"eq", {[](double a, double b) -> L { return a == b; }, nullptr, nullptr}},
      {"ne", {[](double a, double b) -> L { return a != b; }, nullptr, nullptr}},
      {"lt", {[](double a, double b) -> L { return a < b; }, nullptr, nullptr}},
      {"le", {[](double a, double b) -> L { return a <= b; }, nullptr, nullptr}},
      {"gt", {[](double a, double b) -> L { return a > b; }, nullptr, nullptr}},
      {"ge", {[](double a, double b) -> L { return a >= b; }, nullptr, nullptr}},
      // Integer quotients have tests of their own.
      {"floordiv", {nullptr, nullptr, nullptr}},
      {"mod", {nullptr, nullptr, nullptr}},
  };
  return table;
}

TEST(Extremes, functions_of_two_operands_have_their_limits) {
  for (const graph::Op* op : ops::all_ops()) {
    if (!is_of_reals(*op) || kernels::arity(*op->lane) != 2) continue;
    const auto line = of_two().find(op->name);
    ASSERT_NE(line, of_two().end()) << op->name << " has no line in this table";
    for (const ElementType element : kTypes) {
      WholeGraph graph;
      const std::vector<double> some = points(element);
      std::vector<double> a, b;
      for (const double one : some)
        for (const double other : some) a.push_back(one), b.push_back(other);
      const Dims dims{{Name("n"), static_cast<int64_t>(a.size())}};
      const graph::Value x = graph.input({{element, dims}, a}), y = graph.input({{element, dims}, b});
      const graph::Value z = node_of(graph, *op, {x, y});
      const std::vector<double> values = graph.numbers(z);
      std::vector<double> first(a.size(), kNan), second = first;
      if (op->gradient) {
        first = graph.numbers(slopes(graph, z, 1, {x, y})[0]);
        second = graph.numbers(slopes(graph, z, 1, {x, y})[1]);
        // The second operand of scale is a number of the host.
        expect_nothing_of_0(graph, z, op->name == "scale" ? graph::Values{y} : graph::Values{x, y}, op->name);
      }
      const bool truth = z.element() == ElementType::kBool;
      for (size_t i = 0; i < a.size(); ++i) {
        const auto where = [&] { return fmt::format("{} of {} {} and {}", op->name, name(element), a[i], b[i]); };
        const auto expect = [&](const auto& limit, double found, ElementType type, const char* what) {
          if (limit) { EXPECT_EQ(difference(type, found, limit(a[i], b[i])), "") << what << where(); }
        };
        expect(line->second.value, values[i], truth ? ElementType::kF32 : element, "");
        expect(line->second.first, first[i], element, "first slope of ");
        expect(line->second.second, second[i], element, "second slope of ");
      }
    }
  }
}

TEST(Extremes, a_selection_lets_nothing_of_the_other_side_through) {
  for (const ElementType element : kTypes)
    for (const double out : points(element)) {
      WholeGraph graph;
      const Dims dims{{Name("n"), 2}};
      const graph::Value c = graph.input({{ElementType::kBool, dims}, {1, 0}});
      const graph::Value x = graph.input({{element, dims}, {2, out}}), y = graph.input({{element, dims}, {out, 3}});
      const graph::Value z = graph.builder.where(c, x, y);
      EXPECT_EQ(graph.numbers(z), (std::vector<double>{2, 3}));
      const graph::Values d = slopes(graph, z, 1, {x, y});
      EXPECT_EQ(graph.numbers(d[0]), (std::vector<double>{1, 0}));
      EXPECT_EQ(graph.numbers(d[1]), (std::vector<double>{0, 1}));
    }
}

// ---- Rows -----------------------------------------------------------------------------------------------------------

struct OfRow {
  std::function<std::vector<Limit>(const std::vector<double>&)> value, slope;
  bool keeps_dim = false;
};

double greatest(const std::vector<double>& x) {
  double most = -kInfinity;
  for (const double number : x) most = std::isnan(number) || std::isnan(most) ? kNan : std::max(most, number);
  return most;
}
double logsumexp(const std::vector<double>& x) {
  const double most = greatest(x);
  if (std::isinf(most) || std::isnan(most)) return most;
  double sum = 0;
  for (const double number : x) sum += std::exp(number - most);
  return most + std::log(sum);
}
/// The share of each element; there is none for minus infinities only, or for several infinities.
std::vector<Limit> shares(const std::vector<double>& x) {
  const double most = greatest(x);
  double sum = 0;
  for (const double number : x) sum += std::exp(number - most);
  std::vector<Limit> list;
  for (const double number : x) {
    if (std::isnan(most)) list.push_back(kNan);
    else if (most == kInfinity && std::count(x.begin(), x.end(), most) == 1) list.push_back(number == most ? 1 : 0);
    else if (std::isinf(most)) list.push_back(std::nullopt);
    else list.push_back(std::exp(number - most) / sum);
  }
  return list;
}
std::vector<Limit> all(size_t count, Limit of) { return std::vector<Limit>(count, of); }

const std::map<std::string_view, OfRow>& of_row() {
  using Row = std::vector<double>;
  using Limits = std::vector<Limit>;
  static const std::map<std::string_view, OfRow> table = {
      {"logsumexp",
       {[](const Row& x) -> Limits { return {logsumexp(x)}; },
        [](const Row& x) -> Limits {
          if (logsumexp(x) == -kInfinity) return all(x.size(), 0);
          // The result 1e38 + log 2 has no digit of log 2, so the gradient has none either.
          return x[0] == x[1] && std::abs(x[0]) > 1e30 ? all(x.size(), std::nullopt) : shares(x);
        }}},
      {"softmax", {shares, nullptr, true}},
      {"log_softmax",
       {[](const Row& x) -> Limits {
          const Limits share = shares(x);
          const double most = greatest(x);
          double sum = 0;
          for (const double number : x) sum += std::exp(number - most);
          Limits list;
          for (size_t i = 0; i < x.size(); ++i) {
            if (!share[i]) list.push_back(std::nullopt);
            else if (std::isinf(most)) list.push_back(std::log(*share[i]));
            else list.push_back(x[i] - most - std::log(sum));
          }
          return list;
        },
        nullptr, true}},
      {"max", {[](const Row& x) -> Limits { return {greatest(x)}; }, nullptr}},
      {"sum", {[](const Row& x) -> Limits { return {x[0] + x[1]}; }, [](const Row& x) { return all(x.size(), 1); }}},
      {"prod",
       {[](const Row& x) -> Limits { return {x[0] * x[1]}; },
        [](const Row& x) -> Limits {
          return {x[1], x[0]};
        }}},
      {"norm",
       {[](const Row& x) -> Limits { return {std::isnan(greatest(x)) ? kNan : std::hypot(x[0], x[1])}; },
        [](const Row& x) -> Limits {
          const double length = std::hypot(x[0], x[1]);
          if (length == 0) return {0, 0};
          if (!std::isfinite(length)) return all(2, std::nullopt);
          return {x[0] / length, x[1] / length};
        }}},
  };
  return table;
}

TEST(Extremes, operations_on_rows_have_their_limits_whole_and_expanded) {
  for (const auto& [op, line] : of_row())
    for (const ElementType element : {ElementType::kF32, ElementType::kF64})
      for (const double one : points(element))
        for (const double other : points(element)) {
          WholeGraph graph;
          const std::vector<double> at{one, other};
          const Dim dim{Name("n"), 2};
          const graph::Value x = graph.input({{element, {dim}}, at});
          CallText call(graph, {{"x", x}});
          const graph::Value y = call(op, {"x"}, {{"over", {dim}}});
          const auto expect = [&](const graph::Value& found, const std::vector<Limit>& wanted, const char* what) {
            const std::vector<double> numbers = graph.numbers(found);
            for (size_t i = 0; i < numbers.size(); ++i) {
              // A norm of denormals has only the digits of denormals.
              const Limit limit = op == "norm" && std::abs(one) + std::abs(other) < 1e-30 ? Limit() : wanted[i];
              EXPECT_EQ(difference(element, numbers[i], limit), "")
                  << what << op << " of " << name(element) << " " << one << ", " << other << ", element " << i;
            }
          };
          expect(y, line.value(at), "");
          if (y.operation().op->expand) expect(graph.expansion(y)[0], line.value(at), "expanded ");
          if (line.slope && !std::isnan(one + other - one - other))
            expect(slopes(graph, y, 1, {x})[0], line.slope(at), "slope of ");
          expect_nothing_of_0(graph, y, {x}, op);
        }
}

}  // namespace extremes_test
}  // namespace mtf::test
