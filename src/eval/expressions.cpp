#include <algorithm>

#include "eval/doubtful.h"
#include "eval/evaluator.h"
#include "eval/limits.h"
#include "eval/places.h"
#include "eval/span_table.h"
#include "eval/suggestions.h"
#include "graph/op.h"
#include "ops/registry.h"
#include "support/overloaded.h"
#include "support/stack_budget.h"
#include "support/text.h"
#include "syntax/foreign.h"

namespace mtf {

HostValue Evaluator::evaluate(const ast::Expr& expr, const ScopePtr& scope) {
  check_stack(expr.span, Kind::call_too_deep);
  findings.count_steps(expr.span, 1);
  HostValue value = value_of(expr, scope);
  if (spans_) [[unlikely]] spans_->expression(expr, value);
  return value;
}

HostValue Evaluator::value_of(const ast::Expr& expr, const ScopePtr& scope) {
  return std::visit(Overloaded{
                        [](const ast::IntExpr& e) { return HostValue(e.value); },
                        [](const ast::FloatExpr& e) { return HostValue(e.value); },
                        [](const ast::BoolExpr& e) { return HostValue(e.value); },
                        [](const ast::NoneExpr&) { return HostValue(None{}); },
                        [](const ast::ElementTypeExpr& e) { return HostValue(*parse_element_type(e.name.text())); },
                        [&](const ast::StringExpr& e) { return text(e, scope); },
                        [&](const ast::NameExpr& e) { return look_up(e.name, expr.span, scope); },
                        [&](const ast::RestExpr&) { return rest(expr.span, scope); },
                        [&](const ast::UnaryExpr& e) { return unary(expr, e, scope); },
                        [&](const ast::BinaryExpr& e) { return binary(expr, e, scope); },
                        [&](const ast::RangeExpr& e) { return range(e, scope); },
                        [&](const ast::ListExpr& e) { return list(e, scope); },
                        [&](const ast::TupleExpr& e) { return tuple(e, scope); },
                        [&](const ast::ComprehensionExpr& e) { return comprehension(e, scope); },
                        [&](const ast::CallExpr& e) { return call(expr, e, scope); },
                        [&](const ast::IndexExpr& e) { return index(expr, e, scope); },
                        [&](const ast::AttributeExpr& e) { return attribute(evaluate(*e.object, scope), e.attribute); },
                        [&](const ast::AtExpr& e) { return at(expr, e, scope); },
                        [&](const ast::LambdaExpr& e) { return lambda(e, scope); },
                        [&](const ast::CountersExpr& e) { return counters_block(e, scope); },
                        [&](const ast::IfExpr& e) { return branches.value(e, scope); },
                    },
                    expr.node);
}

HostValue Evaluator::rest(Span span, const ScopePtr& scope) {
  if (auto found = scope->find(Name("..")); found.binding) return found.binding->value;
  fail(Kind::unknown_name, span, "no argument of this function has `..` in its shape");
}

HostValue Evaluator::list(const ast::ListExpr& list, const ScopePtr& scope) {
  std::vector<HostValue> items;
  items.reserve(list.elements.size());
  for (const auto& element : list.elements) {
    HostValue item = evaluate(*element, scope);
    if (item.is_poison()) return item;
    if (element->as<ast::RestExpr>()) {
      auto* rest = item.as<ListPtr>();
      if (!rest) return unknown(UnknownKind::kAny);
      items.insert(items.end(), (*rest)->items.begin(), (*rest)->items.end());
      continue;
    }
    items.push_back(std::move(item));
  }
  return make_list(std::move(items));
}

HostValue Evaluator::tuple(const ast::TupleExpr& tuple, const ScopePtr& scope) {
  std::vector<HostValue> items;
  for (const auto& element : tuple.elements) items.push_back(evaluate(*element, scope));
  return make_tuple(std::move(items));
}

HostValue Evaluator::lambda(const ast::LambdaExpr& lambda, const ScopePtr& scope) {
  auto function = std::make_shared<Function>();
  function->signature = lambda.signature.get();
  function->result = &lambda.result;
  function->expression = lambda.body.get();
  function->scope = scope;
  function->visible = scope->bindings.size();
  function->named = scope->names(names_in(ast::text_of(lambda)), function->visible);
  function->reached = true;
  scope->capture();
  if (domain.is_check()) uncalled.declared(function);
  return FunctionPtr(function);
}

namespace {

// What other languages find behind a dot: methods that are operations here, and what the table of foreign words knows.
std::string help_with_part(Span name, bool of_module) {
  if (of_module) return foreign_help(Foreign::name, name);
  if (std::string foreign = foreign_help(Foreign::part, name); !foreign.empty()) return foreign;
  const Op* op = mtf::find_op(name.text());
  if (!op || op->signature.empty()) return {};
  return help_with(fmt::format("operations are functions, as in `{}`", op->signature), as_function(name));
}

// What to write instead of a call of an instance that has no `fn call`: of its other functions, the first that takes as much.
std::string help_with_call(const Instance& instance, const ast::CallExpr& call) {
  Span behind = call.callee->span;
  behind.begin = behind.end;
  for (const ast::Stmt& stmt : instance.model->declaration->body.statements) {
    const auto* function = stmt.as<ast::FnStmt>();
    if (!function || function->signature->parameters.size() < call.arguments.size()) continue;
    return help_with("a call of an instance runs `fn call`", {{behind, "." + function->name.name.str()}});
  }
  return "`fn call(x) = x` in the model is what a call of its instance runs";
}

}  // namespace

HostValue Evaluator::attribute(const HostValue& object, const ast::Ident& name) {
  if (object.is_poison() || object.is_unknown()) return object.is_poison() ? object : unknown(UnknownKind::kAny);
  std::vector<std::string> parts;
  static const Name kParams("params"), kStates("states");
  const HoldsPlaces holds = name.name == kParams || name.name == kStates ? holds_places(object) : HoldsPlaces::kNo;
  if (holds == HoldsPlaces::kUnknown) return unknown(UnknownKind::kAny);
  if (holds == HoldsPlaces::kYes) {
    std::vector<HostValue> items;
    for (PlacePtr& place : places_of(object, name.name == kParams)) items.push_back(std::move(place));
    return make_list(std::move(items));
  }
  if (auto* instance = object.as<InstancePtr>()) {
    Scope& scope = *(*instance)->scope;
    if (Binding* binding = scope.find_own(name.name)) {
      if (spans_) spans_->use(name.span, binding->span);
      return binding->value;
    }
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
      if (Binding* binding = (*module)->scope->find_own(name.name)) {
        if (spans_) spans_->use(name.span, binding->span);
        return binding->value;
      }
      for (const Binding& binding : (*module)->scope->bindings) parts.push_back(binding.name.str());
      for (const Binding& binding : (*module)->scope->hoisted) parts.push_back(binding.name.str());
    }
  } else if (auto* native = object.as<ObjectPtr>()) {
    if (auto value = (*native)->attribute(name.name)) return *value;
    parts = (*native)->attributes();
  } else if (const Value* tensor = tensor_of(object)) {
    const std::string_view wanted = name.name.text();
    if (wanted == "shape" || wanted == "dims") {
      std::vector<HostValue> dims;
      for (const Dim& dim : tensor->dims()) dims.push_back(dim);
      return make_list(std::move(dims));
    }
    if (wanted == "element_type") return tensor->element();
    if (auto* place = object.as<PlacePtr>()) {
      const std::string& path = (*place)->path;
      if (wanted == "path") return make_text(path);
      if (wanted == "name") return make_text(path.substr(path.rfind('.') + 1));
      if (wanted == "model") return make_text((*place)->model.str());
      parts = {"path", "name", "model"};
    }
    parts.insert(parts.end(), {"shape", "dims", "element_type"});
  } else if (auto* dim = object.as<Dim>()) {
    if (name.name.text() == "name") return make_text(dim->name.str());
    if (name.name.text() == "size") return dim->size;
    parts = {"name", "size"};
  } else if (auto* model = object.as<ModelClassPtr>()) {
    const std::string called = (*model)->declaration->name.name.str();
    const Span instance = object_of(name.span);
    Diagnostic diagnostic(Kind::unknown_attribute, name.span, fmt::format("{} has no `{}`", describe(object), name.name.text()));
    diagnostic.help(help_with(fmt::format("`{}` is a model, whose instances have parts", called),
                              instance.is_known() ? as_instance(**model, instance, top_) : std::vector<Edit>()));
    fail(std::move(diagnostic));
  }
  Diagnostic diagnostic(Kind::unknown_attribute, name.span, fmt::format("{} has no `{}`", describe(object), name.name.text()));
  constexpr std::size_t kMostParts = 40;
  std::string help = help_with_part(name.span, object.is<ModulePtr>());
  if (help.empty()) help = did_you_mean(name.name.text(), parts);
  if (help.empty() && !parts.empty() && parts.size() <= kMostParts) help = "it has " + join(parts, ", ");
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
    if (auto number = convert.to_int(value, expr->span, "a bound of a range")) to = *number;
    else result.known = false;
    return true;
  };
  if (!bound(range.begin, result.open_first, result.first)) return Poison{};
  if (!bound(range.end, result.open_last, result.last)) return Poison{};
  return result;
}

