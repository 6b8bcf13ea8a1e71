#include "exec/replicas.h"

#include <limits>
#include <string_view>

#include "exec/block_map.h"
#include "exec/host_tensor.h"
#include "support/diagnostics.h"

namespace mtf {
namespace {

int64_t hash(const void* data, int64_t bytes) {
  return static_cast<int64_t>(std::hash<std::string_view>()({static_cast<const char*>(data), static_cast<size_t>(bytes)}) >> 2);
}

/// The number of a processor's block among all different ones.
int64_t block_number(const Mesh& mesh, AxisSet varies, const Coordinates& coordinates) {
  int64_t number = 0;
  for (int axis = 0; axis < mesh.order(); ++axis)
    if (varies & axis_bit(axis)) number = number * mesh.axis_size(axis) + coordinates[axis];
  return number;
}

}  // namespace

void check_replicas(Machine& machine, std::span<const std::shared_ptr<Tensor>> tensors, std::span<const std::string> names) {
  if (machine.transport.ranks() == 1) return;  // replicas of one rank share their memory
  // For each block the hash and its complement: the largest of both over all ranks are complements if all are equal.
  constexpr int64_t kNobody = std::numeric_limits<int64_t>::min();
  std::vector<int64_t> numbers;
  std::vector<size_t> begin;
  for (const std::shared_ptr<Tensor>& tensor : tensors) {
    begin.push_back(numbers.size());
    const LocalValue value = blocks_of(*tensor);
    const Hosting& hosting = machine.hostings.of(tensor->mesh);
    numbers.resize(numbers.size() + 2 * static_cast<size_t>(hosting.mesh()->group_size(value.varies())), kNobody);
    for (size_t hosted = 0; hosted < hosting.processors().size(); ++hosted) {
      const Coordinates& coordinates = hosting.coordinates()[hosted];
      const int64_t bytes = block_at(value, coordinates).elements * size_of(value.element), code = hash(tensor->blocks[hosted], bytes);
      const size_t place = begin.back() + 2 * static_cast<size_t>(block_number(*hosting.mesh(), value.varies(), coordinates));
      numbers[place] = code;
      numbers[place + 1] = ~code;
    }
  }
  begin.push_back(numbers.size());
  machine.transport.max_of_all(numbers);
  for (size_t t = 0; t < tensors.size(); ++t)
    for (size_t i = begin[t]; i < begin[t + 1]; i += 2)
      MTF_CHECK(numbers[i] == ~numbers[i + 1], "replicas of {} differ between ranks, in block {}", names[t], (i - begin[t]) / 2);
}

}  // namespace mtf
