#include "run/frame.h"

#include <algorithm>
#include <cstring>

#include "run/memory_check.h"
#include "schedule/pack.h"
#include "support/diagnostics.h"
#include "support/integers.h"

namespace mtf::run {
namespace {

bool is_packed(const schedule::Buffer& buffer) {
  return buffer.kind == schedule::BufferKind::kArena || buffer.kind == schedule::BufferKind::kStaging;
}

}  // namespace

Frame::Frame(std::shared_ptr<const schedule::Schedule> schedule, Hostings& hostings)
    : schedule_(std::move(schedule)), program_(schedule_->program), hostings_(hostings) {
  number_of_.assign(program_.values.size(), 0);
  for (size_t i = 0; i < program_.inputs.size(); ++i) input_of_[program_.inputs[i]] = static_cast<int>(i);
  for (const spmd::Instruction& instruction : program_.instructions)
    if (schedule::is_host_number(instruction)) is_number_.push_back(instruction.results[0]);
  bind_values();
  bind_buffers();
}

int64_t Frame::block_bytes(int value, int slot) const {
  const spmd::LocalValue& of = program_.values[value];
  const int hosted = slots(value).first[static_cast<size_t>(slot)];
  return block_at(of, hosting(value).coordinates()[hosted]).elements * size_of(of.element);
}

int64_t Frame::most_bytes(int value) const {
  return most_elements(program_.values[value]) * size_of(program_.values[value].element);
}

// ---- binding --------------------------------------------------------------------------------------------------------

void Frame::bind_values() {
  const size_t n = program_.values.size();
  pointers_.begin.assign(n, 0);
  pointers_.slots.assign(n, 0);
  for (size_t v = 0; v < n; ++v) {
    const int root = schedule_->alias_of[v];
    pointers_.slots[v] = slots(static_cast<int>(v)).count();
    if (root != static_cast<int>(v)) {
      MTF_CHECK(pointers_.slots[v] == pointers_.slots[root], "{} shares the memory of {}", program_.values[v].name,
                program_.values[root].name);
      pointers_.begin[v] = pointers_.begin[root];
      continue;
    }
    pointers_.begin[v] = static_cast<int>(pointers_.data.size());
    pointers_.data.resize(pointers_.data.size() + pointers_.slots[v], nullptr);
  }
}

void Frame::bind_buffers() {
  std::vector<schedule::PackItem> alone;
  for (const schedule::Buffer& buffer : schedule_->buffers) {
    buffers_.push_back(bound(buffer));
    const FrameBuffer& own = buffers_.back();
    if (buffer.kind == schedule::BufferKind::kOutput) {
      const Hosting& host = hosting(buffer.value);
      most_hosted_ = std::max(most_hosted_, ceil_div(host.mesh()->size(), host.ranks()));
      output_alone_ += own.alone_bytes;
      output_bytes_ += own.slot_bytes * own.slots;
    }
    if (is_packed(buffer)) alone.push_back({own.alone_bytes, buffer.first, buffer.last, 0});
  }
  arena_alone_ = schedule::pack(alone);
  const size_t turn = turning_point(*schedule_);
  for (size_t b = 0; b < buffers_.size(); ++b)
    if (schedule::is_kept(schedule_->buffers[b], turn)) buffers_[b].in = FrameBuffer::In::kKept;
  for (size_t v = 0; v < program_.values.size(); ++v)
    if (schedule_->buffer_of[v] >= 0 && schedule_->alias_of[v] == static_cast<int>(v))
      buffers_[schedule_->buffer_of[v]].values.push_back(static_cast<int>(v));
}

FrameBuffer Frame::bound(const schedule::Buffer& buffer) const {
  FrameBuffer own;
  if (buffer.kind == schedule::BufferKind::kStaging) {
    own.slots = 1;
    own.alone_bytes =
        staging_bytes(*schedule_, schedule_->steps[buffer.first], [](const spmd::LocalProgram& of, int value) {
          return most_elements(of.values[value]) * size_of(of.values[value].element);
        });
    return own;
  }
  own.slots = pointers_.slots[buffer.value];
  own.alone_bytes = schedule::padded(most_bytes(buffer.value));
  for (int slot = 0; slot < own.slots; ++slot)
    own.slot_bytes = std::max(own.slot_bytes, schedule::padded(block_bytes(buffer.value, slot)));
  return own;
}

void Frame::share_last_read(int value, size_t step) {
  const int buffer = schedule_->buffer_of[value];
  if (schedule_->buffers[buffer].kind != schedule::BufferKind::kArena) return;
  for (size_t later = step + 1; later < schedule_->steps.size(); ++later)
    for (int read : schedule_->steps[later].reads)
      if (schedule_->buffer_of[read] == buffer) return;
  buffers_[buffer].in = FrameBuffer::In::kShared;
}

void Frame::size_staging(int buffer, int64_t bytes, bool is_shared) {
  buffers_[buffer].slot_bytes = schedule::padded(bytes);
  if (is_shared) buffers_[buffer].in = FrameBuffer::In::kShared;
}

void Frame::pack(int64_t shared_by_loops) {
  arena_bytes_ = packed(FrameBuffer::In::kArena);
  kept_bytes_ = packed(FrameBuffer::In::kKept);
  own_shared_bytes_ = packed(FrameBuffer::In::kShared);
  shared_bytes_ = own_shared_bytes_ + shared_by_loops;
}

/// Packs the buffers that lie in one of the memories. A buffer has one block for each of its slots. Returns
/// the size.
int64_t Frame::packed(FrameBuffer::In in) {
  std::vector<schedule::PackItem> items;
  std::vector<size_t> which;
  for (size_t b = 0; b < buffers_.size(); ++b) {
    const schedule::Buffer& buffer = schedule_->buffers[b];
    if (!is_packed(buffer) || buffers_[b].in != in) continue;
    items.push_back({buffers_[b].slot_bytes * buffers_[b].slots, buffer.first, buffer.last, 0});
    which.push_back(b);
  }
  const int64_t bytes = schedule::pack(items);
  for (size_t i = 0; i < items.size(); ++i) buffers_[which[i]].offset = items[i].offset;
  return bytes;
}

// ---- a run ----------------------------------------------------------------------------------------------------------

void Frame::fit_arena(Machine& machine) {
  if (arena_bytes_ > 0 && (!machine.arena || machine.arena->bytes() < arena_bytes_)) {
    machine.arena.reset();
    machine.pool->trim();  // no later request will have its size
    machine.arena = machine.pool->allocate(arena_bytes_, 0);
  }
  point_arena(machine.arena ? machine.arena->data() : nullptr, machine.shared.part(machine.transport.rank()));
  if (!machine.scrub) return;
  if (arena_bytes_ > 0) std::memset(arena_base_, 0xff, static_cast<size_t>(arena_bytes_));
  if (shared_bytes_ > 0) std::memset(shared_base_, 0xff, static_cast<size_t>(shared_bytes_));
}

std::vector<std::shared_ptr<Storage>> Frame::place_ends(Machine& machine, std::span<const plan::PlanInput> inputs,
                                                        Span span) {
  check_growth(machine.transport, *machine.pool, output_bytes_, output_alone_, most_hosted_, span);
  std::vector<std::shared_ptr<Storage>> storages(buffers_.size());
  for (size_t b = 0; b < buffers_.size(); ++b) {
    const schedule::Buffer& buffer = schedule_->buffers[b];
    const FrameBuffer& own = buffers_[b];
    if (buffer.kind == schedule::BufferKind::kInput) {
      const plan::Tensor& tensor = *inputs[input_of_.at(buffer.value)].tensor;
      storages[b] = tensor.storage;
      const std::vector<int>& first = slots(buffer.value).first;
      for (int slot = 0; slot < own.slots; ++slot) point_buffer(static_cast<int>(b), slot, tensor.blocks[first[slot]]);
    } else if (buffer.kind == schedule::BufferKind::kOutput) {
      const int64_t bytes = own.slot_bytes * own.slots;
      storages[b] = machine.pool->allocate(bytes, own.alone_bytes);
      if (machine.scrub) std::memset(storages[b]->data(), 0xff, static_cast<size_t>(bytes));
      point(own, storages[b]->data());
    }
  }
  machine.pool->note_alone(arena_alone_);
  return storages;
}

std::vector<std::shared_ptr<plan::Tensor>> Frame::outputs(const std::vector<std::shared_ptr<Storage>>& storages) const {
  std::vector<std::shared_ptr<plan::Tensor>> tensors;
  std::map<int, std::shared_ptr<plan::Tensor>> made;
  for (const std::vector<int>& output : program_.outputs) {
    const int v = output[0];
    std::shared_ptr<plan::Tensor>& tensor = made[v];
    if (!tensor) {
      const spmd::LocalValue& value = program_.values[v];
      tensor = std::make_shared<plan::Tensor>(
          plan::Tensor{value.type(), value.mesh, value.sharding(), value.order, storages[schedule_->buffer_of[v]], {}});
      for (int slot : slots(v).of) tensor->blocks.push_back(pointers_.at(v, slot));
    }
    tensors.push_back(tensor);
  }
  return tensors;
}

std::byte* Frame::base_of(const FrameBuffer& buffer) const {
  switch (buffer.in) {
    case FrameBuffer::In::kArena: return arena_base_;
    case FrameBuffer::In::kShared: return shared_base_;
    case FrameBuffer::In::kKept: return kept_base_;
  }
  return nullptr;
}

void Frame::point_arena(std::byte* arena, std::byte* shared, std::byte* kept) {
  if (is_pointed_ && arena_base_ == arena && shared_base_ == shared && kept_base_ == kept) return;
  is_pointed_ = true;
  arena_base_ = arena;
  shared_base_ = shared;
  kept_base_ = kept;
  for (size_t b = 0; b < buffers_.size(); ++b)
    if (schedule_->buffers[b].kind == schedule::BufferKind::kArena)
      point(buffers_[b], base_of(buffers_[b]) + buffers_[b].offset);
}

/// Points the values of a buffer at `base`, one slot after another.
void Frame::point(const FrameBuffer& buffer, std::byte* base) {
  for (int v : buffer.values)
    for (int slot = 0; slot < buffer.slots; ++slot) pointers_.set(v, slot, base + slot * buffer.slot_bytes);
}

void Frame::point_buffer(int buffer, int slot, void* memory) {
  for (int v : buffers_[buffer].values) pointers_.set(v, slot, memory);
}

void Frame::point_value(int value, int slot, void* memory) {
  if (schedule_->buffer_of[value] >= 0) point_buffer(schedule_->buffer_of[value], slot, memory);
}

void Frame::point_window(int window, int operand, int64_t position, int64_t bytes) {
  for (int p = 0; p < pointers_.slots[window]; ++p)
    pointers_.set(window, p, static_cast<std::byte*>(pointers_.at(operand, p)) + position * bytes);
}

void Frame::read_numbers(std::span<const plan::PlanInput> inputs) {
  for (int v : is_number_) {
    const double number = inputs[input_of_.at(v)].number;
    number_of_[v] = number;
    if (schedule_->buffer_of[v] < 0) continue;
    for (int slot = 0; slot < pointers_.slots[v]; ++slot)
      plan::store_number(program_.values[v].element, number, pointers_.at(v, slot));
  }
}

void Frame::zero(int value, const std::function<bool(int hosted)>& is_wanted) const {
  const Slots& at = slots(value);
  for (int slot = 0; slot < at.count(); ++slot)
    if (is_wanted(at.first[static_cast<size_t>(slot)]))
      std::memset(pointers_.at(value, slot), 0, static_cast<size_t>(block_bytes(value, slot)));
}

std::byte* Frame::staging(int buffer) const {
  if (buffer < 0) return nullptr;
  std::byte* const base = base_of(buffers_[buffer]);
  return base ? base + buffers_[buffer].offset : nullptr;
}

}  // namespace mtf::run
