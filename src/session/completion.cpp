#include "session/completion.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string_view>
#include <utility>

#include "eval/modules.h"
#include "session/documentation.h"
#include "session/session.h"
#include "support/source.h"
#include "support/text.h"
#include "syntax/parse.h"

namespace mtf::session {
namespace {

// The text before the cursor, in the pieces that completion looks at.
struct TypedPlace {
  struct Piece {
    std::string_view text;
    std::size_t begin;
    syntax::TokenClass kind;
  };
  std::shared_ptr<const SourceFile> file;
  std::vector<Piece> before;      // the tokens before the word
  std::vector<std::size_t> open;  // the open brackets, as indices into `before`
  std::string word;               // with the names before its dots
  std::size_t begin = 0;          // of the word
  bool in_string = false, in_comment = false;

  std::string_view last(std::size_t back = 0) const {
    return back < before.size() ? before[before.size() - 1 - back].text : std::string_view();
  }
  std::string_view at(std::size_t index) const {
    return index < before.size() ? before[index].text : std::string_view();
  }
  /// The innermost open bracket.
  std::string_view bracket() const { return open.empty() ? std::string_view() : at(open.back()); }
  std::string_view before_bracket() const {
    return open.empty() || open.back() == 0 ? std::string_view() : at(open.back() - 1);
  }
  /// The first word of the statement.
  std::string_view statement() const;
  bool begins_statement() const;
  bool begins_item() const { return last() == "(" || last() == "[" || last() == "{" || last() == ","; }
  bool in_layout() const {
    const bool is_declared = before_bracket() == "=" || before_bracket() == ":";  // `params "*": {…}`
    return bracket() == "{" && (before_bracket() == "@" || (is_declared && statement() == "layout"));
  }
  bool in_axes() const;
  std::string callee(std::size_t bracket) const;
};

bool is_layout_bracket(const TypedPlace& place, std::size_t bracket) {
  if (place.at(bracket) != "{" || bracket == 0) return false;
  const std::string_view before = place.at(bracket - 1);
  return before == "@" || before == "=" || before == ":";
}

bool TypedPlace::in_axes() const {
  if (in_layout()) return last() == "->";
  return bracket() == "[" && before_bracket() == "->" && open.size() > 1 &&
         is_layout_bracket(*this, open[open.size() - 2]);
}

std::string_view TypedPlace::statement() const {
  std::size_t first = before.size();
  while (first > 0) {
    const Piece& piece = before[first - 1];
    if (piece.text == ";") break;
    const bool on_new_line =
        first < before.size() &&
        file->text().substr(piece.begin, before[first].begin - piece.begin).find('\n') != std::string_view::npos;
    const bool in_brackets = std::any_of(open.begin(), open.end(), [&](std::size_t bracket) {
      return bracket < first && !(at(bracket) == "{" && !is_layout_bracket(*this, bracket));
    });
    if (on_new_line && !in_brackets) break;
    --first;
  }
  return at(first);
}

bool TypedPlace::begins_statement() const {
  if (before.empty() || last() == ";" || last() == "}") return true;
  const bool in_block = open.empty() || (bracket() == "{" && !is_layout_bracket(*this, open.back()));
  if (in_block && last() == "{") return true;
  const Piece& piece = before.back();
  const bool on_new_line = file->text().substr(piece.begin, begin - piece.begin).find('\n') != std::string_view::npos;
  return in_block && on_new_line && !syntax::is_incomplete(file->text().substr(0, piece.begin + piece.text.size()));
}

// The name of the function whose arguments stand in an open bracket, such as `nn.Dense`.
std::string TypedPlace::callee(std::size_t bracket) const {
  std::string name;
  for (std::size_t i = bracket; i > 0; --i) {
    const Piece& piece = before[i - 1];
    const bool is_name = piece.kind == syntax::TokenClass::kName || piece.kind == syntax::TokenClass::kWord;
    if (name.empty() || name[0] == '.' ? !is_name : piece.text != ".") break;
    name.insert(0, piece.text);
  }
  return name;
}

TypedPlace typed_place(const std::string& text) {
  TypedPlace place;
  place.file = SourceFile::create("", text);
  for (const syntax::Token& token : syntax::tokenize(place.file)) {
    const std::string_view written = token.span.text();
    if (token.kind == syntax::TokenClass::kString && written == "\"") place.in_string = !place.in_string;
    place.in_comment = token.kind == syntax::TokenClass::kComment && token.span.end == text.size();
    if (token.kind != syntax::TokenClass::kComment)
      place.before.push_back({written, static_cast<std::size_t>(token.span.begin), token.kind});
  }
  std::vector<TypedPlace::Piece>& tokens = place.before;
  const auto is_name = [&](const TypedPlace::Piece& piece) {
    return piece.kind == syntax::TokenClass::kName || piece.kind == syntax::TokenClass::kWord;
  };
  place.begin = text.size();
  const auto ends_where_word_begins = [&] {
    return !tokens.empty() && tokens.back().begin + tokens.back().text.size() == place.begin;
  };
  const auto take = [&] {
    place.begin = tokens.back().begin;
    tokens.pop_back();
  };
  if (ends_where_word_begins() && is_name(tokens.back())) take();
  const auto ends_in = [&](std::size_t back, std::string_view text) {
    return tokens.size() > back && tokens[tokens.size() - 1 - back].text == text;
  };
  while (ends_where_word_begins() && ends_in(0, ".") && tokens.size() > 1) {
    std::size_t more = 1;  // the tokens of `[0]` and of the name before it
    while (ends_in(more, "]") && ends_in(more + 2, "[") && tokens.size() > more + 3) more += 3;
    if (!is_name(tokens[tokens.size() - 1 - more])) break;
    for (++more; more > 0; --more) take();
  }
  place.word = text.substr(place.begin);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const std::string_view piece = tokens[i].text;
    if (tokens[i].kind != syntax::TokenClass::kBracket) continue;
    if (piece == "(" || piece == "[" || piece == "{") place.open.push_back(i);
    if ((piece == ")" || piece == "]" || piece == "}") && !place.open.empty()) place.open.pop_back();
  }
  return place;
}

void add(std::vector<CouldStand>& found, const std::string& word, CouldStand could) {
  if (!std::string_view(could.text).starts_with(word)) return;
  for (const CouldStand& there : found)
    if (there.text == could.text) return;
  found.push_back(std::move(could));
}

void add_name(std::vector<CouldStand>& found, const std::string& word, const KnownName& name) {
  add(found, word, {CouldStand::Kind::kName, name.name, name});
}

void add_words(std::vector<CouldStand>& found, const std::string& word) {
  if (word.empty()) return;
  for (const std::string_view each : syntax::reserved_words())
    add(found, word, {CouldStand::Kind::kWord, std::string(each)});
}

void add_modules(std::vector<CouldStand>& found, const Session& session, const std::string& word, bool with_members) {
  for (const ModuleDoc& module : read_module_docs(session.settings().stdlib)) {
    CouldStand could{CouldStand::Kind::kModule, module.name};
    could.detail = module.doc.substr(0, module.doc.find('\n'));
    add(found, word, std::move(could));
    if (!with_members || !word.starts_with(module.name + ".")) continue;
    for (const MemberDoc& member : module.members) {
      CouldStand inside{CouldStand::Kind::kName, module.name + "." + member.name};
      inside.name.signature.text = member.signature;
      add(found, word, std::move(inside));
    }
  }
}

std::optional<KnownName> known_as(const Session& session, const std::string& name) {
  for (KnownName& known : session.known_names(name))
    if (known.name == name) return std::move(known);
  return std::nullopt;
}

// The parameter for the argument that begins behind the last of `commas`, or behind the bracket. Arguments without
// labels stand in the order of the parameters.
std::optional<std::size_t> parameter_at(const TypedPlace& place, const syntax::Signature& signature,
                                        std::size_t bracket) {
  std::size_t depth = 0, commas = 0, begin = bracket + 1;
  for (std::size_t i = begin; i < place.before.size(); ++i) {
    const std::string_view piece = place.at(i);
    if (place.before[i].kind == syntax::TokenClass::kBracket)
      piece == "(" || piece == "[" || piece == "{" ? ++depth : --depth;
    if (piece != "," || depth > 0) continue;
    ++commas;
    begin = i + 1;
  }
  const std::vector<syntax::Parameter>& parameters = signature.parameters;
  std::size_t index = commas;
  if (place.at(begin + 1) == ":") index = signature.place_of(Name(std::string(place.at(begin))));
  else if (!parameters.empty() && parameters.back().is_variadic) index = std::min(index, parameters.size() - 1);
  return index < parameters.size() ? std::optional(index) : std::nullopt;
}

}  // namespace

