#include "tool/lsp/known.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "support/text.h"
#include "syntax/parse.h"

namespace mtf::tool {
namespace {

constexpr std::string_view kFileScheme = "file://";

bool is_word_byte(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || static_cast<unsigned char>(c) >= 0x80;
}

}  // namespace

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

bool is_word(std::string_view text) { return !text.empty() && std::all_of(text.begin(), text.end(), is_word_byte); }

const eval::SpanInfo* part_at(const Known& known, std::size_t offset) {
  const std::string& text = known.now.text();
  const bool is_behind =
      offset > 0 && is_word_byte(text[offset - 1]) && (offset == text.size() || !is_word_byte(text[offset]));
  const std::size_t then = known.earlier.then(is_behind ? offset - 1 : offset);
  return then == EarlierText::npos ? nullptr : known.facts.checked.parts.at(known.facts.name, then);
}

LspJson range_now(const Known& known, std::size_t begin, std::size_t end) {
  const std::size_t from = known.earlier.now(begin), to = known.earlier.now(end);
  if (from == EarlierText::npos || to == EarlierText::npos || from > to) return nullptr;
  return range_of(known.now, from, to);
}

Span binding_of(const eval::SpanInfo& part) {
  if (part.definition.is_known()) return part.definition;
  return part.binds ? part.span : Span();
}

std::set<std::pair<std::size_t, std::size_t>> places_of(const DocumentFacts& facts, Span binding) {
  std::set<std::pair<std::size_t, std::size_t>> places;
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

}  // namespace mtf::tool
