#include "tool/lsp/answers.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "api/records.h"
#include "session/help.h"
#include "session/plan_tree.h"
#include "support/text.h"
#include "syntax/parse.h"
#include "syntax/signature.h"
#include "syntax/walk.h"
#include "tool/present/plan_text.h"
#include "tool/present/report.h"

namespace mtf::tool {
namespace {

constexpr std::string_view kFileScheme = "file://";

bool is_word_byte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}
bool is_name_token(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), is_word_byte);
}

/// The smallest part at a byte. A cursor behind a name is at the name.
const eval::SpanInfo* part_at(const Known& known, std::size_t offset) {
  const std::string& text = known.now.text();
  const bool is_behind =
      offset > 0 && is_word_byte(text[offset - 1]) && (offset == text.size() || !is_word_byte(text[offset]));
  const std::size_t then = known.earlier.then(is_behind ? offset - 1 : offset);
  return then == EarlierText::npos ? nullptr : known.facts.checked.parts.at(known.facts.name, then);
}

/// A range of the facts' text in the text as it is now; null where that has changed.
LspJson range_now(const Known& known, std::size_t begin, std::size_t end) {
  const std::size_t from = known.earlier.now(begin), to = known.earlier.now(end);
  if (from == EarlierText::npos || to == EarlierText::npos || from > to) return nullptr;
  return range_of(known.now, from, to);
}

LspJson location_of(const std::string& file, const PlaceRecord& place) {
  const auto at = [](std::size_t line, std::size_t column) {
    return LspJson{{"line", line > 0 ? line - 1 : 0}, {"character", column > 0 ? column - 1 : 0}};
  };
  return {{"uri", uri_of_path(file)},
          {"range", {{"start", at(place.line, place.column)}, {"end", at(place.end_line, place.end_column)}}}};
}

bool is_file(const std::string& name) { return name.starts_with('/'); }

// ---- what is written about a name -----------------------------------------------------------------------------------

/// Calls `visit` with each statement, inner ones behind the statement that they stand in.
void each_statement(const ast::Block& block, const std::function<void(const ast::Stmt&)>& visit) {
  for (const ast::Stmt& statement : block.statements) {
    visit(statement);
    if (const auto* fn = statement.as<ast::FnStmt>(); fn && std::holds_alternative<ast::Block>(fn->body))
      each_statement(std::get<ast::Block>(fn->body), visit);
    if (const auto* model = statement.as<ast::ModelStmt>()) each_statement(model->body, visit);
    if (const auto* loop = statement.as<ast::ForStmt>()) each_statement(loop->body, visit);
    if (const auto* loop = statement.as<ast::WhileStmt>()) each_statement(loop->body, visit);
    if (const auto* with = statement.as<ast::WithStmt>()) each_statement(with->body, visit);
    if (const auto* quiet = statement.as<ast::NoGradStmt>()) each_statement(quiet->body, visit);
    if (const auto* choice = statement.as<ast::IfStmt>()) {
      for (const ast::IfStmt::Branch& branch : choice->branches) each_statement(branch.body, visit);
      if (choice->otherwise) each_statement(*choice->otherwise, visit);
    }
  }
}

std::string code_block(const std::string& code) { return "```mtf\n" + code + "\n```\n"; }

/// The signature and the `##` lines of a function or model of the document.
std::string declared_at(const Known& known, Span definition) {
  std::string text;
  each_statement(known.facts.checked.program->body, [&](const ast::Stmt& statement) {
    const auto add = [&](const ast::Ident& name, const std::shared_ptr<const syntax::Signature>& signature) {
      if (name.span.begin != definition.begin || !signature) return;
      text = code_block(signature->text) + statement.doc;
    };
    if (const auto* fn = statement.as<ast::FnStmt>()) add(fn->name, fn->signature);
    if (const auto* model = statement.as<ast::ModelStmt>()) add(model->name, model->signature);
  });
  return text;
}

/// What the reference says of a name as it is written: `nn.Dense`.
std::string reference_of(const Known& known, std::string_view written) {
  std::string text;
  for (const session::HelpTopic& topic : session::help_on(std::string(written), known.library)) {
    if (topic.kind == session::HelpTopic::Kind::kForeign || topic.kind == session::HelpTopic::Kind::kDiagnostic)
      continue;
    text += code_block(topic.title) + topic.doc + "\n";
  }
  return text;
}

