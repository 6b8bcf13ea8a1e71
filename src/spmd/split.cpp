#include "spmd/split.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "graph/op.h"
#include "ops/record.h"
#include "ops/shape.h"
#include "spmd/across_blocks.h"
#include "spmd/halos.h"
#include "spmd/iteration.h"
#include "spmd/local_builder.h"
#include "spmd/merge.h"
#include "spmd/reasons.h"
#include "spmd/work.h"
#include "support/diagnostics.h"

namespace mtf {
namespace {

class Splitter {
 public:
  explicit Splitter(const Program& program) : merged_(merge(program)), graph_(merged_.program), names_(names_of(graph_)), local_(graph_), halos_(graph_) {
    zero_.resize(graph_.operations.size());
    input_locals_.assign(graph_.inputs.size(), -1);
    first_result_.reserve(graph_.operations.size());
    size_t results = 0;
    for (const ProgramOperation& entry : graph_.operations) {
      first_result_.push_back(results);
      results += entry.operation->results.size();
    }
    readers_.resize(results);
    is_root_.resize(results);
    locals_.assign(results, -1);
    for (size_t i = 0; i < graph_.operations.size(); ++i)
      for (const ProgramValue& operand : graph_.operands_of(i)) {
        if (operand.is_input()) continue;
        Reader& reader = readers_[at(operand)];
        if (reader.first < 0) reader.first = static_cast<int>(i);
        reader.several = reader.several || reader.first != static_cast<int>(i);
      }
    for (const ProgramValue& root : graph_.roots)
      if (!root.is_input()) is_root_[at(root)] = true;
    for (size_t i = 0; i < graph_.operations.size(); ++i) is_term_.push_back(joins_numbers(i) && only_joined({static_cast<int32_t>(i), 0}));
  }

  LocalProgram run() {
    for (size_t i = 0; i < graph_.operations.size(); ++i)
      if (!is_term_[i]) lower_sum(static_cast<int>(i));
    std::vector<int> outputs;
    for (const ProgramValue& root : graph_.roots) outputs.push_back(local_.bring(local(root), graph_.sharding(root), of(root), ""));
    const std::vector<std::pair<int, int>> kept = copies_for_gradients();
    LocalProgram result = local_.take();
    for (int output : outputs) result.outputs.push_back({output});
    for (const auto& [place, copy] : kept) {
      result.outputs.push_back({copy});
      result.copied.push_back(place);
    }
    halos_.leave_out_unread(result);
    std::unordered_map<int32_t, int64_t> times;
    for (const MergedProgram::Whole& each : merged_.whole) ++times[each.form];
    for (const MergedProgram::Whole& each : merged_.whole)
      if (int64_t& all = times[each.form]) result.unique_flops.add(work_of_whole(*each.operation).times(std::exchange(all, 0)));
    return result;
  }

 private:
  /// What is kept of the values of Program::for_gradients: which of them, and a copy.
  std::vector<std::pair<int, int>> copies_for_gradients() const {
    std::vector<std::pair<int, int>> kept;
    for (size_t i = 0; i < graph_.for_gradients.size(); ++i) {
      const ProgramValue value = graph_.for_gradients[i];
      const int here = value.is_input() ? input_locals_[value.input()] : locals_[at(value)];
      if (here < 0) continue;
      for (int copy : local_.brought(here))
        if (!local_[copy].partial && local_[copy].sharding() != graph_.sharding(value)) kept.emplace_back(static_cast<int>(i), copy);
    }
    return kept;
  }

  /// The operations that read a value: the first, and whether there are others.
  struct Reader {
    int first = -1;
    bool several = false;
  };

  /// How an operation whose operands lay so was split, where it could not be otherwise, whatever copies there are.
  struct KnownSplit {
    std::vector<Sharding> operands;
    std::vector<bool> zeros;
    IterationSplit split;
  };

  /// What is known of all operations of a form.
  struct OfForm {
    const IterationSpace* space = nullptr;
    std::vector<KnownSplit> splits;
  };

  /// The number of a result of an operation among all of the program.
  size_t at(ProgramValue value) const { return first_result_[value.source] + static_cast<size_t>(value.result); }

  const OperationRef& of(ProgramValue value) const {
    return value.is_input() ? graph_.inputs[value.input()].operation : graph_.operations[value.source].operation;
  }

  /// The local value that holds a value of the graph; an input is added where it is first asked for.
  int local(ProgramValue value) {
    if (!value.is_input()) {
      MTF_CHECK(locals_[at(value)] >= 0, "{} is read before it is lowered", graph_.maker(value).op->name);
      return locals_[at(value)];
    }
    int& index = input_locals_[value.input()];
    if (index < 0) index = local_.add_input(value.input(), graph_.inputs[value.input()].operation->mesh);
    return index;
  }

