// Walks the nodes between the targets and the loss backwards. Each operation's gradient rule turns the gradients of its
// results into those of its operands, as more graph.
//
// Recomputation. When the walk enters a segment (graph.h), the nodes of the segment are copied. The copies compute the
// same values again, random numbers included. The gradient rules read the copies, so only a segment's inputs are kept
// from the forward pass. The copies of a segment are in the program behind the backward passes of later segments, and
// before its own. Thus one segment at a time is in memory (Chen et al. 2016, section 3).
//
// A segment without products that ends in a resharding (`recompute(fn(x) = x @ {..}, x)`) is an exception: gradient
// rules of operations behind the segment read a copy, too. So the block of x is kept, and gathered again for the
// backward pass (sequence parallelism: Korthikanti et al. 2022, section 4.2.2).
#include "ops/gradients.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "graph/history_end.h"
#include "graph/op.h"
#include "graph/value_table.h"
#include "ops/record.h"
#include "support/diagnostics.h"
#include "support/interrupt.h"
#include "support/restore.h"

namespace mtf::ops {
namespace {

/// True if the gradients of the node's results become gradients of its operands.
bool passes(const graph::Node& node) { return passes_gradients(*node.operation) && !reads_assigned(node); }

class Backward {
 public:
  Backward(Builder& builder, const graph::Values& results, const graph::Values& targets)
      : builder_(builder), results_(results), targets_(targets) {}

  /// `d_results` are the gradients of the results.
  graph::Values run(const graph::Values& d_results) {
    find_path();
    for (size_t r = 0; r < results_.size(); ++r) add_to(results_[r], d_results[r]);
    for (auto node = path_.rbegin(); node != path_.rend(); ++node) {
      check_interrupt();
      step(*node);
    }
    graph::Values results;
    for (const graph::Value& target : targets_) results.push_back(builder_.cast(gradient_of(target), target.element()));
    return results;
  }
  /// After run(): true if the loss depends on the target through differentiable nodes.
  bool leads_to(const graph::Value& target) const { return leads_.count(target.node.get()) > 0; }

 private:
  struct Key {
    const graph::Node* node;
    int result;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const {
      return std::hash<const void*>()(key.node) * 31 + static_cast<size_t>(key.result);
    }
  };

  /// Fills path_ with the nodes on a differentiable path from a target to the loss, in program order.
  void find_path() {
    std::unordered_set<const graph::Node*> wanted;
    for (const graph::Value& target : targets_) wanted.insert(target.node.get());
    std::vector<graph::NodePtr> reached;
    std::vector<graph::NodePtr> stack;
    const int64_t mark = graph::new_mark();
    for (const graph::Value& result : results_)
      if (std::exchange(result.node->mark, mark) != mark) stack.push_back(result.node);
    while (!stack.empty()) {
      graph::NodePtr node = std::move(stack.back());
      stack.pop_back();
      if (passes(*node)) {
        for (const graph::Value& operand : node->operands()) {
          if (operand.node->mark == mark || !is_float(operand.element())) continue;
          operand.node->mark = mark;
          stack.push_back(operand.node);
        }
      }
      reached.push_back(std::move(node));
    }
    std::sort(reached.begin(), reached.end(),
              [](const graph::NodePtr& a, const graph::NodePtr& b) { return a->id < b->id; });
    for (const graph::NodePtr& node : reached) {
      bool leads = wanted.count(node.get()) > 0;
      if (passes(*node))
        for (const graph::Value& operand : node->operands())
          leads = leads || (is_float(operand.element()) && leads_.count(operand.node.get()));
      if (!leads) continue;
      leads_.insert(node.get());
      path_.push_back(node);
    }
    check_ends(reached);
  }

  /// Fails if a target is behind the end of its history.
  void check_ends(const std::vector<graph::NodePtr>& reached) const {
    const std::shared_ptr<const graph::HistoryEnd> last = last_end(reached);
    if (!last) return;
    std::vector<bool> leads;
    for (const graph::Value& target : targets_) leads.push_back(leads_to(target));
    refuse_dropped(reached, targets_, leads, builder_.span);
    if (!lies_below_an_end(reached, targets_, leads)) return;
    fail(Diagnostic(Kind::grad_through_assigned, builder_.span,
                    "this gradient goes through `" + last->variable.str() + "`")
             .related(last->read, "read here")
             .related(last->assigned, "assigned here since")
             .help("take the gradient before the assignment"));
  }

