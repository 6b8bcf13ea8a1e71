#include "random_arithmetic.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>

#include "compare.h"
#include "generator.h"

namespace mtf::properties {
namespace {

using Tensors = std::vector<plan::HostTensor>;
using Ranges = std::optional<std::vector<NumberRange>>;

/// Sums of terms. All results have one type.
class ExactSums {
 public:
  /// `rounding` is the error of an addition, relative to the sum of magnitudes.
  ExactSums(int64_t count, ElementType element, double rounding)
      : element_(element), rounding_(rounding), sums_(static_cast<size_t>(count)) {}
  void add(int64_t at, long double term) {
    Sum& sum = sums_[static_cast<size_t>(at)];
    sum.value += term;
    sum.magnitude += std::abs(term);
    ++sum.terms;
  }
  Ranges ranges() const {
    std::vector<NumberRange> found;
    for (const Sum& sum : sums_) {
      if (element_ == ElementType::kI32 && (sum.value < INT32_MIN || sum.value > INT32_MAX)) return std::nullopt;
      const auto value = static_cast<double>(sum.value);
      const int64_t most = element_ == ElementType::kF64 ? sum.terms : kMostAdditions;
      const auto terms = static_cast<double>(std::min(sum.terms, most));
      // A sum is rounded to its own type once.
      const double distance = element_ == ElementType::kI32 ? 0
                                                            : terms * rounding_ * static_cast<double>(sum.magnitude) +
                                                                  0.5000001 * epsilon(element_) * std::abs(value);
      found.push_back({value - distance, value + distance});
    }
    return found;
  }

 private:
  /// A term goes through few additions in the type of the elements. There is no wider type than f64.
  static constexpr int64_t kMostAdditions = 12;
  struct Sum {
    long double value = 0, magnitude = 0;
    int64_t terms = 0;
  };
  ElementType element_;
  double rounding_;
  std::vector<Sum> sums_;
};

/// The rounding error of an addition of numbers of a type.
double rounding_of(ElementType element) { return epsilon(element == ElementType::kF64 ? element : ElementType::kF32); }

class ArithmeticDrawer {
 public:
  explicit ArithmeticDrawer(uint64_t seed) : dice_(seed * 7919 + 5) {}

  RandomArithmetic draw() {
    made_.script.inputs = fmt::format("seed {}\n", dice_.below(1000));
    made_.script.results = {"result"};
    switch (dice_.below(12)) {
      case 0: total(); break;
      case 1: running_total(); break;
      case 2:
      case 3: total_by_index(); break;
      case 4:
      case 5:
      case 6: product(); break;
      case 7: convolution(); break;
      case 8: pooling(); break;
      case 9: uniform(); break;
      case 10: quotient(); break;
      default: host_quotient(); break;
    }
    return made_;
  }

 private:
  int64_t dim(const std::string& name, int64_t size, bool splits = true) {
    made_.script.inputs += fmt::format("dim {} = {}\n", name, size);
    if (splits) made_.dims.push_back(name);
    return size;
  }
  void input(const std::string& name, const std::string& value) {
    made_.script.inputs += fmt::format("let {} = {}\n", name, value);
    made_.operands.push_back(name);
  }
  void body(const std::string& expression) { made_.script.body += "let result = " + expression + "\n"; }
  ElementType any_element() {
    return dice_.pick<ElementType>(
        {ElementType::kF32, ElementType::kF32, ElementType::kF64, ElementType::kBf16, ElementType::kI32});
  }
  /// Few elements, or enough that a sum in the type of the elements would drift.
  int64_t size_of_sum() { return dice_.chance(40) ? dice_.between(1000, 9000) : dice_.between(1, 20); }

  /// Numbers to add. Sums of integers fit most of the time.
  std::string terms(ElementType element, const std::string& shape) {
    if (element == ElementType::kI32) {
      const int64_t most = int64_t{1} << dice_.pick<int>({3, 12, 20, 31});
      return fmt::format("random.integers({}, {}, {})", shape, dice_.chance(50) ? -most : 0, most);
    }
    const std::string type(name(element));
    if (dice_.chance(40))
      return fmt::format("fill({}, {}, {})", shape, 0.01 * static_cast<double>(dice_.between(1, 99)), type);
    return fmt::format("random.uniform({}, low: {}, high: 2, {})", shape, dice_.chance(50) ? "-2" : "0", type);
  }

