#include "eval/builtins.h"

#include <cerrno>
#include <cstdlib>
#include <limits>
#include <numbers>

#include "eval/abstract.h"
#include "eval/calls.h"
#include "eval/custom_gradient.h"
#include "eval/cuts.h"
#include "eval/display.h"
#include "eval/findings.h"
#include "eval/host_library.h"
#include "eval/limits.h"
#include "eval/scan.h"
#include "eval/settings.h"
#include "eval/variables_below.h"
#include "graph/op.h"
#include "ops/builder.h"
#include "ops/gradients.h"
#include "ops/registry.h"
#include "ops/unreached.h"
#include "plan/runtime.h"
#include "support/printable.h"
#include "support/text.h"

namespace mtf::eval {
namespace {

/// Makes a line safe for a terminal, but keeps tabs and line ends.
std::string for_terminal(const std::string& line) {
  std::vector<std::string> parts = split(line, '\t');
  for (std::string& part : parts) part = printable(part, true);
  return mtf::join(parts, "\t");
}

HostValue print(Caller& caller, const Bound& call) {
  caller.parts.cuts.refuse_in_iteration(call.span(), "`print`");
  std::string line;
  for (const GivenArgument* item : call.rest) {
    caller.parts.builder.span = item->span;
    if (item != call.rest.front()) line += ' ';
    if (!item->value.is_unknown()) line += caller.parts.display.text(item->value);
  }
  if (!caller.is_abstract() && caller.runtime().rank() == 0) {
    caller.parts.out << (caller.parts.settings.at_terminal ? for_terminal(line) : line) << '\n';
    caller.parts.out.flush();
  }
  return None{};
}

HostValue zip(Caller& caller, const Bound& call) {
  std::optional<size_t> count;
  for (const GivenArgument& item : call.arguments.items) {
    size_t size = 0;
    if (auto* list = item.value.as<ListPtr>()) size = (*list)->items.size();
    else if (auto* range = item.value.as<Range>()) {
      const std::optional<int64_t> numbers = range->size(item.span);
      if (!numbers) return unknown(UnknownKind::kAny);
      size = static_cast<size_t>(*numbers);
    } else if (item.value.is_unknown()) return unknown(UnknownKind::kAny);
    else fail(Kind::not_iterable, item.span, "expected a list, found {}", describe(item.value));
    if (count && *count != size) {
      fail(Diagnostic(Kind::wrong_arity, item.span,
                      fmt::format("expected as many elements as the first has, {}, found {}", *count, size))
               .related(call.span(0), "the first"));
    }
    count = size;
  }
  check_list_length(*count, call.span());
  caller.parts.findings.count_steps(call.span(), *count);
  std::vector<HostValue> tuples;
  tuples.reserve(*count);
  for (size_t i = 0; i < *count; ++i) {
    std::vector<HostValue> parts;
    for (const GivenArgument& item : call.arguments.items) {
      if (auto* list = item.value.as<ListPtr>()) parts.push_back((*list)->items[i]);
      else parts.push_back(item.value.as<Range>()->first + static_cast<int64_t>(i));
    }
    tuples.push_back(make_tuple(std::move(parts)));
  }
  return make_list(std::move(tuples));
}

HostValue len(Caller&, const Bound& call) {
  const HostValue& value = call.value(0);
  if (auto* list = value.as<ListPtr>()) return static_cast<int64_t>((*list)->items.size());
  if (auto* text = value.as<Text>()) return static_cast<int64_t>(count_code_points(**text));
  if (auto* range = value.as<Range>()) {
    const std::optional<int64_t> count = range->size(call.span(0));
    return count ? HostValue(*count) : unknown(UnknownKind::kInt);
  }
  if (auto* sequence = value.as<SequencePtr>()) {
    if ((*sequence)->count == Sequence::kUntilNone)
      fail(Kind::type_mismatch, call.span(0), "{} have no length before they end", (*sequence)->what);
    return (*sequence)->count < 0 ? unknown(UnknownKind::kInt) : HostValue((*sequence)->count);
  }
  if (value.is_unknown()) return unknown(UnknownKind::kInt);
  if (auto* object = value.as<ObjectPtr>()) {
    if (auto length = (*object)->length()) return *length < 0 ? unknown(UnknownKind::kInt) : HostValue(*length);
  }
  fail(Diagnostic(Kind::type_mismatch, call.span(0),
                  fmt::format("expected a list, a string or a dataset, found {}", describe(value)))
           .help(value.is<Dim>() || tensor_of(value) ? "`size(…)` is that of a dim or a tensor" : ""));
}

HostValue size(Caller&, const Bound& call) {
  const GivenArgument& item = call[0];
  if (auto* dim = item.value.as<Dim>()) return dim->size;
  Dims dims;
  if (const graph::Value* tensor = tensor_of(item.value)) {
    dims = tensor->dims();
  } else if (auto* list = item.value.as<ListPtr>()) {
    for (const HostValue& element : (*list)->items) {
      auto* dim = element.as<Dim>();
      if (!dim) fail(Kind::not_a_dim, item.span, "expected dims, found {}", describe(element));
      dims.push_back(*dim);
    }
  } else {
    fail(Diagnostic(Kind::type_mismatch, item.span,
                    fmt::format("expected a dim, a list of dims or a tensor, found {}", describe(item.value))));
  }
  auto count = checked_size(dims);
  if (!count) fail(Kind::size_overflow, item.span, "{} has more than 2^62 elements", to_string(dims));
  return *count;
}

/// Parses a string as an int. Fails (bad_value) at `span` if it is none.
HostValue parse_int(const std::string& text, Span span) {
  const std::string digits(trim(text));
  char* end = nullptr;
  errno = 0;
  const long long number = std::strtoll(digits.c_str(), &end, 10);
  if (digits.empty() || end != digits.c_str() + digits.size()) {
    fail(Diagnostic(Kind::bad_value, span, fmt::format("expected an integer, found {}", quote(text)))
             .help("`float(s)` reads numbers with a fraction"));
  }
  if (errno == ERANGE) fail(Kind::integer_overflow, span, "{} as an int", quote(text));
  return static_cast<int64_t>(number);
}

HostValue parse_float(const std::string& text, Span span) {
  const std::string digits(trim(text));
  char* end = nullptr;
  const double number = std::strtod(digits.c_str(), &end);
  if (digits.empty() || end != digits.c_str() + digits.size()) {
    fail(Kind::bad_value, span, "expected a number, found {}", quote(text));
  }
  return number;
}

HostValue whole_number(Caller& caller, const Bound& call) {
  const GivenArgument& item = call[0];
  const HostValue value = caller.convert.on_host(item.value, item.span);
  if (value.is_unknown()) return unknown(UnknownKind::kInt);
  if (value.is<int64_t>()) return value;
  if (auto* text = value.as<Text>()) return parse_int(**text, item.span);
  if (auto number = number_of(value)) {
    if (!(*number >= -0x1p63 && *number < 0x1p63))
      fail(Kind::integer_overflow, item.span, "{} as an int", caller.parts.display.text(value));
    return static_cast<int64_t>(*number);
  }
  fail(Kind::type_mismatch, item.span, "expected a number, found {}", describe(value));
}

HostValue real_number(Caller& caller, const Bound& call) {
  const GivenArgument& item = call[0];
  const HostValue value = caller.convert.on_host(item.value, item.span);
  if (value.is_unknown()) return unknown(UnknownKind::kFloat);
  if (auto number = number_of(value)) return *number;
  if (auto* text = value.as<Text>()) return parse_float(**text, item.span);
  fail(Kind::type_mismatch, item.span, "expected a number, found {}", describe(value));
}

HostValue string(Caller& caller, const Bound& call) {
  const HostValue& value = call.value(0);
  caller.parts.builder.span = call.span(0);
  std::string text = caller.parts.display.text(value);
  check_length(text.size(), "a string", call.span());
  if (caller.is_abstract() && has_unknown_text(value)) return unknown(UnknownKind::kString);
  return make_text(std::move(text));
}

/// Names a target of `grad` in messages: a variable by its path, another value by its name or by its position among the
/// targets.
std::string target_name(const HostValue& target, size_t place) {
  if (auto* variable = target.as<VariablePtr>()) return code((*variable)->path);
  const Name name = tensor_of(target)->node->name;
  return name.empty() ? fmt::format("target {}", place) : code(name.text());
}

/// Warns at the call of `grad` about gradients that are probably 0 by mistake, and says why. A plan does not repeat the
/// warnings of its check.
void warn_of_unreached(Caller& caller, const graph::Value& loss, const std::vector<const HostValue*>& targets,
                       const graph::Values& values, const std::vector<bool>& reached, Span span) {
  if (caller.parts.domain.is_plan() || std::find(reached.begin(), reached.end(), false) == reached.end()) return;
  const auto& several = caller.parts.domain.ones_of_several();
  const std::optional<ops::Unreached> found = ops::unreached(loss, values, reached, several);
  if (!found) return;
  constexpr size_t kMostNamed = 4;
  std::vector<std::string> names;
  for (const size_t t : found->targets)
    if (names.size() < kMostNamed) names.push_back(target_name(*targets[t], t));
  if (found->targets.size() > names.size())
    names.push_back(fmt::format("{} more", found->targets.size() - names.size()));
  Diagnostic diagnostic(Kind::grad_unreached, span, "no gradient comes to " + join_words(names, "and"));
  if (const graph::NodePtr& end = found->end; !end) {
    diagnostic.help("leave out what the loss does not depend on");
  } else if (end->variable != 0) {
    diagnostic
        .related(
            end->operation->span,
            fmt::format("{} is assigned here, and keeps its value, not what that was made of", code(end->name.text())))
        .help(
            "use what is assigned where it is needed, instead of assigning it; `stop_gradient(x)` says that it is "
            "meant");
  } else {
    const graph::Op& op = *end->operation->op;
    const std::string_view reason = op.no_gradient;
    diagnostic
        .related(end->operation->span,
                 fmt::format("no gradient goes through {}{}{}", code(op.symbol.empty() ? op.name : op.symbol),
                             reason.empty() ? "" : ": ", reason))
        .help("`stop_gradient(x)` says that it is meant");
  }
  caller.parts.findings.warn(caller.parts.calls.seen_by_program(diagnostic));
}

/// Returns the state that was declared like a param, such as a moment of an optimizer. Returns null if there is none.
VariablePtr state_like(const HostValue& target, const graph::Value& value) {
  const VariablePtr* const param = target.as<VariablePtr>();
  VariablePtr state = param ? (*param)->state.lock() : nullptr;
  const bool fits = state && state->current.value() && state->current.value().dims() == value.dims() &&
                    same_mesh(state->current.value().mesh(), value.mesh());
  return fits ? state : nullptr;
}

HostValue grad(Caller& caller, const Bound& call) {
  ops::Builder& builder = caller.parts.builder;
  const GivenArgument& loss = call[0];
  const GivenArgument& targets = call[1];
  if (is_open(loss.value)) return unknown(UnknownKind::kAny);
  if (!tensor_of(loss.value))
    fail(Kind::type_mismatch, loss.span, "expected a tensor without dimensions, found {}", describe(loss.value));
  if (!tensor_of(loss.value)->dims().empty()) {
    fail(Diagnostic(Kind::grad_not_scalar, loss.span, to_string(tensor_of(loss.value)->type()))
             .help("take `sum(…)` or `mean(…)` of it"));
  }
  graph::Values wanted;
  std::vector<const HostValue*> given;
  auto add = [&](const HostValue& value) {
    const graph::Value* tensor = tensor_of(value);
    if (!tensor) {
      fail(Diagnostic(Kind::type_mismatch, targets.span,
                      fmt::format("expected tensors to differentiate by, found {}", describe(value)))
               .help(holds_variables(value) == HoldsVariables::kYes
                         ? "take its `.params`"
                         : "as in `grad(loss, [w, v])` or `grad(loss, net.params)`"));
    }
    if (!is_float(tensor->element())) {
      fail(Kind::no_gradient, targets.span, "{} holds no real numbers", to_string(tensor->type()));
    }
    wanted.push_back(*tensor);
    given.push_back(&value);
  };
  if (targets.value.is_unknown()) return unknown(UnknownKind::kAny);
  if (auto* list = targets.value.as<ListPtr>()) {
    for (const HostValue& item : (*list)->items) {
      if (item.is_poison()) return item;
      if (item.is_unknown()) return unknown(UnknownKind::kAny);
      add(item);
    }
  } else {
    add(targets.value);
  }
  graph::Value of = caller.convert.to_tensor(loss.value, loss.span);
  builder.span = call.span();
  Restore ours(builder.written, false);
  std::vector<bool> reached;
  graph::Values results = gradients(builder, of, wanted, &reached);
  warn_of_unreached(caller, of, given, wanted, reached, call.span());
  for (size_t i = 0; i < results.size(); ++i)
    if (const VariablePtr state = state_like(*given[i], wanted[i]))
      results[i] = builder.split_like(results[i], state->current.value());
  if (!targets.value.is<ListPtr>()) return std::move(results[0]);
  std::vector<HostValue> items;
  for (size_t i = 0; i < results.size(); ++i) {
    // The result's name in listings comes from its target.
    if (results[i].node->name.empty() && !wanted[i].node->name.empty())
      results[i].node->name = Name("d_" + wanted[i].node->name.str());
    items.push_back(std::move(results[i]));
  }
  return make_list(std::move(items));
}

HostValue recompute(Caller& caller, const Bound& call) {
  Arguments rest;
  rest.span = call.span();
  rest.scope = call.arguments.scope;
  for (const GivenArgument* item : call.rest) rest.items.push_back(*item);
  graph::SegmentRef& segment = caller.parts.builder.context.segment;
  // Nested segments belong to the outermost.
  const Restore inside(segment, segment ? segment : std::make_shared<const graph::Segment>());
  return caller.parts.calls.call(call.value(0), rest);
}

/// The functions that the language itself gives to every program.
const std::vector<HostFunction>& own_functions() {
  static const std::vector<HostFunction> kFunctions = {
      {"print(values...)", "Prints values on a line, with a space between two.", Effects::kPrints, print, true, true},
      {"zip(a, b, more...) -> list", "A list of tuples: of the first elements, of the second, and so on.",
       Effects::kNone, zip, true},
      {"len(list) -> int", "How many elements a list, a string or a dataset has.", Effects::kNone, len, true},
      {"size(dim) -> int", "The size of a dim, the product of a list of dims, or the number of elements of a tensor.",
       Effects::kNone, size},
      {"int(x) -> int",
       "A number of the host without its fraction; reads a tensor without dims, or a string of digits.", Effects::kNone,
       whole_number, false, true},
      {"float(x) -> float", "A float of the host; reads a tensor without dims, or a string.", Effects::kNone,
       real_number, false, true},
      {"string(x) -> string", "The text of a value, as `print` shows it.", Effects::kNone, string, false, true},
      {"grad(loss, targets) -> value",
       "The gradients of a number with respect to tensors or `net.params`, each laid out as what it is of. What the "
       "number does not depend on "
       "has 0, with a warning.",
       Effects::kNone, grad, true},
      {"scan(f, start, xs = none, over: dim, reverse: bool = false, recompute: bool = false, "
       "pipeline: dim = none, schedule: string = none, chunks: int = none) -> value",
       kScanDoc, Effects::kNone, scan, true},
      {"stacked(over: dim, f, chunks: int = none) -> value", kStackedDoc, Effects::kWrites, stacked, true},
      {"custom_gradient(f, backward) -> value", kCustomGradientDoc, Effects::kNone, custom_gradient},
      {"check_gradient(f, x, places: int = 8) -> float", kCheckGradientDoc, Effects::kNone, check_gradient, true},
      {"recompute(f, ...) -> value",
       "f of the other arguments, of which nothing inside is kept for the backward pass. If f ends in `@`, its result "
       "is "
       "not kept, either: `recompute(fn(x) = x @ {}, x)` keeps x as it is stored, and gathers it again.",
       Effects::kNone, recompute, true},
  };
  return kFunctions;
}

BuiltinPtr value_of(const HostFunction& function) {
  return host_function(function.signature, function.doc, function.effects, function.call, function.sees_unknown,
                       function.only_looks);
}

}  // namespace

Builtins::Builtins(const HostLibrary* library) {
  for (const HostFunction& function : own_functions()) values_[function.signature.name] = value_of(function);
  values_[Name("pi")] = std::numbers::pi;
  values_[Name("inf")] = std::numeric_limits<double>::infinity();
  values_[Name("nan")] = std::numeric_limits<double>::quiet_NaN();
  auto module = std::make_shared<Module>();
  module->name = "random";
  module->is_operations = true;
  values_[Name("random")] = ModulePtr(module);
  of_standard_modules_ = std::make_shared<Scope>(nullptr, 0, 0);
  if (!library) return;
  for (const HostFunction& function : library->functions) values_[function.signature.name] = value_of(function);
  auto native = std::make_shared<Module>();
  native->name = "native";
  native->scope = std::make_shared<Scope>(nullptr, 0, 0);
  for (const HostFunction& function : library->native)
    native->scope->bindings.push_back({function.signature.name, value_of(function), {}});
  of_standard_modules_->bindings.push_back({native->name, native, {}});
}

Builtins::~Builtins() { of_standard_modules_->release(); }

const HostValue* Builtins::find(Name name) {
  if (auto known = values_.find(name); known != values_.end()) return &known->second;
  const graph::Op* op = ops::find_op(name.text());
  if (!op || op->signature.empty()) return nullptr;
  return &(values_[name] = OperationPtr(op));
}

bool Builtins::knows(Name name) const {
  const graph::Op* op = nullptr;
  return values_.count(name) > 0 || ((op = ops::find_op(name.text())) != nullptr && !op->signature.empty());
}

void Builtins::append_names(std::vector<std::string>& names) const {
  for (const graph::Op* op : ops::all_ops()) {
    if (!op->signature.empty() && op->name.find('.') == std::string_view::npos) names.emplace_back(op->name);
  }
  for (const auto& [name, value] : values_) names.push_back(name.str());
}

std::vector<BuiltinPtr> Builtins::functions() const {
  std::vector<BuiltinPtr> functions;
  for (const auto& [name, value] : values_)
    if (const auto* builtin = value.as<BuiltinPtr>()) functions.push_back(*builtin);
  return functions;
}

}  // namespace mtf::eval
