#pragma once
// The names of functions in listings of costs.
#include <string>

namespace mtf::eval {

struct Function;  // eval/host_value.h

struct Callee {
  /// For a function of a model with the model's name: `Layer` for `fn call`, `Embedding.logits` for others.
  std::string name;
  std::string path;  ///< the path of the model's instance, if its variables have one: `blocks[1]`
};
Callee callee_of(const Function& function);
/// True for the `fn call` of a model.
bool is_call_of_model(const Function& function);

}  // namespace mtf::eval
