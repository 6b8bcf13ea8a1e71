#include "plan/kept_copies.h"

#include <algorithm>
#include <map>

#include "support/diagnostics.h"

namespace mtf::plan {
namespace {

/// Returns the graph value of an input or a root of a capture.
const graph::Value& value_of(const graph::Capture& capture, const graph::Values& roots, graph::ProgramValue value) {
  if (value.is_input()) return capture.leaves[value.input()];
  const auto root = std::find(capture.program.roots.begin(), capture.program.roots.end(), value);
  MTF_CHECK(root != capture.program.roots.end(), "what is kept for gradients is no root");
  return roots[root - capture.program.roots.begin()];
}

}  // namespace

std::vector<StayingCopy> copies_that_stay(const std::vector<graph::NodePtr>& nodes) {
  std::vector<StayingCopy> copies;
  for (const graph::NodePtr& node : nodes)
    if (node->stays && node->operands()[0].node->is_held())
      copies.push_back({node->operands()[0].node, graph::Value{node, 0}});
  return copies;
}

void stay(const std::vector<StayingCopy>& copies) {
  for (const auto& [variable, copy] : copies)
    variable->compute_into().narrowed.held = std::make_shared<const graph::Handle>(copy);
}

void keep_copies(graph::Capture& capture, const graph::Values& roots, const graph::Values& values) {
  if (values.empty()) return;
  std::map<std::pair<const graph::Node*, int>, graph::ProgramValue> places;
  for (size_t i = 0; i < capture.leaves.size(); ++i)
    if (const graph::Value& leaf = capture.leaves[i])
      places.emplace(std::pair(leaf.node.get(), leaf.result), graph::ProgramValue::input(i));
  for (size_t i = 0; i < roots.size(); ++i)
    places.emplace(std::pair(roots[i].node.get(), roots[i].result), capture.program.roots[i]);
  for (const graph::Value& value : values)
    if (const auto at = places.find({value.node.get(), value.result}); at != places.end())
      capture.program.for_gradients.push_back(at->second);
}

void offer_copies(graph::Capture& capture) {
  for (size_t i = 0; i < capture.leaves.size(); ++i) {
    const graph::Value& leaf = capture.leaves[i];
    if (!leaf) continue;
    for (const auto& [result, copy] : leaf.node->computed().copies)
      if (result == leaf.result) capture.program.inputs[i].copies.push_back({copy->sharding, copy->order});
  }
}

Tensor* copy_of(const graph::Value& input, int copy) {
  for (const auto& [result, tensor] : input.node->computed().copies)
    if (result == input.result && copy-- == 0) return tensor.get();
  MTF_CHECK(false, "copy {} of an input is gone", copy);
  return nullptr;
}

void store_copies(const graph::Capture& capture, const graph::Values& roots, const std::vector<int>& copied,
                  std::span<const std::shared_ptr<Tensor>> copies) {
  for (size_t i = 0; i < copies.size(); ++i) {
    const graph::Value& value = value_of(capture, roots, capture.program.for_gradients[copied[i]]);
    value.node->compute_into().copies.emplace_back(value.result, copies[i]);
  }
}

void note_copies(const graph::Capture& capture, const graph::Values& roots, const ProgramRecord& record,
                 int32_t number) {
  for (size_t i = 0; i < capture.program.for_gradients.size(); ++i) {
    const graph::Value& value = value_of(capture, roots, capture.program.for_gradients[i]);
    std::vector<graph::Computed::CopiedBy>& known = value.node->compute_into().copied_by;
    const auto alike = [&](int32_t program) { return record.programs()[program].alike; };
    if (std::none_of(known.begin(), known.end(), [&](const graph::Computed::CopiedBy& by) {
          return by.result == value.result && alike(by.program) == alike(number);
        }))
      known.push_back({value.result, number, static_cast<int32_t>(i)});
  }
}

}  // namespace mtf::plan
