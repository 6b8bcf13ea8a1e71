#include "eval/iteration_record.h"

#include <algorithm>
#include <bit>
#include <unordered_map>

#include "plan/execution.h"

namespace mtf::eval {
namespace {

/// True if the consumers of two tensors, with these producers, get the same type, layout and layout rules.
bool are_of_one_kind(const graph::LaidOutOperation& a, const graph::LaidOutOperation& b) {
  return &a == &b ||
         (a.op == b.op && a.results == b.results && a.shardings == b.shardings && a.inherited == b.inherited &&
          *a.mesh == *b.mesh && a.origin == b.origin && a.why.rules == b.why.rules && a.why.like == b.why.like &&
          a.why.like_result == b.why.like_result && a.why.variable == b.why.variable && a.no_grad == b.no_grad);
}

bool are_of_one_form(const HostValue& a, const HostValue& b) {
  auto* list = a.as<ListPtr>();
  auto* other = b.as<ListPtr>();
  if (!list || !other) return are_same(a, b);
  return (*list)->tuple == (*other)->tuple &&
         std::equal((*list)->items.begin(), (*list)->items.end(), (*other)->items.begin(), (*other)->items.end(),
                    are_of_one_form);
}

}  // namespace

bool have_same_bits(double a, double b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }
bool are_same(const HostValue& a, const HostValue& b) {
  if (const auto* text = a.as<Text>(); text && b.is<Text>()) return **text == **b.as<Text>();
  if (const auto* number = a.as<double>(); number && b.is<double>()) return have_same_bits(*number, *b.as<double>());
  return a.data == b.data;
}

IterationRecord::Kind::Kind(const graph::Value& value)
    : operation(value.node->operation),
      result(value.result),
      node(value.node->id),
      operands(value.node->operands().size()),
      ended(value.node->ended != nullptr && !value.node->is_looked_at) {}

bool IterationRecord::Kind::is_of(const graph::Value& value) const {
  const Kind other(value);
  return value.node->is_computed(result) && other.result == result && other.operands == operands &&
         other.ended == ended && (!has_history() || other.node == node) &&
         are_of_one_kind(*operation, *other.operation);
}

bool IterationRecord::binds_number(Name name) const {
  return std::any_of(numbers.begin(), numbers.end(),
                     [&](const Number& number) { return number.name && number.name->name == name; });
}

bool IterationRecord::finish(int64_t iteration) {
  if (!made.plan || !made.is_closed || made.first_node <= iteration) return false;
  for (const Number& number : numbers)
    if (number.value.is<None>()) return false;
  std::unordered_map<int64_t, size_t> old_values, names, after;  // by node
  for (size_t i = 0; i < assigned.size(); ++i) {
    if (!old_values.emplace(assigned[i].before.node, i).second) return false;
    after.emplace(assigned[i].variable->current.value().node->id, i);
  }
  for (size_t i = 0; i < kinds.size(); ++i)
    if (!kinds[i].has_history()) names.emplace(kinds[i].node, i);
  for (size_t i = 0; i < named.size(); ++i) after.emplace(named[i].node, assigned.size() + i);
  if (after.size() != assigned.size() + named.size() || after.size() != made.roots.size()) return false;
  for (const graph::Value& root : made.roots) {
    const auto at = after.find(root.node->id);
    if (at == after.end() || root.result != 0 || root.node->id > last_node) return false;
    root_of.push_back(at->second);
    if (at->second >= assigned.size()) {
      Named& now = named[at->second - assigned.size()];
      if (Kind(root).has_history() || (now.before && !now.before->is_of(root))) return false;
      now.after = root.node->operation;
      now.node_name = root.node->name;
      now.is_looked_at = root.node->is_looked_at;
      continue;
    }
    if (!assigned[at->second].before.is_of(root)) return false;
    assigned[at->second].after = root.node->operation;
    assigned[at->second].name = root.node->name;
  }
  for (size_t i = 0; i < made.capture.leaves.size(); ++i) {
    graph::Value& leaf = made.capture.leaves[i];
    Source source;
    if (!leaf) {
      source.from = Source::From::kNumber;
    } else {
      const auto variable = old_values.find(leaf.node->id);
      const auto name = names.find(leaf.node->id);
      if (variable != old_values.end() && name != names.end()) return false;
      if (variable != old_values.end()) source = {Source::From::kVariable, variable->second};
      else if (name != names.end()) source = {Source::From::kName, name->second};
      else if (leaf.node->id > iteration || made.may_die[i]) return false;
      if (source.from != Source::From::kSame) leaf = {};
    }
    sources.push_back(source);
  }
  made.roots.clear();
  is_finished = true;
  return true;
}

bool IterationRecord::has_same_names(const IterationRecord& other) const {
  return mentioned == other.mentioned && conditions == other.conditions && firsts == other.firsts &&
         std::equal(host.begin(), host.end(), other.host.begin(), other.host.end(), are_same);
}

std::optional<IterationRecord::MovingNumber> IterationRecord::how_it_moved(double before, double now, double moved,
                                                                           const IterationRecord& earlier) const {
  MovingNumber found{nullptr, 0, now};
  int ways = 0;
  for (size_t k = 0; k < numbers.size(); ++k) {
    if (!numbers[k].moves || !have_same_bits(before, *number_of(earlier.numbers[k].value)) ||
        !have_same_bits(now, *number_of(numbers[k].value)))
      continue;
    found.given = k;
    ++ways;
  }
  const double call = now - context.random_calls;
  if (now - before == moved && (ways == 0 || (call >= 0 && call < calls))) ++ways;
  return ways == 1 ? std::optional(found) : std::nullopt;
}

bool IterationRecord::repeats(const IterationRecord& earlier) {
  const auto are_one_name = [](const Named& one, const Named& other) {
    return one.name == other.name && one.owner == other.owner && one.is_in_list == other.is_in_list;
  };
  const auto are_one_list = [](const NamedList& one, const NamedList& other) {
    return one.name == other.name && one.owner == other.owner && one.first == other.first &&
           are_of_one_form(one.form, other.form);
  };
  if (!std::equal(earlier.named.begin(), earlier.named.end(), named.begin(), named.end(), are_one_name) ||
      !std::equal(earlier.lists.begin(), earlier.lists.end(), lists.begin(), lists.end(), are_one_list))
    return false;
  if (!has_same_names(earlier) || earlier.first != first || earlier.last != last || earlier.calls != calls ||
      earlier.made.plan != made.plan || earlier.made.form.key != made.form.key || earlier.sources != sources ||
      earlier.root_of != root_of || earlier.assigned.size() != assigned.size())
    return false;
  for (size_t i = 0; i < earlier.assigned.size(); ++i)
    if (earlier.assigned[i].variable != assigned[i].variable) return false;
  for (size_t i = 0; i < earlier.kinds.size(); ++i)
    if (kinds[i].has_history() && earlier.kinds[i].node != kinds[i].node) return false;
  if (earlier.made.capture.leaves != made.capture.leaves || earlier.numbers.size() != numbers.size()) return false;
  for (size_t k = 0; k < numbers.size(); ++k) {
    const Number& number = earlier.numbers[k];
    if (number.expr != numbers[k].expr || number.value.data.index() != numbers[k].value.data.index()) return false;
    numbers[k].moves = !are_same(number.value, numbers[k].value);
  }
  return finds_moving_numbers(earlier);
}

// A changed number must equal one of the iteration's numbers, or be the number of a random call. All random call
// numbers have grown by the same amount.
bool IterationRecord::finds_moving_numbers(const IterationRecord& earlier) {
  const graph::Capture& before = earlier.made.capture;
  graph::Capture& now = made.capture;
  const double moved = context.random_calls - earlier.context.random_calls;
  for (size_t i = 0; i < now.numbers.size(); ++i) {
    if (have_same_bits(before.numbers[i], now.numbers[i])) continue;
    std::optional<MovingNumber> number = how_it_moved(before.numbers[i], now.numbers[i], moved, earlier);
    if (!number) return false;
    number->index = i;
    moving.push_back(*number);
  }
  for (size_t k = 0; k < now.program.operations.size(); ++k) {
    graph::OperationRef& operation = now.program.operations[k].operation;
    const std::vector<double>& was = before.program.operations[k].operation->inputs;
    if (was == operation->inputs) continue;
    const auto own = std::make_shared<graph::LaidOutOperation>(*operation);
    for (size_t i = 0; i < was.size(); ++i) {
      if (have_same_bits(was[i], own->inputs[i])) continue;
      std::optional<MovingNumber> number = how_it_moved(was[i], own->inputs[i], moved, earlier);
      if (!number || number->given) return false;  // the form of a loop contains such a number
      number->operation = own, number->index = i;
      moving.push_back(*number);
    }
    operation = own;
  }
  return true;
}

}  // namespace mtf::eval