  void total() {
    const int64_t rows = dim("a", dice_.between(1, 5)), columns = dim("b", size_of_sum());
    const ElementType element = made_.element = any_element();
    const bool first = dice_.chance(50);  // the dim that is summed is the first in memory
    input("x", terms(element, first ? "[b, a]" : "[a, b]"));
    body("sum(x, over: b)");
    made_.ranges = [=](const Tensors& of) {
      ExactSums sums(rows, element, rounding_of(element));
      for (int64_t i = 0; i < rows * columns; ++i) sums.add(first ? i % rows : i / columns, of[0].number(i));
      return sums.ranges();
    };
  }

  void running_total() {
    const int64_t rows = dim("a", dice_.between(1, 5)), columns = dim("b", size_of_sum());
    const ElementType element = made_.element = any_element();
    const bool reverse = dice_.chance(30), exclusive = dice_.chance(30);
    input("x", terms(element, "[a, b]"));
    body(fmt::format("cumsum(x, over: b, reverse: {}, exclusive: {})", reverse, exclusive));
    made_.ranges = [=](const Tensors& of) -> Ranges {
      std::vector<NumberRange> found(static_cast<size_t>(rows * columns));
      for (int64_t row = 0; row < rows; ++row) {
        long double sum = 0, magnitude = 0;
        for (int64_t k = 0; k < columns; ++k) {
          const int64_t at = row * columns + (reverse ? columns - 1 - k : k);
          const long double before = sum;
          sum += of[0].number(at);
          magnitude += std::abs(of[0].number(at));
          const auto value = static_cast<double>(exclusive ? before : sum);
          const bool is_integer = element == ElementType::kI32;
          if (is_integer && (value < INT32_MIN || value > INT32_MAX)) return std::nullopt;
          // Sums are added in f64, and each one is rounded to its type once.
          const double of_f64 = static_cast<double>(k + 1) * epsilon(ElementType::kF64);
          const double distance =
              is_integer ? 0 : 0.5 * epsilon(element) * std::abs(value) + of_f64 * static_cast<double>(magnitude);
          found[static_cast<size_t>(at)] = {value - distance, value + distance};
        }
      }
      return found;
    };
  }

  /// A sum by index, or the gradient of a lookup, which is one.
  void total_by_index() {
    const int64_t count = dim("a", size_of_sum()), places = dim("v", dice_.between(1, 4));
    const bool has_rows = dice_.chance(50);
    const int64_t length = has_rows ? dim("c", dice_.between(1, 20)) : 1;
    ElementType element = any_element();
    const bool is_gradient = dice_.chance(40);
    if (is_gradient && element == ElementType::kI32) element = ElementType::kF32;
    made_.element = element;
    const char* const shape = has_rows ? "[a, c]" : "[a]";
    input("x", terms(element, shape));
    input("i", fmt::format("random.integers([a], 0, {})", places));
    if (is_gradient) {
      made_.script.inputs += fmt::format("let t = zeros({}, {})\n", has_rows ? "[v, c]" : "[v]", name(element));
      body("grad(sum(gather(t, i, over: v) * x), [t])[0]");
    } else {
      body("scatter_add(x, i, into: v)");
    }
    made_.ranges = [=](const Tensors& of) {
      ExactSums sums(places * length, element, rounding_of(element));
      for (int64_t n = 0; n < count; ++n)
        for (int64_t j = 0; j < length; ++j)
          sums.add(static_cast<int64_t>(of[1].number(n)) * length + j, of[0].number(n * length + j));
      return sums.ranges();
    };
  }