  /// A value that is partial over `axes` may stay so if the only operation that reads it is linear in it, gives no larger
  /// result, and has no more to do for it: not if the value's own layout splits it over them, unless nothing is computed.
  bool may_stay_partial(ProgramValue value, ElementType parts, AxisSet axes) const {
    if (is_root_[at(value)]) return false;
    const Reader& readers = readers_[at(value)];
    if (readers.first < 0 || readers.several) return false;
    const LaidOutOperation& reader = *graph_.operations[readers.first].operation;
    const TensorType& type = graph_.type(value);
    if ((graph_.sharding(value).split() & axes) && !reader.op->view) return false;
    if (reader.op->linear == Linear::kNo || !same_mesh(reader.mesh, graph_.mesh(value))) return false;
    // A narrower element type would round the parts.
    if (parts != type.element || size_of(reader.results[0].element) < size_of(type.element)) return false;
    return size_of(reader.results[0].dims) <= size_of(type.dims);
  }

  // ---- sums of numbers ----

  bool adds(size_t i) const { return graph_.operations[i].operation->op == &ops::kAdd; }

  /// An addition of two tensors without dims, such as a norm or a loss that is put together from many parts; or another
  /// name of one.
  bool joins_numbers(size_t i) const {
    const LaidOutOperation& operation = *graph_.operations[i].operation;
    if (!(adds(i) || operation.op->view) || !is_float(operation.results[0].element) || !operation.results[0].dims.empty()) return false;
    return std::all_of(operation.operands.begin(), operation.operands.end(), [&](const TensorType& type) { return type == operation.results[0]; });
  }

  /// Nothing reads the value but another such operation, once.
  bool only_joined(ProgramValue value) const {
    const Reader& reader = readers_[at(value)];
    if (is_root_[at(value)] || reader.first < 0 || reader.several || !joins_numbers(reader.first)) return false;
    const std::span<const ProgramValue> operands = graph_.operands_of(reader.first);
    return !(operands[0] == operands.back() && operands.size() > 1) && same_mesh(graph_.mesh(value), graph_.operations[reader.first].operation->mesh);
  }

  /// Lowers an operation, and with an addition of numbers those that only make terms of it. Where terms are partial over
  /// different axes, those of the same axes are added first, then all together, so that the sum is reduced once.
  void lower_sum(int top) {
    if (!joins_numbers(top)) return lower(top);
    std::vector<int> parts;
    std::vector<ProgramValue> terms, next{{top, 0}};
    while (!next.empty()) {
      const ProgramValue value = next.back();
      next.pop_back();
      if (value.is_input() || (value.source != top && !is_term_[value.source])) {
        terms.push_back(value);
        continue;
      }
      parts.push_back(value.source);
      const std::span<const ProgramValue> operands = graph_.operands_of(value.source);
      next.insert(next.end(), operands.rbegin(), operands.rend());
    }
    std::sort(parts.begin(), parts.end());
    const auto last = std::find_if(parts.rbegin(), parts.rend(), [&](int part) { return adds(part); });
    if (terms.size() > 2 && add_by_axes(top, *last, terms)) return;
    for (int part : parts) lower(part);
  }

  /// `addition`: the last of the sum. False where it makes no difference.
  bool add_by_axes(int top, int addition, const std::vector<ProgramValue>& terms) {
    const OperationRef& node = graph_.operations[addition].operation;
    std::vector<std::pair<int, AxisSet>> values;
    AxisSet all = 0, common = ~AxisSet{0};
    int partial = 0, whole = 0, zeros = 0;
    for (const ProgramValue& term : terms) {
      const int value = local_.onto_mesh(local(term), node);
      if (local_[value].element != node->results[0].element) return false;
      const AxisSet axes = local_[value].partial;
      all |= axes;
      if (axes) common &= axes;
      ++(axes ? partial : is_zero(term) ? zeros : whole);
      values.emplace_back(value, axes);
    }
    if (partial < 2 || (common == all && whole == 0)) return false;
    std::map<AxisSet, int> sums;
    for (size_t i = 0; i < terms.size(); ++i) {
      const AxisSet axes = values[i].second == 0 && is_zero(terms[i]) ? all : values[i].second;
      auto [sum, fresh] = sums.try_emplace(axes, values[i].first);
      if (!fresh) sum->second = added(addition, sum->second, values[i].first, axes);
    }
    int sum = -1;
    for (const auto& [axes, value] : sums) {
      if (axes == 0) continue;
      const int part = axes == all ? value : shared_out(addition, value, all);
      sum = sum < 0 ? part : added(addition, sum, part, all);
    }
    if (whole > 0)
      sum = added(addition, local_.bring(sum, node->shardings[0], node, sum_reason(all, *node->mesh)), sums.at(0), 0);
    else if (!may_stay_partial({top, 0}, local_[sum].element, all))
      sum = local_.bring(sum, node->shardings[0], node, sum_reason(all, *node->mesh));
    locals_[first_result_[top]] = sum;
    return true;
  }

