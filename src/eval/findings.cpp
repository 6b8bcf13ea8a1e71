#include "eval/findings.h"

#include <fmt/format.h>

#include "support/text.h"

namespace mtf::eval {
namespace {

constexpr size_t kMostErrors = 100;
constexpr int64_t kMostSteps = 4'000'000;

/// Whether an error says of a layout's rule what another has said already: the rule is wrong, not each tensor that it
/// is for.
bool repeats(const Diagnostic& diagnostic, const Diagnostic& earlier) {
  if (earlier.kind() != Kind::mesh_lacks_axis || earlier.places().size() < 2) return false;
  const LabeledSpan& other = earlier.places()[1];
  if (diagnostic.kind() == Kind::layout_axis_unused) return diagnostic.span() == other.span;
  if (diagnostic.kind() != Kind::mesh_lacks_axis || diagnostic.places().size() < 2) return false;
  const LabeledSpan& rule = diagnostic.places()[1];
  return rule.span == other.span && rule.label == other.label;
}

std::string kind_and_place(const Diagnostic& diagnostic) {
  const Span place = diagnostic.span();  // unknown: of what was given from outside
  return fmt::format("{} {}", record(diagnostic.kind()).name, place.is_known() ? to_text(place) : diagnostic.label());
}

}  // namespace

void Findings::have_been_told(const Diagnostics& warnings) {
  for (const Diagnostic& diagnostic : warnings.list()) told_.insert(kind_and_place(diagnostic));
}

void Findings::warn(Diagnostic diagnostic) {
  if (!told_.insert(kind_and_place(diagnostic)).second) return;
  if (collects()) report(std::move(diagnostic));
  else if (tell_) tell_(diagnostic);
}

void Findings::report(Diagnostic diagnostic) {
  if (list_ == nullptr) fail(std::move(diagnostic));
  for (const Diagnostic& earlier : list_->list())
    if (repeats(diagnostic, earlier)) return;
  list_->add(std::move(diagnostic));
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
