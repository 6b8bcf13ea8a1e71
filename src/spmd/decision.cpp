#include "spmd/decision.h"

#include <fmt/format.h>

#include <map>

#include "graph/op.h"
#include "spmd/local_text.h"
#include "support/own_names.h"
#include "support/text.h"

namespace mtf::spmd {
namespace {

/// Writes each decision as a line for the operation, with indented lines below for all that is not plain.
class DecisionWriter {
 public:
  DecisionWriter(const Decisions& decisions, std::string indent) : decisions_(decisions), indent_(std::move(indent)) {}

  std::string text() {
    for (const OperationDecision& decision : decisions_.operations) write(decision);
    std::vector<int> outputs;
    for (const RootDecision& root : decisions_.roots) {
      write(root);
      outputs.push_back(root.output);
    }
    for (const auto& [value, copy] : decisions_.kept_copies)
      line(fmt::format("{} is kept beside {} for later gradients", name(copy), name(value)));
    line(outputs.empty() ? "->" : "-> " + names(outputs));
    return std::move(text_);
  }

 private:
  void line(const std::string& text) { text_ += indent_ + text + "\n"; }
  void detail(const std::string& text) { line("  " + text); }
  const std::string& name(int value) const { return decisions_.names[value]; }
  const LocalValue& value(int index) const { return decisions_.values[index]; }
  std::string axes(AxisSet set, const LocalValue& of) const { return of.mesh->axes_to_string(set); }

  /// Returns the axes that split the dims of a value, some of which may be intervals.
  static Sharding split_of(const LocalValue& of) {
    Sharding sharding{{}, of.partial};
    for (const LocalDim& dim : of.dims) sharding.dims.push_back(dim.axes);
    return sharding;
  }

  /// `[batch=64/rows, io=32]`
  static std::string blocks(const LocalValue& of, const Sharding& sharding) {
    std::string text = of.mesh ? mtf::to_string(of.type(), sharding, *of.mesh) : mtf::to_string(of.type());
    return text.substr(text.find('['));
  }

  void write(const OperationDecision& decision) {
    const size_t before = text_.size();
    line(fmt::format("{}{}({})", results_of(decision), decision.node->op->name, names(decision.values)));
    const size_t details = text_.size();
    if (!decision.separate_terms.empty()) write_terms(decision);
    for (size_t k = 0; k < decision.reshardings.size(); ++k) write_operand(decision, k);
    if (decision.split) write_computation(decision);
    if (decision.loop) write_loop(decision);
    for (const ResultDecision& result : decision.results) write_result(result);
    if (decision.by == ComputedBy::kName && text_.size() == details) text_.resize(before);
  }

  std::string results_of(const OperationDecision& decision) const {
    std::vector<std::string> results;
    for (const ResultDecision& result : decision.results) {
      const LocalValue& of = value(result.outcome);
      results.push_back(of.dims.empty() ? name(result.outcome) : name(result.outcome) + " " + blocks(of, split_of(of)));
    }
    return results.empty() ? "" : join(results, ", ") + " = ";
  }

  std::string names(const std::vector<int>& values) const {
    std::vector<std::string> all;
    for (const int value : values) all.push_back(name(value));
    return join(all, ", ");
  }

  void write_terms(const OperationDecision& decision) {
    std::vector<std::string> terms;
    for (size_t k = 0; k < decision.values.size(); ++k)
      terms.push_back(fmt::format(
          "{} is a sum over {}", name(decision.values[k]),
          decision.separate_terms[k] ? decision.node->mesh->axes_to_string(decision.separate_terms[k]) : "no axis"));
    detail(fmt::format(
        "{}, {}", join(terms, ", "),
        decision.results.empty() ? "so the terms stay separate" : "so each gets its share of the others' axes"));
  }

  // ---- operands -----------------------------------------------------------------------------------------------------

  void write_operand(const OperationDecision& decision, size_t k) {
    const Resharding& resharding = decision.reshardings[k];
    if (resharding.kind == Resharding::Kind::kStays) return;
    const LocalValue& from = value(resharding.value);
    std::string text = fmt::format("reads {} as {}: {}", name(resharding.value), blocks(from, decision.wanted[k]),
                                   text_of(resharding));
    if (from.partial & ~decision.wanted[k].partial)
      text += fmt::format("; {} is a sum over {} that {} needs complete", name(resharding.value),
                          axes(from.partial, from), decision.node->op->name);
    detail(text);
  }

  std::string text_of(const Resharding& resharding) const {
    switch (resharding.kind) {
      case Resharding::Kind::kStays: return "as it is";
      case Resharding::Kind::kCopy: return fmt::format("copy {} exists", name(resharding.copy));
      case Resharding::Kind::kInputCopy: return "an earlier program has left this copy";
      case Resharding::Kind::kView:
        return fmt::format("with {}, {}", name(resharding.of->value), text_of(*resharding.of));
      case Resharding::Kind::kReshard: break;
    }
    std::vector<std::string> moves;
    for (const ReshardMove& move : resharding.way->moves) {
      std::string each(word_of(move.kind));
      if (move.axes) each += " over " + axes(move.axes, value(resharding.value));
      moves.push_back(std::move(each));
    }
    return join(moves, ", then ");
  }

  // ---- computation --------------------------------------------------------------------------------------------------

  /// Returns the name of a dim of the iteration space.
  static std::string dim_name(const graph::LaidOutOperation& node, const graph::IterationDim& dim) {
    for (size_t r = 0; r < dim.results.size(); ++r)
      if (dim.results[r] >= 0) return node.results[r].dims[dim.results[r]].name.str();
    for (size_t k = 0; k < dim.operands.size(); ++k)
      if (dim.operands[k] >= 0) return node.operands[k].dims[dim.operands[k]].name.str();
    return "a dim";
  }