  bool is_zero(ProgramValue value) const { return !value.is_input() && zero_[value.source]; }

  int added(int addition, int a, int b, AxisSet partial) {
    const ProgramOperation& entry = graph_.operations[addition];
    const int sum = local_.add(block_of_result(names_[addition], *entry.operation, 0, Sharding{{}, partial}));
    local_.compute(entry.operation, {a, b}, {sum}, entry.origin);
    return sum;
  }

  /// A number that is partial over some axes, as one that is partial over `all`: each processor along the others has its
  /// share of it.
  int shared_out(int addition, int value, AxisSet all) {
    const LaidOutOperation& node = *graph_.operations[addition].operation;
    const TensorType& type = node.results[0];
    const double share = 1.0 / static_cast<double>(node.mesh->group_size(all & ~local_[value].partial));
    const OperationRef number = helper_operation(ops::kTensor, {}, {.dims = {}, .ints = {}, .element = type.element}, node, {share});
    const int factor = local_.add(block_of_result(names_[addition] + ".share", *number, 0, Sharding{}));
    local_.compute(number, {}, {factor});
    const int result = local_.add(block_of_result(names_[addition], node, 0, Sharding{{}, all}));
    local_.compute(helper_operation(ops::kScale, {type, type}, {}, node), {value, factor}, {result});
    return result;
  }

  // ---- one operation ----

  void lower(int index) {
    const ProgramOperation& entry = graph_.operations[index];
    const OperationRef& node = entry.operation;
    const Op& op = *node->op;
    local_.set_backward(entry.replica != 0 || !node->written);  // gradients are what no program wrote
    std::vector<int> operands;
    operands.reserve(static_cast<size_t>(entry.operand_count));
    for (const ProgramValue& operand : graph_.operands_of(index)) operands.push_back(local_.onto_mesh(local(operand), node));
    zero_[index] = mtf::is_zero(*node) || (op.view && is_zero(graph_.operands_of(index)[0]));
    local_.in_replica(entry.replica);
    OfForm& form = of_form(index);
    const IterationSpace& space = *form.space;
    const IterationSplit& split = split_of(form, index, operands);
    for (size_t k = 0; k < operands.size(); ++k)
      operands[k] = local_.bring(operands[k], split.operands[k], node, summed_reason(local_[operands[k]], *node));

    std::vector<int> outcomes;
    if (op.view && node->results[0] == node->operands[0] && split.operands[0] == split.results[0]) {
      outcomes = {operands[0]};  // the same tensor under another name
    } else {
      outcomes = apply(index, {node, space, split, names_[index], entry.origin}, operands);
      if (op.view && split.operands[0] == split.results[0]) local_.is_view(outcomes[0], operands[0], node);
    }
    for (size_t r = 0; r < outcomes.size(); ++r) {
      int outcome = reduce_others(node, space, split, outcomes[r]);
      if (!local_[outcome].partial || !may_stay_partial({index, static_cast<int32_t>(r)}, local_[outcome].element, local_[outcome].partial))
        outcome = rounded(local_.bring(outcome, node->shardings[r], node, reduce_reason(*node, space, split)), node, static_cast<int>(r));
      locals_[at({index, static_cast<int32_t>(r)})] = outcome;
    }
  }

  OfForm& of_form(int index) {
    const auto [at, fresh] = forms_.try_emplace(merged_.forms[index]);
    if (fresh) at->second.space = &graph_.operations[index].operation->space();
    return at->second;
  }

  /// How an operation of a form is split whose operands are these values; good until the next is asked for.
  const IterationSplit& split_of(OfForm& form, int index, const std::vector<int>& operands) {
    const OperationRef& node = graph_.operations[index].operation;
    const std::span<const ProgramValue> values = graph_.operands_of(index);
    for (const KnownSplit& each : form.splits) {
      bool same = true;
      for (size_t k = 0; same && k < operands.size(); ++k) same = lies_as(local_[operands[k]], each.operands[k]) && is_zero(values[k]) == each.zeros[k];
      if (same) return each.split;
    }
    std::vector<Placed> placed, results;
    KnownSplit found;
    for (size_t k = 0; k < operands.size(); ++k) {
      const int value = operands[k];
      placed.push_back({local_[value].type(), local_[value].sharding(), is_zero(values[k]),
                        [this, value](const Sharding& wanted) { return local_.has_copy(value, wanted); }});
      found.operands.push_back(placed[k].sharding);
      found.zeros.push_back(placed[k].zero);
    }
    for (size_t r = 0; r < node->results.size(); ++r) results.push_back({node->results[r], node->shardings[r]});
    const Arithmetic arithmetic{node->results.size() == 1 ? node->op->linear : Linear::kNo, node->op->work};
    found.split = split_iteration(*form.space, arithmetic, placed, results, *node->mesh, local_.ways());
    if (found.split.is_only) return form.splits.emplace_back(std::move(found)).split;
    return chosen_ = std::move(found.split);
  }

