#include "run/reference_runtime.h"

#include <algorithm>
#include <cstring>

#include "graph/kernel_call.h"
#include "graph/op.h"
#include "graph/region.h"
#include "kernels/kernel_table.h"
#include "ops/loop.h"
#include "ops/ops.h"
#include "run/block_file.h"
#include "run/block_map.h"
#include "run/memory_check.h"
#include "run/step_executor.h"
#include "support/diagnostics.h"

namespace mtf::run {
namespace {

/// A whole tensor, row-major. Nothing overwrites it.
struct Whole {
  TensorType type;
  std::shared_ptr<Storage> memory;

  int64_t bytes() const { return size_of(type.dims) * size_of(type.element); }
  kernels::Block block() const {
    kernels::Block block;
    block.element = type.element;
    block.data = memory->data();
    for (const Dim& dim : type.dims) block.dims.push_back({0, dim.size, dim.size, 0});
    int64_t stride = 1;
    for (size_t d = type.dims.size(); d-- > 0; stride *= type.dims[d].size) block.dims[d].stride = stride;
    return block;
  }
  /// Returns the stride along each of `dims`; 0 along dims that the tensor lacks.
  std::vector<int64_t> strides_along(const Dims& dims) const {
    const kernels::Block all = block();
    std::vector<int64_t> strides;
    for (const Dim& dim : dims)
      strides.push_back(has_dim(type.dims, dim.name) ? all.dims[find_dim(type.dims, dim.name)].stride : 0);
    return strides;
  }
};

using Wholes = std::vector<Whole>;

/// The whole results of a node, which this runtime keeps with the node.
Wholes& whole_results(graph::Node& node) {
  std::shared_ptr<void>& kept = node.compute_into().of_runtime;
  if (!kept) kept = std::make_shared<Wholes>();
  return *static_cast<Wholes*>(kept.get());
}

const Whole& whole_of(const graph::Value& value) {
  return (*static_cast<const Wholes*>(value.node->computed().of_runtime.get()))[value.result];
}

}  // namespace

struct ReferenceRuntime::Impl {
  Transport transport{false, false};
  std::shared_ptr<MemoryPool> pool = std::make_shared<MemoryPool>();
  kernels::Threads threads{1};

  Whole make(const TensorType& type, Span span) {
    Whole whole{type, nullptr};
    const int64_t bytes = saturating_multiply(size_of(type.dims), size_of(type.element));
    check_growth(transport, *pool, bytes, bytes, 1, span);
    whole.memory = pool->allocate(bytes, bytes);
    return whole;
  }

  Whole copy(const TensorType& type, const void* data) {
    Whole whole = make(type, {});
    if (whole.bytes() > 0) std::memcpy(whole.memory->data(), data, static_cast<size_t>(whole.bytes()));
    return whole;
  }
  Whole number(ElementType element, double value) {
    return copy({element, {}}, plan::host_number(element, value).bytes.data());
  }

  Wholes compute(const graph::LaidOutOperation& operation, std::span<const double> numbers, const Wholes& operands) {
    const graph::Op& op = *operation.op;
    if (op.role == graph::Role::kNumber) return {number(operation.results[0].element, numbers[0])};
    if (op.role == graph::Role::kView) return {{operation.results[0], operands[0].memory}};
    if (op.role == graph::Role::kLoop) return loop(operation, numbers, operands);
    Wholes results;
    for (const TensorType& type : operation.results) results.push_back(make(type, operation.span));
    if (op.lane || op.reduction) run_alone(operation, operands, results[0]);
    else run_kernel(operation, numbers, operands, results);
    return results;
  }

  void run_kernel(const graph::LaidOutOperation& operation, std::span<const double> numbers, const Wholes& operands,
                  const Wholes& results) {
    std::vector<kernels::Block> from, to;
    for (const Whole& operand : operands) from.push_back(operand.block());
    for (const Whole& result : results) to.push_back(result.block());
    MTF_CHECK(operation.op->kernel != nullptr, "{} has no kernel", operation.op->name);
    graph::KernelCall call{operation, from, to, numbers, threads};
    try {
      operation.op->kernel(call);
    } catch (const graph::ElementError& error) { fail_at(operation, error); }
  }

  /// Runs an element-wise operation or a reduction as a fusion of one step.
  void run_alone(const graph::Operation& operation, const Wholes& operands, const Whole& result) {
    const graph::Op& op = *operation.op;
    const Dims& dims = op.lane ? operation.results[0].dims : operation.operands[0].dims;
    kernels::FusionProgram program;
    std::vector<std::vector<int64_t>> strides;
    for (const Whole& operand : operands) {
      program.operands.push_back({kernels::OperandKind::kArray, operand.type.element, 0});
      strides.push_back(operand.strides_along(dims));
    }
    strides.push_back(result.strides_along(dims));
    const int count = static_cast<int>(operands.size());
    if (op.lane) program.steps.push_back({*op.lane, 0, count > 1 ? 1 : -1, count > 2 ? 2 : -1, result.type.element});
    program.outputs.push_back(
        {op.lane ? count : 0, result.type.element, op.reduction.value_or(kernels::Reduction::kStore)});
    std::vector<kernels::FusionArgument> from,
        to{kernels::FusionArgument::array(result.memory->data(), strides.back())};
    for (size_t k = 0; k < operands.size(); ++k)
      from.push_back(kernels::FusionArgument::array(operands[k].memory->data(), strides[k]));
    std::vector<int64_t> sizes;
    for (const Dim& dim : dims) sizes.push_back(dim.size);
    kernels::table().compile(std::move(program)).run(sizes, from, to, threads);
  }

