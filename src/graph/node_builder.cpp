#include "graph/node_builder.h"

#include <algorithm>
#include <array>
#include <tuple>

#include "graph/layout_record.h"
#include "graph/layouts.h"
#include "graph/op.h"
#include "graph/region.h"
#include "support/diagnostics.h"
#include "support/restore.h"
#include "support/text.h"

namespace mtf::graph {
namespace {

/// Indices of dims have 8 bits, and lowering adds a few dims.
constexpr size_t kMaxDims = 100;

void check_types(const LaidOutOperation& operation) {
  const Span span = operation.span;
  for (const TensorType& type : operation.results) {
    if (type.dims.size() > kMaxDims)
      fail(Kind::limit_exceeded, span, "this tensor has {} dimensions, expected at most {}", type.dims.size(),
           kMaxDims);
    for (size_t i = 0; i < type.dims.size(); ++i)
      if (find_dim(type.dims, type.dims[i].name) != static_cast<int>(i))
        fail(Diagnostic(Kind::dim_twice, span,
                        fmt::format("{}: `{}` stands twice", to_string(type), type.dims[i].name.text()))
                 .help("rename one of them: rename(x, " + type.dims[i].name.str() + " -> …)"));
    if (!checked_size(type.dims))
      fail(Diagnostic(Kind::size_overflow, span, fmt::format("{} has more than 2^62 elements", to_string(type))));
  }
}

/// True if values of the two meshes may meet in one operation. A mesh that the program did not declare has no name.
bool meets(const Mesh& a, const Mesh& b) {
  return a == b || a.name().empty() || b.name().empty() || a.size() == b.size();
}

void check_meshes(const LaidOutOperation& operation, const Values& operands) {
  for (const Value& operand : operands) {
    const Mesh& mesh = *operand.mesh();
    if (operand.mesh() == operation.mesh || meets(mesh, *operation.mesh)) continue;
    fail(Diagnostic(Kind::mesh_mismatch, operation.span,
                    fmt::format("an operand lies on {} {} of {}, the current mesh {} {} has {}", mesh.name().text(),
                                to_string(mesh), mtf::count_text(mesh.size(), "processor"),
                                operation.mesh->name().text(), to_string(*operation.mesh), operation.mesh->size()))
             .related(operand.operation().span, "made here")
             .help("`use` the mesh that it lies on, or make it under this one"));
  }
}

}  // namespace

std::shared_ptr<LaidOutOperation> NodeBuilder::make(const Op& op, const Values& operands, Attributes attributes,
                                                    std::vector<double> inputs, std::shared_ptr<const Region> region) {
  auto operation = std::make_shared<LaidOutOperation>();
  operation->op = &op;
  operation->attributes = std::move(attributes);
  operation->inputs = std::move(inputs);
  operation->region = std::move(region);
  operation->operands.reserve(operands.size());
  for (const Value& operand : operands) operation->operands.push_back(operand.type());
  operation->mesh = context.mesh;
  operation->written = written;
  operation->initial = initial;
  operation->no_grad = context.no_grad;
  operation->span = span;
  operation->frame = frame();
  MTF_CHECK(operation->attributes.form() == op.attributes, "attributes of another operation than {}", op.name);
  operation->results = op.infer(*operation);
  check_types(*operation);
  check_meshes(*operation, operands);
  return operation;
}

NodePtr NodeBuilder::make_node(OperationRef operation, Values operands, LayoutRecord* into) {
  auto node = std::make_shared<Node>();
  node->operation = std::move(operation);
  node->id = new_node_id();
  node->segment = context.segment;
  node->set_operands(std::move(operands));
  ++added;
  if (into) into->add(*node);
  if (table) table->add(*node);
  if (on_add) on_add(*node);
  return node;
}

void NodeBuilder::adopt(Node& node) {
  if (record) record->add(node);
  if (table) table->add(node);
  if (on_add) on_add(node);
}

Values NodeBuilder::add_node(const Op& op, Values operands, Attributes attributes, std::vector<double> inputs) {
  std::shared_ptr<LaidOutOperation> operation = make(op, operands, std::move(attributes), std::move(inputs));
  return add_by_rules(std::move(operation), std::move(operands));
}

Values NodeBuilder::add_region(const Op& op, Values operands, Attributes attributes, CapturedRegion region) {
  std::shared_ptr<LaidOutOperation> operation =
      make(op, operands, std::move(attributes), std::move(region.numbers), std::move(region.region));
  return add_by_rules(std::move(operation), std::move(operands));
}

Values NodeBuilder::add_by_rules(std::shared_ptr<LaidOutOperation> operation, Values operands) {
  constexpr size_t kFew = 4;
  std::array<OperandLayout, kFew> few;
  std::vector<OperandLayout> many(operands.size() > kFew ? operands.size() : 0);
  const std::span<OperandLayout> layouts = many.empty() ? std::span(few).first(operands.size()) : std::span(many);
  for (size_t k = 0; k < operands.size(); ++k)
    layouts[k] = {&operands[k].sharding(), operands[k].inherited(), operands[k].mesh().get()};
  operation->why.rules = context.layout;
  decide_layouts(*operation, layouts);
  const size_t count = operation->results.size();
  const NodePtr node = make_node(std::move(operation), std::move(operands), record.get());
  Values results;
  results.reserve(count);
  for (size_t r = 0; r < count; ++r) results.push_back({node, static_cast<int>(r)});
  return results;
}

Value NodeBuilder::add_given(std::shared_ptr<LaidOutOperation> operation, Values operands, LayoutOrigin origin,
                             GivenLayout layout) {
  operation->shardings = {std::move(layout.sharding)};
  operation->inherited = {layout.inherited};
  operation->origin = origin;
  operation->why = std::move(layout.why);
  return {make_node(std::move(operation), std::move(operands), record.get()), 0};
}

Value NodeBuilder::add_laid_out(const Op& op, Values operands, GivenLayout layout, Attributes attributes,
                                std::vector<double> inputs) {
  Restore mesh(context.mesh, layout.mesh ? layout.mesh : context.mesh);
  std::shared_ptr<LaidOutOperation> operation = make(op, operands, std::move(attributes), std::move(inputs));
  return add_given(std::move(operation), std::move(operands), LayoutOrigin::kGiven, std::move(layout));
}

std::pair<OperationRef, int> NodeBuilder::followed(const Value& value) {
  const LaidOutOperation& operation = value.operation();
  // A value with other dims may have another layout than the one that it copies.
  if (operation.origin == LayoutOrigin::kLike &&
      operation.why.like->results[operation.why.like_result].dims == value.dims())
    return {operation.why.like, operation.why.like_result};
  return {value.node->operation, value.result};
}

Value NodeBuilder::add_following(const Op& op, Values operands, const Value& like, Attributes attributes,
                                 std::vector<double> inputs) {
  Restore mesh(context.mesh, like.mesh());
  std::shared_ptr<LaidOutOperation> operation = make(op, operands, std::move(attributes), std::move(inputs));
  GivenLayout layout;
  std::tie(layout.why.like, layout.why.like_result) = followed(like);
  ResultLayout lies = layout_like(operation->results[0].dims, *layout.why.like, layout.why.like_result);
  layout.sharding = std::move(lies.sharding);
  layout.inherited = lies.inherited;
  return add_given(std::move(operation), std::move(operands), LayoutOrigin::kLike, std::move(layout));
}

NodePtr NodeBuilder::add_copy(const Node& node, Values operands) {
  NodePtr copy = make_node(node.operation, std::move(operands), nullptr);
  copy->name = node.name;
  return copy;
}

}  // namespace mtf::graph
