#include <algorithm>

#include "support/stack_budget.h"
#include "support/text.h"
#include "syntax/ast_builder.h"
#include "syntax/foreign.h"

namespace mtf::syntax {

using namespace ast;

namespace {

BinaryOp binary_op(std::size_t token_type) {
  switch (token_type) {
    case MtfParser::CARET: return BinaryOp::kPower;
    case MtfParser::STAR: return BinaryOp::kMultiply;
    case MtfParser::SLASH: return BinaryOp::kDivide;
    case MtfParser::FLOOR_DIVIDE: return BinaryOp::kFloorDivide;
    case MtfParser::PERCENT: return BinaryOp::kModulo;
    case MtfParser::PLUS: return BinaryOp::kAdd;
    case MtfParser::MINUS: return BinaryOp::kSubtract;
    case MtfParser::EQUAL: return BinaryOp::kEqual;
    case MtfParser::NOT_EQUAL: return BinaryOp::kNotEqual;
    case MtfParser::LESS: return BinaryOp::kLess;
    case MtfParser::LESS_EQUAL: return BinaryOp::kLessEqual;
    case MtfParser::GREATER: return BinaryOp::kGreater;
    case MtfParser::GREATER_EQUAL: return BinaryOp::kGreaterEqual;
    case MtfParser::IN: return BinaryOp::kIn;
    case MtfParser::AND: return BinaryOp::kAnd;
    case MtfParser::OR: return BinaryOp::kOr;
    default: break;
  }
  MTF_CHECK(false, "token {} is no operator", token_type);
  return BinaryOp::kOr;
}

bool is_comparison(const Expr& expr) {
  const auto* binary = expr.as<BinaryExpr>();
  return binary != nullptr && !expr.parenthesized && binary->op >= BinaryOp::kEqual && binary->op <= BinaryOp::kIn;
}

// Moves the only arrow of a call behind the labelled arguments that follow it, because it belongs to the whole call.
void move_arrow_to_the_end(std::vector<Argument>& arguments) {
  const auto has_arrow = [](const Argument& argument) { return argument.target != nullptr; };
  const auto arrow = std::find_if(arguments.begin(), arguments.end(), has_arrow);
  if (arrow == arguments.end() || std::next(arrow) == arguments.end()) return;
  const auto is_plain_label = [&](const Argument& argument) { return argument.label && !has_arrow(argument); };
  if (std::all_of(std::next(arrow), arguments.end(), is_plain_label)) std::swap(arrow->target, arguments.back().target);
}

}  // namespace

ExprPtr AstBuilder::expr(MtfParser::ExprContext* tree) {
  check_stack(span(tree), Kind::nesting_too_deep);
  if (auto* leaf = dynamic_cast<MtfParser::Primary_exprContext*>(tree)) return primary(leaf->primary());
  Expr::Node node = expr_node(tree);
  return make(std::move(node), span(tree));
}

Expr::Node AstBuilder::expr_node(MtfParser::ExprContext* tree) {
  if (auto* node = dynamic_cast<MtfParser::Call_exprContext*>(tree)) {
    CallExpr call{expr(node->expr()), {}, span(node->LPAREN()->getSymbol())};
    if (node->arguments() != nullptr) call.arguments = arguments(node->arguments());
    call.arguments_span.end = span(node->RPAREN()->getSymbol()).end;
    return call;
  }
  if (auto* node = dynamic_cast<MtfParser::Binary_exprContext*>(tree)) return binary(node);
  if (auto* node = dynamic_cast<MtfParser::Attribute_exprContext*>(tree)) {
    return AttributeExpr{expr(node->expr()), ident(node->any_word())};
  }
  if (auto* node = dynamic_cast<MtfParser::Index_exprContext*>(tree)) {
    ExprPtr object = expr(node->expr());
    return IndexExpr{std::move(object), index_arguments(node->index_arguments())};
  }
  if (auto* node = dynamic_cast<MtfParser::At_exprContext*>(tree)) {
    return AtExpr{expr(node->expr()), layout_ref(node->layout_ref())};
  }
  if (auto* node = dynamic_cast<MtfParser::Unary_exprContext*>(tree)) {
    const UnaryOp op = node->op->getType() == MtfParser::NOT ? UnaryOp::kNot : UnaryOp::kNegate;
    return UnaryExpr{op, expr(node->expr()), span(node->op)};
  }
  if (auto* node = dynamic_cast<MtfParser::Range_exprContext*>(tree)) {
    const auto ends = node->expr();
    return RangeExpr{expr(ends[0]), expr(ends[1])};
  }
  auto* node = dynamic_cast<MtfParser::Lambda_exprContext*>(tree);
  MTF_CHECK(node != nullptr, "no builder for an expression");
  return lambda(node);
}

LambdaExpr AstBuilder::lambda(MtfParser::Lambda_exprContext* tree) {
  LambdaExpr made;
  made.parameters = parameters(tree->parameters());
  if (tree->annotation() != nullptr) made.result = annotation(tree->annotation());
  Span head = span(tree);
  head.end = span(tree->annotation() != nullptr ? tree->annotation()->getStop() : tree->RPAREN()->getSymbol()).end;
  made.signature = signature({}, made.parameters, made.result, head);
  const Inside inside(*this, "", span(tree));
  made.body = function_body(tree->block(), tree->expr());
  return made;
}

Expr::Node AstBuilder::binary(MtfParser::Binary_exprContext* tree) {
  const auto sides = tree->expr();
  BinaryExpr made{binary_op(tree->op->getType()), expr(sides[0]), expr(sides[1]), span(tree->op)};
  const bool compares = made.op >= BinaryOp::kEqual && made.op <= BinaryOp::kIn;
  if (compares && (is_comparison(*made.left) || is_comparison(*made.right))) {
    diagnostics_.add(Diagnostic(Kind::chained_comparison, made.op_span, "a second comparison")
                         .help("write `a < b and b < c`, or put one of them in parentheses"));
  }
  return made;
}

ExprPtr AstBuilder::primary(MtfParser::PrimaryContext* tree) {
  const Span where = span(tree);
  const std::size_t type = tree->getStart()->getType();
  switch (type) {
    case MtfParser::IDENT: return make(NameExpr{Name(where.text())}, where);
    case MtfParser::INT: return make(integer(where), where);
    case MtfParser::FLOAT: return make(real(where), where);
    case MtfParser::TRUE:
    case MtfParser::FALSE: return make(BoolExpr{type == MtfParser::TRUE}, where);
    case MtfParser::NONE: return make(NoneExpr{}, where);
    case MtfParser::STRING_OPEN: return make(string(tree->string()), where);
    case MtfParser::LPAREN: return parens(tree->parens());
    case MtfParser::LBRACKET: return make(list(tree->list()), where);
    case MtfParser::COUNTERS: return make(CountersExpr{block(tree->block(), {.in_fn = place_.in_fn})}, where);
    case MtfParser::IF: return make(if_value(tree->if_else()), where);
    default: return make(ElementTypeExpr{Name(where.text())}, where);
  }
}

ExprPtr AstBuilder::parens(MtfParser::ParensContext* tree) {
  const auto parts = tree->expr();
  if (parts.size() == 1) {
    ExprPtr inner = expr(parts.front());
    inner->parenthesized = true;
    if (!tree->COMMA().empty()) {
      diagnostics_.add(Diagnostic(Kind::syntax_error, span(tree), "a tuple has at least two elements"));
    }
    return inner;
  }
  TupleExpr tuple;
  for (auto* part : parts) tuple.elements.push_back(expr(part));
  return make(std::move(tuple), span(tree));
}

Expr::Node AstBuilder::list(MtfParser::ListContext* tree) {
  const auto item = [&](MtfParser::List_itemContext* part) {
    const bool is_rest = part->getStart() == part->getStop() && part->getStart()->getType() == MtfParser::DOTDOT;
    return is_rest ? make(RestExpr{}, span(part)) : expr(static_cast<MtfParser::ExprContext*>(part->children.front()));
  };
  const auto items = tree->list_item();
  if (!tree->comprehension_loop().empty()) {
    ExprPtr element = item(items.front());
    if (element->as<RestExpr>()) {
      diagnostics_.add(Diagnostic(Kind::syntax_error, element->span, "expected an expression, found `..`"));
    }
    ComprehensionExpr made{std::move(element), {}};
    for (auto* loop : tree->comprehension_loop()) made.loops.push_back(comprehension_loop(loop));
    return made;
  }
  ListExpr made;
  for (auto* part : items) made.elements.push_back(item(part));
  return made;
}

ComprehensionExpr::Loop AstBuilder::comprehension_loop(MtfParser::Comprehension_loopContext* tree) {
  const auto parts = tree->expr();
  ComprehensionExpr::Loop made{pattern(tree->patterns()), expr(parts.front()), {}, span(tree)};
  for (std::size_t i = 1; i < parts.size(); ++i) made.filters.push_back(expr(parts[i]));
  return made;
}

ExprPtr AstBuilder::value_of(MtfParser::BlockContext* tree) {
  const auto statements = tree->statement();
  MtfParser::Expr_statementContext* only = nullptr;
  if (statements.size() == 1 && statements[0]->exception == nullptr && statements[0]->children.size() == 2)
    only = statements[0]->body()->expr_statement();
  if (only != nullptr && only->DEFINE() == nullptr) return expr(only->expr(0));
  diagnostics_.add(
      Diagnostic(Kind::syntax_error, span(tree), "expected one expression in the braces of an `if` that gives a value")
          .help("a function can do more than one expression says: `if c { f(x) } else { g(x) }`"));
  return make(NoneExpr{}, span(tree));
}

IfExpr AstBuilder::if_value(MtfParser::If_elseContext* tree) {
  IfExpr made;
  const auto conditions = tree->expr();
  const auto blocks = tree->block();
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    ExprPtr condition = expr(conditions[i]);
    made.branches.push_back({std::move(condition), value_of(blocks[i]), span(blocks[i])});
  }
  if (blocks.size() > conditions.size()) {
    made.otherwise = value_of(blocks.back());
    made.otherwise_braces = span(blocks.back());
    return made;
  }
  diagnostics_.add(Diagnostic(Kind::syntax_error, span(tree), "an `if` that gives a value needs `else`")
                       .help("`if c { a } else { none }`"));
  made.otherwise = make(NoneExpr{}, span(tree));
  return made;
}

