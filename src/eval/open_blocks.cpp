#include "eval/open_blocks.h"

#include <algorithm>
#include <functional>
#include <unordered_set>

namespace mtf::eval {
namespace {

const Name kGrad("grad");
constexpr size_t kAll = ~size_t{0};

/// Walks through the bodies that can be reached from names, each once. `body` gets what a block's text says, with its
/// scope, and returns true to end the walk; with `stop_at_grad` a mention of `grad` ends it too.
class Reach {
 public:
  Reach(BlockInfos& infos, std::function<bool(const BlockInfo&, Scope*, size_t)> body, bool stop_at_grad)
      : infos_(infos), body_(std::move(body)), stop_at_grad_(stop_at_grad) {}

  /// From a text in the scope.
  bool from(const NameSet& mentions, Scope* scope) { return names(mentions, scope, kAll) || walk(); }
  /// How many functions, models, instances, modules and lists were met.
  size_t walked() const { return seen_.size(); }

 private:
  /// `visible`: how many of the scope's bindings the text sees.
  bool names(const NameSet& mentions, Scope* scope, size_t visible) {
    for (Name name : mentions) {
      if (stop_at_grad_ && name == kGrad) return true;
      const auto found = scope->find(name, visible);
      if (found.binding != nullptr) push(found.binding->value);
    }
    return false;
  }

  /// A loop: functions may name functions as deep as a program likes.
  bool walk() {
    while (!stack_.empty()) {
      const HostValue at = std::move(stack_.back());
      stack_.pop_back();
      if (auto* function = at.as<FunctionPtr>()) {
        if (!seen_.insert(function->get()).second) continue;  // each closure: what its names stand for is its own
        const Function& f = **function;
        Scope* const scope = f.scope.get();
        const size_t visible = f.reached ? f.visible : kAll;
        if (defaults(f.signature->declared, scope, visible)) return true;
        if (f.block != nullptr ? block(*f.block, scope, visible) : names(mentions_of(*f.expression), scope, visible))
          return true;
      } else if (auto* model = at.as<ModelClassPtr>()) {
        if (!seen_.insert(model->get()).second) continue;
        const ModelClass& m = **model;
        const size_t visible = m.reached ? m.visible : kAll;
        if (defaults(m.declaration->parameters, m.scope.get(), visible)) return true;
        if (block(m.declaration->body, m.scope.get(), visible)) return true;
      } else if (auto* builtin = at.as<BuiltinPtr>()) {
        if (stop_at_grad_ && (*builtin)->signature->name == kGrad) return true;
      } else if (auto* instance = at.as<InstancePtr>()) {
        if (!seen_.insert(instance->get()).second) continue;
        for (const auto* list : {&(*instance)->scope->bindings, &(*instance)->scope->hoisted})
          for (const Binding& binding : *list) push(binding.value);
      } else if (auto* module = at.as<ModulePtr>()) {
        if (!(*module)->scope || !seen_.insert(module->get()).second) continue;
        for (const auto* list : {&(*module)->scope->bindings, &(*module)->scope->hoisted})
          for (const Binding& binding : *list) push(binding.value);
      } else if (auto* items = at.as<ListPtr>()) {
        if (!seen_.insert(items->get()).second) continue;
        for (const HostValue& item : (*items)->items) push(item);
      }
    }
    return false;
  }

  void push(const HostValue& value) {
    if (value.is<FunctionPtr>() || value.is<ModelClassPtr>() || value.is<InstancePtr>() || value.is<ModulePtr>() ||
        value.is<ListPtr>() || value.is<BuiltinPtr>()) {
      stack_.push_back(value);
    }
  }

  /// What a call does for arguments that it is not given.
  bool defaults(std::span<const ast::Parameter> parameters, Scope* scope, size_t visible) {
    for (const ast::Parameter& parameter : parameters)
      if (parameter.default_value && names(mentions_of(*parameter.default_value), scope, visible)) return true;
    return false;
  }

  bool block(const ast::Block& block, Scope* scope, size_t visible) {
    const BlockInfo& info = infos_.of(block);
    return (body_ && body_(info, scope, visible)) || names(info.mentions, scope, visible);
  }

  BlockInfos& infos_;
  std::function<bool(const BlockInfo&, Scope*, size_t)> body_;
  bool stop_at_grad_;
  std::vector<HostValue> stack_;  ///< still to be walked
  std::unordered_set<const void*> seen_;
};

}  // namespace

bool OpenBlocks::is_last_read(Name name, Span span) const {
  if (expects_more_) return false;
  for (auto block = open_.rbegin(); block != open_.rend() && block->info->last_reads.contains(span); ++block)
    for (auto binding = block->scope->bindings.rbegin(); binding != block->scope->bindings.rend(); ++binding)
      if (binding->name == name) return block->lets_go;
  return false;
}

bool OpenBlocks::text_may_differentiate() {
  Reach reach(infos_, nullptr, true);
  const bool found = std::any_of(open_.begin(), open_.end(), [&](const Block& block) {
    const std::vector<NameSet>& mentions = block.info->statement_mentions;
    return std::any_of(mentions.begin() + block.statement, mentions.end(),
                       [&](const NameSet& of_one) { return reach.from(of_one, block.scope); });
  });
  walked_ = reach.walked();
  return found;
}

bool OpenBlocks::carries_variables(const BlockInfo& body, const std::vector<ast::Ident>& own, const ScopePtr& scope) {
  auto is_own = [&](Name name) {
    return std::any_of(own.begin(), own.end(), [&](const ast::Ident& ident) { return ident.name == name; });
  };
  // In the loop's own text.
  for (const ast::Expr* target : body.targets) {
    const Name base = base_name(*target);
    if (base.empty() || is_own(base)) continue;
    const auto found = scope->find(base);
    const bool bound_inside = body.bound.count(base) > 0;
    if (!target->as<ast::NameExpr>()) {
      if (bound_inside || !found.binding || !found.binding->value.is<graph::Handle>()) return true;
    } else if (bound_inside ? body.aliases.count(base) > 0 : found.binding && found.binding->value.is<PlacePtr>()) {
      if (body.mentions.count(base)) return true;
    }
  }
  // In what it may call.
  auto assigns = [](const BlockInfo& info, Scope* inside, size_t visible) {
    for (const ast::Expr* target : info.targets) {
      const Name base = base_name(*target);
      if (!target->as<ast::NameExpr>()) return true;
      if (info.aliases.count(base)) return true;
      if (info.bound.count(base)) continue;
      const auto found = inside->find(base, visible);
      if (found.binding && found.binding->value.is<PlacePtr>()) return true;
    }
    return false;
  };
  NameSet mentions = body.mentions;
  for (const ast::Ident& ident : own) mentions.erase(ident.name);
  return Reach(infos_, assigns, false).from(mentions, scope.get());
}

}  // namespace mtf::eval
