#include "ops/rows.h"

#include <algorithm>

namespace mtf {
namespace {

/// Elements of a piece: 128 KiB of f32.
constexpr int64_t kPieceSize = 32768;
/// Neighbours in memory that stay in one piece: a few packets.
constexpr int64_t kSmallestRun = 64;

}  // namespace

int LoopWriter::array() {
  program_.operands.push_back({OperandKind::kArray, element_, 0});
  return static_cast<int>(program_.operands.size()) - 1;
}

int LoopWriter::scalar() {
  program_.operands.push_back({OperandKind::kScalar, element_, 0});
  return static_cast<int>(program_.operands.size()) - 1;
}

int LoopWriter::step(LaneOp op, int a, int b) {
  program_.steps.push_back({op, a, b, -1, element_});
  return static_cast<int>(program_.operands.size() + program_.steps.size()) - 1;
}

RowArray RowArray::at(const Piece& piece) const {
  RowArray moved = *this;
  for (size_t d = 0; d < strides.size(); ++d) moved.data += piece.first[d] * strides[d] * element_size;
  return moved;
}

RowArray row_array(const Block& block, std::span<const int64_t> places) {
  RowArray array{block.as<std::byte>(), {}, size_of(block.element)};
  for (int64_t place : places) array.strides.push_back(place < 0 ? 0 : block.dims[place].stride);
  return array;
}

RowArray row_array(const Block& block) {
  RowArray array{block.as<std::byte>(), {}, size_of(block.element)};
  for (const BlockDim& dim : block.dims) array.strides.push_back(dim.stride);
  return array;
}

RowScratch::RowScratch(const Piece& piece, const std::vector<bool>& folded, ElementType element) : strides_(folded.size()) {
  int64_t count = 1;
  for (size_t d = folded.size(); d-- > 0;) {
    if (folded[d]) continue;
    strides_[d] = count;
    count *= piece.sizes[d];
  }
  storage_ = std::make_unique<std::byte[]>(count * size_of(element));
}

std::vector<int64_t> row_sizes(const Piece& piece, const std::vector<bool>& folded) {
  std::vector<int64_t> sizes = piece.sizes;
  for (size_t d = 0; d < sizes.size(); ++d)
    if (folded[d]) sizes[d] = 1;
  return sizes;
}

int64_t element_count(const Block& x) { return x.size(); }

int64_t row_count(const Block& x, const std::vector<bool>& folded) {
  int64_t rows = 1;
  for (size_t d = 0; d < folded.size(); ++d)
    if (!folded[d]) rows *= x.dims[d].size;
  return rows;
}

void for_each_piece(Threads& threads, const Block& x, const std::vector<bool>& folded,
                    const std::function<void(const Piece&, Threads&)>& body) {
  if (row_count(x, folded) == 0) return;
  Piece whole;
  std::vector<size_t> order;  // unfolded dims, outermost in memory first
  int64_t inner = 1;          // elements of a row, then of what stays together
  for (size_t d = 0; d < x.dims.size(); ++d) {
    whole.first.push_back(0);
    whole.sizes.push_back(x.dims[d].size);
    if (folded[d]) inner *= x.dims[d].size;
    else order.push_back(d);
  }
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return x.dims[a].stride > x.dims[b].stride; });
  inner = std::max<int64_t>(inner, 1);
  size_t together = order.size();  // the dims from here on are whole in every piece
  while (together > 0 && inner * x.dims[order[together - 1]].size <= kPieceSize) inner *= x.dims[order[--together]].size;
  if (together == 0) return body(whole, threads);

  const size_t cut = order[together - 1];
  const int64_t least = x.dims[cut].stride == 1 ? kSmallestRun : 1;
  const int64_t step = std::max(least, kPieceSize / inner);
  const int64_t steps = (x.dims[cut].size + step - 1) / step;
  int64_t pieces = steps;
  for (size_t i = 0; i + 1 < together; ++i) pieces *= x.dims[order[i]].size;
  const auto run = [&](int64_t index) {
    Piece piece = whole;
    piece.first[cut] = index % steps * step;
    piece.sizes[cut] = std::min(step, x.dims[cut].size - piece.first[cut]);
    index /= steps;
    for (size_t i = together - 1; i-- > 0;) {
      piece.first[order[i]] = index % x.dims[order[i]].size;
      piece.sizes[order[i]] = 1;
      index /= x.dims[order[i]].size;
    }
    body(piece, threads);
  };
  if (pieces < threads.size()) {  // few long rows: each is divided itself
    for (int64_t index = 0; index < pieces; ++index) run(index);
    return;
  }
  threads.parallel_for(pieces, 1, [&](int64_t begin, int64_t end) {
    for (int64_t index = begin; index < end; ++index) run(index);
  });
}

}  // namespace mtf
