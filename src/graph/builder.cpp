#include "graph/builder.h"

#include <algorithm>
#include <atomic>

#include "graph/layouts.h"
#include "ops/contract.h"
#include "ops/op.h"
#include "ops/registry.h"
#include "ops/shape.h"
#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf {
namespace {

int64_t next_id() {
  static std::atomic<int64_t> last{0};
  return ++last;
}

/// Places of dims are kept in 8 bits, and lowering adds a dim or two of its own.
constexpr size_t kMaxDims = 100;

void check_types(const Node& node) {
  for (const TensorType& type : node.types) {
    if (type.dims.size() > kMaxDims)
      fail(Kind::limit_exceeded, node.span, "this tensor has {} dimensions, expected at most {}", type.dims.size(), kMaxDims);
    for (size_t i = 0; i < type.dims.size(); ++i)
      if (find_dim(type.dims, type.dims[i].name) != static_cast<int>(i))
        fail(Diagnostic(Kind::dim_twice, node.span, fmt::format("{}: `{}` stands twice", to_string(type), type.dims[i].name.text()))
                 .help("rename one of them: rename(x, " + type.dims[i].name.str() + " -> …)"));
    if (!checked_size(type.dims))
      fail(Diagnostic(Kind::size_overflow, node.span, fmt::format("{} has more than 2^62 elements", to_string(type))));
  }
}

/// A mesh that the program did not declare has no name.
bool meets(const Mesh& a, const Mesh& b) {
  return a == b || a.name().empty() || b.name().empty() || a.size() == b.size();
}

void check_meshes(const Node& node) {
  for (const Value& operand : node.operands) {
    const Mesh& mesh = *operand.node->mesh;
    if (operand.node->mesh == node.mesh || meets(mesh, *node.mesh)) continue;
    fail(Diagnostic(Kind::mesh_mismatch, node.span,
                    fmt::format("an operand lies on {} {} of {}, the current mesh {} {} has {}", mesh.name().text(), to_string(mesh),
                                count_text(mesh.size(), "processor"), node.mesh->name().text(), to_string(*node.mesh), node.mesh->size()))
             .related(operand.node->span, "made here")
             .help("`use` the mesh that it lies on, or make it under this one"));
  }
}

}  // namespace

const Op* Builder::find_op(std::string_view name) {
  const Op* op = mtf::find_op(name);
  MTF_CHECK(op, "no operation {}", name);
  return op;
}

Values Builder::add_node(const Op& op, Values operands, Attributes attributes, std::vector<double> inputs) {
  auto node = std::make_shared<Node>();
  node->op = &op;
  node->attributes = std::move(attributes);
  node->operands = std::move(operands);
  node->inputs = std::move(inputs);
  node->mesh = context.mesh;
  node->span = span;
  node->id = next_id();
  node->region = context.recompute_region;
  node->types = op.infer(*node);
  check_types(*node);
  check_meshes(*node);
  decide_layouts(*node, context.layout, written);
  Values results;
  results.reserve(node->types.size());
  for (size_t r = 0; r < node->types.size(); ++r) results.push_back({node, static_cast<int>(r)});
  return results;
}

Value Builder::laid_out(const Value& value, const Sharding& sharding, AxisSet inherited, MeshPtr mesh) {
  if (!mesh) mesh = context.mesh;
  if (same_mesh(value.node->mesh, mesh) && value.sharding() == sharding && value.node->inherited[value.result] == inherited) return value;
  return with_sharding("layout", value, sharding, inherited, mesh);
}

Value Builder::assigned(const Value& value, const Sharding& sharding, MeshPtr mesh) {
  return with_sharding("assign", value, sharding, 0, mesh ? mesh : context.mesh);
}

Value Builder::with_sharding(std::string_view op, const Value& value, const Sharding& sharding, AxisSet inherited, MeshPtr mesh) {
  MeshPtr current = context.mesh;
  Layout rules;
  context.mesh = mesh;
  std::swap(context.layout, rules);  // the rules do not speak: the sharding is given
  Value result;
  try {
    result = add(op, {value});
  } catch (...) {
    context.mesh = current;
    std::swap(context.layout, rules);
    throw;
  }
  context.mesh = current;
  std::swap(context.layout, rules);
  result.node->shardings[0] = sharding;
  result.node->inherited[0] = inherited;
  return result;
}

NodePtr Builder::copy_node(const Node& node) {
  auto copy = std::make_shared<Node>(node);
  copy->id = next_id();
  copy->region = 0;
  copy->computed.clear();
  return copy;
}

Value Builder::number(double value, ElementType element) {
  static const Op* op = find_op("number");
  Attributes attributes;
  attributes.element = element;
  return add_node(*op, {}, std::move(attributes), {value})[0];
}

Value Builder::zeros(const TensorType& type) { return broadcast(number(0, type.element), type.dims); }

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
