#include "session/laid_anew.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "eval/evaluator.h"
#include "graph/layout_record.h"
#include "graph/op.h"
#include "graph/relayout.h"

namespace mtf {
namespace {

/// The values that an operation has are those of its node's operands: none of them has been given up.
bool keeps_operands(const Node& node) { return node.operands().size() == node.operation->operands.size() && node.operation->op != &ops::kConstant; }

/// Copies of values, laid out again as the settings of an evaluator say, in its graph.
class Copies {
 public:
  explicit Copies(Evaluator& evaluator) : evaluator_(evaluator), builder_(evaluator.builder), stored_(evaluator.settings.stored.get()) {
    if (evaluator.settings.mesh) builder_.context.mesh = mesh_ = std::make_shared<const Mesh>(Name("mesh"), *evaluator.settings.mesh);
    if (evaluator.settings.layout) builder_.context.layout = rules_ = std::make_shared<const Layout>(Layout{Name(), *evaluator.settings.layout, {}});
  }

  /// Those of everything that the values are made of, as far as it is kept.
  void add(const Values& values) {
    std::vector<NodePtr> nodes;
    std::unordered_set<const Node*> seen;
    for (const Value& value : values)
      if (seen.insert(value.node.get()).second) nodes.push_back(value.node);
    for (size_t i = 0; i < nodes.size(); ++i) {
      if (!keeps_operands(*nodes[i])) continue;
      const NodePtr node = nodes[i];  // the list grows
      for (const Value& operand : node->operands())
        if (seen.insert(operand.node.get()).second) nodes.push_back(operand.node);
    }
    std::sort(nodes.begin(), nodes.end(), [](const NodePtr& a, const NodePtr& b) { return a->id < b->id; });
    for (const NodePtr& node : nodes)
      if (keeps_operands(*node)) copy(*node);
  }

  Value of(const Value& value) {
    if (const auto at = copied_.find(value.node.get()); at != copied_.end()) return {at->second, value.result};
    const auto [at, fresh] = given_up_.try_emplace({value.node.get(), value.result});
    if (fresh) {
      at->second = without_operands(value.operation(), value.result);
      take_marks(*at->second.node, *value.node);
    }
    return at->second;
  }

  /// Where a variable is stored.
  GivenLayout of(const GivenLayout& stored, const Value& current) const {
    GivenLayout layout = stored;
    const LaidOutOperation& lies = current.operation();
    layout.sharding = lies.shardings[0];
    layout.mesh = lies.mesh;
    layout.why = lies.why;
    return layout;
  }

 private:
  /// What a program says of a node besides its operation.
  static void take_marks(Node& copy, const Node& original) {
    copy.id = original.id;
    copy.name = original.name;
    copy.place = original.place;
    copy.replica = original.replica;
    copy.ended = original.ended;
  }

  void copy(const Node& node) {
    Values operands;
    for (const Value& operand : node.operands()) operands.push_back(of(operand));
    NodePtr copied = add(reason_known(*node.operation), std::move(operands));
    operations_[node.operation.get()] = copied->operation;
    take_marks(*copied, node);
    copied_[&node] = std::move(copied);
  }

  /// What was made under no mesh comes to the one in force where another layout is assumed.
  const MeshPtr& mesh_of(const LaidOutOperation& was) const {
    if (mesh_) return mesh_;
    return rules_ && was.mesh->name().empty() ? builder_.context.mesh : was.mesh;
  }

  /// What a cut has computed for gradients alone is laid out by the rules again, until the next cut does.
  LaidOutOperation reason_known(const LaidOutOperation& was) const {
    LaidOutOperation known = was;
    if (known.origin == LayoutOrigin::kComputed) {
      known.origin = LayoutOrigin::kRules;
      known.why.rules = builder_.context.layout;
    }
    if (!known.frame) known.frame = builder_.context.frame;
    return known;
  }

  NodePtr add(const LaidOutOperation& was, Values operands) {
    std::vector<OperandLayout> layouts;
    for (const Value& operand : operands) layouts.push_back({&operand.sharding(), operand.inherited(), operand.mesh().get()});
    LaidOutOperation known = was;
    if (known.why.like) std::tie(known.why.like, known.why.like_result) = followed(known.why.like, known.why.like_result);
    return builder_.add_decided(laid_out_again(known, layouts, nullptr, mesh_of(was), rules_, stored_), std::move(operands));
  }

