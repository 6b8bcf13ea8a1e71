#include "eval/operations.h"

#include <algorithm>
#include <tuple>

#include "eval/doubtful.h"
#include "eval/evaluator.h"
#include "eval/host_functions.h"
#include "eval/limits.h"
#include "eval/suggestions.h"
#include "graph/op.h"
#include "ops/registry.h"
#include "support/stack_budget.h"
#include "support/text.h"
#include "syntax/foreign.h"

namespace mtf {
namespace {

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

/// A call of an operation on tensors, whose arguments are being bound.
class OperationCall {
 public:
  OperationCall(Evaluator& evaluator, const Op& op, const Arguments& arguments)
      : evaluator_(evaluator), op_(op), given_(arguments), call_(evaluator.builder, op, signature_of(op)) {
    call_.span = arguments.span;
  }
  HostValue result();

 private:
  /// Binds the arguments that have the name of a parameter or none; those with other labels, and the one with an arrow,
  /// are kept.
  void bind_all();
  /// Binds one; false if it is not known what it is.
  bool bind(size_t parameter, const HostValue& value, Span span);
  /// What to write where a shape or dim is wanted and a value at `span` is not one.
  std::string help_with_dims(const Parameter& wanted, const HostValue& value, Span span) const;
  /// The parameter that an argument without a label is for; none (the number of parameters) if its arrow says it all.
  size_t next_parameter(const GivenArgument& item);
  /// Keeps the argument with the arrow of the call.
  void keep_arrow(const GivenArgument& item);
  void require_all() const;
  /// `x[a: 2]`-like labels that name dims. False if one is poison.
  bool bind_labels();
  [[noreturn]] void unknown_label(const GivenArgument& item) const;
  void bind_arrow();
  void bind_pairs();
  HostValue build();

