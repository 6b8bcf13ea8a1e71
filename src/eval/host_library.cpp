#include "eval/host_library.h"

#include "eval/evaluator.h"
#include "ops/spaces.h"

namespace mtf {

Caller::Caller(Evaluator& evaluator, std::unique_ptr<LibraryState> state)
    : convert(evaluator.convert), evaluator_(evaluator), state_(std::move(state)) {}
Caller::~Caller() = default;

bool Caller::is_check() const { return evaluator_.domain.is_check(); }
bool Caller::is_abstract() const { return evaluator_.domain.is_abstract(); }
bool Caller::runs_next() const { return is_check() && evaluator_.settings.runs_next; }

Execution& Caller::execution() const { return *evaluator_.execution(); }
Runtime& Caller::runtime() const { return evaluator_.runtime(); }

Value Caller::unplaced(const TensorType& type, Span span) {
  Builder& builder = evaluator_.builder;
  builder.span = span;
  evaluator_.check_mesh(span);
  return builder.add(ops::kConstant, {}, TypeAttributes{type});
}

Value Caller::unplaced_as(const Place& place, Span span) {
  evaluator_.builder.span = span;
  return evaluator_.builder.constant(place.type, place.stored);
}

Value Caller::constant(HostTensor data, Span span) {
  Value value = unplaced(data.type, span);
  if (is_check()) return value;
  if (data.bytes.empty()) data.bytes.resize(static_cast<size_t>(size_of(data.type.dims) * size_of(data.type.element)));
  execution().place(*value.node, data);
  return value;
}

void Caller::cut(const Values& needed, Span span) { evaluator_.cuts.cut(needed, span); }
HostTensor Caller::fetch(const Value& value, Span span) { return evaluator_.cuts.fetch(value, span); }
HostValue Caller::read_number(const Value& value, Span span) { return evaluator_.cuts.read_number(value, span); }

void Caller::assign(const PlacePtr& place, const Value& value, Span span) {
  evaluator_.variables.assign(place, Handle(value), span, span);
}

RandomStream Caller::random_stream() const {
  const Context& context = evaluator_.builder.context;
  return {context.seed, context.random_calls};
}

void Caller::set_random_stream(const RandomStream& stream) {
  evaluator_.builder.context.seed = stream.seed;
  evaluator_.builder.context.random_calls = stream.calls;
}

BuiltinPtr host_function(const Signature& signature, std::string_view doc, std::function<HostValue(Caller&, const Bound&)> call, bool sees_unknown) {
  auto builtin = std::make_shared<Builtin>();
  builtin->signature = &signature;
  builtin->doc = doc;
  builtin->call = [call = std::move(call)](Evaluator& evaluator, const Bound& bound) { return call(evaluator.caller, bound); };
  builtin->sees_unknown = sees_unknown;
  return builtin;
}

}  // namespace mtf
