#include "eval/operations.h"

#include <algorithm>
#include <array>

#include "eval/binding.h"
#include "eval/conversions.h"
#include "eval/doubtful.h"
#include "eval/findings.h"
#include "eval/limits.h"
#include "eval/meshes.h"
#include "eval/name_lookup.h"
#include "eval/possible_values.h"
#include "graph/op.h"
#include "ops/registry.h"
#include "support/stack_budget.h"
#include "support/text.h"

namespace mtf::eval {
namespace {

/// Appends a number, or nested lists of numbers that have one length at each depth.
void flatten(const HostValue& value, size_t depth, ops::NestedNumbers& nested, Span span) {
  check_stack(span, Kind::nesting_too_deep);
  if (auto* list = value.as<ListPtr>()) {
    const auto size = static_cast<int64_t>((*list)->items.size());
    if (depth == nested.sizes.size()) {
      if (!nested.numbers.empty())
        fail(Kind::shape_mismatch, span, "expected numbers at every place of this depth, found a list too");
      nested.sizes.resize(depth + 1, size);
      size_t count = 1;
      for (const int64_t each : nested.sizes)
        check_length(count *= static_cast<size_t>(std::max<int64_t>(each, 1)), "numbers", span);
    }
    if (nested.sizes[depth] != size) {
      fail(Kind::shape_mismatch, span, "expected lists of one length at each depth, found {} and {}",
           nested.sizes[depth], size);
    }
    for (const HostValue& item : (*list)->items) flatten(item, depth + 1, nested, span);
    return;
  }
  if (depth != nested.sizes.size())
    fail(Kind::shape_mismatch, span, "expected lists at every place of this depth, found {}", describe(value));
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

/// Reads an int or nested lists of ints; returns false if an int is unknown.
bool read_ints(const HostValue& value, ops::NestedNumbers& nested, Span span) {
  flatten(value, 0, nested, span);
  if (!nested.all_int) fail(Kind::type_mismatch, span, "expected an int or lists of ints, found {}", describe(value));
  return !has_unknown(value);
}

/// Returns the dim with the name of `dim` from the call's tensors, where its size may differ; else `dim` itself.
Dim found_in_operands(const ops::Call& call, const Dim& dim) {
  for (const ops::Argument& argument : call.arguments) {
    for (const graph::Value& value : argument.values) {
      if (int place = find_dim(value.dims(), dim.name); place >= 0) return value.dims()[place];
    }
  }
  return dim;
}

/// The distance between windows or positions. The size of a result depends on it.
const Name kStride("stride");

/// A call of a tensor operation. Converts the bound arguments to the `ops::Call` that the operation's rules read.
class OperationCall {
 public:
  OperationCall(ops::Builder& builder, const Conversions& convert, const graph::Op& op, const Bound& bound)
      : convert_(convert), op_(op), bound_(bound), call_(builder, op, bound.signature) {
    call_.span = bound.span();
  }
  /// Returns the results, or nothing if the result type depends on an unknown argument. `names` finds the dims of
  /// labels.
  std::optional<HostValue> result(NameLookup& names, Findings& findings);

 private:
  void read_arguments();
  /// Reads an argument of a parameter; returns false if the result type depends on it and it is unknown.
  bool read(const syntax::Parameter& parameter, const GivenArgument& given, ops::Argument& argument) const;
  /// Reads the labels that name dims; returns false if one is poison.
  bool read_labels(NameLookup& names);
  void read_arrow();
  void read_pairs();
  void read_groups();
  HostValue build();
  /// Warns of a product in which each factor has a summed dim that the other lacks. Probably one dim was meant.
  void warn_of_sums_apart(Findings& findings) const;

  const Conversions& convert_;
  const graph::Op& op_;
  const Bound& bound_;
  ops::Call call_;
  bool known_ = true;  ///< everything that the result type depends on is known
};

bool OperationCall::read(const syntax::Parameter& parameter, const GivenArgument& given,
                         ops::Argument& argument) const {
  const HostValue& value = given.value;
  argument.given = true;
  if (!argument.span.is_known()) argument.span = given.span;
  switch (parameter.kind) {
    case syntax::ParameterKind::kNumber:
    case syntax::ParameterKind::kInt:
    case syntax::ParameterKind::kBool:
      argument.unknown = value.is_unknown();
      argument.is_int = argument.unknown ? unknown_kind(value) == UnknownKind::kInt : !value.is<double>();
      argument.number =
          number_of(value).value_or(parameter.kind == syntax::ParameterKind::kNumber && !argument.is_int ? 0.5 : 1);
      return !argument.unknown || parameter.name != kStride;
    default: break;
  }
  if (is_open(value)) return false;
  switch (parameter.kind) {
    case syntax::ParameterKind::kTensor:
      if (has_open_type(value)) return false;
      argument.unknown = value.is_unknown();
      argument.values.push_back(convert_.to_tensor(value, given.span));
      break;
    case syntax::ParameterKind::kTensors:
      for (const HostValue& item : (*value.as<ListPtr>())->items) {
        if (item.is_poison() || has_open_type(item)) return false;
        argument.values.push_back(convert_.to_tensor(item, given.span));
      }
      break;
    case syntax::ParameterKind::kElement: argument.element = *value.as<ElementType>(); break;
    case syntax::ParameterKind::kNested:
      if (has_item(value, is_open)) return false;
      flatten(value, 0, argument.nested, given.span);
      break;
    case syntax::ParameterKind::kInts:
      return !has_item(value, is_open) && read_ints(value, argument.nested, given.span);
    default:
      if (has_unknown(value)) return false;
      argument.dims = value.is<Dim>() ? Dims{*value.as<Dim>()} : Conversions::to_dims(value, given.span);
  }
  return true;
}

void OperationCall::read_arguments() {
  static const Name kOver("over");
  const auto& parameters = bound_.signature.parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!bound_.has(i)) continue;
    if (!parameters[i].is_variadic) known_ = read(parameters[i], bound_[i], call_.arguments[i]) && known_;
    else
      for (const GivenArgument* given : bound_.rest) known_ = read(parameters[i], *given, call_.arguments[i]) && known_;
  }
  // With an integer tensor, an int and a float give results of different types.
  const bool any_open = std::any_of(bound_.arguments.items.begin(), bound_.arguments.items.end(),
                                    [](const GivenArgument& given) { return has_open_type(given.value); });
  if (any_open)
    for (const ops::Argument& argument : call_.arguments)
      for (const graph::Value& value : argument.values) known_ = known_ && is_float(value.element());
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name != kOver) continue;
    for (Dim& dim : call_.arguments[i].dims) dim = found_in_operands(call_, dim);
  }
}

