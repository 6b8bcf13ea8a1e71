// einsum: the record. The kernel is in contract_kernel.cpp, the order of products of many operands in
// pair_by_flops.cpp.
#include "ops/contract.h"

#include <algorithm>
#include <unordered_map>

#include "ops/record.h"

namespace mtf::ops {

Product product_in_force(const graph::Context& context, ElementType element) {
  if (context.precision == graph::Precision::kBf16) return Product::kAsBf16;
  return context.precision == graph::Precision::kMixed && element == ElementType::kBf16 ? Product::kRounded
                                                                                        : Product::kPlain;
}

Product gradient_product(Product product, const graph::Value& operand) {
  if (gradient_element(operand) != operand.element()) return Product::kWide;
  if (product == Product::kIntegers) return Product::kPlain;
  return product == Product::kWide ? Product::kRounded : product;
}

Names einsum_labels(const graph::Operation& operation) {
  Names labels = operation.attributes.get<EinsumAttributes>().result;
  for (const TensorType& operand : operation.operands)
    for (const Dim& dim : operand.dims)
      if (std::find(labels.begin(), labels.end(), dim.name) == labels.end()) labels.push_back(dim.name);
  return labels;
}

namespace {

Product product_of(const graph::Operation& operation) { return operation.attributes.get<EinsumAttributes>().product; }

graph::Value contract(Builder& b, const graph::Values& operands, const Dims& result, Product product,
                      bool skips_zeros = false) {
  return b.add(kEinsum, operands, EinsumAttributes{product, names_of(result), skips_zeros});
}

std::vector<Dims> dims_of(const graph::Values& values) {
  std::vector<Dims> dims;
  for (const graph::Value& value : values) dims.push_back(value.dims());
  return dims;
}

/// Multiplies pairs until two operands are left. The intermediate products are marked as not written by the program.
void multiply_pairs(Builder& b, graph::Values& operands, const Dims& result, Product product) {
  const bool written = b.written;
  b.written = false;
  std::unordered_map<Name, int> uses;  // of each dim: in the result and the remaining tensors
  const auto count = [&](const Dims& dims, int by) {
    for (const Dim& dim : dims) uses[dim.name] += by;
  };
  count(result, 1);
  for (const graph::Value& operand : operands) count(operand.dims(), 1);
  const auto pairs = pair_by_flops(dims_of(operands), result);
  for (size_t step = 0; step + 1 < pairs.size(); ++step) {
    const auto [i, j] = pairs[step];
    count(operands[i].dims(), -1);
    count(operands[j].dims(), -1);
    const Dims dims = product_dims(operands[i].dims(), operands[j].dims(), [&](Name dim) { return uses[dim] > 0; });
    operands.push_back(contract(b, {operands[i], operands[j]}, dims, product));
    count(dims, 1);
  }
  b.written = written;
  operands = {operands[pairs.back().first], operands[pairs.back().second]};
}

/// True if an operand is a variable with a bf16 copy. The product may read the copy instead, which is rounded already.
bool has_narrow_copy(Builder& b, const graph::Values& operands) {
  if (operands.size() != 2) return false;
  const bool first = static_cast<bool>(b.narrowed(operands[0]));
  return static_cast<bool>(b.narrowed(operands[1])) || first;
}

graph::Values build_einsum(Call& call) {
  Builder& b = call.builder;
  graph::Values operands = tensor_arguments(call);
  if (!call.arrow)
    fail(Diagnostic(Kind::missing_argument, call.span, "einsum needs the dimensions of its result")
             .help("write them behind an arrow: einsum(x, y -> [a, b])"));
  check_sizes(call, operands);
  check_arrow(call, operands);
  const ElementType element = used_element(b, number_element(common_element(b, operands)));
  operands = as_element(b, operands, added_element(element), call.span);
  Product product = element == ElementType::kI32 ? Product::kIntegers : product_in_force(b.context, element);
  if (operands.size() > 2) multiply_pairs(b, operands, *call.arrow, product);
  if (product == Product::kAsBf16 && has_narrow_copy(b, operands)) {
    for (graph::Value& operand : operands) operand = b.cast(operand, ElementType::kBf16);
    product = Product::kWide;
  }
  return {as_summed(b, contract(b, operands, *call.arrow, product), element)};
}

std::vector<TensorType> infer_einsum(const graph::Operation& operation) {
  const ElementType element = operation.operands[0].element;
  for (const TensorType& operand : operation.operands)
    MTF_CHECK(operand.element == element, "einsum of {} and {}", name(element), name(operand.element));
  return {{product_of(operation) == Product::kWide ? ElementType::kF32 : element,
           operand_dims(operation, operation.attributes.get<EinsumAttributes>().result)}};
}

graph::IterationSpace einsum_space(const graph::Operation& operation) {
  const Names labels = einsum_labels(operation);
  const size_t kept = operation.results[0].dims.size();
  graph::IterationSpace space;
  for (size_t i = 0; i < labels.size(); ++i) {
    graph::IterationDim entry;
    const bool summed = i >= kept;
    entry.kind = summed ? graph::SplitKind::kReduce : graph::SplitKind::kFree;
    entry.rounds_parts = product_of(operation) == Product::kRounded;
    for (const TensorType& operand : operation.operands)
      entry.operands.push_back(static_cast<int8_t>(find_dim(operand.dims, labels[i])));
    entry.results.push_back(static_cast<int8_t>(summed ? -1 : static_cast<int>(i)));
    space.dims.push_back(std::move(entry));
  }
  return space;
}

/// d times the other operand, summed to the dims of this operand, and repeated along the dims that only it has.
graph::Values einsum_gradient(graph::GradientCall& call) {
  Builder& b = call.builder;
  const graph::Values& operands = call.operands;
  graph::Values gradients(operands.size());
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!call.wants(i)) continue;
    graph::Value gradient = b.cast(call.d_results[0], operands[i].element());
    if (operands.size() == 2) {
      const graph::Value& other = operands[1 - i];
      Dims kept;
      for (const Dim& dim : operands[i].dims())
        if (has_dim(gradient.dims(), dim.name) || has_dim(other.dims(), dim.name)) kept.push_back(dim);
      gradient = contract(b, {gradient, other}, kept, gradient_product(product_of(call.operation), operands[i]),
                          call.operation.attributes.get<EinsumAttributes>().skips_zeros);
    }
    gradients[i] = b.broadcast(gradient, operands[i].dims());
  }
  return gradients;
}

