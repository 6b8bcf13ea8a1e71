// Calls of operations: arguments bound to the parameters of the operation's signature.
#include <algorithm>
#include <cmath>

#include "eval/evaluator.h"
#include "ops/op.h"
#include "ops/registry.h"
#include "support/stack_budget.h"
#include "support/text.h"

namespace mtf {
namespace {

/// Element-wise functions of numbers of the host.
std::optional<double> host_function(std::string_view name, const std::vector<double>& x) {
  if (x.size() == 1) {
    const double a = x[0];
    if (name == "sqrt") return std::sqrt(a);
    if (name == "rsqrt") return 1 / std::sqrt(a);
    if (name == "exp") return std::exp(a);
    if (name == "log") return std::log(a);
    if (name == "sin") return std::sin(a);
    if (name == "cos") return std::cos(a);
    if (name == "tanh") return std::tanh(a);
    if (name == "abs") return std::abs(a);
    if (name == "floor") return std::floor(a);
    if (name == "round") return std::nearbyint(a);
    if (name == "square") return a * a;
    if (name == "reciprocal") return 1 / a;
    if (name == "sign") return a > 0 ? 1 : a < 0 ? -1 : 0;
  }
  if (x.size() == 2) {
    if (name == "minimum") return std::min(x[0], x[1]);
    if (name == "maximum") return std::max(x[0], x[1]);
  }
  return std::nullopt;
}

bool keeps_ints(std::string_view name) {
  return name == "abs" || name == "floor" || name == "round" || name == "square" || name == "sign" || name == "minimum" || name == "maximum";
}

/// The value of an element-wise function of numbers of the host; nothing if this is no such call.
std::optional<HostValue> on_the_host(const Op& op, const Arguments& arguments) {
  if (arguments.items.empty() || arguments.items.size() > 2) return std::nullopt;
  std::vector<double> numbers;
  bool ints = true, any_unknown = false;
  for (const GivenArgument& item : arguments.items) {
    if (!item.label.empty() || item.has_target) return std::nullopt;
    if (item.value.is_unknown() && unknown_kind(item.value) != UnknownKind::kAny && is_number(item.value)) {
      any_unknown = true;
      numbers.push_back(1);
      ints = ints && unknown_kind(item.value) == UnknownKind::kInt;
      continue;
    }
    auto number = number_of(item.value);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
    ints = ints && !item.value.is<double>();
  }
  auto result = host_function(op.name, numbers);
  if (!result) return std::nullopt;
  ints = ints && keeps_ints(op.name);
  if (any_unknown) return unknown(ints ? UnknownKind::kInt : UnknownKind::kFloat);
  if (ints) return HostValue(static_cast<int64_t>(*result));
  return HostValue(*result);
}

/// Nested lists of numbers, all of one length at each depth.
void flatten(const HostValue& value, size_t depth, NestedNumbers& nested, Span span) {
  check_stack(span, Kind::nesting_too_deep);
  if (auto* list = value.as<ListPtr>()) {
    const auto size = static_cast<int64_t>((*list)->items.size());
    if (depth == nested.sizes.size()) {
      if (!nested.numbers.empty()) fail(Kind::shape_mismatch, span, "expected numbers at every place of this depth, found a list too");
      nested.sizes.resize(depth + 1, size);
      size_t count = 1;
      for (const int64_t each : nested.sizes) check_length(count *= static_cast<size_t>(std::max<int64_t>(each, 1)), "numbers", span);
    }
    if (nested.sizes[depth] != size) {
      fail(Kind::shape_mismatch, span, "expected lists of one length at each depth, found {} and {}", nested.sizes[depth], size);
    }
    for (const HostValue& item : (*list)->items) flatten(item, depth + 1, nested, span);
    return;
  }
  if (depth != nested.sizes.size()) fail(Kind::shape_mismatch, span, "expected lists at every place of this depth, found {}", describe(value));
  if (auto number = number_of(value)) {
    nested.all_int = nested.all_int && !value.is<double>();
    nested.numbers.push_back(*number);
  } else if (value.is_unknown()) {
    nested.numbers.push_back(0);
  } else {
    fail(Diagnostic(Kind::type_mismatch, span, fmt::format("expected numbers, found {}", describe(value)))
             .help(tensor_of(value) ? "`stack([…], dim)` joins tensors" : ""));
  }
}

/// The dim that the call's tensors have by that name, with the size that it has there.
Dim found_in_operands(const Call& call, const Dim& dim) {
  for (const Argument& argument : call.arguments) {
    for (const Value& value : argument.values) {
      if (int place = find_dim(value.dims(), dim.name); place >= 0) return value.dims()[place];
    }
  }
  return dim;
}

std::string_view kind_text(ParameterKind kind) {
  switch (kind) {
    case ParameterKind::kTensor: return "a tensor";
    case ParameterKind::kTensors: return "tensors";
    case ParameterKind::kList: return "a list of tensors";
    case ParameterKind::kNumber: return "a number";
    case ParameterKind::kInt: return "an int";
    case ParameterKind::kBool: return "a bool";
    case ParameterKind::kDim: return "a dim";
    case ParameterKind::kDims: return "a dim or a list of dims";
    case ParameterKind::kShape: return "a list of dims";
    case ParameterKind::kElement: return "an element type";
    case ParameterKind::kNested: return "lists of numbers";
  }
  return "";
}

}  // namespace

bool Evaluator::bind_argument(Call& call, size_t parameter, const HostValue& value, Span span) {
  const Parameter& wanted = call.signature.parameters[parameter];
  Argument& argument = call.arguments[parameter];
  auto mismatch = [&](std::string help = {}) {
    fail(Diagnostic(Kind::type_mismatch, span, fmt::format("expected {} for `{}` of `{}`, found {}", kind_text(wanted.kind), wanted.name,
                                                           call.signature.name, describe(value)))
             .help(std::move(help)));
  };
  argument.given = true;
  if (!argument.span.is_known()) argument.span = span;
  const bool any = value.is_unknown() && unknown_kind(value) == UnknownKind::kAny;
  switch (wanted.kind) {
    case ParameterKind::kTensor:
    case ParameterKind::kTensors: {
      if (any) return false;
      const Value* tensor = tensor_of(value);
      if (!tensor && !number_of(value) && !is_number(value)) {
        mismatch(value.is<ListPtr>() ? "`tensor([…], [dims])` makes a tensor of numbers" : "");
      }
      argument.values.push_back(to_tensor(value, span));
      return true;
    }
    case ParameterKind::kList: {
      if (any) return false;
      auto* list = value.as<ListPtr>();
      if (!list) mismatch();
      for (const HostValue& item : (*list)->items) {
        if (item.is_poison() || (item.is_unknown() && unknown_kind(item) == UnknownKind::kAny)) return false;
        if (!tensor_of(item) && !is_number(item)) mismatch();
        argument.values.push_back(to_tensor(item, span));
      }
      return true;
    }
    case ParameterKind::kNumber:
    case ParameterKind::kInt:
    case ParameterKind::kBool: {
      if (value.is_unknown()) {
        const UnknownKind kind = unknown_kind(value);
        if (kind == UnknownKind::kString) mismatch();
        argument.is_int = kind == UnknownKind::kInt;
        argument.number = wanted.kind == ParameterKind::kNumber && !argument.is_int ? 0.5 : 1;
        return true;
      }
      const bool fits = wanted.kind == ParameterKind::kBool  ? value.is<bool>()
                        : wanted.kind == ParameterKind::kInt ? value.is<int64_t>() || value.is<Dim>()
                                                             : number_of(value).has_value();
      if (!fits) {
        mismatch(wanted.kind == ParameterKind::kInt && value.is<double>() ? "`//` divides integers"
                 : tensor_of(value)                                       ? "this must be a number of the host, not a tensor"
                                                                          : "");
      }
      argument.number = *number_of(value);
      argument.is_int = !value.is<double>();
      return true;
    }
    case ParameterKind::kDim:
    case ParameterKind::kDims:
    case ParameterKind::kShape: {
      if (any) return false;
      if (wanted.kind != ParameterKind::kShape && value.is<Dim>()) {
        argument.dims = {*value.as<Dim>()};
      } else {
        if (wanted.kind == ParameterKind::kDim || !value.is<ListPtr>()) mismatch(value.is<Dim>() ? "write it in brackets: `[…]`" : "");
        argument.dims = to_dims(value, span);
      }
      return true;
    }
    case ParameterKind::kElement:
      if (any) return false;
      if (!value.is<ElementType>()) mismatch("one of f32, f64, bf16, i32, bool");
      argument.element = *value.as<ElementType>();
      return true;
    case ParameterKind::kNested:
      if (any) return false;
      flatten(value, 0, argument.nested, span);
      return true;
  }
  return true;
}

HostValue Evaluator::call_operation(const Op& op, Arguments& arguments) {
  if (auto number = on_the_host(op, arguments)) return *number;
  check_mesh(arguments.span);
  const Signature& signature = signature_of(op);
  Call call(builder, op, signature);
  call.span = arguments.span;
  builder.span = arguments.span;
  bool known = true;
  size_t position = 0;
  std::vector<const GivenArgument*> labels;
  const GivenArgument* arrow = nullptr;
  const auto& parameters = signature.parameters;
  for (const GivenArgument& item : arguments.items) {
    size_t place = parameters.size();
    if (!item.label.empty()) {
      for (size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].name == item.label.text()) place = i;
      }
      if (place == parameters.size()) {
        labels.push_back(&item);
        continue;
      }
      if (call.arguments[place].given) fail(Kind::duplicate_argument, item.label_span, "`{}` is given twice", item.label.text());
    } else {
      if (item.has_target) {
        if (signature.arrow == ArrowKind::kNone) fail(Kind::misplaced_arrow, item.target_span, "`{}` takes no `->`", signature.name);
        if (signature.arrow == ArrowKind::kPairs) {
          call.pairs.emplace_back(to_dim(item.value, item.span), to_dim(item.target, item.target_span));
          call.arrow_span = cover(call.arrow_span, cover(item.span, item.target_span));
          continue;
        }
        arrow = &item;
      }
      if (item.value.is<ElementType>()) {
        for (size_t i = 0; i < parameters.size(); ++i) {
          if (parameters[i].kind == ParameterKind::kElement && !call.arguments[i].given) place = i;
        }
      }
      if (place == parameters.size()) {
        while (position < parameters.size() && call.arguments[position].given && parameters[position].kind != ParameterKind::kTensors) ++position;
        place = position;
      }
      if (place == parameters.size()) {
        fail(Diagnostic(Kind::wrong_arity, item.span, fmt::format("this is more than `{}` takes", signature.name)).help(std::string(op.signature)));
      }
    }
    known = bind_argument(call, place, item.value, item.span) && known;
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (call.arguments[i].given || parameters[i].optional) continue;
    fail(Diagnostic(Kind::missing_argument, arguments.span, fmt::format("`{}` needs `{}`", signature.name, parameters[i].name))
             .help(std::string(op.signature)));
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name != "over") continue;
    for (Dim& dim : call.arguments[i].dims) dim = found_in_operands(call, dim);
  }
  for (const GivenArgument* item : labels) {
    auto unknown_label = [&] {
      std::vector<std::string> names;
      for (const Parameter& parameter : parameters) names.push_back(parameter.name);
      if (signature.labels != LabelKind::kNone && arguments.scope) {
        for (const Argument& argument : call.arguments) {
          for (const Value& value : argument.values) {
            for (const Dim& dim : value.dims()) names.push_back(dim.name.str());
          }
        }
      }
      std::string help = did_you_mean(item->label.text(), names);
      fail(Diagnostic(Kind::unknown_argument, item->label_span, fmt::format("`{}` has no argument `{}`", signature.name, item->label.text()))
               .help(help.empty() ? std::string(op.signature) : help));
    };
    if (signature.labels == LabelKind::kNone || !arguments.scope || !arguments.scope->find(item->label).binding) unknown_label();
    HostValue named = look_up(item->label, item->label_span, arguments.scope);
    if (named.is_poison()) return named;
    DimLabel label;
    label.dim = found_in_operands(call, to_dim(named, item->label_span));
    label.span = item->label_span;
    std::vector<HostValue> numbers{item->value};
    if (signature.labels == LabelKind::kPair) {
      auto* list = item->value.as<ListPtr>();
      if (!list || (*list)->items.size() != 2) fail(Kind::type_mismatch, item->span, "expected a pair such as `(1, 1)`, found {}", describe(item->value));
      numbers = (*list)->items;
    }
    for (const HostValue& number : numbers) {
      auto value = to_int(number, item->span, "this");
      if (!value && signature.labels == LabelKind::kPair) known = false;
      label.numbers.push_back(value.value_or(0));
    }
    call.labels.push_back(std::move(label));
  }
  if (arrow) {
    if (arrow->target.is_unknown()) {
      known = false;
    } else {
      call.arrow = to_dims(arrow->target, arrow->target_span);
      call.arrow_span = arrow->target_span;
      if (signature.arrow == ArrowKind::kOptionalShape || op.contraction) {
        for (Dim& dim : *call.arrow) dim = found_in_operands(call, dim);
      }
    }
  } else if (signature.arrow == ArrowKind::kShape && known) {
    fail(Diagnostic(Kind::missing_argument, arguments.span, fmt::format("`{}` needs the resulting shape", signature.name))
             .help(fmt::format("`{}(…, x -> [a, b])`", signature.name)));
  }
  for (auto& [from, to] : call.pairs) {
    const Dim before = from;
    from = found_in_operands(call, from);
    if (to.size == before.size) to.size = from.size;
  }
  if (!known) return unknown(UnknownKind::kAny);
  Values results = op.build ? op.build(call) : builder.add_node(op, [&] {
    Values operands;
    for (const Argument& argument : call.arguments) operands.insert(operands.end(), argument.values.begin(), argument.values.end());
    return operands;
  }());
  if (results.size() == 1 && !op.list) return std::move(results[0]);
  std::vector<HostValue> items;
  for (Value& result : results) items.push_back(std::move(result));
  return op.list ? make_list(std::move(items)) : make_tuple(std::move(items));
}

HostValue Evaluator::infix(std::string_view symbol, const HostValue& a, Span a_span, const HostValue& b, Span b_span, Span span) {
  const Op* op = find_operator(symbol);
  check_mesh(span);
  Call call(builder, *op, signature_of(*op));
  call.span = span;
  builder.span = span;
  call.arguments[0].given = call.arguments[1].given = true;
  call.arguments[0].span = a_span;
  call.arguments[1].span = b_span;
  call.arguments[0].values.push_back(to_tensor(a, a_span));
  call.arguments[1].values.push_back(to_tensor(b, b_span));
  builder.span = span;
  return op->build(call)[0];
}

}  // namespace mtf
