#include "syntax/walk.h"

#include "support/overloaded.h"
#include "support/stack_budget.h"

namespace mtf::ast {

namespace {

// The parts of a function, named or anonymous.
template <typename Form>
FunctionText text_of_function(const Form& fn) {
  const auto* expression = std::get_if<ExprPtr>(&fn.body);
  return {fn.parameters, &fn.result, std::get_if<Block>(&fn.body), expression != nullptr ? expression->get() : nullptr,
          nullptr,       &fn.facts};
}

}  // namespace

Ident without_primes(const Ident& ident) {
  const std::string_view text = ident.name.text();
  if (!text.ends_with('\'')) return ident;
  Ident made = {Name(text.substr(0, text.find('\''))), ident.span};
  if (made.span.is_known()) made.span.end = made.span.begin + static_cast<std::uint32_t>(made.name.text().size());
  return made;
}

FunctionText text_of(const FnStmt& fn) { return text_of_function(fn); }
FunctionText text_of(const LambdaExpr& lambda) { return text_of_function(lambda); }
FunctionText text_of(const ModelStmt& model) {
  return {model.parameters, nullptr, &model.body, nullptr, &model, &model.facts};
}

void names_of(const Pattern& pattern, std::vector<Ident>& names) {
  if (const auto* ident = std::get_if<Ident>(&pattern.node)) {
    names.push_back(*ident);
  } else {
    for (const PatternPtr& part : std::get<TuplePattern>(pattern.node).parts) names_of(*part, names);
  }
}

std::vector<Ident> names_bound_by(const Stmt& stmt) {
  std::vector<Ident> names;
  const auto one = [&](const auto& s) { names.push_back(s.name); };
  std::visit(Overloaded{
                 [&](const DimStmt& s) {
                   for (const DimStmt::Item& item : s.items) names.push_back(item.name);
                 },
                 [&](const MeshStmt& s) { one(s); },
                 [&](const LayoutStmt& s) { one(s); },
                 [&](const OptionStmt& s) { one(s); },
                 [&](const SettingStmt& s) { one(s); },
                 [&](const ImportStmt& s) {
                   for (const ImportStmt::Item& item : s.items) names.push_back(item.bound);
                 },
                 [&](const LetStmt& s) { names_of(*s.pattern, names); },
                 [&](const ParamStmt& s) { one(s); },
                 [&](const FnStmt& s) { one(s); },
                 [&](const ModelStmt& s) { one(s); },
                 [](const LanguageStmt&) {},
                 [](const UseStmt&) {},
                 [](const SeedStmt&) {},
                 [](const PrecisionStmt&) {},
                 [](const AssignStmt&) {},
                 [](const ForStmt&) {},
                 [](const WhileStmt&) {},
                 [](const IfStmt&) {},
                 [](const NoGradStmt&) {},
                 [](const BreakStmt&) {},
                 [](const ContinueStmt&) {},
                 [](const WithStmt&) {},
                 [](const ReturnStmt&) {},
                 [](const AssertStmt&) {},
                 [](const ExprStmt&) {},
             },
             stmt.node);
  return names;
}

void Walk::block(const Block& block) {
  open_scope();
  for (const Stmt& stmt : block.statements) {
    if (const auto* fn = stmt.as<FnStmt>()) bind(fn->name);
    if (const auto* model = stmt.as<ModelStmt>()) bind(model->name);
  }
  for (const Stmt& stmt : block.statements) statement(stmt);
  close_scope();
}

void Walk::function(const FunctionText& text) {
  open_scope();
  for (const ast::Parameter& parameter : text.parameters) bind(parameter.name);
  for (const ast::Parameter& parameter : text.parameters) {
    if (parameter.annotation) annotation(*parameter.annotation);
    optional(parameter.default_value);
  }
  if (text.result != nullptr && *text.result) annotation(**text.result);
  if (text.block != nullptr) block(*text.block);
  if (text.expression != nullptr) expr(*text.expression);
  close_scope();
}

void Walk::assignment(const AssignStmt& stmt) {
  expr(*stmt.value);
  expr(*stmt.target);
}

void Walk::statement(const Stmt& stmt) {
  check_stack(stmt.span, Kind::nesting_too_deep);
  std::visit(Overloaded{
                 [&](const DimStmt& s) {
                   for (const DimStmt::Item& item : s.items) {
                     expr(*item.size);
                     bind(item.name);
                   }
                 },
                 [&](const MeshStmt& s) {
                   mesh(s.mesh);
                   bind(s.name);
                 },
                 [&](const LayoutStmt& s) { bind(s.name); },
                 [](const LanguageStmt&) {},
                 [&](const UseStmt& s) { use(s); },
                 [&](const OptionStmt& s) {
                   expr(*s.value);
                   bind(s.name);
                 },
                 [&](const SettingStmt& s) {
                   expr(*s.value);
                   bind(s.name);
                 },
                 [&](const SeedStmt& s) { expr(*s.value); },
                 [&](const PrecisionStmt&) {},
                 [&](const ImportStmt& s) {
                   for (const ImportStmt::Item& item : s.items) bind(item.bound);
                 },
                 [&](const LetStmt& s) {
                   if (s.annotation) annotation(*s.annotation);
                   expr(*s.value);
                   pattern(*s.pattern);
                 },
                 [&](const AssignStmt& s) { assignment(s); },
                 [&](const ParamStmt& s) {
                   if (const auto* like = std::get_if<LikeAnnotation>(&s.type)) expr(*like->of);
                   else shape(std::get<ShapeAnnotation>(s.type));
                   if (s.stored) layout(*s.stored);
                   expr(*s.value);
                   bind(s.name);
                 },
                 [&](const FnStmt& s) {
                   bind(s.name);
                   function(text_of(s));
                 },
                 [&](const ModelStmt& s) {
                   bind(s.name);
                   function(text_of(s));
                 },
                 [&](const ForStmt& s) {
                   expr(*s.iterable);
                   open_scope();
                   pattern(*s.pattern);
                   block(s.body);
                   close_scope();
                 },
                 [&](const WhileStmt& s) {
                   expr(*s.condition);
                   block(s.body);
                 },
                 [&](const IfStmt& s) {
                   for (const IfStmt::Branch& branch : s.branches) {
                     expr(*branch.condition);
                     block(branch.body);
                   }
                   if (s.otherwise) block(*s.otherwise);
                 },
                 [](const BreakStmt&) {},
                 [](const ContinueStmt&) {},
                 [&](const WithStmt& s) { with(s); },
                 [&](const NoGradStmt& s) { block(s.body); },
                 [&](const ReturnStmt& s) { optional(s.value); },
                 [&](const AssertStmt& s) {
                   expr(*s.condition);
                   optional(s.message);
                 },
                 [&](const ExprStmt& s) { expr(*s.value); },
             },
             stmt.node);
}

void Walk::expr(const Expr& e) {
  check_stack(e.span, Kind::nesting_too_deep);
  std::visit(Overloaded{
                 [](const IntExpr&) {},
                 [](const FloatExpr&) {},
                 [](const BoolExpr&) {},
                 [](const NoneExpr&) {},
                 [](const ElementTypeExpr&) {},
                 [&](const RestExpr&) { rest(e.span); },
                 [&](const StringExpr& s) {
                   for (const StringPart& part : s.parts) optional(part.value);
                 },
                 [&](const NameExpr& n) { look_up(n.name, e.span); },
                 [&](const UnaryExpr& u) { expr(*u.operand); },
                 [&](const BinaryExpr& b) {
                   expr(*b.left);
                   expr(*b.right);
                 },
                 [&](const RangeExpr& r) {
                   optional(r.begin);
                   optional(r.end);
                 },
                 [&](const ListExpr& l) {
                   for (const ExprPtr& element : l.elements) expr(*element);
                 },
                 [&](const TupleExpr& t) {
                   for (const ExprPtr& element : t.elements) expr(*element);
                 },
                 [&](const ComprehensionExpr& c) {
                   for (const ComprehensionExpr::Loop& loop : c.loops) {
                     expr(*loop.iterable);
                     open_scope();
                     pattern(*loop.pattern);
                     for (const ExprPtr& filter : loop.filters) expr(*filter);
                   }
                   expr(*c.element);
                   for (std::size_t i = 0; i < c.loops.size(); ++i) close_scope();
                 },
                 [&](const CallExpr& c) {
                   expr(*c.callee);
                   arguments(c.arguments, false);
                 },
                 [&](const IndexExpr& i) {
                   expr(*i.object);
                   arguments(i.arguments, true);
                 },
                 [&](const AttributeExpr& a) { expr(*a.object); },
                 [&](const AtExpr& a) {
                   expr(*a.object);
                   layout(a.layout);
                 },
                 [&](const LambdaExpr& l) { function(text_of(l)); },
                 [&](const CountersExpr& c) { block(c.body); },
                 [&](const IfExpr& i) {
                   for (const IfExpr::Branch& branch : i.branches) {
                     expr(*branch.condition);
                     expr(*branch.value);
                   }
                   expr(*i.otherwise);
                 },
             },
             e.node);
}

void Walk::annotation(const Annotation& annotation) {
  if (const auto* dims = std::get_if<ShapeAnnotation>(&annotation)) shape(*dims);
}

void Walk::shape(const ShapeAnnotation& shape) {
  for (const ShapeItem& item : shape.items) {
    if (item.is_rest()) rest(item.span);
    else expr(*item.dim);
  }
}

void Walk::use(const UseStmt& stmt) {
  if (const auto* named = std::get_if<ExprPtr>(&stmt.what)) expr(**named);
  if (const auto* literal = std::get_if<MeshLiteral>(&stmt.what)) mesh(*literal);
}

void Walk::with(const WithStmt& stmt) {
  std::visit(Overloaded{
                 [&](const WithStmt::Setting& setting) {
                   expr(*setting.target);
                   expr(*setting.value);
                 },
                 [&](const WithStmt::InForce& in_force) { use(in_force.what); },
                 [](const PrecisionStmt&) {},
                 [&](const SeedStmt& seed) { expr(*seed.value); },
             },
             stmt.what);
  block(stmt.body);
}

void Walk::mesh(const MeshLiteral& literal) {
  for (const MeshLiteral::Axis& axis : literal.axes) expr(*axis.size);
}

void Walk::layout(const LayoutRef& ref) {
  if (const auto* named = std::get_if<ExprPtr>(&ref.layout)) return expr(**named);
  for (const LayoutRule& rule : std::get<LayoutLiteral>(ref.layout).rules) look_up(rule.dim.name, rule.dim.span);
}

void Walk::arguments(const std::vector<Argument>& list, bool is_index) {
  for (const Argument& argument : list) {
    if (argument.label && is_index) look_up(argument.label->name, argument.label->span);
    if (argument.label && !is_index) label(without_primes(*argument.label));
    expr(*argument.value);
    optional(argument.target);
  }
}

void Walk::pattern(const Pattern& pattern) {
  std::vector<Ident> names;
  names_of(pattern, names);
  for (const Ident& ident : names) bind(ident);
}

}  // namespace mtf::ast
