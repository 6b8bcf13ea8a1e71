#include "reference.h"

#include <cstring>

#include "../unit/ops/whole_graph.h"
#include "ops/blocks.h"

namespace mtf::properties {
namespace {

plan::HostTensor host_tensor(const test::Array& array) {
  plan::HostTensor tensor{array.type, {}};
  const int64_t width = size_of(array.type.element);
  tensor.bytes.resize(array.numbers.size() * static_cast<size_t>(width));
  ops::by_element(array.type.element, [&](auto zero) {
    for (size_t i = 0; i < array.numbers.size(); ++i) {
      const auto element = ops::to_element<decltype(zero)>(array.numbers[i]);
      std::memcpy(tensor.bytes.data() + i * static_cast<size_t>(width), &element, static_cast<size_t>(width));
    }
  });
  return tensor;
}

}  // namespace

std::string differs_from_kernels(const Script& script, const Outcome& whole, const std::vector<Tolerance>& tolerances) {
  Evaluation evaluation(execution(), {});
  evaluation.run(script.inputs + script.body);
  test::WholeGraph graph;
  std::string text;
  for (size_t i = 0; i < script.results.size(); ++i) {
    const plan::HostTensor expected = host_tensor(graph.run(evaluation.value(script.results[i])));
    Tolerance tolerance = tolerances[i];
    if (tolerance.kind == Tolerance::Kind::kBits)
      tolerance.kind = Tolerance::Kind::kNumbers;  // a NaN has lost its bits
    const std::string how = tensor_difference(expected, whole.results[i], tolerance);
    if (!how.empty()) text += "  " + script.results[i] + how + "\n";
  }
  return text;
}

}  // namespace mtf::properties
