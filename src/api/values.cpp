#include "api/values.h"

#include <fmt/format.h>

#include <utility>

#include "api/records.h"
#include "plan/execution.h"
#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf {
namespace {

/// Parses a signature that a caller has written. Fails (bad_value) if it cannot be read.
std::shared_ptr<const syntax::Signature> signature_of(const std::string& text) {
  try {
    auto signature = std::make_shared<const syntax::Signature>(text);
    if (signature->name.empty()) fail(Kind::bad_value, {}, "expected a name before the bracket, found {}", quote(text));
    return signature;
  } catch (const InternalError& error) {
    fail(Diagnostic(Kind::bad_value, {}, fmt::format("a signature: {}", error.message()))
             .help("such as `noise(x: tensor, scale: float = 1) -> tensor`"));
  }
}

eval::UnknownKind result_of(const syntax::Signature& signature) {
  using syntax::ParameterKind;
  switch (signature.result.value_or(ParameterKind::kAny)) {
    case ParameterKind::kTensor: return eval::UnknownKind::kTensor;
    case ParameterKind::kNumber: return eval::UnknownKind::kNumber;
    case ParameterKind::kInt: return eval::UnknownKind::kInt;
    case ParameterKind::kFloat: return eval::UnknownKind::kFloat;
    case ParameterKind::kBool: return eval::UnknownKind::kBool;
    case ParameterKind::kString: return eval::UnknownKind::kString;
    default: return eval::UnknownKind::kAny;
  }
}

/// A gathered tensor that owns its elements.
session::Session::Shown fetched(eval::Caller& caller, const graph::Value& tensor, Span span) {
  const auto copy = std::make_shared<const plan::HostTensor>(caller.fetch(tensor, span));
  return {*copy, copy, true};
}

/// The value of a stream for one batch. Without `tensors`, only its types are known.
eval::HostValue batch_of(eval::Caller& caller, const std::vector<TensorType>& types,
                         std::vector<plan::HostTensor> tensors, Span span) {
  std::vector<eval::HostValue> values;
  for (size_t i = 0; i < types.size(); ++i)
    values.push_back(caller.constant(tensors.empty() ? plan::HostTensor{types[i], {}} : std::move(tensors[i]), span));
  return values.size() == 1 ? std::move(values[0]) : eval::make_tuple(std::move(values));
}

}  // namespace

plan::HostView host_view(const TensorView& tensor) {
  TensorType type{static_cast<ElementType>(tensor.element), {}};
  for (const TensorDim& dim : tensor.dims) type.dims.push_back({Name(dim.name), dim.size});
  return {std::move(type), tensor.bytes};
}

TensorData tensor_data(session::Session::Shown shown) {
  TensorData data;
  data.element = static_cast<Element>(shown.tensor.type.element);
  for (const Dim& dim : settled(shown.tensor.type.dims)) data.dims.push_back({dim.name.str(), dim.size});
  data.bytes = shown.tensor.bytes;
  data.memory = std::move(shown.memory);
  data.is_copy = shown.is_copy;
  return data;
}

ScriptValue api_value(const eval::HostValue& value,
                      const std::function<session::Session::Shown(const graph::Value&)>& show) {
  if (const graph::Value* tensor = tensor_of(value)) return ScriptValue(tensor_data(show(*tensor)));
  if (value.is<eval::None>()) return ScriptValue();
  if (auto* truth = value.as<bool>()) return ScriptValue(*truth);
  if (auto* integer = value.as<int64_t>()) return ScriptValue(std::int64_t{*integer});
  if (auto* number = value.as<double>()) return ScriptValue(*number);
  if (auto* text = value.as<eval::Text>()) return ScriptValue(**text);
  auto* list = value.as<eval::ListPtr>();
  if (!list) return ScriptValue::other(describe(value));
  std::vector<ScriptValue> items;
  for (const eval::HostValue& item : (*list)->items) items.push_back(api_value(item, show));
  return (*list)->tuple ? ScriptValue::tuple(std::move(items)) : ScriptValue::list(std::move(items));
}

