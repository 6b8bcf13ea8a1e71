// The list of operations, signatures, and refused calls.
#include <gtest/gtest.h>

#include <set>

#include "call_text.h"
#include "graph/op.h"
#include "ops/call.h"
#include "ops/registry.h"
#include "support/diagnostics.h"
#include "whole_graph.h"

namespace mtf::test {
namespace {

TEST(Registry, finds_operations_by_name_and_operator) {
  for (const graph::Op* op : ops::all_ops()) EXPECT_EQ(ops::find_op(op->name), op);
  EXPECT_EQ(ops::find_op("no_such_operation"), nullptr);
  EXPECT_EQ(ops::find_operator("-")->name, "sub");
  EXPECT_EQ(ops::find_operator("//")->name, "floordiv");
}

TEST(Registry, every_signature_can_be_parsed) {
  for (const graph::Op* op : ops::all_ops()) {
    if (op->signature.empty()) continue;
    EXPECT_EQ(ops::signature_of(*op).name.text(), op->name);
  }
}

class Rules : public testing::Test {
 protected:
  graph::Value tensor(const Dims& dims, ElementType element = ElementType::kF32) {
    return graph.input(random_array(dims, 1, element, 0, 2));
  }
  ElementType element_of(const char* op, const graph::Value& x, const graph::Value& y) {
    CallText call(graph, {{"x", x}, {"y", y}});
    return call(op, {"x", "y"}).element();
  }
  /// Returns the refusal of the call, with its helps.
  std::string refusal(Kind kind, const char* op, const std::vector<graph::Value>& values,
                      const std::map<std::string, NamedArgument>& named = {},
                      std::optional<Dims> arrow = std::nullopt) {
    std::map<std::string, graph::Value> by_name;
    std::vector<std::string> names;
    for (size_t i = 0; i < values.size(); ++i) by_name[names.emplace_back("v" + std::to_string(i))] = values[i];
    try {
      CallText(graph, by_name)(op, names, named, arrow);
    } catch (const UserError& error) {
      EXPECT_EQ(error.diagnostic().kind(), kind) << error.what();
      std::string text = error.diagnostic().label();
      for (const std::string& help : error.diagnostic().helps()) text += " | " + help;
      return text;
    }
    return "not refused";
  }
  const Dim a{"a", 2}, b{"b", 3}, c{"c", 4};
  WholeGraph graph;
};

TEST_F(Rules, types_are_promoted) {
  using enum ElementType;
  EXPECT_EQ(element_of("add", tensor({a}, kBool), tensor({a}, kI32)), kI32);
  EXPECT_EQ(element_of("add", tensor({a}, kBool), tensor({a}, kBool)), kI32);
  EXPECT_EQ(element_of("mul", tensor({a}, kI32), tensor({a}, kBf16)), kBf16);
  EXPECT_EQ(element_of("mul", tensor({a}, kBf16), tensor({a}, kF64)), kF64);
  EXPECT_EQ(element_of("div", tensor({a}, kI32), tensor({a}, kI32)), kF32);
  EXPECT_EQ(element_of("lt", tensor({a}, kI32), tensor({a}, kF64)), kBool);
}

TEST_F(Rules, a_host_number_takes_the_type_of_the_tensor) {
  using enum ElementType;
  const graph::Value half = graph.builder.number(0.5), two = graph.builder.number(2, kI32);
  EXPECT_EQ(element_of("mul", tensor({a}, kBf16), half), kBf16);
  EXPECT_EQ(element_of("mul", half, tensor({a}, kF64)), kF64);
  EXPECT_EQ(element_of("mul", tensor({a}, kI32), half), kF32);
  EXPECT_EQ(element_of("mul", tensor({a}, kI32), two), kI32);
  EXPECT_EQ(element_of("mul", tensor({a}, kBf16), two), kBf16);
}

TEST_F(Rules, results_have_the_order_of_the_operand_with_more_dims) {
  CallText call(graph, {{"x", tensor({b})}, {"y", tensor({a, b})}, {"z", tensor({b, a})}});
  EXPECT_EQ(call("add", {"x", "y"}).dims(), (Dims{a, b}));
  EXPECT_EQ(call("add", {"z", "y"}).dims(), (Dims{b, a}));
}

TEST_F(Rules, shapes_that_do_not_broadcast_are_refused_with_both_ways_out) {
  const std::string text = refusal(Kind::no_broadcast, "add", {tensor({a}), tensor({b})});
  EXPECT_NE(text.find("f32[a=2] has a"), std::string::npos) << text;
  EXPECT_NE(text.find("einsum"), std::string::npos) << text;
  EXPECT_NE(text.find("broadcast(x -> [a, b])"), std::string::npos) << text;
}

TEST_F(Rules, one_name_with_two_sizes_is_refused) {
  const std::string text =
      refusal(Kind::size_conflict, "einsum", {tensor({a, b}), tensor({{"b", 4}, c})}, {}, Dims{a, c});
  EXPECT_NE(text.find("`b` is 3 in the first operand, f32[a=2, b=3], and 4 in the second, f32[b=4, c=4]"),
            std::string::npos)
      << text;
  refusal(Kind::size_conflict, "add", {tensor({a, b}), tensor({{"b", 4}})});
}

TEST_F(Rules, dims_that_are_not_there_are_refused) {
  EXPECT_NE(refusal(Kind::dim_not_in_operands, "einsum", {tensor({a})}, {}, Dims{a, c}).find("found `c`"),
            std::string::npos);
  refusal(Kind::dim_not_in_operands, "sum", {tensor({a})}, {}, Dims{c});
  refusal(Kind::unknown_dim, "sum", {tensor({a})}, {{"over", {c}}});
  refusal(Kind::misplaced_arrow, "sum", {tensor({a})}, {{"over", {a}}}, Dims{});
  refusal(Kind::missing_argument, "einsum", {tensor({a})});
  refusal(Kind::missing_argument, "argmax", {tensor({a, b})});
}

TEST_F(Rules, truth_values_are_asked_for) {
  refusal(Kind::wrong_element_type, "where", {tensor({a}), tensor({a}), tensor({a})});
  refusal(Kind::wrong_element_type, "logical_and", {tensor({a}), tensor({a}, ElementType::kBool)});
  refusal(Kind::wrong_element_type, "any", {tensor({a})});
}

TEST_F(Rules, labels_must_fit_the_logits) {
  refusal(Kind::wrong_element_type, "cross_entropy", {tensor({a, b}), tensor({a})}, {{"over", {b}}});
  refusal(Kind::shape_mismatch, "cross_entropy", {tensor({a, b}), tensor({a, c}, ElementType::kI32)}, {{"over", {b}}});
}

}  // namespace
}  // namespace mtf::test
