// Where a tensor is not finite, for `--check-finite`.
#include <limits>
#include <mutex>

#include "graph/region.h"
#include "ops/blocks.h"
#include "ops/first_not_finite.h"
#include "ops/record.h"

namespace mtf::ops {
namespace {

constexpr double kNowhere = std::numeric_limits<double>::infinity();

/// NaN, inf, -inf: what stands at a position is a number beside the number of the position.
constexpr int64_t kNan = 0, kPlusInfinity = 1, kMinusInfinity = 2, kFounds = 3;

template <typename T>
double code_of(T number, int64_t position) {
  return static_cast<double>(position * kFounds + (std::isnan(number) ? kNan
                                                   : number > 0       ? kPlusInfinity
                                                                      : kMinusInfinity));
}

/// A walk through rows of the block; the elements of a row are those along `row`, the dim with the smallest stride.
void first_not_finite_kernel(graph::KernelCall& call) {
  const kernels::Block& x = call.operands[0];
  size_t row = x.dims.size();
  for (size_t d = 0; d < x.dims.size(); ++d)
    if (x.dims[d].size > 1 && (row == x.dims.size() || x.dims[d].stride < x.dims[row].stride)) row = d;
  Walk<2> walk;  // x, the number of the position in the whole tensor
  int64_t origin = 0, row_apart = 0;
  int64_t below = 1;
  std::vector<int64_t> apart(x.dims.size());
  for (size_t d = x.dims.size(); d-- > 0;) {
    apart[d] = below;
    below *= x.dims[d].whole;
    origin += x.dims[d].first * apart[d];
  }
  for (size_t d = 0; d < x.dims.size(); ++d) {
    if (d == row) row_apart = apart[d];
    else walk.add(x.dims[d].size, {x.dims[d].stride, apart[d]});
  }
  const int64_t count = row < x.dims.size() ? x.dims[row].size : 1;
  const int64_t stride = row < x.dims.size() ? x.dims[row].stride : 0;
  double first = kNowhere;
  std::mutex guard;
  by_element(x.element, [&](auto zero) {
    using T = decltype(zero);
    if constexpr (std::is_floating_point_v<Number<T>>) {
      for_each_position(call.threads, walk, count, [&](const Walk<2>& at) {
        const T* const begin = x.as<T>() + at.offset(0);
        Number<T> sum = 0;  // of zeros, where all are finite
        for (int64_t i = 0; i < count; ++i) sum += to_number(begin[i * stride]) * 0;
        if (sum == 0) return;
        for (int64_t i = 0; i < count; ++i) {
          const auto number = to_number(begin[i * stride]);
          if (std::isfinite(number)) continue;
          const double found = code_of(number, origin + at.offset(1) + i * row_apart);
          const std::lock_guard lock(guard);
          first = std::min(first, found);
          return;
        }
      });
    }
  });
  call.results[0].as<double>()[0] = first;
}

}  // namespace

std::optional<NotFinite> not_finite(double code, const Dims& dims) {
  if (code == kNowhere) return std::nullopt;
  NotFinite found;
  int64_t position = static_cast<int64_t>(code) / kFounds;
  const int64_t what = static_cast<int64_t>(code) % kFounds;
  found.number = what == kNan ? std::numeric_limits<double>::quiet_NaN() : what == kPlusInfinity ? kNowhere : -kNowhere;
  found.position.resize(dims.size());
  for (size_t d = dims.size(); d-- > 0;) {
    found.position[d] = position % dims[d].size;
    position /= dims[d].size;
  }
  return found;
}

bool is_of_iterations(const graph::LaidOutOperation& operation, int result) {
  if (!operation.region) return false;
  const graph::Region& region = *operation.region;
  if (result < region.carried || result >= region.carried + region.stacked) return false;
  const graph::ProgramValue root = region.iteration.roots[result];
  if (root.is_input()) return false;
  const graph::LaidOutOperation& made_by = region.iteration.maker(root);
  return made_by.op == &kFirstNotFinite || is_of_iterations(made_by, root.result);
}

bool is_looked_at(const graph::LaidOutOperation& operation, int result) {
  if (!is_float(operation.results[result].element) || operation.op == &kFirstNotFinite) return false;
  if (const auto& region = operation.region) {
    const int32_t behind_stacked = region->carried + region->stacked;
    const bool is_saved = result >= behind_stacked - region->saved && result < behind_stacked;
    return !is_saved && !is_of_iterations(operation, result);
  }
  switch (operation.op->role) {
    case graph::Role::kNumber:
    case graph::Role::kData:
    case graph::Role::kView:
    case graph::Role::kReshape:
    case graph::Role::kRepeat: return false;
    default: return true;
  }
}

constexpr graph::Op kFirstNotFinite = complete({
    .name = "first_not_finite",
    .family = "Reductions",
    .doc = "Where the first element stands that is NaN or infinite, and which of them it is, as one number; infinity "
           "where all are finite. What `--check-finite` asks of each value.",
    .infer = [](const graph::Operation&) -> std::vector<TensorType> {
      return {{ElementType::kF64, {}}};
    },
    .space = [](const graph::Operation& operation) -> graph::IterationSpace {
      return reduction_space(operation, kernels::Reduction::kMin);
    },
    .kernel = first_not_finite_kernel,
    .no_gradient = "a place does not change smoothly",
});

}  // namespace mtf::ops
