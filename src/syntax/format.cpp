#include "syntax/format.h"

#include "support/diagnostics.h"
#include "syntax/columns.h"
#include "syntax/parse.h"
#include "syntax/print.h"

namespace mtf::syntax {
namespace {

// What must not change: the statements, without comments and line breaks, and the comments.
std::string essence(const ast::Program& program) {
  std::string text = program.doc;
  for (const ast::Stmt& stmt : program.body.statements) text += "\n" + print(stmt) + (stmt.quiet ? ";" : "");
  for (const ast::Comment& comment : program.comments) {
    std::string_view words = comment.span.text();
    while (!words.empty() && (words.back() == ' ' || words.back() == '\t')) words.remove_suffix(1);
    text += "\n" + std::string(words);
  }
  return text;
}

}  // namespace

std::string format(const std::shared_ptr<const SourceFile>& source) {
  const ast::Program program = parse_or_throw(source, ParseMode::kRepl);
  std::string made = keep_columns(source, print(program));
  const ast::Program again = parse_or_throw(SourceFile::create(source->name(), made), ParseMode::kRepl);
  MTF_CHECK(essence(program) == essence(again), "formatting {} would change it", source->name());
  return made;
}

}  // namespace mtf::syntax