/// `64 × 32 f32 on each processor, 8.0 KiB`
std::string block_text(const eval::LaidOut& tensor) {
  return fmt::format("{} on each of {}", bytes_text(eval::bytes_of_block(tensor)),
                     count_text(tensor.mesh->size(), "processor"));
}

std::string cost_text(std::int64_t flops, std::int64_t collectives, std::int64_t bytes) {
  std::string text = count_text(flops, "flop");
  if (collectives > 0) text += fmt::format(", {} of {}", count_text(collectives, "collective"), bytes_text(bytes));
  return text;
}

/// `all_reduce over rows: 200 × 4.0 KiB`, or what all calls send if they send different amounts.
std::string traffic_text(const LineTraffic& traffic) {
  const std::string bytes =
      traffic.least_bytes == traffic.most_bytes
          ? (traffic.calls == 1 ? "" : thousands(traffic.calls) + " × ") + bytes_text(traffic.most_bytes)
          : fmt::format("{} in {} calls", bytes_text(traffic.wire_bytes), thousands(traffic.calls));
  return fmt::format("{}: {}{}", traffic.what, bytes, traffic.is_per_turn ? " per iteration" : "");
}

std::string figures_text(const StatementFigures& figures) {
  const std::string text = cost_text(figures.flops, figures.collectives, figures.wire_bytes);
  if (figures.turns == 1) return text;
  const std::string turns =
      figures.turns == 0 ? text + " per iteration" : count_text(figures.turns, "iteration") + " × (" + text + ")";
  return figures.variants == 1 ? turns : fmt::format("{}, in {} variants", turns, figures.variants);
}

/// Where the name of a part is bound: the part itself where it binds one.
Span binding_of(const eval::SpanInfo& part) {
  if (part.definition.is_known()) return part.definition;
  return part.binds ? part.span : Span();
}

using Range = std::pair<std::size_t, std::size_t>;  ///< bytes

/// Where a name is bound and used. A check knows the places that it evaluates. Where the document binds the name once,
/// the others are its too: in layouts, in labels, in functions that nothing calls; but no members behind a dot.
std::set<Range> variables_below(const DocumentFacts& facts, Span binding) {
  std::set<Range> places;
  if (binding.file->name() == facts.name) places.emplace(binding.begin, binding.end);
  std::map<std::size_t, bool> known;  // by where a name begins: it is this one
  for (const eval::SpanInfo& part : facts.checked.parts.of(facts.name)) {
    const Span bound = binding_of(part);
    if (!bound.is_known() || part.span.text() != binding.text()) continue;
    known[part.span.begin] = bound == binding;
    if (bound == binding) places.emplace(part.span.begin, part.span.end);
  }
  if (std::any_of(known.begin(), known.end(), [](const auto& each) { return !each.second; })) return places;
  const std::string& text = facts.text.text();
  for (const syntax::Token& token : syntax::tokenize(SourceFile::create(facts.name, text)))
    if (token.kind == syntax::TokenClass::kName && token.span.text() == binding.text() &&
        (token.span.begin == 0 || text[token.span.begin - 1] != '.'))
      places.emplace(token.span.begin, token.span.end);
  return places;
}

// ---- symbols --------------------------------------------------------------------------------------------------------

enum SymbolKind { kModuleSymbol = 2, kClass = 5, kFunction = 12, kVariable = 13, kConstant = 14, kObject = 19 };

SymbolKind kind_of(const ast::Stmt& statement) {
  if (statement.as<ast::FnStmt>()) return kFunction;
  if (statement.as<ast::ModelStmt>()) return kClass;
  if (statement.as<ast::ImportStmt>()) return kModuleSymbol;
  if (statement.as<ast::DimStmt>() || statement.as<ast::OptionStmt>() || statement.as<ast::SettingStmt>())
    return kConstant;
  if (statement.as<ast::MeshStmt>() || statement.as<ast::LayoutStmt>()) return kObject;
  return kVariable;
}

