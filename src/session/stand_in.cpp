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

StandIn::Untouched::Untouched(eval::Scope& scope) : scope_(scope), bindings_(scope.bindings), hoisted_(scope.hoisted) {
  for (eval::Binding& binding : bindings_)
    if (graph::Handle* const handle = std::get_if<graph::Handle>(&binding.value.data)) handle->set_aside();
}

StandIn::Untouched::~Untouched() {
  scope_.bindings = bindings_;
  for (eval::Binding& binding : scope_.bindings)
    if (graph::Handle* const handle = std::get_if<graph::Handle>(&binding.value.data); handle && !binding.is_aside)
      handle->take_up();
  scope_.hoisted = hoisted_;
  scope_.rearranged();
}

StandIn::StandIn(eval::Evaluator& of, const eval::Settings& settings) : evaluator_(settings, nullptr, nowhere_) {
  evaluator_.stand_in(of);
  untouched_.emplace(*of.top());
}

StandIn::StandIn(eval::Evaluator& of, const eval::Settings& settings, const Assumption& assumption,
                 std::shared_ptr<plan::ProgramRecord> record)
    : runtime_(of.runtime().planner(assumption.is_none() && !record)),
      execution_(std::in_place, *runtime_, plan::ExecutionOptions{.record = record}),
      evaluator_(assumed(settings, assumption), &*execution_, nowhere_) {
  evaluator_.stand_in(of);
  execution_->heed(evaluator_.interrupt);
  evaluator_.blocks.expect_more();
  if (!assumption.is_none() || record) {
    laid_anew_.emplace(evaluator_);
    evaluator_.cuts.cut({}, {});  // what is kept for gradients is there
  }
  runtime_->restart_peak();
  evaluator_.reports.collect();
  untouched_.emplace(*of.top());
}

StandIn::~StandIn() { undo_.take_back(); }

}  // namespace mtf::session
