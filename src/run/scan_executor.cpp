#include "run/scan_executor.h"

#include <algorithm>
#include <cstring>

#include "run/step_executor.h"
#include "schedule/pack.h"
#include "spmd/pipeline.h"

namespace mtf::run {

ScanExecutor::ScanExecutor(std::unique_ptr<StepExecutor> body, const Frame& around, const spmd::Instruction& loop,
                           Interval iterations, const std::vector<int>* hosted, int64_t chunk)
    : body_(std::move(body)),
      frame_(body_->frame()),
      around_(around),
      loop_(loop),
      region_(*loop.node->region),
      attributes_(loop.node->attributes.get<ops::ScanAttributes>()),
      iterations_(iterations),
      hosted_(hosted),
      chunk_(chunk) {
  inputs_.region = &region_;
  inputs_.values.resize(frame_.program().inputs.size());
  left_.resize(frame_.program().outputs.size());
  bind_inputs();
  bind_outputs();
}

ScanExecutor::~ScanExecutor() = default;

void ScanExecutor::bind_inputs() {
  for (const spmd::Instruction& instruction : frame_.program().instructions) {
    if (instruction.kind != spmd::InstructionKind::kInput) continue;
    const int value = instruction.results[0];
    const auto sums = static_cast<size_t>(region_.carried + region_.stacked);
    const auto input = static_cast<size_t>(instruction.input);
    if (instruction.sum >= 0) left_[sums + static_cast<size_t>(instruction.sum)].input = value;
    else if (schedule::is_host_number(instruction) && input < region_.iteration.inputs.size())
      numbers_.emplace_back(value, region_.input_number[input]);
    else if (schedule::is_host_number(instruction))  // made by an expansion
      inputs_.values[frame_.input_of(value)].number = instruction.node->inputs[0];
    else if (instruction.input < region_.carried) left_[input].input = value;
    else {
      const spmd::LocalValue& all = around_.value(loop_.operands[input]);
      tensors_.push_back({value, static_cast<int>(input), first_of_chunk(all, value), outside(value, all),
                          held(value, all, region_.is_placed(input))});
    }
  }
  for (size_t c = 0; c < static_cast<size_t>(region_.carried); ++c)
    starts_.push_back(outside(value_of(c), around_.value(loop_.operands[c])));
}

void ScanExecutor::bind_outputs() {
  for (size_t r = 0; r < left_.size(); ++r) {
    const spmd::LocalValue& all = around_.value(loop_.results[r]);
    left_[r].places = places_of(all, region_);
    left_[r].first = first_of_chunk(all, value_of(r));
    left_[r].outside = outside(value_of(r), all);
    left_[r].held = held(value_of(r), all, is_stacked(r));
  }
  for (size_t s = 0; s < frame_.schedule()->steps.size(); ++s)
    for (const int value : frame_.schedule()->steps[s].writes)
      for (size_t r = 0; r < left_.size(); ++r)
        if (frame_.schedule()->alias_of[value_of(r)] == value) left_[r].made = s;
  bytes_ = frame_.arena_bytes();
  for (size_t r : second_positions(*frame_.schedule(), region_)) {
    left_[r].second = bytes_;
    for (int slot = 0; slot < slots(r); ++slot) bytes_ += schedule::padded(bytes_at(r, slot));
  }
  // The body writes a buffer directly to the memory of one of its outputs. Other outputs in the buffer are copied.
  std::vector<int> owner(frame_.schedule()->buffers.size(), -1);
  for (const bool second : {true, false})
    for (size_t r = 0; r < left_.size(); ++r) {
      const int buffer = frame_.schedule()->buffer_of[value_of(r)];
      if (frame_.schedule()->buffers[buffer].kind != schedule::BufferKind::kOutput || owner[buffer] >= 0) continue;
      if (second != (left_[r].second >= 0)) continue;
      owner[buffer] = static_cast<int>(r);
      left_[r].buffer = buffer;
    }
}

/// Maps each slot of a value in the body to the slot of the enclosing value that contains it.
std::vector<int> ScanExecutor::outside(int value, const spmd::LocalValue& of) const {
  const Slots& around = around_.hostings().of(of.mesh).slots(of.varies());
  std::vector<int> slots;
  for (const int hosted : frame_.slots(value).first)
    slots.push_back(around.of[hosted_ ? (*hosted_)[static_cast<size_t>(hosted)] : hosted]);
  return slots;
}

/// In a pipeline: returns the position, among slices like `value`, of the first slice of the stage's chunk.
int64_t ScanExecutor::first_of_chunk(const spmd::LocalValue& all, int value) const {
  const spmd::LocalValue& slice = frame_.value(value);
  if (!region_.hands_on || all.dims.size() <= slice.dims.size()) return 0;
  return chunk_ * (has_dim(slice.type().dims, region_.micro) ? places_of(all, region_) : 1);
}

/// For xs or ys whose loop dim is sharded: returns the interval of positions that each slot stores. Returns nothing
/// for other values.
std::vector<Interval> ScanExecutor::held(int value, const spmd::LocalValue& all, bool is_at_slot) const {
  std::vector<Interval> intervals;
  if (!is_at_slot || region_.hands_on || !region_.stages.empty() || all.dims[0].axes.empty()) return intervals;
  const Hosting& host = frame_.hosting(value);
  for (const int hosted : frame_.slots(value).first)
    intervals.push_back(bounds(all.dims[0], *all.mesh, host.coordinates()[hosted]));
  return intervals;
}

int64_t ScanExecutor::arena_bytes() const { return schedule::padded(bytes_); }
int64_t ScanExecutor::kept_bytes() const { return frame_.kept_bytes(); }
int64_t ScanExecutor::shared_bytes() const { return frame_.shared_bytes(); }

std::vector<BoundLoop::Body> ScanExecutor::bodies() const {
  return {{body_.get(), iterations_.size() * spmd::chunks_of(*loop_.node)}};
}

// ---- a run ----------------------------------------------------------------------------------------------------------

void ScanExecutor::run_steps(const LoopRun& run, size_t from, size_t to) {
  frame_.point_arena(run.arena, run.shared, run.kept);
  const size_t stops_before = run.may_stop ? body_->steps().size() : 0;
  for (size_t r = 0; r < left_.size(); ++r) begin(r, run.arena);
  for (const Outside& each : tensors_)
    if (!region_.is_placed(static_cast<size_t>(each.operand)))
      for (int slot = 0; slot < frame_.pointers().slots[each.value]; ++slot)
        frame_.point_value(each.value, slot, operand(each, slot));
  for (int64_t i = 0; i < iterations_.size(); ++i) {
    const int64_t at = attributes_.reverse ? iterations_.last - 1 - i : iterations_.first + i;
    const bool from_last = attributes_.reverse != attributes_.counts_down;
    const int64_t layer = region_.hands_on ? at : chunk_ * attributes_.over.size + at;
    run_iteration(at, region_.numbers_of_iteration(run.numbers, from_last ? region_.iterations - 1 - layer : layer),
                  stops_before, from, std::min(to, body_->steps().size()));
  }
  for (size_t r = 0; r < left_.size(); ++r) end(r);
}

/// Returns the memory of an operand of the loop; of one with chunks of layers, the chunk that the stage runs.
std::byte* ScanExecutor::operand(const Outside& each, int slot) const {
  auto* all = static_cast<std::byte*>(around_.pointers().at(loop_.operands[each.operand], each.slots[slot]));
  return all + each.first * frame_.block_bytes(each.value, slot);
}

/// Prepares the memory of a carry or a sum for the first iteration.
void ScanExecutor::begin(size_t r, std::byte* arena) {
  if (is_stacked(r)) return;
  Left& each = left_[r];
  each.now.clear();
  each.next.clear();
  std::byte* second = each.second < 0 ? nullptr : arena + each.second;
  for (int slot = 0; slot < slots(r); ++slot) {
    each.now.push_back(result(r, slot));
    each.next.push_back(second ? second : result(r, slot));
    if (second) second += schedule::padded(bytes_at(r, slot));
  }
  // The last iteration then writes the result's memory.
  if (each.second >= 0 && iterations_.size() % 2 != 0) std::swap(each.now, each.next);
  for (int slot = 0; slot < slots(r); ++slot) {
    const auto bytes = static_cast<size_t>(bytes_at(r, slot));
    if (is_carried(r)) std::memcpy(each.now[slot], around_.pointers().at(loop_.operands[r], starts_[r][slot]), bytes);
    else if (!region_.hands_on) std::memset(each.now[slot], 0, bytes);
    else if (each.second >= 0) std::memcpy(each.now[slot], each.next[slot], bytes);
  }
}

void ScanExecutor::run_iteration(int64_t at, std::vector<double> numbers, size_t stops_before, size_t from, size_t to) {
  for (const Outside& each : tensors_)
    if (region_.is_placed(static_cast<size_t>(each.operand)))
      for (int slot = 0; slot < frame_.pointers().slots[each.value]; ++slot) {
        void* const all = operand(each, slot);
        frame_.point_value(each.value, slot, at_slot(all, at, each.held, slot, frame_.block_bytes(each.value, slot)));
      }
  for (const auto& [value, number] : numbers_) inputs_.values[frame_.input_of(value)].number = numbers[number];
  for (size_t r = 0; r < left_.size(); ++r)
    for (int slot = 0; slot < slots(r); ++slot) {
      if (left_[r].input >= 0) frame_.point_value(left_[r].input, slot, left_[r].now[slot]);
      if (left_[r].buffer >= 0) frame_.point_buffer(left_[r].buffer, slot, wanted(r, slot, at));
    }
  inputs_.iteration_numbers = std::move(numbers);
  frame_.position = at;
  body_->run(inputs_, stops_before, from, to);
  for (size_t r = 0; r < left_.size(); ++r) {
    if (left_[r].made < from || (left_[r].made >= to && to > from)) continue;  // made by another part of the iteration
    if (left_[r].buffer >= 0 || (!is_stacked(r) && left_[r].second < 0)) continue;
    for (int slot = 0; slot < slots(r); ++slot)
      if (void* const to = wanted(r, slot, at), * const from = frame_.pointers().at(value_of(r), slot);
          to && to != from)  // ys that are written over xs are there already
        std::memcpy(to, from, static_cast<size_t>(bytes_at(r, slot)));
  }
  for (Left& each : left_)
    if (each.second >= 0) std::swap(each.now, each.next);
}

/// Copies a carry or a sum to the memory of the loop's result if it is elsewhere (without iterations, for instance).
void ScanExecutor::end(size_t r) {
  if (is_stacked(r)) return;
  for (int slot = 0; slot < slots(r); ++slot)
    if (void* const home = result(r, slot); left_[r].now[slot] != home)
      std::memcpy(home, left_[r].now[slot], static_cast<size_t>(bytes_at(r, slot)));
}

/// Returns the memory for an output of the iteration at position `at`; null if another processor stores it.
void* ScanExecutor::wanted(size_t r, int slot, int64_t at) const {
  if (!is_stacked(r)) return left_[r].next[slot];
  void* const all = result(r, slot);
  // Every iteration has the same value.
  if (region_.hands_on && !has_dim(frame_.value(value_of(r)).type().dims, region_.micro)) return all;
  if (region_.hands_on) at %= left_[r].places;
  return at_slot(all, at, left_[r].held, slot, bytes_at(r, slot));
}

/// Returns the memory of position `at` in a processor's block of xs or ys; null if another processor stores it.
void* ScanExecutor::at_slot(void* all, int64_t at, const std::vector<Interval>& held, int slot, int64_t bytes) const {
  int64_t first = region_.hands_on ? 0 : iterations_.first;
  if (!held.empty()) {
    const Interval& own = held[static_cast<size_t>(slot)];
    if (at < own.first || at >= own.last) return nullptr;
    first = own.first;
  }
  return static_cast<std::byte*>(all) + (at - first) * bytes;
}

int64_t places_of(const spmd::LocalValue& result, const graph::Region& region) {
  for (const spmd::LocalDim& dim : result.dims)
    if (region.hands_on && dim.dim.name == region.micro) return dim.dim.size;
  return region.iterations;
}

std::unique_ptr<BoundLoop> bind_scan(const Frame& around, Machine& machine, const schedule::Step& step, bool share,
                                     int64_t chunk) {
  const spmd::Instruction& loop = around.program().instructions[step.instructions[0]];
  const graph::Region& region = *loop.node->region;
  const MeshPtr& mesh = loop.node->mesh;
  const Interval iterations = block_of(loop.node->attributes.get<ops::ScanAttributes>().over.size, region.stages, *mesh,
                                       around.hostings().of(mesh).coordinates()[0]);
  const Enclosing enclosing{around, loop};
  return std::make_unique<ScanExecutor>(
      std::make_unique<StepExecutor>(step.iteration, machine, around.hostings(), share, &enclosing), around, loop,
      iterations, nullptr, spmd::chunks_of(*loop.node) > 1 ? chunk : 0);
}

}  // namespace mtf::run
