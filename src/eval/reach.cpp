// What the statements that are still to run may do, from what their text mentions.
//
// Whatever can still be called is reached from a name that a statement mentions: a function, a model, an instance with
// its parts, the elements of a list, the functions of a module. The walk goes through them and through what their bodies
// mention; a name that is not bound yet leaves the question open only for the statement in which it is bound.
#include <unordered_set>

#include "eval/evaluator.h"

namespace mtf {
namespace {

const Name kGrad("grad");

/// The name that a target is a part of: `net` of `net.layers[2].w`; empty if there is none.
Name base_of(const ast::Expr& target) {
  const ast::Expr* at = &target;
  while (true) {
    if (auto* attribute = at->as<ast::AttributeExpr>()) at = attribute->object.get();
    else if (auto* index = at->as<ast::IndexExpr>()) at = index->object.get();
    else break;
  }
  auto* name = at->as<ast::NameExpr>();
  return name ? name->name : Name();
}

/// Walks through the bodies that can be reached from names, each once. `body` gets what a block's text says, with its
/// scope, and returns true to end the walk; with `stop_at_grad` a mention of `grad` ends it too.
class Reach {
 public:
  Reach(BlockInfos& infos, std::function<bool(const BlockInfo&, Scope*)> body, bool stop_at_grad)
      : infos_(infos), body_(std::move(body)), stop_at_grad_(stop_at_grad) {}

  bool names(const NameSet& mentions, Scope* scope) {
    for (Name name : mentions) {
      if (stop_at_grad_ && name == kGrad) return true;
      const auto found = scope->find(name);
      if (found.binding != nullptr && value(found.binding->value)) return true;
    }
    return false;
  }

  bool value(const HostValue& start) {
    std::vector<HostValue> stack{start};
    while (!stack.empty()) {
      const HostValue at = std::move(stack.back());
      stack.pop_back();
      if (auto* function = at.as<FunctionPtr>()) {
        if (!seen_.insert((*function)->parameters).second) continue;
        if ((*function)->block != nullptr) {
          if (block(*(*function)->block, (*function)->scope.get())) return true;
        } else if (names(mentions_of(*(*function)->expression), (*function)->scope.get())) {
          return true;
        }
      } else if (auto* model = at.as<ModelClassPtr>()) {
        if (!seen_.insert((*model)->declaration).second) continue;
        if (block((*model)->declaration->body, (*model)->scope.get())) return true;
      } else if (auto* instance = at.as<InstancePtr>()) {
        if (!seen_.insert(instance->get()).second) continue;
        for (const auto* list : {&(*instance)->scope->bindings, &(*instance)->scope->hoisted})
          for (const Binding& binding : *list) push(stack, binding.value);
      } else if (auto* module = at.as<ModulePtr>()) {
        if (!(*module)->scope || !seen_.insert(module->get()).second) continue;
        for (const auto* list : {&(*module)->scope->bindings, &(*module)->scope->hoisted})
          for (const Binding& binding : *list) push(stack, binding.value);
      } else if (auto* items = at.as<ListPtr>()) {
        if (!seen_.insert(items->get()).second) continue;
        for (const HostValue& item : (*items)->items) push(stack, item);
      }
    }
    return false;
  }

 private:
  static void push(std::vector<HostValue>& stack, const HostValue& value) {
    if (value.is<FunctionPtr>() || value.is<ModelClassPtr>() || value.is<InstancePtr>() || value.is<ModulePtr>() || value.is<ListPtr>()) stack.push_back(value);
  }

  bool block(const ast::Block& block, Scope* scope) {
    const BlockInfo& info = infos_.of(block);
    return (body_ && body_(info, scope)) || names(info.mentions, scope);
  }

  BlockInfos& infos_;
  std::function<bool(const BlockInfo&, Scope*)> body_;
  bool stop_at_grad_;
  std::unordered_set<const void*> seen_;
};

}  // namespace

bool Evaluator::gradients_may_come() {
  if (interactive) return true;
  Reach reach(infos, nullptr, true);
  for (const BlockFrame& frame : frames) {
    for (size_t i = frame.statement; i < frame.info->statements.size(); ++i)
      if (reach.names(frame.info->statements[i].mentions, frame.scope.get())) return true;
  }
  return false;
}

bool Evaluator::carries_variables(const BlockInfo& body, const std::vector<ast::Ident>& own, const ScopePtr& scope) {
  auto is_own = [&](Name name) {
    return std::any_of(own.begin(), own.end(), [&](const ast::Ident& ident) { return ident.name == name; });
  };
  // In the loop's own text.
  for (const ast::Expr* target : body.targets) {
    const Name base = base_of(*target);
    if (base.empty() || is_own(base)) continue;
    const auto found = scope->find(base);
    const bool bound_inside = body.bound.count(base) > 0;
    if (!target->as<ast::NameExpr>()) {
      if (bound_inside || !found.binding || !found.binding->value.is<Handle>()) return true;
    } else if (bound_inside ? body.aliases.count(base) > 0 : found.binding && found.binding->value.is<PlacePtr>()) {
      if (body.mentions.count(base)) return true;
    }
  }
  // In what it may call.
  auto assigns = [](const BlockInfo& info, Scope* inside) {
    for (const ast::Expr* target : info.targets) {
      const Name base = base_of(*target);
      if (!target->as<ast::NameExpr>()) return true;
      if (info.aliases.count(base)) return true;
      if (info.bound.count(base)) continue;
      const auto found = inside->find(base);
      if (found.binding && found.binding->value.is<PlacePtr>()) return true;
    }
    return false;
  };
  NameSet mentions = body.mentions;
  for (const ast::Ident& ident : own) mentions.erase(ident.name);
  return Reach(infos, assigns, false).names(mentions, scope.get());
}

}  // namespace mtf
