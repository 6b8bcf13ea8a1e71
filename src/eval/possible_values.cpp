#include "eval/possible_values.h"

#include <algorithm>
#include <unordered_set>

#include "graph/op.h"

namespace mtf::eval {
namespace {

/// True for the kinds of ints, floats, and numbers that may be either.
bool is_int_or_float(UnknownKind kind) {
  return kind == UnknownKind::kInt || kind == UnknownKind::kFloat || kind == UnknownKind::kNumber;
}

/// Returns the smallest kind that includes both kinds.
UnknownKind join_of_kinds(UnknownKind a, UnknownKind b) {
  if (a == b) return a;
  return is_int_or_float(a) && is_int_or_float(b) ? UnknownKind::kNumber : UnknownKind::kAny;
}

/// True for a host number, which takes the element type of the tensor that it meets.
bool is_host_number(const graph::Value& value) { return value.operation().op->role == graph::Role::kNumber; }

bool is_same_tensor_type(const graph::Value& a, const graph::Value& b) {
  return a.type() == b.type() && a.sharding() == b.sharding() && same_mesh(a.mesh(), b.mesh()) &&
         is_host_number(a) == is_host_number(b);
}

/// Nested lists are joined up to this depth; deeper values become unknown.
constexpr int kMostLevels = 16;

HostValue join(const HostValue& a, const HostValue& b, int level);

HostValue join(const ListPtr& a, const ListPtr& b, int level) {
  if (a == b) return a;
  if (a->items.size() != b->items.size() || a->tuple != b->tuple || level > kMostLevels)
    return unknown(UnknownKind::kAny);
  std::vector<HostValue> items;
  items.reserve(a->items.size());
  for (size_t i = 0; i < a->items.size(); ++i) items.push_back(join(a->items[i], b->items[i], level + 1));
  return a->tuple ? make_tuple(std::move(items)) : make_list(std::move(items));
}

HostValue join(const HostValue& a, const HostValue& b, int level) {
  if (a.is_poison() || b.is_poison()) return Poison{};
  const bool are_variables = a.is<VariablePtr>() || b.is<VariablePtr>();
  if (a.data.index() == b.data.index()) {
    if (auto* list = a.as<ListPtr>()) return join(*list, *b.as<ListPtr>(), level);
    if (auto* text = a.as<Text>()) return **text == **b.as<Text>() ? a : unknown(UnknownKind::kString);
    if (!tensor_of(a) || are_variables) {
      if (a.data == b.data) return a;
    }
  }
  const graph::Value* x = tensor_of(a);
  const graph::Value* y = tensor_of(b);
  if (x && y && !are_variables && is_same_tensor_type(*x, *y)) return b;
  const auto is_tensor = [](const HostValue& value) {
    return value.is<graph::Handle>() || unknown_kind(value) == UnknownKind::kTensor;
  };
  if (is_tensor(a) && is_tensor(b)) return unknown(UnknownKind::kTensor);
  return unknown(join_of_kinds(unknown_kind(a), unknown_kind(b)));
}

}  // namespace

bool has_item(const HostValue& value, const std::function<bool(const HostValue&)>& is) {
  if (!value.is<ListPtr>()) return is(value);
  std::vector<const List*> lists = {value.as<ListPtr>()->get()};
  std::unordered_set<const List*> seen(lists.begin(), lists.end());
  while (!lists.empty()) {
    const List& list = *lists.back();
    lists.pop_back();
    for (const HostValue& item : list.items) {
      if (auto* inner = item.as<ListPtr>()) {
        if (seen.insert(inner->get()).second) lists.push_back(inner->get());
      } else if (is(item)) {
        return true;
      }
    }
  }
  return false;
}

bool has_unknown(const HostValue& value) {
  return has_item(value, [](const HostValue& item) { return item.is_unknown(); });
}

bool is_unsettled(const HostValue& value) {
  return has_item(value, [](const HostValue& item) { return item.is_poison() || has_open_type(item); });
}

bool has_unknown_text(const HostValue& value) {
  return has_item(value, [](const HostValue& item) {
    auto* range = item.as<Range>();
    return item.is_unknown() || tensor_of(item) || item.is<ObjectPtr>() || (range && !range->known);
  });
}

HostValue join(const HostValue& a, const HostValue& b) { return join(a, b, 0); }

HostValue join_of(const std::vector<HostValue>& items) {
  if (items.empty()) return unknown(UnknownKind::kAny);
  HostValue all = items[0];
  for (size_t i = 1; i < items.size(); ++i) {
    if (all.is_unknown() && unknown_kind(all) == UnknownKind::kAny) break;
    if (!items[i].is_poison()) all = join(all, items[i]);
  }
  return all;
}

bool is_same_set(const HostValue& a, const HostValue& b) {
  if (a.data.index() != b.data.index()) return false;
  if (auto* list = a.as<ListPtr>()) {
    const List &x = **list, &y = **b.as<ListPtr>();
    return &x == &y || (x.tuple == y.tuple && x.items.size() == y.items.size() &&
                        std::equal(x.items.begin(), x.items.end(), y.items.begin(), is_same_set));
  }
  if (auto* text = a.as<Text>()) return **text == **b.as<Text>();
  if (auto* tensor = a.as<graph::Handle>()) return is_same_tensor_type(tensor->value(), b.as<graph::Handle>()->value());
  return a.data == b.data;
}

HostValue widened(const HostValue& value) {
  const UnknownKind kind = unknown_kind(value);
  if (value.is_poison() || value.is<VariablePtr>() || value.is<graph::Handle>()) return value;
  return unknown(is_int_or_float(kind) ? UnknownKind::kNumber : kind);
}

bool are_apart(const HostValue& a, const HostValue& b) {
  const auto is_text = [](const HostValue& value) { return unknown_kind(value) == UnknownKind::kString; };
  const auto is_number = [](const HostValue& value) {
    return is_int_or_float(unknown_kind(value)) || unknown_kind(value) == UnknownKind::kBool;
  };
  return (is_text(a) && is_number(b)) || (is_number(a) && is_text(b));
}

bool may_be_of_one_type(const HostValue& a, const HostValue& b) {
  if (a.is_poison() || b.is_poison() || is_open(a) || is_open(b)) return true;
  const graph::Value* x = tensor_of(a);
  const graph::Value* y = tensor_of(b);
  if (x && y) return x->element() == y->element() && same_set(x->dims(), y->dims());
  if (x || y) return x ? x->dims().empty() && is_number(b) : y->dims().empty() && is_number(a);
  if (is_number(a) || is_number(b)) return is_number(a) && is_number(b);
  if (a.is_unknown() || b.is_unknown()) return unknown_kind(a) == unknown_kind(b);
  return a.data.index() == b.data.index();
}

}  // namespace mtf::eval
