#include <algorithm>
#include <optional>
#include <utility>

#include "graph/region.h"
#include "ops/ops.h"
#include "ops/shape.h"
#include "spmd/passes.h"

namespace mtf::spmd {
namespace {

/// Returns how often each value of a program is read, as an operand or a root: of each input, or of the results of each
/// operation together.
struct Reads {
  std::vector<int> of_inputs, of_operations;

  explicit Reads(const graph::Program& program)
      : of_inputs(program.inputs.size()), of_operations(program.operations.size()) {
    for (const std::vector<graph::ProgramValue>* values : {&program.operands, &program.roots, &program.for_gradients})
      for (graph::ProgramValue value : *values)
        ++(value.is_input() ? of_inputs[value.input()] : of_operations[value.source]);
  }
  bool once(graph::ProgramValue value) const {
    return (value.is_input() ? of_inputs[value.input()] : of_operations[value.source]) == 1;
  }
};

bool is_made_by(const graph::Program& program, graph::ProgramValue value, const graph::Op& op) {
  return !value.is_input() && program.maker(value).op == &op;
}

/// Returns the value to which iterations only give layouts, each for a single reader.
graph::ProgramValue without_layouts(const graph::Program& program, const Reads& reads, graph::ProgramValue value) {
  while (is_made_by(program, value, ops::kLayout) && reads.once(value)) value = program.operands_of(value.source)[0];
  return value;
}

/// Returns what each iteration adds to carry `c`. Returns nothing if an iteration does anything else with the carry.
std::optional<graph::ProgramValue> added_to(const graph::Program& iteration, const Reads& reads, int32_t c) {
  const graph::ProgramValue carry = graph::ProgramValue::input(static_cast<size_t>(c));
  const graph::ProgramValue sum = without_layouts(iteration, reads, iteration.roots[c]);
  if (!is_made_by(iteration, sum, ops::kAdd) || !reads.once(sum) || !reads.once(carry)) return std::nullopt;
  const std::span<const graph::ProgramValue> terms = iteration.operands_of(sum.source);
  for (size_t k = 0; k < 2; ++k)
    if (without_layouts(iteration, reads, terms[k]) == carry && iteration.type(terms[1 - k]) == iteration.type(carry))
      return terms[1 - k];
  return std::nullopt;
}

/// True if processors may add up the term after the last iteration: parts of f32 and f64, and those that `cast_parts`
/// has rounded.
bool may_stay_in_parts(const graph::Program& iteration, const Reads& reads, graph::ProgramValue term) {
  const ElementType element = iteration.type(term).element;
  return element == ElementType::kF32 || element == ElementType::kF64 ||
         is_made_by(iteration, without_layouts(iteration, reads, term), ops::kCastParts);
}

bool is_zero(const graph::Program& program, graph::ProgramValue value) {
  while (is_made_by(program, value, ops::kLayout) || is_made_by(program, value, ops::kCast) ||
         is_made_by(program, value, ops::kCastParts))
    value = program.operands_of(value.source)[0];
  return !value.is_input() && ops::is_zero(program.maker(value));
}

/// Gives a loop one more result for each carry that only adds up, and makes its readers read that. Returns false if
/// there is no such carry.
bool sum_carries_of(graph::Program& program, size_t index) {
  const graph::LaidOutOperation& loop = *program.operations[index].operation;
  graph::Region region = *loop.region;
  const bool changed = sum_carries(region.iteration);
  auto now = std::make_shared<graph::LaidOutOperation>(loop);
  const Reads reads(region.iteration);
  std::vector<int32_t> result(loop.results.size());
  for (size_t r = 0; r < result.size(); ++r) result[r] = static_cast<int32_t>(r);
  for (int32_t c = 0; region.micro.empty() && c < region.carried; ++c) {
    if (!is_zero(program, program.operands_of(index)[c])) continue;
    const std::optional<graph::ProgramValue> term = added_to(region.iteration, reads, c);
    if (!term || !may_stay_in_parts(region.iteration, reads, *term)) continue;
    region.iteration.roots.push_back(*term);
    ++region.summed;
    result[c] = static_cast<int32_t>(now->results.size());
    now->results.push_back(loop.results[c]);
    now->shardings.push_back(loop.shardings[c]);
    now->inherited.push_back(loop.inherited[c]);
  }
  const bool sums = now->results.size() > loop.results.size();
  if (!changed && !sums) return false;
  now->region = graph::with_form(std::move(region));
  program.operations[index].operation = std::move(now);
  for (std::vector<graph::ProgramValue>* values : {&program.operands, &program.roots, &program.for_gradients})
    for (graph::ProgramValue& value : *values)
      if (value.source == static_cast<int32_t>(index)) value.result = result[value.result];
  return true;
}

}  // namespace

bool sum_carries(graph::Program& program) {
  bool changed = false;
  for (size_t i = 0; i < program.operations.size(); ++i)
    if (program.operations[i].operation->region && sum_carries_of(program, i)) changed = true;
  if (changed) leave_out_unread_results(program);
  return changed;
}

}  // namespace mtf::spmd
