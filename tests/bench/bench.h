#pragma once
// A session in which benchmarks run statements.
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "../execution_on.h"
#include "../places.h"
#include "library/library.h"
#include "session/session.h"
#include "timing.h"

namespace mtf {

/// An execution on one thread.
struct OneThread : ExecutionOn<run::MpiRuntime> {
  OneThread() : ExecutionOn(run::MpiRuntimeOptions{.threads = 1}) {}
};

/// A session with an execution of its own.
struct Bench {
  explicit Bench(std::shared_ptr<plan::Execution> on = std::make_shared<OneThread>(), std::string mesh = "",
                 std::string layout = "")
      : execution(std::move(on)), session(settings(mesh, layout, execution->runtime().ranks()), execution.get(), out) {}
  static eval::Settings settings(const std::string& mesh, const std::string& layout, int64_t ranks) {
    eval::Settings result;
    result.stdlib = stdlib_folder();
    result.library = &library::host_library();
    result.ranks = ranks;
    if (!mesh.empty()) result.mesh = parse_axes(mesh);
    if (!mesh.empty()) result.layout = parse_layout(layout);
    return result;
  }
  void run(const std::string& text) { session.execute(text + "\n"); }
  /// The numbers of an expression, in double precision.
  std::vector<double> numbers(const std::string& expression) {
    const plan::HostTensor values = session.read("cast(" + expression + ", f64)");
    std::vector<double> result(values.bytes.size() / sizeof(double));
    for (size_t i = 0; i < result.size(); ++i) result[i] = values.number(static_cast<int64_t>(i));
    return result;
  }

  std::ostringstream out;
  std::shared_ptr<plan::Execution> execution;
  session::Session session;
};

/// Fails unless the expression, after `declare` and `statement`, has the same numbers as in the reference evaluation.
inline void expect_reference(benchmark::State& state, Bench& bench, const std::string& declare,
                             const std::string& statement, const std::string& expression) {
  Bench reference(std::make_shared<ExecutionOn<run::ReferenceRuntime>>());
  reference.run(declare);
  reference.run(statement);
  const std::vector<double> computed = bench.numbers(expression), expected = reference.numbers(expression);
  expect_same<double>(state, computed, expected);
}

}  // namespace mtf
