#include "ops/builder.h"

#include <bit>

#include "graph/op.h"
#include "ops/contract.h"
#include "ops/elementwise.h"
#include "ops/interval.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/spaces.h"
#include "support/diagnostics.h"

namespace mtf {

Value Builder::laid_out(const Value& value, GivenLayout layout) { return add_laid_out(ops::kLayout, {value}, std::move(layout)); }

Value Builder::laid_like(const Value& value, const Value& like) {
  if (value == like) return value;
  const LaidOutOperation& operation = value.operation();
  const bool follows = operation.origin == LayoutOrigin::kLike && value.dims() == like.dims() &&
                       std::pair(operation.why.like, operation.why.like_result) == followed(like);
  return follows ? value : split_like(value, like);
}

Value Builder::add_like(const Value& a, const Value& b, const Value& like) {
  const ElementType element = promote(a.element(), b.element());
  return add_following(ops::kAdd, {cast(a, element), cast(b, element)}, like);
}

Value Builder::accumulate_like(const Value& x, const Value& part, const Value& like) {
  const Operation& made = part.operation();
  Values operands = part.node->operands();
  operands.insert(operands.begin(), x);
  return add_following(*made.op->accumulate, std::move(operands), like, made.attributes, made.inputs);
}

Value Builder::split_like(const Value& value, const Value& like) { return add_following(ops::kLayout, {value}, like); }

Value Builder::constant(const TensorType& type, GivenLayout layout) {
  return add_laid_out(ops::kConstant, {}, std::move(layout), TypeAttributes{type});
}

Value Builder::assigned(const Value& value, GivenLayout stored) { return add_laid_out(ops::kAssign, {value}, std::move(stored)); }

Value Builder::number(double value, ElementType element) {
  return add(ops::kNumber, {}, TypeAttributes{{element, {}}}, {value});
}

Value Builder::operand(double number, ElementType element) {
  constexpr size_t kMost = 256;
  if (shared_.size() == kMost) shared_.clear();
  std::weak_ptr<Node>& known = shared_[{std::bit_cast<uint64_t>(number), element}];
  if (NodePtr node = known.lock()) {
    const LaidOutOperation& made = *node->operation;
    if (made.mesh == context.mesh && made.why.rules == context.layout && made.no_grad == context.no_grad && made.region == context.recompute_region) {
      ++added;  // as many as if nobody shared it
      return {node, 0};
    }
  }
  const Value made = this->number(number, element);
  known = made.node;
  return made;
}

Value Builder::zeros(const TensorType& type) {
  return add(ops::kBroadcast, {operand(0, type.element)}, BroadcastAttributes{.result = type.dims, .always_zero = true});
}

Value Builder::map(const Op& op, const Value& a) { return add(op, {a}); }

Value Builder::map(const Op& op, const Value& a, const Value& b) {
  ElementType element = promote(a.element(), b.element());
  return add(op, {cast(a, element), cast(b, element)});
}

Value Builder::map(const Op& op, const Value& a, double b) { return add(op, {a, operand(b, a.element())}); }
Value Builder::map(const Op& op, double a, const Value& b) { return add(op, {operand(a, b.element()), b}); }

Value Builder::where(const Value& condition, const Value& a, const Value& b) {
  ElementType element = promote(a.element(), b.element());
  return add(ops::kWhere, {condition, cast(a, element), cast(b, element)});
}

Value Builder::cast(const Value& a, ElementType element) {
  if (a.element() == element) return a;
  return add(ops::kCast, {a}, CastAttributes{element});
}

Value Builder::reduce(const Op& op, const Value& a, const Dims& kept) {
  ReduceAttributes attributes;
  for (const Dim& dim : a.dims())
    if (has_dim(kept, dim.name)) attributes.kept.push_back(dim.name);
  if (attributes.kept.size() == a.dims().size()) return a;
  return add(op, {a}, std::move(attributes));
}

Value Builder::einsum(Values operands, const Dims& result) {
  EinsumAttributes attributes{product_in_force(context, operands[0].element()), names_of(result)};
  return add(ops::kEinsum, std::move(operands), std::move(attributes));
}

Value Builder::broadcast(const Value& a, const Dims& dims) {
  if (a.dims() == dims) return a;
  return add(ops::kBroadcast, {a}, BroadcastAttributes{.result = dims});
}

Value Builder::rename(const Value& a, const Dims& dims) {
  if (a.dims() == dims) return a;
  return add(ops::kRename, {a}, RenameAttributes{names_of(dims)});
}

Value Builder::reshape(const Value& a, const Dims& dims) {
  if (a.dims() == dims) return a;
  return add(ops::kReshape, {a}, ReshapeAttributes{dims});
}

Value Builder::range(const Dim& dim) {
  return add(ops::kRange, {}, RangeAttributes{dim});
}

Value Builder::slice(const Value& a, int dim, int64_t first, int64_t count, int64_t stride) {
  return add(ops::kSlice, {a}, SliceAttributes{a.dims()[dim].name, first, count, stride});
}

}  // namespace mtf