  Evaluator& evaluator_;
  const Op& op_;
  const Arguments& given_;
  Call call_;
  bool known_ = true;    ///< everything that the result's type depends on
  size_t position_ = 0;  ///< of the next positional argument among the parameters
  std::vector<const GivenArgument*> labels_;
  const GivenArgument* arrow_ = nullptr;
};

std::string OperationCall::help_with_dims(const Parameter& wanted, const HostValue& value, Span span) const {
  Span end = span;
  end.begin = end.end;
  if (value.is<Dim>()) return help_with("a shape stands in brackets", {{{span.file, span.begin, span.begin}, "["}, {end, "]"}});
  if (wanted.name == "over") return "a dim is found by its name, as in `over: batch`";
  const bool is_shape = wanted.kind == ParameterKind::kShape;
  std::vector<SizeForDim> sizes = {{span, value, {}}};
  // `zeros(3, 4)`: what follows is of the shape too, where the operation takes no other numbers.
  for (const Parameter& other : call_.signature.parameters)
    if (other.kind == ParameterKind::kNumber || other.kind == ParameterKind::kInt) return help_with("a shape is a list of dims", dims_for_sizes(sizes, given_.scope, is_shape));
  bool is_behind = false;
  for (const GivenArgument& item : given_.items) {
    const bool is_more = is_behind && is_shape && item.label.empty() && !item.has_target && item.value.is<int64_t>() && value.is<int64_t>();
    if (is_more) sizes.push_back({item.span, item.value, {}});
    is_behind = is_behind || item.span == span;
  }
  if (op_.name == "range" && value.is<int64_t>()) return help_with(fmt::format("`0..{}` counts, and `range` takes a dim", *value.as<int64_t>()), {{given_.span, fmt::format("0..{}", span.text())}});
  return help_with(is_shape ? "a shape is a list of dims" : "a dim has a name", dims_for_sizes(sizes, given_.scope, is_shape));
}

bool OperationCall::bind(size_t parameter, const HostValue& value, Span span) {
  const Parameter& wanted = call_.signature.parameters[parameter];
  Argument& argument = call_.arguments[parameter];
  auto mismatch = [&](std::string help = {}) {
    fail(Diagnostic(Kind::type_mismatch, span, fmt::format("expected {} for `{}` of `{}`, found {}", kind_text(wanted.kind), wanted.name,
                                                           call_.signature.name, describe(value)))
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
        if ((op_.role == Role::kContraction) && value.is<Text>()) mismatch(help_with("dims are found by their names", einsum_by_names(given_)));
        mismatch(value.is<ListPtr>() ? "`tensor([…], [dims])` makes a tensor of numbers" : "");
      }
      argument.values.push_back(evaluator_.convert.to_tensor(value, span));
      return true;
    }
    case ParameterKind::kList: {
      if (any) return false;
      auto* list = value.as<ListPtr>();
      if (!list) mismatch();
      for (const HostValue& item : (*list)->items) {
        if (item.is_poison() || (item.is_unknown() && unknown_kind(item) == UnknownKind::kAny)) return false;
        if (!tensor_of(item) && !is_number(item)) mismatch();
        argument.values.push_back(evaluator_.convert.to_tensor(item, span));
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
        const auto* list = value.as<ListPtr>();
        const bool is_sizes = list && !(*list)->items.empty() && (*list)->items.front().is<int64_t>();
        if (wanted.kind == ParameterKind::kDim || !list || is_sizes) mismatch(help_with_dims(wanted, value, span));
        argument.dims = Conversions::to_dims(value, span);
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

void OperationCall::keep_arrow(const GivenArgument& item) {
  const std::string& name = call_.signature.name;
  if (call_.signature.arrow == ArrowKind::kNone) fail(Kind::misplaced_arrow, item.target_span, "`{}` takes no `->`", name);
  if (call_.signature.arrow == ArrowKind::kPairs) {
    fail(Diagnostic(Kind::misplaced_arrow, item.target_span, fmt::format("`->` of `{}` stands between two dims", name)).help(std::string(op_.signature)));
  }
  if (arrow_) {
    fail(Diagnostic(Kind::misplaced_arrow, item.target_span, fmt::format("`{}` has one result, and one `->`", name))
             .related(arrow_->target_span, "the first"));
  }
  arrow_ = &item;
}

size_t OperationCall::next_parameter(const GivenArgument& item) {
  const Signature& signature = call_.signature;
  const auto& parameters = signature.parameters;
  if (item.has_target) {
    if (signature.arrow == ArrowKind::kPairs) {
      call_.pairs.emplace_back(Conversions::to_dim(item.value, item.span), Conversions::to_dim(item.target, item.target_span));
      call_.arrow_span = cover(call_.arrow_span, cover(item.span, item.target_span));
      return parameters.size();
    }
    keep_arrow(item);
  }
  if (item.value.is<ElementType>()) {
    size_t element = parameters.size();
    for (size_t i = 0; i < parameters.size(); ++i) {
      if (parameters[i].kind == ParameterKind::kElement && !call_.arguments[i].given) element = i;
    }
    if (element < parameters.size()) return element;
  }
  while (position_ < parameters.size() && call_.arguments[position_].given && parameters[position_].kind != ParameterKind::kTensors) ++position_;
  if (position_ == parameters.size()) {
    fail(Diagnostic(Kind::wrong_arity, item.span, fmt::format("this is more than `{}` takes", signature.name)).help(std::string(op_.signature)));
  }
  return position_;
}

void OperationCall::bind_all() {
  const auto& parameters = call_.signature.parameters;
  for (const GivenArgument& item : given_.items) {
    size_t place = parameters.size();
    if (item.label.empty()) {
      place = next_parameter(item);
      if (place == parameters.size()) continue;
    } else {
      if (item.has_target) keep_arrow(item);
      for (size_t i = 0; i < parameters.size(); ++i) {
        if (parameters[i].name == item.label.text()) place = i;
      }
      if (place == parameters.size()) {
        labels_.push_back(&item);
        continue;
      }
      if (call_.arguments[place].given) fail(Kind::duplicate_argument, item.label_span, "`{}` is given twice", item.label.text());
    }
    known_ = bind(place, item.value, item.span) && known_;
  }
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].name != "over") continue;
    for (Dim& dim : call_.arguments[i].dims) dim = found_in_operands(call_, dim);
  }
}

void OperationCall::require_all() const {
  const auto& parameters = call_.signature.parameters;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (call_.arguments[i].given || parameters[i].optional) continue;
    fail(Diagnostic(Kind::missing_argument, given_.span, fmt::format("`{}` needs `{}`", call_.signature.name, parameters[i].name))
             .help(std::string(op_.signature)));
  }
}

void OperationCall::unknown_label(const GivenArgument& item) const {
  std::vector<std::string> names;
  for (const Parameter& parameter : call_.signature.parameters) names.push_back(parameter.name);
  if (call_.signature.labels != LabelKind::kNone && given_.scope) {
    for (const Argument& argument : call_.arguments) {
      for (const Value& value : argument.values) {
        for (const Dim& dim : value.dims()) names.push_back(dim.name.str());
      }
    }
  }
  std::string help = foreign_help(Foreign::argument, item.label_span);
  if (help.empty()) help = did_you_mean(item.label.text(), names);
  fail(Diagnostic(Kind::unknown_argument, item.label_span, fmt::format("`{}` has no argument `{}`", call_.signature.name, item.label.text()))
           .help(help.empty() ? std::string(op_.signature) : help));
}

bool OperationCall::bind_labels() {
  const LabelKind kind = call_.signature.labels;
  for (const GivenArgument* item : labels_) {
    if (kind == LabelKind::kNone || !given_.scope || !given_.scope->find(item->label).binding) unknown_label(*item);
    HostValue named = evaluator_.look_up(item->label, item->label_span, given_.scope);
    if (named.is_poison()) return false;
    DimLabel label;
    label.dim = found_in_operands(call_, Conversions::to_dim(named, item->label_span));
    label.span = item->label_span;
    std::vector<HostValue> numbers{item->value};
    if (kind == LabelKind::kPair) {
      auto* list = item->value.as<ListPtr>();
      if (!list || (*list)->items.size() != 2) fail(Kind::type_mismatch, item->span, "expected a pair such as `(1, 1)`, found {}", describe(item->value));
      numbers = (*list)->items;
    }
    for (const HostValue& number : numbers) {
      auto value = evaluator_.convert.to_int(number, item->span, "this");
      if (!value && kind == LabelKind::kPair) known_ = false;
      label.numbers.push_back(value.value_or(0));
    }
    call_.labels.push_back(std::move(label));
  }
  return true;
}

void OperationCall::bind_arrow() {
  const Signature& signature = call_.signature;
  if (arrow_) {
    if (arrow_->target.is_unknown()) {
      known_ = false;
      return;
    }
    call_.arrow = Conversions::to_dims(arrow_->target, arrow_->target_span);
    call_.arrow_span = arrow_->target_span;
    if (signature.arrow == ArrowKind::kOptionalShape || (op_.role == Role::kContraction)) {
      for (Dim& dim : *call_.arrow) dim = found_in_operands(call_, dim);
    }
  } else if (signature.arrow == ArrowKind::kShape && known_) {
    fail(Diagnostic(Kind::missing_argument, given_.span, fmt::format("`{}` needs the resulting shape", signature.name))
             .help(fmt::format("`{}(… -> [a, b])`", signature.name)));
  }
}

void OperationCall::bind_pairs() {
  for (auto& [from, to] : call_.pairs) {
    const Dim before = from;
    from = found_in_operands(call_, from);
    if (to.size == before.size) to.size = from.size;
  }
}

HostValue OperationCall::build() {
  Values results;
  if (op_.build) {
    results = op_.build(call_);
  } else {
    Values operands;
    for (const Argument& argument : call_.arguments) operands.insert(operands.end(), argument.values.begin(), argument.values.end());
    results = evaluator_.builder.add_node(op_, std::move(operands));
  }
  if (results.size() == 1 && !op_.list) return std::move(results[0]);
  std::vector<HostValue> items;
  for (Value& result : results) items.push_back(std::move(result));
  return op_.list ? make_list(std::move(items)) : make_tuple(std::move(items));
}

HostValue OperationCall::result() {
  bind_all();
  require_all();
  if (!bind_labels()) return Poison{};
  bind_arrow();
  bind_pairs();
  if (known_) return build();
  uncounted(evaluator_, given_.span);
  return unknown(UnknownKind::kAny);
}

}  // namespace

