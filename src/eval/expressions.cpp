#include <algorithm>

#include "eval/evaluator.h"
#include "ops/op.h"
#include "ops/registry.h"
#include "support/stack_budget.h"
#include "support/text.h"

namespace mtf {

HostValue Evaluator::evaluate(const ast::Expr& expr, const ScopePtr& scope) {
  check_stack(expr.span, Kind::call_too_deep);
  count_check_steps(expr.span, 1);
  const ast::Expr::Node& node = expr.node;
  if (auto* e = std::get_if<ast::NameExpr>(&node)) return look_up(e->name, expr.span, scope);
  if (auto* e = std::get_if<ast::CallExpr>(&node)) return call(expr, *e, scope);
  if (auto* e = std::get_if<ast::BinaryExpr>(&node)) return binary(expr, *e, scope);
  if (auto* e = std::get_if<ast::IntExpr>(&node)) return e->value;
  if (auto* e = std::get_if<ast::FloatExpr>(&node)) return e->value;
  if (auto* e = std::get_if<ast::AttributeExpr>(&node)) {
    return attribute(evaluate(*e->object, scope), e->attribute, scope);
  }
  if (auto* e = std::get_if<ast::BoolExpr>(&node)) return e->value;
  if (auto* e = std::get_if<ast::StringExpr>(&node)) return text(*e, scope);
  if (auto* e = std::get_if<ast::ElementTypeExpr>(&node)) return *parse_element_type(e->name.text());
  if (std::holds_alternative<ast::RestExpr>(node)) {
    if (auto found = scope->find(Name("..")); found.binding) return found.binding->value;
    fail(Kind::unknown_name, expr.span, "no argument of this function has `..` in its shape");
  }
  if (auto* e = std::get_if<ast::UnaryExpr>(&node)) return unary(expr, *e, scope);
  if (auto* e = std::get_if<ast::RangeExpr>(&node)) return range(*e, scope);
  if (auto* e = std::get_if<ast::ListExpr>(&node)) {
    std::vector<HostValue> items;
    items.reserve(e->elements.size());
    for (const auto& element : e->elements) {
      HostValue item = evaluate(*element, scope);
      if (item.is_poison()) return item;
      if (element->as<ast::RestExpr>()) {
        if (auto* rest = item.as<ListPtr>()) {
          items.insert(items.end(), (*rest)->items.begin(), (*rest)->items.end());
          continue;
        }
        return unknown(UnknownKind::kAny);
      }
      items.push_back(std::move(item));
    }
    return make_list(std::move(items));
  }
  if (auto* e = std::get_if<ast::TupleExpr>(&node)) {
    std::vector<HostValue> items;
    for (const auto& element : e->elements) items.push_back(evaluate(*element, scope));
    return make_tuple(std::move(items));
  }
  if (auto* e = std::get_if<ast::ComprehensionExpr>(&node)) return comprehension(expr, *e, scope);
  if (auto* e = std::get_if<ast::IndexExpr>(&node)) return index(expr, *e, scope);
  if (auto* e = std::get_if<ast::AtExpr>(&node)) return at(expr, *e, scope);
  if (auto* e = std::get_if<ast::LambdaExpr>(&node)) {
    auto function = std::make_shared<Function>();
    function->parameters = &e->parameters;
    function->result = &e->result;
    function->expression = e->body.get();
    function->span = expr.span;
    function->scope = scope;
    function->visible = scope->bindings.size();
    function->reached = true;
    scope->capture();
    if (checking()) declared_functions_.push_back(function);
    return FunctionPtr(function);
  }
  return counters_block(std::get<ast::CountersExpr>(node), scope);
}

std::vector<std::string> Evaluator::visible_names(Scope* scope) {
  std::vector<std::string> names;
  if (scope) scope->visible_names(names);
  for (const Op* op : all_ops()) {
    if (!op->signature.empty() && op->name.find('.') == std::string_view::npos) names.emplace_back(op->name);
  }
  for (const auto& [name, value] : builtins) names.push_back(name.str());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

HostValue Evaluator::look_up(Name name, Span span, const ScopePtr& scope) {
  if (auto found = scope->find(name); found.binding) return found.binding->value;
  if (auto known = builtins.find(name); known != builtins.end()) return known->second;
  if (const Op* op = mtf::find_op(name.text()); op && !op->signature.empty()) {
    builtins[name] = OperationPtr(op);
    return OperationPtr(op);
  }
  static const Name kInit("init");
  if (name == kInit) {
    HostValue module = import_module("init", false, span);
    builtins[name] = module;
    return module;
  }
  // Declared further down: it is seen only from its line on.
  for (Scope* s = scope.get(); s; s = s->parent.get()) {
    for (const Binding& binding : s->bindings) {
      if (binding.name == name) {
        fail(Diagnostic(Kind::used_before_declaration, span, fmt::format("`{}` is not declared yet", name.text()))
                 .related(binding.span, "declared here"));
      }
    }
  }
  fail(Diagnostic(Kind::unknown_name, span, fmt::format("`{}` is neither declared nor an operation", name.text()))
           .help(help_with_name(name, visible_names(scope.get()))));
}

HostValue Evaluator::attribute(const HostValue& object, const ast::Ident& name, const ScopePtr&) {
  if (object.is_poison() || object.is_unknown()) return object.is_poison() ? object : unknown(UnknownKind::kAny);
  std::vector<std::string> parts;
  if (auto* instance = object.as<InstancePtr>()) {
    static const Name kParams("params"), kStates("states");
    if (name.name == kParams || name.name == kStates) {
      std::vector<HostValue> items;
      for (PlacePtr& place : places_of(object, name.name == kParams)) items.push_back(std::move(place));
      return make_list(std::move(items));
    }
    Scope& scope = *(*instance)->scope;
    if (Binding* binding = scope.find_own(name.name)) return binding->value;
    for (const Binding& binding : scope.bindings) parts.push_back(binding.name.str());
    for (const Binding& binding : scope.hoisted) parts.push_back(binding.name.str());
    parts.push_back("params");
  } else if (auto* module = object.as<ModulePtr>()) {
    if ((*module)->is_operations) {
      const std::string full = (*module)->name.str() + "." + name.name.str();
      if (const Op* op = mtf::find_op(full); op && !op->signature.empty()) return OperationPtr(op);
      const std::string prefix = (*module)->name.str() + ".";
      for (const Op* op : all_ops()) {
        if (op->name.substr(0, prefix.size()) == prefix) parts.emplace_back(op->name.substr(prefix.size()));
      }
    } else {
      if (Binding* binding = (*module)->scope->find_own(name.name)) return binding->value;
      for (const Binding& binding : (*module)->scope->bindings) parts.push_back(binding.name.str());
      for (const Binding& binding : (*module)->scope->hoisted) parts.push_back(binding.name.str());
    }
  } else if (auto* native = object.as<ObjectPtr>()) {
    if (auto value = (*native)->attribute(*this, name.name)) return *value;
    parts = (*native)->attributes();
  } else if (const Value* tensor = tensor_of(object)) {
    const std::string_view wanted = name.name.text();
    if (wanted == "shape") {
      std::vector<HostValue> dims;
      for (const Dim& dim : tensor->dims()) dims.push_back(dim);
      return make_list(std::move(dims));
    }
    if (wanted == "element_type") return tensor->element();
    if (wanted == "path" && object.is<PlacePtr>()) return make_text((*object.as<PlacePtr>())->path);
    parts = {"shape", "element_type"};
    if (object.is<PlacePtr>()) parts.emplace_back("path");
  } else if (auto* dim = object.as<Dim>()) {
    if (name.name.text() == "name") return make_text(dim->name.str());
    if (name.name.text() == "size") return dim->size;
    parts = {"name", "size"};
  }
  Diagnostic diagnostic(Kind::unknown_attribute, name.span, fmt::format("{} has no `{}`", describe(object), name.name.text()));
  std::string help = did_you_mean(name.name.text(), parts);
  if (help.empty() && !parts.empty() && parts.size() <= 12) help = "it has " + join(parts, ", ");
  diagnostic.help(std::move(help));
  fail(std::move(diagnostic));
}

HostValue Evaluator::range(const ast::RangeExpr& range, const ScopePtr& scope) {
  Range result;
  auto bound = [&](const ast::ExprPtr& expr, bool& open, int64_t& to) {
    if (!expr) {
      open = true;
      return true;
    }
    HostValue value = evaluate(*expr, scope);
    if (value.is_poison()) return false;
    if (auto number = to_int(value, expr->span, "a bound of a range")) to = *number;
    else result.known = false;
    return true;
  };
  if (!bound(range.begin, result.open_first, result.first)) return Poison{};
  if (!bound(range.end, result.open_last, result.last)) return Poison{};
  return result;
}

HostValue Evaluator::comprehension(const ast::Expr& expr, const ast::ComprehensionExpr& c, const ScopePtr& scope) {
  HostValue iterable = evaluate(*c.iterable, scope);
  if (iterable.is_poison()) return iterable;
  std::vector<HostValue> items;
  auto turn = [&](HostValue item) {
    poll(c.iterable->span);
    ScopePtr inner = nested(scope);
    bind_pattern(*c.pattern, std::move(item), inner);
    items.push_back(evaluate(*c.element, inner));
    return !items.back().is_poison();
  };
  if (auto* list = iterable.as<ListPtr>()) {
    ListPtr keep = *list;
    for (const HostValue& item : keep->items) {
      if (!turn(item)) return Poison{};
    }
    return make_list(std::move(items));
  }
  if (auto* range = iterable.as<Range>(); range && range->known) {
    check_length(static_cast<size_t>(range->size()), "a list", c.iterable->span);
    for (int64_t i = range->first; i < range->last; ++i) {
      if (!turn(i)) return Poison{};
    }
    return make_list(std::move(items));
  }
  if (auto* sequence = iterable.as<SequencePtr>(); sequence && (*sequence)->count >= 0) {
    for (int64_t i = 0; i < (*sequence)->count; ++i) {
      if (!turn((*sequence)->at(i))) return Poison{};
    }
    return make_list(std::move(items));
  }
  if (iterable.is<Range>() || iterable.is_unknown() || iterable.is<SequencePtr>()) {
    fail(Kind::size_unknown, c.iterable->span, "how many elements this list has must be known; found {}", describe(iterable));
  }
  fail(Diagnostic(Kind::not_iterable, c.iterable->span, fmt::format("expected a list or a range, found {}", describe(iterable)))
           .help(iterable.is<Dim>() || iterable.is<int64_t>() ? "write `0..n`" : ""));
  (void)expr;
}

Arguments Evaluator::evaluate_arguments(const ast::CallExpr& call, Span span, const ScopePtr& scope) {
  Arguments arguments;
  arguments.span = span;
  arguments.scope = scope;
  arguments.items.reserve(call.arguments.size());
  for (const ast::Argument& argument : call.arguments) {
    GivenArgument& item = arguments.items.emplace_back();
    if (argument.label) {
      item.label = argument.label->name;
      item.label_span = argument.label->span;
    }
    item.span = argument.value->span;
    item.value = evaluate(*argument.value, scope);
    if (argument.target) {
      item.has_target = true;
      item.target_span = argument.target->span;
      item.target = evaluate(*argument.target, scope);
    }
  }
  return arguments;
}

HostValue Evaluator::call(const ast::Expr& expr, const ast::CallExpr& call, const ScopePtr& scope) {
  HostValue callee = evaluate(*call.callee, scope);
  Arguments arguments = evaluate_arguments(call, expr.span, scope);
  if (callee.is_poison() || arguments.any_poison()) return Poison{};
  if (callee.is_unknown()) return unknown(UnknownKind::kAny);
  if (auto* op = callee.as<OperationPtr>()) return call_operation(**op, arguments);
  if (auto* instance = callee.as<InstancePtr>()) {
    static const Name kCall("call");
    Binding* binding = (*instance)->scope->find_own(kCall);
    if (!binding) {
      fail(Diagnostic(Kind::not_callable, call.callee->span, fmt::format("{} has no `fn call`", describe(callee)))
               .related((*instance)->model->declaration->signature_span, "declared here"));
    }
    return call_value(HostValue(binding->value), arguments);
  }
  if (!callee.is<FunctionPtr>() && !callee.is<ModelClassPtr>() && !callee.is<BuiltinPtr>()) {
    fail(Diagnostic(Kind::not_callable, call.callee->span, fmt::format("expected a function, an operation or a model, found {}", describe(callee)))
             .help(callee.is<ModulePtr>() ? "call a function of it: `" + std::string(call.callee->span.text()) + ".…`" : ""));
  }
  return call_value(callee, arguments);
}

HostValue Evaluator::call_value(const HostValue& callee, Arguments& arguments) {
  if (auto* function = callee.as<FunctionPtr>()) return call_function(*function, arguments);
  if (auto* op = callee.as<OperationPtr>()) return call_operation(**op, arguments);
  if (auto* model = callee.as<ModelClassPtr>()) return construct(*model, arguments);
  if (auto* builtin = callee.as<BuiltinPtr>()) {
    for (const GivenArgument& item : arguments.items) {
      if (item.has_target) fail(Kind::misplaced_arrow, item.target_span, "`{}` takes no `->`", (*builtin)->name.text());
    }
    builder.span = arguments.span;
    return (*builtin)->call(*this, arguments);
  }
  if (auto* instance = callee.as<InstancePtr>()) {
    if (Binding* binding = (*instance)->scope->find_own(Name("call"))) return call_value(HostValue(binding->value), arguments);
  }
  if (callee.is_poison() || callee.is_unknown()) return callee;
  fail(Kind::not_callable, arguments.span, "expected a function, found {}", describe(callee));
}

HostValue Evaluator::call_with(const HostValue& callee, std::vector<HostValue> values, Span span) {
  Arguments arguments;
  arguments.span = span;
  arguments.scope = top;
  for (HostValue& value : values) {
    GivenArgument& item = arguments.items.emplace_back();
    item.value = std::move(value);
    item.span = span;
  }
  return call_value(callee, arguments);
}

}  // namespace mtf