  /// Computes the operation on blocks: fetches what crosses block edges, then applies it.
  std::vector<int> apply(int index, const Lowering& of, std::vector<int> operands) {
    const LaidOutOperation& node = *of.node;
    const int with_halos = halos_.fetched(index, local_, of, operands.empty() ? -1 : operands[0]);
    if (with_halos >= 0) operands[0] = with_halos;
    bool flat = false;
    for (size_t j = 0; j < of.space.dims.size(); ++j) {
      const IterationDim& dim = of.space.dims[j];
      const AxisList& axes = of.split.dims[j];
      if (axes.empty()) continue;
      if (dim.kind == SplitKind::kInterval && with_halos < 0)
        for (size_t k = 0; k < operands.size(); ++k)
          if (dim.operands[k] >= 0) operands[k] = fetch(local_, of, operands[k], dim.operands[k], dim.maps[k], axes);
      flat = flat || (dim.kind == SplitKind::kFactors && !blocks_coincide(node, dim, axes));
      if (dim.kind == SplitKind::kScan) return {scan(local_, of, operands[0])};
    }
    std::vector<int> results;
    for (size_t r = 0; r < node.results.size(); ++r) {
      LocalValue result = block_of_result(of.name, node, static_cast<int>(r), of.split.results[r]);
      if (sums_unrounded(of) && result.partial && result.element == ElementType::kBf16)
        result.element = ElementType::kF32;  // parts are rounded once, after the reduction
      results.push_back(local_.add(std::move(result)));
    }
    if (flat) reshape_by_intervals(local_, of, operands[0], results[0]);
    else local_.compute(of.node, operands, results, of.origin);
    return results;
  }

  static bool sums_unrounded(const Lowering& of) {
    for (size_t j = 0; j < of.space.dims.size(); ++j) {
      const IterationDim& dim = of.space.dims[j];
      if (dim.kind == SplitKind::kReduce && dim.reduce == Reduction::kSum && !dim.rounds_parts && (of.split.carried || !of.split.dims[j].empty())) return true;
    }
    return false;
  }

  /// Sums of bf16 are f32 until they are complete, but where their parts are rounded.
  int rounded(int value, const OperationRef& node, int r) {
    if (local_[value].element == node->results[r].element) return value;
    Attributes attributes;
    attributes.element = node->results[r].element;
    const OperationRef cast = helper_operation(ops::kCast, {{local_[value].element, node->results[r].dims}}, attributes, *node);
    LocalValue result = local_[value];
    result.element = node->results[r].element;
    const int index = local_.add(std::move(result));
    local_.compute(cast, {value}, {index});
    return index;
  }

  /// Kinds of reduction that are not sums are not carried: the parts are joined at once, over all axes of a kind together.
  int reduce_others(const OperationRef& node, const IterationSpace& space, const IterationSplit& split, int value) {
    std::map<Reduction, AxisSet> axes;
    for (size_t j = 0; j < space.dims.size(); ++j)
      if (space.dims[j].kind == SplitKind::kReduce && space.dims[j].reduce != Reduction::kSum) axes[space.dims[j].reduce] |= split.dims[j].set();
    for (const auto& [reduction, over] : axes) {
      if (!over) continue;
      LocalValue result = local_[value];
      result.partial &= ~over;
      value = local_.collective(InstructionKind::kAllReduce, node, value, std::move(result), over, reduction, reduce_reason(*node, space, split));
    }
    return value;
  }

  const MergedProgram merged_;
  const Program& graph_;
  const std::vector<std::string> names_;
  LocalBuilder local_;
  Halos halos_;
  std::vector<size_t> first_result_;  ///< for each operation: at() of its first result
  std::vector<Reader> readers_;       ///< for each result of each operation
  std::vector<bool> is_root_;
  std::vector<bool> is_term_;  ///< of each operation: lowered with the sum that it is a part of
  std::vector<bool> zero_;     ///< of each operation: its result is a constant zero
  std::vector<int> locals_;    ///< the local value that holds each result, or -1
  std::vector<int> input_locals_;
  std::unordered_map<int32_t, OfForm> forms_;
  IterationSplit chosen_;  ///< the latest that is in none of them
};

}  // namespace

LocalProgram split(const Program& program) { return Splitter(program).run(); }

}  // namespace mtf
