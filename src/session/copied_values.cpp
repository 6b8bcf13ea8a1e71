#include "session/copied_values.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "eval/evaluator.h"
#include "graph/layout_record.h"
#include "graph/layouts.h"
#include "graph/op.h"
#include "graph/relayout.h"
#include "syntax/walk.h"

namespace mtf::session {
namespace {

/// True if an operation's values are still the node's operands: none was released.
bool keeps_operands(const graph::Node& node) {
  return node.operands().size() == node.operation->operands.size() && node.operation->op != &ops::kConstant;
}

/// False if the rules claim one axis for two dims of the tensor.
bool speak_of(const Layout& rules, const TensorType& type, const Mesh& mesh, Span span) {
  try {
    graph::sharding_of(type, rules, mesh, span);
    return true;
  } catch (const UserError&) { return false; }
}

/// Copies values in the graph of an evaluator. Under an assumption, gives the copies the layout of the evaluator's
/// settings.
class Copies {
 public:
  Copies(eval::Evaluator& evaluator, bool anew)
      : evaluator_(evaluator), builder_(evaluator.builder), are_laid_out_anew_(anew) {
    if (!anew) return;
    if (evaluator.settings.mesh)
      builder_.context.mesh = mesh_ = std::make_shared<const Mesh>(Name("mesh"), *evaluator.settings.mesh);
    if (evaluator.settings.layout)
      builder_.context.layout = rules_ = std::make_shared<const Layout>(*evaluator.settings.layout);
  }

  /// Copies everything that the values depend on, as far as it is kept.
  void add(const graph::Values& values) {
    std::vector<graph::NodePtr> nodes;
    std::unordered_set<const graph::Node*> seen;
    for (const auto& [node, copy] : copied_) seen.insert(node);
    for (const graph::Value& value : values)
      if (seen.insert(value.node.get()).second) nodes.push_back(value.node);
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!are_copied(*nodes[i])) continue;
      const graph::NodePtr node = nodes[i];  // the list grows
      for (const graph::Value& operand : node->operands())
        if (seen.insert(operand.node.get()).second) nodes.push_back(operand.node);
    }
    std::sort(nodes.begin(), nodes.end(),
              [](const graph::NodePtr& a, const graph::NodePtr& b) { return a->id < b->id; });
    for (const graph::NodePtr& node : nodes)
      if (are_copied(*node)) copy(*node);
  }

  graph::Value of(const graph::Value& value) {
    if (const auto at = copied_.find(value.node.get()); at != copied_.end()) return {at->second, value.result};
    const auto [at, fresh] = given_up_.try_emplace({value.node.get(), value.result});
    if (fresh) {
      at->second = without_operands(value.operation(), value.result);
      take_marks(*at->second.node, *value.node);
    }
    return at->second;
  }

  /// Returns the layout in which a variable's copy is stored.
  graph::GivenLayout of(const graph::GivenLayout& stored, const graph::Value& current) const {
    graph::GivenLayout layout = stored;
    if (!are_laid_out_anew_) return layout;
    const graph::LaidOutOperation& lies = current.operation();
    layout.sharding = lies.shardings[0];
    layout.mesh = lies.mesh;
    layout.why = lies.why;
    return layout;
  }

 private:
  /// True if the node is copied as it is. For another layout, a node that has released its operands is replaced by
  /// copies of its results.
  bool are_copied(const graph::Node& node) const { return !are_laid_out_anew_ || keeps_operands(node); }

  /// Copies the marks of the program on a node, which are not part of its operation.
  static void take_marks(graph::Node& copy, const graph::Node& original) {
    copy.id = original.id;
    copy.name = original.name;
    copy.variable = original.variable;
    copy.segment = original.segment;
    copy.again = original.again;
    copy.ended = original.ended;
  }

  void copy(const graph::Node& node) {
    graph::Values operands;
    for (const graph::Value& operand : node.operands()) operands.push_back(of(operand));
    graph::NodePtr copied = are_laid_out_anew_ ? add(reason_known(*node.operation), std::move(operands))
                                               : builder_.add_decided(node.operation, std::move(operands));
    if (are_laid_out_anew_) operations_[node.operation.get()] = copied->operation;
    else builder_.table->as_in_another(*copied, node);
    take_marks(*copied, node);
    copied_[&node] = std::move(copied);
  }

  /// A value made without a mesh gets the current mesh if another layout is assumed.
  const MeshPtr& mesh_of(const graph::LaidOutOperation& was) const {
    if (mesh_) return mesh_;
    return rules_ && was.mesh->name().empty() ? builder_.context.mesh : was.mesh;
  }

  /// A value that a cut has computed only for gradients is laid out by the rules again, until the next cut computes it.
  graph::LaidOutOperation reason_known(const graph::LaidOutOperation& was) const {
    graph::LaidOutOperation known = was;
    if (known.origin == graph::LayoutOrigin::kComputed) {
      known.origin = graph::LayoutOrigin::kRules;
      known.why.rules = builder_.context.layout;
    }
    if (!known.frame) known.frame = builder_.frame();
    return known;
  }

