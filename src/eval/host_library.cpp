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

BuiltinPtr host_function(Name name, std::function<HostValue(Caller&, Arguments&)> call, std::string_view signature,
                         std::string_view doc) {
  auto builtin = std::make_shared<Builtin>();
  builtin->name = name;
  builtin->signature = signature;
  builtin->doc = doc;
  builtin->call = [call = std::move(call)](Evaluator& evaluator, Arguments& arguments) {
    return call(evaluator.caller, arguments);
  };
  return builtin;
}

std::vector<const GivenArgument*> match_arguments(const Arguments& arguments, const std::vector<std::string>& names,
                                                  std::string_view signature) {
  std::vector<const GivenArgument*> matched(names.size(), nullptr);
  auto plain = [&](size_t i) {
    return std::string_view(names[i]).substr(0, names[i].size() - (names[i].back() == '?'));
  };
  size_t position = 0;
  for (const GivenArgument& item : arguments.items) {
    size_t place = names.size();
    if (item.label.empty()) {
      while (position < names.size() && matched[position]) ++position;
      place = position;
      if (place == names.size())
        fail(Diagnostic(Kind::wrong_arity, item.span, "this is one too many").help(std::string(signature)));
    } else {
      for (size_t i = 0; i < names.size(); ++i) {
        if (plain(i) == item.label.text()) place = i;
      }
      if (place == names.size()) {
        fail(Diagnostic(Kind::unknown_argument, item.label_span,
                        fmt::format("there is no argument `{}`", item.label.text()))
                 .help(std::string(signature)));
      }
      if (matched[place]) fail(Kind::duplicate_argument, item.label_span, "`{}` is given twice", item.label.text());
    }
    matched[place] = &item;
  }
  for (size_t i = 0; i < names.size(); ++i) {
    if (!matched[i] && names[i].back() != '?') {
      fail(Diagnostic(Kind::missing_argument, arguments.span, fmt::format("`{}` is missing", names[i]))
               .help(std::string(signature)));
    }
  }
  return matched;
}

}  // namespace mtf