  void write_computation(const OperationDecision& decision) {
    const graph::LaidOutOperation& node = *decision.node;
    if (decision.by == ComputedBy::kName) return;
    std::vector<std::string> split;
    const std::vector<graph::IterationDim>& dims = node.space().dims;
    for (size_t j = 0; j < dims.size(); ++j)
      if (!decision.split->dims[j].empty())
        split.push_back(dim_name(node, dims[j]) + "/" + axes_text(decision.split->dims[j], *node.mesh));
    if (!split.empty()) detail("splits " + join(split, ", "));
    if (decision.split->carried)
      detail("adds parts: operands and result are sums over " + node.mesh->axes_to_string(decision.split->carried));
    if (decision.shares_halo) detail("fetches the halo of its operand once for several windows");
    for (const Fetch& fetch : decision.fetches)
      detail(fmt::format("fetches what it needs of {} in {} from other blocks over {}",
                         node.operands[fetch.operand].dims[fetch.dim].name.str(), name(decision.values[fetch.operand]),
                         axes_text(fetch.axes, *node.mesh)));
    if (decision.by == ComputedBy::kTotals) detail("adds the totals of the blocks before its own");
    if (decision.by == ComputedBy::kIntervals)
      detail("exchanges intervals of the flattened dims, because blocks do not coincide");
    for (const int dim : decision.added_back)
      if (dim >= 0)
        detail(fmt::format("adds overlapping intervals of {} back to their blocks", dim_name(node, dims[dim])));
  }

  // ---- loops --------------------------------------------------------------------------------------------------------

  void write_loop(const OperationDecision& decision) {
    const LoopDecision& loop = *decision.loop;
    const graph::LaidOutOperation& node = *decision.node;
    if (loop.is_pipeline)
      detail(fmt::format("is a pipeline: iterations are split over {}, one micro-batch of {} after the other",
                         axes_text(node.region->stages, *node.mesh), node.region->micro.str()));
    for (size_t k = 0; k < loop.operand_owners.size(); ++k)
      if (!loop.operand_owners[k].empty())
        detail(fmt::format("slices of {} come from their owners over {}", name(decision.values[k]),
                           axes_text(loop.operand_owners[k], *node.mesh)));
    for (size_t k = 0; k < loop.copies.size() && k < decision.reshardings.size(); ++k)
      for (const Sharding& copy : loop.copies[k]) {
        const int operand = decision.reshardings[k].value;
        detail(fmt::format("iterations may read the copy {} of {}", blocks(value(operand), copy), name(operand)));
      }
    std::map<std::string, std::vector<std::string>> owned;  // by axes: indices of results
    for (size_t r = 0; r < loop.result_owners.size(); ++r)
      if (!loop.result_owners[r].empty())
        owned[axes_text(loop.result_owners[r], *node.mesh)].push_back(std::to_string(r));
    for (const auto& [over, results] : owned)
      detail(fmt::format("slices of results {} go to their owners over {}", join(results, ", "), over));
    for (size_t r = 0; r < loop.partial_results.size(); ++r)
      if (loop.partial_results[r])
        detail(fmt::format("slices of result {} stay partial over {} until the loop ends", r,
                           node.mesh->axes_to_string(loop.partial_results[r])));
    for (const int constant : loop.hoisted)
      detail(fmt::format("{} is resharded once, before the loop", name(constant)));
    detail("each iteration:");
    text_ += DecisionWriter(*loop.iteration, indent_ + "    ").text();
  }

  // ---- results and roots --------------------------------------------------------------------------------------------

  static std::string why(StaysPartial stays) {
    switch (stays) {
      case StaysPartial::kNo: return "";
      case StaysPartial::kUnread: return "nothing reads it";
      case StaysPartial::kConsumer: return "its only consumer is linear in it";
      case StaysPartial::kTerm: return "it is reduced after the last iteration";
      case StaysPartial::kOwner: return "its owner adds the parts";
    }
    return "";
  }

  void write_result(const ResultDecision& result) {
    const LocalValue& of = value(result.outcome);
    if (result.stays != StaysPartial::kNo)
      return detail(
          fmt::format("{} stays a sum over {}: {}", name(result.outcome), axes(result.partial, of), why(result.stays)));
    if (result.resharding.kind == Resharding::Kind::kStays) return;
    std::string text = fmt::format("{} gets its layout {}: {}", name(result.outcome), blocks(of, result.wanted),
                                   text_of(result.resharding));
    if ((result.partial & ~result.wanted.partial) && result.reason) text += "; " + mtf::spmd::to_string(*result.reason);
    detail(text);
  }

  void write(const RootDecision& root) {
    const LocalValue& of = value(root.value);
    const std::string begins = "result " + name(root.value);
    switch (root.kind) {
      case RootDecision::Kind::kSum: return line(begins + " is added to a sum over the iterations");
      case RootDecision::Kind::kPartial:
        return line(fmt::format("{} stays a sum over {} until the loop ends", begins, axes(of.partial, of)));
      case RootDecision::Kind::kOwner: return line(begins + " goes to the processor that owns the slice");
      case RootDecision::Kind::kLayout: break;
    }
    if (root.resharding.kind == Resharding::Kind::kStays) return;
    std::string text = fmt::format("{} as {}: {}", begins, blocks(of, root.wanted), text_of(root.resharding));
    if (of.partial & ~root.wanted.partial)
      text += fmt::format("; a sum over {} is completed", axes(of.partial & ~root.wanted.partial, of));
    line(text);
  }

  const Decisions& decisions_;
  const std::string indent_;
  std::string text_;
};

}  // namespace

std::string to_string(const Decisions& decisions) { return settled(DecisionWriter(decisions, "").text()); }

}  // namespace mtf::spmd
