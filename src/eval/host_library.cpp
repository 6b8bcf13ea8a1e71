#include "eval/host_library.h"

#include "eval/abstract.h"
#include "eval/cuts.h"
#include "eval/meshes.h"
#include "eval/settings.h"
#include "eval/variables.h"
#include "ops/builder.h"
#include "ops/index.h"
#include "ops/spaces.h"
#include "plan/execution.h"

namespace mtf::eval {

Caller::Caller(const Parts& given, plan::Execution* execution, std::unique_ptr<LibraryState> state)
    : parts(given), convert(given.convert), execution_(execution), state_(std::move(state)) {}
Caller::~Caller() = default;

bool Caller::is_check() const { return parts.domain.is_check(); }
bool Caller::is_abstract() const { return parts.domain.is_abstract(); }
bool Caller::runs_next() const { return is_check() && parts.settings.runs_next; }

plan::Execution& Caller::execution() const { return *execution_; }
plan::Runtime& Caller::runtime() const { return execution_->runtime(); }

graph::Value Caller::unplaced(const TensorType& type, Span span) {
  ops::Builder& builder = parts.builder;
  builder.span = span;
  parts.meshes.check(span);
  return builder.add(ops::kConstant, {}, ops::TypeAttributes{type});
}

graph::Value Caller::unplaced_as(const Variable& variable, Span span) {
  parts.builder.span = span;
  return parts.builder.constant(variable.type, variable.stored);
}

graph::Value Caller::constant(plan::HostTensor data, Span span) {
  graph::Value value = unplaced(data.type, span);
  if (is_check()) return value;
  if (data.bytes.empty()) data.bytes.resize(static_cast<size_t>(size_of(data.type.dims) * size_of(data.type.element)));
  execution().place(*value.node, data);
  return value;
}

graph::Value Caller::gathered(const HostValue& table, const graph::Value& ids, const Dim& over, Span span) {
  parts.builder.span = span;
  const graph::Value value = convert.to_tensor(table, span);
  return ops::gather(parts.builder, value, ids, over, value.type().element);
}

void Caller::cut(const graph::Values& needed, Span span) { parts.cuts.cut(needed, span); }
plan::HostTensor Caller::fetch(const graph::Value& value, Span span) { return parts.cuts.fetch(value, span); }
HostValue Caller::read_number(const graph::Value& value, Span span) { return parts.cuts.read_number(value, span); }

void Caller::assign(const VariablePtr& variable, const graph::Value& value, Span span) {
  parts.variables.assign(variable, graph::Handle(value), span, span);
}

RandomStream Caller::random_stream() const {
  const graph::Context& context = parts.builder.context;
  return {context.seed, context.random_calls};
}

void Caller::set_random_stream(const RandomStream& stream) {
  parts.builder.context.seed = stream.seed;
  parts.builder.context.random_calls = stream.calls;
}

BuiltinPtr host_function(const syntax::Signature& signature, std::string_view doc, Effects effects,
                         std::function<HostValue(Caller&, const Bound&)> call, bool sees_unknown, bool only_looks) {
  return std::make_shared<const Builtin>(Builtin{&signature, doc, effects, std::move(call), sees_unknown, only_looks});
}

}  // namespace mtf::eval
