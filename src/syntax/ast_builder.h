#pragma once

// Private to src/syntax: names ANTLR's types.

#include <string>
#include <unordered_map>
#include <vector>

#include "MtfParser.h"
#include "support/diagnostics.h"
#include "syntax/ast.h"
#include "syntax/parse.h"
#include "syntax/signature.h"
#include "syntax/token_stream.h"

namespace mtf::syntax {

// Builds the AST from parse trees, and makes the checks of ast.h that a grammar cannot express. A program comes in
// parts, whose trees may be deleted after they were added. Statements that could not be parsed are left out. Errors are
// added to the diagnostics, and their surroundings are built as well as possible.
class AstBuilder {
 public:
  AstBuilder(const SourceFile& file, const Offsets& offsets, ParseMode mode, Diagnostics& diagnostics)
      : file_(file), offsets_(offsets), mode_(mode), diagnostics_(diagnostics) {}

  // Reserves space for at most `statements` top-level statements.
  void reserve(std::size_t statements) { statements_.reserve(statements); }
  void add(MtfParser::ProgramContext& part);
  ast::Program finish(std::vector<ast::Comment> comments);

 private:
  // The context of a statement.
  struct Place {
    bool top_level = false;
    bool in_model = false;  // directly
    bool in_fn = false;
    bool in_loop = false;  // of the same function
    // The context inside a block that is no loop, function or model.
    Place inside() const { return {.in_fn = in_fn, .in_loop = in_loop}; }
    Place loop() const { return {.in_fn = in_fn, .in_loop = true}; }
  };

  // build_statements.cpp
  ast::Block block(MtfParser::BlockContext* tree, Place place);
  std::vector<ast::Stmt> statements(const std::vector<MtfParser::StatementContext*>& trees, Place place);
  ast::Stmt::Node statement(antlr4::ParserRuleContext* tree);
  ast::DimStmt dim(MtfParser::Dim_statementContext* tree);
  ast::MeshLiteral mesh_literal(MtfParser::Mesh_literalContext* tree);
  ast::UseStmt use(MtfParser::Use_statementContext* tree);
  ast::ImportStmt import(MtfParser::Import_statementContext* tree);
  ast::ImportStmt::Item import_item(MtfParser::Import_itemContext* tree);
  ast::ParamStmt param(MtfParser::Param_statementContext* tree);
  ast::FnStmt fn(MtfParser::Fn_statementContext* tree);
  ast::ModelStmt model(MtfParser::Model_statementContext* tree);
  ast::ForStmt for_loop(MtfParser::For_statementContext* tree);
  ast::IfStmt if_else(MtfParser::If_elseContext* tree);
  ast::WithStmt with(MtfParser::With_statementContext* tree);
  ast::LetStmt let(MtfParser::Let_statementContext* tree);
  ast::ReturnStmt returned(MtfParser::Return_statementContext* tree);
  ast::AssertStmt assertion(MtfParser::Assert_statementContext* tree);
  ast::Stmt::Node expr_or_assign(MtfParser::Expr_statementContext* tree);
  ast::StoredAnnotation stored_type(MtfParser::Stored_typeContext* tree);

  // build_docs.cpp
  void find_docs(ast::Program& program);
  void attach_docs(std::vector<ast::Stmt>& statements);
  std::string doc_above(std::size_t line) const;

