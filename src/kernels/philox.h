// Random numbers as a pure function of (seed, call, global index): Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel
// random numbers: as easy as 1, 2, 3; SC 2011).
//
// The number of element e depends only on its row-major index in the gathered tensor. It is the same in every block, so
// no layout changes it. f32 and i32 take one 32-bit word of group e / 64: word (e/16)%4 of block 16·(e/64) + e%16. f64
// takes two words of group e / 32.
#pragma once

#include <cstdint>
#include <span>

#include "kernels/element_type.h"
#include "kernels/threads.h"

namespace mtf::kernels {

struct RandomCall {
  std::uint64_t seed = 0;
  std::uint64_t call = 0;  ///< the index of this random operation in the program
};

/// A dim of the block to be filled: its position in the gathered tensor, and its stride in memory (in elements).
struct RandomDim {
  std::int64_t first = 0, size = 0, whole = 0, stride = 0;
};

/// Drops elements at random: those for which the f32 number of fill_uniform between 0 and 1 is less than `rate`.
struct Drop {
  RandomCall random;
  double rate = 0;
};

/// Writes, for elements `first`, `first + 1`, … of the gathered tensor, 0 where they are dropped, otherwise 1 / (1 -
/// rate), so that means do not change. `type` is f32 or f64.
void fill_kept(ElementType type, const Drop& drop, std::uint64_t first, std::int64_t count, void* to);

/// f32, f64 or bf16 (the f32 numbers, rounded down), uniform in [low, high).
void fill_uniform(RandomCall call, std::span<const RandomDim> block, ElementType type, void* data, double low,
                  double high, Threads& threads);

/// f32, f64 or bf16, normally distributed (Box and Muller).
void fill_normal(RandomCall call, std::span<const RandomDim> block, ElementType type, void* data, double mean,
                 double deviation, Threads& threads);

/// The same as fill_normal, but within two deviations of the mean (by the inverse distribution).
void fill_truncated_normal(RandomCall call, std::span<const RandomDim> block, ElementType type, void* data, double mean,
                           double deviation, Threads& threads);

/// i32 in [low, high), an interval of at most 2³² numbers.
void fill_integers(RandomCall call, std::span<const RandomDim> block, void* data, std::int64_t low, std::int64_t high,
                   Threads& threads);

}  // namespace mtf::kernels
