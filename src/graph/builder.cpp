#include "graph/builder.h"

#include <algorithm>
#include <array>

#include "graph/layouts.h"
#include "ops/contract.h"
#include "ops/op.h"
#include "ops/registry.h"
#include "ops/shape.h"
#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf {
namespace {

/// Places of dims are kept in 8 bits, and lowering adds a dim or two of its own.
constexpr size_t kMaxDims = 100;

void check_types(const LaidOutOperation& operation) {
  const Span span = operation.span;
  for (const TensorType& type : operation.results) {
    if (type.dims.size() > kMaxDims)
      fail(Kind::limit_exceeded, span, "this tensor has {} dimensions, expected at most {}", type.dims.size(), kMaxDims);
    for (size_t i = 0; i < type.dims.size(); ++i)
      if (find_dim(type.dims, type.dims[i].name) != static_cast<int>(i))
        fail(Diagnostic(Kind::dim_twice, span, fmt::format("{}: `{}` stands twice", to_string(type), type.dims[i].name.text()))
                 .help("rename one of them: rename(x, " + type.dims[i].name.str() + " -> …)"));
    if (!checked_size(type.dims))
      fail(Diagnostic(Kind::size_overflow, span, fmt::format("{} has more than 2^62 elements", to_string(type))));
  }
}

/// A mesh that the program did not declare has no name.
bool meets(const Mesh& a, const Mesh& b) {
  return a == b || a.name().empty() || b.name().empty() || a.size() == b.size();
}

void check_meshes(const LaidOutOperation& operation, const Values& operands) {
  for (const Value& operand : operands) {
    const Mesh& mesh = *operand.mesh();
    if (operand.mesh() == operation.mesh || meets(mesh, *operation.mesh)) continue;
    fail(Diagnostic(Kind::mesh_mismatch, operation.span,
                    fmt::format("an operand lies on {} {} of {}, the current mesh {} {} has {}", mesh.name().text(), to_string(mesh),
                                count_text(mesh.size(), "processor"), operation.mesh->name().text(), to_string(*operation.mesh), operation.mesh->size()))
             .related(operand.operation().span, "made here")
             .help("`use` the mesh that it lies on, or make it under this one"));
  }
}

}  // namespace

const Op* Builder::find_op(std::string_view name) {
  const Op* op = mtf::find_op(name);
  MTF_CHECK(op, "no operation {}", name);
  return op;
}

std::shared_ptr<LaidOutOperation> Builder::make(const Op& op, const Values& operands, Attributes attributes, std::vector<double> inputs) {
  auto operation = std::make_shared<LaidOutOperation>();
  operation->op = &op;
  operation->attributes = std::move(attributes);
  operation->inputs = std::move(inputs);
  operation->operands.reserve(operands.size());
  for (const Value& operand : operands) operation->operands.push_back(operand.type());
  operation->mesh = context.mesh;
  operation->written = written;
  operation->no_grad = context.no_grad;
  operation->region = context.recompute_region;
  operation->span = span;
  operation->results = op.infer(*operation);
  check_types(*operation);
  check_meshes(*operation, operands);
  return operation;
}

NodePtr Builder::make_node(OperationRef operation, Values operands) {
  auto node = std::make_shared<Node>();
  node->operation = std::move(operation);
  node->id = new_node_id();
  node->set_operands(std::move(operands));
  ++added;
  if (table) table->add(*node);
  if (on_add) on_add(*node);
  return node;
}

Values Builder::add_node(const Op& op, Values operands, Attributes attributes, std::vector<double> inputs) {
  std::shared_ptr<LaidOutOperation> operation = make(op, operands, std::move(attributes), std::move(inputs));
  constexpr size_t kFew = 4;
  std::array<OperandLayout, kFew> few;
  std::vector<OperandLayout> many(operands.size() > kFew ? operands.size() : 0);
  const std::span<OperandLayout> layouts = many.empty() ? std::span(few).first(operands.size()) : std::span(many);
  for (size_t k = 0; k < operands.size(); ++k) layouts[k] = {&operands[k].sharding(), operands[k].inherited(), operands[k].mesh().get()};
  decide_layouts(*operation, layouts, context.layout);
  const size_t count = operation->results.size();
  const NodePtr node = make_node(std::move(operation), std::move(operands));
  Values results;
  results.reserve(count);
  for (size_t r = 0; r < count; ++r) results.push_back({node, static_cast<int>(r)});
  return results;
}

Value Builder::in_layout(std::string_view op, const Values& operands, const Sharding& sharding, AxisSet inherited, const MeshPtr& mesh,
                         LayoutOrigin origin, const Value& like, Attributes attributes, std::vector<double> inputs) {
  struct Restore {
    MeshPtr& mesh;
    MeshPtr before;
    ~Restore() { mesh = before; }
  } restore{context.mesh, context.mesh};
  if (mesh) context.mesh = mesh;
  std::shared_ptr<LaidOutOperation> operation = make(*find_op(op), operands, std::move(attributes), std::move(inputs));
  operation->shardings = {sharding};
  operation->inherited = {inherited};
  operation->origin = origin;
  if (like) {
    operation->like = like.node->operation;
    operation->like_result = like.result;
  }
  return {make_node(std::move(operation), operands), 0};
}

