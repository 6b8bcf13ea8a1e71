#include "spmd/across_blocks.h"

#include "graph/op.h"
#include "ops/ops.h"
#include "ops/scan.h"
#include "spmd/dim_groups.h"
#include "spmd/reasons.h"

namespace mtf::spmd {
namespace {

ReasonRef reason(const Lowering& of, Reason why) {
  why.mesh = of.node->mesh;
  why.op = of.node->op;
  return std::make_shared<const Reason>(std::move(why));
}

}  // namespace

int fetch(LocalBuilder& local, const Lowering& of, int operand, int dim, const graph::AccessMap& map,
          const AxisList& axes) {
  if (map.is_identity()) return operand;
  LocalValue result = local[operand];
  const Name name = result.dims[dim].dim.name;
  result.dims[dim] = {result.dims[dim].dim, axes, true, map};
  return local.exchange(of.node, operand, std::move(result), axes.set(),
                        reason(of, {.kind = Reason::Kind::kFetched, .parts = {{name, axes}}}));
}

int add_back(LocalBuilder& local, const Lowering& of, int result, int dim, const AxisList& axes) {
  LocalValue own = local[result];
  own.dims[dim] = {own.dims[dim].dim, axes, false, {}};
  const ReasonRef why = reason(of, {.kind = Reason::Kind::kAddedBack, .parts = {{own.dims[dim].dim.name, axes}}});
  return local.collective(InstructionKind::kExchangeAdd, of.node, result, std::move(own), axes.set(),
                          kernels::Reduction::kSum, why);
}

bool blocks_coincide(const graph::LaidOutOperation& node, const graph::IterationDim& dim, const AxisList& axes) {
  const Dim& from = node.operands[0].dims[dim.operands[0]];
  const Dim& to = node.results[0].dims[dim.results[0]];
  if (from.size == to.size) return true;
  return splits_evenly(from.size, axes, *node.mesh) && splits_evenly(to.size, axes, *node.mesh);
}

void reshape_by_intervals(LocalBuilder& local, const Lowering& of, int operand, int result) {
  const Dims& from = of.node->operands[0].dims;
  const Dims& to = of.node->results[0].dims;
  std::vector<LocalDim> have, want;
  for (const DimGroup& group : dim_groups(from, to)) {
    const Dim dim{Name("flat" + std::to_string(have.size() + 1)), group.size};
    have.push_back({dim, {}, false, {}});
    want.push_back(have.back());
    for (size_t j = 0; j < of.space.dims.size(); ++j) {
      const graph::IterationDim& it = of.space.dims[j];
      const AxisList& axes = of.split.dims[j];
      if (axes.empty() || it.operands[0] < static_cast<int>(group.first_from) ||
          it.operands[0] >= static_cast<int>(group.last_from))
        continue;
      auto flat = [&](int64_t size) {
        return LocalDim{
            dim, axes, true,
            graph::AccessMap{.stride = group.size / size, .window = group.size / size, .from = size, .to = group.size}};
      };
      have.back() = flat(from[it.operands[0]].size);
      want.back() = flat(to[it.results[0]].size);
    }
  }
  LocalValue flat = local[operand];
  flat.name += ".flat";
  flat.dims = have;
  flat.order = written_order(have.size());
  int here = local.add(flat);
  local.compute(of.node, {operand}, {here}, of.origin);
  for (size_t d = 0; d < have.size(); ++d) {
    if (have[d] == want[d]) continue;
    LocalValue moved = local[here];
    moved.dims[d] = want[d];
    here = local.collective(
        InstructionKind::kExchange, of.node, here, std::move(moved), want[d].axes.set(), kernels::Reduction::kSum,
        reason(of, {.kind = Reason::Kind::kApart, .parts = {{{}, want[d].axes}}, .from = from, .to = to}));
  }
  local.compute(of.node, {here}, {result}, of.origin);
}

int scan(LocalBuilder& local, const Lowering& of, int operand) {
  const graph::LaidOutOperation& node = *of.node;
  const ops::CumsumAttributes& sums = node.attributes.get<ops::CumsumAttributes>();
  const AxisList axes = of.split.operands[0].dims[ops::dim_of<ops::CumsumAttributes>(node)];
  const Dim blocks{Name("scan.blocks"), node.mesh->group_size(axes.set())};
  const graph::OperationRef total =
      helper_operation(ops::kBlockTotal, {node.operands[0]}, ops::BlocksAttributes{sums.over, blocks}, node);
  LocalValue own;
  own.name = of.name + ".total";
  own.element = total->results[0].element;
  own.mesh = node.mesh;
  own.partial = of.split.carried;
  for (const Dim& dim : total->results[0].dims) {
    const int at = find_dim(node.operands[0].dims, dim.name);
    own.dims.push_back({dim, at >= 0 ? of.split.operands[0].dims[at] : axes, false, {}});
  }
  const int own_total = local.add(own);
  local.compute(total, {operand}, {own_total});
  LocalValue all = own;
  all.name += "s";
  for (LocalDim& dim : all.dims)
    if (dim.dim == blocks) dim.axes = {};
  const int totals =
      local.collective(InstructionKind::kAllGather, of.node, own_total, all, axes.set(), kernels::Reduction::kSum,
                       reason(of, {.kind = Reason::Kind::kScanned, .parts = {{{}, axes}}}));
  const graph::OperationRef add =
      helper_operation(ops::kAddTotals, {node.operands[0], total->results[0], total->results[0]}, sums, node);
  const int result = local.add(block_of_result(of.name, node, 0, of.split.results[0]));
  local.compute(add, {operand, totals, own_total}, {result}, of.origin);
  return result;
}

}  // namespace mtf::spmd
