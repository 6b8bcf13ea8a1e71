#include "eval/binding.h"

#include <algorithm>

#include "eval/conversions.h"
#include "eval/possible_values.h"
#include "eval/scope.h"
#include "eval/suggestions.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "syntax/foreign.h"
#include "syntax/walk.h"

namespace mtf::eval {
namespace {

/// Adds the form of the call to an error: the declaration in the script, or the signature's text.
Diagnostic with_signature(Diagnostic diagnostic, const syntax::Signature& signature) {
  if (signature.span.is_known()) diagnostic.related(signature.span, "declared here");
  else diagnostic.help(signature.text);
  return diagnostic;
}

/// A call whose arguments are being bound.
class Binder {
 public:
  Binder(Bound& bound, Arguments& arguments) : signature_(bound.signature), arguments_(arguments), bound_(bound) {}

  void bind() {
    std::optional<Diagnostic> wrong;  // reported after the errors of bound arguments
    for (size_t i = 0; i < arguments_.items.size() && !wrong; ++i) wrong = match(arguments_.items[i]);
    for (size_t i = 0; i < bound_.given.size(); ++i) convert(i);
    if (wrong) fail(std::move(*wrong));
    for (size_t i = 0; i < bound_.given.size(); ++i)
      if (!bound_.given[i] && !signature_.parameters[i].has_default) missing(signature_.parameters[i]);
  }

 private:
  /// Assigns an argument to its parameter. Returns an error if there is none.
  std::optional<Diagnostic> match(GivenArgument& item) {
    if (signature_.takes_rest && next() == count()) {
      bound_.rest.push_back(&item);
      return std::nullopt;
    }
    if (item.has_target) {
      const bool is_pair = signature_.arrow == syntax::ArrowKind::kPairs ||
                           (signature_.arrow == syntax::ArrowKind::kShapeOrGroups && next() == count());
      if (is_pair && item.label.empty()) {
        bound_.pairs.push_back(&item);
        return std::nullopt;
      }
      if (auto wrong = keep_arrow(item)) return wrong;
    }
    if (!item.label.empty()) return match_label(item);
    const size_t place = item.value.is<ElementType>() ? place_of_element() : next();
    if (place == count()) {
      const std::string_view plain = signature_.labels == syntax::LabelKind::kAny ? " without a label" : "";
      return with_signature({Kind::wrong_arity, item.span,
                             fmt::format("`{}` takes {}{}", signature_.name.text(),
                                         mtf::count_text(static_cast<int64_t>(count()), "argument"), plain)},
                            signature_);
    }
    take(place, item);
    return std::nullopt;
  }

  /// True if the label can only name a dim. A tensor of the call has that dim, and the value fits a dim and not the
  /// parameter. For instance `pad(x, value: (1, 2))`.
  bool can_only_be_a_dim(const GivenArgument& item, const syntax::Parameter& parameter) const {
    const bool fits = signature_.labels == syntax::LabelKind::kPair ? item.value.is<ListPtr>()
                      : signature_.labels == syntax::LabelKind::kDim
                          ? item.value.is<Dim>()
                          : item.value.is<int64_t>() && parameter.kind == syntax::ParameterKind::kBool;
    if (!fits || !parameter.has_default || !arguments_.scope) return false;
    const auto found = arguments_.scope->find(item.label);
    const Dim* const dim = found.binding ? found.binding->value.as<Dim>() : nullptr;
    const auto& all = arguments_.items;
    return dim != nullptr && std::any_of(all.begin(), all.end(), [&](const GivenArgument& given) {
             const graph::Value* const tensor = given.label.empty() ? tensor_of(given.value) : nullptr;
             return tensor != nullptr && has_dim(tensor->dims(), dim->name);
           });
  }

  /// Assigns an argument with a label. A label may name a dim that is called like a parameter if the parameter was
  /// given by position.
  std::optional<Diagnostic> match_label(GivenArgument& item) {
    const size_t place = signature_.place_of(item.label);
    const bool is_argument = place < count();
    const bool takes_dims =
        signature_.labels != syntax::LabelKind::kNone && signature_.labels != syntax::LabelKind::kAny;
    if (is_argument && !bound_.given[place]) {
      if (takes_dims && can_only_be_a_dim(item, signature_.parameters[place])) bound_.labels.push_back(&item);
      else take(place, item);
      return std::nullopt;
    }
    const bool names_a_dim =
        takes_dims && arguments_.scope && arguments_.scope->find(ast::without_primes({item.label, {}}).name).binding;
    const bool may_be_label = signature_.labels == syntax::LabelKind::kAny || names_a_dim;
    if (is_argument && (!may_be_label || !bound_.given[place]->label.empty()))
      return Diagnostic(Kind::duplicate_argument, item.label_span,
                        fmt::format("`{}` is given twice", item.label.text()));
    if (!may_be_label) return unknown_label(item);
    bound_.labels.push_back(&item);
    return std::nullopt;
  }

