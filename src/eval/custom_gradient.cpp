#include "eval/custom_gradient.h"

#include <algorithm>
#include <cmath>

#include "eval/calls.h"
#include "eval/possible_values.h"
#include "eval/variables.h"
#include "eval/within_iteration.h"
#include "graph/op.h"
#include "ops/custom_gradient.h"
#include "ops/gradients.h"
#include "support/diagnostics.h"
#include "support/restore.h"
#include "support/text.h"

namespace mtf::eval {
namespace {

using graph::Value;
using graph::Values;

constexpr std::string_view kRuleIteration = "custom_gradient";

Arguments arguments_of(const Bound& call) {
  Arguments arguments;
  arguments.span = call.span();
  arguments.scope = call.arguments.scope;
  for (const GivenArgument* item : call.rest) arguments.items.push_back(*item);
  return arguments;
}

/// The gradients that a rule has returned, one for each tensor argument. Arguments that are not floats have none.
Values gradients_returned(Caller& caller, const HostValue& returned, const Values& arguments, const Bound& call) {
  ops::Builder& builder = caller.parts.builder;
  std::vector<HostValue> items{returned};
  const auto* const list = returned.as<ListPtr>();
  if (list) items = (*list)->items;
  if (items.size() != arguments.size())
    fail(Diagnostic(Kind::wrong_arity, call.span(),
                    fmt::format("expected `backward` to return {}, one of each tensor argument, found {}",
                                count_text(static_cast<int64_t>(arguments.size()), "gradient"), describe(returned)))
             .help("it returns the gradient of the only tensor argument, or a tuple of those of several"));
  Values gradients;
  for (size_t i = 0; i < items.size(); ++i) {
    const TensorType& type = arguments[i].type();
    if (items[i].is<None>() || !is_float(type.element)) {
      gradients.emplace_back();
      continue;
    }
    Value gradient = caller.convert.to_tensor(items[i], call.span());
    const bool is_number = gradient.operation().op->role == graph::Role::kNumber;
    if (!is_number && !same_set(gradient.dims(), type.dims))
      fail(Kind::shape_mismatch, call.span(), "expected `backward` to return the gradient of {}, found {}",
           to_string(type), to_string(gradient.type()));
    gradient = builder.cast(gradient, type.element);
    gradients.push_back(gradient.dims() == type.dims ? gradient : builder.broadcast(gradient, type.dims));
  }
  return gradients;
}

/// Calls a function made by `custom_gradient(f, backward)`.
HostValue call_with_rule(Caller& caller, const HostValue& f, const HostValue& backward, const Bound& call) {
  ops::Builder& builder = caller.parts.builder;
  Arguments given = arguments_of(call);
  HostValue made;
  {
    const Restore no_history(builder.context.no_grad, true);
    made = caller.parts.calls.call(f, given);
  }
  const bool unsettled = is_unsettled(made) || std::any_of(call.rest.begin(), call.rest.end(),
                                                           [](const auto* item) { return is_unsettled(item->value); });
  if (unsettled || builder.context.no_grad) return made;
  builder.span = call.span();
  if (!tensor_of(made) || !is_float(tensor_of(made)->element()))
    fail(Diagnostic(Kind::type_mismatch, call.span(),
                    fmt::format("expected the function to give a tensor of floats, found {}", describe(made)))
             .help("a function of several results is several functions, or stacks its results"));
  const Value result = *tensor_of(made);
  Values arguments;
  for (const GivenArgument* item : call.rest)
    if (const Value* tensor = tensor_of(item->value)) arguments.push_back(*tensor);
  if (arguments.empty()) return made;
  ops::RuleGraph rule;
  Iteration under_way{kRuleIteration, call.span(), graph::new_node_id(), caller.parts.variables.last(),
                      caller.parts.cuts.iteration()};
  rule.first_node = under_way.first;
  {
    const WithinIteration within(caller, under_way);
    const Restore context(builder.context, builder.context);
    builder.context.segment = nullptr;
    const auto leaf = [&](const Value& like, Name name) {
      const Value value = builder.constant(like.type(), {like.sharding(), like.inherited(), like.mesh(), {}});
      value.node->name = name;
      return value;
    };
    std::vector<HostValue> values;
    for (const GivenArgument* item : call.rest) {
      const Value* const tensor = tensor_of(item->value);
      if (tensor) rule.arguments.push_back(leaf(*tensor, tensor->node->name));
      values.push_back(tensor ? HostValue(rule.arguments.back()) : item->value);
    }
    rule.result = leaf(result, Name("y"));
    rule.d_result = leaf(result, Name("d_y"));
    values.emplace_back(rule.result);
    values.emplace_back(rule.d_result);
    const HostValue returned = caller.parts.calls.call_with(backward, std::move(values), call.span());
    if (is_unsettled(returned)) return made;
    builder.span = call.span();
    const Restore ours(builder.written, false);
    rule.gradients = gradients_returned(caller, returned, arguments, call);
  }
  if (const graph::LaidOutOperation* const random = ops::random_in(rule))
    fail(Diagnostic(Kind::no_gradient, random->span, "`backward` draws random numbers")
             .related(call.span(), "for this call")
             .help("draw them in the call, and give them to the function as an argument"));
  const Restore ours(builder.written, false);
  return ops::with_gradient(builder, result, arguments, rule);
}

// ---- the check ------------------------------------------------------------------------------------------------------

void append_all(Values& tensors, const HostValue& value, Span span) {
  if (auto* list = value.as<ListPtr>()) {
    for (const HostValue& item : (*list)->items) append_all(tensors, item, span);
    return;
  }
  const Value* const tensor = tensor_of(value);
  if (!tensor || !is_float(tensor->element()))
    fail(Kind::type_mismatch, span, "expected a tensor of floats, or a list of them, found {}", describe(value));
  tensors.push_back(*tensor);
}

/// Copies the structure of `value`, with the tensor at position `at` replaced by `other`.
HostValue exchanged(const HostValue& value, size_t at, const Value& other, size_t& next) {
  auto* list = value.as<ListPtr>();
  if (!list) return next++ == at ? HostValue(other) : value;
  std::vector<HostValue> items;
  for (const HostValue& item : (*list)->items) items.push_back(exchanged(item, at, other, next));
  return (*list)->tuple ? make_tuple(std::move(items)) : make_list(std::move(items));
}

/// The sum of all elements, each multiplied by a weight of its own.
Value weighted_sum(ops::Builder& builder, const Value& value) {
  Value all = builder.cast(value, ElementType::kF64);
  Value angle = builder.number(1, ElementType::kF64);
  for (size_t d = 0; d < all.dims().size(); ++d)
    angle = builder.map(ops::kAdd,
                        builder.map(ops::kMul, builder.cast(builder.range(all.dims()[d]), ElementType::kF64),
                                    0.7 + 0.4 * static_cast<double>(d)),
                        angle);
  const Value weights = builder.broadcast(builder.map(ops::kSin, angle), all.dims());
  return builder.sum_to(builder.map(ops::kMul, all, weights), {});
}

}  // namespace

HostValue custom_gradient(Caller&, const Bound& call) {
  static const syntax::Signature kMade("custom_gradient(...) -> value");
  return host_function(
      kMade, kCustomGradientDoc, Effects::kNone,
      [f = call.value(0), backward = call.value(1)](Caller& here, const Bound& given) {
        return call_with_rule(here, f, backward, given);
      },
      true);
}

HostValue check_gradient(Caller& caller, const Bound& call) {
  constexpr size_t kFunction = 0, kX = 1, kPlaces = 2;
  ops::Builder& builder = caller.parts.builder;
  const HostValue x = call.value(kX);
  if (is_unsettled(x)) return unknown(UnknownKind::kFloat);
  const RandomStream stream = caller.random_stream();
  Values wanted;
  append_all(wanted, x, call.span(kX));
  const auto value_at = [&](const HostValue& given) -> std::optional<Value> {
    caller.set_random_stream(stream);
    const HostValue made = caller.parts.calls.call_with(call.value(kFunction), {given}, call.span());
    if (is_unsettled(made)) return std::nullopt;
    builder.span = call.span();
    const Value value = caller.convert.to_tensor(made, call.span());
    if (!is_float(value.element()))
      fail(Kind::type_mismatch, call.span(kFunction), "expected the function to give floats, found {}", describe(made));
    const Restore ours(builder.written, false);
    return weighted_sum(builder, value);
  };
  const std::optional<Value> loss = value_at(x);
  if (!loss) return unknown(UnknownKind::kFloat);
  Values gradients;
  {
    const Restore ours(builder.written, false);
    gradients = ops::gradients(builder, *loss, wanted);
  }
  if (caller.is_abstract()) {
    caller.parts.doubts.uncounted(call.span());  // only a run computes the differences
    return unknown(UnknownKind::kFloat);
  }
  const std::vector<graph::Handle> held(gradients.begin(), gradients.end());
  const int64_t most = std::max<int64_t>(1, call.has(kPlaces) ? call.integer(kPlaces).value_or(8) : 8);
  double worst = 0;
  for (size_t t = 0; t < wanted.size(); ++t) {
    const plan::HostTensor d = caller.fetch(gradients[t], call.span());
    const plan::HostTensor at = caller.fetch(wanted[t], call.span());
    const int64_t elements = size_of(at.type.dims);
    const int64_t places = std::min(most, elements);
    for (int64_t k = 0; k < places; ++k) {
      const int64_t place = places == 1 ? 0 : k * (elements - 1) / (places - 1);
      const double here = at.number(place);
      const double step = (at.type.element == ElementType::kF64    ? 1e-5
                           : at.type.element == ElementType::kBf16 ? 0.125
                                                                   : 1e-2) *
                          std::max(1.0, std::abs(here));
      double values[2], moved[2];
      for (int side = 0; side < 2; ++side) {
        plan::HostTensor other = at;
        std::byte* const element = other.bytes.data() + place * static_cast<int64_t>(other.bytes.size()) / elements;
        plan::store_number(other.type.element, here + (side == 0 ? -step : step), element);
        moved[side] = other.number(place);
        size_t next = 0;
        const HostValue given = exchanged(x, t, caller.constant(std::move(other), call.span()), next);
        const std::optional<Value> value = value_at(given);
        MTF_CHECK(value.has_value(), "a run does not know what a function gives");
        values[side] = caller.fetch(*value, call.span()).number(0);
      }
      const double difference = (values[1] - values[0]) / (moved[1] - moved[0]);
      const double gradient = d.number(place);
      const double scale = std::max({1.0, std::abs(gradient), std::abs(difference)});
      const double apart = std::abs(gradient - difference) / scale;
      worst = std::isnan(apart) ? apart : std::max(worst, apart);
      if (std::isnan(worst)) return worst;
    }
  }
  return worst;
}

}  // namespace mtf::eval