eval::HostValue script_value(const ScriptValue& value,
                             const std::function<eval::HostValue(const plan::HostView&)>& place) {
  switch (value.kind()) {
    case ScriptValue::Kind::kNone: return eval::None{};
    case ScriptValue::Kind::kBool: return value.truth();
    case ScriptValue::Kind::kInt: return int64_t{value.integer()};
    case ScriptValue::Kind::kFloat: return value.number();
    case ScriptValue::Kind::kText: return eval::make_text(value.text());
    case ScriptValue::Kind::kTensor: return place(host_view(value.tensor().view()));
    case ScriptValue::Kind::kOther: break;
    case ScriptValue::Kind::kList:
    case ScriptValue::Kind::kTuple: {
      std::vector<eval::HostValue> items;
      for (const ScriptValue& item : value.items()) items.push_back(script_value(item, place));
      if (value.kind() == ScriptValue::Kind::kList) return eval::make_list(std::move(items));
      if (items.size() < 2) fail(Kind::bad_value, {}, "a tuple has at least two elements, found {}", items.size());
      return eval::make_tuple(std::move(items));
    }
  }
  fail(Kind::bad_value, {}, "{} cannot be given to a program", value.text());
}

eval::HostValue host_function_value(const std::string& text, ScriptFunction function) {
  const std::shared_ptr<const syntax::Signature> signature = signature_of(text);
  const auto call = [signature, function = std::move(function)](eval::Caller& caller,
                                                                const eval::Bound& bound) -> eval::HostValue {
    if (caller.is_abstract()) return eval::unknown(result_of(*signature));
    std::vector<ScriptValue> arguments;
    for (size_t p = 0; p < signature->parameters.size(); ++p)
      arguments.push_back(
          bound.has(p) ? api_value(bound.value(p),
                                   [&](const graph::Value& tensor) { return fetched(caller, tensor, bound.span(p)); })
                       : ScriptValue());
    return script_value(function(arguments), [&](const plan::HostView& view) -> eval::HostValue {
      session::check_given(view);
      return caller.constant({view.type, {view.bytes.begin(), view.bytes.end()}}, bound.span());
    });
  };
  return eval::host_function(*signature, {}, eval::Effects::kAny, call, true);
}

eval::HostValue stream_value(const std::string& name, std::vector<TensorType> types, std::function<NextBatch()> begin) {
  const auto signature = std::make_shared<const syntax::Signature>(name + "()");
  const auto shared = std::make_shared<const std::vector<TensorType>>(std::move(types));
  const auto call = [signature, shared, begin = std::move(begin)](eval::Caller& caller,
                                                                  const eval::Bound& bound) -> eval::HostValue {
    auto sequence = std::make_shared<eval::Sequence>();
    sequence->what = "batches of a stream";
    sequence->count = caller.is_abstract() ? -1 : eval::Sequence::kUntilNone;
    const Span span = bound.span();
    sequence->any = [shared, &caller, span] { return batch_of(caller, *shared, {}, span); };
    sequence->at = [shared, &caller, span, next = caller.is_abstract() ? NextBatch() : begin()](int64_t) {
      std::vector<plan::HostTensor> tensors;
      std::vector<std::span<std::byte>> memory;
      for (const TensorType& type : *shared)
        tensors.push_back(
            {type, std::vector<std::byte>(static_cast<size_t>(size_of(type.dims) * size_of(type.element)))});
      for (plan::HostTensor& tensor : tensors) memory.emplace_back(tensor.bytes);
      if (!next(memory)) return eval::HostValue(eval::None{});
      for (const plan::HostTensor& tensor : tensors) session::check_given(tensor);
      return batch_of(caller, *shared, std::move(tensors), span);
    };
    return eval::SequencePtr(sequence);
  };
  return eval::host_function(*signature, {}, eval::Effects::kAny, call, true);
}

}  // namespace mtf
