#include "spmd/expand.h"

#include <algorithm>

#include "graph/op.h"
#include "ops/attention.h"
#include "ops/builder.h"
#include "ops/record.h"
#include "spmd/collectives.h"
#include "spmd/local_builder.h"
#include "spmd/passes.h"
#include "types/saturating.h"

namespace mtf::spmd {
namespace {

/// Returns a program with one operation, whose operands have the given shardings.
graph::Program alone(const graph::OperationRef& operation, const std::vector<ExpandedOperand>& operands) {
  graph::Program program;
  graph::ProgramOperation entry;
  entry.operation = operation;
  for (size_t k = 0; k < operands.size(); ++k) {
    graph::ProgramInput input;
    input.operation =
        data_operation(operation->operands[k], operands[k].sharding, operands[k].inherited, operation->mesh);
    program.operands.push_back(graph::ProgramValue::input(program.inputs.size()));
    program.inputs.push_back(std::move(input));
  }
  entry.operand_count = static_cast<int32_t>(operands.size());
  program.operations = {std::move(entry)};
  for (size_t r = 0; r < operation->results.size(); ++r) program.roots.push_back({0, static_cast<int32_t>(r)});
  return program;
}

/// True if some value of the expansion has dims that no single operand or result of the operation has.
bool makes_more(const graph::LaidOutOperation& operation, const graph::Program& parts) {
  const auto has = [](const std::vector<TensorType>& types, const Dims& dims) {
    return std::any_of(types.begin(), types.end(), [&](const TensorType& type) {
      return std::all_of(dims.begin(), dims.end(), [&](const Dim& dim) { return has_dim(type.dims, dim.name); });
    });
  };
  return std::any_of(parts.operations.begin(), parts.operations.end(), [&](const graph::ProgramOperation& part) {
    return std::any_of(part.operation->results.begin(), part.operation->results.end(), [&](const TensorType& type) {
      return !has(operation.operands, type.dims) && !has(operation.results, type.dims);
    });
  });
}

/// Returns the axes along which processors compute different parts of the operation.
AxisSet divided(const LocalProgram& program, const graph::OperationRef& operation) {
  AxisSet axes = 0;
  for (const Instruction& instruction : program.instructions) {
    if (instruction.node != operation || instruction.kind != InstructionKind::kCompute) continue;
    for (const std::vector<int>* values : {&instruction.operands, &instruction.results})
      for (int value : *values) axes |= program.values[value].varies();
  }
  return axes;
}

/// Returns the bytes that a processor sends, computed from the size of the payload alone, as in the choice of a
/// resharding. Small all_reduces really send more, in fewer messages.
double sent_by(const LocalProgram& program, const Instruction& instruction) {
  const CollectiveRecord* const record = find_collective(instruction.kind);
  if (record == nullptr) return 0;
  const auto bytes = static_cast<double>(cost_of(program, instruction).bytes.value());
  const auto members = static_cast<double>(program.values[instruction.operands[0]].mesh->group_size(instruction.axes));
  if (record->payload == Payload::kSent) return bytes;
  return (record->movement == Movement::kReduce ? 2 : 1) * (members - 1) / members * bytes;
}

/// Returns the bytes that a processor sends plus the bytes of its largest block, each for the processor with the most.
double bytes_of(const LocalProgram& program) {
  double sent = 0;
  int64_t largest = 0;
  for (const Instruction& instruction : program.instructions) {
    sent += sent_by(program, instruction);
    for (int value : instruction.results) largest = std::max(largest, largest_bytes(program.values[value]));
  }
  return sent + static_cast<double>(largest);
}

/// Returns the local program of a program, without merging or expanding its operations.
LocalProgram split_as_it_is(graph::Program program, const LoweringOptions& options) {
  MergedProgram merged;
  Forms forms;
  for (const graph::ProgramOperation& entry : program.operations) merged.forms.push_back(forms.of(entry.operation));
  merged.program = std::move(program);
  LocalProgram local = split(merged, options);
  leave_out_unread(local);
  return local;
}

}  // namespace

int64_t largest_bytes(const LocalValue& value) {
  int64_t bytes = size_of(value.element);
  for (const LocalDim& dim : value.dims)
    bytes = mtf::saturating_multiply(bytes, value.mesh ? largest_block(dim, *value.mesh) : dim.dim.size);
  return bytes;
}

NewDims::NewDims(const graph::LaidOutOperation& operation) {
  for (const std::vector<TensorType>* types : {&operation.operands, &operation.results})
    for (const TensorType& type : *types) known_.insert(known_.end(), type.dims.begin(), type.dims.end());
}

Dim NewDims::named_like(const Dim& like, int64_t size) {
  Name name = like.name;
  do name = name.followed_by("'");
  while (has_dim(known_, name));
  known_.push_back({name, size});
  return known_.back();
}

LocalProgram split_alone(const graph::OperationRef& operation, const std::vector<ExpandedOperand>& operands,
                         const LoweringOptions& options) {
  return split_as_it_is(alone(operation, operands), options);
}

graph::Program stand_in_for(const graph::LaidOutOperation& operation, const std::vector<ExpandedOperand>& operands,
                            const std::function<graph::Values(ops::Builder&, const graph::Values&)>& make) {
  ops::Builder builder;
  builder.context.mesh = operation.mesh;
  builder.context.layout = nullptr;
  builder.span = operation.span;
  builder.context.frame = operation.frame;
  builder.written = false;
  graph::Values stand_ins;
  for (size_t k = 0; k < operation.operands.size(); ++k) {
    const TensorType& type = operation.operands[k];
    auto node = std::make_shared<graph::Node>();
    node->operation = operands.empty()
                          ? data_operation(type, replicated(type.dims.size()), 0, operation.mesh)
                          : data_operation(type, operands[k].sharding, operands[k].inherited, operation.mesh);
    node->id = graph::new_node_id();
    stand_ins.push_back({std::move(node), 0});
  }
  graph::Values results = make(builder, stand_ins);
  for (size_t r = 0; r < results.size(); ++r) {
    const Dims& dims = operation.results[r].dims;
    // The graph may have produced another order of dims than the operation declares.
    results[r] = builder.broadcast(results[r], dims);
    MTF_CHECK(results[r].type() == operation.results[r], "{} gives {}, its parts {}", operation.op->name,
              to_string(operation.results[r]), to_string(results[r].type()));
    if (results[r].sharding() == operation.shardings[r] && same_mesh(results[r].mesh(), operation.mesh)) continue;
    results[r] = builder.laid_out(results[r], {operation.shardings[r], operation.inherited[r], operation.mesh});
  }
  std::vector<graph::NodePtr> nodes;
  const int64_t last = stand_ins.empty() ? 0 : stand_ins.back().node->id;
  for (graph::NodePtr& node : pending(results))
    if (node->id > last) nodes.push_back(std::move(node));
  graph::Capture parts = capture(nodes, results, stand_ins);
  for (size_t i = 0; i < parts.program.inputs.size(); ++i) {
    graph::ProgramInput& input = parts.program.inputs[i];
    input.is_own = input.is_number;
    input.number = parts.numbers[i];
  }
  return std::move(parts.program);
}

graph::Program expansion_of(const graph::LaidOutOperation& operation, const std::vector<ExpandedOperand>& operands,
                            int64_t blocks) {
  return stand_in_for(operation, operands, [&](ops::Builder& builder, const graph::Values& stand_ins) {
    graph::ExpandCall call{builder, operation, stand_ins, blocks};
    return operation.op->expand(call);
  });
}

std::optional<graph::Program> balanced(const graph::LaidOutOperation& operation,
                                       const std::vector<ExpandedOperand>& operands, int64_t blocks) {
  const auto length = static_cast<size_t>(ops::AttentionParts(operation).length_position);
  if (operands[0].sharding.dims[length] != operation.shardings[0].dims[length]) return std::nullopt;
  bool any = false;
  graph::Program program =
      stand_in_for(operation, operands, [&](ops::Builder& builder, const graph::Values& stand_ins) {
        graph::ExpandCall call{builder, operation, stand_ins, blocks};
        graph::Values results = ops::balance_attention(call);
        any = !results.empty();
        return results;
      });
  if (!any) return std::nullopt;
  return program;
}

bool is_less_whole(const graph::OperationRef& operation, const std::vector<ExpandedOperand>& operands,
                   const graph::Program& parts, const LoweringOptions& options) {
  if (!makes_more(*operation, parts)) return false;
  const LocalProgram whole = split_alone(operation, operands, options);
  AxisSet all = 0;
  for (const ExpandedOperand& operand : operands) all |= operand.sharding.split();
  for (const Sharding& result : operation->shardings) all |= result.split();
  if (operation->mesh->group_size(all & ~divided(whole, operation)) > 1) return false;  // work would be repeated
  return bytes_of(whole) <= bytes_of(split_as_it_is(parts, options));
}

}  // namespace mtf::spmd
