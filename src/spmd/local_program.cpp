#include "spmd/local_program.h"

#include <algorithm>

#include "graph/op.h"
#include "support/diagnostics.h"

namespace mtf::spmd {

Interval bounds(const LocalDim& dim, const Mesh& mesh, const Coordinates& coordinates) {
  if (!dim.mapped) return block_of(dim.dim.size, dim.axes, mesh, coordinates);
  return needed(dim.map, block_of(dim.map.from, dim.axes, mesh, coordinates));
}

AxisSet LocalValue::varies() const {
  AxisSet axes = partial;
  for (const LocalDim& dim : dims) axes |= dim.axes.set();
  return axes;
}

TensorType LocalValue::type() const {
  TensorType result{element, {}};
  for (const LocalDim& dim : dims) result.dims.push_back(dim.dim);
  return result;
}

Sharding LocalValue::sharding() const {
  Sharding result;
  for (const LocalDim& dim : dims) {
    MTF_CHECK(!dim.mapped, "{} has a block of its own in {}", name, dim.dim.name.text());
    result.dims.push_back(dim.axes);
  }
  result.partial = partial;
  return result;
}

namespace {

std::string_view name(InstructionKind kind) {
  switch (kind) {
    case InstructionKind::kInput: return "an input";
    case InstructionKind::kCompute: return "an operation";
    case InstructionKind::kSlice: return "a part";
    case InstructionKind::kRemesh: return "remesh";
    default: return name(counted_as(kind));
  }
}

}  // namespace

void verify(const LocalProgram& program) {
  std::vector<bool> made(program.values.size());
  const auto is_made = [&](int value) { return value >= 0 && static_cast<size_t>(value) < made.size() && made[value]; };
  for (const Instruction& instruction : program.instructions) {
    for (int operand : instruction.operands)
      MTF_CHECK(is_made(operand), "{} reads what is not made before it", name(instruction.kind));
    MTF_CHECK(!instruction.results.empty(), "{} makes nothing", name(instruction.kind));
    if (instruction.iteration) verify(*instruction.iteration);
    for (int result : instruction.results) {
      const LocalValue& value = program.values.at(static_cast<size_t>(result));
      MTF_CHECK(!made[result], "{} is made twice", value.name);
      made[result] = true;
      AxisSet used = value.partial;
      for (const LocalDim& dim : value.dims) {
        MTF_CHECK((used & dim.axes.set()) == 0, "{}: an axis twice", value.name);
        used |= dim.axes.set();
      }
    }
  }
  for (int input : program.inputs) MTF_CHECK(is_made(input), "an input is not made");
  for (const std::vector<int>& output : program.outputs)
    for (int value : output) MTF_CHECK(is_made(value), "an output is not made");
  MTF_CHECK(program.copied.size() <= program.outputs.size(), "more copies than outputs");
}

}  // namespace mtf::spmd
