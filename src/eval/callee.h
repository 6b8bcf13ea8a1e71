#pragma once
// What a function is called where costs are shown.
#include <string>

#include "eval/host_value.h"

namespace mtf {

/// Its name; of a model's function the model's name, and the path of the instance where its variables say it:
/// `Layer blocks[1]` for `fn call`, `Embedding.logits embedding` for others.
std::string callee_of(const Function& function);

}  // namespace mtf