  /// Runs the iterations of a loop one after the other.
  Wholes loop(const graph::LaidOutOperation& operation, std::span<const double> numbers, const Wholes& operands) {
    const graph::Region& region = *operation.region;
    const auto& attributes = operation.attributes.get<ops::ScanAttributes>();
    const auto stacked = static_cast<size_t>(region.carried), sums = stacked + static_cast<size_t>(region.stacked);
    Wholes results(operands.begin(), operands.begin() + region.carried);
    for (size_t r = stacked; r < operation.results.size(); ++r) {
      results.push_back(make(operation.results[r], operation.span));
      std::memset(results[r].memory->data(), 0, static_cast<size_t>(results[r].bytes()));
    }
    for (int64_t i = 0; i < region.iterations; ++i) {
      const int64_t at = attributes.reverse ? region.iterations - 1 - i : i;
      const bool from_last = attributes.reverse != attributes.counts_down;
      Wholes inputs = operands;
      for (size_t k = 0; k < operands.size(); ++k) {
        if (k < stacked) inputs[k] = results[k];
        else if (region.is_placed(k))
          inputs[k] = slice(operands[k], region.iteration.type(graph::ProgramValue::input(k)), at);
      }
      const Wholes roots = iteration(
          region, region.numbers_of_iteration(numbers, from_last ? region.iterations - 1 - at : at), std::move(inputs));
      for (size_t r = 0; r < roots.size(); ++r) {
        if (r < stacked) results[r] = roots[r];
        else if (r < sums)
          std::memcpy(results[r].memory->data() + at * roots[r].bytes(), roots[r].memory->data(),
                      static_cast<size_t>(roots[r].bytes()));
        else results[r] = sum(results[r], roots[r]);
      }
    }
    return results;
  }

  /// Computes the roots of one iteration.
  Wholes iteration(const graph::Region& region, const std::vector<double>& numbers, Wholes inputs) {
    const graph::Program& program = region.iteration;
    for (size_t i = inputs.size(); i < program.inputs.size(); ++i)
      inputs.push_back(number(program.type(graph::ProgramValue::input(i)).element,
                              numbers[static_cast<size_t>(region.input_number[i])]));
    std::vector<Wholes> computed;
    const auto value_of = [&](graph::ProgramValue value) {
      return value.is_input() ? inputs[static_cast<size_t>(value.input())]
                              : computed[static_cast<size_t>(value.source)][static_cast<size_t>(value.result)];
    };
    for (size_t i = 0; i < program.operations.size(); ++i) {
      Wholes operands;
      for (const graph::ProgramValue& operand : program.operands_of(i)) operands.push_back(value_of(operand));
      const graph::LaidOutOperation& operation = *program.operations[i].operation;
      const auto own = std::span(numbers).subspan(static_cast<size_t>(region.first_number[i]), operation.inputs.size());
      computed.push_back(compute(operation, own, operands));
    }
    Wholes roots;
    for (const graph::ProgramValue& root : program.roots) roots.push_back(value_of(root));
    return roots;
  }

  Whole slice(const Whole& of, const TensorType& type, int64_t at) {
    const int64_t bytes = size_of(type.dims) * size_of(type.element);
    return copy(type, of.memory->data() + at * bytes);
  }

  Whole sum(const Whole& a, const Whole& b) {
    graph::Operation add;
    add.op = &ops::kAdd;
    add.operands = {a.type, b.type};
    add.results = {a.type};
    const Whole result = make(a.type, {});
    run_alone(add, {a, b}, result);
    return result;
  }

  void place(graph::Node& node, const plan::HostView& data) {
    whole_results(node) = {copy(data.type, data.bytes.data())};
  }
};

ReferenceRuntime::ReferenceRuntime() : impl_(std::make_unique<Impl>()) {}
ReferenceRuntime::~ReferenceRuntime() = default;

void ReferenceRuntime::added(graph::Node& node) {
  const graph::LaidOutOperation& operation = *node.operation;
  if (operation.op->role == graph::Role::kData) return;  // place() stores its data
  Wholes operands;
  for (const graph::Value& operand : node.operands()) operands.push_back(whole_of(operand));
  whole_results(node) = impl_->compute(operation, operation.inputs, operands);
}

std::shared_ptr<plan::Tensor> ReferenceRuntime::place(graph::Node& node, const plan::HostView& data) {
  impl_->place(node, data);
  return pretended(node);
}

plan::Runtime::Loaded ReferenceRuntime::load(graph::Node& node, const io::PositionedFile& file, uint64_t place) {
  Loaded loaded{pretended(node)};
  impl_->place(node, read_whole(node.operation->results[0], file, place, loaded.sum));
  return loaded;
}

plan::HostTensor ReferenceRuntime::fetch(const graph::Value& value) {
  const Whole& whole = whole_of(value);
  return {whole.type, {whole.memory->data(), whole.memory->data() + whole.bytes()}};
}

uint64_t ReferenceRuntime::store(const graph::Value& value, const io::PositionedFile& file, uint64_t place) {
  return write_whole(fetch(value), file, place);
}

}  // namespace mtf::run