std::vector<Argument> AstBuilder::arguments(MtfParser::ArgumentsContext* tree) {
  std::vector<Argument> made;
  std::vector<Ident> labels;
  for (auto* part : tree->argument()) {
    Argument argument;
    argument.span = span(part);
    if (part->children.size() == 1) {
      argument.value = expr(static_cast<MtfParser::ExprContext*>(part->children.front()));
      made.push_back(std::move(argument));
      continue;
    }
    const auto values = part->expr();
    argument.value = expr(values.front());
    if (part->COLON() != nullptr) {
      argument.label = ident(part->any_word()->getStart(), part->PRIME());
      labels.push_back(*argument.label);
    }
    if (part->ARROW() != nullptr) argument.target = expr(values.back());
    made.push_back(std::move(argument));
  }
  move_arrow_to_the_end(made);
  refuse_twice(Kind::duplicate_argument, labels);
  return made;
}

std::vector<Argument> AstBuilder::index_arguments(MtfParser::Index_argumentsContext* tree) {
  std::vector<Argument> made;
  std::vector<Ident> labels;
  for (auto* part : tree->index_argument()) {
    Argument argument;
    argument.span = span(part);
    if (part->COLON() != nullptr) {
      argument.label = ident(part->any_word()->getStart(), part->PRIME());
      labels.push_back(*argument.label);
    }
    argument.value = index_value(part);
    made.push_back(std::move(argument));
  }
  refuse_twice(Kind::duplicate_argument, labels);
  return made;
}

