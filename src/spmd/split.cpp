#include "spmd/split.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "ops/op.h"
#include "ops/registry.h"
#include "ops/scan.h"
#include "ops/shape.h"
#include "spmd/iteration.h"
#include "spmd/merge.h"
#include "spmd/reasons.h"
#include "spmd/remesh.h"
#include "spmd/reshard.h"
#include "spmd/work.h"
#include "support/diagnostics.h"

namespace mtf {
namespace {

class Splitter {
 public:
  explicit Splitter(const Program& program) : merged_(merge(program)), graph_(merged_.program), names_(names_of(graph_)) {
    readers_.resize(graph_.operations.size());
    is_root_.resize(graph_.operations.size());
    zero_.resize(graph_.operations.size());
    locals_.resize(graph_.operations.size());
    input_locals_.assign(graph_.inputs.size(), -1);
    for (size_t i = 0; i < graph_.operations.size(); ++i) {
      const size_t results = graph_.operations[i].operation->results.size();
      readers_[i].assign(results, Reader{});
      is_root_[i].assign(results, false);
      for (const ProgramValue& operand : graph_.operands_of(i)) {
        if (operand.is_input()) continue;
        Reader& reader = readers_[operand.source][operand.result];
        if (reader.first < 0) reader.first = static_cast<int>(i);
        reader.several = reader.several || reader.first != static_cast<int>(i);
      }
    }
    for (const ProgramValue& root : graph_.roots)
      if (!root.is_input()) is_root_[root.source][root.result] = true;
  }

  LocalProgram run() {
    for (size_t i = 0; i < graph_.operations.size(); ++i) lower(static_cast<int>(i));
    for (const ProgramValue& root : graph_.roots) {
      int value = local(root);
      program_.outputs.push_back({reshard(program_, ways_, value, graph_.sharding(root), of(root), "")});
    }
    for (const OperationRef& operation : merged_.whole) program_.unique_flops.add(work_of_whole(*operation));
    return std::move(program_);
  }

 private:
  /// The operations that read a value: the first, and whether there are others.
  struct Reader {
    int first = -1;
    bool several = false;
  };

  const OperationRef& of(ProgramValue value) const {
    return value.is_input() ? graph_.inputs[value.input()].operation : graph_.operations[value.source].operation;
  }

  // ---- values ----

  int new_value(LocalValue value) {
    program_.values.push_back(std::move(value));
    return static_cast<int>(program_.values.size()) - 1;
  }

  LocalValue make_local(const std::string& name, const LaidOutOperation& node, int result, const Sharding& sharding) const {
    LocalValue value;
    value.name = name;
    if (result > 0) value.name += "." + std::to_string(result);
    value.element = node.results[result].element;
    value.mesh = node.mesh;
    value.partial = sharding.partial;
    for (size_t i = 0; i < node.results[result].dims.size(); ++i)
      value.dims.push_back({node.results[result].dims[i], sharding.dims[i], false, {}});
    return value;
  }
  /// Of the operation that is being lowered.
  LocalValue make_local(const LaidOutOperation& node, int result, const Sharding& sharding) const { return make_local(names_[now_], node, result, sharding); }

  /// The local value that holds a value of the graph; an input is added where it is first asked for.
  int local(ProgramValue value) {
    if (!value.is_input()) {
      MTF_CHECK(value.result < static_cast<int>(locals_[value.source].size()), "{} is read before it is lowered", graph_.maker(value).op->name);
      return locals_[value.source][value.result];
    }
    int& index = input_locals_[value.input()];
    if (index >= 0) return index;
    return index = add_input(value.input(), graph_.inputs[value.input()].operation->mesh);
  }

  int add_input(int32_t which, const MeshPtr& mesh) {
    const ProgramInput& input = graph_.inputs[which];
    const std::string name = input.name.empty() ? std::string(input.operation->op->name) : input.name.str();
    LocalValue made = make_local(name, *input.operation, input.result, input.operation->shardings[input.result]);
    made.order = input.order;
    made.mesh = mesh;
    const int index = new_value(std::move(made));
    Instruction instruction;
    instruction.kind = InstructionKind::kInput;
    instruction.node = input.operation;
    instruction.input = which;
    instruction.results = {index};
    program_.instructions.push_back(std::move(instruction));
    program_.inputs.push_back(index);
    if (input.is_number) number_of_[index] = which;
    if (input.operation->origin == LayoutOrigin::kGiven) stored_.insert(index);
    return index;
  }