std::optional<HostValue> Operations::operator_on_the_host(const Op& op, const Arguments& arguments) const {
  if (op.symbol.empty() || arguments.items.size() != 2) return std::nullopt;
  const auto& [a, b] = std::tie(arguments.items[0], arguments.items[1]);
  const auto fits = [](const GivenArgument& item) { return item.label.empty() && !item.has_target && (number_of(item.value) || is_number(item.value)); };
  if (!fits(a) || !fits(b)) return std::nullopt;
  for (int i = 0; i <= static_cast<int>(ast::BinaryOp::kOr); ++i) {
    const auto symbol = static_cast<ast::BinaryOp>(i);
    if (ast::to_text(symbol) == op.symbol) return evaluator_.operate(symbol, a.value, b.value, {arguments.span, a.span, b.span, {}});
  }
  return std::nullopt;
}

namespace {

/// `max(1, 2)`: a reduction is of one tensor; the operation that is of two has another name.
void refuse_two_values(const Op& op, const Arguments& arguments) {
  constexpr std::pair<std::string_view, std::string_view> kOfTwo[] = {{"max", "maximum"}, {"min", "minimum"}, {"sum", "add"},
                                                                      {"prod", "mul"}, {"all", "logical_and"}, {"any", "logical_or"}};
  const auto* twin = std::find_if(std::begin(kOfTwo), std::end(kOfTwo), [&](const auto& names) { return names.first == op.name; });
  if (twin == std::end(kOfTwo) || arguments.items.size() < 2) return;
  const auto is_value = [](const HostValue& value) { return tensor_of(value) || (is_number(value) && !(value.is_unknown() && unknown_kind(value) == UnknownKind::kAny)); };
  const bool is_plain = std::all_of(arguments.items.begin(), arguments.items.end(), [&](const GivenArgument& item) {
    return item.label.empty() && !item.has_target && (is_value(item.value) || item.value.is<Dim>());
  });
  // `max(x, batch)` reduces x over a dim; of `max(3, batch)` nothing could be reduced.
  const HostValue &first = arguments.items[0].value, &second = arguments.items[1].value;
  if (!is_plain || (tensor_of(first) && second.is<Dim>())) return;
  std::string right(arguments.items[0].span.text());
  for (size_t i = 1; i < arguments.items.size(); ++i) right = fmt::format("{}({}, {})", twin->second, right, arguments.items[i].span.text());
  fail(Diagnostic(Kind::type_mismatch, arguments.items[1].span, fmt::format("`{}` reduces one tensor, found {} too", op.name, describe(second)))
           .help(fmt::format("`{}` is of values, element by element", right)));
}

}  // namespace

