#include "spmd/merge.h"

#include <string>
#include <unordered_map>

#include "graph/op.h"
#include "ops/builder.h"
#include "ops/record.h"
#include "spmd/carry_splits.h"
#include "spmd/sink_layouts.h"
#include "support/diagnostics.h"

namespace mtf {
namespace {

template <typename T>
void append(std::string& key, const T& value) {
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

using ProgramValues = std::vector<ProgramValue>;

class Merger {
 public:
  explicit Merger(const Program& from) {
    Program& program = result_.program;
    program.inputs = from.inputs;
    program.operations.reserve(from.operations.size());
    program.operands.reserve(from.operands.size());
    known_.reserve(from.operations.size());
    for (ProgramInput& input : program.inputs) input.is_own = false;
    std::vector<const ProgramValues*> stands_for(from.operations.size());
    auto resolve = [&](ProgramValue value) { return value.is_input() ? value : (*stands_for[value.source])[value.result]; };
    ProgramValues operands;
    for (size_t i = 0; i < from.operations.size(); ++i) {
      operands.clear();
      for (const ProgramValue& operand : from.operands_of(i)) operands.push_back(resolve(operand));
      stands_for[i] = &add(from.operations[i], operands, true);
    }
    for (const ProgramValue& root : from.roots) program.roots.push_back(resolve(root));
    for (const ProgramValue& value : from.for_gradients) program.for_gradients.push_back(resolve(value));
  }

  MergedProgram take() { return std::move(result_); }

 private:
  /// Everything that makes two applications of one operation to the same operands differ.
  void make_key(const ProgramOperation& entry, const ProgramValues& operands) {
    const LaidOutOperation& operation = *entry.operation;
    std::string& key = key_;
    key.clear();
    append(key, operation.op);
    append(key, entry.replica);
    append(key, operation.mesh.get());
    append(key, operation.attributes.element);
    append(key, operation.attributes.dims.size());
    for (const Dim& dim : operation.attributes.dims) {
      append(key, dim.name.id());
      append(key, dim.size);
    }
    append(key, operation.attributes.ints.size());
    for (int64_t number : operation.attributes.ints) append(key, number);
    append(key, operation.inputs.size());
    for (double number : operation.inputs) append(key, number);
    for (const ProgramValue& operand : operands) append(key, operand);
    for (size_t r = 0; r < operation.results.size(); ++r) {
      append(key, operation.results[r].element);
      for (const AxisList& list : operation.shardings[r].dims) append(key, list);
      for (const Dim& dim : operation.results[r].dims) append(key, dim.name.id());
    }
  }

  /// The values that stand for the operation's results; they stay where they are when others are added.
  const ProgramValues& add(const ProgramOperation& entry, const ProgramValues& operands, bool of_program) {
    Program& program = result_.program;
    make_key(entry, operands);
    auto [at, fresh] = known_.try_emplace(key_);
    ProgramValues& results = at->second;
    if (!fresh) {
      const ProgramValue first = results.front();
      if (!first.is_input() && program.operations[first.source].name.empty()) program.operations[first.source].name = entry.name;
      return results;
    }
    if (of_program) result_.whole.push_back(entry.operation);
    if (entry.operation->op->expand) {
      if (const int64_t blocks = expanded_blocks(*entry.operation, operands); blocks > 0) return results = expand(entry, operands, blocks);
    }
    const auto index = static_cast<int32_t>(program.operations.size());
    ProgramOperation added = entry;
    if (!of_program) added.origin = -1;
    added.first_operand = static_cast<int32_t>(program.operands.size());
    program.operands.insert(program.operands.end(), operands.begin(), operands.end());
    program.operations.push_back(std::move(added));
    results.reserve(entry.operation->results.size());
    for (size_t r = 0; r < entry.operation->results.size(); ++r) results.push_back({index, static_cast<int32_t>(r)});
    return results;
  }

  /// In how many blocks a dim is split that the operation cannot bear to be split; 0 if there is none.
  int64_t expanded_blocks(const LaidOutOperation& operation, const ProgramValues& operands) const {
    const Program& program = result_.program;
    AxisSet axes = 0;
    bool split = false;
    for (const IterationDim& dim : operation.op->space(operation).dims) {
      if (dim.kind != SplitKind::kExpand) continue;
      for (size_t k = 0; k < operands.size(); ++k) {
        if (dim.operands[k] < 0 || !same_mesh(program.mesh(operands[k]), operation.mesh)) continue;
        const AxisList& list = program.sharding(operands[k]).dims[dim.operands[k]];
        split = split || !list.empty();
        axes |= list.set();
      }
      for (size_t r = 0; r < operation.results.size(); ++r) split = split || (dim.results[r] >= 0 && !operation.shardings[r].dims[dim.results[r]].empty());
    }
    return split ? operation.mesh->group_size(axes) : 0;
  }

  ProgramValues expand(const ProgramOperation& entry, const ProgramValues& operands, int64_t blocks) {
    Program& program = result_.program;
    std::vector<ExpandedOperand> lie;
    for (const ProgramValue& operand : operands) {
      if (same_mesh(program.mesh(operand), entry.operation->mesh)) lie.push_back({program.sharding(operand), program.inherited(operand)});
      else lie.push_back({replicated(program.type(operand).dims.size()), 0});
    }
    const Program parts = expansion_of(*entry.operation, lie, blocks);
    ProgramValues inputs(operands);
    for (size_t i = operands.size(); i < parts.inputs.size(); ++i) inputs.push_back(own_number(parts.inputs[i]));
    std::vector<const ProgramValues*> stands_for(parts.operations.size());
    auto resolve = [&](ProgramValue value) { return value.is_input() ? inputs[value.input()] : (*stands_for[value.source])[value.result]; };
    for (size_t i = 0; i < parts.operations.size(); ++i) {
      ProgramValues of;
      for (const ProgramValue& operand : parts.operands_of(i)) of.push_back(resolve(operand));
      ProgramOperation part = parts.operations[i];
      part.replica = entry.replica;
      stands_for[i] = &add(part, of, false);
    }
    ProgramValues results;
    for (const ProgramValue& root : parts.roots) results.push_back(resolve(root));
    if (!results[0].is_input() && program.operations[results[0].source].name.empty()) program.operations[results[0].source].name = entry.name;
    return results;
  }

  ProgramValue own_number(const ProgramInput& number) {
    Program& program = result_.program;
    for (size_t i = 0; i < program.inputs.size(); ++i) {
      const ProgramInput& other = program.inputs[i];
      if (other.is_own && other.number == number.number && other.operation->results[0] == number.operation->results[0] &&
          same_mesh(other.operation->mesh, number.operation->mesh))
        return ProgramValue::input(i);
    }
    program.inputs.push_back(number);
    program.inputs.back().is_own = true;
    return ProgramValue::input(program.inputs.size() - 1);
  }

  MergedProgram result_;
  std::unordered_map<std::string, ProgramValues> known_;
  std::string key_;
};

}  // namespace

MergedProgram merge(const Program& program) {
  Program laid_out = program;
  carry_splits(laid_out);
  sink_layouts(laid_out);
  return Merger(laid_out).take();
}

Program expansion_of(const LaidOutOperation& operation, const std::vector<ExpandedOperand>& operands, int64_t blocks) {
  Builder builder;
  builder.context.mesh = operation.mesh;
  builder.context.layout = nullptr;
  builder.span = operation.span;
  builder.context.frame = operation.frame;
  builder.written = false;
  Values stand_ins;
  for (size_t k = 0; k < operation.operands.size(); ++k) {
    const TensorType& type = operation.operands[k];
    auto leaf = std::make_shared<LaidOutOperation>();
    leaf->op = &ops::kConstant;
    leaf->results = {type};
    leaf->mesh = operation.mesh;
    leaf->shardings = {operands.empty() ? replicated(type.dims.size()) : operands[k].sharding};
    leaf->inherited = {operands.empty() ? 0 : operands[k].inherited};
    auto node = std::make_shared<Node>();
    node->operation = std::move(leaf);
    node->id = new_node_id();
    stand_ins.push_back({std::move(node), 0});
  }
  ExpandCall call{builder, operation, stand_ins, blocks};
  Values results = operation.op->expand(call);
  for (size_t r = 0; r < results.size(); ++r) {
    if (results[r].sharding() == operation.shardings[r] && same_mesh(results[r].mesh(), operation.mesh)) continue;
    results[r] = builder.laid_out(results[r], {operation.shardings[r], operation.inherited[r], operation.mesh});
  }
  std::vector<NodePtr> nodes;
  const int64_t last = stand_ins.empty() ? 0 : stand_ins.back().node->id;
  for (NodePtr& node : pending(results))
    if (node->id > last) nodes.push_back(std::move(node));
  Capture parts = capture(nodes, results, stand_ins);
  for (size_t i = 0; i < parts.program.inputs.size(); ++i) {
    ProgramInput& input = parts.program.inputs[i];
    input.is_own = input.is_number;
    input.number = parts.numbers[i];
  }
  return std::move(parts.program);
}

}  // namespace mtf
