#include "eval/let_go.h"

#include "eval/scope.h"

namespace mtf {
namespace {
thread_local std::vector<std::shared_ptr<void>>* under_way = nullptr;  ///< what the outermost has still to let go of
}

void LetGo::take(HostValue& value) {
  if (auto* list = std::get_if<ListPtr>(&value.data)) take_alone(*list);
  else if (auto* instance = std::get_if<InstancePtr>(&value.data)) take_alone(*instance);
  else if (auto* function = std::get_if<FunctionPtr>(&value.data)) take_alone(*function);
  else if (auto* model = std::get_if<ModelClassPtr>(&value.data)) take_alone(*model);
}

LetGo::~LetGo() {
  if (taken_.empty()) return;
  if (under_way) {
    for (std::shared_ptr<void>& one : taken_) under_way->push_back(std::move(one));
    return;
  }
  under_way = &taken_;
  while (!taken_.empty()) {
    const std::shared_ptr<void> last = std::move(taken_.back());
    taken_.pop_back();
  }
  under_way = nullptr;
}

List::~List() {
  LetGo let_go;
  for (HostValue& item : items) let_go.take(item);
}

Scope::~Scope() {
  LetGo let_go;
  for (Binding& binding : bindings) let_go.take(binding.value);
  for (Binding& binding : hoisted) let_go.take(binding.value);
  let_go.take(parent);
}

}  // namespace mtf
