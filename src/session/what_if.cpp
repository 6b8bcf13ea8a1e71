#include "session/what_if.h"

#include <ostream>

#include "cost/timed_costs.h"
#include "eval/evaluator.h"
#include "plan/execution.h"
#include "plan/runtime.h"
#include "session/session.h"
#include "support/end_later.h"
#include "syntax/parse.h"

namespace mtf::session {

namespace {

/// All that plans a script.
struct Planning {
  std::unique_ptr<plan::Runtime> runtime;
  plan::Execution execution;
  std::ostream nowhere;
  eval::Evaluator evaluator;
  Planning(const plan::Runtime& machine, plan::ExecutionOptions options, const eval::Settings& settings)
      : runtime(machine.planner(false)),
        execution(*runtime, std::move(options)),
        nowhere(nullptr),
        evaluator(settings, &execution, nowhere) {}
};

Planned planned_by(Planning& planning, const std::string& name, const std::string& text,
                   const std::shared_ptr<plan::ProgramRecord>& record) {
  plan::Execution& execution = planning.execution;
  eval::Evaluator& evaluator = planning.evaluator;
  const graph::Context& context = evaluator.builder.context;
  Planned planned;
  planned.mesh = context.mesh;
  planned.record = record;
  if (context.layout) planned.layout = *context.layout;
  evaluator.reports.on_statement([&](const eval::StatementReport& report) { planned.statements.push_back(report); },
                                 true);
  evaluator.run_program(evaluator.settings.parsed->parse_or_throw(SourceFile::create(name, text)));
  planned.counters = execution.counters();
  planned.peak = execution.peak_memory();
  planned.again = execution.rematerialized();
  planned.be_whole(context.mesh, evaluator.variables.stored(), evaluator.unread.all());
  planned.sources = evaluator.modules.all_kept();
  if (record) record->keep(planned.sources);
  return planned;
}

}  // namespace

Planned plan_script(const std::string& name, const std::string& text, const eval::Settings& settings,
                    const plan::Runtime& machine, std::shared_ptr<plan::ProgramRecord> record,
                    const cost::MachineModel* timed_by) {
  plan::ExecutionOptions options{.record = record};
  if (timed_by) options.costs = cost::costs_timed_by(*timed_by);
  auto planning = std::make_shared<Planning>(machine, std::move(options), settings);
  try {
    return planned_by(*planning, name, text, record);
  } catch (const UserError&) {
    if (!record) end_later(std::move(planning));  // a record shares nodes
    throw;
  }
}

WhatIf WhatIf::script(std::string name, std::string text, eval::Settings settings, const plan::Runtime& machine) {
  WhatIf what;
  what.options_ = settings.set;
  what.plan_ = [name = std::move(name), text = std::move(text), settings = std::move(settings), &machine](
                   const Assumption& assumption, std::shared_ptr<plan::ProgramRecord> record) {
    return plan_script(name, text, assumed(settings, assumption), machine, std::move(record));
  };
  return what;
}

WhatIf WhatIf::statement(Session& session, std::string text, std::string name) {
  WhatIf what;
  what.is_statement_ = true;
  what.plan_ = [&session, text = std::move(text), name = std::move(name)](const Assumption& assumption,
                                                                          std::shared_ptr<plan::ProgramRecord> record) {
    return session.plan(text, name, assumption, std::move(record));
  };
  return what;
}

cost::LayoutCosts WhatIf::recorded(const std::optional<cost::MachineModel>& machine,
                                   const Assumption& assumption) const {
  Planned planned = plan_(assumption, std::make_shared<plan::ProgramRecord>());
  return cost::LayoutCosts(std::move(planned.record), machine, std::move(planned.before));
}

Comparison WhatIf::compare(const std::vector<Assumption>& assumptions, const std::optional<cost::MachineModel>& machine,
                           bool with_peaks) const {
  Comparison comparison;
  std::optional<cost::LayoutCosts> costs;
  bool is_recorded = false;  // `costs` are of the program without an assumption
  for (const Assumption& assumption : assumptions) {
    Comparison::Under& under = comparison.under.emplace_back();
    Planned planned;
    // Rules for the results of calls add operations, which a record of the program without them lacks.
    const bool is_anew = is_statement_ || (assumption.layout && assumption.layout->lays_out_results());
    if (is_anew || !is_recorded) {
      planned = plan_(is_anew ? assumption : Assumption(), std::make_shared<plan::ProgramRecord>());
      is_recorded = !is_anew;
      costs.emplace(planned.record, machine, std::move(planned.before));
      comparison.records.push_back(planned.record);
      for (const plan::Doubt& doubt : costs->doubts()) add_doubt(comparison.doubts, doubt);
    }
    if (is_anew) {
      under.cost = costs->in(nullptr, nullptr);
    } else {
      const MeshPtr mesh = assumption.mesh ? std::make_shared<const Mesh>(Name("mesh"), *assumption.mesh) : nullptr;
      const LayoutPtr rules = assumption.layout ? std::make_shared<const Layout>(*assumption.layout) : nullptr;
      under.cost = costs->in(mesh, rules);
      if (with_peaks) planned = plan_(assumption, nullptr);
    }
    if (with_peaks) under.peak_bytes = planned.counters.peak_bytes;
  }
  return comparison;
}

}  // namespace mtf::session
