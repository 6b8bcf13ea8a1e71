#include "eval/findings.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

#include "support/text.h"

namespace mtf::eval {
namespace {

constexpr size_t kMostErrors = 100;
constexpr int64_t kMostSteps = 4'000'000;

/// True if an error repeats an earlier one about the same rule of a layout: the rule is wrong, not each tensor that it
/// applies to.
bool repeats(const Diagnostic& diagnostic, const Diagnostic& earlier) {
  if (earlier.kind() != Kind::mesh_lacks_axis || earlier.places().size() < 2) return false;
  const LabeledSpan& other = earlier.places()[1];
  if (diagnostic.kind() == Kind::layout_axis_unused) return diagnostic.span() == other.span;
  if (diagnostic.kind() != Kind::mesh_lacks_axis || diagnostic.places().size() < 2) return false;
  const LabeledSpan& rule = diagnostic.places()[1];
  return rule.span == other.span && rule.label == other.label;
}

std::string kind_and_place(const Diagnostic& diagnostic) {
  const Span place = diagnostic.span();  // unknown for errors in options
  return fmt::format("{} {}", record(diagnostic.kind()).name, place.is_known() ? to_text(place) : diagnostic.label());
}

}  // namespace

void Findings::have_been_told(const Diagnostics& warnings) {
  for (const Diagnostic& diagnostic : warnings.list()) told_.insert(kind_and_place(diagnostic));
}

void Findings::warn(Diagnostic diagnostic) {
  const auto [told, is_new] = told_.insert(kind_and_place(diagnostic));
  if (!is_new) return;
  if (trial_ != nullptr) told_on_trial_.push_back(*told);
  if (collects()) report(std::move(diagnostic));
  else if (tell_) tell_(diagnostic);
}

Findings::Trial::Trial(Findings& findings)
    : findings_(findings),
      outer_trial_(std::exchange(findings.trial_, this)),
      outer_(findings.list_),
      told_before_(findings.told_on_trial_.size()),
      exceptions_(std::uncaught_exceptions()) {
  if (outer_ != nullptr) findings_.list_ = &found_;
}

Findings::Trial::~Trial() {
  // If the check ends inside the walk, it has found too many errors, or reports that it was cut short.
  const bool ends_check = std::uncaught_exceptions() > exceptions_;
  const bool has_enough = found_.list().size() >= kMostErrors;
  findings_.trial_ = outer_trial_;
  if (!is_kept_) {
    findings_.list_ = outer_;
    for (size_t i = told_before_; i < findings_.told_on_trial_.size(); ++i)
      findings_.told_.erase(findings_.told_on_trial_[i]);
    findings_.told_on_trial_.resize(told_before_);
    if (ends_check)
      for (const Diagnostic& diagnostic : found_.list())
        if (has_enough || diagnostic.kind() == Kind::check_cut_short) outer_->add(diagnostic);
  }
  if (outer_trial_ == nullptr) findings_.told_on_trial_.clear();
}

void Findings::Trial::keep_up_to(int doubt) {
  is_kept_ = true;
  findings_.list_ = outer_;
  findings_.trial_ = outer_trial_;
  if (outer_ == nullptr) return;
  for (size_t i = 0; i < found_.list().size(); ++i) {
    const Diagnostic& diagnostic = found_.list()[i];
    const int own = i < doubts_.size() ? doubts_[i] : 0;
    if (diagnostic.severity() == Severity::kWarning || own <= doubt) findings_.report(diagnostic, own);
  }
}

void Findings::report(Diagnostic diagnostic, int doubt) {
  if (list_ == nullptr) fail(std::move(diagnostic));
  for (const Diagnostic& earlier : list_->list())
    if (repeats(diagnostic, earlier)) return;
  list_->add(std::move(diagnostic));
  if (trial_ != nullptr) trial_->doubts_.resize(list_->list().size(), doubt);
  if (list_->list().size() >= kMostErrors) throw CheckEnded();
}

void Findings::count_steps_of_check(Span span, size_t steps) {
  steps_ += static_cast<int64_t>(steps);
  if (steps_ <= kMostSteps) return;
  list_->add(Diagnostic(Kind::check_cut_short, span,
                        fmt::format("{} expressions were evaluated up to here", thousands(kMostSteps)))
                 .help("the rest is checked when it runs"));
  throw CheckEnded();
}

}  // namespace mtf::eval
