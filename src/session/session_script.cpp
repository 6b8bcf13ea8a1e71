#include "session/session_script.h"

#include <algorithm>
#include <map>
#include <memory>

#include "support/source.h"
#include "support/text.h"
#include "syntax/parse.h"

namespace mtf::session {
namespace {

struct Piece {
  std::string before;  // comments
  std::string text;
  std::string declares;  // the name of a function or model
  bool has_value = false;
  bool mentions_last = false;  // `_`
};

bool mentions_last_value(const std::string& text) {
  for (const syntax::Token& token : syntax::tokenize(SourceFile::create("<entry>", text)))
    if (token.span.text() == "_") return true;
  return false;
}

// Splits an entry into its statements and the comments between them.
std::vector<Piece> pieces_of(const Entry& entry) {
  const auto source = SourceFile::create(entry.name, entry.text);
  const ast::Program program = parse_or_throw(source, entry.is_file  ? syntax::ParseMode::kScript
                                                      : entry.is_use ? syntax::ParseMode::kUse
                                                                     : syntax::ParseMode::kRepl);
  std::vector<Piece> pieces;
  std::size_t at = 0;
  for (std::size_t i = 0; i < program.body.statements.size() && i < entry.has_value.size(); ++i) {
    const ast::Stmt& stmt = program.body.statements[i];
    std::string_view between = trim(std::string_view(entry.text).substr(at, stmt.span.begin - at));
    while (between.starts_with(';')) between = trim(between.substr(1));
    at = stmt.span.end;
    if (std::find(entry.left_out.begin(), entry.left_out.end(), i) != entry.left_out.end()) continue;
    Piece piece{std::string(between),
                (entry.is_use ? "use " : "") + std::string(stmt.span.text()),
                {},
                entry.has_value[i],
                false};
    if (const auto* fn = stmt.as<ast::FnStmt>()) piece.declares = fn->name.name.str();
    if (const auto* model = stmt.as<ast::ModelStmt>()) piece.declares = model->name.name.str();
    piece.mentions_last = mentions_last_value(piece.text);
    pieces.push_back(std::move(piece));
  }
  return pieces;
}

}  // namespace

std::string script_of(const std::vector<Entry>& entries) {
  std::vector<Piece> pieces;
  std::map<std::string, std::size_t> last_declared;
  for (const Entry& entry : entries) {
    for (Piece& piece : pieces_of(entry)) {
      if (!piece.declares.empty()) last_declared[piece.declares] = pieces.size();
      pieces.push_back(std::move(piece));
    }
  }
  std::string script;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const Piece& piece = pieces[i];
    if (!piece.declares.empty() && last_declared[piece.declares] != i) continue;
    if (!piece.before.empty()) script += piece.before + "\n";
    if (!piece.has_value) {
      script += piece.text + "\n";
      continue;
    }
    bool is_used = false;  // before another value replaces `_`
    for (std::size_t k = i + 1; k < pieces.size() && !is_used; ++k) {
      is_used = pieces[k].mentions_last;
      if (pieces[k].has_value) break;
    }
    script += is_used ? "let _ = " + piece.text + "\nprint(_)\n" : "print(" + piece.text + ")\n";
  }
  return script;
}

}  // namespace mtf::session
