#include "eval/reached.h"

namespace mtf::eval {

template <typename Visit>
void Reached::reference_of(const HostValue& value, const Visit& visit) {
  if (auto* function = value.as<FunctionPtr>()) visit(*function);
  else if (auto* model = value.as<ModelClassPtr>()) visit(*model);
  else if (auto* instance = value.as<InstancePtr>()) visit(*instance);
  else if (auto* list = value.as<ListPtr>()) visit(*list);
  else if (auto* variable = value.as<VariablePtr>()) visit(*variable);
}

template <typename Visit>
void Reached::each_reference(const Object& object, const Visit& visit) {
  if (auto* scope = std::get_if<Scope*>(&object)) {
    for (const auto* bindings : {&(*scope)->bindings, &(*scope)->hoisted})
      for (const Binding& binding : *bindings) reference_of(binding.value, visit);
    if ((*scope)->parent && (*scope)->parent->parent)
      visit((*scope)->parent);  // the outermost scope lives as long as its program
  } else if (auto* function = std::get_if<Function*>(&object)) {
    if ((*function)->scope && (*function)->scope->parent) visit((*function)->scope);
  } else if (auto* model = std::get_if<ModelClass*>(&object)) {
    if ((*model)->scope && (*model)->scope->parent) visit((*model)->scope);
  } else if (auto* instance = std::get_if<Instance*>(&object)) {
    visit((*instance)->model);
    visit((*instance)->scope);
  } else if (auto* list = std::get_if<List*>(&object)) {
    for (const HostValue& item : (*list)->items) reference_of(item, visit);
  }
}

void Reached::from(const HostValue& value) {
  reference_of(value, [&](const auto& reference) { reach(reference); });
}

void Reached::decide() {
  for (size_t i = 0; i < objects_.size(); ++i) {
    const Object what = objects_[i].what;  // a copy: `reach` may reallocate the vector
    each_reference(what, [&](const auto& reference) { reach(reference); });
  }
  std::vector<size_t> stack;
  for (size_t i = 0; i < objects_.size(); ++i)
    if (objects_[i].references > objects_[i].inside) stack.push_back(i);
  while (!stack.empty()) {
    const size_t at = stack.back();
    stack.pop_back();
    if (objects_[at].held) continue;
    objects_[at].held = true;
    each_reference(objects_[at].what, [&](const auto& reference) { stack.push_back(index_.at(reference.get())); });
  }
}

bool Reached::is_held_outside(const void* object) const { return objects_[index_.at(object)].held; }

}  // namespace mtf::eval