  // build_expressions.cpp
  ast::ExprPtr expr(MtfParser::ExprContext* tree);
  ast::Expr::Node expr_node(MtfParser::ExprContext* tree);
  ast::Expr::Node binary(MtfParser::Binary_exprContext* tree);
  ast::LambdaExpr lambda(MtfParser::Lambda_exprContext* tree);
  ast::ExprPtr primary(MtfParser::PrimaryContext* tree);
  ast::ExprPtr parens(MtfParser::ParensContext* tree);
  ast::Expr::Node list(MtfParser::ListContext* tree);
  ast::IfExpr if_value(MtfParser::If_elseContext* tree);
  // The value of a block that consists of one expression.
  ast::ExprPtr value_of(MtfParser::BlockContext* tree);
  ast::ComprehensionExpr::Loop comprehension_loop(MtfParser::Comprehension_loopContext* tree);
  std::vector<ast::Argument> arguments(MtfParser::ArgumentsContext* tree);
  std::vector<ast::Argument> index_arguments(MtfParser::Index_argumentsContext* tree);
  ast::ExprPtr index_value(MtfParser::Index_argumentContext* tree);
  ast::LayoutLiteral layout_literal(MtfParser::Layout_literalContext* tree);
  /// Builds a layout without `..`, for contexts in which there is no layout to keep.
  ast::LayoutLiteral whole_layout(MtfParser::Layout_literalContext* tree);
  /// `params "blocks[*].*": {…}`.
  ast::PathRule path_rule(MtfParser::Layout_itemContext* tree);
  /// Refuses rules by path in a layout behind `@` or behind another path.
  void refuse_paths(const ast::LayoutLiteral& layout);
  ast::LayoutRef layout_ref(MtfParser::Layout_refContext* tree);
  ast::ExprPtr path(MtfParser::PathContext* tree);
  ast::ExprPtr path_with_index(MtfParser::Path_with_indexContext* tree);
  ast::ShapeAnnotation shape(MtfParser::ShapeContext* tree);
  ast::Annotation annotation(MtfParser::AnnotationContext* tree);
  std::vector<ast::Parameter> parameters(MtfParser::ParametersContext* tree);
  static std::shared_ptr<const Signature> signature(Name name, const std::vector<ast::Parameter>& declared,
                                                    const std::optional<ast::Annotation>& result, Span where);
  ast::PatternPtr pattern(MtfParser::PatternContext* tree);
  ast::PatternPtr pattern(MtfParser::PatternsContext* tree);
  ast::PatternPtr tuple_pattern(const std::vector<MtfParser::PatternContext*>& parts, Span where);

  // build_literals.cpp
  ast::Expr::Node integer(Span where);
  ast::Expr::Node real(Span where);
  ast::StringExpr string(MtfParser::StringContext* tree);
  ast::StringPart interpolation(MtfParser::InterpolationContext* tree);
  void check_format(const std::string& format, Span span);

  // all three
  /// Builds the body of a named or anonymous function. One of the two arguments is null.
  ast::FunctionBody function_body(MtfParser::BlockContext* block, MtfParser::ExprContext* expression);
  ast::Ident ident(antlr4::Token* token) const;
  ast::Ident ident(antlr4::tree::TerminalNode* node) const { return ident(node->getSymbol()); }
  ast::Ident ident(antlr4::ParserRuleContext* tree) const { return ident(tree->getStart()); }
  // A word, with the primes of a twin behind it.
  ast::Ident ident(antlr4::Token* word, const std::vector<antlr4::tree::TerminalNode*>& primes) const {
    const Span where = primes.empty() ? span(word) : cover(span(word), span(primes.back()->getSymbol()));
    return {Name(where.text()), where};
  }
  Span span(antlr4::Token* token) const { return offsets_.span(*token); }
  Span span(antlr4::ParserRuleContext* tree) const;
  ast::ExprPtr make(ast::Expr::Node node, Span span) const;
  // Reports each name that is repeated in the list.
  void refuse_twice(Kind kind, const std::vector<ast::Ident>& names);

  /// A function or model that is being built. The outermost comes first.
  struct Owner {
    std::string path;  // with enclosing ones: `Attention.call`
    Span span;
  };
  /// While an object of this class lives, nodes are built inside the function or model. One without a name has the name
  /// of its enclosing one.
  class Inside {
   public:
    Inside(AstBuilder& builder, std::string_view name, Span span);
    ~Inside() { owners_.pop_back(); }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    std::vector<Owner>& owners_;
  };
  /// The name of a dim that is declared here: an own name inside a function or model.
  Name name_of_dim(const ast::Ident& written);

  const SourceFile& file_;
  const Offsets& offsets_;
  ParseMode mode_;
  Diagnostics& diagnostics_;
  std::vector<ast::Stmt> statements_;  // of the parts so far
  Place place_;
  std::vector<Owner> owners_;
  std::size_t own_dims_ = 0;  // dims that functions and models have declared so far
  std::unordered_map<std::size_t, const ast::Comment*> docs_by_line_;
  std::size_t file_doc_end_ = 0;  // the last line of the file's doc
};

}  // namespace mtf::syntax
