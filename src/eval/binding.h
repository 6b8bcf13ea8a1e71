#pragma once
// Binding: which argument of a call is for which parameter. Whatever is called (an operation, a function of the host, a
// function or model of a script), its arguments are bound here, by its signature, and what is wrong with them is said
// here.
//
// Arguments without a label are for the parameters in their order that no label names; one that is an element type is
// for the parameter of that kind, wherever it stands. `none` for a parameter of which it is the default leaves it out.
// Each value is what the parameter's kind asks for: a dim where an int is wanted has become its size.
#include <array>
#include <vector>

#include "eval/host_value.h"
#include "syntax/signature.h"

namespace mtf::eval {

/// A pointer for each of some parameters: without memory of its own where these are few, as in nearly every call.
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

/// A call's arguments by the parameters of a signature.
struct Bound {
  const syntax::Signature& signature;
  const Arguments& arguments;            ///< all of them, and where the call stands
  GivenArguments given;                  ///< one a parameter; null: left out. Of a variadic one the first
  std::vector<GivenArgument*> rest;      ///< all that a variadic parameter, or `...`, takes
  std::vector<GivenArgument*> labels;    ///< those that are no parameters
  std::vector<GivenArgument*> pairs;     ///< `a -> b`
  const GivenArgument* arrow = nullptr;  ///< the argument with the arrow of the call

  Span span() const { return arguments.span; }
  bool has(size_t parameter) const { return given[parameter] != nullptr; }
  /// The argument for a parameter that has one, and what it is.
  const GivenArgument& operator[](size_t parameter) const { return *given[parameter]; }
  const HostValue& value(size_t parameter) const { return given[parameter]->value; }
  Span span(size_t parameter) const { return given[parameter]->span; }
  /// The values of parameters of these kinds, given and known.
  const std::string& text(size_t parameter) const { return **value(parameter).as<Text>(); }
  const std::vector<HostValue>& list(size_t parameter) const { return (*value(parameter).as<ListPtr>())->items; }
  const Dim& dim(size_t parameter) const { return *value(parameter).as<Dim>(); }
  /// An int; nothing if it is left out or only the run knows it.
  std::optional<int64_t> integer(size_t parameter) const;
  /// Only the run knows one of them, or an item of a list among them.
  bool any_unknown() const;
};

/// Binds arguments, whose values become what the kinds of their parameters ask for; `arguments` lives as long as the
/// result. Fails where an argument is one too many (wrong_arity), has a label that is no parameter's
/// (unknown_argument), is given twice (duplicate_argument) or of another kind (type_mismatch), and where one or an
/// arrow is missing or misplaced.
Bound bind(const syntax::Signature& signature, Arguments& arguments);

/// The value as a kind asks for it; false if it is not of that kind. What only the run knows is of any kind that it may
/// be.
bool become(syntax::ParameterKind kind, HostValue& value);

}  // namespace mtf::eval