ExprPtr AstBuilder::index_value(MtfParser::Index_argumentContext* tree) {
  ExprPtr value = tree->expr() == nullptr ? nullptr : expr(tree->expr());
  if (tree->DOTDOT() == nullptr) return value;
  const Span dots = span(tree->DOTDOT()->getSymbol());
  if (value == nullptr) return make(RangeExpr{}, dots);
  const Span whole = cover(span(tree->expr()), dots);
  if (dots.begin < value->span.begin) return make(RangeExpr{nullptr, std::move(value)}, whole);
  return make(RangeExpr{std::move(value), nullptr}, whole);
}

LayoutLiteral AstBuilder::layout_literal(MtfParser::Layout_literalContext* tree) {
  LayoutLiteral made;
  made.span = span(tree);
  std::vector<Ident> dims;
  for (auto* item : tree->layout_item()) {
    if (item->DOTDOT() != nullptr) {
      if (made.keep_others) { diagnostics_.add(Diagnostic(Kind::duplicate_name, span(item), "`..` again")); }
      made.keep_others = true;
      continue;
    }
    if (item->string() != nullptr) {
      made.by_path.push_back(path_rule(item));
      continue;
    }
    LayoutRule rule;
    rule.span = span(item);
    rule.dim = ident(item->IDENT()->getSymbol(), item->PRIME());
    rule.bracketed = item->LBRACKET() != nullptr;
    for (auto* axis : item->any_word()) rule.axes.push_back(ident(axis));
    refuse_twice(Kind::duplicate_name, rule.axes);
    dims.push_back(rule.dim);
    made.rules.push_back(std::move(rule));
  }
  refuse_twice(Kind::duplicate_name, dims);
  for (auto one = made.by_path.begin(); one != made.by_path.end(); ++one) {
    const auto same = [&](const PathRule& other) { return other.of == one->of && other.path == one->path; };
    if (const auto first = std::find_if(made.by_path.begin(), one, same); first != one)
      diagnostics_.add(
          Diagnostic(Kind::duplicate_name, one->head, "this path again").related(first->head, "it has rules already"));
  }
  return made;
}

