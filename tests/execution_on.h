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

/// Not to be deleted as an Execution: a pointer to one of unknown kind is a std::shared_ptr.
template <typename R>
class ExecutionOn : private OwnRuntime<R>, public Execution {
 public:
  explicit ExecutionOn(ExecutionOptions options = {}) : Execution(this->own, std::move(options)) {}
  explicit ExecutionOn(MpiRuntimeOptions machine, ExecutionOptions options = {})
    requires std::same_as<R, MpiRuntime>
      : OwnRuntime<R>{R(std::move(machine))}, Execution(this->own, std::move(options)) {}
  R& runtime() { return this->own; }
};

}  // namespace mtf
