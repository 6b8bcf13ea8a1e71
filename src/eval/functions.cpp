#include <unordered_set>

#include "eval/evaluator.h"
#include "support/text.h"

namespace mtf {
namespace {

/// Calls nested deeper than this are refused: the evaluator recurses.
constexpr size_t kMaxCalls = 400;

const Name kRest("..");

}  // namespace

void Evaluator::bind_parameters(const std::vector<ast::Parameter>& parameters, Arguments& arguments, const ScopePtr& scope,
                                std::string_view name, Span declared) {
  std::vector<const GivenArgument*> given(parameters.size(), nullptr);
  size_t position = 0;
  for (const GivenArgument& item : arguments.items) {
    if (item.has_target) fail(Kind::misplaced_arrow, item.target_span, "`{}` takes no `->`", name);
    size_t place = parameters.size();
    if (item.label.empty()) {
      while (position < parameters.size() && given[position]) ++position;
      place = position;
      if (place == parameters.size()) {
        fail(Diagnostic(Kind::wrong_arity, item.span,
                        fmt::format("`{}` takes {}", name, count_text(static_cast<int64_t>(parameters.size()), "argument")))
                 .related(declared, "declared here"));
      }
    } else {
      for (size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].name.name == item.label) place = i;
      }
      if (place == parameters.size()) {
        std::vector<std::string> names;
        for (const auto& parameter : parameters) names.push_back(parameter.name.name.str());
        std::string help = did_you_mean(item.label.text(), names);
        if (help.empty() && !names.empty()) help = "it takes " + join(names, ", ");
        fail(Diagnostic(Kind::unknown_argument, item.label_span, fmt::format("`{}` has no argument `{}`", name, item.label.text()))
                 .related(declared, "declared here")
                 .help(help));
      }
      if (given[place]) fail(Kind::duplicate_argument, item.label_span, "`{}` is given twice", item.label.text());
    }
    given[place] = &item;
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ast::Parameter& parameter = parameters[i];
    if (given[i]) {
      scope->bindings.push_back({parameter.name.name, given[i]->value, parameter.name.span});
    } else if (parameter.default_value) {
      HostValue value = evaluate(*parameter.default_value, scope);
      scope->bindings.push_back({parameter.name.name, std::move(value), parameter.name.span});
    } else {
      fail(Diagnostic(Kind::missing_argument, arguments.span, fmt::format("`{}` needs `{}`", name, parameter.name.name.text()))
               .related(parameter.span, "declared here"));
    }
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ast::Parameter& parameter = parameters[i];
    if (!parameter.annotation) continue;
    HostValue value = scope->bindings[i].value;
    if (value.is_poison()) continue;
    HostValue checked = check_annotation(*parameter.annotation, std::move(value), given[i] ? given[i]->span : parameter.span, scope,
                                         fmt::format("`{}` of `{}`", parameter.name.name.text(), name), parameter.span);
    scope->bindings[i].value = std::move(checked);
  }
}

HostValue Evaluator::merge_results(Activation& call, HostValue last, Span span) {
  for (const HostValue& other : call.maybe_results) {
    auto merged = merge(other, last);
    if (!merged) {
      fail(Diagnostic(Kind::branch_types_differ, span, fmt::format("`{}` returns {} or {}", call.name, describe(other), describe(last))));
    }
    last = std::move(*merged);
  }
  return last;
}

HostValue Evaluator::call_function(const FunctionPtr& function, Arguments& arguments) {
  if (calls_end_) return Poison{};
  const std::string name = function->name.empty() ? "fn" : function->name.str();
  if (activations.size() >= kMaxCalls) {
    fail(Kind::call_too_deep, arguments.span, "`{}` is called inside {} other calls", name, kMaxCalls);
  }
  auto scope = std::make_shared<Scope>(function->scope, function->reached ? function->visible : function->scope->bindings.size(), uncertain);
  bind_parameters(*function->parameters, arguments, scope, name, function->span);
  Activation call;
  call.function = function->parameters;
  call.name = name;
  call.call = arguments.span;
  call.uncertain = uncertain;
  call.result_annotation = function->result;
  if (abstract()) {
    entered_.insert(function->parameters);
    for (const Binding& binding : scope->bindings) {
      const bool host_number = is_number(binding.value) && !binding.value.is<bool>();
      call.argument_types += host_number ? "number;" : describe(binding.value) + ";";
    }
    // A call that may have returned already is only reached under that condition.
    bool conditional = false;
    for (auto other = activations.rbegin(); other != activations.rend(); ++other) {
      conditional = conditional || other->uncertain < uncertain || !other->maybe_results.empty();
      if (conditional && other->function == call.function && other->argument_types == call.argument_types) {
        return unknown(UnknownKind::kAny);
      }
    }
  }
  activations.push_back(std::move(call));
  PopLast pop(activations);
  Restore restore(activation);
  activation = ++last_activation;
  const Span call_span = arguments.span;
  const size_t errors_before = diagnostics ? diagnostics->list().size() : 0;
  Flow flow = Flow::kNext;
  try {
    if (function->expression) {
      HostValue result = evaluate(*function->expression, scope);
      if (*function->result && !result.is_poison()) {
        result = check_annotation(**function->result, std::move(result), function->expression->span, scope, "the result of `" + name + "`", {});
      }
      return result;
    }
    flow = run_block(*function->block, scope);
  } catch (const UserError& error) {
    if (auto seen = seen_from(error.diagnostic(), call_span)) throw UserError(*seen);
    throw;
  }
  Activation& done = activations.back();
  HostValue result = flow == Flow::kReturn ? std::move(done.result) : HostValue();
  if (flow == Flow::kNext && !done.maybe_results.empty()) {
    // Some way through it returned a value, the last one fell off the end; with an error on the way anything may be.
    for (const HostValue& other : done.maybe_results) {
      if (other.is_poison()) return Poison{};
    }
    if (done.maybe_results.size() > 0 && !done.maybe_results[0].is<None>()) {
      HostValue first = done.maybe_results[0];
      return merge_results(done, std::move(first), call_span);
    }
  }
  // With an error on the way there may be a `return` that was not come to.
  const bool ended = flow == Flow::kNext && done.maybe_results.empty() && (!diagnostics || diagnostics->list().size() == errors_before);
  if (ended && *function->result) {
    const Span promised = std::visit([](const auto& annotation) { return annotation.span; }, **function->result);
    fail(Kind::type_mismatch, promised, "expected a result, and `{}` ended without a `return`", name);
  }
  if (done.maybe_results.empty()) return result;
  return merge_results(done, std::move(result), call_span);
}

