#include "session/move_to_layout.h"

#include <unordered_map>

#include "eval/evaluator.h"
#include "eval/variables_below.h"
#include "graph/layouts.h"

namespace mtf::session {
namespace {

class Mover {
 public:
  Mover(eval::Evaluator& evaluator, Span span)
      : evaluator_(evaluator), context_(evaluator.builder.context), span_(span) {}

  void variable(const eval::VariablePtr& variable, const std::string& name) {
    graph::GivenLayout stored = variable->stored;
    if (stored.why.asked) return;  // its declaration gives its layout
    stored.why.rules = context_.layout;
    const auto moved_like = stored.why.like ? moved_to_.find(stored.why.like->why.variable.get()) : moved_to_.end();
    if (moved_like != moved_to_.end()) stored.why.like = moved_like->second;
    stored.mesh = stored.why.like ? stored.why.like->mesh : context_.mesh;
    stored.sharding = graph::stored_sharding(variable->type, stored.why, *stored.mesh, span_);
    if (stored.sharding == variable->stored.sharding && same_mesh(variable->stored.mesh, stored.mesh)) return;
    evaluator_.undo.add(variable, 0, [variable = variable.get(), before = *variable] {
      before.current.value().node->ended = nullptr;
      *variable = before;
    });
    variable->stored = std::move(stored);
    graph::Value moved = evaluator_.builder.assigned(variable->current.value(), variable->stored);
    moved.node->name = Name(name);
    moved.node->variable = variable->serial;
    variable->current.value().node->ended =
        std::make_shared<const graph::HistoryEnd>(graph::HistoryEnd{Name(variable->path), span_, {}, variable->serial});
    moved_to_[variable->known_as.get()] = moved.node->operation;
    variable->current = std::move(moved);
    evaluator_.cuts.assigned(variable);
    moved_.emplace_back(name, variable);
  }

  void tensor(size_t index) {
    eval::Scope& top = *evaluator_.top();
    const graph::Value value = *tensor_of(top.bindings[index].value);
    const Sharding sharding = graph::sharding_of(value.type(), *context_.layout, *context_.mesh, span_);
    if (sharding == value.sharding() && same_mesh(value.mesh(), context_.mesh)) return;
    const Name name = top.bindings[index].name;
    graph::Handle moved = evaluator_.builder.laid_out(value, given(sharding));
    moved.value().node->name = name;
    top.note(top.bindings[index], evaluator_.undo);
    top.bindings[index].value = moved;
    moved_.emplace_back(name.str(), moved);
  }

  std::vector<std::pair<std::string, eval::HostValue>> take() { return std::move(moved_); }

 private:
  /// A layout that the rules in force have decided.
  graph::GivenLayout given(Sharding sharding) const {
    graph::GivenLayout layout;
    layout.sharding = std::move(sharding);
    layout.mesh = context_.mesh;
    layout.why.rules = context_.layout;
    return layout;
  }

  eval::Evaluator& evaluator_;
  const graph::Context context_;
  Span span_;
  /// The new operation of each resharded variable. A variable declared `like p` copies the layout of p's new operation.
  std::unordered_map<const graph::Variable*, graph::OperationRef> moved_to_;
  std::vector<std::pair<std::string, eval::HostValue>> moved_;
};

}  // namespace

std::vector<std::pair<std::string, eval::HostValue>> move_to_layout(eval::Evaluator& evaluator, Span span) {
  evaluator.builder.span = span;
  Mover mover(evaluator, span);
  const eval::Scope& top = *evaluator.top();
  for (size_t i = 0; i < top.bindings.size(); ++i) {
    const eval::HostValue value = top.bindings[i].value;
    if (value.is<graph::Handle>()) mover.tensor(i);
    for (const bool trainable : {true, false})
      for (const eval::VariablePtr& variable : variables_below(value, trainable))
        mover.variable(variable, top.bindings[i].name.str() + "." + variable->path);
  }
  return mover.take();
}

}  // namespace mtf::session
