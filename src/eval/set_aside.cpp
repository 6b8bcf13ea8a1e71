#include "eval/set_aside.h"

#include <algorithm>

#include "eval/reached.h"
#include "support/overloaded.h"

namespace mtf::eval {
namespace {

graph::Handle* handle_of(HostValue& value) { return std::get_if<graph::Handle>(&value.data); }

/// Calls `change` with the handles that an object holds directly.
template <typename Change>
void each_handle(const Reached::Object& object, const Change& change) {
  std::visit(Overloaded{
                 [&](Variable* variable) { change(variable->current); },
                 [&](List* list) {
                   for (HostValue& item : list->items)
                     if (graph::Handle* const handle = handle_of(item)) change(*handle);
                 },
                 [&](Scope* scope) {
                   for (Binding& binding : scope->bindings)
                     if (graph::Handle* const handle = handle_of(binding.value)) change(*handle);
                 },
                 [](auto*) {},
             },
             object);
}

}  // namespace

void set_aside(Scope& top, const NameSet& names) {
  Reached reached;
  for (Binding& binding : top.bindings) {
    if (names.contains(binding.name)) binding.is_aside = true;
    if (!binding.is_aside) continue;
    if (graph::Handle* const handle = handle_of(binding.value)) handle->set_aside();
    else reached.from(binding.value);
  }
  reached.decide();
  reached.each_of_our_own(
      [](const Reached::Object& object) { each_handle(object, [](graph::Handle& handle) { handle.set_aside(); }); });
}

void take_up(Binding& binding) {
  binding.is_aside = false;
  if (graph::Handle* const handle = handle_of(binding.value)) return handle->take_up();
  Reached reached;
  reached.from(binding.value);
  reached.decide();
  reached.each(
      [](const Reached::Object& object) { each_handle(object, [](graph::Handle& handle) { handle.take_up(); }); });
}

}  // namespace mtf::eval
