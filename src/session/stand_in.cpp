#include "session/stand_in.h"

#include <utility>

namespace mtf::session {

eval::Settings assumed(eval::Settings settings, const Assumption& assumption) {
  if (assumption.mesh) settings.mesh = assumption.mesh;
  if (assumption.layout) settings.layout = assumption.layout;
  if (assumption.option)
    for (auto& [name, text] : settings.set)
      if (name == assumption.option->first) text = assumption.option->second;
  return settings;
}

StandIn::StandIn(eval::Evaluator& of, const eval::Settings& settings) : evaluator_(settings, nullptr, nowhere_) {
  evaluator_.stand_in(of);
}

StandIn::StandIn(eval::Evaluator& of, const eval::Settings& settings, const Assumption& assumption,
                 plan::ExecutionOptions options, const ast::Program* program)
    : runtime_(of.runtime().planner(assumption.is_none() && !options.record)),
      execution_(std::in_place, *runtime_, options),
      evaluator_(assumed(settings, assumption), &*execution_, nowhere_) {
  evaluator_.stand_in(of);
  execution_->heed(evaluator_.interrupt);
  evaluator_.blocks.expect_more();
  const bool anew = !assumption.is_none() || options.record;
  copied_.emplace(evaluator_, anew ? CopiedValues::How::kLaidOutAnew : CopiedValues::How::kAsTheyAre,
                  program ? &program->body : nullptr);
  if (anew) evaluator_.cuts.cut({}, {});  // computes the values that are kept for gradients
  runtime_->restart_peak();
  evaluator_.reports.collect();
}

StandIn::~StandIn() { undo_.take_back(); }

}  // namespace mtf::session
