#include <gtest/gtest.h>

#include <stdexcept>

#include "types/cost.h"
#include "types/layout.h"
#include "types/sharding.h"

namespace mtf {
namespace {

std::string parsed(const std::string& text) { return to_string(Mesh("", parse_axes(text))); }

TEST(Notation, SeparatorsOfAMeshAreAllTheSame) {
  for (const char* text : {"x:4;y:8", "x:4.y:8", "x:4 y:8", "x:4,y:8"}) EXPECT_EQ(parsed(text), "[x: 4, y: 8]") << text;
}

TEST(Notation, AnEntryNeedsANameAndASize) {
  for (const char* text : {"x;4", "d_ff;heads", "x:", ":4", "x:0", "x:-1", "x:a", "x:4;x:2", "x:99999999999999999999"})
    EXPECT_THROW(parse_axes(text), std::invalid_argument) << text;
  for (const char* text : {"a:x+x", "batch", "batch:", "batch:rows;batch:cols", "batch:rows+", "batch:+rows"})
    EXPECT_THROW(parse_layout(text), std::invalid_argument) << text;
}

TEST(Notation, ALayoutRuleMayNameSeveralAxes) {
  EXPECT_EQ(to_string(parse_layout("batch:rows+cols;hidden:planes")), "{batch -> [rows, cols], hidden -> planes}");
}

TEST(Notation, ALayoutMayHaveBlanksAnywhere) {
  for (const char* text :
       {"batch:rows+cols;params \"*\":b:cols", " batch : rows + cols ; params \"*\" : b : cols ",
        "batch: rows+ cols, params \"*\": { b: cols }", "batch -> [rows, cols] params \"*\":{b->cols}"})
    EXPECT_EQ(to_string(parse_layout(text)), "{batch -> [rows, cols], params \"*\": {b -> cols}}") << text;
}

TEST(Notation, ALayoutMaySpeakOfParamsAndStatesByPath) {
  const std::string text =
      "batch:data;params \"blocks[*].*\":d_model:data;params \"blocks[*].*\":vocab:data+model;"
      "states \"*\":d_ff:data;params \"head\":";
  const Layout layout = parse_layout(text);
  EXPECT_EQ(to_string(layout),
            "{batch -> data, params \"blocks[*].*\": {d_model -> data, vocab -> [data, model]}, states \"*\": {d_ff -> "
            "data}, params \"head\": {}}");
  EXPECT_EQ(notation(layout), text);
  EXPECT_EQ(to_string(parse_layout("params\"*\":a:x")), "{params \"*\": {a -> x}}");
  EXPECT_EQ(to_string(parse_layout("params:x")), "{params -> x}");
  EXPECT_EQ(notation(parse_layout("{values \"a.*\": {b -> x}}")), "values \"a.*\":b:x");
  for (const char* wrong : {"params \"*\"", "params \"*", "params \"*\" a:x", "states \"*\":a",
                            "params \"*\":a:x;params "
                            "\"*\":a:y"})
    EXPECT_THROW(parse_layout(wrong), std::invalid_argument) << wrong;
}

TEST(Layout, OfSeveralRulesForAPathTheLastSpeaks) {
  const Layout layout = parse_layout("params \"*\":a:x;params \"blocks[*].*\":b:x;params \"head.*\":");
  EXPECT_EQ(layout.find(ByPath::kParams, "w")->path, "*");
  EXPECT_EQ(layout.find(ByPath::kParams, "blocks[3].attention.wq")->path, "blocks[*].*");
  EXPECT_TRUE(layout.find(ByPath::kParams, "head.w")->rules.empty());
  EXPECT_EQ(layout.find(ByPath::kStates, "w"), nullptr);
}

TEST(Mesh, GroupsAreThoseOfMeshTensorFlow) {
  Mesh mesh("m", parse_axes("a:2;b:3;c:2"));
  using Group = std::vector<int64_t>;
  EXPECT_EQ(mesh.group(0, axis_bit(1)), (Group{0, 2, 4}));
  EXPECT_EQ(mesh.group(3, axis_bit(1)), (Group{1, 3, 5}));
  EXPECT_EQ(mesh.group(10, axis_bit(1)), (Group{6, 8, 10}));
  EXPECT_EQ(mesh.group(11, axis_bit(1)), (Group{7, 9, 11}));
  EXPECT_EQ(mesh.group(0, axis_bit(0) | axis_bit(2)), (Group{0, 1, 6, 7}));
  EXPECT_EQ(mesh.group(8, axis_bit(0) | axis_bit(2)), (Group{2, 3, 8, 9}));
  EXPECT_EQ(mesh.group(4, axis_bit(0) | axis_bit(2)), (Group{4, 5, 10, 11}));
}

TEST(Mesh, CoordinatesAndNumbersAreInverse) {
  Mesh mesh("m", parse_axes("a:2;b:3;c:2"));
  for (int64_t p = 0; p < mesh.size(); ++p) EXPECT_EQ(mesh.processor(mesh.coordinates(p)), p);
}

TEST(Blocks, ProcessorsBeginWhereMeshTensorFlowSays) {
  Mesh mesh("m", parse_axes("processor_rows:2;processor_cols:4"));
  EXPECT_EQ(block_of(100, {1}, mesh, {0, 3}), (Interval{75, 100}));
  EXPECT_EQ(block_of(100, {1}, mesh, {1, 3}), (Interval{75, 100}));
  EXPECT_EQ(block_of(28, {0}, mesh, {0, 1}), (Interval{0, 14}));
  EXPECT_EQ(block_of(28, {1}, mesh, {0, 1}), (Interval{7, 14}));
  EXPECT_EQ(block_of(3, {0}, mesh, {0, 0}).size(), 2);
  EXPECT_EQ(block_of(3, {0}, mesh, {1, 0}).size(), 1);
}

TEST(Blocks, OfSeveralAxesSplitEachBlockAgain) {
  Mesh mesh("m", parse_axes("a:3;b:2"));
  for (int64_t size : {0, 1, 5, 6, 7, 12, 17}) {
    int64_t covered = 0;
    for (int32_t a = 0; a < 3; ++a) {
      Interval outer = block_of(size, {0}, mesh, {a, 0});
      EXPECT_EQ(block_of(size, {0, 1}, mesh, {a, 0}).first, outer.first);
      EXPECT_EQ(block_of(size, {0, 1}, mesh, {a, 1}).last, outer.last);
      for (int32_t b = 0; b < 2; ++b) {
        Interval block = block_of(size, {0, 1}, mesh, {a, b});
        EXPECT_EQ(block.first, covered);
        covered = block.last;
        EXPECT_LE(block.size(), block_size(size, {0, 1}, mesh));
      }
    }
    EXPECT_EQ(covered, size);
  }
}

TEST(Cost, PrintsAsTheFormulaAndEvaluatesExactly) {
  Dim batch{"batch", 64}, io{"io", 32};
  Product product{2, 1, {{batch, {{"rows", 3}}}, {io, {}}}};
  Cost cost(product);
  EXPECT_EQ(to_string(cost), "2·batch/rows·io");
  EXPECT_EQ(cost.value(), 2 * 22 * 32);
  cost.add(product);
  EXPECT_EQ(to_string(cost), "4·batch/rows·io");
  EXPECT_EQ(cost.times(1, 3).value(), (4 * 22 * 32 + 1) / 3);
}

TEST(Dims, SizesThatOverflowAreNoticed) {
  EXPECT_FALSE(checked_size({{"a", int64_t{1} << 40}, {"b", int64_t{1} << 40}}));
  EXPECT_EQ(checked_size({{"a", int64_t{1} << 40}, {"b", int64_t{1} << 40}, {"c", 0}}), 0);
}

}  // namespace
}  // namespace mtf
