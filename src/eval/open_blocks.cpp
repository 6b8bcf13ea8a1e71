#include "eval/open_blocks.h"

#include <algorithm>
#include <functional>
#include <string_view>
#include <unordered_set>

#include "eval/builtins.h"

namespace mtf::eval {
namespace {

const Name kGrad("grad");
constexpr size_t kAll = ~size_t{0};

/// Walks through the bodies of all functions and models that names reach, each once. `body` gets each block's facts and
/// scope, and returns true to end the walk. With `stop_at_grad` a mention of `grad` also ends the walk. The walk
/// returns true if something ended it.
class Reach {
 public:
  Reach(std::function<bool(const ast::BlockFacts&, Scope*, size_t)> body, bool stop_at_grad)
      : body_(std::move(body)), stop_at_grad_(stop_at_grad) {}

  /// Adds the value of a name that a text in `scope` mentions. `visible` is the number of the scope's bindings that the
  /// text sees.
  void add(Name name, Scope* scope, size_t visible = kAll) {
    if (const auto found = scope->find(name, visible); found.binding) push(found.binding->value);
  }
  /// Walks from the values that have been added. Loops over a stack instead of recursing, because functions may name
  /// functions at any depth.
  bool walk() {
    while (!stack_.empty()) {
      const HostValue at = std::move(stack_.back());
      stack_.pop_back();
      if (auto* function = at.as<FunctionPtr>()) {
        if (!seen_.insert(function->get()).second) continue;  // by closure: each has values of its own
        if (text((*function)->text, **function)) return true;
      } else if (auto* model = at.as<ModelClassPtr>()) {
        if (!seen_.insert(model->get()).second) continue;
        if (text(ast::text_of(*(*model)->declaration), **model)) return true;
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
  /// Walks from the names that a text in `scope` mentions.
  bool from(const NameSet& mentions, Scope* scope) { return names(mentions, scope, kAll) || walk(); }
  /// Walks from a value.
  bool from(const HostValue& value) {
    push(value);
    return walk();
  }
  /// The number of functions, models, instances, modules and lists that the walk met.
  size_t walked() const { return seen_.size(); }

 private:
  /// Adds the values of names. Returns true if `grad` ends the walk.
  bool names(const NameSet& mentions, Scope* scope, size_t visible) {
    for (Name name : mentions) {
      if (stop_at_grad_ && name == kGrad) return true;
      add(name, scope, visible);
    }
    return false;
  }

  void push(const HostValue& value) {
    if (value.is<FunctionPtr>() || value.is<ModelClassPtr>() || value.is<InstancePtr>() || value.is<ModulePtr>() ||
        value.is<ListPtr>() || value.is<BuiltinPtr>()) {
      stack_.push_back(value);
    }
  }

  /// Visits the body of a function or a model, and adds the names that it captures.
  template <typename Declared>
  bool text(const ast::FunctionText& text, const Declared& declared) {
    const size_t visible = declared.reached ? declared.visible : kAll;
    Scope* const scope = declared.scope.get();
    return (body_ && text.block && body_(*text.block->facts, scope, visible)) ||
           names((*text.facts)->captured, scope, visible);
  }

  std::function<bool(const ast::BlockFacts&, Scope*, size_t)> body_;
  bool stop_at_grad_;
  std::vector<HostValue> stack_;  ///< values still to be walked
  std::unordered_set<const void*> seen_;
};

/// True if no model binds this name to a value, other than a param or state, that an assignment may replace by a
/// tensor. An assignment to such a part of an instance keeps no history: the new value is a leaf.
bool is_variable(const ast::ProgramFacts& programs, Name part) {
  if (programs.other_parts.contains(part)) return false;
  const auto made = programs.made_parts.find(part);
  return made == programs.made_parts.end() || std::all_of(made->second.begin(), made->second.end(), [&](Name callee) {
           return programs.models.contains(callee) && !programs.not_models.contains(callee);
         });
}

/// True if the block may assign a part of an instance, or a name of another scope, other than a param or state.
/// `inside` is the scope around the function or model that has the block as its body.
bool assigns_outside(const ast::ProgramFacts& programs, const ast::BlockFacts& info, Scope* inside, size_t visible) {
  const auto is_other = [&](Name part) { return !is_variable(programs, part); };
  if (std::any_of(info.assigned_parts.begin(), info.assigned_parts.end(), is_other)) return true;
  return std::any_of(info.assigns.begin(), info.assigns.end(), [&](Name name) {
    if (info.captured.contains(name)) return true;  // an inner function may assign it
    const auto found = inside->find(name, visible);
    return found.binding != nullptr && !found.binding->value.is<VariablePtr>();
  });
}

/// A predicate on names as in NamesRead::code: true if their code may differentiate an argument, or store it for a
/// later differentiation.
class Differentiating {
 public:
  Differentiating(const ast::ProgramFacts& programs, Builtins& builtins, Scope* scope)
      : programs_(programs), builtins_(builtins), scope_(scope) {}

  /// Makes the predicate true for a name that will be bound to such code.
  void add(Name name) { added_.insert(name); }
  bool operator()(Name code) {
    const size_t dot = code.text().find('.');
    const Name base = dot == std::string_view::npos ? code : Name(code.text().substr(0, dot));
    if (base == kGrad || added_.contains(base)) return true;
    const auto [at, is_new] = known_.try_emplace(code, false);
    if (is_new) at->second = reaches_one(base, base == code ? Name() : Name(code.text().substr(dot + 1)));
    return at->second;
  }
  /// A function of the evaluator that reads numbers of its arguments and does nothing else with them.
  bool only_looks(Name code) {
    if (scope_->find(code).binding) return false;
    const HostValue* value = builtins_.find(code);
    auto* builtin = value ? value->as<BuiltinPtr>() : nullptr;
    return builtin && (*builtin)->only_looks;
  }

 private:
  bool reaches_one(Name base, Name part) {
    const auto found = scope_->find(base);
    if (!found.binding) return false;  // among the builtins only `grad` differentiates
    const HostValue* value = &found.binding->value;
    Scope* parts = nullptr;
    if (auto* module = value->as<ModulePtr>()) parts = (*module)->scope.get();
    if (auto* instance = value->as<InstancePtr>()) parts = (*instance)->scope.get();
    if (parts && !part.empty())
      if (const Binding* const found_part = parts->find_own(part)) value = &found_part->value;
    const auto assigns = [this](const ast::BlockFacts& info, Scope* inside, size_t visible) {
      return assigns_outside(programs_, info, inside, visible);
    };
    Reach reach(assigns, true);
    return reach.from(*value);
  }

  const ast::ProgramFacts& programs_;
  Builtins& builtins_;
  Scope* scope_;
  NameSet added_;
  std::unordered_map<Name, bool> known_;
};

}  // namespace

void OpenBlocks::know(const ast::ProgramFacts& program) {
  const auto add = [](NameSet& to, const NameSet& names) { to.insert(names.begin(), names.end()); };
  add(programs_.other_parts, program.other_parts);
  add(programs_.models, program.models);
  add(programs_.not_models, program.not_models);
  for (const auto& [part, made] : program.made_parts) add(programs_.made_parts[part], made);
}

std::vector<const GradientFlow*> OpenBlocks::flows(const ast::BlockFacts& info, size_t first) {
  std::vector<std::vector<GradientFlow>>& all = flows_[&info];
  if (all.empty())
    for (const ast::Stmt& stmt : info.statements) all.push_back(gradient_flows(stmt));
  std::vector<const GradientFlow*> rest;
  for (size_t i = first; i < all.size(); ++i)
    for (const GradientFlow& flow : all[i]) rest.push_back(&flow);
  return rest;
}

NameSet OpenBlocks::come_to_gradients(const Block& block, const NameSet* outer) {
  using Kind = GradientFlow::Kind;
  const ast::BlockFacts& info = *block.info;
  const std::vector<const GradientFlow*> rest = flows(info, block.statement);
  const auto binds = [](const GradientFlow& flow) { return flow.kind == Kind::kBinds || flow.kind == Kind::kAssigns; };
  Differentiating may(programs_, builtins_, block.scope);
  for (bool grows = true; grows;) {
    grows = false;
    for (const GradientFlow* flow : rest) {
      if (!binds(*flow) || std::all_of(flow->to.begin(), flow->to.end(), std::ref(may))) continue;
      if (std::none_of(flow->from.code.begin(), flow->from.code.end(), std::ref(may))) continue;
      for (Name name : flow->to) may.add(name);
      grows = true;
    }
  }
  NameSet names = info.captured;
  if (outer)
    for (Name name : *outer)
      if (!block.scope->find_own(name)) names.insert(name);
  if (!block.lets_go) names.insert(info.bound.begin(), info.bound.end());
  const auto add = [&](const GradientFlow& flow) { names.insert(flow.from.values.begin(), flow.from.values.end()); };
  for (const GradientFlow* flow : rest) {
    if (flow->kind == Kind::kLeaves) add(*flow);
    if (flow->kind == Kind::kStores && !is_variable(programs_, *flow->to.begin())) add(*flow);
    if (flow->kind == Kind::kCalls && !may.only_looks(flow->callee) &&
        std::any_of(flow->from.code.begin(), flow->from.code.end(), std::ref(may)))
      add(*flow);
    if (flow->kind == Kind::kAssigns && !outer) {
      const Name name = *flow->to.begin();
      if (!info.bound.contains(name) && !block.scope->find_own(name)) names.insert(name);  // a name of another scope
    }
  }
  for (size_t before = 0; before != names.size();) {
    before = names.size();
    for (const GradientFlow* flow : rest)
      if (binds(*flow) &&
          std::any_of(flow->to.begin(), flow->to.end(), [&](Name name) { return names.contains(name); }))
        add(*flow);
  }
  return names;
}

void OpenBlocks::beyond_gradients(const std::function<void(const HostValue&)>& visit) {
  const auto holds_a_tensor = [](const Binding& binding) {
    auto* list = binding.value.as<ListPtr>();
    return binding.value.is<graph::Handle>() || (list && !(*list)->items.empty() && !(*list)->items[0].is_plain());
  };
  const auto has_any = [&](const Block& block) {
    return block.lets_go && std::any_of(block.scope->bindings.begin(), block.scope->bindings.end(), holds_a_tensor);
  };
  if (expects_more_ || std::none_of(open_.begin(), open_.end(), has_any)) return;
  NameSet names;
  for (size_t i = 0; i < open_.size(); ++i) {
    const Block& block = open_[i];
    const bool is_inner = i > 0 && block.scope->parent.get() == open_[i - 1].scope;
    names = come_to_gradients(block, is_inner ? &names : nullptr);
    if (!block.lets_go) continue;
    for (const Binding& binding : block.scope->bindings)
      if (!names.contains(binding.name)) visit(binding.value);
  }
}

bool OpenBlocks::may_be_seen_by_functions(Name name, const Scope& scope) const {
  for (const Block& block : open_)
    if (block.scope == &scope) return !block.lets_go || block.info->captured.contains(name);
  return true;
}

bool OpenBlocks::text_may_differentiate() {
  Reach reach(nullptr, true);
  const bool found = std::any_of(open_.begin(), open_.end(), [&](const Block& block) {
    const std::vector<NameSet>& mentions = block.info->statement_mentions;
    return std::any_of(mentions.begin() + block.statement, mentions.end(),
                       [&](const NameSet& of_one) { return reach.from(of_one, block.scope); });
  });
  walked_ = reach.walked();
  return found;
}

bool OpenBlocks::carries_variables(const ast::BlockFacts& body, const std::vector<ast::Ident>& own,
                                   const ScopePtr& scope) {
  auto is_own = [&](Name name) {
    return std::any_of(own.begin(), own.end(), [&](const ast::Ident& ident) { return ident.name == name; });
  };
  // Assignments in the loop's own text.
  for (const ast::Expr* target : body.targets) {
    const Name base = ast::base_name(*target);
    if (base.empty() || is_own(base)) continue;
    const auto found = scope->find(base);
    const bool bound_inside = body.bound.count(base) > 0;
    if (!target->as<ast::NameExpr>()) {
      if (bound_inside || !found.binding || !found.binding->value.is<graph::Handle>()) return true;
    } else if (bound_inside ? body.aliases.count(base) > 0 : found.binding && found.binding->value.is<VariablePtr>()) {
      if (body.mentions(base)) return true;
    }
  }
  // Assignments in code that the loop may call.
  auto assigns = [](const ast::BlockFacts& info, Scope* inside, size_t visible) {
    for (const ast::Expr* target : info.targets) {
      const Name base = ast::base_name(*target);
      if (!target->as<ast::NameExpr>()) return true;
      if (info.aliases.count(base)) return true;
      if (info.bound.count(base)) continue;
      const auto found = inside->find(base, visible);
      if (found.binding && found.binding->value.is<VariablePtr>()) return true;
    }
    return false;
  };
  Reach reach(assigns, false);
  for (const NameSet& mentions : body.statement_mentions)
    for (const Name name : mentions)
      if (!is_own(name)) reach.add(name, scope.get());
  return reach.walk();
}

}  // namespace mtf::eval
