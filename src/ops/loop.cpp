#include "ops/loop.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "graph/region.h"
#include "graph/relayout.h"
#include "ops/first_not_finite.h"
#include "ops/gradients.h"

namespace mtf::ops {
namespace {

using graph::NodePtr;
using graph::Value;
using graph::Values;

struct Hash {
  size_t operator()(const std::pair<const graph::Node*, int>& key) const {
    return std::hash<const void*>()(key.first) * 31 + static_cast<size_t>(key.second);
  }
};
using ByValue = std::unordered_map<std::pair<const graph::Node*, int>, size_t, Hash>;

std::pair<const graph::Node*, int> key(const Value& value) { return {value.node.get(), value.result}; }

bool is_number(const Value& value) { return value.operation().op->role == graph::Role::kNumber; }

bool is_random(const graph::LaidOutOperation& operation) {
  if (operation.region) return !operation.region->call_numbers.empty();
  return operation.op->random_call >= 0 ||
         (operation.op->random_call_operand && operation.op->random_call_operand(operation) >= 0);
}

/// True if computing the operation again costs less than keeping its result.
bool is_cheap(const graph::LaidOutOperation& operation) {
  switch (operation.op->role) {
    case graph::Role::kView:
    case graph::Role::kReshape:
    case graph::Role::kRepeat: return true;
    default: return operation.operands.empty() && !is_random(operation);
  }
}

/// The nodes of an iteration that its results need, in program order, and the outer values that they read.
class IterationNodes {
 public:
  IterationNodes(const IterationGraph& iteration, const Values& roots) : iteration_(iteration) {
    for (const Values* leaves : {&iteration.carried, &iteration.placed})
      for (const Value& leaf : *leaves) leaves_.insert(key(leaf));
    for (size_t c = 0; c < iteration.constants.size(); ++c) stand_ins_[key(iteration.constants[c].first)] = c;
    for (const Value& root : roots) visit(root);
    std::sort(nodes.begin(), nodes.end(), [](const NodePtr& a, const NodePtr& b) { return a->id < b->id; });
    find_invariant();
  }

  std::vector<NodePtr> nodes;
  std::unordered_set<const graph::Node*> invariant;  ///< the loop-invariant ones of `nodes`

  bool is_leaf(const Value& value) const { return leaves_.count(key(value)) > 0; }
  /// True for a value made before the iteration, or data that exists before any program.
  bool is_outside(const Value& value) const {
    if (is_leaf(value) || is_number(value)) return false;
    return stand_ins_.count(key(value)) > 0 || value.node->id < iteration_.first_node ||
           value.operation().op->role == graph::Role::kData;
  }
  /// The outer value that a constant stands for.
  const Value& outside(const Value& value) const {
    const auto at = stand_ins_.find(key(value));
    return at == stand_ins_.end() ? value : iteration_.constants[at->second].second;
  }

 private:
  void visit(const Value& root) {
    Values stack{root};
    while (!stack.empty()) {
      const Value value = stack.back();
      stack.pop_back();
      if (is_leaf(value) || is_outside(value) || !seen_.insert(value.node.get()).second) continue;
      for (const Value& operand : value.node->operands()) stack.push_back(operand);
      nodes.push_back(value.node);
    }
  }

  void find_invariant() {
    for (const NodePtr& node : nodes) {
      const bool same = !is_random(*node->operation) &&
                        std::all_of(node->operands().begin(), node->operands().end(), [&](const Value& operand) {
                          return is_number(operand) || is_outside(operand) || invariant.count(operand.node.get()) > 0;
                        });
      if (same) invariant.insert(node.get());
    }
  }

  const IterationGraph& iteration_;
  std::unordered_set<std::pair<const graph::Node*, int>, Hash> leaves_;
  ByValue stand_ins_;
  std::unordered_set<const graph::Node*> seen_;
};

/// Copies hoisted operations for the enclosing graph. If a result copies the layout of a value inside the iteration,
/// the layout is decided anew from the operands by the rules.
class Hoisted {
 public:
  explicit Hoisted(const IterationNodes& iteration) {
    for (const NodePtr& node : iteration.nodes)
      for (const Value& operand : node->operands())
        if (iteration.is_outside(operand)) outside_[&operand.operation()] = iteration.outside(operand).node->operation;
  }

