#include "eval/findings.h"

#include <fmt/format.h>

#include "support/text.h"

namespace mtf {
namespace {

constexpr size_t kMostErrors = 100;
constexpr int64_t kMostSteps = 4'000'000;

/// Whether an error says of a layout's rule what another has said already: the rule is wrong, not each tensor that it is for.
bool repeats(const Diagnostic& diagnostic, const Diagnostic& earlier) {
  if (diagnostic.kind() != Kind::mesh_lacks_axis || earlier.kind() != Kind::mesh_lacks_axis) return false;
  if (diagnostic.places().size() < 2 || earlier.places().size() < 2) return false;
  const LabeledSpan &rule = diagnostic.places()[1], &other = earlier.places()[1];
  return rule.span == other.span && rule.label == other.label;
}

}  // namespace

void Findings::report(Diagnostic diagnostic) {
  if (list_ == nullptr) fail(std::move(diagnostic));
  for (const Diagnostic& earlier : list_->list())
    if (repeats(diagnostic, earlier)) return;
  list_->add(std::move(diagnostic));
  if (list_->list().size() >= kMostErrors) throw CheckEnded();
}

void Findings::count_steps(Span span, size_t steps) {
  if (list_ == nullptr) return;
  steps_ += static_cast<int64_t>(steps);
  if (steps_ <= kMostSteps) return;
  list_->add(Diagnostic(Kind::check_cut_short, span, fmt::format("{} expressions were evaluated up to here", thousands(kMostSteps)))
                 .help("the rest is checked when it runs"));
  throw CheckEnded();
}

}  // namespace mtf
