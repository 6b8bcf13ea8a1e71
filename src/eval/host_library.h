#pragma once
// Libraries of host functions: what scripts call that is no tensor operation and stands outside of the evaluator, such
// as functions of strings and of files.
//
// A library is a table. Whoever makes a session names one in its settings; without one, the functions are unknown
// names. A function gets the arguments of the call and a Caller, which is as much of the evaluation as it may use. What
// a library remembers from one call to the next is its state: each evaluator has one of its own, which dies with it.
#include <functional>
#include <memory>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "eval/binding.h"
#include "eval/conversions.h"
#include "eval/host_value.h"
#include "plan/tensor.h"

namespace mtf::ops {
class Builder;  // ops/builder.h
}
namespace mtf::plan {
class Execution;  // plan/execution.h
class Runtime;    // plan/runtime.h
}  // namespace mtf::plan

namespace mtf::eval {

class AbstractDomain;  // eval/abstract.h
class Calls;           // eval/calls.h
class Cuts;            // eval/cuts.h
class DoubtfulParts;   // eval/doubtful.h
class Display;         // eval/display.h
class Findings;        // eval/findings.h
class Meshes;          // eval/meshes.h
struct Settings;       // eval/settings.h
class Variables;       // eval/variables.h

/// A place in the stream of random numbers.
struct RandomStream {
  double seed = 0;
  double calls = 0;  ///< random operations evaluated since
};

/// What a library remembers of one evaluation.
class LibraryState {
 public:
  virtual ~LibraryState() = default;
};

/// The evaluation that calls a host function, and lives as long as what the function makes. The functions of the
/// language itself (eval/builtins.h) use its parts, others what it offers.
class Caller {
 public:
  struct Parts {
    const Settings& settings;
    std::ostream& out;
    const AbstractDomain& domain;
    ops::Builder& builder;
    Cuts& cuts;
    DoubtfulParts& doubts;
    const Conversions& convert;
    Display& display;
    Findings& findings;
    Meshes& meshes;
    Variables& variables;
    Calls& calls;
  };
  /// `execution`: null to check.
  Caller(const Parts& parts, plan::Execution* execution, std::unique_ptr<LibraryState> state);
  ~Caller();
  Caller(const Caller&) = delete;
  Caller& operator=(const Caller&) = delete;

  // ---- what it is ---------------------------------------------------------------------------------------------------
  /// Nothing is computed, and there is no execution.
  bool is_check() const;
  /// A check or a plan: what tensors hold is unknown, and nothing is written.
  bool is_abstract() const;
  /// A check of what is run then.
  bool runs_next() const;

  const Parts parts;

  // ---- its arguments ------------------------------------------------------------------------------------------------
  const Conversions& convert;

  // ---- tensors ------------------------------------------------------------------------------------------------------
  /// A tensor that holds `data` from the start, in the layout that the current rules give it. In a check `data` has no
  /// bytes: only the type matters.
  graph::Value constant(plan::HostTensor data, Span span);
  /// A tensor of that layout whose elements are still to be given.
  graph::Value unplaced(const TensorType& type, Span span);
  /// One of the type and layout of a variable.
  graph::Value unplaced_as(const Place& place, Span span);
  /// Gives tensors their elements, and stores them; not of a check.
  plan::Execution& execution() const;
  plan::Runtime& runtime() const;

  /// What eval/cuts.h says of these.
  void cut(const graph::Values& needed, Span span);
  plan::HostTensor fetch(const graph::Value& value, Span span);
  HostValue read_number(const graph::Value& value, Span span);

  // ---- what it changes ----------------------------------------------------------------------------------------------
  /// `place := value`, at `span`.
  void assign(const PlacePtr& place, const graph::Value& value, Span span);
  RandomStream random_stream() const;
  void set_random_stream(const RandomStream& stream);
  /// What this evaluation's library remembers, which is a `State`.
  template <typename State>
  State& state() const {
    return static_cast<State&>(*state_);
  }

 private:
  plan::Execution* const execution_;
  const std::unique_ptr<LibraryState> state_;
};

/// A function of a library: its record. `sees_unknown`: it is called also if only the run knows one of its arguments.
/// `is_pure`: Builtin::is_pure.
struct HostFunction {
  syntax::Signature signature;
  std::string_view doc;
  HostValue (*call)(Caller& caller, const Bound& call) = nullptr;
  bool sees_unknown = false;
  bool is_pure = false;
  bool only_looks = false;  ///< Builtin::only_looks
};

struct HostLibrary {
  std::vector<HostFunction> functions;  ///< every program sees them
  std::vector<HostFunction> native;     ///< of the module `native`, which only the standard modules see
  std::unique_ptr<LibraryState> (*new_state)() = nullptr;  ///< null: it remembers nothing
};

/// A function of the host as a value: of a library, or a method of an object. The signature lives longer.
BuiltinPtr host_function(const syntax::Signature& signature, std::string_view doc,
                         std::function<HostValue(Caller&, const Bound&)> call, bool sees_unknown = false,
                         bool is_pure = false, bool only_looks = false);

}  // namespace mtf::eval
