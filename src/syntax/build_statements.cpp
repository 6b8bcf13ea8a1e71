#include <algorithm>
#include <filesystem>

#include "support/stack_budget.h"
#include "support/text.h"
#include "syntax/ast_builder.h"
#include "syntax/foreign.h"

namespace mtf::syntax {

using namespace ast;

namespace {

bool is_identifier(std::string_view text) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  const auto is_part = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); };
  if (text.empty() || !is_letter(text.front()) || !std::all_of(text.begin(), text.end(), is_part)) return false;
  const auto& words = reserved_words();
  return std::find(words.begin(), words.end(), text) == words.end();
}

// The part of `whole` before `end`, without trailing spaces.
Span before(Span whole, std::uint32_t end) {
  whole.end = end;
  const std::string_view text = whole.text();
  whole.end = whole.begin + static_cast<std::uint32_t>(trim(text).size());
  return whole;
}

}  // namespace

void AstBuilder::add(MtfParser::ProgramContext& part) {
  std::vector<Stmt> more = statements(part.statement(), {.top_level = true});
  std::move(more.begin(), more.end(), std::back_inserter(statements_));
}

Program AstBuilder::finish(std::vector<Comment> comments) {
  Program program;
  program.file = file_.shared_from_this();
  program.comments = std::move(comments);
  program.body.span = {&file_, 0, static_cast<std::uint32_t>(file_.text().size())};
  program.body.statements = std::move(statements_);
  find_docs(program);
  attach_docs(program.body.statements);
  return program;
}

Block AstBuilder::block(MtfParser::BlockContext* tree, Place place) {
  check_stack(span(tree), Kind::nesting_too_deep);
  const Place outer = place_;
  Block block{span(tree), statements(tree->statement(), place)};
  place_ = outer;
  return block;
}

std::vector<Stmt> AstBuilder::statements(const std::vector<MtfParser::StatementContext*>& trees, Place place) {
  std::vector<Stmt> result;
  std::vector<Span> ends;
  result.reserve(trees.size());
  ends.reserve(trees.size());
  for (MtfParser::StatementContext* tree : trees) {
    if (tree->exception != nullptr || tree->children.size() != 2) continue;  // `body NEWLINE`
    auto* body = static_cast<antlr4::ParserRuleContext*>(tree->children[0]->children.at(0));
    place_ = place;
    Stmt made{statement(body), span(body), {}, false};
    result.push_back(std::move(made));
    ends.push_back(span(tree->getStop()));
  }
  place_ = place;
  // A final `;` makes all statements of its line quiet.
  for (std::size_t i = result.size(); i-- > 0;) {
    if (ends[i].text() != ";") continue;
    const std::size_t next = file_.text().find_first_not_of(" \t;", ends[i].end);
    const char after = next == std::string::npos ? '\n' : file_.text()[next];
    const bool ends_line = after == '\n' || after == '\r' || after == '#' || after == '}';
    result[i].quiet = ends_line || (i + 1 < result.size() && result[i + 1].quiet);
  }
  return result;
}

