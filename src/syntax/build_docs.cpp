// The `##` lines of a file and of declarations.
#include <algorithm>

#include "support/text.h"
#include "syntax/ast_builder.h"

namespace mtf::syntax {

using namespace ast;

namespace {

std::string doc_text(const Comment& comment) {
  std::string_view text = comment.span.text();
  text.remove_prefix(std::min<std::size_t>(2, text.size()));
  if (text.starts_with(' ')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return std::string(text);
}

}  // namespace

// The file's doc is its first block of `##` lines, if only comments precede it.
void AstBuilder::find_docs(Program& program) {
  for (const Comment& comment : program.comments) {
    if (comment.is_doc && comment.own_line) docs_by_line_.emplace(file_.line_of(comment.span.begin), &comment);
  }
  const auto first = std::find_if(program.comments.begin(), program.comments.end(),
                                  [](const Comment& comment) { return comment.is_doc; });
  if (first == program.comments.end() || !first->own_line) return;
  const auto& statements = program.body.statements;
  if (!statements.empty() && statements.front().span.begin < first->span.begin) return;
  std::size_t line = file_.line_of(first->span.begin);
  for (auto found = docs_by_line_.find(line); found != docs_by_line_.end(); found = docs_by_line_.find(++line)) {
    if (!program.doc.empty()) program.doc += '\n';
    program.doc += doc_text(*found->second);
  }
  file_doc_end_ = line - 1;
}

std::string AstBuilder::doc_above(std::size_t line) const {
  std::vector<std::string> lines;
  while (--line > file_doc_end_) {
    const auto found = docs_by_line_.find(line);
    if (found == docs_by_line_.end()) break;
    lines.push_back(doc_text(*found->second));
  }
  std::reverse(lines.begin(), lines.end());
  return mtf::join(lines, "\n");
}

void AstBuilder::attach_docs(std::vector<Stmt>& statements) {
  if (docs_by_line_.empty()) return;
  for (Stmt& statement : statements) {
    statement.doc = doc_above(file_.line_of(statement.span.begin));
    if (auto* fn = std::get_if<FnStmt>(&statement.node)) {
      if (auto* body = std::get_if<Block>(&fn->body)) attach_docs(body->statements);
    } else if (auto* model = std::get_if<ModelStmt>(&statement.node)) {
      attach_docs(model->body.statements);
    }
  }
}

}  // namespace mtf::syntax