  graph::NodePtr add(const graph::LaidOutOperation& was, graph::Values operands) {
    std::vector<graph::OperandLayout> layouts;
    for (const graph::Value& operand : operands)
      layouts.push_back({&operand.sharding(), operand.inherited(), operand.mesh().get()});
    graph::LaidOutOperation known = was;
    if (known.why.like)
      std::tie(known.why.like, known.why.like_result) = followed(known.why.like, known.why.like_result);
    return builder_.add_decided(laid_out_again(known, layouts, nullptr, mesh_of(was), rules_), std::move(operands));
  }

  /// Copies a result of a released node with its present layout, then reshards it to the layout that it should have.
  graph::Value without_operands(const graph::LaidOutOperation& was, int result) {
    const auto r = static_cast<size_t>(result);
    const graph::LaidOutOperation known = reason_known(was);
    graph::LaidOutOperation again;
    again.op = was.op == &ops::kAssign                       ? &ops::kAssign
               : known.origin == graph::LayoutOrigin::kRules ? &ops::kCopy
                                                             : &ops::kLayout;
    again.operands = again.results = {was.results[r]};
    again.mesh = was.mesh;
    again.shardings = {was.shardings[r]};
    again.inherited = {was.inherited[r]};
    again.origin = known.origin;
    again.why = known.why;
    again.written = was.written;
    again.span = was.span;
    again.frame = known.frame;
    const MeshPtr& mesh = mesh_of(was);
    builder_.span = was.span;
    // The new rules replace the rules that gave a layout. A value that copies a node's layout because rules clash still
    // copies it.
    const LayoutPtr& rules = rules_ ? rules_ : known.why.rules;
    if (known.origin == graph::LayoutOrigin::kRules && was.written && rules && !was.inherited[r] &&
        (!was.why.rules || speak_of(*was.why.rules, was.results[r], *was.mesh, was.span)))
      graph::sharding_of(was.results[r], *rules, *mesh, was.span);
    const graph::Value there = builder_.constant(was.results[r], {graph::on_mesh(was.shardings[r], *was.mesh, *mesh),
                                                                  graph::on_mesh(was.inherited[r], *was.mesh, *mesh),
                                                                  mesh,
                                                                  {}});
    evaluator_.execution()->place_own(*there.node, {was.results[r], {}});
    const graph::LayoutReason& why = again.why;
    if (again.origin == graph::LayoutOrigin::kGiven && !why.rules && !why.like && !why.asked) return there;
    return {add(again, {there}), 0};
  }

  /// Returns the copy of the node whose layout is copied.
  std::pair<graph::OperationRef, int> followed(const graph::OperationRef& like, int result) {
    if (const auto at = operations_.find(like.get()); at != operations_.end()) return {at->second, result};
    const auto [at, fresh] = followed_.try_emplace({like.get(), result});
    if (fresh) at->second = without_operands(*like, result);
    return {at->second.node->operation, at->second.result};
  }

  eval::Evaluator& evaluator_;
  ops::Builder& builder_;
  const bool are_laid_out_anew_;
  MeshPtr mesh_;
  LayoutPtr rules_;
  std::unordered_map<const graph::Node*, graph::NodePtr> copied_;
  std::unordered_map<const graph::LaidOutOperation*, graph::OperationRef> operations_;  ///< the copied operations
  std::map<std::pair<const graph::Node*, int>, graph::Value> given_up_;
  std::map<std::pair<const graph::LaidOutOperation*, int>, graph::Value> followed_;
};

/// Finds the tensors that a program can read: those behind the names in its text, and behind the names in the functions
/// and models that they lead to.
class ReadByProgram {
 public:
  void find(const ast::Block& program, const eval::ScopePtr& top) {
    add_named(program.facts->mentions(), *top);
    add_named(program.facts->assigns, *top);
    while (!waiting_.empty()) {
      const eval::HostValue value = std::move(waiting_.back());
      waiting_.pop_back();
      look(value);
    }
  }
  bool reads(const graph::Handle& handle) const { return seen_.contains(handle.value().node.get()); }

 private:
  void add_named(const ast::NameSet& names, eval::Scope& scope) {
    for (const Name name : names)
      if (const eval::Scope::Found found = scope.find(name); found.binding) waiting_.push_back(found.binding->value);
  }
  void add_all(const eval::Scope& scope) {
    for (const auto* bindings : {&scope.bindings, &scope.hoisted})
      for (const eval::Binding& binding : *bindings) waiting_.push_back(binding.value);
  }
  bool is_new(const void* what) { return seen_.insert(what).second; }
  void look(const eval::HostValue& value) {
    if (auto* handle = value.as<graph::Handle>()) {
      seen_.insert(handle->value().node.get());
    } else if (auto* variable = value.as<eval::VariablePtr>()) {
      seen_.insert((*variable)->current.value().node.get());
    } else if (auto* list = value.as<eval::ListPtr>()) {
      if (is_new(list->get())) waiting_.insert(waiting_.end(), (*list)->items.begin(), (*list)->items.end());
    } else if (auto* instance = value.as<eval::InstancePtr>()) {
      if (!is_new(instance->get())) return;
      add_all(*(*instance)->scope);
      waiting_.emplace_back((*instance)->model);
    } else if (auto* function = value.as<eval::FunctionPtr>()) {
      const eval::Function& called = **function;
      if (is_new(&called)) add_named((*called.text.facts)->captured, *called.scope);
    } else if (auto* model = value.as<eval::ModelClassPtr>()) {
      if (is_new(model->get())) add_named((*model)->declaration->facts->captured, *(*model)->scope);
    } else if (auto* module = value.as<eval::ModulePtr>()) {
      if ((*module)->scope && is_new(module->get())) add_all(*(*module)->scope);
    }
  }