Stmt::Node AstBuilder::statement(antlr4::ParserRuleContext* tree) {
  const auto misplaced = [&](bool is_right, std::string_view where) {
    if (!is_right) diagnostics_.add(Diagnostic(Kind::misplaced_statement, span(tree->getStart()), std::string(where)));
  };
  switch (tree->getRuleIndex()) {
    case MtfParser::RuleDim_statement: return dim(static_cast<MtfParser::Dim_statementContext*>(tree));
    case MtfParser::RuleMesh_statement: {
      auto* mesh = static_cast<MtfParser::Mesh_statementContext*>(tree);
      return MeshStmt{ident(mesh->IDENT()), mesh_literal(mesh->mesh_literal())};
    }
    case MtfParser::RuleLayout_statement: {
      auto* layout = static_cast<MtfParser::Layout_statementContext*>(tree);
      return LayoutStmt{ident(layout->IDENT()), whole_layout(layout->layout_literal())};
    }
    case MtfParser::RuleUse_statement: return use(static_cast<MtfParser::Use_statementContext*>(tree));
    case MtfParser::RuleOption_statement: {
      misplaced(place_.top_level, "an `option` stands at the top level of a file");
      auto* option = static_cast<MtfParser::Option_statementContext*>(tree);
      return OptionStmt{ident(option->IDENT()), expr(option->expr())};
    }
    case MtfParser::RuleSetting_statement: {
      misplaced(place_.top_level, "a `setting` stands at the top level of a file");
      auto* setting = static_cast<MtfParser::Setting_statementContext*>(tree);
      return SettingStmt{ident(setting->IDENT()), expr(setting->expr())};
    }
    case MtfParser::RuleWith_statement: return with(static_cast<MtfParser::With_statementContext*>(tree));
    case MtfParser::RuleLanguage_statement: {
      auto* version = static_cast<MtfParser::Language_statementContext*>(tree)->INT()->getSymbol();
      return LanguageStmt{std::stoll(std::string(span(version).text()))};  // find_language_version() has checked it
    }
    case MtfParser::RuleSeed_statement:
      return SeedStmt{expr(static_cast<MtfParser::Seed_statementContext*>(tree)->expr())};
    case MtfParser::RulePrecision_statement:
      return PrecisionStmt{ident(static_cast<MtfParser::Precision_statementContext*>(tree)->precision_word())};
    case MtfParser::RuleImport_statement:
      misplaced(place_.top_level, "an `import` stands at the top level of a file");
      return import(static_cast<MtfParser::Import_statementContext*>(tree));
    case MtfParser::RuleLet_statement: return let(static_cast<MtfParser::Let_statementContext*>(tree));
    case MtfParser::RuleParam_statement:
      misplaced(place_.in_model, "a `param` or `state` stands directly in a `model`");
      return param(static_cast<MtfParser::Param_statementContext*>(tree));
    case MtfParser::RuleFn_statement: return fn(static_cast<MtfParser::Fn_statementContext*>(tree));
    case MtfParser::RuleModel_statement: return model(static_cast<MtfParser::Model_statementContext*>(tree));
    case MtfParser::RuleFor_statement: return for_loop(static_cast<MtfParser::For_statementContext*>(tree));
    case MtfParser::RuleWhile_statement: {
      auto* loop = static_cast<MtfParser::While_statementContext*>(tree);
      ExprPtr condition = expr(loop->expr());
      return WhileStmt{std::move(condition), block(loop->block(), place_.loop())};
    }
    case MtfParser::RuleBreak_statement:
      misplaced(place_.in_loop, "`break` stands in the loop that it ends");
      return BreakStmt{};
    case MtfParser::RuleContinue_statement:
      misplaced(place_.in_loop, "`continue` stands in the loop whose turn it ends");
      return ContinueStmt{};
    case MtfParser::RuleNo_grad_statement:
      return NoGradStmt{block(static_cast<MtfParser::No_grad_statementContext*>(tree)->block(), place_.inside())};
    case MtfParser::RuleReturn_statement:
      if (!place_.in_fn) diagnostics_.add(Diagnostic(Kind::return_outside_fn, span(tree->getStart())));
      return returned(static_cast<MtfParser::Return_statementContext*>(tree));
    case MtfParser::RuleAssert_statement: return assertion(static_cast<MtfParser::Assert_statementContext*>(tree));
    case MtfParser::RuleExpr_statement: return expr_or_assign(static_cast<MtfParser::Expr_statementContext*>(tree));
    default: break;
  }
  MTF_CHECK(false, "no builder for grammar rule {}", tree->getRuleIndex());
  return ExprStmt{};
}

DimStmt AstBuilder::dim(MtfParser::Dim_statementContext* tree) {
  DimStmt made;
  for (auto* item : tree->dim_item()) {
    const Ident name = ident(item->IDENT());
    made.items.push_back({name, name_of_dim(name), expr(item->expr()), span(item)});
  }
  return made;
}

MeshLiteral AstBuilder::mesh_literal(MtfParser::Mesh_literalContext* tree) {
  MeshLiteral made{{}, span(tree)};
  std::vector<Ident> names;
  for (auto* axis : tree->mesh_axis()) {
    made.axes.push_back({ident(axis->any_word()), expr(axis->expr()), span(axis)});
    names.push_back(made.axes.back().name);
  }
  refuse_twice(Kind::duplicate_name, names);
  return made;
}

