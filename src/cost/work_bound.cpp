#include "cost/work_bound.h"

#include <algorithm>
#include <functional>
#include <map>

#include "graph/op.h"
#include "graph/region.h"
#include "plan/compilation.h"
#include "spmd/work.h"

namespace mtf::cost {
namespace {

/// Groups of related dim names: an axis that splits one dim of a group may come to split another.
class Related {
 public:
  Name of(Name name) {
    Name at = name;
    while (parent_.contains(at) && parent_[at] != at) at = parent_[at];
    return parent_[name] = at;
  }
  void join(Name a, Name b) { parent_[of(a)] = of(b); }

 private:
  std::map<Name, Name> parent_;
};

const Dim& dim_of(const graph::LaidOutOperation& operation, const graph::IterationDim& dim, size_t k) {
  return operation.operands[k].dims[dim.operands[k]];
}

/// Returns the rate of an operation. If it may be expanded: the rate of the fastest operation.
double fastest(const MachineModel& machine, const graph::Op& op, ElementType element) {
  double rate = rate_of(machine, op, element);
  if (!op.expand) return rate;
  for (const auto& [kind, rates] : machine.rates) rate = std::max(rate, *machine.rate_of(kind, kind, element));
  return std::max(rate, machine.flops_of(element));
}

/// The seconds of the work whose dims have these names.
using WorkOfNames = std::map<std::vector<Name>, double>;

/// Adds up the work of programs, and finds the dims that they have.
class WorkCounter {
 public:
  explicit WorkCounter(const MachineModel& machine) : machine_(machine) {}

  /// Adds a merged program of whole tensors, so that the bound contains no work that some layout saves by merging.
  void add(const graph::Program& program, WorkOfNames& of, double times) {
    for (const graph::ProgramOperation& each : program.operations) {
      const graph::LaidOutOperation& operation = *each.operation;
      if (operation.region) {
        spmd::Forms forms;
        add(merge(operation.region->iteration, forms).program, of,
            times * static_cast<double>(operation.region->iterations));
        continue;
      }
      const std::vector<Name> names = names_of(operation);
      if (operation.written) find_dims_together(operation);
      const TensorType& type = operation.operands.empty() ? operation.results[0] : operation.operands[0];
      const double flops =
          static_cast<double>(spmd::work_of_whole(operation).value()) * computed_part(*operation.op, operation);
      if (flops > 0) of[names] += times * flops / fastest(machine_, *operation.op, type.element);
    }
  }

  const std::map<Name, Dim>& sizes() const { return sizes_; }                    ///< the largest dim of each name
  Related& related() { return related_; }                                        ///< dims that run together
  const std::set<std::pair<Name, Name>>& together() const { return together_; }  ///< dims of one tensor

 private:
  /// Returns the names of the dims of an operation's iteration space. Rules use plain names.
  std::vector<Name> names_of(const graph::LaidOutOperation& operation) {
    std::vector<Name> names;
    if (!operation.op->space) return names;
    for (const graph::IterationDim& dim : operation.space().dims) {
      Name first;
      const auto add = [&](const Dim& of) {
        const Name name = of.name.plain();
        Dim& known = sizes_.try_emplace(name, Dim{name, of.size}).first->second;
        known.size = std::max(known.size, of.size);
        if (first.empty()) first = name;
        else related_.join(first, name);
        names.push_back(name);
      };
      for (size_t k = 0; k < dim.operands.size(); ++k)
        if (dim.operands[k] >= 0) add(dim_of(operation, dim, k));
      for (size_t r = 0; r < dim.results.size(); ++r)
        if (dim.results[r] >= 0) add(operation.results[r].dims[dim.results[r]]);
    }
    return names;
  }

  void find_dims_together(const graph::LaidOutOperation& operation) {
    for (const TensorType& type : operation.results)
      for (const Dim& a : type.dims)
        for (const Dim& b : type.dims)
          if (a.name.plain() != b.name.plain()) together_.emplace(a.name.plain(), b.name.plain());
  }

