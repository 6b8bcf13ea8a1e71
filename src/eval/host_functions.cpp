#include "eval/host_functions.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <vector>

#include "graph/op.h"

namespace mtf {
namespace {

/// Element-wise functions of numbers of the host.
std::optional<double> host_function(std::string_view name, const std::vector<double>& x) {
  if (x.size() == 1) {
    const double a = x[0];
    if (name == "sqrt") return std::sqrt(a);
    if (name == "rsqrt") return 1 / std::sqrt(a);
    if (name == "exp") return std::exp(a);
    if (name == "log") return std::log(a);
    if (name == "sin") return std::sin(a);
    if (name == "cos") return std::cos(a);
    if (name == "tanh") return std::tanh(a);
    if (name == "abs") return std::abs(a);
    if (name == "floor") return std::floor(a);
    if (name == "round") return std::nearbyint(a);
    if (name == "square") return a * a;
    if (name == "reciprocal") return 1 / a;
    if (name == "sign") return a > 0 ? 1 : a < 0 ? -1 : 0;
  }
  if (x.size() == 2) {
    if (name == "minimum") return std::min(x[0], x[1]);
    if (name == "maximum") return std::max(x[0], x[1]);
  }
  return std::nullopt;
}

bool keeps_ints(std::string_view name) {
  return name == "abs" || name == "floor" || name == "round" || name == "square" || name == "sign" || name == "minimum" || name == "maximum";
}

}  // namespace

std::optional<HostValue> on_the_host(const Op& op, const Arguments& arguments) {
  if (arguments.items.empty() || arguments.items.size() > 2) return std::nullopt;
  std::vector<double> numbers;
  bool ints = true, any_unknown = false;
  for (const GivenArgument& item : arguments.items) {
    if (!item.label.empty() || item.has_target) return std::nullopt;
    if (item.value.is_unknown() && unknown_kind(item.value) != UnknownKind::kAny && is_number(item.value)) {
      any_unknown = true;
      numbers.push_back(1);
      ints = ints && unknown_kind(item.value) == UnknownKind::kInt;
      continue;
    }
    auto number = number_of(item.value);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    ints = ints && !item.value.is<double>();
  }
  auto result = host_function(op.name, numbers);
  if (!result) return std::nullopt;
  ints = ints && keeps_ints(op.name);
  if (any_unknown) return unknown(ints ? UnknownKind::kInt : UnknownKind::kFloat);
  if (ints) return HostValue(static_cast<int64_t>(*result));
  return HostValue(*result);
}

}  // namespace mtf