bool OperationCall::read_labels(NameLookup& names) {
  const bool has_windows = bound_.signature.place_of(kStride) < bound_.signature.parameters.size();
  for (const GivenArgument* item : bound_.labels) {
    HostValue named = names.look_up(item->label, item->label_span, bound_.arguments.scope);
    if (named.is_poison()) return false;
    if (named.is_unknown() || (bound_.signature.labels == syntax::LabelKind::kDim && item->value.is_unknown())) {
      known_ = false;
      continue;
    }
    ops::DimLabel label;
    label.dim = found_in_operands(call_, Conversions::to_dim(named, item->label_span));
    label.span = item->label_span;
    if (bound_.signature.labels == syntax::LabelKind::kDim) {
      label.value = found_in_operands(call_, Conversions::to_dim(item->value, item->span));
      call_.labels.push_back(std::move(label));
      continue;
    }
    std::vector<HostValue> numbers{item->value};
    const bool is_pair = bound_.signature.labels == syntax::LabelKind::kPair;
    if (is_pair && item->value.is_unknown()) {
      known_ = false;
      continue;
    }
    if (is_pair) {
      auto* list = item->value.as<ListPtr>();
      if (!list || (*list)->items.size() != 2)
        fail(Kind::type_mismatch, item->span, "expected a pair such as `(1, 1)`, found {}", describe(item->value));
      numbers = (*list)->items;
    }
    for (const HostValue& number : numbers) {
      auto value = convert_.to_int(number, item->span, "this");
      if (!value && (is_pair || has_windows)) known_ = false;
      label.numbers.push_back(value.value_or(0));
    }
    call_.labels.push_back(std::move(label));
  }
  return true;
}

