#pragma once
// For tests and benchmarks: executions with a runtime of their own.
#include <concepts>

#include "plan/execution.h"
#include "run/dry_runtime.h"
#include "run/mpi_runtime.h"
#include "run/reference_runtime.h"

namespace mtf {

template <typename R>
struct OwnRuntime {
  R own;
};

/// Do not delete it through a pointer to Execution: use a std::shared_ptr if the type is unknown.
template <typename R>
class ExecutionOn : private OwnRuntime<R>, public plan::Execution {
 public:
  explicit ExecutionOn(plan::ExecutionOptions options = {}) : plan::Execution(this->own, std::move(options)) {}
  explicit ExecutionOn(run::MpiRuntimeOptions machine,
                       plan::ExecutionOptions options = {}) requires std::same_as<R, run::MpiRuntime>
      : OwnRuntime<R>{R(std::move(machine))}, plan::Execution(this->own, std::move(options)) {}
  R& runtime() { return this->own; }
};

}  // namespace mtf