/// The matrix dim of a dim of the result: rows (in the first operand only), columns (in the second only), or batch.
enum class Along : uint8_t { kRows, kColumns, kBatch };

Along along(const graph::Operation& operation, Name dim) {
  const bool first = has_dim(operation.operands[0].dims, dim), second = has_dim(operation.operands[1].dims, dim);
  return first && second ? Along::kBatch : first ? Along::kRows : Along::kColumns;
}

/// The result's dims of the kind `what`, in the order in which their operand stores them.
StorageOrder dims_along(const graph::Operation& operation, std::span<const StorageOrder> operands, Along what) {
  StorageOrder order;
  const size_t k = what == Along::kColumns ? 1 : 0;
  for (int8_t d : operands[k]) {
    const Name name = operation.operands[k].dims[d].name;
    const int position = find_dim(operation.results[0].dims, name);
    if (position >= 0 && along(operation, name) == what) order.push_back(static_cast<int8_t>(position));
  }
  return order;
}

/// True if a matrix product can write the declared order. The row dims must be adjacent, in the order of their operand,
/// and so must the column dims. One of the two groups must be innermost.
bool writes_as_declared(const graph::Operation& operation, const StorageOrder& rows, const StorageOrder& columns) {
  const Dims& result = operation.results[0].dims;
  auto together = [](const StorageOrder& group) {
    for (size_t i = 1; i < group.size(); ++i)
      if (group[i] != group[i - 1] + 1) return false;
    return true;
  };
  return !result.empty() && along(operation, result.back().name) != Along::kBatch && together(rows) &&
         together(columns);
}

