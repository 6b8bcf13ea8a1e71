// Element-wise chains, and the reductions at their ends, as one loop over a block.
//
// A FusionProgram is a list of operations on one element in SSA form. The operands are the first values, then each step
// is one. compile() turns it into threaded code. A step is a precompiled function that holds eight SIMD packets (a
// *tile*: 128 f32 or 64 f64 with AVX-512) in registers, and jumps to the next step. A value that is needed again later
// is stored in a tile-sized slot in L1.
//
// Invariants:
// - The bits of an element-wise result depend on the element's operands only. They do not depend on its index, the
//   block's sizes or strides, the number of threads, or the fusion of steps into programs. (bf16 values are computed in
//   f32 and rounded after every step.)
// - A reduction's bits depend on the loop's sizes and the arrays' strides only, never on the number of threads.
// - Nothing is read or written beyond the elements that sizes and strides name.
// - An output may have the memory of an operand with the same strides and element size. No other overlap is allowed. A
//   reduced output overlaps nothing.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/element_type.h"
#include "kernels/lane_op.h"
#include "kernels/threads.h"

namespace mtf::kernels {

enum class OperandKind : std::uint8_t {
  kArray,   ///< memory, with a stride for each dim of the loop
  kScalar,  ///< one number, given for each run
  kIota,    ///< first + the index along one dim of the loop; i32
};

struct FusionOperand {
  OperandKind kind = OperandKind::kArray;
  ElementType type = ElementType::kF32;
  int dim = 0;  ///< kIota: the dim of the loop
};

/// One step: value = op(a, b, c). Unused operands are -1. Only `cast` reads `type`.
struct FusionStep {
  LaneOp op = LaneOp::kAdd;
  int a = -1;
  int b = -1;
  int c = -1;
  ElementType type = ElementType::kF32;
};

/// A result of the loop. `type` is the type in memory. It is the value's type with two exceptions: a kSum of bool is
/// i32, and a kSum of bf16 may be f32 (not rounded) or bf16 (rounded once). kMax and kMin of bool are kOr and kAnd.
struct FusionOutput {
  int value = 0;
  ElementType type = ElementType::kF32;
  Reduction reduction = Reduction::kStore;
};

struct FusionProgram {
  std::vector<FusionOperand> operands;
  std::vector<FusionStep> steps;
  std::vector<FusionOutput> outputs;

  /// The element type of every value, operands first. Throws std::invalid_argument if the program is not well formed (a
  /// step reads a later value, operand types differ, …).
  std::vector<ElementType> value_types() const;
};

/// One operand or output of one run. For an array: the first element, and for every dim of the loop the distance in
/// elements between neighbours. A stride of 0 repeats an operand's element, and reduces an output.
struct FusionArgument {
  void* data = nullptr;
  std::span<const std::int64_t> strides;
  double real = 0;           ///< kScalar of a float type
  std::int64_t integer = 0;  ///< kScalar of i32 or bool; kIota: the first number

  static FusionArgument array(const void* data, std::span<const std::int64_t> strides) {
    FusionArgument result;
    result.data = const_cast<void*>(data);
    result.strides = strides;
    return result;
  }
  /// A number for an operand of any type.
  static FusionArgument scalar(double value) {
    FusionArgument result;
    result.real = value;
    result.integer = value >= -9.2e18 && value <= 9.2e18 ? static_cast<std::int64_t>(value) : 0;
    return result;
  }
  static FusionArgument iota(std::int64_t first) {
    FusionArgument result;
    result.integer = first;
    return result;
  }
};

/// A compiled program: const, shareable among threads, cheap to copy.
class FusedLoop {
 public:
  /// The threaded code of a program. Its steps are functions of one level (kernel_table.h).
  struct Code {
    explicit Code(FusionProgram source) : program(std::move(source)) {}
    virtual ~Code() = default;
    virtual void run(std::span<const std::int64_t> sizes, std::span<const FusionArgument> operands,
                     std::span<const FusionArgument> outputs, Threads& threads) const = 0;
    virtual std::string text() const = 0;

    const FusionProgram program;
  };
  explicit FusedLoop(std::shared_ptr<const Code> code) : code_(std::move(code)) {}

  /// Runs over all indices of `sizes` (0 allowed; no dims: one element). There is one argument for each operand and
  /// each output, in the program's order. A stored output has no stride 0 over a dim of more than one element. Reduced
  /// outputs are overwritten, not added to.
  void run(std::span<const std::int64_t> sizes, std::span<const FusionArgument> operands,
           std::span<const FusionArgument> outputs, Threads& threads) const {
    code_->run(sizes, operands, outputs, threads);
  }

  const FusionProgram& program() const { return code_->program; }

  /// The threaded code as readable text, one line for each step.
  std::string text() const { return code_->text(); }

 private:
  std::shared_ptr<const Code> code_;
};

/// Throws std::invalid_argument if the program is not well formed.
FusedLoop compile(FusionProgram program);

}  // namespace mtf::kernels