  void take(size_t place, GivenArgument& item) {
    if (!bound_.given[place]) bound_.given[place] = &item;
    if (signature_.parameters[place].is_variadic) bound_.rest.push_back(&item);
  }

  size_t count() const { return bound_.given.size(); }

  /// Returns the next parameter for an argument without a label.
  size_t next() {
    while (position_ < count() && bound_.given[position_] && !signature_.parameters[position_].is_variadic) ++position_;
    return position_;
  }

  /// Returns the parameter for an element type without a label.
  size_t place_of_element() {
    for (size_t i = 0; i < count(); ++i)
      if (signature_.parameters[i].kind == syntax::ParameterKind::kElement && !bound_.given[i]) return i;
    return next();
  }

  std::optional<Diagnostic> keep_arrow(const GivenArgument& item) {
    const std::string_view name = signature_.name.text();
    if (signature_.arrow == syntax::ArrowKind::kNone)
      return Diagnostic(Kind::misplaced_arrow, item.target_span, fmt::format("`{}` takes no `->`", name));
    if (signature_.arrow == syntax::ArrowKind::kPairs)
      return with_signature(
          {Kind::misplaced_arrow, item.target_span, fmt::format("`->` of `{}` stands between two dims", name)},
          signature_);
    if (bound_.arrow) {
      return Diagnostic(Kind::misplaced_arrow, item.target_span, fmt::format("`{}` has one result, and one `->`", name))
          .related(bound_.arrow->target_span, "the first");
    }
    bound_.arrow = &item;
    return std::nullopt;
  }

  Diagnostic unknown_label(const GivenArgument& item) const {
    std::vector<std::string> names;
    for (const syntax::Parameter& parameter : signature_.parameters) names.push_back(parameter.name.str());
    if (signature_.labels != syntax::LabelKind::kNone) {
      for (const GivenArgument& given : arguments_.items)
        if (const graph::Value* tensor = tensor_of(given.value))
          for (const Dim& dim : tensor->dims()) names.push_back(dim.name.str());
    }
    Diagnostic wrong(Kind::unknown_argument, item.label_span,
                     fmt::format("`{}` has no argument `{}`", signature_.name.text(), item.label.text()));
    Help help = mtf::did_you_mean(item.label_span, item.label.text(), names);
    if (help.empty()) help = foreign_help(syntax::Foreign::argument, item.label_span);
    wrong.help(help);
    return help.empty() || signature_.span.is_known() ? with_signature(std::move(wrong), signature_) : wrong;
  }

  /// Converts the arguments of a parameter to its kind.
  void convert(size_t place) {
    const syntax::Parameter& parameter = signature_.parameters[place];
    if (!bound_.given[place]) return;
    if (!parameter.is_variadic && parameter.none_is_default && bound_.given[place]->value.is<None>()) {
      bound_.given[place] = nullptr;
      return;
    }
    if (!parameter.is_variadic && parameter.none_is_default && may_be_none(bound_.given[place]->value)) return;
    if (parameter.kind == syntax::ParameterKind::kAny || parameter.kind == syntax::ParameterKind::kShaped) return;
    if (!parameter.is_variadic) return convert(parameter, *bound_.given[place]);
    for (GivenArgument* item : bound_.rest) convert(parameter, *item);
  }

  void convert(const syntax::Parameter& parameter, GivenArgument& item) {
    HostValue& value = item.value;
    if (value.is_poison() || become(parameter.kind, value)) return;
    const auto* list = value.as<ListPtr>();
    const bool is_shape =
        parameter.kind == syntax::ParameterKind::kDims || parameter.kind == syntax::ParameterKind::kShape;
    if (is_shape && list && !(*list)->items.front().is<int64_t>())
      Conversions::to_dims(value, item.span);  // reports the item that is no dim
    Diagnostic wrong(Kind::type_mismatch, item.span,
                     fmt::format("expected {} for `{}` of `{}`, found {}", text_of(parameter.kind),
                                 parameter.name.text(), signature_.name.text(), describe(value)));
    if (parameter.span.is_known()) wrong.related(parameter.span, "asked for here");
    fail(std::move(wrong.help(help_with_argument(bound_, parameter, item))));
  }

  [[noreturn]] void missing(const syntax::Parameter& parameter) const {
    Diagnostic wrong(Kind::missing_argument, arguments_.span,
                     fmt::format("`{}` needs `{}`", signature_.name.text(), parameter.name.text()));
    if (parameter.span.is_known()) fail(std::move(wrong.related(parameter.span, "declared here")));
    fail(with_signature(std::move(wrong), signature_));
  }