PathRule AstBuilder::path_rule(MtfParser::Layout_itemContext* tree) {
  PathRule made;
  made.span = span(tree);
  made.head = cover(span(tree->IDENT()->getSymbol()), span(tree->string()));
  const Ident word = ident(tree->IDENT());
  if (const auto of = by_path_with(word.name.text())) made.of = *of;
  else
    diagnostics_.add(Diagnostic(
        Kind::bad_layout, word.span,
        fmt::format("expected `params`, `states` or `values` before a path, found {}", mtf::code(word.name.text()))));
  const StringExpr path = string(tree->string());
  if (path.parts.size() == 1 && path.parts[0].value == nullptr) made.path = path.parts[0].text;
  else
    diagnostics_.add(Diagnostic(Kind::bad_layout, span(tree->string()), "expected a path as text")
                         .help("`*` in it stands for any text: `params \"blocks[*].*\": {d_model -> data}`"));
  LayoutLiteral rules = layout_literal(tree->layout_literal());
  if (rules.keep_others)
    diagnostics_.add(Diagnostic(Kind::bad_layout, rules.span, "`..` says nothing here")
                         .help("a dim that the rules of a path do not name lies as it would without them"));
  refuse_paths(rules);
  made.rules = std::move(rules.rules);
  return made;
}

void AstBuilder::refuse_paths(const LayoutLiteral& layout) {
  if (layout.by_path.empty()) return;
  diagnostics_.add(Diagnostic(Kind::bad_layout, layout.by_path.front().head, "expected a rule of a dim")
                       .help("rules by path belong directly into a layout: `layout zero = {batch -> data, params "
                             "\"*\": {d_model -> data}}`"));
}

LayoutRef AstBuilder::layout_ref(MtfParser::Layout_refContext* tree) {
  if (tree->layout_literal() != nullptr) {
    LayoutLiteral layout = layout_literal(tree->layout_literal());
    refuse_paths(layout);
    return {std::move(layout), span(tree)};
  }
  const Ident first = ident(tree->IDENT());
  ExprPtr name = make(NameExpr{first.name}, first.span);
  if (tree->any_word() == nullptr) return {std::move(name), span(tree)};
  return {make(AttributeExpr{std::move(name), ident(tree->any_word())}, span(tree)), span(tree)};
}

ExprPtr AstBuilder::path(MtfParser::PathContext* tree) {
  const Ident first = ident(tree->IDENT());
  ExprPtr made = make(NameExpr{first.name}, first.span);
  int length = 0;
  for (auto* word : tree->any_word()) {
    const Ident attribute = ident(word);
    if (++length > kMaxNesting) {
      diagnostics_.add(Diagnostic(Kind::nesting_too_deep, attribute.span, "this path is too long"));
      break;
    }
    made = make(AttributeExpr{std::move(made), attribute}, cover(first.span, attribute.span));
  }
  return made;
}

