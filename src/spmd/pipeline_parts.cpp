#include "spmd/pipeline_parts.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "graph/op.h"
#include "ops/ops.h"

namespace mtf::spmd {

using graph::AlongMicro;
using graph::ProgramValue;
using Part = PipelinePart;

PipelineParts::PipelineParts(const graph::Program& program, int forward, int backward)
    : program_(program),
      forward_(forward),
      backward_(backward),
      first_(*program.operations[forward].operation),
      region_(*first_.region),
      parts_(program.operations.size(), Part::kBefore),
      along_(program.operations.size()),
      is_drawn_(program.operations.size(), false),
      drawn_again_(program.operations.size(), false),
      outputs_(static_cast<size_t>(Part::kAfter) + 1) {}

bool PipelineParts::find() {
  if (!find_behind_forward()) return false;
  take_operands();
  if (!leave_truth_behind()) return false;
  find_outputs();
  return all_origins_known() && !outputs(Part::kLoss).empty();
}

AlongMicro PipelineParts::along(ProgramValue value) const {
  if (!value.is_input() && !along_[value.source].empty()) return along_[value.source][value.result];
  return has_micro(program_.type(value)) ? AlongMicro::kBlock : AlongMicro::kSame;
}

/// Decides the parts of all operations that depend on the first loop. Returns false if the second loop needs something
/// that mixes micro-batches.
bool PipelineParts::find_behind_forward() {
  along_[forward_] = along_micro(region_, region_.micro, true).roots;
  along_[backward_] = along_micro(*operation(backward_).region, region_.micro, true).roots;
  parts_[forward_] = Part::kForward;
  for (size_t i = static_cast<size_t>(forward_) + 1; i < parts_.size(); ++i) {
    bool depends = false, is_behind = false;
    for (const ProgramValue value : program_.operands_of(i)) {
      const Part part = of(value);
      depends = depends || part != Part::kBefore;
      // only the second loop reads what the first one has saved
      is_behind = is_behind || part == Part::kAfter || part == Part::kBackward || part == Part::kExit ||
                  (part == Part::kForward && value.result >= region_.carried);
    }
    if (static_cast<int>(i) == backward_) {
      if (!may_be_read_backward()) return false;
      parts_[i] = Part::kBackward;
    } else if (depends) {
      const bool is_inside = (!is_behind || may_be_in_exit(i)) && is_by_micro_batch(i);
      parts_[i] = !is_inside ? Part::kAfter : is_behind ? Part::kExit : Part::kLoss;
    }
  }
  return true;
}

bool PipelineParts::may_be_read_backward() const {
  const std::span<const ProgramValue> operands = program_.operands_of(static_cast<size_t>(backward_));
  return std::all_of(operands.begin(), operands.end(), [&](ProgramValue value) {
    return of(value) != Part::kAfter && !(of(value) == Part::kLoss && along(value) == AlongMicro::kSum);
  });
}

/// True if the operation reads the gradient of the start for each micro-batch, and nothing that is elsewhere. What
/// reads a sum over micro-batches is cheaper behind the loop.
bool PipelineParts::may_be_in_exit(size_t i) const {
  for (const Sharding& lies : operation(i).shardings)
    if (lies.split() & region_.stages.set()) return false;
  const int32_t carried = operation(backward_).region->carried;
  const std::span<const ProgramValue> operands = program_.operands_of(i);
  return std::all_of(operands.begin(), operands.end(), [&](ProgramValue value) {
    if (along(value) == AlongMicro::kSum) return false;
    if (of(value) == Part::kBackward) return value.result < carried;
    return of(value) == Part::kBefore || of(value) == Part::kExit;
  });
}

/// True if the operation treats micro-batches one by one, or adds up over them. Remembers how its results relate to
/// them.
bool PipelineParts::is_by_micro_batch(size_t i) {
  const graph::LaidOutOperation& here = operation(i);
  if (here.op == &ops::kAssign || !same_mesh(here.mesh, first_.mesh)) return false;
  if (here.region && (here.region->hands_on || !here.region->micro.empty())) return false;
  std::vector<AlongMicro> operands;
  for (const ProgramValue value : program_.operands_of(i)) operands.push_back(along(value));
  std::optional<std::vector<AlongMicro>> along = along_micro(here, operands, region_.micro);
  if (!along) return false;
  along_[i] = std::move(*along);
  return true;
}

/// Makes in a part what only this part reads. Such a value then exists for one micro-batch at a time.
void PipelineParts::take_operands() {
  std::vector<Readers> readers(parts_.size(), 0);
  for (size_t i = 0; i < parts_.size(); ++i) is_drawn_[i] = depends_on_draws_alone(i);
  for (const std::vector<ProgramValue>* ends : {&program_.roots, &program_.for_gradients})
    for (const ProgramValue value : *ends)
      if (!value.is_input()) readers[value.source] |= bit(Part::kAfter);
  for (size_t i = parts_.size(); i-- > 0;) {
    if (parts_[i] == Part::kBefore) parts_[i] = part_for(i, readers[i]);
    drawn_again_[i] = parts_[i] == Part::kEntry && (readers[i] & bit(Part::kExit)) && is_drawn_[i];
    const Readers here = bit(parts_[i]) | (drawn_again_[i] ? bit(Part::kExit) : 0);
    const std::span<const ProgramValue> operands = program_.operands_of(i);
    for (size_t k = 0; k < operands.size(); ++k) {
      // the first stage alone reads the start
      const bool is_start = static_cast<int>(i) == forward_ && static_cast<int32_t>(k) < region_.carried;
      if (!operands[k].is_input()) readers[operands[k].source] |= is_start ? bit(Part::kEntry) : here;
    }
  }
}

/// Moves operations of the loss and the exit behind the loop if they give truth values that are read there: a turn
/// leaves sums, and nothing adds up truth values. Returns false if a part inside needs such a value.
bool PipelineParts::leave_truth_behind() {
  std::vector<Readers> readers(parts_.size(), 0);
  for (const std::vector<ProgramValue>* ends : {&program_.roots, &program_.for_gradients})
    for (const ProgramValue value : *ends)
      if (!value.is_input()) readers[value.source] |= bit(Part::kAfter);
  for (size_t i = parts_.size(); i-- > 0;) {
    const bool is_turn = parts_[i] == Part::kLoss || parts_[i] == Part::kExit;
    if (is_turn && (readers[i] & ~bit(parts_[i])) && operation(i).results[0].element == ElementType::kBool) {
      if (readers[i] & ~bit(Part::kAfter)) return false;
      parts_[i] = Part::kAfter;
    }
    for (const ProgramValue value : program_.operands_of(i))
      if (!value.is_input()) readers[value.source] |= bit(parts_[i]);
  }
  return true;
}

/// Returns the part of an operation before the loops. The loss and the exit take numbers that are repeated along dims,
/// and values with micro-batches that are no smaller than their operands. An example is a label that is compared with
/// the whole vocabulary.
PipelinePart PipelineParts::part_for(size_t i, Readers readers) {
  const Readers on_first = bit(Part::kEntry) | bit(Part::kExit);
  const bool is_for_entry = (readers & bit(Part::kEntry)) && !(readers & ~on_first);
  for (const Part one : {Part::kLoss, Part::kExit})
    if (readers == bit(one) && (is_repeated_number(i) || (is_larger_than_operands(i) && is_computed_by_micro_batch(i))))
      return one;
  // a turn leaves sums, and nothing adds up truth values
  const bool is_left =
      (readers & bit(Part::kEntry)) == readers || operation(i).results[0].element != ElementType::kBool || is_drawn_[i];
  if (!is_for_entry || !is_left || (!is_repeated_number(i) && !is_computed_by_micro_batch(i))) return Part::kBefore;
  for (const Sharding& lies : operation(i).shardings)
    if (lies.split() & region_.stages.set()) return Part::kBefore;
  return Part::kEntry;
}

/// True if random calls and numbers of the host decide the operation's results. Its operands are known already.
bool PipelineParts::depends_on_draws_alone(size_t i) const {
  if (operation(i).op->is_leaf() || operation(i).region) return false;
  const std::span<const ProgramValue> operands = program_.operands_of(i);
  return std::all_of(operands.begin(), operands.end(), [&](ProgramValue value) {
    return value.is_input() ? program_.maker(value).op->role == graph::Role::kNumber : is_drawn_[value.source];
  });
}

bool PipelineParts::is_repeated_number(size_t i) const {
  const std::span<const ProgramValue> operands = program_.operands_of(i);
  return operands.size() == 1 && program_.type(operands[0]).dims.empty() &&
         operation(i).op->role == graph::Role::kRepeat && same_mesh(operation(i).mesh, first_.mesh);
}

bool PipelineParts::is_computed_by_micro_batch(size_t i) {
  const graph::LaidOutOperation& here = operation(i);
  const bool knows_numbers = program_.operations[i].origin >= 0 || here.inputs.empty();
  return !here.op->is_leaf() && !here.region && knows_numbers && here.results.size() == 1 &&
         has_micro(here.results[0]) && is_by_micro_batch(i);
}

bool PipelineParts::is_larger_than_operands(size_t i) const {
  const std::span<const ProgramValue> operands = program_.operands_of(i);
  return std::all_of(operands.begin(), operands.end(), [&](ProgramValue value) {
    return size_of(program_.type(value).dims) <= size_of(operation(i).results[0].dims);
  });
}

void PipelineParts::find_outputs() {
  const auto read = [&](ProgramValue value, Part by) {
    if (!is_inside(value) || (by == Part::kExit && is_drawn_again(value.source))) return;
    if (!is_inside(by)) read_outside_.insert(value);
    if (of(value) != by) outputs_[static_cast<size_t>(of(value))].insert(value);
  };
  for (size_t i = 0; i < parts_.size(); ++i)
    for (const ProgramValue value : program_.operands_of(i)) read(value, parts_[i]);
  for (const std::vector<ProgramValue>* ends : {&program_.roots, &program_.for_gradients})
    for (const ProgramValue value : *ends) read(value, Part::kAfter);
}

/// The loop reads the numbers of its operations in each run, as the captured program then has them.
bool PipelineParts::all_origins_known() const {
  for (size_t i = 0; i < parts_.size(); ++i)
    if (is_inside(parts_[i]) && program_.operations[i].origin < 0 && !operation(i).inputs.empty()) return false;
  return true;
}

}  // namespace mtf::spmd