void OperationCall::read_arrow() {
  const syntax::Signature& signature = bound_.signature;
  if (const GivenArgument* arrow = bound_.arrow) {
    if (has_unknown(arrow->target)) {
      known_ = false;
      return;
    }
    call_.arrow = Conversions::to_dims(arrow->target, arrow->target_span);
    call_.arrow_span = arrow->target_span;
    if (signature.arrow == syntax::ArrowKind::kOptionalShape || op_.role == graph::Role::kContraction) {
      for (Dim& dim : *call_.arrow) dim = found_in_operands(call_, dim);
    }
  } else if ((signature.arrow == syntax::ArrowKind::kShape || signature.arrow == syntax::ArrowKind::kShapeOrGroups) &&
             bound_.pairs.empty() && known_) {
    fail(Diagnostic(Kind::missing_argument, bound_.span(),
                    fmt::format("`{}` needs the resulting shape", signature.name.text()))
             .help(fmt::format("`{}(… -> [a, b])`", signature.name.text())));
  }
}

void OperationCall::read_groups() {
  if (bound_.arrow && !bound_.pairs.empty())
    fail(Kind::misplaced_arrow, bound_.pairs[0]->target_span, "the shape of all of `{}` is given already",
         bound_.signature.name.text());
  const auto dims_of = [](const HostValue& value, Span span) {
    return value.is<ListPtr>() ? Conversions::to_dims(value, span) : Dims{Conversions::to_dim(value, span)};
  };
  for (const GivenArgument* item : bound_.pairs) {
    if (has_unknown(item->value) || has_unknown(item->target)) {
      known_ = false;
      return;
    }
    ops::DimGroup group{dims_of(item->value, item->span), dims_of(item->target, item->target_span),
                        cover(item->span, item->target_span)};
    for (Dim& dim : group.from) dim = found_in_operands(call_, dim);
    call_.groups.push_back(std::move(group));
  }
}

void OperationCall::read_pairs() {
  if (bound_.signature.arrow == syntax::ArrowKind::kShapeOrGroups) return read_groups();
  for (const GivenArgument* item : bound_.pairs) {
    if (item->value.is_unknown() || item->target.is_unknown()) {
      known_ = false;
      return;
    }
    const Dim before = Conversions::to_dim(item->value, item->span), from = found_in_operands(call_, before);
    Dim to = Conversions::to_dim(item->target, item->target_span);
    if (to.size == before.size) to.size = from.size;
    call_.pairs.emplace_back(from, to);
    call_.arrow_span = cover(call_.arrow_span, cover(item->span, item->target_span));
  }
}

HostValue OperationCall::build() {
  graph::Values results;
  if (op_.build) {
    results = op_.build(call_);
  } else {
    graph::Values operands;
    for (const ops::Argument& argument : call_.arguments)
      operands.insert(operands.end(), argument.values.begin(), argument.values.end());
    results = call_.builder.add_node(op_, std::move(operands));
  }
  if (results.size() == 1 && !op_.list) return std::move(results[0]);
  std::vector<HostValue> items;
  for (graph::Value& result : results) items.push_back(std::move(result));
  return op_.list ? make_list(std::move(items)) : make_tuple(std::move(items));
}

void OperationCall::warn_of_sums_apart(Findings& findings) const {
  graph::Values factors;
  for (const ops::Argument& argument : call_.arguments)
    factors.insert(factors.end(), argument.values.begin(), argument.values.end());
  if (op_.role != graph::Role::kContraction || !call_.arrow || factors.size() != 2) return;
  const auto is_of_window = [&](Name name) {
    return std::any_of(call_.labels.begin(), call_.labels.end(),
                       [&](const ops::DimLabel& label) { return label.dim.name == name || label.value.name == name; });
  };
  std::vector<std::string> apart;
  for (size_t i = 0; i < 2; ++i) {
    const Dims& others = factors[1 - i].dims();
    const auto lone = std::find_if(factors[i].dims().begin(), factors[i].dims().end(), [&](const Dim& dim) {
      return !has_dim(others, dim.name) && !has_dim(*call_.arrow, dim.name) && !is_of_window(dim.name);
    });
    if (lone == factors[i].dims().end()) return;
    apart.push_back(mtf::code(lone->name.text()));
  }
  findings.warn(Diagnostic(Kind::summed_apart, call_.span,
                           fmt::format("{} is summed in the first factor, and {} in the second", apart[0], apart[1]))
                    .help("a dimension that is multiplied has one name in both: `rename(x, a -> b)` gives it another"));
}