LayoutLiteral AstBuilder::whole_layout(MtfParser::Layout_literalContext* tree) {
  LayoutLiteral made = layout_literal(tree);
  if (made.keep_others) {
    diagnostics_.add(Diagnostic(Kind::bad_layout, made.span, "`..` has no other rules to keep here")
                         .help("`..` belongs after `@`: `x @ {.., batch -> rows}`"));
  }
  return made;
}

UseStmt AstBuilder::use(MtfParser::Use_statementContext* tree) {
  if (auto* layout = tree->layout_literal()) return UseStmt{whole_layout(layout)};
  if (auto* mesh = tree->mesh_literal()) return UseStmt{mesh_literal(mesh)};
  return UseStmt{path(tree->path())};
}

ImportStmt AstBuilder::import(MtfParser::Import_statementContext* tree) {
  ImportStmt made;
  for (auto* item : tree->import_item()) made.items.push_back(import_item(item));
  return made;
}

ImportStmt::Item AstBuilder::import_item(MtfParser::Import_itemContext* tree) {
  ImportStmt::Item item;
  item.span = span(tree);
  const auto words = tree->IDENT();
  item.is_file = tree->string() != nullptr;
  if (tree->AS() != nullptr) item.alias = ident(words.back());
  if (!item.is_file) {
    const Ident module = ident(words.front());
    item.path = module.name.str();
    item.bound = item.alias.value_or(module);
    return item;
  }
  const Span path_span = span(tree->string());
  const StringExpr text = string(tree->string());
  if (text.parts.size() == 1 && text.parts.front().value == nullptr) item.path = text.parts.front().text;
  if (item.path.empty()) {
    diagnostics_.add(Diagnostic(Kind::syntax_error, path_span, "expected the path of a file, as plain text"));
  }
  const std::string stem = std::filesystem::path(item.path).stem().string();
  item.bound = item.alias.value_or(Ident{stem, path_span});
  if (!item.alias && !item.path.empty() && !is_identifier(stem)) {
    diagnostics_.add(Diagnostic(Kind::syntax_error, path_span, fmt::format("{} cannot be a name", mtf::code(stem)))
                         .help(fmt::format("give it one: `import {} as lib`", quote(item.path))));
  }
  return item;
}

StoredAnnotation AstBuilder::stored_type(MtfParser::Stored_typeContext* tree) {
  if (tree->shape() != nullptr) return shape(tree->shape());
  const Ident word = ident(tree->IDENT());
  if (word.name.text() != "like") {
    diagnostics_.add(Diagnostic(Kind::syntax_error, word.span,
                                fmt::format("expected `like` or `[`, found {}", mtf::code(word.name.text()))));
  }
  LikeAnnotation made{std::nullopt, path_with_index(tree->path_with_index()), span(tree)};
  if (tree->element_type() != nullptr) made.element_type = ident(tree->element_type());
  return made;
}

ParamStmt AstBuilder::param(MtfParser::Param_statementContext* tree) {
  ParamStmt made;
  made.trainable = tree->PARAM() != nullptr;
  made.name = ident(tree->IDENT());
  made.type = stored_type(tree->stored_type());
  if (tree->layout_ref() != nullptr) made.stored = layout_ref(tree->layout_ref());
  made.value = expr(tree->expr());
  return made;
}

FnStmt AstBuilder::fn(MtfParser::Fn_statementContext* tree) {
  FnStmt made;
  made.name = ident(tree->IDENT());
  made.parameters = parameters(tree->parameters());
  if (tree->annotation() != nullptr) made.result = annotation(tree->annotation());
  const Span body = tree->block() != nullptr ? span(tree->block()) : span(tree->ASSIGN()->getSymbol());
  made.signature = signature(made.name.name, made.parameters, made.result, before(span(tree), body.begin));
  const Inside inside(*this, made.name.name.text(), span(tree));
  made.body = function_body(tree->block(), tree->expr());
  return made;
}