  /// A product of two operands. A dim may be in one of them alone, in both, and in the result or not.
  void product() {
    const std::vector<std::string> names = {"a", "b", "c", "d"};
    std::vector<int64_t> sizes;
    for (const std::string& name : names) sizes.push_back(dim(name, dice_.between(1, dice_.chance(20) ? 40 : 6)));
    std::vector<bool> in_first, in_second, in_result;
    std::vector<std::string> first, second, result;
    for (const std::string& name : names) {
      const int64_t where = dice_.below(4);  // neither only if 3
      in_first.push_back(where == 0 || where == 2);
      in_second.push_back(where == 1 || where == 2);
      in_result.push_back(where < 3 && dice_.chance(50));
      if (in_first.back()) first.push_back(name);
      if (in_second.back()) second.push_back(name);
      if (in_result.back()) result.push_back(name);
    }
    const bool narrows = dice_.chance(25);  // f32 is multiplied as bf16
    ElementType element = narrows ? ElementType::kF32 : dice_.chance(50) ? ElementType::kBf16 : any_element();
    made_.element = element;
    const auto factors = [&](const std::vector<std::string>& dims) {
      const std::string shape = fmt::format("[{}]", fmt::join(dims, ", "));
      if (element != ElementType::kI32)
        return fmt::format("random.uniform({}, low: -1, high: 2, {})", shape, name(element));
      const int64_t most = int64_t{1} << dice_.pick<int>({3, 10, 14});
      return fmt::format("random.integers({}, {}, {})", shape, -most, most);
    };
    input("x", factors(first));
    input("y", factors(second));
    if (narrows) made_.script.body += "precision bf16\n";
    body(fmt::format("einsum(x, y -> [{}])", fmt::join(result, ", ")));
    made_.ranges = [=](const Tensors& of) {
      int64_t results = 1;
      for (size_t d = 0; d < sizes.size(); ++d) results *= in_result[d] ? sizes[d] : 1;
      ExactSums sums(results, element, rounding_of(element));
      const auto factor = [&](const plan::HostTensor& tensor, int64_t at) {
        const double number = tensor.number(at);
        return narrows ? to_float(to_bf16(static_cast<float>(number))) : number;
      };
      std::vector<int64_t> index(sizes.size());
      const auto at = [&](const std::vector<bool>& has) {
        int64_t place = 0;
        for (size_t d = 0; d < sizes.size(); ++d)
          if (has[d]) place = place * sizes[d] + index[d];
        return place;
      };
      const auto used = [&](size_t d) { return in_first[d] || in_second[d] ? sizes[d] : 1; };
      for (index[0] = 0; index[0] < used(0); ++index[0])
        for (index[1] = 0; index[1] < used(1); ++index[1])
          for (index[2] = 0; index[2] < used(2); ++index[2])
            for (index[3] = 0; index[3] < used(3); ++index[3]) {
              const long double term = factor(of[0], at(in_first));
              sums.add(at(in_result), term * factor(of[1], at(in_second)));
            }
      return sums.ranges();
    };
  }

  void convolution() {
    const int64_t taps = dim("k", dice_.between(1, 4), false), length = dim("n", taps + dice_.between(0, 20)),
                  inputs = dim("c", dice_.between(1, 4)), outputs = dim("d", dice_.between(1, 3));
    const ElementType element = made_.element = dice_.chance(60) ? ElementType::kI32 : any_element();
    const auto factors = [&](const std::string& shape) {
      if (element != ElementType::kI32)
        return fmt::format("random.uniform({}, low: -1, high: 2, {})", shape, name(element));
      const int64_t most = int64_t{1} << dice_.pick<int>({3, 13, 16});
      return fmt::format("random.integers({}, {}, {})", shape, -most, most);
    };
    input("x", factors("[n, c]"));
    input("w", factors("[k, c, d]"));
    body("conv(x, w, n: k -> [n, d])");
    made_.ranges = [=](const Tensors& of) {
      const int64_t windows = length - taps + 1;
      ExactSums sums(windows * outputs, element, rounding_of(element));
      for (int64_t at = 0; at < windows; ++at)
        for (int64_t t = 0; t < taps; ++t)
          for (int64_t i = 0; i < inputs; ++i)
            for (int64_t o = 0; o < outputs; ++o)
              sums.add(at * outputs + o, static_cast<long double>(of[0].number((at + t) * inputs + i)) *
                                             of[1].number((t * inputs + i) * outputs + o));
      return sums.ranges();
    };
  }

  void pooling() {
    const int64_t length = dim("n", dice_.between(4, 30)), channels = dim("c", dice_.between(1, 4)),
                  taps = dice_.between(1, 4);
    const ElementType element = made_.element = dice_.chance(60) ? ElementType::kI32 : any_element();
    input("x", terms(element, "[n, c]"));
    body(fmt::format("max_pool(x, n: {})", taps));
    made_.ranges = [=](const Tensors& of) -> Ranges {
      std::vector<NumberRange> found;
      for (int64_t window = 0; window < length / taps; ++window)
        for (int64_t c = 0; c < channels; ++c) {
          double most = of[0].number(window * taps * channels + c);
          for (int64_t t = 1; t < taps; ++t) most = std::max(most, of[0].number((window * taps + t) * channels + c));
          found.push_back({most, most});
        }
      return found;
    };
  }