  /// Adds a gradient of `of`. The gradient of a slice is added into the sum so far, never padded to the full size.
  void add_to(const graph::Value& of, const graph::Value& gradient) {
    graph::Values& parts = parts_[{of.node.get(), of.result}];
    if (!parts.empty() && is_part(gradient, parts.back())) parts.back() = accumulate(of, parts.back(), gradient);
    else if (!parts.empty() && is_part(parts.back(), gradient)) parts.back() = accumulate(of, gradient, parts.back());
    else parts.push_back(gradient);
  }

  static bool is_part(const graph::Value& part, const graph::Value& sum) {
    return part.operation().op->accumulate && part.element() == sum.element();
  }

  graph::Value accumulate(const graph::Value& of, const graph::Value& sum, const graph::Value& part) {
    MeshPtr mesh = builder_.context.mesh;
    builder_.context.mesh = of.mesh();
    const graph::Value result = builder_.accumulate_like(in_order(sum, part.dims()), part, of);
    builder_.context.mesh = mesh;
    return result;
  }

  /// The sum of the gradients of `of`, with its layout; zeros if there are none.
  graph::Value gradient_of(const graph::Value& of) {
    graph::Values& parts = parts_[{of.node.get(), of.result}];
    MeshPtr mesh = builder_.context.mesh;
    builder_.context.mesh = of.mesh();
    if (parts.empty()) parts.push_back(builder_.zeros(of.type()));
    graph::Value sum = parts[0];
    for (size_t i = 1; i < parts.size(); ++i) sum = builder_.add_like(sum, in_order(parts[i], sum.dims()), of);
    sum = builder_.cast(in_order(sum, of.dims()), gradient_element(of));
    sum = builder_.laid_like(sum, of);
    if (sum.node->name.empty() && !of.node->name.empty() && sum.node != of.node)
      sum.node->name = Name("d_" + of.node->name.str());
    builder_.context.mesh = mesh;
    graph::Values& own = parts_[{of.node.get(), of.result}];
    own.assign(1, sum);
    return sum;
  }

  /// Returns the gradient with its dims in the order `dims`.
  graph::Value in_order(const graph::Value& gradient, const Dims& dims) {
    if (gradient.dims() == dims) return gradient;
    MTF_CHECK(same_set(gradient.dims(), dims), "the gradient of {} is {}", to_string(dims), to_string(gradient.type()));
    return builder_.broadcast(gradient, dims);
  }

  void step(const graph::NodePtr& node) {
    const graph::LaidOutOperation& operation = *node->operation;
    if (!passes(*node)) return;
    std::vector<bool> wanted;
    bool any = false;
    for (const graph::Value& operand : node->operands()) {
      wanted.push_back(is_float(operand.element()) && leads_.count(operand.node.get()));
      any = any || wanted.back();
    }
    bool flows = false;
    graph::Values d_results(operation.results.size());
    for (size_t r = 0; r < operation.results.size(); ++r) {
      const graph::Value result{node, static_cast<int>(r)};
      auto at = parts_.find({node.get(), static_cast<int>(r)});
      if (at == parts_.end() || at->second.empty()) continue;
      d_results[r] = gradient_of(result);
      flows = true;
    }
    if (!any || !flows) return;
    graph::Values operands, results;
    for (const graph::Value& operand : node->operands()) {
      const graph::Value resharded = resharded_again(operand);
      operands.push_back(resharded ? resharded : again(operand, node->segment));
    }
    for (size_t r = 0; r < operation.results.size(); ++r)
      results.push_back(again({node, static_cast<int>(r)}, node->segment));
    MeshPtr mesh = builder_.context.mesh;
    builder_.context.mesh = operation.mesh;
    const graph::CallFrameRef taken_in = builder_.frame();
    if (taken_in)
      builder_.context.frame = std::make_shared<const graph::CallFrame>(graph::CallFrame{
          .caller = operation.frame, .span = operation.span, .callee = {}, .path = {}, .backward = true});
    graph::GradientCall call{builder_, operation, operands, results, d_results, wanted};
    std::vector<graph::Value> gradients = operation.op->gradient(call);
    builder_.context.mesh = mesh;
    builder_.context.frame = taken_in;
    MTF_CHECK(gradients.size() == node->operands().size(), "the gradient of {} gives {} for {} operands",
              operation.op->name, gradients.size(), node->operands().size());
    for (size_t k = 0; k < gradients.size(); ++k)
      if (wanted[k] && gradients[k]) add_to(node->operands()[k], gradients[k]);
  }