  /// A result as it lies, then where it would lie.
  Value without_operands(const LaidOutOperation& was, int result) {
    const auto r = static_cast<size_t>(result);
    const LaidOutOperation known = reason_known(was);
    LaidOutOperation again;
    again.op = was.op == &ops::kAssign ? &ops::kAssign : known.origin == LayoutOrigin::kRules ? &ops::kCopy : &ops::kLayout;
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
    const Value there = builder_.constant(was.results[r], {on_mesh(was.shardings[r], *was.mesh, *mesh), on_mesh(was.inherited[r], *was.mesh, *mesh), mesh, {}});
    evaluator_.execution()->place_own(*there.node, {was.results[r], {}});
    const LayoutReason& why = again.why;
    if (again.origin == LayoutOrigin::kGiven && !why.rules && !why.like && !why.asked) return there;
    return {add(again, {there}), 0};
  }

  /// Where what is followed lies.
  std::pair<OperationRef, int> followed(const OperationRef& like, int result) {
    if (const auto at = operations_.find(like.get()); at != operations_.end()) return {at->second, result};
    const auto [at, fresh] = followed_.try_emplace({like.get(), result});
    if (fresh) at->second = without_operands(*like, result);
    return {at->second.node->operation, at->second.result};
  }

  Evaluator& evaluator_;
  Builder& builder_;
  MeshPtr mesh_;
  LayoutPtr rules_;
  const StoredLayouts* const stored_;
  std::unordered_map<const Node*, NodePtr> copied_;
  std::unordered_map<const LaidOutOperation*, OperationRef> operations_;  ///< of those
  std::map<std::pair<const Node*, int>, Value> given_up_;
  std::map<std::pair<const LaidOutOperation*, int>, Value> followed_;
};

}  // namespace

/// Finds what holds values, each once.
class LaidAnew::Walk {
 public:
  explicit Walk(std::vector<Holder>& holders) : holders_(holders) {}

  void over(const ScopePtr& scope) {
    enter(scope);
    while (!scopes_.empty() || !lists_.empty()) {
      if (!lists_.empty()) {
        const ListPtr list = std::move(lists_.back());
        lists_.pop_back();
        for (size_t i = 0; i < list->items.size(); ++i) look({list, nullptr, nullptr, i}, list->items[i]);
        continue;
      }
      const ScopePtr next = std::move(scopes_.back());
      scopes_.pop_back();
      for (size_t i = 0; i < next->bindings.size(); ++i) look({nullptr, next, nullptr, i}, next->bindings[i].value);
      for (const Binding& binding : next->hoisted) look({}, binding.value);
    }
  }

 private:
  void enter(const ScopePtr& scope) {
    for (ScopePtr each = scope; each && seen_.insert(each.get()).second; each = each->parent) scopes_.push_back(each);
  }
  void look(Holder holder, const HostValue& value) {
    if (value.is<Handle>()) {
      holders_.push_back(std::move(holder));
    } else if (auto* place = value.as<PlacePtr>()) {
      if (seen_.insert(place->get()).second) holders_.push_back({nullptr, nullptr, *place});
    } else if (auto* list = value.as<ListPtr>()) {
      if (seen_.insert(list->get()).second) lists_.push_back(*list);
    } else if (auto* instance = value.as<InstancePtr>()) {
      enter((*instance)->scope);
      enter((*instance)->model->scope);
    } else if (auto* function = value.as<FunctionPtr>()) {
      enter((*function)->scope);
    } else if (auto* model = value.as<ModelClassPtr>()) {
      enter((*model)->scope);
    } else if (auto* module = value.as<ModulePtr>()) {
      enter((*module)->scope);
    }
  }

  std::vector<Holder>& holders_;
  std::vector<ScopePtr> scopes_;
  std::vector<ListPtr> lists_;
  std::unordered_set<const void*> seen_;
};

Handle& LaidAnew::Holder::handle() const {
  if (place) return place->current;
  return std::get<Handle>((list ? list->items[index] : scope->bindings[index].value).data);
}

LaidAnew::LaidAnew(Evaluator& evaluator) {
  Walk(holders_).over(evaluator.top());
  Values values;
  for (const Holder& holder : holders_) values.push_back(holder.handle().value());
  Copies copies(evaluator);
  copies.add(values);
  for (Holder& holder : holders_) {
    const Handle& original = holder.handle();
    holder.other = copies.of(original.value());
    if (original.is_aside()) holder.other.set_aside();
    if (!holder.place) continue;
    holder.stored = copies.of(holder.place->stored, holder.other.value());
    if (const auto& record = evaluator.builder.record)
      record->add_variable(holder.other.value().operation(), holder.place->trainable, holder.place->declared, holder.place->begins);
  }
  exchange();
}

LaidAnew::~LaidAnew() { exchange(); }

void LaidAnew::exchange() {
  for (Holder& holder : holders_) {
    std::swap(holder.handle(), holder.other);
    if (holder.place) std::swap(holder.place->stored, holder.stored);
  }
}

}  // namespace mtf