std::optional<HostValue> OperationCall::result(NameLookup& names, Findings& findings) {
  read_arguments();
  if (!read_labels(names)) return Poison{};
  read_arrow();
  read_pairs();
  if (known_) warn_of_sums_apart(findings);
  return known_ ? std::optional(build()) : std::nullopt;
}

/// Computes an element-wise function of host numbers on the host: `sqrt(2)`. Returns nothing for any other call.
std::optional<HostValue> on_the_host(const graph::Op& op, const Bound& call) {
  const bool takes_one = op.host.of_one != nullptr;
  if ((!takes_one && !op.host.of_two) || call.arrow) return std::nullopt;
  double numbers[2] = {1, 1};
  bool is_int = op.host.keeps_ints, may_be_int = is_int, is_known = true;
  for (size_t i = 0; i < (takes_one ? 1 : 2); ++i) {
    const HostValue& value = call.value(i);
    const std::optional<double> number = number_of(value);
    if (!number && (!is_number(value) || is_open(value))) return std::nullopt;
    is_known = is_known && number;
    may_be_int = may_be_int && unknown_kind(value) != UnknownKind::kFloat;
    is_int = is_int && (number ? !value.is<double>() : !has_open_type(value) && may_be_int);
    numbers[i] = number.value_or(1);
  }
  if (!is_known) return unknown(is_int ? UnknownKind::kInt : may_be_int ? UnknownKind::kNumber : UnknownKind::kFloat);
  const double result = takes_one ? op.host.of_one(numbers[0]) : op.host.of_two(numbers[0], numbers[1]);
  return is_int ? HostValue(static_cast<int64_t>(result)) : HostValue(result);
}

/// Refuses `max(1, 2)`: a reduction takes one tensor. The operation on two values has another name.
void refuse_two_values(const graph::Op& op, const Arguments& arguments) {
  if (op.of_two_values.empty() || arguments.items.size() < 2) return;
  const auto is_value = [](const HostValue& value) {
    return tensor_of(value) || (is_number(value) && !is_open(value));
  };
  const bool are_values_and_dims =
      std::all_of(arguments.items.begin(), arguments.items.end(), [&](const GivenArgument& item) {
        return item.label.empty() && !item.has_target && (is_value(item.value) || item.value.is<Dim>());
      });
  // `max(x, batch)` reduces x over a dim. In `max(3, batch)` there is nothing to reduce.
  const HostValue &first = arguments.items[0].value, &second = arguments.items[1].value;
  if (!are_values_and_dims || (tensor_of(first) && second.is<Dim>())) return;
  std::string right(arguments.items[0].span.text());
  for (size_t i = 1; i < arguments.items.size(); ++i)
    right = fmt::format("{}({}, {})", op.of_two_values, right, arguments.items[i].span.text());
  fail(Diagnostic(Kind::type_mismatch, arguments.items[1].span,
                  fmt::format("`{}` reduces one tensor, found {} too", op.name, describe(second)))
           .help(fmt::format("`{}` is of values, element by element", right)));
}

/// True if the call reduces the items of a list: `sum([a, b, c])`.
bool is_of_list(const graph::Op& op, const Arguments& arguments) {
  if (op.of_two_values.empty() || arguments.items.size() != 1) return false;
  const GivenArgument& only = arguments.items[0];
  const auto* list = only.value.as<ListPtr>();
  return list && only.label.empty() && !only.has_target;
}

/// What a reduction gives of nothing: the value that changes no other.
HostValue of_empty_list(const graph::Op& op, Span span) {
  if (op.name == "sum") return int64_t{0};
  if (op.name == "prod") return int64_t{1};
  if (op.name == "all") return true;
  if (op.name == "any") return false;
  fail(Kind::bad_value, span, "expected a list with an element, as there is no `{}` of nothing, found an empty one",
       op.name);
}

}  // namespace

