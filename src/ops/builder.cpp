#include "ops/builder.h"

#include <bit>

#include "graph/op.h"
#include "ops/contract.h"
#include "ops/shape.h"
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
  Attributes attributes;
  attributes.dims = type.dims;
  attributes.element = type.element;
  return add_laid_out(ops::kConstant, {}, std::move(layout), std::move(attributes));
}

Value Builder::assigned(const Value& value, GivenLayout stored) { return add_laid_out(ops::kAssign, {value}, std::move(stored)); }

Value Builder::number(double value, ElementType element) {
  Attributes attributes;
  attributes.element = element;
  return add(ops::kNumber, {}, std::move(attributes), {value});
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

Value Builder::zeros(const TensorType& type) { return add(ops::kBroadcast, {operand(0, type.element)}, zero_attributes(type.dims)); }

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
  Attributes attributes;
  attributes.element = element;
  return add(ops::kCast, {a}, std::move(attributes));
}

Value Builder::reduce(const Op& op, const Value& a, const Dims& kept) {
  Attributes attributes;
  for (const Dim& dim : a.dims())
    if (has_dim(kept, dim.name)) attributes.dims.push_back(dim);
  if (attributes.dims.size() == a.dims().size()) return a;
  return add(op, {a}, std::move(attributes));
}

Value Builder::einsum(Values operands, const Dims& result) {
  Attributes attributes = einsum_attributes(operands, result, product_in_force(context, operands[0].element()));
  return add(ops::kEinsum, std::move(operands), std::move(attributes));
}

Value Builder::broadcast(const Value& a, const Dims& dims) {
  if (a.dims() == dims) return a;
  return add(ops::kBroadcast, {a}, broadcast_attributes(a.dims(), dims));
}

Value Builder::rename(const Value& a, const Dims& dims) {
  if (a.dims() == dims) return a;
  Attributes attributes;
  attributes.dims = dims;
  return add(ops::kRename, {a}, std::move(attributes));
}

Value Builder::reshape(const Value& a, const Dims& dims) {
  if (a.dims() == dims) return a;
  Attributes attributes;
  attributes.dims = dims;
  return add(ops::kReshape, {a}, std::move(attributes));
}

Value Builder::range(const Dim& dim) {
  Attributes attributes;
  attributes.dims = {dim};
  return add(ops::kRange, {}, std::move(attributes));
}

Value Builder::slice(const Value& a, int dim, int64_t first, int64_t count, int64_t stride) {
  Attributes attributes;
  attributes.ints = {dim, first, count, stride};
  return add(ops::kSlice, {a}, std::move(attributes));
}

}  // namespace mtf
