#include "spmd/merge.h"

#include <deque>
#include <map>
#include <string>
#include <unordered_map>

#include "graph/op.h"
#include "ops/builder.h"
#include "ops/record.h"
#include "spmd/carry_splits.h"
#include "spmd/sink_layouts.h"
#include "support/diagnostics.h"
#include "types/key.h"

namespace mtf {
namespace {

using ProgramValues = std::vector<ProgramValue>;

class Merger {
 public:
  Merger(const Program& from, Forms& forms) : captured_inputs_(from.inputs.size()), forms_(forms) {
    Program& program = result_.program;
    program.inputs = from.inputs;
    program.operations.reserve(from.operations.size());
    program.operands.reserve(from.operands.size());
    known_.reserve(from.operations.size());
    for (ProgramInput& input : program.inputs) input.is_own = false;
    std::vector<size_t> stands_for(from.operations.size());
    auto resolve = [&](ProgramValue value) { return value.is_input() ? value : results_[stands_for[value.source] + static_cast<size_t>(value.result)]; };
    ProgramValues operands;
    for (size_t i = 0; i < from.operations.size(); ++i) {
      operands.clear();
      for (const ProgramValue& operand : from.operands_of(i)) operands.push_back(resolve(operand));
      stands_for[i] = add(from.operations[i], operands, true);
    }
    for (const ProgramValue& root : from.roots) program.roots.push_back(resolve(root));
    for (const ProgramValue& value : from.for_gradients) program.for_gradients.push_back(resolve(value));
  }

  MergedProgram take() { return std::move(result_); }

 private:
  /// An expansion that has been made.
  struct Expansion {
    std::vector<ExpandedOperand> operands;
    int64_t blocks = 1;
    Program parts;
  };

  /// Equal for equal applications of an operation of this form.
  void make_key(int32_t form, const ProgramOperation& entry, const ProgramValues& operands) {
    key_.clear();
    append(key_, entry.replica == 0 ? form : replicas_.try_emplace({form, entry.replica}, ~static_cast<int32_t>(replicas_.size())).first->second);
    for (const ProgramValue& operand : operands) append(key_, operand.is_input() ? operand.source : first_[operand.source] + operand.result);
  }

  /// Where in results_ the values begin that stand for the operation's results.
  size_t add(const ProgramOperation& entry, const ProgramValues& operands, bool of_program) {
    Program& program = result_.program;
    const int32_t form = forms_.of(entry.operation);
    make_key(form, entry, operands);
    const auto [at, fresh] = known_.try_emplace(key_, results_.size());
    size_t& begin = at->second;
    if (!fresh) {
      const ProgramValue first = results_[begin];
      if (!first.is_input() && program.operations[first.source].name.empty()) program.operations[first.source].name = entry.name;
      return begin;
    }
    if (of_program) result_.whole.push_back({entry.operation, form});
    if (entry.operation->op->expand) {
      if (const int64_t blocks = expanded_blocks(*entry.operation, operands); blocks > 0) {
        const ProgramValues results = expand(entry, operands, blocks);
        begin = results_.size();
        results_.insert(results_.end(), results.begin(), results.end());
        return begin;
      }
    }
    const auto index = static_cast<int32_t>(program.operations.size());
    ProgramOperation added = entry;
    if (!of_program) added.origin = -1;
    added.first_operand = static_cast<int32_t>(program.operands.size());
    program.operands.insert(program.operands.end(), operands.begin(), operands.end());
    program.operations.push_back(std::move(added));
    result_.forms.push_back(form);
    first_.push_back(static_cast<int32_t>(begin));
    for (size_t r = 0; r < entry.operation->results.size(); ++r) results_.push_back({index, static_cast<int32_t>(r)});
    return begin;
  }

  /// In how many blocks a dim is split that the operation cannot bear to be split; 0 if there is none.
  int64_t expanded_blocks(const LaidOutOperation& operation, const ProgramValues& operands) const {
    const Program& program = result_.program;
    AxisSet axes = 0;
    bool split = false;
    for (const IterationDim& dim : operation.space().dims) {
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
    const Program& parts = expansion(entry.operation, std::move(lie), blocks);
    ProgramValues inputs(operands);
    for (size_t i = operands.size(); i < parts.inputs.size(); ++i) inputs.push_back(own_number(parts.inputs[i]));
    std::vector<size_t> stands_for(parts.operations.size());
    auto resolve = [&](ProgramValue value) {
      return value.is_input() ? inputs[value.input()] : results_[stands_for[value.source] + static_cast<size_t>(value.result)];
    };
    for (size_t i = 0; i < parts.operations.size(); ++i) {
      ProgramValues of;
      for (const ProgramValue& operand : parts.operands_of(i)) of.push_back(resolve(operand));
      ProgramOperation part = parts.operations[i];
      part.replica = entry.replica;
      stands_for[i] = add(part, of, false);
    }
    ProgramValues results;
    for (const ProgramValue& root : parts.roots) results.push_back(resolve(root));
    if (!results[0].is_input() && program.operations[results[0].source].name.empty()) program.operations[results[0].source].name = entry.name;
    return results;
  }

  /// Operations that are one object and whose operands lie alike have one expansion.
  const Program& expansion(const OperationRef& operation, std::vector<ExpandedOperand> operands, int64_t blocks) {
    std::deque<Expansion>& known = expansions_[operation.get()];
    for (const Expansion& each : known)
      if (each.blocks == blocks && each.operands == operands) return each.parts;
    Program parts = expansion_of(*operation, operands, blocks);
    known.push_back({std::move(operands), blocks, std::move(parts)});
    return known.back().parts;
  }

  ProgramValue own_number(const ProgramInput& number) {
    Program& program = result_.program;
    for (size_t i = captured_inputs_; i < program.inputs.size(); ++i) {
      const ProgramInput& other = program.inputs[i];
      if (other.number == number.number && other.operation->results[0] == number.operation->results[0] &&
          same_mesh(other.operation->mesh, number.operation->mesh))
        return ProgramValue::input(i);
    }
    program.inputs.push_back(number);
    program.inputs.back().is_own = true;
    return ProgramValue::input(program.inputs.size() - 1);
  }

  const size_t captured_inputs_;
  MergedProgram result_;
  Forms& forms_;
  std::map<std::pair<int32_t, int64_t>, int32_t> replicas_;  ///< what stands for a form in a region that is computed again
  std::unordered_map<std::string, size_t> known_;            ///< by form and operands: where in results_ its results begin
  ProgramValues results_;                                    ///< of each application, one after the other
  std::vector<int32_t> first_;                               ///< of each operation of the result: where in results_ its own begin
  std::unordered_map<const LaidOutOperation*, std::deque<Expansion>> expansions_;
  std::string key_;
};

}  // namespace

MergedProgram merge(const Program& program) {
  Program laid_out = program;
  carry_splits(laid_out);
  Forms forms;
  sink_layouts(laid_out, forms);
  return Merger(laid_out, forms).take();
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
