#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/source.h"

namespace mtf {

// A change of a program: what stands at `span` becomes `text`; at an empty span the text is put in. Keeps its file
// alive.
struct Edit {
  Edit(Span where, std::string what);
  Span span;
  std::string text;
  std::shared_ptr<const SourceFile> file;
};

// The text of the file in which all of the edits are, once they have been made. They do not overlap; of those at one
// place the first comes first.
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

// Where a statement can be put before the one that stands at `span`: the first word on its line.
Span before_line(Span span);

// The end of what begins at `begin` in a program that has been read: behind the bracket that closes the one which
// stands there. Strings and comments are passed over. The text's end if there is none.
std::size_t closing_bracket(std::string_view text, std::size_t begin);

// Where what stands before the dot of `x.word` begins, of which `word` is the place: a name with its parts, calls and
// indices. Nowhere if it is something else.
Span object_of(Span word);

// What stands between the commas of `text`, each without blanks around it: the arguments of a call.
std::vector<std::string> between_commas(std::string_view text);

}  // namespace mtf