ModelStmt AstBuilder::model(MtfParser::Model_statementContext* tree) {
  ModelStmt made;
  made.name = ident(tree->IDENT());
  made.has_parentheses = tree->LPAREN() != nullptr;
  made.parameters = parameters(tree->parameters());
  made.signature =
      signature(made.name.name, made.parameters, std::nullopt, before(span(tree), span(tree->block()).begin));
  const Inside inside(*this, made.name.name.text(), span(tree));
  made.body = block(tree->block(), {.in_model = true});
  return made;
}

ForStmt AstBuilder::for_loop(MtfParser::For_statementContext* tree) {
  ForStmt made;
  made.pattern = pattern(tree->patterns());
  made.iterable = expr(tree->expr());
  made.body = block(tree->block(), place_.loop());
  return made;
}

IfStmt AstBuilder::if_else(MtfParser::If_elseContext* tree) {
  IfStmt made;
  const auto conditions = tree->expr();
  const auto blocks = tree->block();
  for (std::size_t i = 0; i < conditions.size(); ++i) {
    ExprPtr condition = expr(conditions[i]);
    made.branches.push_back({std::move(condition), block(blocks[i], place_.inside())});
  }
  if (blocks.size() > conditions.size()) made.otherwise = block(blocks.back(), place_.inside());
  return made;
}

WithStmt AstBuilder::with(MtfParser::With_statementContext* tree) {
  auto* item = tree->with_item();
  WithStmt made;
  if (item->SEED() != nullptr) {
    made.what = SeedStmt{expr(item->expr())};
  } else if (item->PRECISION() != nullptr) {
    made.what = PrecisionStmt{ident(item->precision_word())};
  } else if (item->ASSIGN() != nullptr) {
    ExprPtr target = path(item->path());
    made.what = WithStmt::Setting{std::move(target), expr(item->expr())};
  } else {
    WithStmt::InForce in_force{item->MESH() != nullptr, {}};
    if (auto* layout = item->layout_literal()) in_force.what.what = whole_layout(layout);
    else if (auto* mesh = item->mesh_literal()) in_force.what.what = mesh_literal(mesh);
    else in_force.what.what = path(item->path());
    made.what = std::move(in_force);
  }
  made.body = block(tree->block(), place_.inside());
  return made;
}

LetStmt AstBuilder::let(MtfParser::Let_statementContext* tree) {
  LetStmt made;
  made.pattern = pattern(tree->patterns());
  if (tree->annotation() != nullptr) {
    made.annotation = annotation(tree->annotation());
    if (!std::holds_alternative<Ident>(made.pattern->node)) {
      diagnostics_.add(Diagnostic(Kind::syntax_error, span(tree->annotation()), "only one name can be given a type")
                           .help("give each its own line: `let a: f32[..] = …`"));
    }
  }
  made.value = expr(tree->expr());
  return made;
}

ReturnStmt AstBuilder::returned(MtfParser::Return_statementContext* tree) {
  const auto parts = tree->expr();
  if (parts.empty()) return {};
  if (parts.size() == 1) return {expr(parts.front())};
  TupleExpr tuple;
  for (auto* part : parts) tuple.elements.push_back(expr(part));
  const Span whole = cover(span(parts.front()), span(parts.back()));
  return {make(std::move(tuple), whole)};
}

AssertStmt AstBuilder::assertion(MtfParser::Assert_statementContext* tree) {
  const auto parts = tree->expr();
  AssertStmt made{expr(parts.front()), nullptr};
  if (parts.size() > 1) made.message = expr(parts.back());
  return made;
}

