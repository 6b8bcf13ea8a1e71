#pragma once
// Random convolutions and poolings, each made from a seed, with their results by plain sums.
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "script.h"

namespace mtf::properties {

/// A setting with all its arguments: dims of any number in each role and in any order, windows larger than blocks, and
/// positive or negative padding.
struct RandomConvolution {
  /// The position of windows along a dim of space.
  struct Along {
    std::string dim, tap;
    int64_t size = 1, taps = 1, stride = 1, before = 0, behind = 0, dilation = 1, base = 1;
  };
  enum class Operation { kConvolution, kTransposed, kMaxPool, kMeanPool };

  Operation operation = Operation::kConvolution;
  bool counts_padding = false;
  std::string element;  ///< of the operands: f32 or f64
  std::vector<Along> space;
  std::map<std::string, int64_t> sizes;  ///< of the other dims
  std::vector<std::string> x, w, y;      ///< dims in order

  /// Binds y and gradients of the sum of y (y + 1): d_x and, for a convolution, d_w.
  Script script() const;
  /// Returns the dims that a layout may split: all but those of the window.
  std::vector<std::string> dims() const;
  /// Computes the results of the script by plain sums from the elements of x and w.
  std::vector<std::vector<double>> plain(const plan::HostTensor& of_x, const plan::HostTensor& of_w) const;
};

/// Makes a setting whose windows fit; skips other settings of the seed.
RandomConvolution random_convolution(uint64_t seed);

}  // namespace mtf::properties
