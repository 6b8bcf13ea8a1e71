#include "spmd/sum_in_factors.h"

#include <algorithm>

#include "ops/contract.h"
#include "ops/ops.h"

namespace mtf::spmd {
namespace {

using graph::Value;
using graph::Values;

/// A dim of the result in two factors.
struct Factors {
  Dim dim;
  AxisList outer;  ///< the axes over which the sum is partial
  AxisList inner;  ///< the axes over which the operands hold replicas
};

std::optional<Factors> factors_of(const graph::LaidOutOperation& sum, const std::vector<ExpandedOperand>& operands) {
  const Dims& dims = sum.results[0].dims;
  AxisSet summed = 0, split = 0;
  const auto is_split = [&](const Dim& dim) {
    for (size_t k = 0; k < operands.size(); ++k)
      if (const int at = find_dim(sum.operands[k].dims, dim.name); at >= 0)
        if (!operands[k].sharding.dims[static_cast<size_t>(at)].empty()) return true;
    return false;
  };
  for (size_t k = 0; k < operands.size(); ++k)
    for (size_t d = 0; d < sum.operands[k].dims.size(); ++d) {
      const AxisSet axes = operands[k].sharding.dims[d].set();
      split |= axes;
      if (!has_dim(dims, sum.operands[k].dims[d].name)) summed |= axes;
    }
  for (size_t d = 0; d < dims.size(); ++d) {
    Factors factors{dims[d], {}, {}};
    for (const int axis : sum.shardings[0].dims[d]) {
      const bool is_outer = factors.inner.empty() && (summed & axis_bit(axis));
      (is_outer ? factors.outer : factors.inner).push_back(axis);
    }
    const AxisSet all = factors.outer.set() | factors.inner.set();
    if (!factors.outer.empty() && !factors.inner.empty() && !(factors.inner.set() & split) && !is_split(dims[d]) &&
        dims[d].size % sum.mesh->group_size(all) == 0)
      return factors;
  }
  return std::nullopt;
}

/// Builds the sum over operands with the two factors in the place of the dim.
class SumInFactors {
 public:
  SumInFactors(const graph::LaidOutOperation& sum, const Factors& factors, ops::Builder& builder)
      : sum_(sum), factors_(factors), builder_(builder) {
    NewDims dims(sum);
    const int64_t parts = sum.mesh->group_size(factors.outer.set());
    outer_ = dims.named_like(factors.dim, parts);
    inner_ = dims.named_like(factors.dim, factors.dim.size / parts);
  }

  Value add(const Values& operands) const {
    Values cut;
    for (const Value& operand : operands)
      cut.push_back(has_dim(operand.dims(), factors_.dim.name) ? in_factors(operand, operand.sharding(), {}) : operand);
    const Dims dims = in_factors(sum_.results[0].dims);
    const Value sum =
        sum_.op == &ops::kEinsum ? product(std::move(cut), dims) : builder_.reduce(*sum_.op, cut[0], dims);
    const Value whole =
        builder_.laid_out(sum, {in_factors(sum_.results[0].dims, sum_.shardings[0], factors_.outer), 0, sum_.mesh});
    return builder_.reshape(whole, sum_.results[0].dims, {sum_.shardings[0], sum_.inherited[0], sum_.mesh});
  }

 private:
  Dims in_factors(const Dims& dims) const {
    Dims cut;
    for (const Dim& dim : dims) {
      if (dim.name == factors_.dim.name) cut.insert(cut.end(), {outer_, inner_});
      else cut.push_back(dim);
    }
    return cut;
  }
  Sharding in_factors(const Dims& dims, const Sharding& sharding, const AxisList& outer) const {
    Sharding cut;
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims[d].name == factors_.dim.name) cut.dims.insert(cut.dims.end(), {outer, factors_.inner});
      else cut.dims.push_back(sharding.dims[d]);
    }
    return cut;
  }
  Value in_factors(const Value& operand, const Sharding& sharding, const AxisList& outer) const {
    return builder_.reshape(operand, in_factors(operand.dims()),
                            {in_factors(operand.dims(), sharding, outer), 0, sum_.mesh});
  }
  Value product(Values operands, const Dims& dims) const {
    auto attributes = sum_.attributes.get<ops::EinsumAttributes>();
    attributes.result = names_of(dims);
    return builder_.add(ops::kEinsum, std::move(operands), std::move(attributes));
  }

  const graph::LaidOutOperation& sum_;
  const Factors& factors_;
  ops::Builder& builder_;
  Dim outer_, inner_;
};

}  // namespace

bool may_have_factors(const graph::LaidOutOperation& operation) {
  if ((operation.op != &ops::kEinsum && operation.op != &ops::kSum) || !operation.mesh) return false;
  const std::vector<AxisList>& dims = operation.shardings[0].dims;
  return std::any_of(dims.begin(), dims.end(), [](const AxisList& axes) { return axes.size() > 1; });
}

std::optional<graph::Program> sum_in_factors(const graph::LaidOutOperation& sum,
                                             const std::vector<ExpandedOperand>& operands) {
  const std::optional<Factors> factors = factors_of(sum, operands);
  if (!factors) return std::nullopt;
  return stand_in_for(sum, operands, [&](ops::Builder& builder, const Values& given) {
    return Values{SumInFactors(sum, *factors, builder).add(given)};
  });
}

}  // namespace mtf::spmd