/// The storage order in which a product writes its result fastest. If one operand stores its own dim innermost and the
/// other stores a summed dim innermost, the own dims are innermost in the result. If the order makes no difference, it
/// is the declared order, so that a gradient is stored like its parameter.
StorageOrder einsum_order(const graph::Operation& operation, std::span<const StorageOrder> operands) {
  const Dims& result = operation.results[0].dims;
  StorageOrder declared;
  for (size_t i = 0; i < result.size(); ++i) declared.push_back(static_cast<int8_t>(i));
  if (operation.operands.size() == 1) {
    StorageOrder order;
    for (int8_t d : operands[0])
      if (const int position = find_dim(result, operation.operands[0].dims[d].name); position >= 0)
        order.push_back(static_cast<int8_t>(position));
    return order;
  }
  auto sums_innermost = [&](size_t k) {
    return !operands[k].empty() && !has_dim(result, operation.operands[k].dims[operands[k].back()].name);
  };
  const StorageOrder rows = dims_along(operation, operands, Along::kRows),
                     columns = dims_along(operation, operands, Along::kColumns);
  const bool rows_wanted = sums_innermost(1) && !sums_innermost(0) && !rows.empty();
  const bool columns_wanted = sums_innermost(0) && !sums_innermost(1) && !columns.empty();
  const bool declared_rows = !result.empty() && along(operation, result.back().name) == Along::kRows;
  if (writes_as_declared(operation, rows, columns) && (declared_rows ? !columns_wanted : !rows_wanted)) return declared;
  const bool rows_inside = rows_wanted || (declared_rows && !columns_wanted);
  StorageOrder order = dims_along(operation, operands, Along::kBatch);
  for (const StorageOrder* group : {rows_inside ? &columns : &rows, rows_inside ? &rows : &columns})
    order.insert(order.end(), group->begin(), group->end());
  return order;
}

}  // namespace

constexpr graph::Op kEinsum = complete({
    .name = "einsum",
    .signature = "einsum(operands: tensor... -> shape)",
    .family = "Contraction",
    .doc = "The product of all operands, summed over the dims that are not in the result; every dim of the result is "
           "in an operand. "
           "Three operands and more are multiplied two at a time, in the order that takes the fewest operations. Under "
           "`precision bf16`, f32 is multiplied as bf16 and accumulated in f32; under `precision mixed` the result is "
           "bf16 too. No product is left out: 0 times NaN, or infinity, is NaN in the sum, in gradients too.",
    .example =
        "dim a = 2, b = 2, c = 2\nlet x = tensor([[1, 2], [3, 4]], [a, b])\nlet y = tensor([[5, 6], [7, 8]], [b, c])\n"
        "print(einsum(x, y -> [a, c]))\n#> [[19, 22], [43, 50]]\nprint(einsum(x, x -> []))\n#> 30\n",
    .samples =
        "x: [a, b], y: [b, c] => einsum(x, y -> [a, c])\nx: [a, b, c], y: [a, c, d] => einsum(x, y -> [a, d, b])\n"
        "x: [a, b] => einsum(x -> [b])\nx: [a, b] => einsum(x -> [b, a])\nx: [a], y: [b] => einsum(x, y -> [])\n"
        "x: [a, b], y: [a, b] => einsum(x, y -> [a])\nx: [a, b], y: [a] => einsum(x, y -> [a, b])\n"
        "x: [a, b], y: [b, c], z: [c, d] => einsum(x, y, z -> [a, d])\nx: i32[a, b] in -3..3, y: i32[b, c] in -3..3 => "
        "einsum(x, y -> [c, a])\n"
        "x: bf16[a, b], y: bf16[b, c] => einsum(x, y -> [a, c])\n"
        "x: bf16[a, b], y: bf16[a, c] => einsum(x, y -> [a])\nx: i32[a, b] in -9..9, y: i32[c] in -9..9 => einsum(x, y "
        "-> [a])",
    .build = build_einsum,
    .attributes = &graph::kFormOf<EinsumAttributes>,
    .infer = infer_einsum,
    .space = einsum_space,
    .kernel = contract_kernel,
    .work = graph::Work::kContraction,
    .gradient = einsum_gradient,
    .role = graph::Role::kContraction,
    .linear = graph::Linear::kEach,
    .result_order = einsum_order,
});

}  // namespace mtf::ops
