#pragma once
// Libraries of host functions. These functions of scripts are neither tensor operations nor part of the evaluator.
// Examples are functions of strings and of files.
//
// A library is a table. The settings of a session name one; without a library its functions are unknown names. A
// function gets the arguments of the call and a Caller, which offers a part of the evaluator. A library keeps data
// between calls in its state. Each evaluator has its own state, which ends with the evaluator.
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

/// A position in the stream of random numbers.
struct RandomStream {
  double seed = 0;
  double calls = 0;  ///< random operations evaluated since the seed was set
};

/// The data that a library keeps for one evaluator.
class LibraryState {
 public:
  virtual ~LibraryState() = default;
};

/// The evaluator's side of a call of a host function. It lives as long as any value that the function makes. The
/// functions of the language itself (eval/builtins.h) use its `parts`; library functions use only its own members.
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

  // ---- the mode -----------------------------------------------------------------------------------------------------
  /// True for a check: nothing is computed, and there is no execution.
  bool is_check() const;
  /// True for a check or a plan: the contents of tensors are unknown, and nothing is written.
  bool is_abstract() const;
  /// True for a check of a program that is run afterwards.
  bool runs_next() const;

  const Parts parts;

  // ---- its arguments ------------------------------------------------------------------------------------------------
  const Conversions& convert;

  // ---- tensors ------------------------------------------------------------------------------------------------------
  /// A tensor that holds `data` from the start, with the layout of the current rules. In a check `data` has no bytes:
  /// only the type matters.
  graph::Value constant(plan::HostTensor data, Span span);
  /// A tensor of that type, with the layout of the current rules, whose elements are set later.
  graph::Value unplaced(const TensorType& type, Span span);
  /// The same, with the type and layout of a variable.
  graph::Value unplaced_as(const Variable& variable, Span span);
  /// The rows of a tensor at the positions `ids` of its dim `over`, as gather() gives them.
  graph::Value gathered(const HostValue& table, const graph::Value& ids, const Dim& over, Span span);
  /// Sets the elements of tensors, and stores tensors; not in a check.
  plan::Execution& execution() const;
  plan::Runtime& runtime() const;

  /// See eval/cuts.h.
  void cut(const graph::Values& needed, Span span);
  plan::HostTensor fetch(const graph::Value& value, Span span);
  HostValue read_number(const graph::Value& value, Span span);

  // ---- its effects --------------------------------------------------------------------------------------------------
  /// `variable := value`, at `span`.
  void assign(const VariablePtr& variable, const graph::Value& value, Span span);
  RandomStream random_stream() const;
  void set_random_stream(const RandomStream& stream);
  /// The library's state for this evaluator, which must be a `State`.
  template <typename State>
  State& state() const {
    return static_cast<State&>(*state_);
  }

 private:
  plan::Execution* const execution_;
  const std::unique_ptr<LibraryState> state_;
};

/// A function of a library, with the fields of a Builtin.
struct HostFunction {
  syntax::Signature signature;
  std::string_view doc;
  Effects effects;
  HostValue (*call)(Caller& caller, const Bound& call) = nullptr;
  bool sees_unknown = false;
  bool only_looks = false;
};

struct HostLibrary {
  std::vector<HostFunction> functions;  ///< every program sees them
  std::vector<HostFunction> native;     ///< in the module `native`, which only the standard modules see
  std::unique_ptr<LibraryState> (*new_state)() = nullptr;  ///< null: the library has no state
};

/// Makes a value from a host function: a library function, or a method of an object. The signature must outlive the
/// value.
BuiltinPtr host_function(const syntax::Signature& signature, std::string_view doc, Effects effects,
                         std::function<HostValue(Caller&, const Bound&)> call, bool sees_unknown = false,
                         bool only_looks = false);

}  // namespace mtf::eval
