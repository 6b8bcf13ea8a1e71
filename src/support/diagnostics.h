#pragma once

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "support/edit.h"
#include "support/source.h"

// A diagnostic is a message about the user's program: a registered kind, the position, the finding there, other
// relevant positions, and help. It is data. One renderer prints it:
//
//   error: two dimensions of this tensor are split over one mesh axis [axis_used_twice]
//     --> two_layer.mtf:12:18
//      |
//   12 |     let h = relu(einsum(x, w -> [batch, hidden]) + bias)
//      |                  ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ f32[batch=64, hidden=128]
//      |
//    2 | layout both = {batch -> all, hidden -> all}
//      |                ^^^^^^^^^^^^  ^^^^^^^^^^^^^ both map to all
//      = help: map one of them to another axis, or leave one out to replicate it
//
// This one is made by
//
//   Diagnostic(Kind::axis_used_twice, span, "f32[batch=64, hidden=128]")
//       .related(rule_1, "").related(rule_2, "both map to all")
//       .help("map one of them to another axis, or leave one out to replicate it")
//
// Pass it to `Diagnostics` if several can be reported together, or to `fail` to stop. The user's mistakes and our bugs
// never mix: a bug is an InternalError, thrown by MTF_CHECK.
namespace mtf {

// The exit status of `mtf`. kInterrupted is the status that a shell reports for a process ended by SIGINT.
enum class ExitCode { kSuccess = 0, kProgram = 1, kUsage = 2, kFile = 3, kLimit = 4, kBug = 5, kInterrupted = 130 };

enum class Severity { kError, kWarning };

// Every kind of diagnostic. Enumerators have the spelling of the printed kind.
enum class Kind {
#define MTF_DIAGNOSTIC(kind, family, headline) kind,
#include "support/diagnostics.def"
#undef MTF_DIAGNOSTIC
};

struct KindRecord {
  Kind kind;
  std::string_view name;      // "axis_used_twice"
  std::string_view headline;  // "two dimensions of this tensor are split over one mesh axis"
  ExitCode exit_code;         // kSuccess for a warning
  Severity severity;
};

const KindRecord& record(Kind kind);
// All kinds, in the order of diagnostics.def.
const std::vector<KindRecord>& all_kinds();

// The parts of a rendered diagnostic, for tools that show it in colours.
enum class MessagePart { kPlain, kError, kWarning, kHeadline, kMargin, kSource, kMarks, kRemark };
struct RenderedPart {
  MessagePart part = MessagePart::kPlain;
  std::string text;
};

// A position and its label. Keeps its file alive.
struct LabeledSpan {
  LabeledSpan(Span where, std::string what);
  Span span;
  std::string label;
  std::shared_ptr<const SourceFile> file;
};

class Diagnostic {
 public:
  // `label` states the found and the expected. A diagnostic without a position prints it as a note.
  Diagnostic(Kind kind, Span span, std::string label = {});

  // Adds another relevant position: the `layout` line, the `dim` line, the call. Consecutive positions on one line of a
  // file are shown together.
  Diagnostic& related(Span span, std::string label) &;
  Diagnostic&& related(Span span, std::string label) && { return std::move(related(span, std::move(label))); }
  // What to do about it; printed as `= help:`. An empty text is left out. May be called repeatedly.
  Diagnostic& help(Help what) &;
  Diagnostic&& help(Help what) && { return std::move(help(std::move(what))); }
  // A fact; printed as `= note:`.
  Diagnostic& note(std::string text) &;
  Diagnostic&& note(std::string text) && { return std::move(note(std::move(text))); }

  Kind kind() const { return kind_; }
  Span span() const { return places_.front().span; }
  const std::string& label() const { return places_.front().label; }
  // The first is the diagnostic's own position, the others are related.
  const std::vector<LabeledSpan>& places() const { return places_; }
  std::vector<std::string> helps() const;
  const std::vector<Help>& all_helps() const { return helps_; }
  // Those of the helps that have edits.
  std::vector<Help> fixes() const;
  const std::vector<std::string>& notes() const { return notes_; }
  // Settles the own names in all its texts (support/own_names.h). Done when it is collected or thrown.
  void settle();
  Severity severity() const { return record(kind_).severity; }
  ExitCode exit_code() const { return record(kind_).exit_code; }