std::optional<OpenCall> open_call(const Session& session, const std::string& text, std::size_t at) {
  const TypedPlace place = typed_place(text.substr(0, at));
  if (place.in_comment) return std::nullopt;
  for (auto bracket = place.open.rbegin(); bracket != place.open.rend(); ++bracket) {
    if (place.at(*bracket) != "(") continue;
    std::optional<KnownName> called = known_as(session, place.callee(*bracket));
    if (!called || called->signature.text.empty()) continue;
    const std::optional<std::size_t> parameter = parameter_at(place, called->signature, *bracket);
    return OpenCall{std::move(*called), parameter};
  }
  return std::nullopt;
}

std::vector<CouldStand> files_that_begin(const std::string& path) {
  const std::size_t slash = path.rfind('/') + 1;  // npos + 1 is 0
  std::vector<CouldStand> found;
  std::error_code error;
  const std::string folder = slash == 0 ? "." : path.substr(0, slash);
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name[0] == '.' && path.size() == slash) continue;
    const bool is_folder = entry.is_directory(error);
    add(found, path.substr(slash),
        {is_folder ? CouldStand::Kind::kFolder : CouldStand::Kind::kFile, is_folder ? name + "/" : name});
  }
  std::sort(found.begin(), found.end(), [](const CouldStand& a, const CouldStand& b) { return a.text < b.text; });
  return found;
}

