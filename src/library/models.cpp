// What modules ask of models that are handed to them.
#include "eval/cuts.h"
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

/// micro_batches(x): the dims of x whose places go through pipelines around the call one by one.
eval::HostValue micro_batches(eval::Caller& caller, const eval::Bound& call) {
  std::vector<eval::HostValue> found;
  for (const Dim& dim : tensor_of(call.value(0))->dims())
    for (const eval::Iteration* loop = caller.parts.cuts.iteration(); loop; loop = loop->outer)
      if (loop->micro == dim.name) found.emplace_back(dim);
  return eval::make_list(std::move(found));
}

}  // namespace

std::vector<eval::HostFunction> model_functions() {
  return {
      {"has(net: model, name: string) -> bool", "", eval::Effects::kNone, has},
      {"micro_batches(x: tensor) -> list", "", eval::Effects::kNone, micro_batches},
      {"is_tensor(x) -> bool", "", eval::Effects::kNone, is_tensor},
  };
}

}  // namespace mtf::library