Value Builder::laid_out(const Value& value, const Sharding& sharding, AxisSet inherited, MeshPtr mesh) {
  return in_layout("layout", {value}, sharding, inherited, mesh, LayoutOrigin::kGiven);
}

Value Builder::laid_like(const Value& value, const Value& like) {
  if (value == like || (same_mesh(value.mesh(), like.mesh()) && value.sharding() == like.sharding() && value.inherited() == like.inherited() &&
                        value.operation().origin == LayoutOrigin::kLike && value.operation().like == like.node->operation))
    return value;
  return in_layout("layout", {value}, like.sharding(), like.inherited(), like.mesh(), LayoutOrigin::kLike, like);
}

Value Builder::add_like(const Value& a, const Value& b, const Value& like) {
  const ElementType element = promote(a.element(), b.element());
  return in_layout("add", {cast(a, element), cast(b, element)}, like.sharding(), like.inherited(), like.mesh(), LayoutOrigin::kLike, like);
}

Value Builder::accumulate_like(const Value& x, const Value& part, const Value& like) {
  const Operation& made = part.operation();
  Values operands = part.node->operands();
  operands.insert(operands.begin(), x);
  return in_layout(made.op->accumulate->name, operands, like.sharding(), like.inherited(), like.mesh(), LayoutOrigin::kLike, like, made.attributes,
                   made.inputs);
}

Value Builder::split_like(const Value& value, const Value& like) {
  Sharding sharding = replicated(value.dims().size());
  AxisSet inherited = 0;
  for (size_t i = 0; i < value.dims().size(); ++i) {
    const int at = find_dim(like.dims(), value.dims()[i].name);
    if (at < 0) continue;
    sharding.dims[i] = like.sharding().dims[at];
    inherited |= like.inherited() & sharding.dims[i].set();
  }
  return in_layout("layout", {value}, sharding, inherited, like.mesh(), LayoutOrigin::kLike, like);
}

Value Builder::assigned(const Value& value, const Sharding& sharding, MeshPtr mesh) {
  return in_layout("assign", {value}, sharding, 0, mesh, LayoutOrigin::kGiven);
}

NodePtr Builder::copy_node(const Node& node, Values operands) {
  auto operation = std::make_shared<LaidOutOperation>(*node.operation);
  operation->region = context.recompute_region;
  return make_node(std::move(operation), std::move(operands));
}

Value Builder::number(double value, ElementType element) {
  static const Op* op = find_op("number");
  Attributes attributes;
  attributes.element = element;
  return add_node(*op, {}, std::move(attributes), {value})[0];
}

Value Builder::zeros(const TensorType& type) { return add("broadcast", {number(0, type.element)}, zero_attributes(type.dims)); }

Value Builder::map(std::string_view op, const Value& a) { return add(op, {a}); }

Value Builder::map(std::string_view op, const Value& a, const Value& b) {
  ElementType element = promote(a.element(), b.element());
  return add(op, {cast(a, element), cast(b, element)});
}

Value Builder::map(std::string_view op, const Value& a, double b) { return add(op, {a, number(b, a.element())}); }
Value Builder::map(std::string_view op, double a, const Value& b) { return add(op, {number(a, b.element()), b}); }

Value Builder::where(const Value& condition, const Value& a, const Value& b) {
  ElementType element = promote(a.element(), b.element());
  return add("where", {condition, cast(a, element), cast(b, element)});
}

Value Builder::cast(const Value& a, ElementType element) {
  if (a.element() == element) return a;
  Attributes attributes;
  attributes.element = element;
  return add("cast", {a}, std::move(attributes));
}

Value Builder::reduce(std::string_view op, const Value& a, const Dims& kept) {
  Attributes attributes;
  for (const Dim& dim : a.dims())
    if (has_dim(kept, dim.name)) attributes.dims.push_back(dim);
  if (attributes.dims.size() == a.dims().size()) return a;
  return add(op, {a}, std::move(attributes));
}

Value Builder::einsum(Values operands, const Dims& result) {
  Attributes attributes = einsum_attributes(operands, result, context.multiply_bf16);
  return add("einsum", std::move(operands), std::move(attributes));
}

Value Builder::broadcast(const Value& a, const Dims& dims) {
  if (a.dims() == dims) return a;
  return add("broadcast", {a}, broadcast_attributes(a.dims(), dims));
}

Value Builder::rename(const Value& a, const Dims& dims) {
  if (a.dims() == dims) return a;
  Attributes attributes;
  attributes.dims = dims;
  return add("rename", {a}, std::move(attributes));
}

Value Builder::reshape(const Value& a, const Dims& dims) {
  if (a.dims() == dims) return a;
  Attributes attributes;
  attributes.dims = dims;
  return add("reshape", {a}, std::move(attributes));
}

Value Builder::range(const Dim& dim) {
  Attributes attributes;
  attributes.dims = {dim};
  return add("range", {}, std::move(attributes));
}

Value Builder::slice(const Value& a, int dim, int64_t first, int64_t count, int64_t stride) {
  Attributes attributes;
  attributes.ints = {dim, first, count, stride};
  return add("slice", {a}, std::move(attributes));
}

}  // namespace mtf
