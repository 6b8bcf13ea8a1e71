#pragma once
// Reading the texts that the stages of a program print (graph/program.h, spmd/local_program.h, schedule/schedule.h).
//
// A text is lines, a line is tokens: names (letters, digits, `_`, and `.`, `'`, `::` and `[0]` within), numbers, `->`,
// and single signs. What stands behind `#` is a comment. Whoever reads asks token by token; what is not as expected is
// an error of the kind bad_stage_text at its place.
#include <fmt/format.h>

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "support/name.h"
#include "support/restore.h"
#include "support/source.h"

namespace mtf {

class TextReader {
 public:
  /// Reads from the line on that begins at `begin`, which is still to be asked for. `file` lives longer.
  explicit TextReader(const SourceFile& file, size_t begin = 0) : file_(file), begin_(begin), next_(begin) {}

  /// Goes to the next line that says something; false: there is none.
  bool next_line();
  /// Goes back to the beginning of the line, which is then the next.
  void put_line_back() { next_ = begin_; }
  /// The line begins further in than those of the text that is being read.
  bool is_indented() const;
  /// As long as what it returns lives, lines of a text are read that stands two columns further in.
  Restore<size_t> further_in() { return Restore<size_t>(margin_, margin_ + 2); }
  Span line() const;
  /// Where the next line begins.
  size_t next() const { return next_; }

  /// The next token of the line, or one behind it; empty at the end of the line.
  std::string_view peek(size_t ahead = 0) const;
  bool at_end() const { return at_ == tokens_.size(); }
  void expect_end() const;
  /// The token behind the first of these outside of brackets, from here on; empty if there is none.
  std::string_view behind(std::string_view token) const;
  /// Takes the next token if it is this one.
  bool take(std::string_view token);
  void expect(std::string_view token);
  /// Takes all of these, or none.
  bool take_words(std::initializer_list<std::string_view> words);

  /// `what` says what it is the name of.
  std::string_view name(std::string_view what);
  /// Of a dim, which may be an own name: `half`, `rotary::half`.
  Name dim_name(std::string_view what = "the name of a dim");
  bool is_name() const;
  bool is_number() const;
  double number();
  int64_t integer(int64_t least, int64_t most);
  /// Goes to the token that closes the bracket in which the next one stands.
  void skip_to_closing();

  /// Of the next token.
  Span place() const;
  [[noreturn]] void fail(std::string_view expected) const;
  [[noreturn]] static void fail_at(Span place, const std::string& what);
  template <typename... Args>
  requires(sizeof...(Args) > 0)
      [[noreturn]] static void fail_at(Span place, fmt::format_string<Args...> what, Args&&... args) {
    fail_at(place, fmt::format(what, std::forward<Args>(args)...));
  }

 private:
  Span span_of(std::string_view text) const;

  const SourceFile& file_;
  size_t margin_ = 0;    ///< at which lines begin
  size_t begin_, next_;  ///< of the line, of the one behind it
  std::vector<std::string_view> tokens_;
  size_t at_ = 0;
};

/// A number as it is read again: the shortest text of it. What is not finite is `+inf`, `-inf` or `+nan`, which are no
/// names.
std::string number_text(double number);

/// The same names, each once: what has a name that another before it has gets a number, `x`, `x'2`, `x'3`,
/// or if it had one, another.
std::vector<std::string> told_apart(std::vector<std::string> names);
/// `x` of `x'2`.
std::string_view without_number(std::string_view name);

}  // namespace mtf