namespace {

/// A comprehension under way.
class Comprehension {
 public:
  Comprehension(Evaluator& evaluator, const ast::ComprehensionExpr& comprehension) : evaluator_(evaluator), all_(comprehension) {}

  HostValue value(const ScopePtr& scope) {
    if (!walk(0, scope)) return Poison{};
    return all_known_ ? make_list(std::move(items_)) : unknown(UnknownKind::kAny);
  }

 private:
  using Loop = ast::ComprehensionExpr::Loop;

  /// Takes every turn of a loop and of those inside it. False if something is poison.
  bool walk(size_t index, const ScopePtr& scope) {
    const Loop& loop = all_.loops[index];
    check_stack(loop.span, Kind::nesting_too_deep);
    const HostValue iterable = evaluator_.evaluate(*loop.iterable, scope);
    if (iterable.is_poison()) return false;
    auto* sequence = iterable.as<SequencePtr>();
    if (auto* list = iterable.as<ListPtr>())
      return every_turn(index, static_cast<int64_t>((*list)->items.size()), [keep = *list](int64_t i) { return keep->items[i]; }, scope);
    auto* range = iterable.as<Range>();
    if (const std::optional<int64_t> count = range ? range->size(loop.iterable->span) : std::nullopt) {
      check_list_length(static_cast<size_t>(*count), loop.iterable->span);
      return every_turn(index, *count, [first = range->first](int64_t i) { return HostValue(first + i); }, scope);
    }
    if (sequence && (*sequence)->count >= 0) return every_turn(index, (*sequence)->count, (*sequence)->at, scope);
    if (!iterable.is<Range>() && !iterable.is_unknown() && !sequence) {
      fail(Diagnostic(Kind::not_iterable, loop.iterable->span, fmt::format("expected a list or a range, found {}", describe(iterable)))
               .help(iterable.is<Dim>() || iterable.is<int64_t>() ? help_with("", {{{loop.iterable->span.file, loop.iterable->span.begin, loop.iterable->span.begin}, "0.."}}) : ""));
    }
    // How many there are only the run knows: one stands for all.
    all_known_ = false;
    const auto maybe = evaluator_.domain.uncertain();
    Doubtful once(evaluator_, {loop.iterable->span, Doubt::Kind::kTurns});
    const bool is_right = turn(index, sequence ? (*sequence)->at(0) : unknown(iterable.is<Range>() ? UnknownKind::kInt : UnknownKind::kAny), scope);
    once.end();
    return is_right;
  }

