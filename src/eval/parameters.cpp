// How the arguments of a call of the script's functions and models are bound to parameters.
#include "eval/calls.h"
#include "eval/evaluator.h"
#include "eval/span_table.h"
#include "eval/suggestions.h"
#include "support/text.h"
#include "syntax/foreign.h"

namespace mtf {
namespace {

/// For each parameter the argument that is given for it, or null.
std::vector<const GivenArgument*> matched(const std::vector<ast::Parameter>& parameters, const Arguments& arguments, std::string_view name, Span declared) {
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
        if (help.empty()) help = foreign_help(Foreign::argument, item.label_span);
        if (help.empty() && !names.empty()) help = "it takes " + join(names, ", ");
        fail(Diagnostic(Kind::unknown_argument, item.label_span, fmt::format("`{}` has no argument `{}`", name, item.label.text()))
                 .related(declared, "declared here")
                 .help(help));
      }
      if (given[place]) fail(Kind::duplicate_argument, item.label_span, "`{}` is given twice", item.label.text());
    }
    given[place] = &item;
  }
  return given;
}

bool asks_for_dims(const ast::Parameter& parameter) {
  const auto* word = parameter.annotation ? std::get_if<ast::WordAnnotation>(&*parameter.annotation) : nullptr;
  return word && (word->word.name.text() == "dim" || word->word.name.text() == "dims");
}

bool is_size(const HostValue& value) {
  const auto* list = value.as<ListPtr>();
  return value.is<int64_t>() || (list && !(*list)->items.empty() && (*list)->items.front().is<int64_t>());
}

/// Fails where sizes are given for dims: once for a call, with dims for all of them.
void refuse_sizes(const std::vector<ast::Parameter>& parameters, const std::vector<const GivenArgument*>& given, const ScopePtr& scope, std::string_view name) {
  std::vector<SizeForDim> sizes;
  size_t first = parameters.size();
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!given[i] || !asks_for_dims(parameters[i]) || !is_size(given[i]->value)) continue;
    first = std::min(first, i);
    sizes.push_back({given[i]->span, given[i]->value, parameters[i].name.name.str()});
  }
  if (sizes.empty()) return;
  const ast::Parameter& parameter = parameters[first];
  fail(Diagnostic(Kind::type_mismatch, sizes.front().span,
                  fmt::format("expected a dim for `{}` of `{}`, found {}", parameter.name.name.text(), name, describe(sizes.front().value)))
           .related(parameter.span, "asked for here")
           .help(help_with("a dim has a name and a size", dims_for_sizes(sizes, scope, false))));
}

}  // namespace

void Calls::bind_parameters(const std::vector<ast::Parameter>& parameters, Arguments& arguments, const ScopePtr& scope, std::string_view name,
                            Span declared) {
  const std::vector<const GivenArgument*> given = matched(parameters, arguments, name, declared);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ast::Parameter& parameter = parameters[i];
    if (given[i]) {
      scope->bindings.push_back({parameter.name.name, given[i]->value, parameter.name.span});
    } else if (parameter.default_value) {
      HostValue value = evaluator_.evaluate(*parameter.default_value, scope);
      scope->bindings.push_back({parameter.name.name, std::move(value), parameter.name.span});
    } else {
      fail(Diagnostic(Kind::missing_argument, arguments.span, fmt::format("`{}` needs `{}`", name, parameter.name.name.text()))
               .related(parameter.span, "declared here"));
    }
  }
  refuse_sizes(parameters, given, arguments.scope, name);
  for (size_t i = 0; i < parameters.size(); ++i) {
    const ast::Parameter& parameter = parameters[i];
    if (!parameter.annotation) continue;
    HostValue value = scope->bindings[i].value;
    if (value.is_poison()) continue;
    if (value.is<None>() && parameter.default_value && parameter.default_value->as<ast::NoneExpr>()) continue;
    HostValue checked = evaluator_.annotations.check(*parameter.annotation, std::move(value), given[i] ? given[i]->span : parameter.span, scope,
                                                   fmt::format("`{}` of `{}`", parameter.name.name.text(), name), parameter.span);
    scope->bindings[i].value = std::move(checked);
  }
  if (SpanTable* spans = evaluator_.spans()) {
    for (size_t i = 0; i < parameters.size(); ++i) spans->binding(parameters[i].name.span, scope->bindings[i].value);
  }
}

}  // namespace mtf