  /// Adds an instruction of `node`, which is the operation being lowered or a helper.
  void compute(const OperationRef& node, std::vector<int> operands, std::vector<int> results) {
    Instruction instruction;
    instruction.kind = InstructionKind::kCompute;
    instruction.node = node;
    if (node == graph_.operations[now_].operation) instruction.origin = graph_.operations[now_].origin;
    instruction.operands = std::move(operands);
    instruction.results = std::move(results);
    program_.instructions.push_back(std::move(instruction));
  }

  int collective(InstructionKind kind, const OperationRef& node, int operand, LocalValue result, AxisSet axes, Reduction reduction, std::string reason) {
    Instruction instruction;
    instruction.kind = kind;
    instruction.node = node;
    instruction.operands = {operand};
    instruction.axes = axes;
    instruction.reduction = reduction;
    instruction.reason = std::move(reason);
    int index = new_value(std::move(result));
    instruction.results = {index};
    program_.instructions.push_back(std::move(instruction));
    return index;
  }

  /// `value` in the sharding that an operation needs; a copy is shared by all that need the same.
  int bring(int value, const Sharding& wanted, const OperationRef& node, const std::string& reason) {
    if (program_.values[value].sharding() == wanted) return value;
    std::string wanted_key(reinterpret_cast<const char*>(&wanted.partial), sizeof wanted.partial);
    for (const AxisList& list : wanted.dims) wanted_key.append(reinterpret_cast<const char*>(&list), sizeof list);
    auto [at, fresh] = copies_.try_emplace({value, wanted_key}, -1);
    if (!fresh) return at->second;
    int copy;
    if (auto view = view_of_.find(value); view != view_of_.end()) {
      LocalValue renamed = program_.values[value];
      const int of = bring(view->second.operand, wanted, node, reason);
      const OperationRef operation = view->second.operation;
      for (size_t d = 0; d < renamed.dims.size(); ++d) renamed.dims[d].axes = wanted.dims[d];
      renamed.partial = wanted.partial;
      renamed.element = program_.values[of].element;
      copy = new_value(std::move(renamed));
      compute(operation, {of}, {copy});
    } else {
      copy = reshard(program_, ways_, value, wanted, node, reason);
    }
    copies_[{value, wanted_key}] = copy;
    return copy;
  }

  /// An operand that lies on another mesh: in the blocks that it has, where this mesh can name them; gathered over the
  /// axes there whose blocks it cannot.
  int onto_mesh(int value, const OperationRef& node) {
    if (same_mesh(program_.values[value].mesh, node->mesh)) return value;
    auto [at, fresh] = remeshed_.try_emplace({value, node->mesh.get()}, -1);
    if (!fresh) return at->second;
    if (auto number = number_of_.find(value); number != number_of_.end())  // it lies nowhere
      return remeshed_[{value, node->mesh.get()}] = add_input(number->second, node->mesh);
    const LocalValue& from = program_.values[value];
    const Remeshed blocks = from.mesh ? remeshed(from.type().dims, from.sharding(), *from.mesh, *node->mesh)
                                      : Remeshed{replicated(from.dims.size()), replicated(from.dims.size())};
    const int kept = bring(value, blocks.stays, node, "it is read on another mesh");
    LocalValue moved = program_.values[kept];
    moved.mesh = node->mesh;
    for (size_t d = 0; d < moved.dims.size(); ++d) moved.dims[d].axes = blocks.there.dims[d];
    const int result = collective(InstructionKind::kRemesh, node, kept, std::move(moved), 0, Reduction::kSum, "");
    remeshed_[{value, node->mesh.get()}] = result;
    return result;
  }

  // ---- one node ----

