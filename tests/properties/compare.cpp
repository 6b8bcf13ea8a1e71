#include "compare.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "graph/op.h"

namespace mtf::properties {
namespace {

bool adds_up(const graph::Operation& operation) {
  const graph::Op& op = *operation.op;
  if (op.lane || op.is_leaf() || op.role == graph::Role::kView) return false;
  if (op.reduction) return *op.reduction == kernels::Reduction::kSum || *op.reduction == kernels::Reduction::kProd;
  for (const graph::IterationDim& dim : op.space(operation).dims) {
    if (dim.kind == graph::SplitKind::kScan || dim.kind == graph::SplitKind::kExpand) return true;
    if (dim.kind == graph::SplitKind::kReduce &&
        (dim.reduce == kernels::Reduction::kSum || dim.reduce == kernels::Reduction::kProd))
      return true;
  }
  return false;
}

std::string place_of(int64_t index, const Dims& dims) {
  std::string text;
  for (size_t d = dims.size(); d-- > 0;) {
    text = fmt::format("{}{}: {}", d ? ", " : "", dims[d].name.str(), index % dims[d].size) + text;
    index /= dims[d].size;
  }
  return "[" + text + "]";
}

}  // namespace

double epsilon(ElementType element) {
  switch (element) {
    case ElementType::kBf16: return std::ldexp(1, -7);
    case ElementType::kF32: return std::ldexp(1, -23);
    case ElementType::kF64: return std::ldexp(1, -52);
    default: return 0;
  }
}

double largest(const plan::HostTensor& tensor) {
  double result = 0;
  for (int64_t i = 0; i < size_of(tensor.type.dims); ++i)
    if (std::isfinite(tensor.number(i))) result = std::max(result, std::abs(tensor.number(i)));
  return result;
}

Tolerance expected_of(const graph::Values& values, int64_t terms) {
  bool moved = true, added = false;
  double coarsest = 0;
  for (const graph::NodePtr& node : pending(values)) {
    const graph::Op& op = *node->operation->op;
    bool floats = false;
    for (const TensorType& type : node->operation->results) {
      floats = floats || is_float(type.element);
      coarsest = std::max(coarsest, epsilon(type.element));
    }
    moved = moved && (op.lane || op.work == graph::Work::kNone);
    added = added || (floats && adds_up(*node->operation));
  }
  if (added) return {Tolerance::Kind::kRelative, 16 * coarsest * std::sqrt(static_cast<double>(terms))};
  return {moved ? Tolerance::Kind::kBits : Tolerance::Kind::kNumbers, 0};
}

std::string tensor_difference(const plan::HostTensor& expected, const plan::HostTensor& found,
                              const Tolerance& tolerance) {
  if (!(expected.type == found.type))
    return fmt::format("is {}, expected {}", to_string(found.type), to_string(expected.type));
  const int64_t width = size_of(expected.type.element);
  double distance = 0;
  if (is_float(expected.type.element)) {
    if (tolerance.kind == Tolerance::Kind::kRelative) distance = tolerance.distance * (1 + largest(expected));
    if (tolerance.kind == Tolerance::Kind::kDistance) distance = tolerance.distance;
  }
  int64_t wrong = 0, first = -1;
  for (int64_t i = 0; i < size_of(expected.type.dims); ++i) {
    const double a = expected.number(i), b = found.number(i);
    bool same = false;
    if (tolerance.kind == Tolerance::Kind::kBits)
      same = std::memcmp(expected.bytes.data() + i * width, found.bytes.data() + i * width, width) == 0;
    else same = a == b || (std::isnan(a) && std::isnan(b)) || std::abs(a - b) <= distance;
    if (same) continue;
    if (wrong++ == 0) first = i;
  }
  if (wrong == 0) return {};
  return fmt::format("{}: found {:.9g}, expected {:.9g}{}; {} of {} elements differ",
                     place_of(first, expected.type.dims), found.number(first), expected.number(first),
                     distance > 0 ? fmt::format(" ± {:.2g}", distance) : "", wrong, size_of(expected.type.dims));
}

std::string counter_difference(const plan::Counters& expected, const plan::Counters& found, bool peak) {
  std::string text;
  auto compare = [&](std::string_view what, int64_t a, int64_t b) {
    if (a != b) text += fmt::format("  {}: predicted {}, measured {}\n", what, a, b);
  };
  compare("flops", expected.flops, found.flops);
  compare("unique_flops", expected.unique_flops, found.unique_flops);
  if (peak) compare("peak_bytes", expected.peak_bytes, found.peak_bytes);
  for (int k = 0; k < spmd::kCollectiveKinds; ++k) {
    std::map<std::vector<Name>, std::pair<plan::CollectiveCount, plan::CollectiveCount>> axes;
    for (const auto& [name, count] : expected.collectives[k]) axes[name].first = count;
    for (const auto& [name, count] : found.collectives[k]) axes[name].second = count;
    for (const auto& [name, counts] : axes) {
      const std::string what =
          fmt::format("{} over {}: ", spmd::name(static_cast<spmd::CollectiveKind>(k)), axes_text(name));
      compare(what + "count", counts.first.count, counts.second.count);
      compare(what + "calls", counts.first.calls, counts.second.calls);
      compare(what + "values", counts.first.values, counts.second.values);
      compare(what + "bytes", counts.first.bytes, counts.second.bytes);
      compare(what + "wire_bytes", counts.first.wire_bytes, counts.second.wire_bytes);
    }
  }
  return text;
}

}  // namespace mtf::properties
