#pragma once
// Names that could stand somewhere, with what they are: for completion.
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
  std::string name;                  ///< as it is written: `nn.Dense`
  eval::ValueType type;              ///< with no words: that is not known before it is evaluated
  syntax::Signature signature = {};  ///< of what can be called; else it has no text
  std::string doc = {};              ///< of a function or model: its `##` lines; of an instance, those of its model
};

/// What a value is that is written so.
KnownName known(std::string name, const eval::HostValue& value);

/// Those that begin with `prefix`, in alphabetical order: names in the outermost scope, functions and operations of the
/// language; behind a dot, the members of the module or value that the names before it lead to. Computes nothing.
std::vector<KnownName> known_names(eval::Evaluator& evaluator, const std::string& prefix);

}  // namespace mtf::session