  graph::OperationRef operation(const graph::OperationRef& was, const Values& operands) {
    graph::OperationRef now = was;
    if (was->why.like) {
      const auto like = outside_.find(was->why.like.get());
      if (like == outside_.end()) now = by_rules(*was, operands);
      else if (like->second != was->why.like) now = following(*was, like->second);
    }
    outside_[was.get()] = now;
    return now;
  }

 private:
  static graph::OperationRef by_rules(graph::LaidOutOperation operation, const Values& operands) {
    operation.origin = graph::LayoutOrigin::kRules;
    operation.why = {};
    std::vector<graph::OperandLayout> layouts;
    for (const Value& operand : operands)
      layouts.push_back({&operand.sharding(), operand.inherited(), operand.mesh().get()});
    return graph::laid_out_again(operation, layouts, nullptr, nullptr, nullptr);
  }
  static graph::OperationRef following(const graph::LaidOutOperation& was, graph::OperationRef like) {
    auto operation = std::make_shared<graph::LaidOutOperation>(was);
    operation->why.like = std::move(like);
    return operation;
  }

  std::unordered_map<const graph::LaidOutOperation*, graph::OperationRef> outside_;  // by the loop's operations
};

/// Hoists loop-invariant operations, other than views of outer values, into the enclosing graph. Their consumers in the
/// iteration then read a loop constant.
std::unordered_map<const graph::Node*, NodePtr> add_before(Builder& builder, const IterationNodes& iteration) {
  std::unordered_set<const graph::Node*> wanted;
  for (auto node = iteration.nodes.rbegin(); node != iteration.nodes.rend(); ++node) {
    const graph::LaidOutOperation& operation = *(*node)->operation;
    if (!iteration.invariant.count(node->get()) || operation.op->is_leaf()) continue;
    if (!wanted.count(node->get()) && is_cheap(operation)) continue;
    wanted.insert(node->get());
    for (const Value& operand : (*node)->operands())
      if (iteration.invariant.count(operand.node.get()) && !is_number(operand)) wanted.insert(operand.node.get());
  }
  std::unordered_map<const graph::Node*, NodePtr> added;
  Hoisted hoisted(iteration);
  for (const NodePtr& node : iteration.nodes) {
    if (!wanted.count(node.get())) continue;
    Values operands;
    for (const Value& operand : node->operands()) {
      const auto at = added.find(operand.node.get());
      if (at != added.end()) operands.push_back({at->second, operand.result});
      else if (!is_number(operand)) operands.push_back(iteration.outside(operand));
      else operands.push_back(builder.operand(operand.operation().inputs[0], operand.element()));
    }
    const graph::OperationRef operation = hoisted.operation(node->operation, operands);
    NodePtr& copy = added[node.get()] = builder.add_decided(operation, std::move(operands));
    copy->name = node->name;
    copy->segment = node->segment;
  }
  return added;
}

/// An iteration as a region, with the operands of the operation that runs it.
struct Captured {
  graph::CapturedRegion region;
  Values operands;
};

Captured captured(Builder& builder, const ScanAttributes& attributes, const IterationGraph& iteration,
                  const Values& starts, const Values& xs) {
  Values roots = iteration.next;
  for (const Values* more : {&iteration.stacked, &iteration.summed})
    roots.insert(roots.end(), more->begin(), more->end());
  const IterationNodes nodes(iteration, roots);
  const std::unordered_map<const graph::Node*, NodePtr> before = add_before(builder, nodes);
  graph::Region region;
  region.carried = static_cast<int32_t>(iteration.carried.size());
  region.placed = static_cast<int32_t>(iteration.placed.size());
  region.stacked = static_cast<int32_t>(iteration.stacked.size());
  region.summed = static_cast<int32_t>(iteration.summed.size());
  region.iterations = attributes.over.size;
  region.calls = iteration.calls;
  region.micro = iteration.micro;
  Captured result;
  result.operands = starts;
  result.operands.insert(result.operands.end(), xs.begin(), xs.end());
  Values given = iteration.carried;
  given.insert(given.end(), iteration.placed.begin(), iteration.placed.end());
  ByValue known;
  const auto read = [&](const Value& value) {
    const auto at = before.find(value.node.get());
    if (at == before.end() && !nodes.is_outside(value)) return;
    if (nodes.is_leaf(value) || !known.try_emplace(key(value), known.size()).second) return;
    given.push_back(value);
    result.operands.push_back(at == before.end() ? nodes.outside(value) : Value{at->second, value.result});
    if (at == before.end() && nodes.outside(value).node->id >= iteration.first_node) builder.adopt(*value.node);
    ++region.constants;
  };
  std::vector<NodePtr> inside;
  for (const NodePtr& node : nodes.nodes) {
    if (before.count(node.get())) continue;
    inside.push_back(node);
    if (node->operation->op->role != graph::Role::kNumber) region.segments.push_back(node->segment);
    for (const Value& operand : node->operands()) read(operand);
  }
  for (const Value& root : roots) read(root);
  result.region = graph::make_region(graph::capture(inside, roots, given), std::move(region));
  return result;
}

/// The iteration, which also stacks where each of its values is not finite; but for those that are the same in each
/// iteration.
IterationGraph with_looks(const Builder& around, const IterationGraph& iteration) {
  IterationGraph looks = iteration;
  Values roots = iteration.next;
  for (const Values* more : {&iteration.stacked, &iteration.summed})
    roots.insert(roots.end(), more->begin(), more->end());
  const IterationNodes nodes(iteration, roots);
  Builder builder = inside_of(around);
  builder.context.no_grad = true;
  builder.context.segment = nullptr;
  const auto look = [&](const Value& value) {
    builder.context.mesh = value.mesh();
    looks.stacked.push_back(builder.add(kFirstNotFinite, {value}));
  };
  for (const Values* leaves : {&iteration.carried, &iteration.placed})
    for (const Value& leaf : *leaves)
      if (is_float(leaf.element())) look(leaf);
  for (const NodePtr& node : nodes.nodes) {
    if (nodes.invariant.count(node.get()) > 0) continue;
    for (size_t r = 0; r < node->operation->results.size(); ++r) {
      const Value value{node, static_cast<int>(r)};
      if (is_of_iterations(*node->operation, value.result)) looks.stacked.push_back(value);
      else if (is_looked_at(*node->operation, value.result)) look(value);
    }
  }
  return looks;
}

/// A leaf that stands in for a value within an iteration.
Value stand_in(Builder& builder, const TensorType& type, Sharding lies, AxisSet inherited, const MeshPtr& mesh) {
  return builder.constant(type, {std::move(lies), inherited, mesh, {}});
}

/// The iteration of an existing loop, added as graph again, with leaves for its tensors.
struct Again {
  Values tensors;              ///< a leaf for each input that is a tensor
  std::vector<NodePtr> nodes;  ///< of each operation of the iteration
  Values roots;
};

Again added_again(Builder& builder, const graph::Operation& operation) {
  const graph::Region& region = *operation.region;
  const graph::Program& iteration = region.iteration;
  Again again;
  Values inputs;
  graph::Successors now;
  for (size_t i = 0; i < iteration.inputs.size(); ++i) {
    const graph::LaidOutOperation& of = *iteration.inputs[i].operation;
    const TensorType& type = of.results[iteration.inputs[i].result];
    if (region.input_number[i] >= 0) {
      inputs.push_back(builder.number(operation.inputs[region.input_number[i]], type.element));
    } else {
      inputs.push_back(stand_in(builder, type, of.shardings[iteration.inputs[i].result],
                                of.inherited[iteration.inputs[i].result], of.mesh));
      inputs.back().node->name = iteration.inputs[i].name;
      again.tensors.push_back(inputs.back());
    }
    now.add(of, iteration.inputs[i].result, inputs.back().node->operation, 0);
  }
  const auto at = [&](graph::ProgramValue value) {
    return value.is_input() ? inputs[value.input()] : Value{again.nodes[value.source], value.result};
  };
  for (size_t i = 0; i < iteration.operations.size(); ++i) {
    const graph::ProgramOperation& entry = iteration.operations[i];
    auto copy = std::make_shared<graph::LaidOutOperation>(*entry.operation);
    const auto first = operation.inputs.begin() + region.first_number[i];
    copy->inputs.assign(first, first + static_cast<std::ptrdiff_t>(copy->inputs.size()));
    now.apply(copy->why);
    now.add(*entry.operation, copy);
    Values operands;
    for (const graph::ProgramValue& operand : iteration.operands_of(i)) operands.push_back(at(operand));
    again.nodes.push_back(builder.add_decided(copy, std::move(operands)));
    again.nodes.back()->name = entry.name;
    again.nodes.back()->segment = region.segments[i];
  }
  for (const graph::ProgramValue& root : iteration.roots) again.roots.push_back(at(root));
  return again;
}

/// The gradient of an iteration: the leaves and values that it reads, and its results.
class BackwardIteration {
 public:
  /// `wanted` marks the tensors of the iteration whose gradients are wanted. Gradients of all carries are wanted,
  /// because earlier iterations need them. `elements` holds the type of the gradient of each root that has one.
  BackwardIteration(Builder& builder, const graph::Operation& operation, std::vector<bool> wanted,
                    const std::vector<std::optional<ElementType>>& elements)
      : region_(*operation.region), again_(added_again(builder, operation)) {
    Values d_roots;
    Values roots;
    for (size_t r = 0; r < again_.roots.size(); ++r) {
      const Value& root = again_.roots[r];
      const bool is_carried = static_cast<int32_t>(r) < region_.carried;
      if (!is_float(root.element()) || (!is_carried && !elements[r])) continue;
      TensorType type = root.type();
      if (!is_carried) type.element = *elements[r];
      // A carry has the layout of its leaf, whatever layout the iteration computes it in.
      const Value& like = is_carried ? again_.tensors[r] : root;
      d_leaf[r] = stand_in(builder, is_carried ? like.type() : type, like.sharding(), like.inherited(), like.mesh());
      if (!like.node->name.empty()) d_leaf[r].node->name = Name("d_" + like.node->name.str());
      roots.push_back(root);
      d_roots.push_back(d_leaf[r]);
    }
    Values targets;
    std::vector<size_t> of;
    for (size_t i = 0; i < again_.tensors.size(); ++i) {
      if (!is_float(again_.tensors[i].element())) continue;
      if (static_cast<int32_t>(i) >= region_.carried && !wanted[i]) continue;
      targets.push_back(again_.tensors[i]);
      of.push_back(i);
    }
    const Values gradients = gradients_of(builder, roots, d_roots, targets);
    for (size_t t = 0; t < of.size(); ++t) d_tensor[of[t]] = gradients[t];
  }

