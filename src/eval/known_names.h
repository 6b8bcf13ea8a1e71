#pragma once
// Names that could stand somewhere, with what they are: for completion.
#include <string>
#include <vector>

namespace mtf {

class Evaluator;
struct HostValue;

struct KnownName {
  enum class Kind { kValue, kDim, kCallable, kModule };
  std::string name;         ///< as it is written: `nn.Dense`
  std::string description;  ///< the signature of what can be called, the type of a value
  std::string doc;          ///< of a function or model: its `##` lines; of an instance, those of its model
  Kind kind = Kind::kValue;
};

/// What calls of a value look like: `fn f(x: [a]) -> [a]`; empty if it cannot be called.
std::string signature_of(const HostValue& value);

/// Those that begin with `prefix`, in alphabetical order: names in the outermost scope, functions and operations of the
/// language; behind a dot, the members of the module or value that the names before it lead to. Computes nothing.
std::vector<KnownName> known_names(Evaluator& evaluator, const std::string& prefix);

}  // namespace mtf
