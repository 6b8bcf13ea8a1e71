#include <algorithm>
#include <utility>

#include "graph/op.h"
#include "graph/region.h"

namespace mtf::graph {
namespace {

/// The operations and inputs that a program needs for some of its roots.
struct Needed {
  std::vector<bool> operations, inputs;

  explicit Needed(const Program& program) : operations(program.operations.size()), inputs(program.inputs.size()) {}

  void add(const Program& program, ProgramValue root) {
    std::vector<ProgramValue> stack{root};
    while (!stack.empty()) {
      const ProgramValue value = stack.back();
      stack.pop_back();
      if (value.is_input()) {
        inputs[value.input()] = true;
      } else if (!operations[value.source]) {
        operations[value.source] = true;
        for (const ProgramValue& operand : program.operands_of(value.source)) stack.push_back(operand);
      }
    }
  }
};

/// A region that returns only the results in `read`. `operands` and `results` tell which ones remain.
struct Shrunk {
  Region region;
  std::vector<bool> operands, results;
};

Shrunk shrunk(const Region& was, std::vector<bool> read) {
  const Program& iteration = was.iteration;
  Needed needed(iteration);
  for (size_t r = 0; r < iteration.roots.size(); ++r)
    if (read[r]) needed.add(iteration, iteration.roots[r]);
  for (bool more = true; more;) {  // an iteration that reads a carry needs it from the iteration before
    more = false;
    for (int32_t c = 0; c < was.carried; ++c) {
      if (read[c] || !needed.inputs[c]) continue;
      read[c] = more = true;
      needed.add(iteration, iteration.roots[c]);
    }
  }
  for (int32_t c = 0; c < was.carried; ++c) needed.inputs[c] = read[c];
  Shrunk result{was, {needed.inputs.begin(), needed.inputs.begin() + was.tensors()}, read};
  Region& now = result.region;
  now.iteration = Program();
  now.carried = now.placed = now.constants = now.stacked = now.summed = now.saved = 0;
  now.input_number.clear();
  now.first_number.clear();
  now.segments.clear();
  std::vector<int32_t> inputs(iteration.inputs.size(), -1), operations(iteration.operations.size(), -1);
  for (size_t i = 0; i < iteration.inputs.size(); ++i) {
    if (!needed.inputs[i]) continue;
    const auto place = static_cast<int32_t>(i);
    if (place < was.carried) ++now.carried;
    else if (place < was.carried + was.placed) ++now.placed;
    else if (place < was.tensors()) ++now.constants;
    inputs[i] = static_cast<int32_t>(now.iteration.inputs.size());
    now.iteration.inputs.push_back(iteration.inputs[i]);
    now.input_number.push_back(was.input_number[i]);
  }
  const auto at = [&](ProgramValue value) {
    return value.is_input() ? ProgramValue::input(static_cast<size_t>(inputs[value.input()]))
                            : ProgramValue{operations[value.source], value.result};
  };
  for (size_t i = 0; i < iteration.operations.size(); ++i) {
    if (!needed.operations[i]) continue;
    ProgramOperation entry = iteration.operations[i];
    entry.first_operand = static_cast<int32_t>(now.iteration.operands.size());
    for (const ProgramValue& operand : iteration.operands_of(i)) now.iteration.operands.push_back(at(operand));
    entry.origin = operations[i] = static_cast<int32_t>(now.iteration.operations.size());
    entry.like = entry.like < 0 ? -1 : operations[entry.like];
    now.iteration.operations.push_back(std::move(entry));
    now.first_number.push_back(was.first_number[i]);
  }
  for (size_t r = 0; r < iteration.roots.size(); ++r) {
    if (!read[r]) continue;
    const auto place = static_cast<int32_t>(r);
    if (place >= was.carried + was.stacked) ++now.summed;
    else if (place >= was.carried) ++now.stacked;
    if (place < was.carried + was.stacked && place >= was.carried + was.stacked - was.saved) ++now.saved;
    now.iteration.roots.push_back(at(iteration.roots[r]));
  }
  return result;
}

template <typename T>
std::vector<T> those(const std::vector<T>& all, const std::vector<bool>& kept) {
  std::vector<T> left;
  for (size_t i = 0; i < all.size(); ++i)
    if (kept[i]) left.push_back(all[i]);
  return left;
}

/// Returns the operation with a smaller region, which has fewer results and operands.
OperationRef with_region(const LaidOutOperation& was, Shrunk shrunk) {
  auto now = std::make_shared<LaidOutOperation>(was);
  now->operands = those(was.operands, shrunk.operands);
  now->results = those(was.results, shrunk.results);
  now->shardings = those(was.shardings, shrunk.results);
  now->inherited = those(was.inherited, shrunk.results);
  now->region = with_form(std::move(shrunk.region));
  return now;
}

bool reads_more_for_gradients(const Program& program) {
  return std::any_of(program.operations.begin(), program.operations.end(), [](const ProgramOperation& entry) {
    const LaidOutOperation& operation = *entry.operation;
    if (operation.region) return reads_more_for_gradients(operation.region->iteration);
    return operation.op->reads_first_alone && operation.operands.size() > 1;
  });
}

/// The operation with its first operand alone. It is no copy, because a copy has the same iteration space.
OperationRef of_first_operand(const LaidOutOperation& was) {
  auto now = std::make_shared<LaidOutOperation>();
  now->op = was.op;
  now->attributes = was.attributes;
  now->inputs = was.inputs;
  now->operands = {was.operands[0]};
  now->results = was.results;
  now->mesh = was.mesh;
  now->shardings = was.shardings;
  now->inherited = was.inherited;
  now->origin = was.origin;
  now->why = was.why;
  now->written = was.written;
  now->initial = was.initial;
  now->no_grad = was.no_grad;
  now->span = was.span;
  now->frame = was.frame;
  return now;
}

/// Takes from operations, in iterations of loops too, the operands that their gradients alone read: these have been
/// made.
void leave_out_operands_of_gradients(Program& program) {
  if (!reads_more_for_gradients(program)) return;
  std::vector<ProgramValue> left;
  for (size_t i = 0; i < program.operations.size(); ++i) {
    ProgramOperation& entry = program.operations[i];
    std::span<const ProgramValue> operands = program.operands_of(i);
    if (const auto& region = entry.operation->region; region && reads_more_for_gradients(region->iteration)) {
      Region less = *region;
      leave_out_operands_of_gradients(less.iteration);
      auto now = std::make_shared<LaidOutOperation>(*entry.operation);
      now->region = with_form(std::move(less));
      entry.operation = std::move(now);
    } else if (entry.operation->op->reads_first_alone && operands.size() > 1) {
      entry.operation = of_first_operand(*entry.operation);
      operands = operands.first(1);
    }
    entry.first_operand = static_cast<int32_t>(left.size());
    entry.operand_count = static_cast<int32_t>(operands.size());
    left.insert(left.end(), operands.begin(), operands.end());
  }
  program.operands = std::move(left);
}

}  // namespace

void leave_out_unread_results(Program& program) {
  leave_out_operands_of_gradients(program);
  const size_t count = program.operations.size();
  const auto has_region = [](const ProgramOperation& entry) { return entry.operation->region != nullptr; };
  if (std::none_of(program.operations.begin(), program.operations.end(), has_region)) return;
  std::vector<std::vector<bool>> read(count);
  for (size_t i = 0; i < count; ++i) read[i].resize(program.operations[i].operation->results.size());
  const auto reads = [&](ProgramValue value) {
    if (!value.is_input()) read[value.source][value.result] = true;
  };
  for (const ProgramValue& root : program.roots) reads(root);
  for (const ProgramValue& value : program.for_gradients) reads(value);
  std::vector<std::vector<ProgramValue>> operands(count);
  std::vector<bool> stays(count);
  for (size_t i = count; i-- > 0;) {
    ProgramOperation& entry = program.operations[i];
    stays[i] = std::find(read[i].begin(), read[i].end(), true) != read[i].end();
    if (!stays[i]) continue;
    const std::span<const ProgramValue> all = program.operands_of(i);
    operands[i].assign(all.begin(), all.end());
    if (has_region(entry)) {
      Shrunk less = shrunk(*entry.operation->region, read[i]);
      leave_out_unread_results(less.region.iteration);
      read[i] = less.results;
      operands[i] = those(operands[i], less.operands);
      entry.operation = with_region(*entry.operation, std::move(less));
    }
    for (const ProgramValue& operand : operands[i]) reads(operand);
  }
  std::vector<int32_t> now(count, -1);
  const auto at = [&](ProgramValue value) {
    if (value.is_input()) return value;
    int32_t result = value.result;
    if (has_region(program.operations[now[value.source]]))
      result = static_cast<int32_t>(std::count(read[value.source].begin(), read[value.source].begin() + result, true));
    return ProgramValue{now[value.source], result};
  };
  std::vector<ProgramValue> left;
  int32_t next = 0;
  for (size_t i = 0; i < count; ++i) {
    if (!stays[i]) continue;
    ProgramOperation entry = program.operations[i];
    entry.first_operand = static_cast<int32_t>(left.size());
    entry.operand_count = static_cast<int32_t>(operands[i].size());
    entry.like = entry.like < 0 ? -1 : now[entry.like];
    for (const ProgramValue& operand : operands[i]) left.push_back(at(operand));
    now[i] = next;
    program.operations[next++] = std::move(entry);
  }
  program.operations.resize(static_cast<size_t>(next));
  program.operands = std::move(left);
  for (ProgramValue& root : program.roots) root = at(root);
  for (ProgramValue& value : program.for_gradients) value = at(value);
}

}  // namespace mtf::graph
