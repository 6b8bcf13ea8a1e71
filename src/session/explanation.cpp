#include "session/explanation.h"

#include <algorithm>
#include <set>
#include <utility>

#include "session/session.h"
#include "session/what_if.h"
#include "support/diagnostics.h"
#include "support/interrupt.h"

namespace mtf::session {
namespace {

Explanation::Total total_of(const plan::Counters& counters) {
  Explanation::Total total{counters.flops, 0, 0};
  for (int kind = 0; kind < spmd::kCollectiveKinds; ++kind) {
    const plan::CollectiveCount all = counters.total(static_cast<spmd::CollectiveKind>(kind));
    total.wire_bytes += all.wire_bytes;
    total.collectives += all.count;
  }
  return total;
}

void add_dims(std::set<Name>& dims, const spmd::NamedBlock& block) {
  for (const Dim& dim : block.type.dims) dims.insert(dim.name.plain());
}

/// The dims of the two values of a collective and of its reason: a summed dim is in neither value.
std::set<Name> dims_of(const spmd::StatementCost& cost) {
  std::set<Name> dims;
  add_dims(dims, cost.from);
  add_dims(dims, cost.value);
  if (cost.reason)
    for (const Name dim : cost.reason->dims()) dims.insert(dim.plain());
  return dims;
}

/// Returns the layouts in which one axis of the mesh splits another one of the dims, one more of them, or no dim, by
/// rules for dims.
std::vector<Layout> neighbours(const Layout& in_force, const std::set<Name>& dims, const Mesh& mesh) {
  std::vector<Layout> layouts;
  for (const Axis& axis : mesh.axes()) {
    Layout without = in_force;
    bool is_used = false;
    for (LayoutRule& rule : without.rules) is_used = std::erase(rule.axes, axis.name) > 0 || is_used;
    std::erase_if(without.rules, [](const LayoutRule& rule) { return rule.axes.empty(); });
    if (is_used) layouts.push_back(without);
    for (const Name dim : dims) {
      Layout layout = without;
      std::vector<LayoutRule>& rules = layout.rules;
      const auto there =
          std::find_if(rules.begin(), rules.end(), [&](const LayoutRule& rule) { return rule.dim == dim; });
      const bool has_rule = there != rules.end();
      if (has_rule) there->axes.push_back(axis.name);
      else rules.push_back({dim, {axis.name}, {}});
      if (!same_rules(layout, in_force)) layouts.push_back(std::move(layout));
      if (!is_used || has_rule) continue;
      Layout more = in_force;
      more.rules.push_back({dim, {axis.name}, {}});
      layouts.push_back(std::move(more));
    }
  }
  return layouts;
}

/// Bytes of all values that the session would hold on each processor.
int64_t bytes_held(const Session& session, const Assumption& assumption) {
  int64_t bytes = 0;
  for (const HeldName& held : session.held(assumption)) bytes += held.bytes;
  return bytes;
}

}  // namespace

Explanation explain_statement(Session& session, const std::string& statement, const std::string& name,
                              const Assumption& assumption, std::size_t most) {
  const Planned planned = session.plan(statement, name, assumption);
  Explanation explanation;
  explanation.sources.push_back(planned.sources);
  explanation.again = planned.again;
  explanation.peak = planned.peak;
  std::set<Name> dims;
  for (const eval::StatementReport& report : planned.statements) {
    for (const spmd::StatementCost& cost : report.costs) {
      add_dims(dims, cost.value);
      if (!cost.collective) continue;
      std::set<Name> own = dims_of(cost);
      Explanation::Collective& collective = explanation.collectives.emplace_back(Explanation::Collective{cost, {}});
      for (const LayoutRule& rule : planned.layout.rules)
        if (own.contains(rule.dim)) collective.rules.push_back(rule);
      dims.merge(std::move(own));
    }
  }
  if (explanation.collectives.empty()) return explanation;
  for (const LayoutRule& rule : planned.layout.rules) dims.insert(rule.dim);

  const cost::LayoutCosts costs = WhatIf::statement(session, statement, name).recorded(std::nullopt, assumption);
  explanation.doubts = costs.doubts();
  explanation.now = total_of(costs.in(nullptr, nullptr).counters);
  explanation.held_bytes = bytes_held(session, assumption);
  const HeedsInterrupt heeds(session.interrupt_request(), {});
  for (Layout& layout : neighbours(planned.layout, dims, *planned.mesh)) {
    try {
      const Explanation::Total total = total_of(costs.in(nullptr, std::make_shared<const Layout>(layout)).counters);
      if (total.wire_bytes < explanation.now.wire_bytes && total.flops <= explanation.now.flops)
        explanation.better.push_back({std::move(layout), total});
    } catch (const UserError& error) {  // skips a layout that is refused
      if (error.diagnostic().kind() == Kind::interrupted) break;
    }
  }
  std::stable_sort(explanation.better.begin(), explanation.better.end(),
                   [](const Explanation::Better& a, const Explanation::Better& b) {
                     return a.total.wire_bytes < b.total.wire_bytes;
                   });
  if (explanation.better.size() > most) explanation.better.resize(most);
  for (Explanation::Better& better : explanation.better) {
    Assumption other = assumption;
    other.layout = better.layout;
    better.held_bytes = bytes_held(session, other);
  }
  // Doubts point into the record.
  explanation.sources.push_back(std::shared_ptr<const void>(costs.shared_record()));
  return explanation;
}

}  // namespace mtf::session
