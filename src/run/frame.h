#pragma once
// The frame of a program on this rank: the memory of one activation of its schedule.
//
// Steps find memory in one table of pointers, with an entry for each value and slot (run/hosting.h). A value that
// shares the memory of another value shares its entries. Buffers of the arena are packed by lifetime, for the
// processors that this rank hosts. Their entries change only when the arena moves. Entries of inputs and outputs are
// set for each run; a loop sets those of its body for each iteration.
//
//   program           x  y  t            buffers   x: input   y: output   t: arena at 64
//   slots of a rank  2  2  1
//   pointers          x0 x1 y0 y1 t0     x0, x1 in x's tensor; y0, y1 in new memory; t0 = arena + 64
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "plan/plan.h"
#include "run/block_map.h"
#include "run/machine.h"
#include "schedule/schedule.h"

namespace mtf::run {

/// The table of pointers. Each value has consecutive entries, one for each of its slots.
struct PointerTable {
  std::vector<int> begin;  ///< for each value: its first entry
  std::vector<int> slots;  ///< for each value: the number of its slots
  std::vector<void*> data;
  void* at(int value, int slot) const { return data[begin[value] + slot]; }
  void set(int value, int slot, void* memory) { data[begin[value] + slot] = memory; }
  std::span<void* const> all(int value) const {
    return {data.data() + begin[value], static_cast<size_t>(slots[value])};
  }
};

/// A buffer of the schedule, on this rank.
struct FrameBuffer {
  int64_t slot_bytes = 0;  ///< padded bytes of one slot
  int slots = 0;
  int64_t alone_bytes = 0;  ///< bytes of the largest processor
  /// Where it lies: in the arena; in the memory that ranks share; or, in a pipeline, in what a stage keeps for the
  /// backward part of an iteration.
  enum class In : uint8_t { kArena, kShared, kKept };
  In in = In::kArena;
  int64_t offset = 0;       ///< there
  std::vector<int> values;  ///< the values that it stores
};

class Frame {
 public:
  /// Finds the buffers and their sizes, except those of staging memory. They have no offsets before pack().
  Frame(std::shared_ptr<const schedule::Schedule> schedule, Hostings& hostings);
  Frame(const Frame&) = delete;
  Frame& operator=(const Frame&) = delete;

  const std::shared_ptr<const schedule::Schedule>& schedule() const { return schedule_; }
  const spmd::LocalProgram& program() const { return program_; }
  const spmd::LocalValue& value(int value) const { return program_.values[value]; }
  Hostings& hostings() const { return hostings_; }
  const Hosting& hosting(int value) const { return hostings_.of(program_.values[value].mesh); }
  const Slots& slots(int value) const { return hosting(value).slots(program_.values[value].varies()); }

  /// Returns the bytes of a value's block at a slot, and those of its largest block on any processor.
  int64_t block_bytes(int value, int slot) const;
  int64_t most_bytes(int value) const;

  const PointerTable& pointers() const { return pointers_; }
  /// For each value that is a host number: the number.
  std::span<const double> numbers() const { return number_of_; }
  /// Returns the index of a kInput instruction's value among the inputs of the program.
  int input_of(int value) const { return input_of_.at(value); }

  // ---- binding ------------------------------------------------------------------------------------------------------

  /// Makes a buffer part of the memory that ranks share, if it is in the arena and `step` is its last reader.
  void share_last_read(int value, size_t step);
  /// Sets the size of a staging buffer, and whether ranks share it.
  void size_staging(int buffer, int64_t bytes, bool is_shared);
  /// Gives the buffers their offsets. Loops need up to `shared_by_loops` bytes of shared memory after the frame's own.
  void pack(int64_t shared_by_loops);

  int64_t arena_bytes() const { return arena_bytes_; }
  int64_t kept_bytes() const { return kept_bytes_; }
  /// The shared memory with that of the loops.
  int64_t shared_bytes() const { return shared_bytes_; }
  int64_t output_bytes() const { return output_bytes_; }

  // ---- a run --------------------------------------------------------------------------------------------------------

  /// Makes the machine's arena large enough, and points at it.
  void fit_arena(Machine& machine);
  /// Sets the pointers of inputs to their tensors, and those of outputs to new memory. Returns the storages by buffer.
  /// Fails (out_of_memory) at `span`.
  std::vector<std::shared_ptr<Storage>> place_ends(Machine& machine, std::span<const plan::PlanInput> inputs,
                                                   Span span);
  /// Returns a tensor for each of program.outputs.
  std::vector<std::shared_ptr<plan::Tensor>> outputs(const std::vector<std::shared_ptr<Storage>>& storages) const;

  /// Points all buffers at the memory in which they lie. Each may be null.
  void point_arena(std::byte* arena, std::byte* shared, std::byte* kept = nullptr);
  /// Points all values of a buffer, or of a value's buffer, at `memory` for one slot.
  void point_buffer(int buffer, int slot, void* memory);
  void point_value(int value, int slot, void* memory);
  /// Points a window at `position` of its operand; positions are `bytes` apart.
  void point_window(int window, int operand, int64_t position, int64_t bytes);
  void read_numbers(std::span<const plan::PlanInput> inputs);
  /// Fills a value with zeros on the processors for which `is_wanted` is true.
  void zero(int value, const std::function<bool(int hosted)>& is_wanted) const;

  /// The memory of a staging buffer; null without a buffer.
  std::byte* staging(int buffer) const;
  /// The shared memory after the frame's own, for its loops; null if there is none.
  std::byte* shared_for_loops() const { return shared_base_ ? shared_base_ + own_shared_bytes_ : nullptr; }

  /// Of a loop body: the position of the iteration.
  int64_t position = 0;

 private:
  void bind_values();
  void bind_buffers();
  FrameBuffer bound(const schedule::Buffer& buffer) const;
  int64_t packed(FrameBuffer::In in);
  std::byte* base_of(const FrameBuffer& buffer) const;
  void point(const FrameBuffer& buffer, std::byte* base);

  const std::shared_ptr<const schedule::Schedule> schedule_;
  const spmd::LocalProgram& program_;
  Hostings& hostings_;
  PointerTable pointers_;
  std::vector<double> number_of_;
  std::vector<int> is_number_;  // the values that are host numbers
  std::map<int, int> input_of_;
  std::vector<FrameBuffer> buffers_;
  int64_t arena_bytes_ = 0, arena_alone_ = 0, kept_bytes_ = 0;
  int64_t own_shared_bytes_ = 0, shared_bytes_ = 0;
  int64_t output_bytes_ = 0, output_alone_ = 0;
  int64_t most_hosted_ = 1;  // the most processors of the outputs' meshes on one rank
  std::byte *arena_base_ = nullptr, *shared_base_ = nullptr, *kept_base_ = nullptr;
  bool is_pointed_ = false;
};

}  // namespace mtf::run
