// The gradient of a product. It is right where elements are 0, as is every further derivative.
//
// Along a dim, with operands of one type, prod_rest(x, g1, …, gm) is
//   y_k = sum over distinct i1, …, im, all other than k, of g1_i1 … gm_im times the product of the x_j of all other j.
// Without any g it is the product of the other elements. With a gradient h of y, the gradient of x is prod_rest(x, g1,
// …, gm, h), and the gradient of ga is prod_rest(x, the other g, h). There is no division, and no special case for 0.
//
// If the dim is sharded and there is no g, the product has two factors: the other elements of the block, and the
// product of the other blocks:
//
//                processor 0      processor 1
//   x            2 3              5 7
//   block_product 6               35
//   prod_rest    35               6
//   block_prod_rest 3*35 2*35     7*6 5*6
#include "ops/prod_rest.h"

#include "ops/blocks.h"
#include "ops/record.h"

namespace mtf::ops {
namespace {

struct ProdRestAttributes {
  Name over;
  bool whole = false;  ///< must not be expanded again
  static constexpr auto members() {
    return std::array{graph::member<&ProdRestAttributes::over>("over"),
                      graph::member<&ProdRestAttributes::whole>("whole")};
  }
};

/// A walk over all dims of `x` except one, with the strides of each of `blocks`.
template <int N>
Walk<N> across(const kernels::Block& x, int dim, const std::array<const kernels::Block*, N>& blocks) {
  Walk<N> walk;
  for (size_t d = 0; d < x.dims.size(); ++d) {
    if (static_cast<int>(d) == dim) continue;
    std::array<int64_t, N> strides;
    for (int k = 0; k < N; ++k) strides[k] = blocks[k]->dims[d].stride;
    walk.add(x.dims[d].size, strides);
  }
  return walk;
}

/// The product of two factors, of which one contains a g. A factor of 0 gives 0, also if the other is infinite or NaN.
double part(double a, double b) { return a == 0 || b == 0 ? 0 : a * b; }

/// The product of (x_j + g1_j t1 + … + gm_j tm) over some j. Holds the coefficient of each product of distinct t,
/// indexed by the set of their numbers. A g of 0 adds nothing, also if an x is infinite or NaN.
class Polynomial {
 public:
  explicit Polynomial(size_t variables) : coefficients_(size_t{1} << variables, 0.0) { coefficients_[0] = 1; }

  /// Multiplies by (x + g1 t1 + …). `factor` holds x, g1, …
  void multiply(const double* factor) {
    for (size_t set = coefficients_.size(); set-- > 0;) {
      double sum = set == 0 ? coefficients_[0] * factor[0] : part(coefficients_[set], factor[0]);
      for (size_t k = 0; size_t{1} << k < coefficients_.size(); ++k)
        if (set >> k & 1) sum += part(coefficients_[set ^ size_t{1} << k], factor[k + 1]);
      coefficients_[set] = sum;
    }
  }
  double operator[](size_t set) const { return coefficients_[set]; }
  size_t sets() const { return coefficients_.size(); }