  const MachineModel& machine_;
  Related related_;
  std::map<Name, Dim> sizes_;
  std::set<std::pair<Name, Name>> together_;
};

}  // namespace

WorkBound::WorkBound(const LayoutCosts& costs, const std::vector<Name>& axes) {
  const plan::ProgramRecord& record = costs.record();
  std::vector<Axis> of_one;
  for (Name axis : axes) of_one.push_back({axis, 1});
  const auto alone = std::make_shared<const Mesh>(Name("alone"), std::move(of_one));
  graph::Relayout relayout(*record.layouts(), alone, std::make_shared<const Layout>());
  const plan::PassOptions options;
  WorkCounter counter(*costs.machine());
  WorkOfNames work;
  std::vector<WorkOfNames> work_of(record.programs().size());
  for (size_t i = 0; i < record.programs().size(); ++i) {
    const plan::ProgramRecord::Entry& entry = record.programs()[i];
    plan::Compilation whole(relayout.program(entry.recorded), options);
    relayout.computed(static_cast<int32_t>(i), whole.program());
    whole.run("merge");
    counter.add(whole.program(), work_of[i], static_cast<double>(costs.times(i)));
  }
  for (const WorkOfNames& of : work_of)
    for (const auto& [names, seconds] : of) work[names] += seconds;
  std::map<Name, double> weight;
  for (const auto& [names, seconds] : work)
    for (Name name : std::set<Name>(names.begin(), names.end())) weight[name] += seconds;
  for (const auto& [name, dim] : counter.sizes())
    if (dim.size > 1) dims_.push_back(dim);
  std::stable_sort(dims_.begin(), dims_.end(),
                   [&](const Dim& a, const Dim& b) { return weight[a.name] > weight[b.name]; });
  std::map<Name, size_t> place;
  for (size_t d = 0; d < dims_.size(); ++d) place[dims_[d].name] = d;
  for (const graph::LayoutRecord::Variable& variable : record.layouts()->variables()) {
    const graph::LaidOutOperation& operation = *record.layouts()->decisions()[variable.decision].operation;
    if (!is_stored_by_rules(operation)) continue;
    const TensorType& type = operation.results[0];
    Stored of{variable.trainable,
              operation.why.like != nullptr,
              static_cast<double>(size_of(type.dims)) * static_cast<double>(size_of(type.element)),
              {}};
    for (const Dim& dim : type.dims)
      if (const auto at = place.find(dim.name.plain());
          at != place.end() && std::find(of.dims.begin(), of.dims.end(), at->second) == of.dims.end())
        of.dims.push_back(at->second);
    if (!of.dims.empty()) stored_.push_back(std::move(of));
  }
  for (const auto& [name, dim] : counter.sizes()) group_[name] = counter.related().of(name);
  const auto works_of = [&](const WorkOfNames& work) {
    std::map<std::vector<size_t>, Work> works;
    for (const auto& [names, seconds] : work) {
      Dividing dividing = this->dividing({names.begin(), names.end()});
      Work& same = works[dividing.dims];
      same.seconds += seconds;
      same.dividing = std::move(dividing);
    }
    std::vector<Work> result;
    for (auto& [dims, work] : works) result.push_back(std::move(work));
    return result;
  };
  works_ = works_of(work);
  for (const WorkOfNames& of : work_of) works_of_.push_back(works_of(of));
  for (const auto& [a, b] : counter.together())
    if (place.contains(a) && place.contains(b)) conflicts_.insert(std::minmax(place[a], place[b]));
}

double WorkBound::seconds(const Mesh& mesh, const Decided& decided) const { return seconds_of(works_, mesh, decided); }

double WorkBound::seconds(const Mesh& mesh, const Decided& decided, size_t program) const {
  return seconds_of(works_of_[program], mesh, decided);
}

WorkBound::Dividing WorkBound::dividing(const std::set<Name>& names) const {
  std::set<Name> groups;
  for (Name name : names)
    if (const auto at = group_.find(name); at != group_.end()) groups.insert(at->second);
  Dividing dividing;
  for (size_t d = 0; d < dims_.size(); ++d)
    if (groups.contains(group_.at(dims_[d].name))) dividing.dims.push_back(d);
  const auto divides = [&](size_t dim) { return std::binary_search(dividing.dims.begin(), dividing.dims.end(), dim); };
  dividing.stored = std::any_of(stored_.begin(), stored_.end(),
                                [&](const Stored& of) { return std::any_of(of.dims.begin(), of.dims.end(), divides); });
  return dividing;
}

double WorkBound::parts(const Dividing& dividing, const Mesh& mesh, const Decided& decided) {
  AxisSet axes = dividing.stored && decided.stored_open ? ~AxisSet{0} : 0;
  for (size_t d : dividing.dims) axes |= d < decided.dims ? decided.axes[d] : ~AxisSet{0};
  double parts = 1;
  for (int axis = 0; axis < mesh.order(); ++axis)
    if (axes & axis_bit(axis)) parts *= static_cast<double>(mesh.axis_size(axis));
  return parts;
}

double WorkBound::seconds_of(const std::vector<Work>& works, const Mesh& mesh, const Decided& decided) {
  double total = 0;
  for (const Work& work : works) total += work.seconds / parts(work.dividing, mesh, decided);
  return total;
}

}  // namespace mtf::cost
