#pragma once
// For tests: small programs, run whole and split, alone or under mpirun (every rank runs every test).
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <functional>

#include "../../execution_on.h"
#include "ops/builder.h"
#include "ops/spaces.h"
#include "plan/predict.h"

namespace mtf::run {

inline bool under_mpi() { return std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr; }

inline plan::Execution& execution() {
  static ExecutionOn<MpiRuntime> execution(MpiRuntimeOptions{.threads = under_mpi() ? 1 : 2, .use_mpi = under_mpi()});
  return execution;
}

/// Numbers with exact sums in any order: small integers.
inline plan::HostTensor counting(const TensorType& type, int modulus = 7, int first = 0) {
  plan::HostTensor data{type, {}};
  int64_t n = size_of(type.dims);
  data.bytes.resize(static_cast<size_t>(n * size_of(type.element)));
  for (int64_t i = 0; i < n; ++i) {
    int x = static_cast<int>((i * 5 + first) % modulus) - modulus / 2;
    std::byte* at = data.bytes.data() + i * size_of(type.element);
    if (type.element == ElementType::kF32) {
      float f = static_cast<float>(x);
      std::memcpy(at, &f, 4);
    }
    if (type.element == ElementType::kF64) {
      double f = x;
      std::memcpy(at, &f, 8);
    }
    if (type.element == ElementType::kI32) { std::memcpy(at, &x, 4); }
    if (type.element == ElementType::kBool) {
      uint8_t b = x > 0;
      std::memcpy(at, &b, 1);
    }
  }
  return data;
}

/// A builder on a mesh `rows:2;cols:2` under a layout `batch:rows`.
struct Script : ops::Builder {
  plan::Execution& on;
  Script(plan::Execution& e, const std::string& axes, const std::string& rules) : on(e) {
    context.mesh = std::make_shared<Mesh>("m", parse_axes(axes));
    context.layout = std::make_shared<const Layout>(parse_layout(rules));
    written = false;
    table = std::make_shared<graph::ValueTable>();
  }
  graph::Value input(const Dims& dims, ElementType element = ElementType::kF32, int modulus = 7, int first = 0) {
    return input(counting({element, dims}, modulus, first));
  }
  graph::Value input(const plan::HostTensor& data) {
    graph::Value value = add(ops::kConstant, {}, ops::TypeAttributes{data.type});
    on.place(*value.node, data);
    return value;
  }
};

using Written = std::function<graph::Value(Script&)>;

inline plan::HostTensor result_of(plan::Execution& on, const Written& program, const std::string& axes,
                                  const std::string& rules) {
  Script script(on, axes, rules);
  return on.fetch(program(script));
}

inline std::vector<double> numbers(const plan::HostTensor& tensor) {
  std::vector<double> result;
  for (int64_t i = 0; i < size_of(tensor.type.dims); ++i) result.push_back(tensor.number(i));
  return result;
}

/// Expects the same bits on every given mesh and layout as on one unsplit axis.
inline void expect_same(const Written& program, const std::vector<std::pair<std::string, std::string>>& splits) {
  plan::HostTensor whole = result_of(execution(), program, "all:4", "");
  for (const auto& [axes, rules] : splits) {
    plan::HostTensor split = result_of(execution(), program, axes, rules);
    EXPECT_EQ(numbers(whole), numbers(split)) << axes << "  " << rules;
  }
}

}  // namespace mtf::run