  std::map<size_t, Value> d_leaf;    ///< by root: the leaf for its gradient
  std::map<size_t, Value> d_tensor;  ///< by tensor of the iteration: its gradient

  /// The leaves and saved values that the gradient reads. It computes all other values again. `is_kept` is true for a
  /// saved result of an operation of the iteration.
  struct Reads {
    std::vector<size_t> tensors;                ///< leaves, ascending
    std::vector<graph::ProgramValue> values;    ///< in program order
    std::set<graph::ProgramValue> from_memory;  ///< those of `values` that not only fusions read
  };
  Reads reads(const std::function<bool(graph::ProgramValue)>& is_kept) const {
    std::unordered_map<const graph::Node*, int32_t> position, leaf;
    for (size_t i = 0; i < again_.nodes.size(); ++i) position[again_.nodes[i].get()] = static_cast<int32_t>(i);
    for (size_t i = 0; i < again_.tensors.size(); ++i) leaf[again_.tensors[i].node.get()] = static_cast<int32_t>(i);
    Reads result;
    std::unordered_set<const graph::Node*> seen;
    std::vector<bool> read(again_.tensors.size());
    Values stack;
    for (const auto& [tensor, gradient] : d_tensor) stack.push_back(gradient);
    while (!stack.empty()) {
      const Value value = stack.back();
      stack.pop_back();
      if (const auto at = leaf.find(value.node.get()); at != leaf.end()) {
        read[at->second] = true;
        continue;
      }
      if (const auto at = position.find(value.node.get()); at != position.end()) {
        const graph::ProgramValue here{at->second, value.result};
        if (is_kept(here)) {
          if (std::find(result.values.begin(), result.values.end(), here) == result.values.end())
            result.values.push_back(here);
          continue;
        }
      }
      if (!seen.insert(value.node.get()).second) continue;
      const graph::Op& op = *value.operation().op;
      for (const Value& operand : value.node->operands()) {
        stack.push_back(operand);
        if (const auto at = position.find(operand.node.get()); at != position.end() && !op.lane && !op.reduction)
          result.from_memory.insert({at->second, operand.result});
      }
    }
    for (size_t i = 0; i < read.size(); ++i)
      if (read[i]) result.tensors.push_back(i);
    std::sort(result.values.begin(), result.values.end());
    return result;
  }

