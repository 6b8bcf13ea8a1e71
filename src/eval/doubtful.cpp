#include "eval/doubtful.h"

#include "eval/cuts.h"
#include "eval/reports.h"
#include "ops/builder.h"

namespace mtf::eval {

void DoubtfulParts::uncounted(Span span) {
  if (domain_.is_plan()) reports_.doubt({span, plan::Doubt::Kind::kUnknown});
}

Doubtful::Doubtful(DoubtfulParts& doubts, const plan::Doubt& doubt)
    : doubts_(&doubts), doubt_(doubt), added_(doubts.builder_.added), plans_(doubts.reports_.plans()) {}

void Doubtful::end() {
  if (!doubts_->domain_.is_plan()) return;
  if (doubts_->builder_.added != added_) doubts_->cuts_.cut({}, doubt_.place);
  if (doubts_->reports_.plans() != plans_) doubts_->reports_.doubt(doubt_);
  added_ = doubts_->builder_.added;
  plans_ = doubts_->reports_.plans();
}

}  // namespace mtf::eval