LspJson symbols_of(const Known& known, const ast::Block& block) {
  LspJson symbols = LspJson::array();
  for (const ast::Stmt& statement : block.statements) {
    const LspJson range = range_now(known, statement.span.begin, statement.span.end);
    if (range.is_null()) continue;
    for (const ast::Ident& name : ast::names_bound_by(statement)) {
      const LspJson own = range_now(known, name.span.begin, name.span.end);
      if (own.is_null()) continue;
      LspJson symbol{
          {"name", name.name.str()}, {"kind", kind_of(statement)}, {"range", range}, {"selectionRange", own}};
      if (const auto* model = statement.as<ast::ModelStmt>()) symbol["children"] = symbols_of(known, model->body);
      symbols.push_back(std::move(symbol));
    }
  }
  return symbols;
}

// ---- tokens ---------------------------------------------------------------------------------------------------------

constexpr std::array<std::string_view, 10> kTokenTypes = {"keyword",  "number",   "string", "comment",   "operator",
                                                          "variable", "function", "class",  "namespace", "type"};
enum TokenType : std::size_t {
  kKeywordToken,
  kNumberToken,
  kStringToken,
  kCommentToken,
  kOperatorToken,
  kVariableToken,
  kFunctionToken,
  kClassToken,
  kNamespaceToken,
  kTypeToken
};

TokenType type_of_name(const eval::SpanInfo* part) {
  if (part == nullptr || part->types.empty()) return kVariableToken;
  switch (part->types.front().kind) {
    case eval::ValueType::Kind::kFunction:
    case eval::ValueType::Kind::kOperation: return kFunctionToken;
    case eval::ValueType::Kind::kModel: return kClassToken;
    case eval::ValueType::Kind::kModule: return kNamespaceToken;
    case eval::ValueType::Kind::kDim: return kTypeToken;
    default: return kVariableToken;
  }
}

std::optional<TokenType> type_of(const Known& known, const syntax::Token& token) {
  switch (token.kind) {
    case syntax::TokenClass::kWord: return kKeywordToken;
    case syntax::TokenClass::kNumber: return kNumberToken;
    case syntax::TokenClass::kString: return kStringToken;
    case syntax::TokenClass::kComment: return kCommentToken;
    case syntax::TokenClass::kOperator: return kOperatorToken;
    case syntax::TokenClass::kName: return type_of_name(part_at(known, token.span.begin));
    default: return std::nullopt;
  }
}

}  // namespace

// ---- positions and files --------------------------------------------------------------------------------------------

LspJson json_of(const EditorPosition& position) { return {{"line", position.line}, {"character", position.character}}; }

EditorPosition position_of(const LspJson& json) {
  return {json.at("line").get<std::size_t>(), json.at("character").get<std::size_t>()};
}

LspJson range_of(const TextDocument& text, std::size_t begin, std::size_t end) {
  return {{"start", json_of(text.position(begin))}, {"end", json_of(text.position(end))}};
}

std::string uri_of_path(const std::string& path) { return std::string(kFileScheme) + uri_path(path); }

std::string path_of_uri(const std::string& uri) {
  if (!uri.starts_with(kFileScheme)) return uri;
  std::string path;
  for (std::size_t i = kFileScheme.size(); i < uri.size(); ++i) {
    unsigned byte = 0;
    const char* hex = uri.data() + i + 1;
    if (uri[i] == '%' && i + 2 < uri.size() && std::from_chars(hex, hex + 2, byte, 16).ptr == hex + 2) {
      path += static_cast<char>(byte);
      i += 2;
    } else {
      path += uri[i];
    }
  }
  return path;
}

// ---- answers --------------------------------------------------------------------------------------------------------

