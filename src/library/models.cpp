// What modules ask of models that are handed to them.
#include "eval/host_value.h"
#include "eval/scope.h"
#include "library/functions.h"

namespace mtf::library {
namespace {

/// has(net, name): true if an instance has a part of this name.
eval::HostValue has(eval::Caller&, const eval::Bound& call) {
  const eval::Instance& instance = **call.value(0).as<eval::InstancePtr>();
  return instance.scope->find_own(Name(call.text(1))) != nullptr;
}

/// is_tensor(x): true if x is a tensor, and no list of some.
eval::HostValue is_tensor(eval::Caller&, const eval::Bound& call) { return tensor_of(call.value(0)) != nullptr; }

}  // namespace

std::vector<eval::HostFunction> model_functions() {
  return {
      {"has(net: model, name: string) -> bool", "", eval::Effects::kNone, has},
      {"is_tensor(x) -> bool", "", eval::Effects::kNone, is_tensor},
  };
}

}  // namespace mtf::library
