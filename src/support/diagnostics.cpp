#include "support/diagnostics.h"

#include <algorithm>

#include "support/own_names.h"
#include "support/text.h"

namespace mtf {
namespace {

enum class Family { Program, Usage, File, Limit, Interrupt, Warning };

KindRecord make_record(Kind kind, std::string_view name, Family family, std::string_view headline) {
  switch (family) {
    case Family::Program: return {kind, name, headline, ExitCode::kProgram, Severity::kError};
    case Family::Usage: return {kind, name, headline, ExitCode::kUsage, Severity::kError};
    case Family::File: return {kind, name, headline, ExitCode::kFile, Severity::kError};
    case Family::Limit: return {kind, name, headline, ExitCode::kLimit, Severity::kError};
    case Family::Interrupt: return {kind, name, headline, ExitCode::kInterrupted, Severity::kError};
    case Family::Warning: break;
  }
  return {kind, name, headline, ExitCode::kSuccess, Severity::kWarning};
}

}  // namespace

const std::vector<KindRecord>& all_kinds() {
  static const std::vector<KindRecord> kRecords = {
#define MTF_DIAGNOSTIC(kind, family, headline) make_record(Kind::kind, #kind, Family::family, headline),
#include "support/diagnostics.def"
#undef MTF_DIAGNOSTIC
  };
  return kRecords;
}

const KindRecord& record(Kind kind) { return all_kinds()[static_cast<std::size_t>(kind)]; }

LabeledSpan::LabeledSpan(Span where, std::string what) : span(where), label(std::move(what)) {
  if (span.file != nullptr) file = span.file->shared_from_this();
}

Diagnostic::Diagnostic(Kind kind, Span span, std::string label) : kind_(kind) {
  places_.emplace_back(span, std::move(label));
}

Diagnostic& Diagnostic::related(Span span, std::string label) & {
  places_.emplace_back(span, std::move(label));
  return *this;
}

Diagnostic& Diagnostic::help(Help what) & {
  if (!what.empty()) helps_.push_back(std::move(what));
  return *this;
}

Diagnostic& Diagnostic::note(std::string text) & {
  if (!text.empty()) notes_.push_back(std::move(text));
  return *this;
}

std::vector<std::string> Diagnostic::helps() const {
  std::vector<std::string> texts;
  for (const Help& help : helps_) texts.push_back(help.text);
  return texts;
}

std::vector<Help> Diagnostic::fixes() const {
  std::vector<Help> fixes;
  std::copy_if(helps_.begin(), helps_.end(), std::back_inserter(fixes),
               [](const Help& help) { return !help.edits.empty(); });
  return fixes;
}

void Diagnostic::settle() {
  std::vector<std::string*> texts;
  for (LabeledSpan& place : places_) texts.push_back(&place.label);
  for (std::string& note : notes_) texts.push_back(&note);
  for (Help& help : helps_) {
    texts.push_back(&help.text);
    for (Edit& edit : help.edits) texts.push_back(&edit.text);
  }
  mtf::settle(texts);
}

UserError::UserError(Diagnostic diagnostic)
    : diagnostic_(std::make_shared<const Diagnostic>([&] {
        diagnostic.settle();
        return std::move(diagnostic);
      }())),
      text_(std::make_shared<const std::string>(diagnostic_->render())) {}

InternalError::InternalError(std::string_view file, int line, std::string_view condition, const std::string& message)
    : text_(std::make_shared<const std::string>(fmt::format("internal error: {}:{}: {} does not hold{}{}", file, line,
                                                            condition, message.empty() ? "" : ": ", message))),
      message_(
          std::make_shared<const std::string>(message.empty() ? std::string(condition) + " does not hold" : message)) {}

void fail(Diagnostic diagnostic) { throw UserError(std::move(diagnostic)); }

void fail(Kind kind, Span span, std::string label) { fail(Diagnostic(kind, span, std::move(label))); }

void internal::check_failed(const char* file, int line, const char* condition, const std::string& message) {
  throw InternalError(file, line, condition, message);
}

void Diagnostics::add(Diagnostic diagnostic) {
  if (list_.size() >= most_) return;
  diagnostic.settle();
  const bool known = std::any_of(list_.begin(), list_.end(), [&](const Diagnostic& other) {
    return other.kind() == diagnostic.kind() && other.span() == diagnostic.span() &&
           other.label() == diagnostic.label();
  });
  if (!known) list_.push_back(std::move(diagnostic));
}

std::size_t Diagnostics::error_count() const {
  return static_cast<std::size_t>(std::count_if(list_.begin(), list_.end(), [](const Diagnostic& diagnostic) {
    return diagnostic.severity() == Severity::kError;
  }));
}

ExitCode Diagnostics::exit_code() const {
  for (const Diagnostic& diagnostic : list_) {
    if (diagnostic.severity() == Severity::kError) return diagnostic.exit_code();
  }
  return ExitCode::kSuccess;
}

std::string Diagnostics::render(std::size_t limit) const {
  std::string out;
  for (std::size_t i = 0; i < std::min(limit, list_.size()); ++i) {
    if (i > 0) out += '\n';
    out += list_[i].render();
  }
  if (list_.size() > limit) {
    out += fmt::format("\nand {} more\n", thousands(static_cast<std::int64_t>(list_.size() - limit)));
  }
  return out;
}

Diagnostics Diagnostics::by_place() const {
  Diagnostics result = *this;
  std::stable_sort(result.list_.begin(), result.list_.end(), [](const Diagnostic& a, const Diagnostic& b) {
    return a.span().file == b.span().file && a.span().begin < b.span().begin;
  });
  return result;
}

void Diagnostics::throw_first() const {
  for (const Diagnostic& diagnostic : list_) {
    if (diagnostic.severity() == Severity::kError) throw UserError(diagnostic);
  }
}

}  // namespace mtf
