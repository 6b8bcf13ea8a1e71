// Random sums, products, quotients and random numbers have the promised type and digits, under every layout.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "generator.h"
#include "random_arithmetic.h"

namespace mtf::properties {
namespace {

/// Runs the script. Returns nothing if a sum of integers does not fit.
std::optional<Outcome> run_unless_too_large(const Script& script, const Where& where) {
  try {
    return run(execution(), script, where);
  } catch (const UserError& error) {
    if (error.diagnostic().kind() != Kind::integer_overflow) throw;
    return std::nullopt;
  }
}

void expect_within(const RandomArithmetic& drawn, const std::optional<std::vector<NumberRange>>& ranges,
                   const Where& where) {
  SCOPED_TRACE(to_string(where) + "\n" + drawn.script.text());
  const std::optional<Outcome> found = run_unless_too_large(drawn.script, where);
  ASSERT_EQ(found.has_value(), ranges.has_value()) << "integer_overflow is expected exactly if a sum does not fit";
  if (!found) return;
  const plan::HostTensor& tensor = found->results[0];
  ASSERT_EQ(name(tensor.type.element), name(drawn.element));
  ASSERT_EQ(static_cast<size_t>(size_of(tensor.type.dims)), ranges->size());
  for (size_t i = 0; i < ranges->size(); ++i) {
    const auto [least, most] = (*ranges)[i];
    const double number = tensor.number(static_cast<int64_t>(i));
    ASSERT_TRUE(least <= number && number <= most)
        << fmt::format("element {}: expected from {} to {}, found {}", i, least, most, number);
  }
}

TEST(Arithmetic, OfRandomCallsHasTheDigitsOfItsType) {
  const std::vector<std::pair<std::string, std::vector<std::string>>> meshes = {
      {"p:2", {"p"}}, {"p:3", {"p"}}, {"r:2;c:2", {"r", "c"}}, {"r:2;c:3", {"r", "c"}}};
  for (uint64_t seed = 0; seed < 1000; ++seed) {
    SCOPED_TRACE(seed);
    const RandomArithmetic drawn = random_arithmetic(seed);
    Evaluation inputs(execution(), {});
    inputs.run(drawn.script.inputs);
    std::vector<plan::HostTensor> operands;
    for (const std::string& name : drawn.operands) operands.push_back(inputs.fetch(name));
    const std::optional<std::vector<NumberRange>> ranges = drawn.ranges(operands);
    expect_within(drawn, ranges, {});
    Dice dice(seed);
    for (int way = 0; way < 2 && !drawn.dims.empty(); ++way) {
      const auto& [mesh, axes] = dice.pick(meshes);
      expect_within(drawn, ranges, {mesh, drawn_layout(drawn.dims, axes, dice)});
    }
    if (HasFailure()) return;
  }
}

}  // namespace
}  // namespace mtf::properties