LspJson diagnostics_in(const DocumentFacts& facts) {
  LspJson list = LspJson::array();
  for (const Diagnostic& diagnostic : facts.checked.found.list()) {
    const DiagnosticRecord record = diagnostic_record(diagnostic);
    Span here;  // the first place in this document: a fault inside a library shows the call
    for (const LabeledSpan& place : diagnostic.places())
      if (!here.is_known() && place.span.is_known() && place.span.file->name() == facts.name) here = place.span;
    std::string message = record.message;
    if (!record.found.empty()) message += "\n" + record.found;
    for (const std::string& note : record.notes) message += "\n" + note;
    for (const std::string& help : record.helps) message += "\nhelp: " + help;
    LspJson json{{"range", range_of(facts.text, here.begin, std::max(here.end, here.begin))},
                 {"severity", record.is_error ? 1 : 2},
                 {"code", record.kind},
                 {"source", "mtf"},
                 {"message", std::move(message)}};
    LspJson related = LspJson::array();
    for (const DiagnosticRecord::Related& place : record.related)
      if (is_file(place.place.file))
        related.push_back({{"location", location_of(place.place.file, place.place)}, {"message", place.text}});
    if (!related.empty()) json["relatedInformation"] = std::move(related);
    list.push_back(std::move(json));
  }
  return list;
}

LspJson quick_fixes(const Known& known, std::size_t begin, std::size_t end) {
  LspJson actions = LspJson::array();
  for (const Diagnostic& diagnostic : known.facts.checked.found.list()) {
    const Span span = diagnostic.span();
    if (!span.is_known() || span.file->name() != known.facts.name) continue;
    if (const std::size_t from = known.earlier.now(span.begin), to = known.earlier.now(span.end);
        from > end || to < begin)
      continue;
    for (const Help& help : diagnostic.fixes()) {
      LspJson edits = LspJson::array();
      for (const mtf::Edit& edit : help.edits)
        edits.push_back({{"range", range_now(known, edit.span.begin, edit.span.end)}, {"newText", edit.text}});
      const bool fits =
          std::none_of(edits.begin(), edits.end(), [](const LspJson& edit) { return edit["range"].is_null(); });
      const bool is_here = std::all_of(help.edits.begin(), help.edits.end(), [&](const mtf::Edit& edit) {
        return edit.span.file->name() == known.facts.name;
      });
      if (fits && is_here)
        actions.push_back({{"title", help.text}, {"kind", "quickfix"}, {"edit", {{"changes", {{known.uri, edits}}}}}});
    }
  }
  return actions;
}

LspJson hover_at(const Known& known, std::size_t offset) {
  const eval::SpanInfo* part = part_at(known, offset);
  if (part == nullptr) return nullptr;
  const std::string written(known.facts.text.text().substr(part->span.begin, part->span.end - part->span.begin));
  const bool is_name = is_name_token(written);
  std::string text;
  for (const eval::ValueType& type : part->types) {
    const std::string described = to_string(type);
    text += code_block(is_name ? written + ": " + described : described);
    if (const eval::LaidOut* tensor = type.tensor()) text += block_text(*tensor) + "\n\n";
  }
  if (part->has_cost) text += cost_text(part->flops, part->collectives, part->bytes) + "\n\n";
  if (const Span binding = binding_of(*part); binding.is_known() && binding.file->name() == known.facts.name)
    text += declared_at(known, binding);
  else if (!part->types.empty() &&
           (part->types.front().is_callable() || part->types.front().kind == eval::ValueType::Kind::kModule))
    text += reference_of(known, written);
  if (text.empty()) return nullptr;
  return {{"contents", {{"kind", "markdown"}, {"value", text}}},
          {"range", range_now(known, part->span.begin, part->span.end)}};
}

LspJson definition_of(const Known& known, std::size_t offset) {
  const eval::SpanInfo* part = part_at(known, offset);
  if (part == nullptr) return nullptr;
  const Span binding = binding_of(*part);
  if (!binding.is_known() || (binding.file->name() != known.facts.name && !is_file(binding.file->name())))
    return nullptr;
  if (binding.file->name() != known.facts.name) {
    const TextDocument other(binding.file->text());
    return {{"uri", uri_of_path(binding.file->name())}, {"range", range_of(other, binding.begin, binding.end)}};
  }
  const LspJson range = range_now(known, binding.begin, binding.end);
  return range.is_null() ? LspJson() : LspJson{{"uri", known.uri}, {"range", range}};
}

LspJson references_to(const Known& known, std::size_t offset, bool with_definition) {
  LspJson ranges = LspJson::array();
  const eval::SpanInfo* part = part_at(known, offset);
  const Span binding = part ? binding_of(*part) : Span();
  if (!binding.is_known()) return ranges;
  for (const Range& place : variables_below(known.facts, binding)) {
    if (place == Range{binding.begin, binding.end} && !with_definition) continue;
    if (LspJson range = range_now(known, place.first, place.second); !range.is_null())
      ranges.push_back(std::move(range));
  }
  return ranges;
}

