// What an instruction costs the largest processor, from the local program alone.
#include <algorithm>
#include <map>

#include "spmd/local_program.h"
#include "spmd/work.h"

namespace mtf {
namespace {

/// What the processor that sends most sends, in indices of the dim, when every processor along the dim's axes gets the
/// interval that `to` says from those that hold it as `from` says.
int64_t most_sent(const LocalDim& from, const LocalDim& to, const Mesh& mesh, AxisSet axes) {
  struct Part { Interval have; int64_t sent = 0; };
  std::vector<Part> parts;
  std::vector<Interval> wanted;
  for (int64_t processor : mesh.group(0, axes)) {
    Coordinates at = mesh.coordinates(processor);
    parts.push_back({bounds(from, mesh, at), 0});
    wanted.push_back(bounds(to, mesh, at));
  }
  // Holders in the order of what they hold; each interval meets a run of them.
  std::vector<size_t> order;
  for (size_t i = 0; i < parts.size(); ++i)
    if (parts[i].have.size() > 0) order.push_back(i);
  std::sort(order.begin(), order.end(), [&](size_t a, size_t b) { return parts[a].have.first < parts[b].have.first; });
  const int64_t whole = to.dim.size;
  for (size_t r = 0; r < wanted.size(); ++r) {
    for (int64_t place = wanted[r].first; place < wanted[r].last;) {
      const int64_t inside = ((place % whole) + whole) % whole;
      auto holder = std::upper_bound(order.begin(), order.end(), inside, [&](int64_t p, size_t i) { return p < parts[i].have.first; });
      const size_t owner = *--holder;
      const int64_t run = std::min(parts[owner].have.last - inside, wanted[r].last - place);
      if (owner != r) parts[owner].sent += run;
      place += run;
    }
  }
  int64_t most = 0;
  for (const Part& part : parts) most = std::max(most, part.sent);
  return most;
}

Product exchanged(const LocalValue& from, const LocalValue& to, AxisSet axes) {
  Product product;
  for (size_t d = 0; d < from.dims.size(); ++d) {
    if (from.dims[d] == to.dims[d])
      product.factors.push_back(block_factor(from.dims[d], *from.mesh));
    else
      product.numerator *= most_sent(from.dims[d], to.dims[d], *from.mesh, axes);
  }
  return product;
}

/// The largest block that changes hands when two axes trade places: of processor (0, 1) or (1, 0) along them.
Product transposed(const LocalValue& value, AxisSet axes) {
  Product even = block_elements(value);
  const Mesh& mesh = *value.mesh;
  int64_t most = 0;
  for (int axis = 0; axis < mesh.order(); ++axis) {
    if (!(axes & axis_bit(axis))) continue;
    Coordinates at{};
    at[axis] = 1;
    int64_t size = 1;
    for (const LocalDim& dim : value.dims) size *= bounds(dim, mesh, at).size();
    most = std::max(most, size);
  }
  if (static_cast<double>(most) == even.value()) return even;
  Product product;
  product.numerator = most;
  return product;
}

}  // namespace

InstructionCost cost_of(const LocalProgram& program, const Instruction& instruction) {
  InstructionCost cost;
  cost.flops = work_of(program, instruction);
  if (!is_collective(instruction.kind)) return cost;
  const LocalValue& from = program.values[instruction.operands[0]];
  const LocalValue& to = program.values[instruction.results[0]];
  const int64_t n = from.mesh->group_size(instruction.axes);
  if (n <= 1) return cost;
  cost.count = 1;
  int64_t numerator = n - 1, denominator = n;
  switch (instruction.kind) {
    case InstructionKind::kAllReduce: numerator *= 2; [[fallthrough]];
    case InstructionKind::kReduceScatter:
    case InstructionKind::kAllToAll: cost.values.add(block_elements(from)); break;
    case InstructionKind::kAllGather: cost.values.add(block_elements(to)); break;
    case InstructionKind::kTranspose:
      cost.values.add(transposed(from, instruction.axes));
      numerator = denominator = 1;
      break;
    default:
      cost.values.add(exchanged(from, to, instruction.axes));
      numerator = denominator = 1;
  }
  cost.bytes = cost.values.times(size_of(from.element));
  cost.wire_bytes = cost.bytes.times(numerator, denominator);
  return cost;
}

}  // namespace mtf