  // The form above, ending in a line end. rendered_parts() returns the same text in parts.
  std::string render() const;
  std::vector<RenderedPart> rendered_parts() const;

 private:
  Kind kind_;
  std::vector<LabeledSpan> places_;
  std::vector<Help> helps_;
  std::vector<std::string> notes_;
};

// The user's mistake as an exception. what() is the rendered diagnostic.
class UserError : public std::exception {
 public:
  explicit UserError(Diagnostic diagnostic);
  const Diagnostic& diagnostic() const { return *diagnostic_; }
  const char* what() const noexcept override { return text_->c_str(); }

 private:
  std::shared_ptr<const Diagnostic> diagnostic_;
  std::shared_ptr<const std::string> text_;
};

// Our own bug. what() names the check and its position in our source.
class InternalError : public std::exception {
 public:
  InternalError(std::string_view file, int line, std::string_view condition, const std::string& message);
  const char* what() const noexcept override { return text_->c_str(); }
  // The message of the check, without the position.
  const std::string& message() const { return *message_; }

 private:
  std::shared_ptr<const std::string> text_, message_;
};

[[noreturn]] void fail(Diagnostic diagnostic);
[[noreturn]] void fail(Kind kind, Span span, std::string label = {});
// fail(Kind::rank_mismatch, span, "expected {} dimensions, found {}", 2, 3)
template <typename... Args>
requires(sizeof...(Args) > 0)
    [[noreturn]] void fail(Kind kind, Span span, fmt::format_string<Args...> label, Args&&... args) {
  fail(kind, span, fmt::format(label, std::forward<Args>(args)...));
}

// Collects errors and warnings, so that several independent ones are reported together. Drops repetitions of the same
// kind with the same label at the same position.
class Diagnostics {
 public:
  // Keeps at most `most` diagnostics, and drops further ones.
  explicit Diagnostics(std::size_t most = 1000) : most_(most) {}

  void add(Diagnostic diagnostic);
  // Runs `step`, and adds a UserError that it throws. Returns true if it ran to its end.
  template <typename Step>
  bool attempt(Step&& step) {
    try {
      step();
      return true;
    } catch (const UserError& error) {
      add(error.diagnostic());
      return false;
    }
  }

  bool empty() const { return list_.empty(); }
  bool has_errors() const { return error_count() > 0; }
  std::size_t error_count() const;
  const std::vector<Diagnostic>& list() const { return list_; }
  void clear() { list_.clear(); }
  // The same diagnostics. Those of one file are in the order of their positions.
  Diagnostics by_place() const;

  // The exit code of the first error, or success.
  ExitCode exit_code() const;
  // The diagnostics in the order found, separated by empty lines. At most `limit`, then the number of further ones.
  std::string render(std::size_t limit = 20) const;
  // Throws the first error, if there is one.
  void throw_first() const;

 private:
  std::size_t most_;
  std::vector<Diagnostic> list_;
};

namespace internal {
[[noreturn]] void check_failed(const char* file, int line, const char* condition, const std::string& message = {});
template <typename... Args>
requires(sizeof...(Args) > 0) [[noreturn]] void check_failed(const char* file, int line, const char* condition,
                                                             fmt::format_string<Args...> message, Args&&... args) {
  check_failed(file, line, condition, fmt::format(message, std::forward<Args>(args)...));
}
}  // namespace internal

}  // namespace mtf

// MTF_CHECK(size >= 0, "size of {} is {}", name, size): throws InternalError if the condition does not hold, which only
// a bug of ours can cause. Always on.
#define MTF_CHECK(condition, ...)                                                               \
  do {                                                                                          \
    if (!(condition)) [[unlikely]]                                                              \
      ::mtf::internal::check_failed(__FILE__, __LINE__, #condition __VA_OPT__(, ) __VA_ARGS__); \
  } while (false)