 private:
  std::vector<double> coefficients_;
};

/// The elements of one line (x, g1, … of each position are adjacent), and the intermediate and final results.
struct Line {
  std::vector<double> factors, before, result;
};

void compute(Line& line, size_t count, size_t operands) {
  const size_t variables = operands - 1;
  Polynomial product(variables);
  const size_t sets = product.sets();
  line.before.resize(count * sets);
  line.result.resize(count);
  for (size_t i = 0; i < count; ++i) {
    for (size_t set = 0; set < sets; ++set) line.before[i * sets + set] = product[set];
    product.multiply(&line.factors[i * operands]);
  }
  product = Polynomial(variables);
  for (size_t i = count; i-- > 0;) {
    double sum = 0;
    for (size_t set = 0; set < sets; ++set) {
      const double before = line.before[i * sets + set], behind = product[sets - 1 - set];
      sum += variables == 0 ? before * behind : part(before, behind);
    }
    line.result[i] = sum;
    product.multiply(&line.factors[i * operands]);
  }
}

void prod_rest_kernel(graph::KernelCall& call) {
  const kernels::Block& x = call.operands[0];
  const kernels::Block& y = call.results[0];
  const int dim = dim_of<ProdRestAttributes>(call.operation);
  const auto count = static_cast<size_t>(x.dims[dim].size);
  const size_t operands = call.operands.size();
  call.flops += x.size();
  by_element(x.element, [&](auto zero) {
    using T = decltype(zero);
    for_each_position(call.threads, across<1>(x, dim, {&y}), x.dims[dim].size, [&](const Walk<1>& at) {
      Line line;
      line.factors.resize(count * operands);
      for (size_t k = 0; k < operands; ++k) {
        const kernels::Block& from = call.operands[k];
        const T* source = from.as<T>();
        size_t other = 0;
        for (size_t d = 0; d < from.dims.size(); ++d)
          if (static_cast<int>(d) != dim) source += at.position(other++) * from.dims[d].stride;
        for (size_t i = 0; i < count; ++i)
          line.factors[i * operands + k] = to_number(source[static_cast<int64_t>(i) * from.dims[dim].stride]);
      }
      compute(line, count, operands);
      for (size_t i = 0; i < count; ++i)
        y.as<T>()[at.offset(0) + static_cast<int64_t>(i) * y.dims[dim].stride] =
            from_number<T>(static_cast<Number<T>>(line.result[i]));
    });
  });
}

void block_product_kernel(graph::KernelCall& call) {
  const kernels::Block& x = call.operands[0];
  const kernels::Block& total = call.results[0];
  const int dim = dim_of<BlocksAttributes>(call.operation);
  MTF_CHECK(total.dims[dim].size <= 1, "a product of {} blocks", total.dims[dim].size);
  if (total.size() == 0) return;
  by_element(x.element, [&](auto zero) {
    using T = decltype(zero);
    for_each_position(call.threads, across<2>(x, dim, {&x, &total}), x.dims[dim].size, [&](const Walk<2>& at) {
      double product = 1;
      for (int64_t i = 0; i < x.dims[dim].size; ++i)
        product *= to_number(x.as<T>()[at.offset(0) + i * x.dims[dim].stride]);
      total.as<Number<T>>()[at.offset(1)] = static_cast<Number<T>>(product);
    });
  });
}

void block_prod_rest_kernel(graph::KernelCall& call) {
  const kernels::Block& x = call.operands[0];
  const kernels::Block& others = call.operands[1];
  const kernels::Block& y = call.results[0];
  const int dim = dim_of<OverAttributes>(call.operation);
  const auto count = static_cast<size_t>(x.dims[dim].size);
  call.flops += x.size();
  if (y.size() == 0) return;
  by_element(x.element, [&](auto zero) {
    using T = decltype(zero);
    for_each_position(call.threads, across<3>(x, dim, {&x, &others, &y}), x.dims[dim].size, [&](const Walk<3>& at) {
      Line line;
      for (size_t i = 0; i < count; ++i)
        line.factors.push_back(to_number(x.as<T>()[at.offset(0) + static_cast<int64_t>(i) * x.dims[dim].stride]));
      compute(line, count, 1);
      const double rest = others.as<Number<T>>()[at.offset(1)];
      for (size_t i = 0; i < count; ++i)
        y.as<T>()[at.offset(2) + static_cast<int64_t>(i) * y.dims[dim].stride] =
            from_number<T>(static_cast<Number<T>>(line.result[i] * rest));
    });
  });
}

graph::Values expand_prod_rest(graph::ExpandCall& call) {
  Builder& builder = call.builder;
  const graph::Value& x = call.operands[0];
  const Name over = call.operation.attributes.get<ProdRestAttributes>().over;
  const Dim blocks{over.followed_by(".blocks"), call.blocks};
  const graph::Value totals = builder.add(kBlockProduct, {x}, BlocksAttributes{over, blocks});
  const graph::Value others = builder.add(kProdRest, {totals}, ProdRestAttributes{.over = blocks.name, .whole = true});
  return {builder.add(kBlockProdRest, {x, others}, OverAttributes{over})};
}

}  // namespace

graph::Value prod_rest(Builder& builder, const graph::Value& x, const Dims& over) {
  MTF_CHECK(!over.empty(), "a product over no dims");
  const Dim& last = over.back();
  const graph::Value inner = builder.add(kProdRest, {x}, ProdRestAttributes{.over = last.name});
  if (over.size() == 1) return inner;
  // Over the last dim, then over the other dims of the products along the last.
  const graph::Value products = builder.reduce(kProd, x, remaining(x.dims(), {last}));
  const graph::Value outer = prod_rest(builder, products, Dims(over.begin(), over.end() - 1));
  return builder.map(kMul, inner, outer);
}

constexpr graph::Op kProdRest = complete(
    {.name = "prod_rest",
     .family = "Reductions",
     .doc = "For each element the product of the others along a dimension; with more operands, sums of products in "
            "which each of them "
            "stands once. The gradient of `prod`.",
     .attributes = &graph::kFormOf<ProdRestAttributes>,
     .infer = [](const graph::Operation& operation) -> std::vector<TensorType> { return {operation.operands[0]}; },
     .space =
         [](const graph::Operation& operation) {
           const bool whole = operation.operands.size() > 1 || operation.attributes.get<ProdRestAttributes>().whole;
           return space_by_position(operation, dim_of<ProdRestAttributes>(operation),
                                    whole ? graph::SplitKind::kWhole : graph::SplitKind::kExpand);
         },
     .kernel = prod_rest_kernel,
     .expand = expand_prod_rest,
     .work = graph::Work::kPerOperand,
     .gradient = [](graph::GradientCall& call) -> graph::Values {
       graph::Values gradients;
       for (size_t k = 0; k < call.operands.size(); ++k) {
         graph::Values operands = call.operands;
         if (k > 0) operands.erase(operands.begin() + static_cast<std::ptrdiff_t>(k));
         operands.push_back(call.d_results[0]);
         const ProdRestAttributes along{.over = call.operation.attributes.get<ProdRestAttributes>().over};
         gradients.push_back(call.wants(k) ? call.builder.add(kProdRest, std::move(operands), along) : graph::Value());
       }
       return gradients;
     }});

constexpr graph::Op kBlockProduct = complete(
    {.name = "block_product",
     .family = "Reductions",
     .doc = "Of prod_rest over a split dimension: the product of each block.",
     .attributes = &graph::kFormOf<BlocksAttributes>,
     .infer = infer_of_blocks,
     .space =
         [](const graph::Operation& operation) { return space_by_position(operation, -1, graph::SplitKind::kFree); },
     .kernel = block_product_kernel,
     .no_gradient = "it stands for a part of a gradient, after gradients are made"});

constexpr graph::Op kBlockProdRest = complete(
    {.name = "block_prod_rest",
     .family = "Reductions",
     .doc = "Of prod_rest over a split dimension: for each element the product of the others in its block and of the "
            "other blocks.",
     .attributes = &graph::kFormOf<OverAttributes>,
     .infer = [](const graph::Operation& operation) -> std::vector<TensorType> { return {operation.operands[0]}; },
     .space =
         [](const graph::Operation& operation) { return space_by_position(operation, -1, graph::SplitKind::kFree); },
     .kernel = block_prod_rest_kernel,
     .work = graph::Work::kPerOperand,
     .no_gradient = "it stands for a part of a gradient, after gradients are made"});

}  // namespace mtf::ops
