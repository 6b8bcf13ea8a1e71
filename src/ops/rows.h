#pragma once
// Kernels that fold some dims of a block and go over its elements more than once: softmax and its like.
//
// A *row* is the elements of the folded dims at one place of the others. The block is cut into pieces of whole rows
// that fit the cache; on each piece the passes are fused loops, so every element is read from memory once. How it is
// cut depends on the sizes and strides alone.
#include <functional>
#include <memory>
#include <vector>

#include "kernels/block.h"
#include "kernels/fused_loop.h"
#include "kernels/threads.h"

namespace mtf {

/// Writes a loop program value by value; operands first.
class LoopWriter {
 public:
  explicit LoopWriter(ElementType element) : element_(element) {}
  int array();
  int scalar();
  int step(LaneOp op, int a, int b = -1);
  void store(int value) { output(value, Reduction::kStore); }
  void output(int value, Reduction reduction) { program_.outputs.push_back({value, element_, reduction}); }
  FusedLoop compiled() const { return compile(program_); }

 private:
  ElementType element_;
  LoopProgram program_;
};

/// Part of a block: for each of its dims the first place and how many.
struct Piece {
  std::vector<int64_t> first;
  std::vector<int64_t> sizes;
};

/// An array as loops over the dims of a block see it: a stride for each of them, 0 where the array lacks the dim.
struct RowArray {
  std::byte* data = nullptr;
  std::vector<int64_t> strides;
  int64_t element_size = 4;
  /// The same from the piece's first place on.
  RowArray at(const Piece& piece) const;
  LoopArgument argument() const { return LoopArgument::array(data, strides); }
};

/// `block` seen along the dims of another: for each of those its place in `block`, or -1.
RowArray row_array(const Block& block, std::span<const int64_t> places);
/// `block` seen along its own dims.
RowArray row_array(const Block& block);

/// One number for each row of a piece, for the time of a pass.
class RowScratch {
 public:
  RowScratch(const Piece& piece, const std::vector<bool>& folded, ElementType element);
  LoopArgument argument() const { return LoopArgument::array(storage_.get(), strides_); }

 private:
  std::unique_ptr<std::byte[]> storage_;
  std::vector<int64_t> strides_;
};

/// The sizes of a piece with 1 in place of the folded ones: a loop over its rows.
std::vector<int64_t> row_sizes(const Piece& piece, const std::vector<bool>& folded);

/// Calls `body` for each piece of `x`, side by side if there are several. A block without elements in its unfolded
/// dims has no piece.
void for_each_piece(Threads& threads, const Block& x, const std::vector<bool>& folded,
                    const std::function<void(const Piece&, Threads&)>& body);

/// The elements of `x`, and its rows.
int64_t element_count(const Block& x);
int64_t row_count(const Block& x, const std::vector<bool>& folded);

/// The loops of a family for one element type, f32 or f64, made once.
template <typename Loops>
const Loops& loops_for(ElementType element) {
  static const Loops kSingle(ElementType::kF32);
  static const Loops kDouble(ElementType::kF64);
  return element == ElementType::kF64 ? kDouble : kSingle;
}

}  // namespace mtf