// ---- models ----------------------------------------------------------------------------------------------------------

namespace {

/// Every place below a value, depth first in the order of declaration, with its path; each instance and list once.
class PlaceWalk {
 public:
  template <typename Visit>
  void over(const HostValue& value, const Visit& visit) {
    enter(value, visit);
    while (!levels_.empty()) {
      Level& level = levels_.back();
      const size_t count = level.bindings ? level.bindings->size() : level.items->size();
      path_.resize(level.path);
      if (level.next == count) {
        levels_.pop_back();
        continue;
      }
      const size_t i = level.next++;
      if (level.bindings) {
        const Binding& binding = (*level.bindings)[i];
        if (!path_.empty()) path_ += '.';
        path_ += binding.name.text();
        enter(binding.value, visit);
      } else {
        path_ += fmt::format("[{}]", i);
        enter((*level.items)[i], visit);
      }
    }
  }
  size_t steps() const { return seen_.size(); }

 private:
  struct Level {
    const std::vector<Binding>* bindings;   ///< of an instance, or
    const std::vector<HostValue>* items;    ///< of a list
    size_t path;                            ///< the length of its own
    size_t next = 0;
  };

  template <typename Visit>
  void enter(const HostValue& value, const Visit& visit) {
    if (auto* place = value.as<PlacePtr>()) {
      if (seen_.insert(place->get()).second) visit(*place, path_);
    } else if (auto* instance = value.as<InstancePtr>()) {
      if (seen_.insert(instance->get()).second) levels_.push_back({&(*instance)->scope->bindings, nullptr, path_.size()});
    } else if (auto* list = value.as<ListPtr>()) {
      if (seen_.insert(list->get()).second) levels_.push_back({nullptr, &(*list)->items, path_.size()});
    }
  }

  std::string path_;
  std::vector<Level> levels_;
  std::unordered_set<const void*> seen_;
};

}  // namespace

std::vector<PlacePtr> Evaluator::places_of(const HostValue& value, bool trainable) {
  std::vector<PlacePtr> places;
  PlaceWalk().over(value, [&](const PlacePtr& place, const std::string&) {
    if (place->trainable == trainable) places.push_back(place);
  });
  return places;
}

HostValue Evaluator::construct(const ModelClassPtr& model, Arguments& arguments) {
  if (calls_end_) return Poison{};
  const ast::ModelStmt& declaration = *model->declaration;
  if (activations.size() >= kMaxCalls) {
    fail(Kind::call_too_deep, arguments.span, "`{}` is made inside {} other calls", declaration.name.name.text(), kMaxCalls);
  }
  auto scope = std::make_shared<Scope>(model->scope, model->reached ? model->visible : model->scope->bindings.size(), uncertain);
  bind_parameters(declaration.parameters, arguments, scope, declaration.name.name.text(), declaration.signature_span);
  if (abstract()) entered_.insert(model->declaration);
  const int64_t first_place = next_place;
  {
    static const std::optional<ast::Annotation> kNone;
    Activation call;
    call.function = model->declaration;
    call.name = declaration.name.name.str();
    call.call = arguments.span;
    call.uncertain = uncertain;
    call.result_annotation = &kNone;
    activations.push_back(std::move(call));
    PopLast pop(activations);
    Restore restore(activation);
    activation = ++last_activation;
    run_block(declaration.body, scope, true);
  }
  auto instance = std::make_shared<Instance>();
  instance->model = model;
  instance->scope = scope;
  // The outermost model that made a place names it: it is finished last.
  PlaceWalk walk;
  walk.over(InstancePtr(instance), [&](const PlacePtr& place, const std::string& path) {
    if (place->serial <= first_place) return;
    place->path = path;
    place->current.value().node->name = Name(path);
  });
  count_check_steps(arguments.span, walk.steps());
  return InstancePtr(instance);
}

}  // namespace mtf