HostValue Operations::of_list(const graph::Op& op, const Arguments& arguments) {
  const graph::Op& of_two = *ops::find_op(op.of_two_values);
  const std::vector<HostValue>& items = (*arguments.items[0].value.as<ListPtr>())->items;
  if (items.empty()) return of_empty_list(op, arguments.items[0].span);
  HostValue folded = items[0];
  for (size_t i = 1; i < items.size(); ++i) {
    Arguments two{{arguments.items[0], arguments.items[0]}, arguments.span, arguments.scope};
    two.items[0].value = std::move(folded);
    two.items[1].value = items[i];
    folded = call(of_two, two);
  }
  return folded;
}

std::optional<HostValue> Operations::operator_on_the_host(const graph::Op& op, const Bound& call) {
  if (op.symbol.empty() || call.arrow || call.given.size() != 2) return std::nullopt;
  const auto fits = [](const HostValue& value) { return number_of(value) || is_number(value); };
  if (!fits(call.value(0)) || !fits(call.value(1))) return std::nullopt;
  for (int i = 0; i <= static_cast<int>(ast::BinaryOp::kOr); ++i) {
    const auto symbol = static_cast<ast::BinaryOp>(i);
    if (ast::to_text(symbol) != op.symbol) continue;
    const bool *a = call.value(0).as<bool>(), *b = call.value(1).as<bool>();
    if (a && b && symbol == ast::BinaryOp::kAnd) return *a && *b;
    if (a && b && symbol == ast::BinaryOp::kOr) return *a || *b;
    return operate(symbol, call.value(0), call.value(1), {call.span(), call.span(0), call.span(1), {}});
  }
  return std::nullopt;
}

HostValue Operations::call(const graph::Op& op, Arguments& arguments) {
  if (is_of_list(op, arguments)) return of_list(op, arguments);
  refuse_two_values(op, arguments);
  const Bound bound = bind(ops::signature_of(op), arguments);
  if (auto number = on_the_host(op, bound)) return *number;
  if (auto value = operator_on_the_host(op, bound)) return *value;
  meshes_.check(arguments.span);
  builder_.span = arguments.span;
  if (auto result = OperationCall(builder_, convert_, op, bound).result(names_, findings_)) return std::move(*result);
  doubts_.uncounted(arguments.span);
  return unknown(UnknownKind::kTensor);  // also stands for a tuple of tensors, which has no other uses
}

namespace {

/// The operation that an operator means between tensors.
struct InfixOp {
  const graph::Op* op = nullptr;
  const syntax::Signature* signature = nullptr;
};
const InfixOp& infix_op(ast::BinaryOp op) {
  static const auto all = [] {
    std::array<InfixOp, static_cast<size_t>(ast::BinaryOp::kOr) + 1> found;
    for (size_t i = 0; i < found.size(); ++i)
      if (const graph::Op* each = ops::find_operator(ast::to_text(static_cast<ast::BinaryOp>(i))))
        found[i] = {each, &ops::signature_of(*each)};
    return found;
  }();
  return all[static_cast<size_t>(op)];
}

}  // namespace

HostValue Operations::infix(ast::BinaryOp op, const HostValue& a, const HostValue& b, const OperatorSpans& spans) {
  const InfixOp& infix = infix_op(op);
  meshes_.check(spans.whole);
  ops::Call call(builder_, *infix.op, *infix.signature);
  call.span = spans.whole;
  builder_.span = spans.whole;
  call.arguments[0].given = call.arguments[1].given = true;
  call.arguments[0].span = spans.left;
  call.arguments[1].span = spans.right;
  // A number that meets a float tensor gets the tensor's element type, so make it with this type at once.
  auto operand = [&](const HostValue& value, Span at, const HostValue& other) {
    const graph::Value* tensor = tensor_of(other);
    if (!tensor || !is_float(tensor->element()) || !number_of(value)) return convert_.to_tensor(value, at);
    builder_.span = at;
    return builder_.operand(number_of(value).value(), tensor->element());
  };
  call.arguments[0].values.push_back(operand(a, spans.left, b));
  call.arguments[1].values.push_back(operand(b, spans.right, a));
  builder_.span = spans.whole;
  return infix.op->build(call)[0];
}

}  // namespace mtf::eval