  bool every_turn(size_t index, int64_t count, const std::function<HostValue(int64_t)>& at, const ScopePtr& scope) {
    for (int64_t i = 0; i < count; ++i)
      if (!turn(index, at(i), scope)) return false;
    return true;
  }

  bool turn(size_t index, HostValue item, const ScopePtr& scope) {
    const Loop& loop = all_.loops[index];
    evaluator_.interrupt.poll(loop.iterable->span);
    const ScopePtr inner = evaluator_.nested(scope);
    evaluator_.bind_pattern(*loop.pattern, std::move(item), inner);
    auto maybe = evaluator_.domain.as_it_is();
    std::optional<Doubtful> rest;
    for (const ast::ExprPtr& filter : loop.filters) {
      const std::optional<bool> taken = evaluator_.convert.to_condition(evaluator_.evaluate(*filter, inner), filter->span);
      if (taken && !*taken) return true;
      if (taken) continue;
      all_known_ = false;
      evaluator_.domain.becomes_uncertain();
      if (!rest) rest.emplace(evaluator_, Doubt{filter->span, Doubt::Kind::kWays});
    }
    const bool is_right = index + 1 < all_.loops.size() ? walk(index + 1, inner) : add_element(inner);
    if (rest) rest->end();
    return is_right;
  }