  std::vector<eval::HostValue> waiting_;
  std::unordered_set<const void*> seen_;  ///< nodes, and what leads to others
};

}  // namespace

/// Finds every location that holds values, once each.
class CopiedValues::Walk {
 public:
  explicit Walk(std::vector<Holder>& holders) : holders_(holders) {}

  void over(const eval::ScopePtr& scope) {
    enter(scope);
    while (!scopes_.empty() || !lists_.empty()) {
      if (!lists_.empty()) {
        const eval::ListPtr list = std::move(lists_.back());
        lists_.pop_back();
        for (size_t i = 0; i < list->items.size(); ++i) look({list, nullptr, nullptr, i}, list->items[i]);
        continue;
      }
      const eval::ScopePtr next = std::move(scopes_.back());
      scopes_.pop_back();
      for (size_t i = 0; i < next->bindings.size(); ++i) look({nullptr, next, nullptr, i}, next->bindings[i].value);
      for (const eval::Binding& binding : next->hoisted) look({}, binding.value);
    }
  }

 private:
  void enter(const eval::ScopePtr& scope) {
    for (eval::ScopePtr each = scope; each && seen_.insert(each.get()).second; each = each->parent)
      scopes_.push_back(each);
  }
  void look(Holder holder, const eval::HostValue& value) {
    if (value.is<graph::Handle>()) {
      holders_.push_back(std::move(holder));
    } else if (auto* variable = value.as<eval::VariablePtr>()) {
      if (seen_.insert(variable->get()).second) holders_.push_back({nullptr, nullptr, *variable});
    } else if (auto* list = value.as<eval::ListPtr>()) {
      if (seen_.insert(list->get()).second) lists_.push_back(*list);
    } else if (auto* instance = value.as<eval::InstancePtr>()) {
      enter((*instance)->scope);
      enter((*instance)->model->scope);
    } else if (auto* function = value.as<eval::FunctionPtr>()) {
      enter((*function)->scope);
    } else if (auto* model = value.as<eval::ModelClassPtr>()) {
      enter((*model)->scope);
    } else if (auto* module = value.as<eval::ModulePtr>()) {
      enter((*module)->scope);
    }
  }

  std::vector<Holder>& holders_;
  std::vector<eval::ScopePtr> scopes_;
  std::vector<eval::ListPtr> lists_;
  std::unordered_set<const void*> seen_;
};

eval::HostValue& CopiedValues::Holder::value() const {
  return list ? list->items[index] : scope->bindings[index].value;
}

const graph::Handle& CopiedValues::Holder::handle() const {
  return variable ? variable->current : *value().as<graph::Handle>();
}

CopiedValues::CopiedValues(eval::Evaluator& evaluator, How how, const ast::Block* reader) {
  const bool anew = how == How::kLaidOutAnew;
  Walk(holders_).over(evaluator.top());
  ReadByProgram read;
  const bool reads_all = !anew || !reader;
  if (!reads_all) read.find(*reader, evaluator.top());
  graph::Values must_fit;
  for (const Holder& holder : holders_)
    if (reads_all || read.reads(holder.handle())) must_fit.push_back(holder.handle().value());
  Copies copies(evaluator, anew);
  const auto take_copy = [&](Holder& holder) {
    const graph::Handle& original = holder.handle();
    graph::Handle copy = copies.of(original.value());
    if (original.is_aside()) copy.set_aside();
    if (holder.variable) {
      holder.stored = copies.of(holder.variable->stored, copy.value());
      if (const auto& record = evaluator.builder.record)
        record->add_variable(copy.value().operation(), holder.variable->trainable, holder.variable->declared,
                             holder.variable->begins);
    }
    holder.other = std::move(copy);
  };
  copies.add(must_fit);
  std::erase_if(holders_, [&](Holder& holder) {
    if (reads_all || read.reads(holder.handle())) {
      take_copy(holder);
      return false;
    }
    Diagnostics unfit;
    return !unfit.attempt([&] {
      copies.add({holder.handle().value()});
      take_copy(holder);
    });
  });
  exchange();
}

CopiedValues::~CopiedValues() { exchange(); }

void CopiedValues::exchange() {
  for (Holder& holder : holders_) {
    if (!holder.variable) {
      std::swap(holder.value(), holder.other);
      continue;
    }
    std::swap(holder.variable->current, std::get<graph::Handle>(holder.other.data));
    std::swap(holder.variable->stored, holder.stored);
  }
}

}  // namespace mtf::session
