#pragma once
// Binding: assigns each argument of a call to a parameter. All calls (of operations, host functions, and functions or
// models of a script) are bound here, by their signatures. Errors in arguments are reported here.
//
// Arguments without a label go, in order, to the parameters that no label names. An element type without a label goes
// to the parameter of that kind, at any position. `none` for a parameter with the default `none` means that the
// argument is left out. Each value is converted to the kind of its parameter: a dim becomes its size where an int is
// expected.
#include <array>
#include <vector>

#include "eval/host_value.h"
#include "syntax/signature.h"

namespace mtf::eval {

/// One pointer for each parameter. Allocates no memory for few parameters, as in nearly every call.
class GivenArguments {
 public:
  explicit GivenArguments(size_t count) : count_(count), many_(count > kFew ? count : 0) {}
  size_t size() const { return count_; }
  GivenArgument* const& operator[](size_t i) const { return count_ > kFew ? many_[i] : few_[i]; }
  GivenArgument*& operator[](size_t i) { return count_ > kFew ? many_[i] : few_[i]; }

 private:
  static constexpr size_t kFew = 6;
  size_t count_;
  std::array<GivenArgument*, kFew> few_ = {};
  std::vector<GivenArgument*> many_;
};

/// The arguments of a call, by the parameters of its signature.
struct Bound {
  const syntax::Signature& signature;
  const Arguments& arguments;  ///< all of them, and the place of the call
  GivenArguments given;        ///< one for each parameter; null: left out. The first argument of a variadic parameter
  std::vector<GivenArgument*> rest;      ///< all arguments of a variadic parameter, or of `...`
  std::vector<GivenArgument*> labels;    ///< arguments whose labels name no parameter
  std::vector<GivenArgument*> pairs;     ///< `a -> b`
  const GivenArgument* arrow = nullptr;  ///< the argument with the arrow of the call

  Span span() const { return arguments.span; }
  bool has(size_t parameter) const { return given[parameter] != nullptr; }
  /// The argument for a parameter, which must have one.
  const GivenArgument& operator[](size_t parameter) const { return *given[parameter]; }
  const HostValue& value(size_t parameter) const { return given[parameter]->value; }
  Span span(size_t parameter) const { return given[parameter]->span; }
  /// The values of parameters of these kinds, which must be given and known.
  const std::string& text(size_t parameter) const { return **value(parameter).as<Text>(); }
  const std::vector<HostValue>& list(size_t parameter) const { return (*value(parameter).as<ListPtr>())->items; }
  const Dim& dim(size_t parameter) const { return *value(parameter).as<Dim>(); }
  /// An int; nothing if it is left out or only the run knows it.
  std::optional<int64_t> integer(size_t parameter) const;
  /// True if only the run knows an argument, or an item of a list among the arguments.
  bool any_unknown() const;
};

/// Binds arguments and converts their values to the kinds of their parameters. `arguments` must outlive the result.
/// Fails if there are too many arguments (wrong_arity), if a label names no parameter (unknown_argument), if an
/// argument is given twice (duplicate_argument) or has the wrong kind (type_mismatch), and if an argument or an arrow
/// is missing or misplaced.
Bound bind(const syntax::Signature& signature, Arguments& arguments);

/// Converts the value to a kind; false if that is impossible. A value that only the run knows is accepted if it may be
/// of that kind.
bool become(syntax::ParameterKind kind, HostValue& value);

}  // namespace mtf::eval