  const syntax::Signature& signature_;
  Arguments& arguments_;
  Bound& bound_;
  size_t position_ = 0;  ///< of the next parameter for an argument without a label
};

/// True for a list of dims and of lists of dims.
bool is_dims(const HostValue& value) {
  const auto* list = value.as<ListPtr>();
  return list && std::all_of((*list)->items.begin(), (*list)->items.end(), [](const HostValue& item) {
           return item.is<Dim>() || item.is_unknown() || item.is<ListPtr>();
         });
}

/// Narrows a value about which nothing is known to the kind of host value that accepts it.
void narrow(syntax::ParameterKind kind, HostValue& value) {
  if (kind == syntax::ParameterKind::kInt) value = unknown(UnknownKind::kInt);
  if (kind == syntax::ParameterKind::kFloat) value = unknown(UnknownKind::kFloat);
  if (kind == syntax::ParameterKind::kBool) value = unknown(UnknownKind::kBool);
  if (kind == syntax::ParameterKind::kString) value = unknown(UnknownKind::kString);
}

bool is_callable(const HostValue& value) {
  return value.is<FunctionPtr>() || value.is<OperationPtr>() || value.is<BuiltinPtr>() || value.is<InstancePtr>() ||
         value.is<ModelClassPtr>();
}

}  // namespace

Bound bind(const syntax::Signature& signature, Arguments& arguments) {
  Bound bound{signature, arguments, GivenArguments(signature.parameters.size()), {}, {}, {}};
  Binder(bound, arguments).bind();
  return bound;
}

bool become(syntax::ParameterKind kind, HostValue& value) {
  const auto* unknown = value.as<Unknown>();
  if (is_open(value)) {
    narrow(kind, value);
    return true;
  }
  switch (kind) {
    case syntax::ParameterKind::kAny:
    case syntax::ParameterKind::kShaped:
    case syntax::ParameterKind::kNested: return true;
    case syntax::ParameterKind::kTensor: return tensor_of(value) || number_of(value) || is_number(value);
    case syntax::ParameterKind::kTensors: {
      const auto* list = value.as<ListPtr>();
      const auto fits = [](const HostValue& item) { return !item.is_known() || tensor_of(item) || is_number(item); };
      return list && std::all_of((*list)->items.begin(), (*list)->items.end(), fits);
    }
    case syntax::ParameterKind::kInts: return value.is<ListPtr>() || become(syntax::ParameterKind::kInt, value);
    case syntax::ParameterKind::kNumber:
      return number_of(value).has_value() || (unknown && unknown->kind != UnknownKind::kString);
    case syntax::ParameterKind::kInt:
      if (const auto* dim = value.as<Dim>()) value = dim->size;
      if (unknown && unknown->kind == UnknownKind::kNumber) value = mtf::eval::unknown(UnknownKind::kInt);
      return value.is<int64_t>() || (value.is_unknown() && unknown_kind(value) == UnknownKind::kInt);
    case syntax::ParameterKind::kFloat:
      if (const auto* number = value.as<int64_t>()) value = static_cast<double>(*number);
      if (unknown && unknown->kind != UnknownKind::kString && unknown->kind != UnknownKind::kBool)
        value = mtf::eval::unknown(UnknownKind::kFloat);
      return value.is<double>() || (value.is_unknown() && unknown_kind(value) == UnknownKind::kFloat);
    case syntax::ParameterKind::kBool: return value.is<bool>() || (unknown && unknown->kind == UnknownKind::kBool);
    case syntax::ParameterKind::kString: return value.is<Text>() || (unknown && unknown->kind == UnknownKind::kString);
    case syntax::ParameterKind::kList: return value.is<ListPtr>();
    case syntax::ParameterKind::kDim: return value.is<Dim>();
    case syntax::ParameterKind::kDims: return value.is<Dim>() || is_dims(value);
    case syntax::ParameterKind::kShape: return is_dims(value);
    case syntax::ParameterKind::kElement: return value.is<ElementType>();
    case syntax::ParameterKind::kFunction: return is_callable(value);
    case syntax::ParameterKind::kModel: return value.is<InstancePtr>();
  }
  return false;
}

std::optional<int64_t> Bound::integer(size_t parameter) const {
  const auto* number = has(parameter) ? value(parameter).as<int64_t>() : nullptr;
  return number ? std::optional(*number) : std::nullopt;
}

bool Bound::any_unknown() const {
  return std::any_of(arguments.items.begin(), arguments.items.end(),
                     [](const GivenArgument& item) { return has_unknown(item.value); });
}

}  // namespace mtf::eval
