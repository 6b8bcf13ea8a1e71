#include "tool/site/program_html.h"

#include <fmt/format.h>

#include <vector>

#include "eval/value_type.h"
#include "session/parts_of_text.h"
#include "support/text.h"
#include "syntax/parse.h"
#include "tool/present/picture.h"

namespace mtf::tool {
namespace {

/// Returns the types of a name, one a line; nothing for a part that is no name of a value.
std::string types_of(const eval::SpanInfo* info, const syntax::Token& token) {
  if (info == nullptr || !(info->span.begin == token.span.begin && info->span.end == token.span.end)) return {};
  std::string out;
  for (const eval::ValueType& type : info->types) out += (out.empty() ? "" : "\n") + to_string(type);
  return out.empty() ? out : std::string(token.span.text()) + ": " + out;
}

const char* class_of(const syntax::Token& token, bool is_output) {
  switch (token.kind) {
    case syntax::TokenClass::kWord: return "w";
    case syntax::TokenClass::kNumber: return "n";
    case syntax::TokenClass::kString: return "s";
    case syntax::TokenClass::kComment: return is_output ? "o" : "r";
    default: return nullptr;
  }
}

}  // namespace

std::string program_html(const std::string& file, const std::string& text, const KnownAddresses& known) {
  const std::string name = file.empty() ? "<program>" : file;
  session::CheckedText checked;
  Diagnostics unread;
  unread.attempt([&] { checked = session::checked_text(name, text, eval::Settings()); });
  std::string out = "<pre class=\"program\">";
  std::size_t done = 0;
  std::string before, last;  // the texts of the two tokens before
  const std::shared_ptr<const SourceFile> source = SourceFile::create(name, text);
  for (const syntax::Token& token : syntax::tokenize(source)) {
    if (token.span.begin < done || token.span.end <= token.span.begin) continue;
    out += xml_text(std::string_view(text).substr(done, token.span.begin - done));
    done = token.span.end;
    const std::string words(token.span.text()), html = xml_text(words);
    if (token.kind == syntax::TokenClass::kName) {
      const eval::SpanInfo* const info = checked.parts.at(name, token.span.begin);
      const std::string types = types_of(info, token);
      const bool is_own = info != nullptr && info->definition.is_known() && info->definition.file->name() == name;
      const auto address = known.find(last == "." ? before + "." + words : words);
      const bool is_link = address != known.end() && !is_own && (last != "." || !before.empty());
      const std::string type = types.empty() ? "" : fmt::format(" data-type=\"{}\"", xml_text(types));
      if (is_link)
        out += fmt::format("<a class=\"{}\" href=\"{}\"{}>{}</a>", type.empty() ? "k" : "k t", address->second, type,
                           html);
      else if (!type.empty()) out += fmt::format("<span class=\"t\" tabindex=\"0\"{}>{}</span>", type, html);
      else out += html;
    } else {
      const char* const kind = class_of(token, words.starts_with("#>") || words.starts_with("#!"));
      out += kind == nullptr ? html : fmt::format("<span class=\"{}\">{}</span>", kind, html);
    }
    before = last;
    last = words;
  }
  return out + xml_text(std::string_view(text).substr(done)) + "</pre>\n";
}

}  // namespace mtf::tool