  void uniform() {
    const int64_t count = dim("a", dice_.between(500, 3000));
    const ElementType element = made_.element =
        dice_.pick<ElementType>({ElementType::kF32, ElementType::kF64, ElementType::kBf16, ElementType::kBf16});
    const double low = 0.25 * static_cast<double>(dice_.between(-9, 9)),
                 high = low + 0.25 * static_cast<double>(dice_.between(1, 9));
    body(fmt::format("random.uniform([a], low: {}, high: {}, {})", low, high, name(element)));
    made_.ranges = [=](const Tensors&) -> Ranges {
      return std::vector<NumberRange>(static_cast<size_t>(count), {low, std::nextafter(high, low)});
    };
  }

  // ---- quotients ----------------------------------------------------------------------------------------------------
  /// The range of a % b or a // b. The quotient is rounded down before anything is rounded to the type.
  static NumberRange range_of_quotient(double a, double b, bool is_rest, ElementType element) {
    const bool is_integer = element == ElementType::kI32;
    long double rest = std::fmod(a, b);  // without an error
    if (rest != 0 && (rest < 0) != (b < 0)) rest += b;
    if (!is_rest) {
      const auto floor = static_cast<double>(std::round((a - rest) / b));
      const double digits = is_integer                                 ? 0
                            : std::abs(floor) * epsilon(element) > 0.5 ? std::abs(floor) * epsilon(element)
                                                                       : 0;
      return {floor - digits, floor + digits};
    }
    const auto value = static_cast<double>(rest);
    const double distance = is_integer ? 0 : epsilon(element) * std::abs(b);
    // The rest has the sign of b and is smaller.
    const double below = is_integer ? value : std::nextafter(b, 0.0);
    if (b > 0) return {std::max(0.0, value - distance), std::min(below, value + distance)};
    return {std::max(below, value - distance), std::min(is_integer ? value : 0.0, value + distance)};
  }

  void quotient() {
    const int64_t count = dim("a", dice_.between(1, 60));
    const ElementType element = made_.element = any_element();
    const bool is_rest = dice_.chance(60);
    const std::string type(name(element));
    const bool is_integer = element == ElementType::kI32;
    const auto operand = [&](int64_t digits) {
      if (is_integer) return fmt::format("random.integers([a], {}, {})", -(int64_t{1} << digits), int64_t{1} << digits);
      return fmt::format(
          "cast(random.uniform([a], low: -1, high: 1, f64) * exp(random.uniform([a], low: {}, high: {}, f64)), {})",
          -digits, digits, type);
    };
    input("x", operand(dice_.pick<int>({2, 10, 30})));
    if (is_integer)
      input("y", fmt::format("random.integers([a], 1, {}) * {}", int64_t{1} << dice_.pick<int>({2, 20}),
                             dice_.pick<int>({-1, 1})));
    else if (dice_.chance(30)) input("y", fmt::format("fill([a], 0.1, {})", type));
    else input("y", operand(dice_.pick<int>({1, 10, 30})));
    body(is_rest ? "x % y" : "x // y");
    made_.ranges = [=](const Tensors& of) -> Ranges {
      std::vector<NumberRange> found;
      for (int64_t i = 0; i < count; ++i)
        found.push_back(range_of_quotient(of[0].number(i), of[1].number(i), is_rest, element));
      return found;
    };
  }

  /// Numbers of the host are divided as tensors of f64 are.
  void host_quotient() {
    made_.element = ElementType::kF64;
    const bool is_rest = dice_.chance(60);
    const auto operand = [&](int64_t digits) {
      const double number = std::ldexp(static_cast<double>(dice_.between(1, 999999)) / 1000,
                                       static_cast<int>(dice_.between(-digits, digits)));
      return dice_.chance(50) ? -number : number;
    };
    const double a = operand(dice_.pick<int>({0, 20, 100})), b = operand(dice_.pick<int>({0, 20, 100}));
    body(fmt::format("fill([], ({}) {} ({}), f64)", a, is_rest ? "%" : "//", b));
    made_.ranges = [=](const Tensors&) -> Ranges {
      return std::vector<NumberRange>{range_of_quotient(a, b, is_rest, ElementType::kF64)};
    };
  }

  Dice dice_;
  RandomArithmetic made_;
};

}  // namespace

RandomArithmetic random_arithmetic(uint64_t seed) { return ArithmeticDrawer(seed).draw(); }

}  // namespace mtf::properties
