#include "syntax/language_version.h"

#include <charconv>

#include "support/text.h"
#include "syntax/parse.h"

namespace mtf::syntax {

std::optional<Span> language_version(const SourceFile& file) {
  constexpr std::string_view kBlanks = " \t\r", kWord = "language", kDigits = "0123456789", kMark = "\xEF\xBB\xBF";
  const std::string_view text = file.text();
  std::size_t at = text.starts_with(kMark) ? kMark.size() : 0;
  const auto behind = [&](std::string_view signs) { at = std::min(text.find_first_not_of(signs, at), text.size()); };
  for (behind(" \t\r\n"); at < text.size() && text[at] == '#'; behind(" \t\r\n"))
    at = std::min(text.find('\n', at), text.size());
  if (text.substr(at, kWord.size()) != kWord) return std::nullopt;
  at += kWord.size();
  const std::size_t behind_word = at;
  behind(kBlanks);
  const std::size_t begin = at;
  behind(kDigits);
  const std::size_t end = at;
  behind(kBlanks);
  const bool ends = at == text.size() || std::string_view("\n;#").find(text[at]) != std::string_view::npos;
  if (begin == behind_word || end == begin || !ends) return std::nullopt;
  return Span{&file, static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(end)};
}

bool knows_version(Span version, Diagnostics& diagnostics) {
  const std::string_view text = version.text();
  int number = 0;
  const bool is_small = std::from_chars(text.data(), text.data() + text.size(), number).ec == std::errc();
  if (is_small && number >= 1 && number <= kLanguageVersion) return true;
  if (is_small && number < 1) {
    diagnostics.add(Diagnostic(Kind::bad_number, version, "versions of the language begin with 1"));
    return false;
  }
  const std::string known = fmt::format("language {}", kLanguageVersion);
  diagnostics.add(Diagnostic(Kind::newer_language, version,
                             fmt::format("this mtf knows the language up to version {}", kLanguageVersion))
                      .help(fmt::format("a later mtf; or {}, if the script needs nothing newer", mtf::code(known))));
  return false;
}

void mark_language(TokenList& list) { list.tokens.front().type = MtfLexer::LANGUAGE; }

}  // namespace mtf::syntax