  /// A value that is partial over `axes` may stay so if the only operation that reads it is linear in it, gives no larger
  /// result, and has no more to do for it: not if the value's own layout splits it over them, unless nothing is computed.
  bool may_stay_partial(ProgramValue value, AxisSet axes) const {
    if (is_root_[value.source][value.result]) return false;
    const Reader& readers = readers_[value.source][value.result];
    if (readers.first < 0 || readers.several) return false;
    const LaidOutOperation& reader = *graph_.operations[readers.first].operation;
    const TensorType& type = graph_.type(value);
    if ((graph_.sharding(value).split() & axes) && !reader.op->view) return false;
    if (reader.op->linear == Linear::kNo || !same_mesh(reader.mesh, graph_.mesh(value))) return false;
    // A narrower element type would round the parts, and parts of bf16 are rounded once, after their reduction.
    if (type.element == ElementType::kBf16 || size_of(reader.results[0].element) < size_of(type.element)) return false;
    return size_of(reader.results[0].dims) <= size_of(type.dims);
  }

  void lower(int index) {
    now_ = index;
    const OperationRef node = graph_.operations[index].operation;
    const Op& op = *node->op;
    std::vector<int> operands;
    std::vector<Placed> placed, results;
    for (const ProgramValue& operand : graph_.operands_of(index)) {
      int value = onto_mesh(local(operand), node);
      operands.push_back(value);
      placed.push_back({program_.values[value].type(), program_.values[value].sharding(), !operand.is_input() && zero_[operand.source]});
    }
    zero_[index] = is_zero(*node) || (op.view && placed[0].zero);
    for (size_t r = 0; r < node->results.size(); ++r) results.push_back({node->results[r], node->shardings[r]});
    const IterationSpace space = op.space(*node);
    const IterationSplit split = split_iteration(space, {node->results.size() == 1 ? op.linear : Linear::kNo, op.work != Work::kNone}, placed, results, *node->mesh, ways_);
    for (size_t k = 0; k < operands.size(); ++k)
      operands[k] = bring(operands[k], split.operands[k], node, summed_reason(placed[k], *node, program_.values[operands[k]].name));

    std::vector<int> outcomes;
    if (op.view && node->results[0] == node->operands[0] && split.operands[0] == split.results[0]) {
      outcomes = {operands[0]};  // the same tensor under another name
    } else {
      outcomes = apply(node, space, split, operands);
      if (op.view && split.operands[0] == split.results[0] && !stored_.contains(operands[0])) view_of_[outcomes[0]] = {operands[0], node};
    }
    for (size_t r = 0; r < outcomes.size(); ++r) {
      int outcome = reduce_others(node, space, split, outcomes[r]);
      if (!program_.values[outcome].partial || !may_stay_partial({index, static_cast<int32_t>(r)}, program_.values[outcome].partial))
        outcome = rounded(bring(outcome, node->shardings[r], node, reduce_reason(*node, space, split)), node, static_cast<int>(r));
      locals_[index].push_back(outcome);
    }
  }

  /// Computes the node on blocks: fetches what crosses block edges, then applies the operation.
  std::vector<int> apply(const OperationRef& node, const IterationSpace& space, const IterationSplit& split, std::vector<int> operands) {
    std::vector<int> results;
    bool flat = false;
    for (size_t j = 0; j < space.dims.size(); ++j) {
      const IterationDim& dim = space.dims[j];
      if (split.dims[j].empty()) continue;
      if (dim.kind == SplitKind::kInterval)
        for (size_t k = 0; k < operands.size(); ++k)
          if (dim.operands[k] >= 0) operands[k] = fetch(node, operands[k], dim.operands[k], dim.maps[k], split.dims[j]);
      flat = flat || (dim.kind == SplitKind::kFactors && !blocks_coincide(*node, dim, split.dims[j]));
      if (dim.kind == SplitKind::kScan) return scan(node, split, operands[0]);
    }
    for (size_t r = 0; r < node->results.size(); ++r) results.push_back(new_value(make_local(*node, static_cast<int>(r), split.results[r])));
    if (split.carried || sums(space, split))
      for (int result : results)
        if (program_.values[result].partial && program_.values[result].element == ElementType::kBf16)
          program_.values[result].element = ElementType::kF32;  // parts are rounded once, after the reduction
    if (flat)
      reshape_by_intervals(node, space, split, operands[0], results[0]);
    else
      compute(node, operands, results);
    return results;
  }

