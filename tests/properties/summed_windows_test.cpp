// A summed dim along which each position reads a window of one operand, as in the gradient of a convolution's kernel.
// Blocks get their halos, and their sums are reduced.
#include <gtest/gtest.h>

#include "compare.h"
#include "ops/record.h"
#include "script.h"

namespace mtf::properties {
namespace {

struct CorrelateAttributes {
  Dim kernel;
  int64_t stride = 1, offset = 0, dilation = 1, base_dilation = 1;
  static constexpr auto members() {
    using A = CorrelateAttributes;
    return std::array{graph::member<&A::kernel>("kernel"), graph::member<&A::stride>("stride"),
                      graph::member<&A::offset>("offset"), graph::member<&A::dilation>("dilation"),
                      graph::member<&A::base_dilation>("base_dilation")};
  }
};

graph::AccessMap map_of(const graph::Operation& operation) {
  const auto& [kernel, stride, offset, dilation, base_dilation] = operation.attributes.get<CorrelateAttributes>();
  return {.stride = stride,
          .offset = offset,
          .window = kernel.size,
          .dilation = dilation,
          .base_dilation = base_dilation,
          .from = operation.operands[1].dims[0].size,
          .to = operation.operands[0].dims[0].size};
}

/// The sum over i of d[i] times the element of x at place i * stride + offset + k * dilation.
void correlate_kernel(graph::KernelCall& call) {
  const graph::AccessMap map = map_of(call.operation);
  const kernels::BlockDim &x = call.operands[0].dims[0], &d = call.operands[1].dims[0],
                          &kernel = call.results[0].dims[0];
  for (int64_t k = 0; k < kernel.size; ++k) {
    float sum = 0;
    for (int64_t i = 0; i < d.size; ++i) {
      const int64_t place = (d.first + i) * map.stride + map.offset + k * map.dilation;
      if (place % map.base_dilation != 0 || place < 0 || place / map.base_dilation >= x.whole) continue;
      const int64_t here = place / map.base_dilation - x.first;
      MTF_CHECK(here >= 0 && here < x.size, "place {} is not in a block of {}", here, x.size);
      sum += call.operands[1].as<float>()[i * d.stride] * call.operands[0].as<float>()[here * x.stride];
    }
    call.results[0].as<float>()[k * kernel.stride] = sum;
  }
}

constexpr graph::Op kCorrelate = ops::complete(
    {.name = "correlate",
     .family = "Tests",
     .doc = "The slope of a convolution along one dim, as its kernel changes.",
     .attributes = &graph::kFormOf<CorrelateAttributes>,
     .infer = [](const graph::Operation& operation) -> std::vector<TensorType> {
       return {{ElementType::kF32, {operation.attributes.get<CorrelateAttributes>().kernel}}};
     },
     .space = [](const graph::Operation& operation) -> graph::IterationSpace {
       const graph::AccessMap window = map_of(operation), own{.from = window.from, .to = window.from};
       return {{{.kind = graph::SplitKind::kReduce, .operands = {0, 0}, .results = {-1}, .maps = {window, own}}}};
     },
     .kernel = correlate_kernel,
     .no_gradient = "it is a test"});

struct Correlation {
  plan::HostTensor tensor;
  plan::Counters counters;
  std::string program;
};

Correlation correlated(plan::Execution& execution, const Where& where, int64_t n, int64_t i,
                       const CorrelateAttributes& attributes) {
  Evaluation evaluation(execution, where);
  evaluation.run(
      fmt::format("dim n = {}, i = {}\nseed 7\nlet x = cast(random.integers([n], -3, 4), f32)\n"
                  "let d = cast(random.integers([i], -3, 4), f32)\n",
                  n, i));
  evaluation.compute_all();
  const Counting counting(execution);
  const graph::Value sums =
      evaluation.evaluator.builder.add(kCorrelate, {evaluation.value("x"), evaluation.value("d")}, attributes);
  execution.compute({sums});
  return {execution.runtime().knows_numbers() ? execution.fetch(sums) : plan::HostTensor(), counting.counters(),
          execution.last_text("spmd")};
}

TEST(SummedWindows, AreReadWithHalosAndReduced) {
  const Dim kernel{Name("k"), 3};
  for (const CorrelateAttributes& attributes :
       {CorrelateAttributes{kernel, 1, -1, 1, 1}, CorrelateAttributes{kernel, 2, 0, 1, 1},
        CorrelateAttributes{kernel, 1, -2, 2, 1}, CorrelateAttributes{kernel, 1, -3, 1, 2}})
    for (const int64_t i : {4, 11, 12}) {
      const int64_t n = i * attributes.stride / attributes.base_dilation + 1;
      const Correlation whole = correlated(execution(), {}, n, i, attributes);
      for (const std::string mesh : {"p:2", "p:3", "p:4", "q:2;p:2"})
        for (const std::string layout : {"i:p", "n:p", "i:p;n:p"}) {
          const Where where{mesh, layout};
          SCOPED_TRACE(to_string(where) +
                       fmt::format(", {} of {}, {}", i, n, to_string(graph::Attributes(attributes))));
          const Correlation split = correlated(execution(), where, n, i, attributes),
                            predicted = correlated(dry_execution(), where, n, i, attributes);
          EXPECT_EQ(split.tensor.bytes, whole.tensor.bytes);
          EXPECT_EQ(counter_difference(predicted.counters, split.counters), "");
          EXPECT_NE(split.program.find("partial over p"), std::string::npos) << split.program;
        }
      const Correlation split = correlated(execution(), {"p:2", "i:p;n:p"}, n, i, attributes);
      EXPECT_NE(split.program.find("window: 3"), std::string::npos) << split.program;
    }
}

}  // namespace
}  // namespace mtf::properties