  /// True if the backward pass computes the value again. The value must have been made in the segment, must not be
  /// computed, and must not be held. A pending backward pass is not computed again.
  static bool is_inside(const graph::Value& value, const graph::SegmentRef& segment) {
    const graph::Node& node = *value.node;
    if (!segment || node.segment != segment || node.operation->op->is_leaf()) return false;
    if (segment->is_backward && graph::ValueTable::is_pending(node)) return false;
    return !node.is_held() && !node.is_computed(value.result);
  }

  /// The value that the backward pass of an operation of `segment` reads: `value`, or its copy if it was made in that
  /// segment.
  graph::Value again(const graph::Value& value, const graph::SegmentRef& segment) {
    if (!is_inside(value, segment)) return value;
    auto at = copies_.find(value.node.get());
    if (at != copies_.end()) return {at->second, value.result};
    // Copy everything inside the segment that the value depends on, operands first (in program order).
    std::vector<graph::NodePtr> nodes;
    std::vector<graph::NodePtr> stack{value.node};
    const int64_t mark = graph::new_mark();
    value.node->mark = mark;
    while (!stack.empty()) {
      graph::NodePtr node = std::move(stack.back());
      stack.pop_back();
      for (const graph::Value& operand : node->operands()) {
        if (!is_inside(operand, segment) || operand.node->mark == mark || copies_.count(operand.node.get())) continue;
        operand.node->mark = mark;
        stack.push_back(operand.node);
      }
      nodes.push_back(std::move(node));
    }
    std::sort(nodes.begin(), nodes.end(),
              [](const graph::NodePtr& a, const graph::NodePtr& b) { return a->id < b->id; });
    for (const graph::NodePtr& node : nodes) {
      graph::Values operands = node->operands();
      for (graph::Value& operand : operands)
        if (auto it = copies_.find(operand.node.get()); it != copies_.end() && is_inside(operand, segment))
          operand.node = it->second;
      graph::NodePtr copy = builder_.add_copy(*node, std::move(operands));
      copy->again = segment;
      copies_[node.get()] = copy;
    }
    return {copies_[value.node.get()], value.result};
  }

  /// True if the part of its segment that the value depends on multiplies no matrices and runs no loop, so that a copy
  /// costs little.
  static bool costs_little(const graph::Value& value) {
    const graph::SegmentRef& segment = value.node->segment;
    std::vector<const graph::Node*> stack{value.node.get()};
    const int64_t mark = graph::new_mark();
    while (!stack.empty()) {
      const graph::Node& node = *stack.back();
      stack.pop_back();
      const graph::LaidOutOperation& operation = *node.operation;
      if (operation.region || operation.op->work == graph::Work::kContraction ||
          operation.op->work == graph::Work::kProducts)
        return false;
      for (const graph::Value& operand : node.operands()) {
        if (!is_inside(operand, segment) || operand.node->mark == mark) continue;
        operand.node->mark = mark;
        stack.push_back(operand.node.get());
      }
    }
    return true;
  }

  /// Returns the copy of a value that a segment has resharded last, or that is a view of such a value; else nothing.
  graph::Value resharded_again(const graph::Value& value) {
    const graph::Node& node = *value.node;
    const graph::Op& op = *node.operation->op;
    if (op.role != graph::Role::kView || node.operands().size() != 1 || !passes(node)) return {};
    if (node.is_held() || node.is_computed(value.result)) return {};
    if (&op == &kLayout && node.segment && !node.segment->is_backward)
      return costs_little(value) ? again(value, node.segment) : graph::Value();
    if (const auto at = copies_.find(&node); at != copies_.end()) return {at->second, value.result};
    const graph::Value of = resharded_again(node.operands()[0]);
    if (!of) return {};
    const graph::NodePtr copy = builder_.add_copy(node, {of});
    copy->again = of.node->again;
    copies_[&node] = copy;
    return {copy, value.result};
  }