  const Value& tensor(size_t i) const { return again_.tensors[i]; }
  Value value(graph::ProgramValue at) const { return {again_.nodes[at.source], at.result}; }

  /// True for each loop-invariant operation of the iteration.
  std::vector<bool> invariant() const {
    std::vector<bool> same(again_.nodes.size());
    std::unordered_set<const graph::Node*> varies;
    for (int32_t i = 0; i < region_.carried + region_.placed; ++i) varies.insert(again_.tensors[i].node.get());
    for (size_t i = 0; i < again_.nodes.size(); ++i) {
      const graph::Node& node = *again_.nodes[i];
      same[i] = !is_random(*node.operation) &&
                std::none_of(node.operands().begin(), node.operands().end(),
                             [&](const Value& operand) { return varies.count(operand.node.get()) > 0; });
      if (!same[i]) varies.insert(&node);
    }
    return same;
  }

 private:
  const graph::Region& region_;
  Again again_;
};

/// True if the result has only dims of the operand, and so can have its layout. Computing it again then needs no
/// communication. (The saved values are a part of the program, which does not depend on layouts.)
bool keeps_names(const graph::LaidOutOperation& operation) {
  if (operation.operands.empty() || operation.op->role == graph::Role::kRepeat) return true;
  const Dims &from = operation.operands[0].dims, &to = operation.results[0].dims;
  return std::all_of(to.begin(), to.end(), [&](const Dim& dim) { return has_dim(from, dim.name); });
}

/// True if a fusion computes the operation's result from one operand of its size and from fewer numbers.
bool scales_one(const graph::Program& iteration, int32_t operation) {
  const graph::LaidOutOperation& made_by = *iteration.operations[operation].operation;
  if (!made_by.op->lane || !kernels::is_cheap(*made_by.op->lane)) return false;
  const size_t dims = made_by.results[0].dims.size();
  return std::count_if(made_by.operands.begin(), made_by.operands.end(),
                       [&](const TensorType& operand) { return operand.dims.size() == dims; }) == 1;
}

/// True if the operation is the cast of a slice of xs, such as the bf16 form of a layer's weight. The gradient casts
/// the slice again, so no second copy of the xs is kept.
bool casts_slice(const graph::Region& region, int32_t operation) {
  const graph::ProgramValue& operand = region.iteration.operands_of(static_cast<size_t>(operation))[0];
  return region.iteration.operations[operation].operation->op == &kCast && operand.is_input() &&
         region.is_placed(operand.input());
}

/// Removes two kinds of values: views of saved values, and values that fusions of the gradient compute again from saved
/// ones.
void leave_out_scaled(const graph::Program& iteration, const std::vector<bool>& invariant,
                      const std::set<graph::ProgramValue>& from_memory, std::vector<graph::ProgramValue>& saved) {
  const std::set<graph::ProgramValue> all(saved.begin(), saved.end());
  std::erase_if(saved, [&](const graph::ProgramValue& value) {
    const std::span<const graph::ProgramValue> operands = iteration.operands_of(value.source);
    const bool is_view = iteration.operations[value.source].operation->op->role == graph::Role::kView;
    return (is_view || (scales_one(iteration, value.source) && from_memory.count(value) == 0)) &&
           std::all_of(operands.begin(), operands.end(), [&](const graph::ProgramValue& operand) {
             return operand.is_input() || invariant[operand.source] || all.count(operand) > 0;
           });
  });
}

/// The values of an iteration that its gradient reads, except those that are cheap to compute again.
std::vector<graph::ProgramValue> values_to_save(const Builder& around, const graph::Operation& operation) {
  const graph::Region& region = *operation.region;
  Builder builder = inside_of(around);
  std::vector<std::optional<ElementType>> elements;
  for (const graph::ProgramValue& root : region.iteration.roots)
    elements.push_back(region.iteration.type(root).element);
  const BackwardIteration backward(builder, operation, std::vector<bool>(static_cast<size_t>(region.tensors()), true),
                                   elements);
  const std::vector<bool> same = backward.invariant();
  BackwardIteration::Reads reads = backward.reads([&](graph::ProgramValue value) {
    const graph::LaidOutOperation& made_by = *region.iteration.operations[value.source].operation;
    return !same[value.source] && !(is_cheap(made_by) && keeps_names(made_by)) && !casts_slice(region, value.source);
  });
  leave_out_scaled(region.iteration, same, reads.from_memory, reads.values);
  return reads.values;
}

/// Appends the values that the gradient will read to the ys of an iteration.
void save_for_gradient(const Builder& around, const graph::Op& op, const ScanAttributes& attributes, Captured& loop) {
  graph::Operation operation;
  operation.op = &op;
  operation.region = loop.region.region;
  operation.inputs = loop.region.numbers;
  std::vector<graph::ProgramValue> saved;
  for (int32_t c = 0; c < operation.region->carried; ++c) saved.push_back(graph::ProgramValue::input(c));
  if (!attributes.recompute)
    for (const graph::ProgramValue& value : values_to_save(around, operation)) saved.push_back(value);
  graph::Region region = *operation.region;
  const auto stacked = region.iteration.roots.begin() + region.carried;
  std::erase_if(saved, [&](const graph::ProgramValue& value) {
    return std::find(stacked, stacked + region.stacked, value) != stacked + region.stacked;
  });
  region.iteration.roots.insert(stacked + region.stacked, saved.begin(), saved.end());
  region.stacked += static_cast<int32_t>(saved.size());
  region.saved = static_cast<int32_t>(saved.size());
  loop.region.region = graph::with_form(std::move(region));
}

graph::Values scan_gradient(graph::GradientCall& call) {
  const graph::Operation& operation = call.operation;
  const graph::Region& region = *operation.region;
  const auto& forward = operation.attributes.get<ScanAttributes>();
  Builder inside = inside_of(call.builder);
  IterationGraph iteration;
  iteration.first_node = graph::new_node_id();
  iteration.calls = region.calls;
  iteration.micro = region.micro;
  std::vector<std::optional<ElementType>> elements(region.iteration.roots.size());
  for (size_t r = 0; r < elements.size(); ++r)
    if (call.d_results[r]) elements[r] = call.d_results[r].element();
  const BackwardIteration backward(inside, operation, call.wanted, elements);
  // A saved value is one of the roots. Other values are computed again from the saved ones.
  const auto saved_as = [&](graph::ProgramValue value) -> int {
    const auto begin = region.iteration.roots.begin() + region.carried, end = begin + region.stacked;
    const auto at = std::find(begin, end, value);
    return at == end ? -1 : static_cast<int>(at - region.iteration.roots.begin());
  };
  const BackwardIteration::Reads reads =
      backward.reads([&](graph::ProgramValue value) { return !forward.recompute && saved_as(value) >= 0; });
  Values starts, xs;
  std::vector<size_t> carried;
  for (size_t c = 0; c < static_cast<size_t>(region.carried); ++c) {
    if (!backward.d_leaf.count(c)) continue;
    carried.push_back(c);
    iteration.carried.push_back(backward.d_leaf.at(c));
    iteration.next.push_back(backward.d_tensor.at(c));
    const TensorType& type = operation.operands[c];
    starts.push_back(call.d_results[c] ? call.builder.cast(call.d_results[c], type.element) : call.builder.zeros(type));
  }
  const auto position = [&](const Value& leaf, const Value& all) {
    iteration.placed.push_back(leaf);
    xs.push_back(all);
  };
  for (const size_t i : reads.tensors) {
    if (static_cast<int32_t>(i) < region.carried) {
      const int root = saved_as(graph::ProgramValue::input(i));
      MTF_CHECK(root >= 0, "what is carried into the turns of a loop has not been kept");
      position(backward.tensor(i), call.results[root]);
    } else if (static_cast<int32_t>(i) < region.carried + region.placed) {
      position(backward.tensor(i), call.operands[i]);
    } else {
      iteration.constants.emplace_back(backward.tensor(i), call.operands[i]);
    }
  }
  for (const graph::ProgramValue value : reads.values) position(backward.value(value), call.results[saved_as(value)]);
  for (const auto& [root, leaf] : backward.d_leaf) {
    if (static_cast<int32_t>(root) < region.carried) continue;
    if (static_cast<int32_t>(root) < region.carried + region.stacked) position(leaf, call.d_results[root]);
    else iteration.constants.emplace_back(leaf, call.d_results[root]);
  }
  std::vector<size_t> stacked, summed;
  for (size_t i = static_cast<size_t>(region.carried); i < call.operands.size(); ++i) {
    const auto at = backward.d_tensor.find(i);
    if (at == backward.d_tensor.end()) continue;
    const bool is_placed = static_cast<int32_t>(i) < region.carried + region.placed;
    (is_placed ? iteration.stacked : iteration.summed).push_back(at->second);
    (is_placed ? stacked : summed).push_back(i);
  }
  ScanAttributes attributes{forward.over, !forward.reverse,   !forward.counts_down,
                            true,         forward.alternates, forward.chunks};
  const ScanResults results = add_scan(call.builder, attributes, iteration, std::move(starts), std::move(xs));
  Values gradients(call.operands.size());
  for (size_t k = 0; k < carried.size(); ++k) gradients[carried[k]] = results.carried[k];
  for (size_t k = 0; k < stacked.size(); ++k)
    gradients[stacked[k]] = call.builder.rename(results.stacked[k], call.operands[stacked[k]].dims());
  for (size_t k = 0; k < summed.size(); ++k) gradients[summed[k]] = results.summed[k];
  return gradients;
}

}  // namespace

constexpr graph::Op kScan = complete({
    .name = "scan",
    .family = "Loops",
    .doc = "A program that runs once for each place of a dim, with what it carries from turn to turn.",
    .attributes = &graph::kFormOf<ScanAttributes>,
    .infer = [](const graph::Operation& operation) -> std::vector<TensorType> {
      return results_of(*operation.region, operation.attributes.get<ScanAttributes>().over);
    },
    .space = [](const graph::Operation& operation) -> graph::IterationSpace {
      graph::IterationDim none;  // the operands have the layouts that the iterations read
      none.kind = graph::SplitKind::kWhole;
      none.operands.assign(operation.operands.size(), -1);
      none.results.assign(operation.results.size(), -1);
      return {{none}};
    },
    .gradient = scan_gradient,
    .role = graph::Role::kLoop,
});

Builder inside_of(const Builder& around) {
  Builder builder;
  builder.context = around.context;
  builder.context.random_calls = 0;
  builder.span = around.span;
  builder.written = false;
  return builder;
}

ScanResults add_scan(Builder& builder, ScanAttributes attributes, const IterationGraph& iteration, Values starts,
                     Values xs) {
  const IterationGraph looked_at = builder.context.check_finite ? with_looks(builder, iteration) : iteration;
  Captured loop = captured(builder, attributes, looked_at, starts, xs);
  if (!builder.context.no_grad) save_for_gradient(builder, kScan, attributes, loop);
  const int32_t saved = loop.region.region->saved;
  const Values all = builder.add_region(kScan, std::move(loop.operands), attributes, std::move(loop.region));
  const auto carried = all.begin() + static_cast<std::ptrdiff_t>(iteration.next.size());
  const auto stacked = carried + static_cast<std::ptrdiff_t>(iteration.stacked.size());
  const auto looks = static_cast<std::ptrdiff_t>(looked_at.stacked.size() - iteration.stacked.size());
  return {{all.begin(), carried}, {carried, stacked}, {stacked + looks + saved, all.end()}};
}

}  // namespace mtf::ops