  /// Sums of bf16 are f32 until they are complete.
  int rounded(int value, const OperationRef& node, int r) {
    if (program_.values[value].element == node->results[r].element) return value;
    Attributes attributes;
    attributes.element = node->results[r].element;
    const OperationRef cast = helper("cast", {{program_.values[value].element, node->results[r].dims}}, attributes, *node);
    LocalValue result = program_.values[value];
    result.element = node->results[r].element;
    int index = new_value(result);
    compute(cast, {value}, {index});
    return index;
  }

  static bool sums(const IterationSpace& space, const IterationSplit& split) {
    for (size_t j = 0; j < space.dims.size(); ++j)
      if (space.dims[j].kind == SplitKind::kReduce && space.dims[j].reduce == Reduction::kSum && !split.dims[j].empty()) return true;
    return false;
  }

  /// The part of an operand that the result's block needs along `axes`, from the processors that have it.
  int fetch(const OperationRef& node, int operand, int dim, const IntervalMap& map, const AxisList& axes) {
    if (map.stride == 1 && map.offset == 0 && map.window == 1 && !map.reversed && map.from == map.to) return operand;
    LocalValue result = program_.values[operand];
    const std::string name = result.dims[dim].dim.name.str();
    result.dims[dim] = {result.dims[dim].dim, axes, true, map};
    return collective(InstructionKind::kExchange, node, operand, std::move(result), axes.set(), Reduction::kSum,
                      name + " is split over " + axes_text(axes, *node->mesh) + ", and " + std::string(node->op->name) + " reads across blocks");
  }

  bool blocks_coincide(const LaidOutOperation& node, const IterationDim& dim, const AxisList& axes) const {
    const Dim& from = node.operands[0].dims[dim.operands[0]];
    const Dim& to = node.results[0].dims[dim.results[0]];
    if (from.size == to.size) return true;
    return splits_evenly(from.size, axes, *node.mesh) && splits_evenly(to.size, axes, *node.mesh);
  }

  /// A reshape whose blocks do not coincide: the dims of each such group become one, intervals of it are exchanged, and
  /// it becomes the result's dims.
  void reshape_by_intervals(const OperationRef& node, const IterationSpace& space, const IterationSplit& split, int operand, int result) {
    const Dims& from = node->operands[0].dims;
    const Dims& to = node->results[0].dims;
    LocalValue flat = program_.values[operand];
    std::vector<LocalDim> flat_dims, wanted_dims;
    size_t i = 0, o = 0;  // both walk the groups in order; sizes of a group multiply to the same
    int number = 0;
    while (i < from.size() || o < to.size()) {
      int64_t a = 1, b = 1;
      size_t i0 = i, o0 = o;
      if (i < from.size()) a = from[i++].size;
      if (o < to.size()) b = to[o++].size;
      while (a != b) {
        if ((a < b && i < from.size()) || o == to.size()) a *= from[i++].size;
        else b *= to[o++].size;
      }
      const Dim dim{Name("flat" + std::to_string(++number)), a};
      LocalDim have{dim, {}, false, {}}, want{dim, {}, false, {}};
      for (size_t j = 0; j < space.dims.size(); ++j) {
        const IterationDim& it = space.dims[j];
        if (split.dims[j].empty() || it.operands[0] < static_cast<int>(i0) || it.operands[0] >= static_cast<int>(i)) continue;
        const int64_t n_from = from[it.operands[0]].size, n_to = to[it.results[0]].size;
        have = {dim, split.dims[j], true, IntervalMap{a / n_from, 0, a / n_from, false, false, n_from, a}};
        want = {dim, split.dims[j], true, IntervalMap{a / n_to, 0, a / n_to, false, false, n_to, a}};
      }
      (void)o0;
      flat_dims.push_back(have);
      wanted_dims.push_back(want);
    }
    flat.name += ".flat";
    flat.dims = flat_dims;
    int here = new_value(flat);
    compute(node, {operand}, {here});
    for (size_t d = 0; d < flat_dims.size(); ++d) {
      if (flat_dims[d] == wanted_dims[d]) continue;
      LocalValue moved = program_.values[here];
      moved.dims[d] = wanted_dims[d];
      here = collective(InstructionKind::kExchange, node, here, std::move(moved), wanted_dims[d].axes.set(), Reduction::kSum,
                        "blocks of " + to_string(from) + " and " + to_string(to) + " do not coincide over " + axes_text(wanted_dims[d].axes, *node->mesh));
    }
    compute(node, {here}, {result});
  }

