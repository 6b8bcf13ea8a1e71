#pragma once
// Names that fit at a position, with their types: for completion.
#include <string>
#include <vector>

#include "eval/value_type.h"
#include "syntax/signature.h"

namespace mtf::eval {
class Evaluator;
struct HostValue;
}  // namespace mtf::eval

namespace mtf::session {

struct KnownName {
  std::string name;                  ///< as in a program: `nn.Dense`
  eval::ValueType type;              ///< without words, if the type is unknown until evaluation
  syntax::Signature signature = {};  ///< of a callable; otherwise it has no text
  std::string doc = {};              ///< the `##` lines of a function or model, or of an instance's model
};

/// Describes a value with this name.
KnownName known(std::string name, const eval::HostValue& value);

/// Returns the names that begin with `prefix`, in alphabetical order: names in the outermost scope, functions and
/// operations of the language. After a dot, returns the members of the module or value before the dot. Computes
/// nothing.
std::vector<KnownName> known_names(eval::Evaluator& evaluator, const std::string& prefix);

}  // namespace mtf::session
