#include "spmd/reshaped_blocks.h"

#include <gtest/gtest.h>

#include <random>

namespace mtf::spmd {
namespace {

/// Returns the elements of a processor's block, in row-major order, as positions in the whole tensor.
std::vector<int64_t> elements(const Dims& dims, const Sharding& sharding, const Mesh& mesh, const Coordinates& at) {
  std::vector<int64_t> found{0};
  for (size_t d = 0; d < dims.size(); ++d) {
    const Interval block = block_of(dims[d].size, sharding.dims[d], mesh, at);
    std::vector<int64_t> next;
    for (int64_t before : found)
      for (int64_t i = block.first; i < block.last; ++i) next.push_back(before * dims[d].size + i);
    found = std::move(next);
  }
  return found;
}

/// Divides `product` into sizes at random.
Dims dims_of(int64_t product, std::mt19937& random) {
  Dims dims;
  while (product > 1) {
    int64_t size = 1;
    for (int64_t factor : {2, 2, 3, 2})
      if (product / size % factor == 0 && random() % 2) size *= factor;
    if (size == 1 && random() % 8) continue;
    dims.push_back({Name("d" + std::to_string(dims.size())), size});
    product /= size;
  }
  return dims;
}

TEST(ReshapedBlocks, HaveTheSameElementsInTheSameOrderOnEveryProcessor) {
  const Mesh mesh("m", parse_axes("p:2;q:2;r:3;s:1"));
  std::mt19937 random(7);
  int found = 0;
  for (int i = 0; i < 4000; ++i) {
    const Dims from = dims_of(144, random), to = dims_of(144, random);
    Sharding sharding = replicated(from.size());
    for (int axis = 0; axis < mesh.order(); ++axis)
      if (!from.empty() && random() % 2) sharding.dims[random() % from.size()].push_back(axis);
    const std::optional<Sharding> reshaped = reshaped_blocks(from, sharding, to, mesh);
    if (!reshaped) continue;
    ++found;
    for (int64_t p = 0; p < mesh.size(); ++p)
      ASSERT_EQ(elements(from, sharding, mesh, mesh.coordinates(p)), elements(to, *reshaped, mesh, mesh.coordinates(p)))
          << to_string(TensorType{ElementType::kF32, from}, sharding, mesh) << " and "
          << to_string(TensorType{ElementType::kF32, to}, *reshaped, mesh);
  }
  EXPECT_GT(found, 500);
}

TEST(ReshapedBlocks, LieInBothFactorsOfADim) {
  const Mesh mesh("m", parse_axes("g:2;s:4"));
  const Dims heads{{"heads", 16}}, both{{"group", 2}, {"shared", 8}};
  EXPECT_EQ(reshaped_blocks(heads, {{{0, 1}}}, both, mesh), (Sharding{{{0}, {1}}}));
  EXPECT_EQ(reshaped_blocks(both, {{{0}, {1}}}, heads, mesh), (Sharding{{{0, 1}}}));
  EXPECT_EQ(reshaped_blocks(heads, {{{1, 0}}}, both, mesh), std::nullopt);  // a block is an eighth across two groups
}

}  // namespace
}  // namespace mtf::spmd