ExprPtr AstBuilder::path_with_index(MtfParser::Path_with_indexContext* tree) {
  const Ident first = ident(tree->IDENT());
  ExprPtr made = make(NameExpr{first.name}, first.span);
  int length = 0;
  for (auto* step : tree->path_step()) {
    const Span whole = cover(first.span, span(step));
    if (++length > kMaxNesting) {
      diagnostics_.add(Diagnostic(Kind::nesting_too_deep, span(step), "this path is too long"));
      break;
    }
    if (step->any_word() != nullptr) {
      made = make(AttributeExpr{std::move(made), ident(step->any_word())}, whole);
      continue;
    }
    IndexExpr index{std::move(made), {}};
    index.arguments.push_back({std::nullopt, expr(step->expr()), nullptr, span(step->expr())});
    made = make(std::move(index), whole);
  }
  return made;
}

ShapeAnnotation AstBuilder::shape(MtfParser::ShapeContext* tree) {
  ShapeAnnotation made;
  made.span = span(tree);
  if (tree->element_type() != nullptr) made.element_type = ident(tree->element_type());
  for (auto* item : tree->shape_item()) {
    made.items.push_back({item->expr() == nullptr ? nullptr : expr(item->expr()), span(item)});
  }
  return made;
}

Annotation AstBuilder::annotation(MtfParser::AnnotationContext* tree) {
  if (tree->shape() != nullptr) return shape(tree->shape());
  const std::vector<std::string>& words = annotation_words();
  const Ident word = ident(static_cast<antlr4::ParserRuleContext*>(tree->annotation_word()));
  const std::string text = word.name.str();
  if (std::find(words.begin(), words.end(), text) == words.end()) {
    Diagnostic diagnostic(Kind::unknown_type, word.span,
                          fmt::format("expected {} or a shape, found {}", mtf::join(words, ", "), mtf::code(text)));
    const bool is_element_type = tree->annotation_word()->element_type() != nullptr;
    const Help foreign = foreign_help(Foreign::type, word.span);
    diagnostic.help(!foreign.empty() ? foreign
                    : is_element_type
                        ? Help(fmt::format("a tensor of any shape is `{0}[..]`, one without dimensions `{0}[]`", text))
                        : mtf::did_you_mean(word.span, text, words));
    diagnostics_.add(std::move(diagnostic));
  }
  return WordAnnotation{word, word.span};
}

std::vector<ast::Parameter> AstBuilder::parameters(MtfParser::ParametersContext* tree) {
  std::vector<ast::Parameter> made;
  if (tree == nullptr) return made;
  std::vector<Ident> names;
  for (auto* part : tree->parameter()) {
    ast::Parameter parameter;
    parameter.name = ident(part->IDENT());
    parameter.span = span(part);
    if (part->annotation() != nullptr) parameter.annotation = annotation(part->annotation());
    if (part->expr() != nullptr) parameter.default_value = expr(part->expr());
    names.push_back(parameter.name);
    made.push_back(std::move(parameter));
  }
  refuse_twice(Kind::duplicate_name, names);
  return made;
}

std::shared_ptr<const Signature> AstBuilder::signature(Name name, const std::vector<ast::Parameter>& declared,
                                                       const std::optional<Annotation>& result, Span where) {
  return std::make_shared<const Signature>(name, declared, result ? &*result : nullptr, where);
}

PatternPtr AstBuilder::pattern(MtfParser::PatternContext* tree) {
  const Span where = span(tree);
  if (tree->IDENT() != nullptr) return std::make_unique<Pattern>(Pattern{ident(tree->IDENT()), where});
  return tuple_pattern(tree->pattern(), where);
}

PatternPtr AstBuilder::pattern(MtfParser::PatternsContext* tree) {
  const auto parts = tree->pattern();
  return parts.size() == 1 ? pattern(parts.front()) : tuple_pattern(parts, span(tree));
}

PatternPtr AstBuilder::tuple_pattern(const std::vector<MtfParser::PatternContext*>& parts, Span where) {
  TuplePattern tuple;
  std::vector<Ident> names;
  for (auto* part : parts) {
    tuple.parts.push_back(pattern(part));
    if (const auto* name = std::get_if<Ident>(&tuple.parts.back()->node)) names.push_back(*name);
  }
  refuse_twice(Kind::duplicate_name, names);
  return std::make_unique<Pattern>(Pattern{std::move(tuple), where});
}

}  // namespace mtf::syntax
