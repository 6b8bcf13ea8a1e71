#include "eval/unread.h"

#include <exception>
#include <unordered_set>

#include "eval/scope.h"
#include "eval/variables_below.h"
#include "graph/operation.h"

namespace mtf::eval {
namespace {

/// Returns the span of the node's operation, or of the outermost call through which the program made it.
Span place_in_program(const graph::Node& node) {
  Span place = node.operation->span;
  for (const graph::CallFrame* frame = node.operation->frame.get(); frame; frame = frame->caller.get())
    if (frame->span.is_known() && !frame->backward) place = frame->span;
  return place;
}

}  // namespace

void UnreadValues::watch(graph::ValueTable& table, const SourceFile& program) {
  program_ = &program;
  table.on_unread([this](const graph::Node& node) {
    if (std::uncaught_exceptions() == 0) add(node);  // values that an error drops are many, and nobody asks for them
  });
}

void UnreadValues::end(graph::ValueTable& table, const Scope& top) {
  table.on_unread(nullptr);
  const auto add_pending = [this](const graph::Value& value) {
    if (graph::ValueTable::is_pending(*value.node) && value.node->uses() == 0) add(*value.node);
  };
  for (const Binding& binding : top.bindings) {
    if (auto* tensor = binding.value.as<graph::Handle>()) add_pending(tensor->value());
    for (const bool trainable : {true, false})
      for (const VariablePtr& place : variables_below(binding.value, trainable))
        if (place->is_assigned) add_pending(place->current.value());
  }
}

void UnreadValues::add(const graph::Node& node) {
  const auto see = [this](const graph::Node& node) {
    const Span place = place_in_program(node);
    return place.file == program_ && seen_.insert({place.file->line_of(place.begin), node.name}).second;
  };
  if (!see(node)) return;
  all_.push_back({place_in_program(node), node.name});
  // The node's operands have been read. Mark them as seen, so that they are not listed.
  std::unordered_set<const graph::Node*> below;
  std::vector<const graph::Node*> stack = {&node};
  while (!stack.empty()) {
    const graph::Node& reader = *stack.back();
    stack.pop_back();
    for (const graph::Value& operand : reader.operands()) {
      if (!graph::ValueTable::is_pending(*operand.node) || !below.insert(operand.node.get()).second) continue;
      see(*operand.node);
      stack.push_back(operand.node.get());
    }
  }
}

}  // namespace mtf::eval
