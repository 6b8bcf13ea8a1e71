#include "cost/time_estimate.h"

#include <algorithm>
#include <memory>

#include "graph/op.h"
#include "graph/region.h"
#include "plan/compilation.h"
#include "spmd/work.h"

namespace mtf::cost {
namespace {

constexpr size_t kNone = ~size_t{0};

double bytes_of(const TensorType& type) {
  return static_cast<double>(size_of(type.dims)) * static_cast<double>(size_of(type.element));
}

/// True if the operation only gives memory another name.
bool is_view(const graph::Op& op) { return op.role == graph::Role::kView || op.role == graph::Role::kReshape; }

}  // namespace

TimeEstimate::TimeEstimate(const LayoutCosts& costs, const std::vector<Dim>& dims, const std::vector<Name>& axes)
    : machine_(*costs.machine()) {
  for (size_t d = 0; d < dims.size(); ++d) place_[dims[d].name] = d;
  std::vector<Axis> of_one;
  for (Name axis : axes) of_one.push_back({axis, 1});
  const auto alone = std::make_shared<const Mesh>(Name("alone"), std::move(of_one));
  const plan::ProgramRecord& record = costs.record();
  graph::Relayout relayout(*record.layouts(), alone, std::make_shared<const Layout>());
  const plan::PassOptions options;
  for (size_t i = 0; i < record.programs().size(); ++i) {
    plan::Compilation whole(relayout.program(record.programs()[i].recorded), options);
    relayout.computed(static_cast<int32_t>(i), whole.program());
    if (costs.times(i) <= 0) continue;
    whole.run("merge");
    add(whole.program(), static_cast<double>(costs.times(i)));
  }
}

size_t TimeEstimate::place(const Dim& dim) const {
  const auto at = place_.find(dim.name.plain());
  return at == place_.end() ? kNone : at->second;
}

TimeEstimate::Which TimeEstimate::which(const Dims& dims) const {
  Which found;
  for (const Dim& dim : dims)
    if (const size_t d = place(dim); d != kNone) found.push_back(d);
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

void TimeEstimate::add(const graph::Program& program, double times) {
  for (const graph::ProgramOperation& each : program.operations) {
    const graph::LaidOutOperation& operation = *each.operation;
    if (operation.region) {
      spmd::Forms forms;
      add(merge(operation.region->iteration, forms).program, times * static_cast<double>(operation.region->iterations));
      continue;
    }
    if (!operation.op->space || operation.results.empty()) continue;
    Dims dims;
    double bytes = 0;
    for (const TensorType& type : operation.operands) dims.insert(dims.end(), type.dims.begin(), type.dims.end());
    for (const TensorType& type : operation.results) {
      dims.insert(dims.end(), type.dims.begin(), type.dims.end());
      bytes += bytes_of(type);
    }
    if (!operation.op->lane)
      for (const TensorType& type : operation.operands) bytes += bytes_of(type);
    const TensorType& type = operation.operands.empty() ? operation.results[0] : operation.operands[0];
    const double flops =
        static_cast<double>(spmd::work_of_whole(operation).value()) * computed_part(*operation.op, operation);
    Work& work = works_[which(dims)];
    if (flops > 0) work.arithmetic += times * flops / rate_of(machine_, *operation.op, type.element);
    if (!is_view(*operation.op)) work.traffic += times * bytes / machine_.memory_bandwidth;
    add_sums(operation, times);
    add_gathers(operation, times);
  }
}

void TimeEstimate::add_sums(const graph::LaidOutOperation& operation, double times) {
  Which summed;
  for (const graph::IterationDim& dim : operation.space().dims) {
    if (dim.kind != graph::SplitKind::kReduce) continue;
    for (size_t k = 0; k < dim.operands.size(); ++k)
      if (dim.operands[k] >= 0)
        if (const size_t d = place(operation.operands[k].dims[dim.operands[k]]); d != kNone) summed.push_back(d);
  }
  std::sort(summed.begin(), summed.end());
  summed.erase(std::unique(summed.begin(), summed.end()), summed.end());
  if (summed.empty()) return;
  for (const TensorType& result : operation.results)
    add({which(result.dims), summed, which(result.dims), 2}, bytes_of(result), times);
}

void TimeEstimate::add_gathers(const graph::LaidOutOperation& operation, double times) {
  for (const graph::IterationDim& dim : operation.space().dims) {
    const bool is_whole = dim.kind == graph::SplitKind::kWhole || dim.kind == graph::SplitKind::kExpand;
    size_t to = kNone;  // the dim of the result
    for (size_t r = 0; r < dim.results.size(); ++r)
      if (dim.results[r] >= 0) to = place(operation.results[r].dims[dim.results[r]]);
    if (!is_whole && dim.kind != graph::SplitKind::kFree) continue;
    for (size_t k = 0; k < dim.operands.size(); ++k) {
      if (dim.operands[k] < 0) continue;
      const Dim& from = operation.operands[k].dims[dim.operands[k]];
      const size_t d = place(from);
      if (d == kNone || (!is_whole && d == to)) continue;
      Which own = which(operation.operands[k].dims);
      std::erase(own, d);
      const double bytes = bytes_of(operation.operands[k]);
      const bool is_norm = is_whole && operation.operands.size() < 3 && dim.follows < 0;
      add({own, {d}, is_whole || to == kNone ? Which() : Which{to}, is_norm ? 2.0 : 1.0},
          is_norm ? bytes / static_cast<double>(from.size) : bytes, times);
    }
  }
}

void TimeEstimate::add(Sending sending, double bytes, double times) {
  Sent& sent = sent_[std::move(sending)];
  sent.bytes += times * bytes;
  sent.messages += times;
}

AxisSet TimeEstimate::axes_of(const Which& which, const std::vector<AxisSet>& axes) {
  AxisSet all = 0;
  for (const size_t d : which) all |= axes[d];
  return all;
}

double TimeEstimate::seconds(const Mesh& mesh, const std::vector<AxisSet>& axes) const {
  double seconds = 0;
  for (const auto& [dims, work] : works_)
    seconds += std::max(work.arithmetic, work.traffic) / static_cast<double>(mesh.group_size(axes_of(dims, axes)));
  for (const auto& [sending, sent] : sent_) {
    const AxisSet over = axes_of(sending.sent, axes) & ~axes_of(sending.same, axes);
    const int64_t members = over == 0 ? 1 : mesh.group_size(over);
    if (members == 1) continue;
    const auto parts = static_cast<double>(mesh.group_size(axes_of(sending.own, axes) & ~over));
    const Link link = machine_.over(mesh, over, spmd::CollectiveKind::kAllReduce);
    const double share = static_cast<double>(members - 1) / static_cast<double>(members);
    seconds += sending.times * sent.bytes / parts * share / link.bandwidth + sent.messages * link.latency;
  }
  return seconds;
}

}  // namespace mtf::cost