HostValue Operations::call(const Op& op, Arguments& arguments) {
  refuse_two_values(op, arguments);
  if (auto number = on_the_host(op, arguments)) return *number;
  if (auto value = operator_on_the_host(op, arguments)) return *value;
  evaluator_.check_mesh(arguments.span);
  evaluator_.builder.span = arguments.span;
  return OperationCall(evaluator_, op, arguments).result();
}

HostValue Operations::infix(std::string_view symbol, const HostValue& a, Span a_span, const HostValue& b, Span b_span, Span span) {
  const Op* op = find_operator(symbol);
  Builder& builder = evaluator_.builder;
  evaluator_.check_mesh(span);
  Call call(builder, *op, signature_of(*op));
  call.span = span;
  builder.span = span;
  call.arguments[0].given = call.arguments[1].given = true;
  call.arguments[0].span = a_span;
  call.arguments[1].span = b_span;
  // A number that meets a tensor of floats becomes one of its element type: it is made as that.
  auto operand = [&](const HostValue& value, Span at, const HostValue& other) {
    const Value* tensor = tensor_of(other);
    if (!tensor || !is_float(tensor->element()) || !number_of(value)) return evaluator_.convert.to_tensor(value, at);
    builder.span = at;
    return builder.operand(number_of(value).value(), tensor->element());
  };
  call.arguments[0].values.push_back(operand(a, a_span, b));
  call.arguments[1].values.push_back(operand(b, b_span, a));
  builder.span = span;
  return op->build(call)[0];
}

}  // namespace mtf
