#include "tool/lsp/answers.h"

#include <algorithm>
#include <array>
#include <optional>

#include "api/records.h"
#include "session/help.h"
#include "session/plan_tree.h"
#include "support/text.h"
#include "syntax/parse.h"
#include "syntax/signature.h"
#include "syntax/walk.h"
#include "tool/lsp/structure.h"
#include "tool/present/plan_text.h"
#include "tool/present/report.h"

namespace mtf::tool {
namespace {

LspJson location_of(const std::string& file, const PlaceRecord& place) {
  const auto at = [](std::size_t line, std::size_t column) {
    return LspJson{{"line", line > 0 ? line - 1 : 0}, {"character", column > 0 ? column - 1 : 0}};
  };
  return {{"uri", uri_of_path(file)},
          {"range", {{"start", at(place.line, place.column)}, {"end", at(place.end_line, place.end_column)}}}};
}

bool is_file(const std::string& name) { return name.starts_with('/'); }

// ---- what is written about a name -----------------------------------------------------------------------------------

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
  return fmt::format("{}: {}{}", traffic.what, bytes, traffic.is_per_iteration ? " per iteration" : "");
}

/// Stands behind costs that are not those of the text, mesh and layout as they are now.
std::string mark_of_age(const Known& known) { return known.has_old_costs ? " (before the last edit)" : ""; }

std::string figures_text(const StatementFigures& figures) {
  const std::string text = cost_text(figures.flops, figures.collectives, figures.wire_bytes);
  if (figures.is_inner) return "in all " + text;
  if (figures.iterations == 1) return text;
  const std::string iterations = figures.iterations == 0
                                     ? text + " per iteration"
                                     : count_text(figures.iterations, "iteration") + " × (" + text + ")";
  return figures.variants == 1 ? iterations : fmt::format("{}, in {} variants", iterations, figures.variants);
}

/// `rows:4;cols:2`: a mesh with twice as many processors along an axis.
std::string mesh_with_twice(const Mesh& mesh, Name doubled) {
  std::vector<std::string> axes;
  for (const Axis& axis : mesh.axes())
    axes.push_back(fmt::format("{}:{}", axis.name.str(), axis.size * (axis.name == doubled ? 2 : 1)));
  return join(axes, ";");
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

LspJson other_meshes(const Known& known, std::size_t begin, std::size_t end, const ProgramOptions& options) {
  LspJson actions = LspJson::array();
  const auto offer = [&](const std::string& title, LspJson assumed) {
    actions.push_back(
        {{"title", title},
         {"kind", "refactor"},
         {"command", {{"title", title}, {"command", "mtf.assume"}, {"arguments", {std::move(assumed)}}}}});
  };
  for (const ast::Stmt& statement : known.facts.checked.program->body.statements) {
    if (known.earlier.now(statement.span.begin) > end || known.earlier.now(statement.span.end) < begin) continue;
    for (const ast::Ident& name : ast::names_bound_by(statement)) {
      const eval::SpanInfo* part = known.facts.checked.parts.at(known.facts.name, name.span.begin);
      if (!part || part->types.size() != 1) continue;
      if (const Mesh* mesh = part->types.front().mesh())
        for (const Axis& axis : mesh->axes())
          offer(fmt::format("Costs on {} {} instead of {}", 2 * axis.size, axis.name.str(), axis.size),
                {{"mesh", mesh_with_twice(*mesh, axis.name)}, {"layout", nullptr}});
      if (const Layout* layout = part->types.front().layout())
        offer(fmt::format("Costs under the layout {}", name.name.str()), {{"layout", to_string(*layout)}});
    }
  }
  if (options.mesh || options.layout)
    offer("Costs under the mesh and layout of the script", {{"mesh", nullptr}, {"layout", nullptr}});
  return actions;
}

LspJson hover_at(const Known& known, std::size_t offset) {
  const eval::SpanInfo* part = part_at(known, offset);
  if (part == nullptr) return nullptr;
  const std::string written(known.facts.text.text().substr(part->span.begin, part->span.end - part->span.begin));
  const bool is_name = is_word(written);
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
  for (const auto& place : places_of(known.facts, binding)) {
    if (place.first == binding.begin && !with_definition) continue;
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
  if (!known.facts.costs) return hints;
  const EarlierText planned(known.facts.costs->text.text(), known.now.text());
  for (const auto& [line, traffic] : known.facts.costs->traffic) {
    const std::size_t at = planned.now(known.facts.costs->text.line_end(line));
    if (at == EarlierText::npos || at < begin || at > end) continue;
    std::vector<std::string> texts;
    for (const LineTraffic& each : traffic) texts.push_back(traffic_text(each));
    hints.push_back({{"position", json_of(known.now.position(at))},
                     {"label", join(texts, "; ") + mark_of_age(known)},
                     {"paddingLeft", true}});
  }
  return hints;
}

LspJson code_lenses(const Known& known) {
  LspJson lenses = LspJson::array();
  if (!known.facts.costs) return lenses;
  const EarlierText planned(known.facts.costs->text.text(), known.now.text());
  for (const StatementFigures& figures : known.facts.costs->statements)
    if (const std::size_t at = planned.now(figures.begin); at != EarlierText::npos)
      lenses.push_back({{"range", range_of(known.now, at, at)},
                        {"command", {{"title", figures_text(figures) + mark_of_age(known)}, {"command", ""}}}});
  return lenses;
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
  if (!facts.costs) return nullptr;
  PlanTree tree;
  for (const eval::StatementReport& report : facts.costs->costs.statements) tree.add(report);
  const PlanSummary summary = summary_of(facts.costs->costs, tree);
  return {{"html", html_report({facts.name, facts.text.text(), summary_text(summary), &tree, {}, {}, {}})}};
}

}  // namespace mtf::tool