  /// A running sum over a split dim: ops/scan.h.
  std::vector<int> scan(const OperationRef& node, const IterationSplit& split, int operand) {
    const AxisList axes = split.operands[0].dims[scan_dim(*node)];
    LocalValue local_sum = make_local(*node, 0, split.results[0]);
    local_sum.name += ".local";
    int local_index = new_value(local_sum);
    compute(node, {operand}, {local_index});
    const Dim blocks{Name("scan.blocks"), node->mesh->group_size(axes.set())};
    const OperationRef total = helper("block_total", {node->operands[0]}, block_total_attributes(*node, blocks), *node);
    LocalValue own;
    own.name = local_sum.name + ".total";
    own.element = total->results[0].element;
    own.mesh = node->mesh;
    own.partial = split.carried;
    for (const Dim& dim : total->results[0].dims) {
      int at = find_dim(node->operands[0].dims, dim.name);
      own.dims.push_back({dim, at >= 0 ? split.operands[0].dims[at] : axes, false, {}});
    }
    int own_index = new_value(own);
    compute(total, {operand}, {own_index});
    LocalValue all = own;
    all.name += "s";
    for (LocalDim& dim : all.dims)
      if (dim.dim == blocks) dim.axes = {};
    int all_index = collective(InstructionKind::kAllGather, node, own_index, all, axes.set(), Reduction::kSum,
                               "a running sum needs the totals of the other blocks over " + axes_text(axes, *node->mesh));
    const OperationRef add = helper("add_totals", {node->results[0], total->results[0], total->results[0]}, add_totals_attributes(*node), *node);
    int result = new_value(make_local(*node, 0, split.results[0]));
    compute(add, {local_index, all_index, own_index}, {result});
    return {result};
  }

  static OperationRef helper(std::string_view op, std::vector<TensorType> operands, Attributes attributes, const LaidOutOperation& of) {
    auto operation = std::make_shared<LaidOutOperation>();
    operation->op = find_op(op);
    operation->operands = std::move(operands);
    operation->attributes = std::move(attributes);
    operation->mesh = of.mesh;
    operation->span = of.span;
    operation->results = operation->op->infer(*operation);
    return operation;
  }

  /// Kinds of reduction that are not sums are not carried: the parts are joined at once, over all axes of a kind together.
  int reduce_others(const OperationRef& node, const IterationSpace& space, const IterationSplit& split, int value) {
    std::map<Reduction, AxisSet> axes;
    for (size_t j = 0; j < space.dims.size(); ++j)
      if (space.dims[j].kind == SplitKind::kReduce && space.dims[j].reduce != Reduction::kSum) axes[space.dims[j].reduce] |= split.dims[j].set();
    for (const auto& [reduction, over] : axes) {
      if (!over) continue;
      LocalValue result = program_.values[value];
      result.partial &= ~over;
      value = collective(InstructionKind::kAllReduce, node, value, std::move(result), over, reduction, reduce_reason(*node, space, split));
    }
    return value;
  }

  const MergedProgram merged_;
  const Program& graph_;
  const std::vector<std::string> names_;
  LocalProgram program_;
  ReshardWays ways_;
  int now_ = 0;                                   ///< the operation that is being lowered
  std::vector<std::vector<Reader>> readers_;      ///< for each result of each operation
  std::vector<std::vector<bool>> is_root_;
  std::vector<bool> zero_;                        ///< of each operation: its result is a constant zero
  std::vector<std::vector<int>> locals_;
  std::vector<int> input_locals_;
  std::map<std::pair<int, std::string>, int> copies_;
  std::map<std::pair<int, const Mesh*>, int> remeshed_;
  /// A value that is another's memory under other names: the other, and the operation that renames it.
  struct View {
    int operand;
    OperationRef operation;
  };
  std::unordered_map<int, View> view_of_;
  std::unordered_set<int> stored_;                ///< local values that are parameters with a layout that `@` gave
  std::unordered_map<int, int32_t> number_of_;    ///< local values that are numbers of the host: which input
};

}  // namespace

LocalProgram split(const Program& program) { return Splitter(program).run(); }

}  // namespace mtf
