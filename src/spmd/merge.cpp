#include "spmd/merge.h"

#include <algorithm>
#include <string>
#include <unordered_set>

#include "graph/builder.h"
#include "ops/op.h"

namespace mtf {
namespace {

template <typename T>
void append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

/// Everything that makes two applications of one operation to the same operands differ.
std::string key_of(const Node& node, const MergedGraph& graph) {
  std::string key;
  append(key, node.op);
  append(key, node.replica);
  append(key, node.mesh.get());
  append(key, node.attributes.element);
  append(key, node.attributes.dims.size());
  for (const Dim& dim : node.attributes.dims) {
    append(key, dim.name.id());
    append(key, dim.size);
  }
  append(key, node.attributes.ints.size());
  for (int64_t number : node.attributes.ints) append(key, number);
  append(key, node.inputs.size());
  for (double number : node.inputs) append(key, number);
  for (const Value& operand : node.operands) {
    Value value = graph.stands_for(operand);
    append(key, value.node.get());
    append(key, value.result);
  }
  for (size_t r = 0; r < node.types.size(); ++r) {
    append(key, node.types[r].element);
    for (const AxisList& list : node.shardings[r].dims) append(key, list);
    for (const Dim& dim : node.types[r].dims) append(key, dim.name.id());
  }
  return key;
}

class Merger {
 public:
  explicit Merger(MergedGraph& graph) : graph_(graph) {}

  void add(const NodePtr& node, bool of_program) {
    if (!seen_.insert(node.get()).second) return;
    if (!node->op->leaf) {
      std::string key = key_of(*node, graph_);
      auto [at, fresh] = known_.emplace(std::move(key), node);
      if (!fresh) {
        for (size_t r = 0; r < node->types.size(); ++r)
          graph_.aliases[{node.get(), static_cast<int>(r)}] = graph_.stands_for({at->second, static_cast<int>(r)});
        if (at->second->hint.empty()) at->second->hint = node->hint;
        return;
      }
    }
    if (of_program) graph_.whole.push_back(node);
    if (node->op->expand && must_expand(*node)) {
      Values results = expansion_of(*node);
      for (const NodePtr& part : pending(results)) add(part, false);
      for (size_t r = 0; r < results.size(); ++r)
        graph_.aliases[{node.get(), static_cast<int>(r)}] = graph_.stands_for(results[r]);
      return;
    }
    graph_.nodes.push_back(node);
  }

 private:
  bool must_expand(const Node& node) const {
    IterationSpace space = node.op->space(node);
    for (const IterationDim& dim : space.dims) {
      if (dim.kind != SplitKind::kExpand) continue;
      for (size_t k = 0; k < node.operands.size(); ++k) {
        Value operand = graph_.stands_for(node.operands[k]);
        if (dim.operands[k] >= 0 && same_mesh(operand.node->mesh, node.mesh) && !operand.sharding().dims[dim.operands[k]].empty()) return true;
      }
      for (size_t r = 0; r < node.types.size(); ++r)
        if (dim.results[r] >= 0 && !node.shardings[r].dims[dim.results[r]].empty()) return true;
    }
    return false;
  }

  MergedGraph& graph_;
  std::unordered_map<std::string, NodePtr> known_;
  std::unordered_set<const Node*> seen_;
};

}  // namespace

Value MergedGraph::stands_for(const Value& value) const {
  auto at = aliases.find({value.node.get(), value.result});
  return at == aliases.end() ? value : at->second;
}

MergedGraph merge(const Values& roots) {
  MergedGraph graph;
  Merger merger(graph);
  for (const NodePtr& node : pending(roots)) merger.add(node, true);
  return graph;
}

Values expansion_of(const Node& node) {
  Builder builder;
  builder.context.mesh = node.mesh;
  builder.span = node.span;
  builder.written = false;
  Values results = node.op->expand(builder, node);
  for (size_t r = 0; r < results.size(); ++r) {
    results[r] = builder.laid_out(results[r], node.shardings[r], node.inherited[r], node.mesh);
    if (results[r].node->hint.empty() && r == 0) results[r].node->hint = node.hint;
  }
  if (node.replica)
    for (const NodePtr& part : pending(results))
      if (part->id > node.id) part->replica = node.replica;
  return results;
}

}  // namespace mtf
