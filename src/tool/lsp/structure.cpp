#include "tool/lsp/structure.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "support/text.h"
#include "syntax/walk.h"

namespace mtf::tool {
namespace {

/// Calls a function with each statement.
class StatementWalk : public ast::Walk {
 public:
  explicit StatementWalk(const std::function<void(const ast::Stmt&)>& visit) : visit_(visit) {}
  void statement(const ast::Stmt& stmt) override {
    visit_(stmt);
    Walk::statement(stmt);
  }

 private:
  const std::function<void(const ast::Stmt&)>& visit_;
};

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

// ---- who calls whom -------------------------------------------------------------------------------------------------

/// A function or model that the document declares.
struct Callable {
  Span name, whole;
  SymbolKind kind;
};

std::vector<Callable> callables_in(const DocumentFacts& facts) {
  std::vector<Callable> found;
  each_statement(facts.checked.program->body, [&](const ast::Stmt& statement) {
    if (const auto* fn = statement.as<ast::FnStmt>()) found.push_back({fn->name.span, statement.span, kFunction});
    if (const auto* model = statement.as<ast::ModelStmt>()) found.push_back({model->name.span, statement.span, kClass});
  });
  return found;
}

/// The innermost one around a byte; null: the byte is of the script itself.
const Callable* around(const std::vector<Callable>& callables, std::size_t at) {
  const Callable* innermost = nullptr;
  for (const Callable& each : callables)  // outer ones come first
    if (each.whole.begin <= at && at < each.whole.end) innermost = &each;
  return innermost;
}

/// An item of a call hierarchy; null where it has been edited.
LspJson item_of(const Known& known, const Callable* callable) {
  if (!callable) {
    const LspJson start = range_of(known.now, 0, 0);
    return {{"name", known.uri.substr(known.uri.rfind('/') + 1)},
            {"kind", kModuleSymbol},
            {"uri", known.uri},
            {"range", start},
            {"selectionRange", start}};
  }
  const LspJson own = range_now(known, callable->name.begin, callable->name.end),
                whole = range_now(known, callable->whole.begin, callable->whole.end);
  if (own.is_null() || whole.is_null()) return nullptr;
  return {{"name", callable->name.text()},
          {"kind", callable->kind},
          {"uri", known.uri},
          {"range", whole},
          {"selectionRange", own}};
}

/// The declared one whose name is bound or used at a byte.
const Callable* named_at(const Known& known, const std::vector<Callable>& callables, std::size_t offset) {
  const eval::SpanInfo* part = part_at(known, offset);
  const Span binding = part ? binding_of(*part) : Span();
  const std::size_t then = known.earlier.then(offset);
  for (const Callable& each : callables)
    if ((binding.is_known() && binding == each.name) || (each.name.begin <= then && then <= each.name.end))
      return &each;
  return nullptr;
}

/// Calls of one callable inside another, as ranges of the text.
using Calls = std::map<const Callable*, LspJson>;
void add_call(const Known& known, Calls& calls, const Callable* key, std::size_t begin, std::size_t end) {
  if (LspJson range = range_now(known, begin, end); !range.is_null()) {
    LspJson& ranges = calls[key];
    if (ranges.is_null()) ranges = LspJson::array();
    ranges.push_back(std::move(range));
  }
}
LspJson list_of(const Known& known, const Calls& calls, const char* key) {
  LspJson list = LspJson::array();
  for (const auto& [other, ranges] : calls)
    if (LspJson item = item_of(known, other); !item.is_null())
      list.push_back({{key, std::move(item)}, {"fromRanges", ranges}});
  return list;
}

}  // namespace

void each_statement(const ast::Stmt& statement, const std::function<void(const ast::Stmt&)>& visit) {
  StatementWalk(visit).statement(statement);
}
void each_statement(const ast::Block& block, const std::function<void(const ast::Stmt&)>& visit) {
  for (const ast::Stmt& statement : block.statements) each_statement(statement, visit);
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

LspJson selection_range(const Known& known, std::size_t offset) {
  const std::size_t then = known.earlier.then(offset);
  std::vector<std::pair<std::size_t, std::size_t>> around;
  const auto add = [&](const Span& span) {
    if (span.begin <= then && then <= span.end) around.emplace_back(span.begin, span.end);
  };
  for (const eval::SpanInfo& part : known.facts.checked.parts.of(known.facts.name)) add(part.span);
  each_statement(known.facts.checked.program->body, [&](const ast::Stmt& statement) { add(statement.span); });
  const auto size = [](const auto& range) { return range.second - range.first; };
  std::sort(around.begin(), around.end(), [&](const auto& a, const auto& b) { return size(a) > size(b); });
  LspJson chain{{"range", range_of(known.now, 0, known.now.text().size())}};
  std::pair<std::size_t, std::size_t> outer{0, known.facts.text.text().size()};
  for (const auto& range : around) {  // each one inside the one before
    if (range == outer || range.first < outer.first || range.second > outer.second) continue;
    LspJson own = range_now(known, range.first, range.second);
    if (own.is_null()) continue;
    chain = {{"range", std::move(own)}, {"parent", std::move(chain)}};
    outer = range;
  }
  return chain;
}

LspJson callables_at(const Known& known, std::size_t offset) {
  const std::vector<Callable> callables = callables_in(known.facts);
  const Callable* named = named_at(known, callables, offset);
  LspJson item = named ? item_of(known, named) : LspJson();
  return item.is_null() ? LspJson() : LspJson::array({std::move(item)});
}

LspJson callers_of(const Known& known, std::size_t offset) {
  const std::vector<Callable> callables = callables_in(known.facts);
  Calls calls;
  if (const Callable* called = named_at(known, callables, offset))
    for (const auto& [begin, end] : places_of(known.facts, called->name))
      if (begin != called->name.begin) add_call(known, calls, around(callables, begin), begin, end);
  return list_of(known, calls, "from");
}

LspJson called_by(const Known& known, std::size_t offset) {
  const std::vector<Callable> callables = callables_in(known.facts);
  Calls calls;
  if (const Callable* caller = named_at(known, callables, offset))
    for (const Callable& each : callables)
      for (const auto& [begin, end] : places_of(known.facts, each.name))
        if (begin != each.name.begin && caller->whole.begin <= begin && end <= caller->whole.end)
          add_call(known, calls, &each, begin, end);
  return list_of(known, calls, "to");
}

}  // namespace mtf::tool