  bool add_element(const ScopePtr& scope) {
    HostValue element = evaluator_.evaluate(*all_.element, scope);
    if (element.is_poison()) return false;
    check_list_length(items_.size() + 1, all_.element->span);
    items_.push_back(std::move(element));
    return true;
  }

  Evaluator& evaluator_;
  const ast::ComprehensionExpr& all_;
  std::vector<HostValue> items_;
  bool all_known_ = true;  ///< which elements there are
};

}  // namespace

HostValue Evaluator::comprehension(const ast::ComprehensionExpr& comprehension, const ScopePtr& scope) {
  return Comprehension(*this, comprehension).value(scope);
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
  if (callee.is_unknown()) {
    uncounted(*this, expr.span);
    return unknown(UnknownKind::kAny);
  }
  if (auto* op = callee.as<OperationPtr>()) return operations.call(**op, arguments);
  if (auto* instance = callee.as<InstancePtr>()) {
    static const Name kCall("call");
    Binding* binding = (*instance)->scope->find_own(kCall);
    if (!binding) {
      fail(Diagnostic(Kind::not_callable, call.callee->span, fmt::format("{} has no `fn call`", describe(callee)))
               .related((*instance)->model->declaration->signature->span, "declared here")
               .help(help_with_call(**instance, call)));
    }
    return calls.call(HostValue(binding->value), arguments);
  }
  if (!callee.is<FunctionPtr>() && !callee.is<ModelClassPtr>() && !callee.is<BuiltinPtr>()) {
    fail(Diagnostic(Kind::not_callable, call.callee->span, fmt::format("expected a function, an operation or a model, found {}", describe(callee)))
             .help(callee.is<ModulePtr>() ? "call a function of it: `" + std::string(call.callee->span.text()) + ".…`" : ""));
  }
  return calls.call(callee, arguments);
}

HostValue Evaluator::text(const ast::StringExpr& string, const ScopePtr& scope) {
  std::string out;
  bool known = true;
  for (const ast::StringPart& part : string.parts) {
    if (!part.value) {
      out += part.text;
      continue;
    }
    HostValue value = evaluate(*part.value, scope);
    if (value.is_poison()) return value;
    builder.span = part.value->span;
    const bool is_tensor = tensor_of(value) != nullptr;
    if (value.is_unknown() || (is_tensor && domain.is_abstract())) known = false;
    if (part.format) out += display.formatted(value, *part.format, part.value->span, part.format_span);
    else if (!value.is_unknown()) out += display.text(value);
    check_length(out.size(), "a string", part.value->span);
  }
  if (!known) return unknown(UnknownKind::kString);
  return make_text(std::move(out));
}

}  // namespace mtf
