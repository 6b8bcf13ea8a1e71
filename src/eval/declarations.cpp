#include <fmt/format.h>

#include "eval/evaluator.h"
#include "graph/layouts.h"
#include "support/text.h"

namespace mtf {
namespace {

/// The largest size of a dim: products of two still fit.
constexpr int64_t kMaxSize = int64_t{1} << 48;

}  // namespace

std::optional<std::string> Evaluator::setting(const std::string& name) {
  settable_.push_back(name);
  std::optional<std::string> last;
  for (const auto& [key, value] : settings.set) {
    if (key == name) last = value;
  }
  return last;
}

HostValue Evaluator::convert_setting(const std::string& text, const HostValue& like, const std::string& name, Span span) {
  auto wrong = [&](std::string_view expected) {
    fail(Diagnostic(Kind::bad_option_value, {}, fmt::format("--set {}={}: expected {}, found {}", name, text, expected, quote(text)))
             .related(span, "declared here"));
  };
  if (like.is<Text>()) return make_text(text);
  if (like.is<bool>()) {
    if (text == "true" || text == "false") return text == "true";
    wrong("true or false");
  }
  auto parse = [&](auto& number) {
    const char* begin = text.data();
    char* end = nullptr;
    errno = 0;
    if constexpr (std::is_same_v<std::decay_t<decltype(number)>, double>) number = std::strtod(begin, &end);
    else number = std::strtoll(begin, &end, 10);
    return errno == 0 && !text.empty() && end == begin + text.size() && !std::isspace(static_cast<unsigned char>(text[0]));
  };
  if (like.is<int64_t>() || like.is<Dim>()) {
    long long number = 0;
    if (!parse(number)) wrong("an int");
    return static_cast<int64_t>(number);
  }
  if (like.is<double>()) {
    double number = 0;
    if (!parse(number)) wrong("a number");
    return number;
  }
  if (like.is<ElementType>()) {
    if (auto element = parse_element_type(text)) return *element;
    wrong("an element type");
  }
  wrong("a kind of option that can be set (" + describe(like) + " cannot)");
  return {};
}

void Evaluator::declare_dims(const ast::DimStmt& stmt, const ScopePtr& scope) {
  std::optional<UserError> first;
  for (const auto& item : stmt.items) {
    try {
      HostValue value = evaluate(*item.size, scope);
      if (value.is_poison()) {
        scope->bind(item.name.name, value, item.name.span);
        continue;
      }
      Span span = item.size->span;
      if (scope == top && activations.empty() && frames.size() == 1) {
        const std::string name = item.name.name.str();
        if (auto text = setting(name)) value = convert_setting(*text, Dim{}, name, item.span);
      }
      auto size = to_int(value, span, "the size of a dimension");
      if (!size) fail(Kind::size_unknown, span, "the size of `{}` is only known when the program runs", item.name.name.text());
      if (*size < 1) fail(Kind::bad_size, span, "expected at least 1, found {}", *size);
      if (*size > kMaxSize) fail(Kind::size_overflow, span, "expected at most 2^48, found {}", *size);
      dim_names_.insert(item.name.name);
      scope->bind(item.name.name, Dim{item.name.name, *size}, item.name.span);
    } catch (const UserError& error) {
      scope->bind(item.name.name, Poison{}, item.name.span);
      if (first && diagnostics) add_diagnostic(*first);
      first = error;
      if (!diagnostics) throw;
    }
  }
  if (first) throw UserError(*first);
}

void Evaluator::declare_mesh(const ast::MeshStmt& stmt, const ScopePtr& scope) {
  std::vector<Axis> axes;
  double total = 1;
  for (const auto& axis : stmt.axes) {
    HostValue value = evaluate(*axis.size, scope);
    if (value.is_poison()) {
      scope->bind(stmt.name.name, value, stmt.name.span);
      return;
    }
    auto size = to_int(value, axis.size->span, "the size of an axis");
    if (!size) fail(Kind::size_unknown, axis.size->span, "the size of `{}` is only known when the program runs", axis.name.name.text());
    if (*size < 1) fail(Kind::bad_mesh, axis.size->span, "expected at least 1, found {}", *size);
    for (const Axis& other : axes) {
      if (other.name == axis.name.name) fail(Kind::duplicate_name, axis.name.span, "`{}` is an axis of this mesh already", axis.name.name.text());
    }
    axes.push_back({axis.name.name, *size});
    axis_names_.insert(axis.name.name);
    total *= static_cast<double>(*size);
  }
  if (axes.size() > static_cast<size_t>(kMaxAxes)) fail(Kind::bad_mesh, stmt.name.span, "expected at most {} axes, found {}", kMaxAxes, axes.size());
  if (total > 1e12) fail(Kind::bad_mesh, stmt.name.span, "this mesh has {:g} processors", total);
  auto mesh = std::make_shared<const Mesh>(stmt.name.name, std::move(axes));
  scope->bind(stmt.name.name, MeshPtr(mesh), stmt.name.span);
  if (!settings.mesh) builder.context.mesh = mesh;
}

void Evaluator::declare_layout(const ast::LayoutStmt& stmt, const ScopePtr& scope) {
  auto layout = std::make_shared<Layout>();
  layout->name = stmt.name.name;
  layout->span = stmt.layout.span;
  for (const ast::LayoutRule& rule : stmt.layout.rules) {
    for (const LayoutRule& other : layout->rules) {
      if (other.dim == rule.dim.name) {
        fail(Diagnostic(Kind::duplicate_name, rule.dim.span, fmt::format("`{}` has a rule already", rule.dim.name.text())).related(other.span, "here"));
      }
    }
    LayoutRule made{rule.dim.name, {}, rule.span};
    for (const ast::Ident& axis : rule.axes) {
      for (Name other : made.axes) {
        if (other == axis.name) fail(Kind::bad_layout, axis.span, "`{}` stands twice in one rule", axis.name.text());
      }
      made.axes.push_back(axis.name);
    }
    layout->rules.push_back(std::move(made));
  }
  scope->bind(stmt.name.name, LayoutPtr(layout), stmt.name.span);
  if (checking()) declared_layouts_.push_back(layout);
  if (!settings.layout) builder.context.layout = *layout;
}

void Evaluator::use(const ast::UseStmt& stmt, const ScopePtr& scope) {
  HostValue value = evaluate(*stmt.what, scope);
  if (value.is_poison() || value.is_unknown()) return;
  if (auto* mesh = value.as<MeshPtr>()) {
    if (!settings.mesh) builder.context.mesh = *mesh;
  } else if (auto* layout = value.as<LayoutPtr>()) {
    if (!settings.layout) builder.context.layout = **layout;
  } else {
    fail(Kind::type_mismatch, stmt.what->span, "expected a mesh or a layout, found {}", describe(value));
  }
}

void Evaluator::declare_option(const ast::OptionStmt& stmt, const ScopePtr& scope) {
  HostValue value = evaluate(*stmt.value, scope);
  const std::string name = module_prefix_ + stmt.name.name.str();
  if (auto text = setting(name)) value = convert_setting(*text, value, name, stmt.name.span);
  scope->bind(stmt.name.name, std::move(value), stmt.name.span);
}

void Evaluator::declare_param(const ast::ParamStmt& stmt, const ScopePtr& scope, const std::string&) {
  for (const Binding& other : scope->bindings) {
    auto* earlier = other.name == stmt.name.name ? other.value.as<PlacePtr>() : nullptr;
    if (earlier && other.span == (*earlier)->span) {
      fail(Diagnostic(Kind::duplicate_declaration, stmt.name.span, fmt::format("`{}` would have the path of another", stmt.name.name.text()))
               .related(other.span, "declared here"));
    }
  }
  auto place = std::make_shared<Place>();
  place->path = stmt.name.name.str();
  place->trainable = stmt.trainable;
  place->span = stmt.name.span;
  place->serial = ++next_place;
  place->mesh = builder.context.mesh;
  const Span whole = cover(stmt.name.span, stmt.value->span);
  builder.span = stmt.name.span;
  check_mesh(stmt.name.span);
  std::optional<Sharding> like_sharding;
  if (auto* like = std::get_if<ast::LikeAnnotation>(&stmt.type)) {
    HostValue of = evaluate(*like->of, scope);
    if (of.is_poison() || of.is_unknown()) {
      scope->bind(stmt.name.name, Poison{}, stmt.name.span);
      return;
    }
    const Value* tensor = tensor_of(of);
    if (!tensor) fail(Kind::type_mismatch, like->of->span, "expected a param, a state or a tensor, found {}", describe(of));
    place->type = tensor->type();
    auto* other = of.as<PlacePtr>();
    like_sharding = other ? (*other)->sharding : tensor->sharding();
    place->mesh = other ? (*other)->mesh : tensor->mesh();
  } else {
    const auto& shape = std::get<ast::ShapeAnnotation>(stmt.type);
    for (const auto& item : shape.items) {
      if (!item.is_rest() && evaluate(*item.dim, scope).is_poison()) {
        scope->bind(stmt.name.name, Poison{}, stmt.name.span);
        return;
      }
    }
    place->type.dims = dims_of(shape, scope);
    if (shape.element_type) place->type.element = *parse_element_type(shape.element_type->name.text());
  }
  if (!checked_size(place->type.dims)) fail(Kind::size_overflow, stmt.name.span, "{} has more than 2^62 elements", to_string(place->type));
  place->sharding = like_sharding ? *like_sharding : sharding_of(place->type, builder.context.layout, *place->mesh, stmt.name.span);
  if (stmt.stored) place->sharding = sharding_of_reference(*stmt.stored, place->type, place->sharding, scope, stmt.name.span);

  HostValue value = evaluate(*stmt.value, scope);
  if (value.is<FunctionPtr>() || value.is<OperationPtr>() || value.is<BuiltinPtr>()) {
    std::vector<HostValue> dims;
    for (const Dim& dim : place->type.dims) dims.push_back(dim);
    value = call_with(value, {make_list(std::move(dims))}, stmt.value->span);
  }
  if (value.is_poison() || (value.is_unknown() && unknown_kind(value) == UnknownKind::kAny)) {
    value = 0.0;  // of whatever it is, the type is known
    if (!checking()) value = Poison{};
  }
  Value initial;
  if (const Value* tensor = tensor_of(value)) {
    initial = *tensor;
    if (!is_subset(initial.dims(), place->type.dims)) {
      fail(Diagnostic(Kind::shape_mismatch, stmt.value->span, fmt::format("expected {}, found {}", to_string(place->type), describe(value)))
               .related(stmt.name.span, "declared here"));
    }
  } else if (is_number(value)) {
    initial = number_tensor(value, place->type.element);
  } else {
    fail(Kind::type_mismatch, stmt.value->span, "expected a number, a tensor or a function of the shape, found {}", describe(value));
  }
  builder.span = whole;
  initial = builder.cast(initial, place->type.element);
  if (initial.dims() != place->type.dims) {
    Restore restore(builder.written);
    builder.written = false;
    initial = builder.broadcast(initial, place->type.dims);
  }
  place->current = builder.assigned(initial, place->sharding, place->mesh);
  place->current.value().node->name = stmt.name.name;
  place->current.value().node->place = place->serial;
  scope->bind(stmt.name.name, PlacePtr(place), stmt.name.span);
}

}  // namespace mtf