Stmt::Node AstBuilder::expr_or_assign(MtfParser::Expr_statementContext* tree) {
  const auto parts = tree->expr();
  // An `if` on its own is a statement.
  auto* alone = parts.size() == 1 ? dynamic_cast<MtfParser::Primary_exprContext*>(parts.front()) : nullptr;
  if (alone != nullptr && alone->primary()->if_else() != nullptr) return if_else(alone->primary()->if_else());
  ExprPtr first = expr(parts.front());
  if (tree->DEFINE() != nullptr) {
    const bool is_place = first->as<NameExpr>() || first->as<AttributeExpr>() || first->as<IndexExpr>();
    if (!is_place || first->parenthesized) {
      diagnostics_.add(Diagnostic(Kind::assign_not_a_place, first->span,
                                  "expected a name, such as `x` or `net.w`, on the left of `:=`"));
    }
    return AssignStmt{std::move(first), expr(parts.back())};
  }
  const bool acts = first->as<CallExpr>() || first->as<CountersExpr>();
  if (!acts && mode_ == ParseMode::kScript) {
    Diagnostic diagnostic(Kind::not_a_statement, first->span, "expected a call or `counters`");
    const auto* binary = first->as<BinaryExpr>();
    const auto* name = first->as<NameExpr>();
    const Help foreign = name != nullptr ? foreign_help(Foreign::statement, first->span) : Help();
    if (!foreign.empty()) {
      diagnostic.help(foreign);
    } else if (binary != nullptr && binary->op == BinaryOp::kFloorDivide && binary->left->as<CallExpr>()) {
      diagnostic.help(help_with("a comment begins with `#`", {{binary->op_span, "#"}}));
    } else if (binary != nullptr && binary->op == BinaryOp::kEqual) {
      diagnostic.help("`==` compares; `:=` gives an existing name a new value");
    } else {
      const Span begin{first->span.file, first->span.begin, first->span.begin},
          end{first->span.file, first->span.end, first->span.end};
      if (place_.in_fn) diagnostic.help(help_with("`return` gives it to the caller", {{begin, "return "}}));
      else diagnostic.help(help_with("name it with `let`, or show it", {{begin, "print("}, {end, ")"}}));
    }
    diagnostics_.add(std::move(diagnostic));
  }
  return ExprStmt{std::move(first)};
}

// ---- shared helpers -------------------------------------------------------------------------------------------------

FunctionBody AstBuilder::function_body(MtfParser::BlockContext* tree, MtfParser::ExprContext* expression) {
  if (tree != nullptr) return block(tree, {.in_fn = true});
  const Place outer = place_;
  place_ = {.in_fn = true};
  ExprPtr made = expr(expression);
  place_ = outer;
  return made;
}

AstBuilder::Inside::Inside(AstBuilder& builder, std::string_view name, Span span) : owners_(builder.owners_) {
  std::string path = owners_.empty() ? "" : owners_.back().path;
  if (!path.empty() && !name.empty()) path += ".";
  path += name.empty() && path.empty() ? "fn" : name;
  owners_.push_back({std::move(path), span});
}

// The statement is identified by its file, by the number of earlier declared dims, and by the text around it. The text
// is needed because entries of a prompt may share the name of their file.
Name AstBuilder::name_of_dim(const Ident& written) {
  if (owners_.empty()) return written.name;
  std::string around = file_.name() + "\n";
  around += owners_.front().span.text();
  return Name::own(written.name.text(), owners_.back().path,
                   fmt::format("{}:{:x}", ++own_dims_, std::hash<std::string>()(around)));
}

Ident AstBuilder::ident(antlr4::Token* token) const {
  const Span where = span(token);
  return {Name(where.text()), where};
}

Span AstBuilder::span(antlr4::ParserRuleContext* tree) const {
  const Span first = offsets_.span(*tree->getStart());
  if (tree->getStop() == nullptr) return first;
  Span whole = first;
  whole.end = std::max(first.begin, offsets_.span(*tree->getStop()).end);
  return whole;
}

ExprPtr AstBuilder::make(Expr::Node node, Span span) const {
  return std::make_unique<Expr>(Expr{std::move(node), span, false});
}

void AstBuilder::refuse_twice(Kind kind, const std::vector<Ident>& names) {
  std::unordered_map<Name, Span> seen;
  for (const Ident& name : names) {
    const auto [first, is_new] = seen.emplace(name.name, name.span);
    if (is_new) continue;
    diagnostics_.add(Diagnostic(kind, name.span, fmt::format("{} again", mtf::code(name.name.text())))
                         .related(first->second, "first here"));
  }
}

}  // namespace mtf::syntax
