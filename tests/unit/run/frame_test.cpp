#include "run/frame.h"

#include "one_rank.h"

namespace mtf::run {
namespace frame_test {

const char* const kChain = R"(mesh grid = [rows: 2, cols: 3]
x: f32[a=8/rows, b=4] = input(0)
y: f32[a=8/rows, b=4] = reverse(x, over: b)
z: f32[a=8/rows, b=4] = reverse(y, over: b)
u: f32[a=8/rows, b=4] = reverse(z, over: b)
-> u
)";

int named(const Frame& frame, const std::string& name) {
  for (size_t v = 0; v < frame.program().values.size(); ++v)
    if (frame.program().values[v].name == name) return static_cast<int>(v);
  return -1;
}

TEST(Frame, ReplicasOfARankAreOneSlot) {
  OneRank rank;
  const Frame frame(schedule_of_text(kChain), rank.hostings);
  EXPECT_EQ(frame.pointers().slots[named(frame, "x")], 2);
  EXPECT_EQ(frame.block_bytes(named(frame, "x"), 1), 4 * 4 * 4);
}

TEST(Frame, TheArenaHasABlockForEachSlot) {
  OneRank rank;
  Frame frame(schedule_of_text(kChain), rank.hostings);
  frame.pack(0);
  EXPECT_EQ(frame.arena_bytes(), 2 * 64) << "z; y is stored where u will be";
  std::vector<std::byte> arena(static_cast<size_t>(frame.arena_bytes()));
  frame.point_arena(arena.data(), nullptr);
  const int z = named(frame, "z");
  EXPECT_EQ(frame.pointers().at(z, 0), arena.data());
  EXPECT_EQ(frame.pointers().at(z, 1), arena.data() + 64);
}

TEST(Frame, AWindowIsAPositionInItsOperand) {
  OneRank rank;
  Frame frame(schedule_of_text(kChain), rank.hostings);
  const int x = named(frame, "x"), u = named(frame, "u");
  std::vector<std::byte> memory(512);
  for (int slot : {0, 1}) frame.point_value(x, slot, memory.data() + 256 * slot);
  frame.point_window(u, x, 3, 16);
  EXPECT_EQ(frame.pointers().at(u, 0), memory.data() + 48);
  EXPECT_EQ(frame.pointers().at(u, 1), memory.data() + 304);
}

TEST(Frame, ZeroFillsTheWantedProcessors) {
  OneRank rank;
  Frame frame(schedule_of_text(kChain), rank.hostings);
  const int x = named(frame, "x");
  std::vector<std::byte> memory(128, std::byte{1});
  for (int slot : {0, 1}) frame.point_value(x, slot, memory.data() + 64 * slot);
  frame.zero(x, [](int hosted) { return hosted == 3; });
  EXPECT_EQ(memory[63], std::byte{1});
  EXPECT_EQ(memory[64], std::byte{0});
  EXPECT_EQ(memory[127], std::byte{0});
}

}  // namespace frame_test
}  // namespace mtf::run