LspJson inlay_hints(const Known& known, std::size_t begin, std::size_t end) {
  LspJson hints = LspJson::array();
  for (const eval::SpanInfo& part : known.facts.checked.parts.of(known.facts.name)) {
    if (!part.binds || part.types.size() != 1 || part.types.front().tensor() == nullptr) continue;
    const std::size_t at = known.earlier.now(part.span.end);
    if (at == EarlierText::npos || at < begin || at > end) continue;
    const std::string type = to_string(part.types.front());
    const std::size_t next = known.now.text().find_first_not_of(" \t", at);
    LspJson hint{{"position", json_of(known.now.position(at))}, {"kind", 1}};
    // Before a declared type, the type of the value has no colon of its own.
    if (next != std::string::npos && known.now.text()[next] == ':') {
      hint["label"] = type;
      hint["paddingLeft"] = true;
    } else {
      hint["label"] = ": " + type;
    }
    hints.push_back(std::move(hint));
  }
  for (const auto& [line, traffic] : known.facts.traffic) {
    const std::size_t at = known.earlier.now(known.facts.text.line_end(line));
    if (at == EarlierText::npos || at < begin || at > end) continue;
    std::vector<std::string> texts;
    for (const LineTraffic& each : traffic) texts.push_back(traffic_text(each));
    hints.push_back(
        {{"position", json_of(known.now.position(at))}, {"label", join(texts, "; ")}, {"paddingLeft", true}});
  }
  return hints;
}

LspJson code_lenses(const Known& known) {
  LspJson lenses = LspJson::array();
  for (const StatementFigures& figures : known.facts.statements) {
    const LspJson range = range_now(known, figures.begin, figures.begin);
    if (range.is_null()) continue;
    lenses.push_back({{"range", range}, {"command", {{"title", figures_text(figures)}, {"command", ""}}}});
  }
  return lenses;
}

LspJson symbols_in(const Known& known) { return symbols_of(known, known.facts.checked.program->body); }

LspJson folding_ranges(const Known& known) {
  LspJson ranges = LspJson::array();
  each_statement(known.facts.checked.program->body, [&](const ast::Stmt& statement) {
    const std::size_t begin = known.earlier.now(statement.span.begin), end = known.earlier.now(statement.span.end);
    if (begin == EarlierText::npos || end == EarlierText::npos) return;
    const std::size_t first = known.now.position(begin).line, last = known.now.position(end).line;
    if (last > first) ranges.push_back({{"startLine", first}, {"endLine", last}});
  });
  return ranges;
}

LspJson token_types() { return kTokenTypes; }

LspJson semantic_tokens(const Known& known) {
  LspJson data = LspJson::array();
  EditorPosition before;
  for (const syntax::Token& token : syntax::tokenize(SourceFile::create(known.facts.name, known.now.text()))) {
    const std::optional<TokenType> type = type_of(known, token);
    const EditorPosition begin = known.now.position(token.span.begin), end = known.now.position(token.span.end);
    if (!type || end.line != begin.line) continue;
    data.push_back(begin.line - before.line);
    data.push_back(begin.line == before.line ? begin.character - before.character : begin.character);
    data.push_back(end.character - begin.character);
    data.push_back(static_cast<std::size_t>(*type));
    data.push_back(0);
    before = begin;
  }
  return {{"data", std::move(data)}};
}

LspJson report_on(const DocumentFacts& facts) {
  if (!facts.has_costs) return nullptr;
  PlanTree tree;
  PlanTotals totals;
  for (const eval::StatementReport& report : facts.costs.statements) {
    tree.add(report);
    totals.add(report);
  }
  PlanSummary summary{totals.counters(), {}, {}, totals.doubts(), {}, {}};
  summary.counters.processors = facts.costs.counters.processors;
  summary.counters.peak_bytes = facts.costs.counters.peak_bytes;
  return {{"html", html_report({facts.name, facts.text.text(), summary_text(summary), &tree, {}, {}, {}})}};
}

}  // namespace mtf::tool
