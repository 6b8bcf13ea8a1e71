#include "eval/findings.h"

#include <fmt/format.h>

#include "support/text.h"

namespace mtf {
namespace {

constexpr size_t kMostErrors = 100;
constexpr int64_t kMostSteps = 4'000'000;

}  // namespace

void Findings::report(Diagnostic diagnostic) {
  if (list_ == nullptr) fail(std::move(diagnostic));
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
