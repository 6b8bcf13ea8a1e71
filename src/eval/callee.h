#pragma once
// What a function is called where costs are shown.
#include <string>

namespace mtf::eval {

struct Function;  // eval/host_value.h

struct Callee {
  std::string name;  ///< of a model's function with the model's: `Layer` for `fn call`, `Embedding.logits` for others
  std::string path;  ///< of the model's instance, where its variables say it: `blocks[1]`
};
Callee callee_of(const Function& function);

}  // namespace mtf::eval