  Builder& builder_;
  const graph::Values& results_;
  const graph::Values& targets_;
  std::vector<graph::NodePtr> path_;
  std::unordered_set<const graph::Node*> leads_;
  std::unordered_map<Key, graph::Values, Hash> parts_;
  std::unordered_map<const graph::Node*, graph::NodePtr> copies_;
};

/// Sets the builder's state for nodes that the program did not write. A backward pass is a segment, so a held gradient
/// keeps only the inputs of the pass. Gradients are printed more often than differentiated again.
class Unwritten {
 public:
  explicit Unwritten(Builder& builder)
      : written_(builder.written, false),
        segment_(builder.context.segment, std::make_shared<const graph::Segment>(graph::Segment{.is_backward = true})) {
  }

 private:
  Restore<bool> written_;
  Restore<graph::SegmentRef> segment_;
};

}  // namespace

graph::Values gradients(Builder& builder, const graph::Value& loss, const graph::Values& targets,
                        std::vector<bool>* reached) {
  if (!loss.dims().empty() || !is_float(loss.element()))
    fail(Kind::grad_not_scalar, builder.span, "expected a number such as `sum(…)` or `mean(…)` gives, found {}",
         to_string(loss.type()));
  Unwritten unwritten(builder);
  const graph::Values of{loss};
  Backward backward(builder, of, targets);
  graph::Values results = backward.run({builder.number(1, loss.element())});
  if (reached)
    for (const graph::Value& target : targets) reached->push_back(backward.leads_to(target));
  return results;
}

graph::Values gradients_of(Builder& builder, const graph::Values& results, const graph::Values& d_results,
                           const graph::Values& targets) {
  Unwritten unwritten(builder);
  return Backward(builder, results, targets).run(d_results);
}

graph::Values gradient_of_expansion(graph::GradientCall& call) {
  Builder& b = call.builder;
  graph::Values operands, targets, gradients(call.operands.size());
  for (size_t k = 0; k < call.operands.size(); ++k) {  // each operand separately, even if one depends on another
    operands.push_back(is_float(call.operands[k].element()) ? b.add(kStopGradient, {call.operands[k]})
                                                            : call.operands[k]);
    if (call.wants(k)) targets.push_back(operands[k]);
  }
  graph::ExpandCall expansion{b, call.operation, operands};
  const graph::Values results = call.operation.op->expand(expansion);
  graph::Values of, d_results;
  for (size_t r = 0; r < results.size(); ++r) {
    if (!call.d_results[r]) continue;
    of.push_back(results[r]);
    d_results.push_back(call.d_results[r]);
  }
  const graph::Values found = gradients_of(b, of, d_results, targets);
  for (size_t k = 0, next = 0; k < call.operands.size(); ++k)
    if (call.wants(k)) gradients[k] = found[next++];
  return gradients;
}

graph::GradientReads reads_of_gradient(const graph::LaidOutOperation& operation, const std::vector<bool>& wanted) {
  Builder builder;
  builder.context.mesh = operation.mesh;
  builder.span = operation.span;
  builder.written = false;
  auto stand_in = [&](const TensorType& type) { return builder.add_node(kConstant, {}, TypeAttributes{type})[0]; };
  graph::Values operands, results, d_results;
  for (const TensorType& type : operation.operands) operands.push_back(stand_in(type));
  for (const TensorType& type : operation.results) {
    results.push_back(stand_in(type));
    d_results.push_back(is_float(type.element) ? stand_in(type) : graph::Value());
  }
  graph::GradientCall call{builder, operation, operands, results, d_results, wanted};
  const graph::Values gradients = operation.op->gradient(call);
  graph::GradientReads reads;
  const int64_t mark = graph::new_mark();
  std::vector<graph::NodePtr> stack;
  for (size_t k = 0; k < gradients.size(); ++k)
    if (wanted[k] && gradients[k]) stack.push_back(gradients[k].node);
  while (!stack.empty()) {
    graph::NodePtr node = std::move(stack.back());
    stack.pop_back();
    if (node->mark == mark) continue;
    node->mark = mark;
    for (const graph::Value& operand : node->operands()) stack.push_back(operand.node);
  }
  for (const graph::Value& operand : operands) reads.operands.push_back(operand.node->mark == mark);
  for (const graph::Value& result : results) reads.results.push_back(result.node->mark == mark);
  return reads;
}

}  // namespace mtf::ops
