#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/source.h"

namespace mtf {

// A change of a program: `text` replaces the contents of `span`. At an empty span the text is inserted. Keeps the
// span's file alive.
struct Edit {
  Edit(Span where, std::string what);
  Span span;
  std::string text;
  std::shared_ptr<const SourceFile> file;
};

// The text of the file after the edits, which are all in that file. They do not overlap. Edits at one position are
// applied in order.
std::string edited_text(const std::vector<Edit>& edits);

// What to do about a fault: a sentence, and where it is known the edits that do it.
struct Help {
  Help(std::string sentence = {}) : text(std::move(sentence)) {}  // NOLINT: a sentence is a help
  Help(const char* sentence) : text(sentence) {}                  // NOLINT
  Help(std::string sentence, std::vector<Edit> what) : text(std::move(sentence)), edits(std::move(what)) {}
  bool empty() const { return text.empty(); }

  std::string text;
  std::vector<Edit> edits;
};

// A help that says what to write: "why: write `the line as it is after the edits`", without a reason "write `the
// line`"; of several lines the first and the last. No other help ends so, and tests try each such line in the place of
// those that the diagnostic is about. Without edits it is the reason alone.
Help help_with(std::string why, const std::vector<Edit>& edits);

// "did you mean `batch`?" of a name that stands at `span`: the closest of the candidates, put there; nothing if none is
// close.
Help did_you_mean(Span span, std::string_view name, const std::vector<std::string>& candidates);

// The position at which a statement can be inserted before the one at `span`: the first word of its line.
Span before_line(Span span);

// The end of a bracket in a valid program: the position behind the bracket that closes the one at `begin`. Skips
// strings and comments. Returns the text's end if there is none.
std::size_t closing_bracket(std::string_view text, std::size_t begin);

// The span of `x` in `x.word`, where `word` is the span of the attribute: a name with its parts, calls and indices.
// Nowhere if it is another expression.
Span object_of(Span word);

// The parts of `text` between commas, without surrounding blanks: the arguments of a call.
std::vector<std::string> between_commas(std::string_view text);

}  // namespace mtf
