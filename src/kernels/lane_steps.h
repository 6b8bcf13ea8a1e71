// Threaded code: the steps of a fused loop (internal to fused_loop*.cpp and lane_steps_*.cpp).
//
// A step is a function that gets a *strip* as eight packets in registers, changes it, and ends by jumping to the next
// record's step. A *tile* is one or more strips. It has the same number of lanes on every processor, because reductions
// sum, lane by lane, the elements that are a tile apart. For f32, a tile has 128 lanes: one strip with AVX-512, two
// with AVX2. Two groups of programs exist, with their own tiles:
//
//   kFour   lanes of 4 bytes: f32; bf16 as f32; i32; bool as a mask (0 or -1)
//   kEight  lanes of 8 bytes: f64; the 4-byte types as above, their bits sign-extended to 64.
//           A step on the latter is the function of kFour between a narrowing and a widening.
//
// All other operands of a step are in memory, as lanes of the group, at the lane `base + (index & mask)`. The mask is
// -1 for an array that advances with the loop, and 0 for a slot or a splat scalar.
#pragma once

#include "kernels/fused_loop.h"
#include "kernels/lane_apply.h"

namespace mtf::kernels::lanes {

enum class Group : std::uint8_t { kFour, kEight };

constexpr int kTileBytes = 512;
constexpr int kTile4 = kTileBytes / 4;
constexpr int kTile8 = kTileBytes / 8;
constexpr int tile_of(Group group) { return group == Group::kFour ? kTile4 : kTile8; }
constexpr int kStrip4 = 8 * kF;
constexpr int kStrip8 = 8 * kD;
constexpr int strip_of(Group group) { return group == Group::kFour ? kStrip4 : kStrip8; }
static_assert(kTileBytes % (8 * kBytes) == 0);

/// The lanes of an operand. For an iota: `base` is the first number, `mask` the stride.
struct Ref {
  char* base = nullptr;
  std::int64_t mask = 0;
};

using AnyStep = void (*)();

struct Record {
  AnyStep step = nullptr;
  Ref b;
  Ref c;
};

/// `valid` is the number of lanes of this strip that are elements. Only reductions look at it.
struct State {
  std::int64_t valid = 0;
};

#define MTF_TILE(P) P a0, P a1, P a2, P a3, P a4, P a5, P a6, P a7
using Step4 = void (*)(const Record*, const State*, std::int64_t, MTF_TILE(F));
using Step8 = void (*)(const Record*, const State*, std::int64_t, MTF_TILE(D));
#define MTF_STEP_ARGUMENTS(P) \
  [[maybe_unused]] const Record *r, [[maybe_unused]] const State *s, [[maybe_unused]] std::int64_t i, MTF_TILE(P)
#define MTF_NEXT(StepType) return reinterpret_cast<StepType>(r[1].step)(r + 1, s, i, a0, a1, a2, a3, a4, a5, a6, a7)
#define MTF_EACH_PACKET(statement)                                                                      \
  statement(a0, 0) statement(a1, 1) statement(a2, 2) statement(a3, 3) statement(a4, 4) statement(a5, 5) \
      statement(a6, 6) statement(a7, 7)
#define MTF_EACH_PAIR(statement) statement(a0, a1, 0) statement(a2, a3, 2) statement(a4, a5, 4) statement(a6, a7, 6)

template <class P>
inline const Scalar<P>* address(const Ref& ref, std::int64_t i) {
  return reinterpret_cast<const Scalar<P>*>(ref.base) + (i & ref.mask);
}
template <class P>
inline P load(const void* lanes, int packet) {
  P value;
  std::memcpy(&value, static_cast<const char*>(lanes) + packet * kBytes, kBytes);
  return value;
}
template <class P>
inline void store(void* lanes, int packet, P value) {
  std::memcpy(static_cast<char*>(lanes) + packet * kBytes, &value, kBytes);
}

/// Prefetches into L2.
constexpr int kSecondCache = 2;

/// Prefetches `bytes` of a tile, four tiles ahead, into L2. The hardware's prefetching does not keep up with several
/// arrays from beyond L2, and L1 has room for few lines. Does nothing for slots and splat numbers, whose mask is 0.
inline void ask_ahead(const void* tile, std::int64_t bytes, std::int64_t mask) {
  if (mask == 0) return;
  const char* const ahead = static_cast<const char*>(tile) + 4 * bytes;
  for (std::int64_t line = 0; line < bytes; line += 64) __builtin_prefetch(ahead + line, 0, kSecondCache);
}

/// Converts two packets of 64-bit lanes to one of 32-bit lanes, and back.
inline I narrow(D low, D high) {
  const HalfI a = __builtin_convertvector((L)low, HalfI), b = __builtin_convertvector((L)high, HalfI);
  I value;
  std::memcpy(&value, &a, kBytes / 2);
  std::memcpy(reinterpret_cast<char*>(&value) + kBytes / 2, &b, kBytes / 2);
  return value;
}
inline void widen(I value, D& low, D& high) {
  HalfI a, b;
  std::memcpy(&a, &value, kBytes / 2);
  std::memcpy(&b, reinterpret_cast<char*>(&value) + kBytes / 2, kBytes / 2);
  low = D(widened<L>(a));
  high = D(widened<L>(b));
}

/// The form of packets of type V in a tile. kWide: in pairs with 64-bit lanes.
template <class V, bool kWideLanes>
struct Lanes {
  using Value = V;
  static constexpr bool kWide = kWideLanes;
  using Packet = std::conditional_t<std::is_same_v<V, D> || kWideLanes, D, F>;
  using Step = std::conditional_t<std::is_same_v<Packet, D>, Step8, Step4>;
};
using F4 = Lanes<F, false>;
using I4 = Lanes<I, false>;
using D8 = Lanes<D, false>;
using F8 = Lanes<F, true>;
using I8 = Lanes<I, true>;

template <class T, LaneOp kOp>
void unary_step(MTF_STEP_ARGUMENTS(typename T::Packet)) {
  using V = typename T::Value;
  using P = typename T::Packet;
  if constexpr (T::kWide) {
#define MTF_DO(x, y, k) widen((I)apply<kOp>((V)narrow(x, y)), x, y);
    MTF_EACH_PAIR(MTF_DO)
#undef MTF_DO
  } else {
#define MTF_DO(x, k) x = (P)apply<kOp>((V)x);
    MTF_EACH_PACKET(MTF_DO)
#undef MTF_DO
  }
  MTF_NEXT(typename T::Step);
}

/// Function: for instance Applied. kPosition: the operand in the tile; the other operand is b.
template <class T, class Function, int kPosition>
void binary_step(MTF_STEP_ARGUMENTS(typename T::Packet)) {
  using V = typename T::Value;
  using P = typename T::Packet;
  const auto* other = address<P>(r->b, i);
  ask_ahead(other, 8 * kBytes, r->b.mask);
  auto combine = [](V mine, V theirs) {
    if constexpr (kPosition == 0) return Function()(mine, theirs);
    else return Function()(theirs, mine);
  };
  if constexpr (T::kWide) {
#define MTF_DO(x, y, k) widen((I)combine((V)narrow(x, y), (V)narrow(load<P>(other, k), load<P>(other, k + 1))), x, y);
    MTF_EACH_PAIR(MTF_DO)
#undef MTF_DO
  } else {
#define MTF_DO(x, k) x = (P)combine((V)x, load<V>(other, k));
    MTF_EACH_PACKET(MTF_DO)
#undef MTF_DO
  }
  MTF_NEXT(typename T::Step);
}

// The steps that the .cpp files define; null if the operation does not exist for the type. `type` is the operands' type
// (kBf16 as kF32). `position` is the index of the operand in the tile.

AnyStep float_step(LaneOp op, int position);       // f32 in kFour
AnyStep double_step(LaneOp op, int position);      // f64 in kEight
AnyStep int_step(LaneOp op, int position);         // i32, bool in kFour
AnyStep wide_float_step(LaneOp op, int position);  // f32 in kEight
AnyStep wide_int_step(LaneOp op, int position);    // i32, bool in kEight
AnyStep bf16_step(LaneOp op, int position);        // bf16 in kFour, to be rounded
AnyStep wide_bf16_step(LaneOp op, int position);   // bf16 in kEight, to be rounded
AnyStep where_step(Group group, int position);     // b, c: the others in order

/// Load from memory of an element type into the tile, or store the tile into memory, at reference b.
AnyStep load_step(Group group, ElementType type);
AnyStep store_step(Group group, ElementType type);
/// Slots hold lanes.
AnyStep load_slot_step(Group group);
AnyStep store_slot_step(Group group);
AnyStep iota_step(Group group);
AnyStep cast_step(Group group, ElementType from, ElementType to);  // bf16 is f32 here
AnyStep round_bf16_step(Group group);
/// Slot b = slot b (op) tile.
AnyStep reduce_step(Group group, Reduction reduction, ElementType type);
AnyStep end_step(Group group);

}  // namespace mtf::kernels::lanes
