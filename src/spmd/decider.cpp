#include "spmd/decider.h"

#include <algorithm>
#include <utility>

#include "graph/op.h"
#include "ops/ops.h"
#include "ops/record.h"
#include "ops/shape.h"
#include "spmd/forms.h"
#include "spmd/partial_sums.h"
#include "spmd/reasons.h"
#include "spmd/reshaped_blocks.h"

namespace mtf::spmd {
namespace {

/// True for an operation that adds up over a dim and may instead gather it. A product is none: it gathers no dim that
/// it contracts.
bool may_sum(const graph::LaidOutOperation& operation) {
  const std::vector<graph::IterationDim>& dims = operation.space().dims;
  return operation.op->role != graph::Role::kContraction &&
         std::any_of(dims.begin(), dims.end(), [](const graph::IterationDim& dim) {
           return dim.kind == graph::SplitKind::kReduce && dim.reduce == kernels::Reduction::kSum;
         });
}

}  // namespace

AxisList owners_of_result(const graph::LaidOutOperation& loop, int32_t result) {
  const graph::Region& region = *loop.region;
  if (result < region.carried || result >= region.carried + region.stacked) return {};
  return region.stages.empty() && !region.hands_on ? loop.shardings[result].dims[0] : AxisList();
}

Decider::Decider(const MergedProgram& merged, const EnclosingLoop& loop, LocalBuilder& local)
    : merged_(merged),
      graph_(merged.program),
      loop_(loop),
      local_(local),
      region_(loop.region),
      readers_(graph_),
      written_(graph_, readers_),
      partial_(partial_sums(graph_, readers_)),
      joined_(joined_sums(graph_, readers_, partial_)),
      joined_products_(joined_sums(graph_, readers_, partial_sums(graph_, readers_, SumsOf::kProducts))),
      is_link_(links_of_sums(graph_, readers_)) {}

// ---- how an operation is split and computed ------------------------------------------------------------------------

OperationDecision Decider::split(int index, std::vector<int> operands, const std::vector<bool>& zeros) {
  OperationDecision decision;
  decision.node = graph_.operations[index].operation;
  decision.split = split_of(index, operands, zeros);
  decision.wanted = decision.split->operands;
  for (size_t k = 0; k < operands.size(); ++k)
    decision.reshardings.push_back(local_.way_to(operands[k], decision.wanted[k]));
  decision.values = std::move(operands);
  return decision;
}

void Decider::compute(int index, OperationDecision& decision) const {
  const graph::LaidOutOperation& node = *decision.node;
  const IterationSplit& split = *decision.split;
  const graph::IterationSpace& space = *forms_.at(merged_.forms[index]).space;
  decision.added_back.assign(node.results.size(), -1);
  if (node.op->role == graph::Role::kView && node.results[0] == node.operands[0] &&
      split.operands[0] == split.results[0]) {
    decision.by = ComputedBy::kName;
    return;
  }
  for (size_t j = 0; j < space.dims.size(); ++j) {
    const graph::IterationDim& dim = space.dims[j];
    const AxisList& axes = split.dims[j];
    if (axes.empty()) continue;
    const auto fetch_dim = [&](size_t k, const graph::AccessMap& map) {
      if (!map.is_identity()) decision.fetches.push_back({k, dim.operands[k], map, axes});
    };
    for (size_t k = 0; k < split.operands.size(); ++k)
      if (dim.follows >= 0 && dim.operands[k] >= 0 && !split.operands[k].dims[dim.operands[k]].empty())
        fetch_dim(k, dim.reach);
    for (size_t k = 0; k < split.operands.size(); ++k)
      if (!dim.maps.empty() && !decision.shares_halo && dim.operands[k] >= 0) fetch_dim(k, dim.maps[k]);
    for (size_t r = 0; r < node.results.size(); ++r)
      if (dim.follows >= 0 && dim.results[r] >= 0 && decision.added_back[r] < 0)
        decision.added_back[r] = static_cast<int>(j);
    if (dim.kind == graph::SplitKind::kFactors && !blocks_coincide(node, dim, axes))
      decision.by = ComputedBy::kIntervals;
    if (dim.kind == graph::SplitKind::kScan) {
      decision.by = ComputedBy::kTotals;
      return;
    }
  }
}

Decider::OfForm& Decider::of_form(int index) {
  const auto [at, fresh] = forms_.try_emplace(merged_.forms[index]);
  if (fresh) at->second.space = &graph_.operations[index].operation->space();
  return at->second;
}

/// Returns the split of an operation with these operands. Remembers a split that does not depend on copies for other
/// operations of the same form.
std::shared_ptr<const IterationSplit> Decider::split_of(int index, const std::vector<int>& operands,
                                                        const std::vector<bool>& zeros) {
  OfForm& form = of_form(index);
  const graph::OperationRef& node = graph_.operations[index].operation;
  const std::span<const graph::ProgramValue> values = graph_.operands_of(index);
  const bool joins = joins_sums(index, operands);
  const AxisSet joined = may_sum(*node) ? joined_products_[index] : 0;
  for (const KnownSplit& each : form.splits) {
    bool same = each.joins == joins && each.joined == joined && each.zeros == zeros;
    for (size_t k = 0; same && k < operands.size(); ++k) same = lies_as(local_[operands[k]], each.operands[k]);
    if (same) return each.split;
  }
  std::vector<Placed> placed, results;
  KnownSplit found{{}, zeros, joins, joined, nullptr};
  for (size_t k = 0; k < operands.size(); ++k) {
    const int value = operands[k];
    placed.push_back({local_[value].type(), local_[value].sharding(), zeros[k],
                      [this, value](const Sharding& wanted) { return local_.has_copy(value, wanted); },
                      written_.of(values[k])});
    found.operands.push_back(placed[k].sharding);
  }
  for (size_t r = 0; r < node->results.size(); ++r)
    results.push_back({node->results[r], node->shardings[r], false, {}, written_.of_gradient(index), joined});
  const Arithmetic arithmetic{node->results.size() == 1 ? node->op->linear : graph::Linear::kNo, node->op->work, joins};
  IterationSplit split = split_iteration(*form.space, arithmetic, placed, results, *node->mesh, local_.ways());
  if (node->op == &ops::kReshape) keep_blocks(split, *node, found.operands[0]);
  const bool is_only = split.is_only;
  found.split = std::make_shared<const IterationSplit>(std::move(split));
  if (!is_only) return found.split;
  return form.splits.emplace_back(std::move(found)).split;
}

/// Lets a reshape keep the blocks of its operand, or those that its result's layout asks for, if that costs less.
void Decider::keep_blocks(IterationSplit& split, const graph::LaidOutOperation& reshape, const Sharding& has) {
  const TensorType &from = reshape.operands[0], &to = reshape.results[0];
  const auto cost = [&](const Sharding& operand, const Sharding& result) {
    const ReshardCost before = local_.ways().find(from, has, operand, *reshape.mesh)->cost;
    const ReshardCost after = local_.ways().find(to, result, reshape.shardings[0], *reshape.mesh)->cost;
    return std::pair(before.wire_bytes + after.wire_bytes, before.count + after.count);
  };
  auto least = cost(split.operands[0], split.results[0]);
  const auto consider = [&](std::optional<Sharding> operand, std::optional<Sharding> result) {
    if (!operand || !result) return;
    operand->partial = split.operands[0].partial, result->partial = split.results[0].partial;
    if ((operand->split() | result->split()) & (operand->partial | result->partial)) return;
    if (const auto now = cost(*operand, *result); now < least) {
      least = now;
      split.operands[0] = *operand, split.results[0] = *result;
      split.dims.assign(split.dims.size(), {});
    }
  };
  const Sharding& wanted = reshape.shardings[0];
  consider(reshaped_blocks(to.dims, wanted, from.dims, *reshape.mesh), wanted);
  consider(has, reshaped_blocks(from.dims, has, to.dims, *reshape.mesh));
}

/// True if the operation adds partial operands over the same axes, or if another such sum will be added to its result.
bool Decider::joins_sums(int index, const std::vector<int>& operands) const {
  const auto is_partial = [&](int value) { return local_[value].partial != 0; };
  const graph::Op& op = *graph_.operations[index].operation->op;
  if (op.role == graph::Role::kContraction) return false;
  if (op.linear == graph::Linear::kJoint && std::count_if(operands.begin(), operands.end(), is_partial) > 1)
    return true;
  return std::all_of(operands.begin(), operands.end(),
                     [&](int value) { return !(local_[value].partial & ~joined_[index]); });
}

// ---- which sums stay partial ---------------------------------------------------------------------------------------

ResultDecision Decider::result(graph::ProgramValue value, int outcome, ReasonRef reason) {
  ResultDecision decision{.outcome = outcome, .partial = local_[outcome].partial, .reason = std::move(reason)};
  if (decision.partial) decision.stays = stays_partial(value, local_[outcome].element, decision.partial);
  if (decision.stays != StaysPartial::kNo) return decision;
  decision.wanted = operation_of(value)->shardings[value.result];
  decision.resharding = local_.way_to(outcome, decision.wanted);
  return decision;
}

/// Decides whether a value that is partial over `axes` stays partial. Its only consumer must be linear in it and have a
/// result that is no larger. If the value's own layout splits it over `axes`, another condition must hold. Either the
/// consumer computes nothing, or another partial sum is added to the value, because one reduction costs less than two.
/// `cast_parts` rounds the parts of any sum.
StaysPartial Decider::stays_partial(graph::ProgramValue value, ElementType parts, AxisSet axes) const {
  if (is_term_alone(value, axes)) return parts == graph_.type(value).element ? StaysPartial::kTerm : StaysPartial::kNo;
  if (goes_to_owner_alone(value, axes)) return StaysPartial::kOwner;
  if (readers_.of(value).empty() && !readers_.is_root(value)) return StaysPartial::kUnread;
  const ProgramReaders::Read* read = readers_.only(value);
  if (!read) return StaysPartial::kNo;
  const graph::LaidOutOperation& reader = *graph_.operations[read->operation].operation;
  const TensorType& type = graph_.type(value);
  const bool rounds = reader.op == &ops::kCastParts;
  if ((graph_.sharding(value).split() & axes) && reader.op->role != graph::Role::kView && !rounds &&
      (axes & ~joined_of(value)))
    return StaysPartial::kNo;
  if (reader.op->linear == graph::Linear::kNo || !same_mesh(reader.mesh, graph_.mesh(value))) return StaysPartial::kNo;
  // A narrower element type would round the parts.
  if (parts != type.element || (!rounds && size_of(reader.results[0].element) < size_of(type.element)))
    return StaysPartial::kNo;
  return size_of(reader.results[0].dims) <= size_of(type.dims) ? StaysPartial::kConsumer : StaysPartial::kNo;
}

/// True if the value has no use other than as a slice that is stored in blocks over some of these axes. Its sum over
/// the axes then goes to the owner.
bool Decider::goes_to_owner_alone(graph::ProgramValue value, AxisSet axes) const {
  if (loop_.root_owners.empty() || !readers_.of(value).empty()) return false;
  const auto is_value = [&](graph::ProgramValue root) { return root == value; };
  const auto root = std::find_if(graph_.roots.begin(), graph_.roots.end(), is_value);
  if (root == graph_.roots.end() || std::any_of(root + 1, graph_.roots.end(), is_value)) return false;
  const AxisList& owners = loop_.root_owners[static_cast<size_t>(root - graph_.roots.begin())];
  return !owners.empty() && (owners.set() & ~axes) == 0;
}

/// True if the value has no use other than as a term of a sum over iterations, or as a slice that stays partial. It is
/// then reduced once, after the last iteration.
bool Decider::is_term_alone(graph::ProgramValue value, AxisSet axes) const {
  if (!region_ || !readers_.of(value).empty()) return false;
  int roots = 0;
  bool summed = false;
  for (size_t r = 0; r < graph_.roots.size(); ++r)
    if (graph_.roots[r] == value) {
      ++roots;
      summed = is_summed(r) || is_part_of_sum(r) || stays_in_parts(r, axes);
    }
  return summed && roots == 1;
}

bool Decider::becomes_term(graph::ProgramValue value, AxisSet axes) const {
  if (is_term_alone(value, axes)) return true;
  const ProgramReaders::Read* read = readers_.only(value);
  if (!read) return false;
  const graph::Op& reader = *graph_.operations[read->operation].operation->op;
  return reader.role == graph::Role::kView && reader.linear == graph::Linear::kEach &&
         becomes_term({read->operation, 0}, axes);
}

bool Decider::is_summed(size_t root) const {
  return region_ && static_cast<int32_t>(root) >= region_->carried + region_->stacked;
}

/// True for a root of a pipeline stage to which each micro-batch adds a part.
bool Decider::is_part_of_sum(size_t root) const {
  return !loop_.along.empty() && loop_.along[root] == graph::AlongMicro::kSum;
}

bool Decider::stays_in_parts(size_t root, AxisSet axes) const {
  return root < loop_.root_parts.size() && !(axes & ~loop_.root_parts[root]);
}

/// Returns the axes over which another sum is likely to be added to a value (spmd/partial_sums.h).
AxisSet Decider::joined_of(graph::ProgramValue value) const {
  if (!operation_of(value)->region) return joined_[value.source];
  return joined_sum_of(graph_, readers_, partial_, joined_, value);
}

bool Decider::more_terms_come(int index) const {
  return is_link_[index] && (joined_[index] || graph_.operations[index].operation->results[0].dims.empty());
}

// ---- roots and copies ----------------------------------------------------------------------------------------------

RootDecision Decider::root(size_t r, int value) {
  using Kind = RootDecision::Kind;
  const graph::ProgramValue root = graph_.roots[r];
  const AxisSet partial = local_[value].partial;
  if (is_summed(r)) return {.kind = Kind::kSum, .value = value};
  if (is_part_of_sum(r)) return {.kind = Kind::kPartial, .value = value};
  if (partial && stays_in_parts(r, partial) && local_[value].element == graph_.type(root).element &&
      is_term_alone(root, partial))
    return {.kind = Kind::kPartial, .value = value};
  if (r < loop_.root_owners.size() && !loop_.root_owners[r].empty()) {
    RootDecision to_owner{.kind = Kind::kOwner, .value = value, .wanted = graph_.sharding(root)};
    const AxisSet owners = loop_.root_owners[r].set();
    if ((owners & ~partial) == 0) to_owner.wanted.partial = owners;
    return to_owner;
  }
  const bool is_carried = region_ && static_cast<int32_t>(r) < region_->carried;
  RootDecision decision{.value = value, .wanted = graph_.sharding(is_carried ? graph::ProgramValue::input(r) : root)};
  decision.resharding = local_.way_to(value, decision.wanted);
  return decision;
}

std::vector<std::pair<int, int>> Decider::copies_for_gradients(
    const std::function<int(graph::ProgramValue)>& local_of) const {
  std::vector<std::pair<int, int>> kept;
  for (size_t i = 0; i < graph_.for_gradients.size(); ++i) {
    const graph::ProgramValue value = graph_.for_gradients[i];
    const int here = local_of(value);
    if (here < 0) continue;
    for (int copy : local_.brought(here))
      if (!local_[copy].partial && local_[copy].sharding() != graph_.sharding(value))
        kept.emplace_back(static_cast<int>(i), copy);
  }
  return kept;
}

// ---- operands and results of loops ---------------------------------------------------------------------------------

std::vector<AxisSet> Decider::partial_results(int loop) const {
  const graph::LaidOutOperation& node = *graph_.operations[loop].operation;
  const graph::Region& region = *node.region;
  std::vector<AxisSet> parts(node.results.size());
  if (!region.stages.empty() || region.hands_on) return parts;
  const std::vector<AxisSet> roots = partial_roots(region.iteration);
  // True if the only use of a value, behind views, is that its parts are rounded.
  const auto is_rounded = [&](graph::ProgramValue result) {
    while (const ProgramReaders::Read* read = readers_.only(result)) {
      const graph::Op& reader = *graph_.operations[read->operation].operation->op;
      if (&reader == &ops::kCastParts) return true;
      if (reader.role != graph::Role::kView || reader.linear != graph::Linear::kEach) return false;
      result = {read->operation, 0};
    }
    return false;
  };
  for (int32_t r = region.carried; r < region.carried + region.stacked; ++r) {
    const graph::ProgramValue value{loop, r};
    const bool is_whole = !(graph_.sharding(value).split() & roots[r]);
    const bool is_reduced_later =
        !(roots[r] & ~joined_of(value)) || (is_whole && (is_rounded(value) || becomes_term(value, roots[r])));
    if (roots[r] && is_reduced_later && owners_of_result(node, r).empty() &&
        stays_partial(value, graph_.type(value).element, roots[r]) != StaysPartial::kNo)
      parts[r] = roots[r];
  }
  return parts;
}

bool Decider::is_parameter(graph::ProgramValue operand) const {
  if (!operand.is_input()) return false;
  const auto input = static_cast<size_t>(operand.input());
  return region_ ? input < loop_.parameters.size() && loop_.parameters[input]
                 : operation_of(operand)->op == &ops::kAssign;
}

bool Decider::is_variable(graph::ProgramValue operand) const {
  return is_parameter(operand) || (!operand.is_input() && operation_of(operand)->op == &ops::kAssign);
}

}  // namespace mtf::spmd
