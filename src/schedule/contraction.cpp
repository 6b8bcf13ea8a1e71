#include "schedule/contraction.h"

#include <algorithm>
#include <functional>
#include <queue>

namespace mtf::schedule {

Contraction::Contraction(size_t nodes)
    : ends_(static_cast<int>(nodes)),
      needs_(nodes),
      readers_(nodes),
      parent_(nodes),
      number_(nodes),
      before_(nodes + 1, ends_),
      behind_(nodes + 1, ends_),
      mark_(nodes, 0) {}

void Contraction::add(int node, const std::vector<int>& needs) {
  parent_[node] = node;
  for (int need : needs) needs_[node].push_back(of(need));
  std::sort(needs_[node].begin(), needs_[node].end());
  needs_[node].erase(std::unique(needs_[node].begin(), needs_[node].end()), needs_[node].end());
  for (int need : needs_[node]) readers_[need].push_back(node);
  index_behind(before_[ends_], {&node, 1});
}

int Contraction::of(int node) const {
  while (parent_[node] != node) node = parent_[node] = parent_[parent_[node]];
  return node;
}

std::vector<int> Contraction::in_order() const {
  std::vector<int> waits(parent_.size(), 0), order;
  std::priority_queue<int, std::vector<int>, std::greater<>> ready;
  auto for_readers = [&](int node, auto body) {
    for (int reader : readers_[node])
      if (const int x = of(reader); x != node) body(x);
  };
  for (int node = 0; node < ends_; ++node) for_readers(node, [&](int x) { ++waits[x]; });
  for (int node = 0; node < ends_; ++node)
    if (parent_[node] == node && waits[node] == 0) ready.push(node);
  while (!ready.empty()) {
    order.push_back(ready.top());
    ready.pop();
    for_readers(order.back(), [&](int x) {
      if (--waits[x] == 0) ready.push(x);
    });
  }
  return order;
}

// Adds the neighbours of `at` that are between the two nodes.
void Contraction::look(Side& side, int at) {
  const int own = 2 * searches_ + side.forward, other = 2 * searches_ + !side.forward;
  for (int neighbour : side.forward ? readers_[at] : needs_[at]) {
    if (++side.edges > kMostSearched) return;
    const int x = of(neighbour);
    if (x == at) continue;
    if (x == side.to) side.meets |= at != side.from;
    if (side.forward ? number_[x] >= number_[side.to] : number_[x] <= number_[side.to]) continue;
    if (mark_[x] == own) continue;
    if (mark_[x] == other) side.meets = true;
    mark_[x] = own;
    side.seen.push_back(x);
  }
}

// True if no third node must come between the two. Then one of the sides has seen all nodes.
bool Contraction::search(Side& forward, Side& backward) {
  ++searches_;
  look(forward, forward.from);
  look(backward, backward.from);
  while (!forward.meets && !backward.meets) {
    if (forward.all() || backward.all()) return true;
    Side& side = forward.edges <= backward.edges ? forward : backward;
    if (side.edges > kMostSearched) return false;
    look(side, side.seen[side.next++]);
  }
  return false;
}

bool Contraction::merge(int a, int b) {
  const int low = number_[a] < number_[b] ? a : b, high = low == a ? b : a;
  Side forward(true, low, high), backward(false, high, low);
  if (!search(forward, backward)) return false;
  // The merged node takes the position of `high`, and the nodes that need `low` follow it. Or it takes the position of
  // `low`, after the nodes that `high` needs.
  const int into = std::min(a, b), gone = std::max(a, b);
  const bool is_forward = forward.all();
  std::vector<int> moved = std::move(is_forward ? forward.seen : backward.seen);
  std::sort(moved.begin(), moved.end(), [&](int x, int y) { return number_[x] < number_[y]; });
  for (int x : moved) unlink(x);
  const int at = is_forward ? high : before_[low];
  moved.insert(is_forward ? moved.begin() : moved.end(), into);
  const int index = at == into ? before_[at] : at;
  unlink(into);
  index_behind(index, moved);
  unlink(gone);
  parent_[gone] = into;
  join(needs_[into], needs_[gone], into);
  join(readers_[into], readers_[gone], into);
  return true;
}

void Contraction::join(std::vector<int>& into, std::vector<int>& from, int self) const {
  if (into.size() < from.size()) std::swap(into, from);
  into.insert(into.end(), from.begin(), from.end());
  std::vector<int>().swap(from);
  if (into.size() > kMostSearched) return;
  for (int& x : into) x = of(x);
  std::sort(into.begin(), into.end());
  into.erase(std::unique(into.begin(), into.end()), into.end());
  std::erase(into, self);
}

// ---- the order ------------------------------------------------------------------------------------------------------

void Contraction::unlink(int node) {
  behind_[before_[node]] = behind_[node];
  before_[behind_[node]] = before_[node];
}

void Contraction::index_behind(int at, std::span<const int> nodes) {
  for (size_t i = 0; i < nodes.size(); ++i) {
    if (number_behind(at) - number(at) < 2) spread(at);
    const int node = nodes[i];
    const int64_t room = (number_behind(at) - number(at)) / static_cast<int64_t>(nodes.size() - i + 1);
    number_[node] = number(at) + std::clamp<int64_t>(room, 1, kRoom);
    before_[node] = at;
    behind_[node] = behind_[at];
    before_[behind_[at]] = node;
    behind_[at] = node;
    at = node;
  }
}

// Makes room behind `at`. Takes the fewest next nodes, j of them, whose numbers span more than j², and spaces them
// evenly.
void Contraction::spread(int at) {
  int64_t count = 1;
  int last = behind_[at];
  auto span = [&] { return (last == ends_ ? INT64_MAX : number_[last]) - number(at); };
  for (; last != ends_ && span() <= count * count; ++count) last = behind_[last];
  int64_t first = number(at), room = span() / count;
  if (room < 2) {  // too near the end of the numbers: renumbers all nodes
    count = 1;
    for (int x = behind_[ends_]; x != ends_; x = behind_[x]) ++count;
    at = last = ends_;
    first = 0;
    room = std::min(kRoom, INT64_MAX / count);
  }
  for (int x = behind_[at]; x != last; x = behind_[x]) number_[x] = first += room;
}

}  // namespace mtf::schedule
