#include "ops/builder.h"

#include <bit>

#include "graph/layouts.h"
#include "graph/op.h"
#include "ops/contract.h"
#include "ops/elementwise.h"
#include "ops/interval.h"
#include "ops/reduce.h"
#include "ops/shape.h"
#include "ops/spaces.h"
#include "support/diagnostics.h"

namespace mtf::ops {

graph::Value Builder::laid_out(const graph::Value& value, graph::GivenLayout layout) {
  return add_laid_out(kLayout, {value}, std::move(layout));
}

graph::Value Builder::laid_out(const graph::Value& value, std::shared_ptr<const graph::AskedLayout> asked) {
  graph::ResultLayout lies = graph::asked_layout(
      value.type(), asked.get(), {&value.sharding(), value.inherited(), value.mesh().get()}, *context.mesh, span);
  graph::GivenLayout layout{std::move(lies.sharding), lies.inherited};
  layout.why.asked = std::move(asked);
  return laid_out(value, std::move(layout));
}

graph::Value Builder::laid_like(const graph::Value& value, const graph::Value& like) {
  if (value == like) return value;
  const graph::LaidOutOperation& operation = value.operation();
  const bool follows = operation.origin == graph::LayoutOrigin::kLike && value.dims() == like.dims() &&
                       std::pair(operation.why.like, operation.why.like_result) == followed(like);
  return follows ? value : split_like(value, like);
}

graph::Value Builder::add_like(const graph::Value& a, const graph::Value& b, const graph::Value& like) {
  const ElementType element = promote(a.element(), b.element());
  return add_following(kAdd, {cast(a, element), cast(b, element)}, like);
}

graph::Value Builder::accumulate_like(const graph::Value& x, const graph::Value& part, const graph::Value& like) {
  const graph::Operation& made = part.operation();
  graph::Values operands = part.node->operands();
  operands.insert(operands.begin(), x);
  return add_following(*made.op->accumulate, std::move(operands), like, made.attributes, made.inputs);
}

graph::Value Builder::split_like(const graph::Value& value, const graph::Value& like) {
  return add_following(kLayout, {value}, like);
}

graph::Value Builder::constant(const TensorType& type, graph::GivenLayout layout) {
  return add_laid_out(kConstant, {}, std::move(layout), TypeAttributes{type});
}

graph::Value Builder::assigned(const graph::Value& value, graph::GivenLayout stored) {
  return add_laid_out(kAssign, {value}, std::move(stored));
}

graph::Value Builder::number(double value, ElementType element) {
  return add(kNumber, {}, TypeAttributes{{element, {}}}, {value});
}

graph::Value Builder::operand(double number, ElementType element) {
  constexpr size_t kMost = 256;
  if (shared_.size() == kMost) shared_.clear();
  std::weak_ptr<graph::Node>& known = shared_[{std::bit_cast<uint64_t>(number), element}];
  if (graph::NodePtr node = known.lock()) {
    const graph::LaidOutOperation& made = *node->operation;
    if (node->is_of(table.get()) && made.mesh == context.mesh && made.why.rules == context.layout &&
        made.no_grad == context.no_grad) {
      ++added;  // count it as if it were not shared
      return {node, 0};
    }
  }
  const graph::Value made = this->number(number, element);
  known = made.node;
  return made;
}

graph::Value Builder::zeros(const TensorType& type) {
  return add(kBroadcast, {operand(0, type.element)}, BroadcastAttributes{.result = type.dims, .always_zero = true});
}

graph::Value Builder::zeros(const TensorType& type, graph::GivenLayout layout) {
  return add_laid_out(kBroadcast, {operand(0, type.element)}, std::move(layout),
                      BroadcastAttributes{.result = type.dims, .always_zero = true});
}

graph::Value Builder::map(const graph::Op& op, const graph::Value& a) { return add(op, {a}); }

graph::Value Builder::map(const graph::Op& op, const graph::Value& a, const graph::Value& b) {
  ElementType element = promote(a.element(), b.element());
  return add(op, {cast(a, element), cast(b, element)});
}

graph::Value Builder::map(const graph::Op& op, const graph::Value& a, double b) {
  return add(op, {a, operand(b, a.element())});
}
graph::Value Builder::map(const graph::Op& op, double a, const graph::Value& b) {
  return add(op, {operand(a, b.element()), b});
}

graph::Value Builder::where(const graph::Value& condition, const graph::Value& a, const graph::Value& b) {
  ElementType element = promote(a.element(), b.element());
  return add(kWhere, {condition, cast(a, element), cast(b, element)});
}

graph::Value Builder::cast(const graph::Value& a, ElementType element) {
  if (a.element() == element) return a;
  if (element == ElementType::kBf16)
    if (graph::Value copy = narrowed(a)) return copy;
  return add(kCast, {a}, CastAttributes{element});
}

graph::Value Builder::narrowed(const graph::Value& variable) {
  graph::Node& node = *variable.node;
  if (!context.no_grad || context.segment || node.variable == 0 || !table || !node.is_of(table.get()) ||
      variable.element() != ElementType::kF32)
    return {};
  graph::Computed::Narrowed& known = node.compute_into().narrowed;
  if (const graph::NodePtr copy = known.copy.lock()) {
    const graph::LaidOutOperation& made = *copy->operation;
    if (made.mesh != context.mesh || made.why.rules != context.layout) return {};
    ++added;  // count it as if it were added again
    return {copy, 0};
  }
  if (known.first_in < 0) known.first_in = table->programs();
  if (known.first_in == table->programs() || !node.is_computed(0)) return {};
  const graph::Value copy = add(kCast, {variable}, CastAttributes{ElementType::kBf16});
  copy.node->stays = true;
  known.copy = copy.node;
  return copy;
}

graph::Value Builder::reduce(const graph::Op& op, const graph::Value& a, const Dims& kept) {
  ReduceAttributes attributes;
  for (const Dim& dim : a.dims())
    if (has_dim(kept, dim.name)) attributes.kept.push_back(dim.name);
  if (attributes.kept.size() == a.dims().size()) return a;
  return add(op, {a}, std::move(attributes));
}

graph::Value Builder::einsum(graph::Values operands, const Dims& result) {
  EinsumAttributes attributes{product_in_force(context, operands[0].element()), names_of(result)};
  return add(kEinsum, std::move(operands), std::move(attributes));
}

graph::Value Builder::broadcast(const graph::Value& a, const Dims& dims) {
  if (a.dims() == dims) return a;
  return add(kBroadcast, {a}, BroadcastAttributes{.result = dims});
}

graph::Value Builder::rename(const graph::Value& a, const Dims& dims) {
  if (a.dims() == dims) return a;
  return add(kRename, {a}, RenameAttributes{names_of(dims)});
}

graph::Value Builder::rename_where_it_lies(const graph::Value& a, const Dims& dims) {
  return add_laid_out(kRename, {a}, {a.sharding(), a.inherited(), a.mesh()}, RenameAttributes{names_of(dims)});
}

graph::Value Builder::reshape(const graph::Value& a, const Dims& dims) {
  if (a.dims() == dims) return a;
  return add(kReshape, {a}, ReshapeAttributes{dims});
}

graph::Value Builder::reshape(const graph::Value& a, const Dims& dims, graph::GivenLayout layout) {
  return add_laid_out(kReshape, {a}, std::move(layout), ReshapeAttributes{dims});
}

graph::Value Builder::range(const Dim& dim) { return add(kRange, {}, RangeAttributes{dim}); }

graph::Value Builder::slice(const graph::Value& a, int dim, int64_t first, int64_t count, int64_t stride) {
  return add(kSlice, {a}, SliceAttributes{a.dims()[dim].name, first, count, stride});
}

}  // namespace mtf::ops
