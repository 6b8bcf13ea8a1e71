#pragma once
// Reads the texts that the stages of a program print (graph/program.h, spmd/local_program.h, schedule/schedule.h).
//
// A text consists of lines, a line of tokens: names (letters, digits, `_`, and inside them `.`, `'`, `::` and `[0]`),
// numbers, `->`, and single signs. `#` begins a comment. The caller reads token by token. An unexpected token is an
// error of the kind bad_stage_text at its position.
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
  /// Starts before the line that begins at `begin`; call next_line() first. `file` must outlive the reader.
  explicit TextReader(const SourceFile& file, size_t begin = 0) : file_(file), begin_(begin), next_(begin) {}

  /// Advances to the next line that is not empty. Returns false if there is none.
  bool next_line();
  /// Returns to the beginning of the line, which is then the next.
  void put_line_back() { next_ = begin_; }
  /// True if the line is indented more than the current text.
  bool is_indented() const;
  /// While the result lives, reads lines that are indented by two more columns.
  Restore<size_t> further_in() { return Restore<size_t>(margin_, margin_ + 2); }
  Span line() const;
  /// The beginning of the next line.
  size_t next() const { return next_; }

  /// The next token of the line, or a later one. Empty at the end of the line.
  std::string_view peek(size_t ahead = 0) const;
  bool at_end() const { return at_ == tokens_.size(); }
  void expect_end() const;
  /// The token behind the next `token` outside of brackets. Empty if there is none.
  std::string_view behind(std::string_view token) const;
  /// Takes the next token if it is `token`.
  bool take(std::string_view token);
  void expect(std::string_view token);
  /// Takes all of these words, or none.
  bool take_words(std::initializer_list<std::string_view> words);

  /// `what` describes the name in the error.
  std::string_view name(std::string_view what);
  /// The name of a dim, which may be an own name: `half`, `rotary::half`.
  Name dim_name(std::string_view what = "the name of a dim");
  bool is_name() const;
  bool is_number() const;
  double number();
  int64_t integer(int64_t least, int64_t most);
  /// Advances to the token that closes the current bracket.
  void skip_to_closing();

  /// The span of the next token.
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
  size_t margin_ = 0;    ///< the indentation of lines
  size_t begin_, next_;  ///< of the line, and of the following one
  std::vector<std::string_view> tokens_;
  size_t at_ = 0;
};

/// The shortest text of a number that is read back exactly. Infinity and NaN are `+inf`, `-inf` and `+nan`, which are
/// no names.
std::string number_text(double number);

/// Makes the names unique. A repeated name gets a number, as in `x`, `x'2`, `x'3`. A number that it already has is
/// replaced.
std::vector<std::string> told_apart(std::vector<std::string> names);
/// `x` for `x'2`.
std::string_view without_number(std::string_view name);

}  // namespace mtf
