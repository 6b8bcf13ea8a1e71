#include "run/block_file.h"

#include <span>
#include <vector>

#include "io/element_sum.h"
#include "run/host_tensor.h"
#include "run/redistribution.h"

namespace mtf::run {
namespace {

/// A block as dense memory in the order of its dims, and the copy from the stored block to this memory.
struct Piece {
  std::vector<std::byte> bytes;
  BoxCopy copy;

  Piece(const BlockShape& block, int64_t element_size) : bytes(static_cast<size_t>(block.elements * element_size)) {
    copy.element_size = static_cast<int>(element_size);
    for (const Interval& interval : block.box) copy.sizes.push_back(interval.size());
    copy.from_strides = block.strides;
    copy.to_strides = dense_strides(block.box, plan::as_written(block.box.size()));
  }
};

/// Calls `visit(place, bytes)` for each part of a block that is contiguous in the whole tensor. `offset` is the byte
/// offset from the beginning of the tensor.
template <typename Bytes, typename Visit>
void for_each_run(const TensorType& type, const std::vector<Interval>& box, std::span<Bytes> piece,
                  const Visit& visit) {
  const int64_t unit = size_of(type.element);
  std::vector<int64_t> strides(box.size(), unit);
  for (size_t i = box.size(); i-- > 1;) strides[i - 1] = strides[i] * type.dims[i].size;
  // Dims from `inner` on are contiguous.
  size_t inner = box.size();
  int64_t run = unit;
  while (inner > 0) {
    run *= box[--inner].size();
    if (box[inner].size() != type.dims[inner].size) break;
  }
  if (piece.empty()) return;
  std::vector<int64_t> at(inner, 0);
  for (size_t done = 0; done < piece.size(); done += static_cast<size_t>(run)) {
    int64_t offset = 0;
    for (size_t i = 0; i < box.size(); ++i) offset += (box[i].first + (i < inner ? at[i] : 0)) * strides[i];
    visit(static_cast<uint64_t>(offset), piece.subspan(done, static_cast<size_t>(run)));
    for (size_t i = inner; i-- > 0;) {
      if (++at[i] < box[i].size()) break;
      at[i] = 0;
    }
  }
}

/// True if no lower rank hosts the block of the processor at `coordinates`.
bool is_ours(const Hosting& hosting, AxisSet varies, Coordinates coordinates) {
  const Mesh& mesh = *hosting.mesh();
  for (int axis = 0; axis < mesh.order(); ++axis)
    if (!(varies >> axis & 1)) coordinates[static_cast<size_t>(axis)] = 0;
  return hosting.rank_of(mesh.processor(coordinates)) == hosting.rank();
}

/// Calls `visit(box, piece)` for each block that this rank hosts and no lower rank hosts.
template <typename Visit>
void for_each_own_piece(Machine& machine, const plan::Tensor& tensor, const Visit& visit) {
  const spmd::LocalValue value = blocks_of(tensor);
  const Hosting& hosting = machine.hostings.of(tensor.mesh);
  for (const int hosted : hosting.slots(value.varies()).first) {
    const Coordinates& coordinates = hosting.coordinates()[static_cast<size_t>(hosted)];
    if (!is_ours(hosting, value.varies(), coordinates)) continue;
    const BlockShape block = block_at(value, coordinates);
    if (block.elements == 0) continue;
    const auto* const memory = static_cast<const std::byte*>(tensor.blocks[static_cast<size_t>(hosted)]);
    if (block.strides == dense_strides(block.box, plan::as_written(block.box.size()))) {
      visit(block.box, std::span(memory, static_cast<size_t>(block.elements * size_of(value.element))));
      continue;
    }
    Piece piece(block, size_of(value.element));
    run(piece.copy, memory, piece.bytes.data());
    visit(block.box, std::span<const std::byte>(piece.bytes));
  }
}

}  // namespace

uint64_t write_blocks(Machine& machine, const plan::Tensor& tensor, const io::PositionedFile& file, uint64_t offset) {
  uint64_t sum = 0;
  for_each_own_piece(machine, tensor, [&](const std::vector<Interval>& box, std::span<const std::byte> piece) {
    for_each_run(tensor.type, box, piece, [&](uint64_t at, std::span<const std::byte> bytes) {
      sum += io::element_sum(at, bytes, static_cast<size_t>(size_of(tensor.type.element)));
      file.write(offset + at, bytes);
    });
  });
  return sum;
}

plan::Runtime::Loaded read_blocks(Machine& machine, const TensorType& type, const MeshPtr& mesh,
                                  const Sharding& sharding, const io::PositionedFile& file, uint64_t offset) {
  plan::Runtime::Loaded result;
  result.tensor = fill_blocks(
      // `memory` is in the order of the dims.
      machine, type, mesh, sharding, [&](const BlockShape& block, std::byte* memory) {
        const std::span<std::byte> bytes(memory, static_cast<size_t>(block.elements * size_of(type.element)));
        for_each_run(type, block.box, bytes,
                     [&](uint64_t at, std::span<std::byte> run) { file.read(offset + at, run); });
      });
  for_each_own_piece(machine, *result.tensor, [&](const std::vector<Interval>& box, std::span<const std::byte> piece) {
    for_each_run(type, box, piece, [&](uint64_t at, std::span<const std::byte> bytes) {
      result.sum += io::element_sum(at, bytes, static_cast<size_t>(size_of(type.element)));
    });
  });
  return result;
}

uint64_t write_whole(const plan::HostTensor& tensor, const io::PositionedFile& file, uint64_t offset) {
  file.write(offset, tensor.bytes);
  return io::element_sum(0, tensor.bytes, static_cast<size_t>(size_of(tensor.type.element)));
}

plan::HostTensor read_whole(const TensorType& type, const io::PositionedFile& file, uint64_t offset, uint64_t& sum) {
  plan::HostTensor whole{type, std::vector<std::byte>(static_cast<size_t>(size_of(type.dims) * size_of(type.element)))};
  file.read(offset, whole.bytes);
  sum = io::element_sum(0, whole.bytes, static_cast<size_t>(size_of(type.element)));
  return whole;
}

}  // namespace mtf::run
