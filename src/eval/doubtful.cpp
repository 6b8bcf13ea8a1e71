#include "eval/doubtful.h"

#include "eval/evaluator.h"

namespace mtf {

Doubtful::Doubtful(Evaluator& evaluator, const Doubt& doubt)
    : evaluator_(&evaluator), doubt_(doubt), added_(evaluator.builder.added), plans_(evaluator.reports.plans()) {}

void Doubtful::end() {
  if (!evaluator_->domain.is_plan()) return;
  if (evaluator_->builder.added != added_) evaluator_->cuts.cut({}, doubt_.place);
  if (evaluator_->reports.plans() != plans_) evaluator_->reports.doubt(doubt_);
  added_ = evaluator_->builder.added;
  plans_ = evaluator_->reports.plans();
}

void uncounted(Evaluator& evaluator, Span span) {
  if (evaluator.domain.is_plan()) evaluator.reports.doubt({span, Doubt::Kind::kUnknown});
}

}  // namespace mtf
