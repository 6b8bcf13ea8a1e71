#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <queue>
#include <vector>

#include "schedule/passes.h"
#include "schedule/same_memory.h"

namespace mtf::schedule {
namespace {

/// Memory of one kind that several buffers use, one after the other. At most one of them, the last, holds an output.
struct Slot {
  std::vector<int> buffers;
  int output = -1;
};

/// Slots of one kind, as few as there are live buffers at any time. Buffers take free slots in the order in which they
/// begin.
struct Slots {
  std::vector<Slot> all;
  std::priority_queue<std::pair<int, int>, std::vector<std::pair<int, int>>, std::greater<>>
      taken;  ///< by the last step that reads the slot
  std::vector<int> free;

  Slot& take(const Buffer& buffer) {
    for (; !taken.empty() && taken.top().first < buffer.first; taken.pop()) free.push_back(taken.top().second);
    if (free.empty()) {
      free.push_back(static_cast<int>(all.size()));
      all.emplace_back();
    }
    const int slot = free.back();
    free.pop_back();
    if (buffer.kind == BufferKind::kArena) taken.emplace(buffer.last, slot);
    return all[slot];
  }
};

}  // namespace

void lend_outputs(Schedule& schedule) {
  std::vector<Buffer>& buffers = schedule.buffers;
  std::vector<bool> is_owned(schedule.program.values.size());  // only the owner has memory for it
  for (const spmd::Instruction& instruction : schedule.program.instructions)
    if (instruction.kind == spmd::InstructionKind::kToOwner) is_owned[instruction.results[0]] = true;
  std::vector<int> order;
  for (size_t b = 0; b < buffers.size(); ++b)
    if (buffers[b].kind == BufferKind::kArena ||
        (buffers[b].kind == BufferKind::kOutput && !is_owned[buffers[b].value]))
      order.push_back(static_cast<int>(b));
  std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return buffers[a].first < buffers[b].first; });
  MemoryKinds kinds(schedule.program);
  std::map<int, Slots> slots;
  for (int b : order) {
    Slot& slot = slots[kinds.of(buffers[b].value)].take(buffers[b]);
    slot.buffers.push_back(b);
    if (buffers[b].kind == BufferKind::kOutput) slot.output = b;
  }
  std::vector<int> lies_in(buffers.size());
  std::iota(lies_in.begin(), lies_in.end(), 0);
  for (const auto& [kind, same] : slots)
    for (const Slot& slot : same.all)
      for (int b : slot.buffers)
        if (slot.output >= 0) lies_in[b] = slot.output;
  // Removes buffers without values.
  std::vector<int> number(buffers.size());
  std::vector<Buffer> left;
  for (size_t b = 0; b < buffers.size(); ++b) {
    number[b] = static_cast<int>(left.size());
    if (lies_in[b] == static_cast<int>(b)) left.push_back(buffers[b]);
  }
  for (int& buffer : schedule.buffer_of)
    if (buffer >= 0) buffer = number[lies_in[buffer]];
  buffers = std::move(left);
}

}  // namespace mtf::schedule
