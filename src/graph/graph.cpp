#include "graph/graph.h"

#include <algorithm>
#include <atomic>
#include <unordered_map>

#include "ops/op.h"
#include "support/diagnostics.h"

namespace mtf {

int64_t new_mark() {
  static std::atomic<int64_t> last{0};
  return ++last;
}

Node::~Node() {
  // An operand may die with its reader, and its own operands with it: one after the other, not inside each other.
  thread_local Values* dying = nullptr;  // a plain pointer: nodes may outlive a thread's objects
  if (dying != nullptr) {
    dying->insert(dying->end(), std::make_move_iterator(operands.begin()), std::make_move_iterator(operands.end()));
    return;
  }
  dying = &operands;
  while (!operands.empty()) {
    const Value next = std::move(operands.back());
    operands.pop_back();
  }
  dying = nullptr;
}

std::vector<NodePtr> pending(const Values& roots) {
  std::vector<NodePtr> nodes;
  std::vector<NodePtr> stack;
  const int64_t mark = new_mark();
  auto visit = [&](const Value& value) {
    if (!value || value.node->mark == mark || value.node->is_computed(value.result)) return;
    value.node->mark = mark;
    stack.push_back(value.node);
  };
  for (const Value& root : roots) visit(root);
  while (!stack.empty()) {
    NodePtr node = std::move(stack.back());
    stack.pop_back();
    for (const Value& operand : node->operands) visit(operand);
    nodes.push_back(std::move(node));
  }
  std::sort(nodes.begin(), nodes.end(), [](const NodePtr& a, const NodePtr& b) { return a->id < b->id; });
  return nodes;
}

std::vector<std::string> names_of(const std::vector<NodePtr>& nodes) {
  std::unordered_map<const Node*, Name> base;
  std::unordered_map<Name, int> used;
  std::vector<std::string> names(nodes.size());
  // An unnamed node takes the base name of the first node that reads it; nodes stand before their readers.
  for (size_t i = nodes.size(); i-- > 0;) {
    const Node& node = *nodes[i];
    Name name = node.hint;
    if (name.empty()) {
      auto at = base.find(&node);
      name = at != base.end() ? at->second : Name("value");
    }
    base[&node] = name;
    for (const Value& operand : node.operands) base[operand.node.get()] = name;
  }
  std::unordered_map<Name, int> owners;
  for (const NodePtr& node : nodes)
    if (!node->hint.empty()) owners[node->hint]++;
  for (size_t i = 0; i < nodes.size(); ++i) {
    Name name = base[nodes[i].get()];
    bool own = !nodes[i]->hint.empty() && --owners[name] == 0;  // the last node of a name keeps it bare
    names[i] = own ? name.str() : name.str() + "." + std::to_string(++used[name]);
  }
  return names;
}

std::string to_string(const std::vector<NodePtr>& nodes) {
  std::vector<std::string> names = names_of(nodes);
  std::unordered_map<const Node*, std::string> name_of;
  for (size_t i = 0; i < nodes.size(); ++i) name_of[nodes[i].get()] = names[i];
  std::string text;
  for (const NodePtr& node : nodes) {
    text += name_of[node.get()] + ": ";
    for (size_t r = 0; r < node->types.size(); ++r)
      text += (r ? ", " : "") + to_string(node->types[r], node->shardings[r], *node->mesh);
    text += " = " + std::string(node->op->name) + "(";
    bool first = true;
    auto item = [&](const std::string& what) {
      text += (first ? "" : ", ") + what;
      first = false;
    };
    for (const Value& operand : node->operands) {
      auto at = name_of.find(operand.node.get());
      std::string name = at != name_of.end() ? at->second : operand.node->hint.empty() ? std::string(operand.node->op->name) : operand.node->hint.str();
      item(name + (operand.result ? "#" + std::to_string(operand.result) : ""));
    }
    for (double input : node->inputs) item(fmt::format("{:.6g}", input));
    if (!node->attributes.dims.empty()) item("-> " + to_string(node->attributes.dims));
    for (int64_t number : node->attributes.ints) item(std::to_string(number));
    text += ")\n";
  }
  return text;
}

void verify(const std::vector<NodePtr>& nodes) {
  const int64_t mark = new_mark();
  for (const NodePtr& node : nodes) {
    MTF_CHECK(node->types.size() == node->shardings.size() && node->mesh, "{} has no layout", node->op->name);
    for (const Value& operand : node->operands)
      MTF_CHECK(operand.node->mark == mark || operand.node->is_computed(operand.result), "{} reads what is not computed before it", node->op->name);
    for (size_t r = 0; r < node->types.size(); ++r) {
      AxisSet used = 0;
      const Dims& dims = node->types[r].dims;
      MTF_CHECK(dims.size() == node->shardings[r].dims.size(), "{}: {} dims", node->op->name, dims.size());
      for (size_t i = 0; i < dims.size(); ++i) {
        MTF_CHECK(find_dim(dims, dims[i].name) == static_cast<int>(i), "{}: dim {} twice", node->op->name, dims[i].name.text());
        MTF_CHECK((used & node->shardings[r].dims[i].set()) == 0, "{}: an axis twice", node->op->name);
        used |= node->shardings[r].dims[i].set();
      }
    }
    node->mark = mark;
  }
}

}  // namespace mtf