std::vector<CouldStand> could_be_explained(const Session& session, const std::string& begun) {
  std::vector<CouldStand> found;
  for (const KnownName& name : session.known_names(begun))
    if (name.type.is_callable()) add_name(found, begun, name);
  add_modules(found, session, begun, true);
  return found;
}

Completion complete(const Session& session, const std::string& text, std::size_t at) {
  const std::string before = text.substr(0, at);
  const TypedPlace place = typed_place(before);
  if (place.in_comment) return {at, {}};
  if (place.in_string) {
    const std::string path = before.substr(before.rfind('"') + 1);
    return {at - (path.size() - (path.rfind('/') + 1)), files_that_begin(path)};
  }
  Completion completion{place.begin, {}};
  std::vector<CouldStand>& found = completion.could;
  const std::vector<KnownName> names = session.known_names(place.word);
  const auto add_names = [&](bool only_dims) {
    for (const KnownName& name : names)
      if (!only_dims || name.type.dim()) add_name(found, place.word, name);
  };
  if (place.word.find('.') != std::string::npos) {
    add_names(false);
    return completion;
  }
  if (place.statement() == "import" && (place.last() == "import" || place.last() == ",")) {
    add_modules(found, session, place.word, false);
    return completion;
  }
  if (place.in_axes()) {
    for (const Axis& axis : session.axes()) {
      CouldStand could{CouldStand::Kind::kAxis, axis.name.str()};
      could.axis = axis;
      add(found, place.word, std::move(could));
    }
    return completion;
  }
  const bool wants_dims = (place.bracket() == "[" && place.begins_item()) ||
                          (place.in_layout() && place.begins_item()) ||
                          (place.last() == ":" && place.last(1) == "over");
  if (wants_dims) add_names(true);
  if (!found.empty() || place.in_layout()) return completion;
  if (place.bracket() == "(" && place.begins_item()) {
    const std::optional<KnownName> called = known_as(session, place.callee(place.open.back()));
    for (const syntax::Parameter& parameter :
         called ? called->signature.parameters : std::vector<syntax::Parameter>()) {
      if (parameter.is_variadic) continue;
      CouldStand could{CouldStand::Kind::kLabel, parameter.name.str() + ": "};
      could.detail = parameter.text;
      add(found, place.word, std::move(could));
    }
  }
  if (place.begins_statement()) add_words(found, place.word);
  add_names(false);
  add_words(found, place.word);
  return completion;
}

}  // namespace mtf::session
