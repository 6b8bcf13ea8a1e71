#include "cost/program_times.h"

#include "graph/region.h"
#include "support/diagnostics.h"

namespace mtf::cost {
namespace {

/// For each decision and each program of a record: the dims whose rules it depends on.
class Dependence {
 public:
  Dependence(const plan::ProgramRecord& record, const std::vector<Dim>& dims) : record_(record) {
    for (size_t d = 0; d < dims.size(); ++d) place_[dims[d].name] = d;
    for (const plan::ProgramRecord::Entry& entry : record.programs()) programs_.push_back(of_program(entry.recorded));
  }

  /// Returns the dims of a program, as flags.
  const std::vector<bool>& of(size_t program) const { return programs_[program]; }

 private:
  using Which = std::vector<bool>;

  static void add(Which& to, const Which& which) {
    for (size_t d = 0; d < which.size(); ++d) to[d] = to[d] || which[d];
  }
  void add(Which& to, const std::vector<TensorType>& types) const {
    for (const TensorType& type : types)
      for (const Dim& dim : type.dims)
        if (const auto at = place_.find(dim.name.plain()); at != place_.end()) to[at->second] = true;
  }

  void add(Which& to, const graph::LaidOutOperation& operation) const {
    add(to, operation.operands);
    add(to, operation.results);
    if (!operation.region) return;
    for (const graph::ProgramOperation& each : operation.region->iteration.operations) add(to, *each.operation);
  }

  Which of_program(const graph::RecordedProgram& recorded) {
    Which which(place_.size());
    for (const std::vector<int32_t>* decisions : {&recorded.inputs, &recorded.operations})
      for (int32_t decision : *decisions) add(which, of_decision(decision));
    for (const auto& sources : recorded.copied_by)
      for (const auto& [program, place] : sources) add(which, programs_[static_cast<size_t>(program)]);
    return which;
  }

  /// Returns the dims of a decision. A decision depends only on decisions with smaller numbers.
  const Which& of_decision(int32_t number) {
    while (decisions_.size() <= static_cast<size_t>(number)) {
      const graph::LayoutRecord::Decision& decision = record_.layouts()->decisions()[decisions_.size()];
      Which which(place_.size());
      add(which, *decision.operation);
      for (const graph::LayoutRecord::Source& operand : decision.operands)
        add(which, decisions_[static_cast<size_t>(operand.decision)]);
      if (decision.like.decision >= 0) add(which, decisions_[static_cast<size_t>(decision.like.decision)]);
      if (decision.program >= 0) add(which, programs_[static_cast<size_t>(decision.program)]);
      decisions_.push_back(std::move(which));
    }
    return decisions_[static_cast<size_t>(number)];
  }

  const plan::ProgramRecord& record_;
  std::map<Name, size_t> place_;
  std::vector<Which> decisions_, programs_;
};

}  // namespace

ProgramTimes::ProgramTimes(const LayoutCosts& costs, const std::vector<Dim>& dims)
    : costs_(costs), known_(costs.record().programs().size()) {
  const Dependence dependence(costs.record(), dims);
  for (size_t i = 0; i < known_.size(); ++i) {
    dims_.emplace_back();
    for (size_t d = 0; d < dims.size(); ++d)
      if (dependence.of(i)[d]) dims_.back().push_back(d);
  }
}

std::optional<double> ProgramTimes::seconds(size_t program, const MeshPtr& mesh, const LayoutPtr& rules,
                                            const std::vector<AxisSet>& axes) {
  if (mesh_ != mesh) {
    mesh_ = mesh;
    for (auto& each : known_) each.clear();
  }
  std::vector<AxisSet> key;
  for (size_t d : dims_[program]) key.push_back(axes[d]);
  const auto [at, is_new] = known_[program].try_emplace(std::move(key));
  if (!is_new) return at->second;
  ++costed_;
  try {
    at->second = costs_.seconds_of(program, mesh, rules);
  } catch (const UserError&) {}
  return at->second;
}

}  // namespace mtf::cost
