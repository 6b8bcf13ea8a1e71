#include "spmd/local_builder.h"

#include <algorithm>

#include "graph/op.h"
#include "ops/ops.h"
#include "ops/spaces.h"
#include "spmd/remesh.h"

namespace mtf::spmd {

bool lies_as(const LocalValue& value, const Sharding& wanted) {
  return value.partial == wanted.partial &&
         std::equal(value.dims.begin(), value.dims.end(), wanted.dims.begin(), wanted.dims.end(),
                    [](const LocalDim& dim, const AxisList& axes) { return !dim.mapped && dim.axes == axes; });
}

LocalValue block_of_result(const std::string& name, const graph::LaidOutOperation& operation, int result,
                           const Sharding& sharding) {
  LocalValue value;
  value.name = name;
  if (result > 0) value.name += "." + std::to_string(result);
  value.element = operation.results[result].element;
  value.mesh = operation.mesh;
  value.partial = sharding.partial;
  const Dims& dims = operation.results[result].dims;
  for (size_t i = 0; i < dims.size(); ++i) value.dims.push_back({dims[i], sharding.dims[i], false, {}});
  return value;
}

graph::OperationRef helper_operation(const graph::Op& op, std::vector<TensorType> operands,
                                     graph::Attributes attributes, const graph::LaidOutOperation& of,
                                     std::vector<double> inputs) {
  auto operation = std::make_shared<graph::LaidOutOperation>();
  operation->op = &op;
  operation->operands = std::move(operands);
  operation->attributes = std::move(attributes);
  operation->inputs = std::move(inputs);
  operation->mesh = of.mesh;
  operation->span = of.span;
  operation->results = operation->op->infer(*operation);
  return operation;
}

graph::OperationRef data_operation(const TensorType& type, Sharding lies, AxisSet inherited, const MeshPtr& mesh) {
  auto operation = std::make_shared<graph::LaidOutOperation>();
  operation->op = &ops::kConstant;
  operation->attributes = ops::TypeAttributes{type};
  operation->results = {type};
  operation->mesh = mesh;
  operation->shardings = {std::move(lies)};
  operation->inherited = {inherited};
  return operation;
}

int LocalBuilder::add(LocalValue value) {
  program_.values.push_back(std::move(value));
  return static_cast<int>(program_.values.size()) - 1;
}

int LocalBuilder::add_input(int32_t which, const MeshPtr& mesh, const Sharding* lies) {
  const graph::ProgramInput& input = graph_.inputs[which];
  LocalValue made =
      block_of_result("", *input.operation, input.result, lies ? *lies : input.operation->shardings[input.result]);
  made.name = name_of(input);
  made.order = input.order;
  made.mesh = mesh;
  const int index = add_instruction_of_input(std::move(made), which, -1);
  if (!input.copies.empty() && mesh == input.operation->mesh) copied_input_[index] = which;
  if (input.is_number) number_of_[index] = which;
  if (input.operation->op == &ops::kAssign) stored_.insert(index);
  return index;
}

int LocalBuilder::add_instruction_of_input(LocalValue value, int32_t which, int32_t copy) {
  const int index = add(std::move(value));
  Instruction instruction;
  instruction.kind = InstructionKind::kInput;
  instruction.node = graph_.inputs[which].operation;
  instruction.input = which;
  instruction.copy = copy;
  instruction.dies = copy < 0 && graph_.inputs[which].dies;
  instruction.results = {index};
  program_.instructions.push_back(std::move(instruction));
  program_.inputs.push_back(index);
  return index;
}

int LocalBuilder::add_sum(int term, const graph::OperationRef& node) {
  LocalValue so_far = program_.values[term];
  so_far.name += "_sum";
  const int index = add(std::move(so_far));
  Instruction instruction;
  instruction.kind = InstructionKind::kInput;
  instruction.node = node;
  instruction.sum = static_cast<int32_t>(program_.sums.size());
  program_.sums.push_back(term);
  instruction.dies = true;
  instruction.results = {index};
  program_.instructions.push_back(std::move(instruction));
  program_.inputs.push_back(index);
  return index;
}

void LocalBuilder::run_in_iterations(const graph::OperationRef& node, std::vector<int> operands,
                                     std::vector<int> results, int32_t origin,
                                     std::shared_ptr<const LocalProgram> iteration) {
  compute(node, std::move(operands), std::move(results), origin);
  program_.instructions.back().iteration = std::move(iteration);
}

int32_t LocalBuilder::copy_of_input(int value, const Sharding& wanted) const {
  const auto input = copied_input_.find(value);
  if (input == copied_input_.end() || replica_ != 0) return -1;
  const std::vector<graph::InputCopy>& copies = graph_.inputs[input->second].copies;
  const auto copy =
      std::find_if(copies.begin(), copies.end(), [&](const graph::InputCopy& each) { return each.sharding == wanted; });
  return copy == copies.end() ? -1 : static_cast<int32_t>(copy - copies.begin());
}

void LocalBuilder::compute(const graph::OperationRef& node, std::vector<int> operands, std::vector<int> results,
                           int32_t origin) {
  Instruction instruction;
  instruction.kind = InstructionKind::kCompute;
  instruction.node = node;
  instruction.origin = origin;
  instruction.replica = replica_;
  instruction.operands = std::move(operands);
  instruction.results = std::move(results);
  program_.instructions.push_back(std::move(instruction));
}

int LocalBuilder::collective(InstructionKind kind, const graph::OperationRef& node, int operand, LocalValue result,
                             AxisSet axes, kernels::Reduction reduction, ReasonRef reason) {
  Instruction instruction;
  instruction.kind = kind;
  instruction.node = node;
  instruction.operands = {operand};
  instruction.axes = axes;
  instruction.reduction = reduction;
  instruction.reason = std::move(reason);
  const int index = add(std::move(result));
  instruction.results = {index};
  program_.instructions.push_back(std::move(instruction));
  return index;
}

int LocalBuilder::exchange(const graph::OperationRef& node, int operand, LocalValue result, AxisSet axes,
                           ReasonRef reason) {
  std::vector<int>& known = exchanged_[operand];
  const auto at =
      std::find_if(known.begin(), known.end(), [&](int value) { return program_.values[value].dims == result.dims; });
  if (at != known.end()) return *at;
  const int value = collective(InstructionKind::kExchange, node, operand, std::move(result), axes,
                               kernels::Reduction::kSum, std::move(reason));
  known.push_back(value);
  return value;
}

int LocalBuilder::take_over(const graph::OperationRef& node, int operand, const AxisList& stages, Name micro,
                            int32_t output) {
  const int value = collective(InstructionKind::kTakeOver, node, operand, program_.values[operand], stages.set(),
                               kernels::Reduction::kSum,
                               std::make_shared<const Reason>(Reason{
                                   .kind = Reason::Kind::kHandedOn, .mesh = node->mesh, .parts = {{micro, stages}}}));
  program_.instructions.back().input = output;
  return value;
}

int LocalBuilder::from_owner(const graph::OperationRef& node, int operand, Name over, const AxisList& axes) {
  return between_owner_and_all(InstructionKind::kFromOwner, Reason::Kind::kFromOwner, node, operand, over, axes);
}

int LocalBuilder::to_owner(const graph::OperationRef& node, int operand, Name over, const AxisList& axes) {
  return between_owner_and_all(InstructionKind::kToOwner, Reason::Kind::kToOwner, node, operand, over, axes);
}

int LocalBuilder::between_owner_and_all(InstructionKind kind, Reason::Kind why, const graph::OperationRef& node,
                                        int operand, Name over, const AxisList& axes) {
  LocalValue result = program_.values[operand];
  if (kind == InstructionKind::kFromOwner) result.partial &= ~axes.set();
  else result.partial |= axes.set();
  Reason reason{.kind = why, .mesh = result.mesh, .parts = {{over, axes}}};
  return collective(kind, node, operand, std::move(result), axes.set(), kernels::Reduction::kSum,
                    std::make_shared<const Reason>(std::move(reason)));
}

void LocalBuilder::is_view(int result, int operand, const graph::OperationRef& node) {
  if (!is_stored(operand)) view_of_[result] = {operand, node};
}

LocalBuilder::CopyKey LocalBuilder::key_of(int value, const Sharding& wanted, int32_t replica) const {
  std::string key(reinterpret_cast<const char*>(&wanted.partial), sizeof wanted.partial);
  for (const AxisList& list : wanted.dims) key.append(reinterpret_cast<const char*>(&list), sizeof list);
  if (backward_ && is_stored(value)) key.push_back('b');
  if (replica != 0) key.append(reinterpret_cast<const char*>(&replica), sizeof replica);
  return {value, std::move(key)};
}

int LocalBuilder::copy_of(int value, const Sharding& wanted) const {
  auto copy = copies_.find(key_of(value, wanted, replica_));
  if (copy == copies_.end() && backward_ && replica_ == 0) copy = copies_.find(key_of(value, wanted, last_replica_));
  return copy == copies_.end() ? -1 : copy->second;
}

bool LocalBuilder::has_copy(int value, const Sharding& wanted) const {
  for (auto view = view_of_.find(value); view != view_of_.end(); view = view_of_.find(value))
    value = view->second.operand;
  return lies_as(program_.values[value], wanted) || copy_of(value, wanted) >= 0 || copy_of_input(value, wanted) >= 0;
}

std::vector<int> LocalBuilder::brought(int value) const {
  std::vector<int> values;
  for (auto copy = copies_.lower_bound({value, {}}); copy != copies_.end() && copy->first.first == value; ++copy)
    if (communicated_.contains(copy->second)) values.push_back(copy->second);
  return values;
}

std::vector<Sharding> LocalBuilder::copies(int value) const {
  std::vector<Sharding> there;
  for (const int copy : brought(value))
    if (!program_.values[copy].partial) there.push_back(program_.values[copy].sharding());
  if (const auto input = copied_input_.find(value); input != copied_input_.end())
    for (const graph::InputCopy& copy : graph_.inputs[input->second].copies) there.push_back(copy.sharding);
  return there;
}

void LocalBuilder::has_been_brought(int value, int copy) {
  if (copies_.try_emplace(key_of(value, program_.values[copy].sharding(), replica_), copy).second)
    communicated_.insert(copy);
}

Resharding LocalBuilder::way_to(int value, const Sharding& wanted) {
  using Kind = Resharding::Kind;
  const LocalValue& from = program_.values[value];
  if (lies_as(from, wanted)) return {.kind = Kind::kStays, .value = value};
  if (const int copy = copy_of(value, wanted); copy >= 0) return {.kind = Kind::kCopy, .value = value, .copy = copy};
  if (const auto view = view_of_.find(value); view != view_of_.end())
    return {.kind = Kind::kView,
            .value = value,
            .of = std::make_shared<const Resharding>(way_to(view->second.operand, wanted))};
  if (const int32_t left = copy_of_input(value, wanted); left >= 0)
    return {.kind = Kind::kInputCopy, .value = value, .copy = left};
  return {.kind = Kind::kReshard,
          .value = value,
          .way = from_last_stage(value, ways_.find(from.type(), from.sharding(), wanted, *from.mesh))};
}

/// Replaces an all_reduce of zeros and a last stage's value: the stage sends it to the others.
std::shared_ptr<const ReshardWay> LocalBuilder::from_last_stage(int value,
                                                                std::shared_ptr<const ReshardWay> way) const {
  const auto pipeline = on_last_stage_.find(value);
  if (pipeline == on_last_stage_.end() || way->moves.empty() || way->moves[0].kind != InstructionKind::kAllReduce ||
      way->moves[0].axes != pipeline->second->region->stages.set())
    return way;
  ReshardWay sent = *way;
  sent.moves[0].kind = InstructionKind::kFromOwner;
  return std::make_shared<const ReshardWay>(std::move(sent));
}

int LocalBuilder::bring(const Resharding& resharding, const Sharding& wanted, const graph::OperationRef& node,
                        const ReasonRef& reason) {
  const int value = resharding.value;
  int copy = -1;
  switch (resharding.kind) {
    case Resharding::Kind::kStays: return value;
    case Resharding::Kind::kCopy: return resharding.copy;
    case Resharding::Kind::kView: {
      const int brought = bring(*resharding.of, wanted, node, reason);
      LocalValue renamed = in_sharding(program_.values[value], wanted);
      renamed.element = program_.values[brought].element;
      copy = add(std::move(renamed));
      compute(view_of_.at(value).operation, {brought}, {copy});
      if (communicated_.contains(brought)) communicated_.insert(copy);
      break;
    }
    case Resharding::Kind::kInputCopy: {
      const int32_t input = copied_input_.at(value);
      LocalValue there = in_sharding(program_.values[value], wanted);
      there.order = graph_.inputs[input].copies[resharding.copy].order;
      copy = add_instruction_of_input(std::move(there), input, resharding.copy);
      break;
    }
    case Resharding::Kind::kReshard:
      copy = resharding.way->moves[0].kind == InstructionKind::kFromOwner
                 ? sent_from_last_stage(value, *resharding.way, node)
                 : reshard(program_, value, *resharding.way, node, reason);
      if (std::any_of(resharding.way->moves.begin(), resharding.way->moves.end(),
                      [](const ReshardMove& move) { return is_collective(move.kind); }))
        communicated_.insert(copy);
      break;
  }
  copies_.emplace(key_of(value, wanted, replica_), copy);
  return copy;
}

int LocalBuilder::sent_from_last_stage(int value, ReshardWay way, const graph::OperationRef& node) {
  const ReshardMove sent = way.moves[0];
  const graph::OperationRef& pipeline = on_last_stage_.at(value);
  Reason reason{.kind = Reason::Kind::kFromLastStage, .mesh = program_.values[value].mesh, .axes = sent.axes};
  const int all = collective(sent.kind, pipeline, value, in_sharding(program_.values[value], sent.to), sent.axes,
                             kernels::Reduction::kSum, std::make_shared<const Reason>(std::move(reason)));
  way.moves.erase(way.moves.begin());
  return reshard(program_, all, way, node, nullptr);
}

int LocalBuilder::onto_mesh(int value, const graph::OperationRef& node) {
  if (same_mesh(program_.values[value].mesh, node->mesh)) return value;
  auto [at, fresh] = remeshed_.try_emplace({value, node->mesh.get()}, -1);
  int& there = at->second;
  if (!fresh) return there;
  if (auto number = number_of_.find(value); number != number_of_.end())  // a number has no sharding
    return there = add_input(number->second, node->mesh);
  const LocalValue& from = program_.values[value];
  const Remeshed blocks = from.mesh ? remeshed(from.type().dims, from.sharding(), *from.mesh, *node->mesh)
                                    : Remeshed{replicated(from.dims.size()), replicated(from.dims.size())};
  const int kept = bring(value, blocks.stays, node,
                         std::make_shared<const Reason>(Reason{.kind = Reason::Kind::kRemeshed, .mesh = from.mesh}));
  LocalValue moved = program_.values[kept];
  moved.mesh = node->mesh;
  for (size_t d = 0; d < moved.dims.size(); ++d) moved.dims[d].axes = blocks.there.dims[d];
  return there =
             collective(InstructionKind::kRemesh, node, kept, std::move(moved), 0, kernels::Reduction::kSum, nullptr);
}

}  // namespace mtf::spmd
