#include "graph/history_end.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "graph/op.h"
#include "support/diagnostics.h"

namespace mtf::graph {
namespace {

/// True for the old value of a variable: its latest assignment was replaced.
bool is_old(const Node& node) { return node.variable != 0 && node.ended; }

/// Returns the number of a possible target below an end: a node's id, or minus the number of a variable.
int64_t number_of(const Node& node) { return is_old(node) ? -node.variable : node.id; }

bool later(const std::shared_ptr<const HistoryEnd>& a, const std::shared_ptr<const HistoryEnd>& b) {
  return !b || (a && a->reader > b->reader);
}

/// Returns the latest end that the node reaches through one operand, or null.
std::shared_ptr<const HistoryEnd> end_at(const Node& node, const Value& operand) {
  if (!is_float(operand.element()) || !operand.node->ended) return nullptr;
  if (!is_old(*operand.node)) return operand.node->ended;
  HistoryEnd here = *operand.node->ended;
  here.read = node.operation->span;
  here.reader = node.id;
  return std::make_shared<const HistoryEnd>(std::move(here));
}

std::shared_ptr<const HistoryEnd> end_below(const Node& node) {
  std::shared_ptr<const HistoryEnd> last;
  for (const Value& operand : node.operands())
    if (std::shared_ptr<const HistoryEnd> end = end_at(node, operand); end && later(end, last)) last = std::move(end);
  return last;
}

/// The nodes below some other nodes, and the possible targets among them.
class Below {
 public:
  explicit Below(const std::vector<Node*>& tops) {
    std::vector<const Node*> stack(tops.begin(), tops.end());
    std::unordered_set<const Node*> seen(tops.begin(), tops.end());
    while (!stack.empty()) {
      const Node* node = stack.back();
      stack.pop_back();
      nodes_.push_back(node);
      if (!passes_gradients(*node->operation)) continue;
      for (const Value& operand : node->operands())
        if (is_float(operand.element()) && seen.insert(operand.node.get()).second) stack.push_back(operand.node.get());
    }
    std::sort(nodes_.begin(), nodes_.end(), [](const Node* a, const Node* b) { return a->id < b->id; });
    for (size_t i = 0; i < nodes_.size(); ++i) index_[nodes_[i]] = i;
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const Node& node = *nodes_[i];
      if (passes_gradients(*node.operation))
        for (const Value& operand : node.operands())
          if (is_float(operand.element())) edges_.push_back({i, index_.at(operand.node.get())});
      for (int64_t number : numbers_of(node)) candidates_.push_back({number, i, true});
      if (node.ended && node.ended->below)
        for (int64_t number : *node.ended->below) candidates_.push_back({number, i, false});
    }
    std::sort(candidates_.begin(), candidates_.end(),
              [](const Candidate& a, const Candidate& b) { return a.number < b.number; });
  }

  /// Returns, for each of `tops`, the candidates below it, ascending. Each round carries 64 candidates, one bit each,
  /// up along all edges. Nodes with the same candidates share one list, as gradients of one loss mostly do.
  std::vector<std::shared_ptr<const std::vector<int64_t>>> of(const std::vector<Node*>& tops) const {
    std::vector<Round> rounds;
    std::vector<size_t> group(tops.size(), 0);  // in the last round: nodes that agreed in all rounds
    std::vector<uint64_t> own(nodes_.size()), below(nodes_.size());
    for (auto next = candidates_.begin(); next != candidates_.end();) {
      std::fill(own.begin(), own.end(), 0);
      std::fill(below.begin(), below.end(), 0);
      Round round;
      for (; next != candidates_.end(); ++next) {
        const bool is_new = round.numbers.empty() || next->number != round.numbers.back();
        if (is_new && round.numbers.size() == 64) break;
        if (is_new) round.numbers.push_back(next->number);
        (next->is_node ? own : below)[next->node] |= uint64_t{1} << (round.numbers.size() - 1);
      }
      for (const Edge& edge : edges_) below[edge.node] |= own[edge.operand] | below[edge.operand];
      std::map<std::pair<size_t, uint64_t>, size_t> known;
      for (size_t t = 0; t < tops.size(); ++t) {
        const std::pair<size_t, uint64_t> key(group[t], below[index_.at(tops[t])]);
        const auto [at, is_new] = known.emplace(key, round.groups.size());
        if (is_new) round.groups.push_back(key);
        group[t] = at->second;
      }
      rounds.push_back(std::move(round));
    }
    std::vector<std::shared_ptr<const std::vector<int64_t>>> of_group(rounds.empty() ? 1 : rounds.back().groups.size());
    for (size_t g = 0; g < of_group.size(); ++g)
      of_group[g] = std::make_shared<const std::vector<int64_t>>(numbers_in(rounds, g));
    std::vector<std::shared_ptr<const std::vector<int64_t>>> result;
    for (const size_t g : group) result.push_back(of_group[g]);
    return result;
  }

 private:
  struct Edge {
    size_t node, operand;
  };
  /// A number that stands for the node itself, or for a target below it.
  struct Candidate {
    int64_t number;
    size_t node;
    bool is_node;
  };

  /// One round of 64 candidates, which divides the tops into groups. Each group is a pair: a group of the round
  /// before, and the set of candidates below it.
  struct Round {
    std::vector<int64_t> numbers;
    std::vector<std::pair<size_t, uint64_t>> groups;
  };

  /// Returns all candidates below a group of the last round, ascending.
  static std::vector<int64_t> numbers_in(const std::vector<Round>& rounds, size_t group) {
    std::vector<int64_t> numbers;
    for (auto round = rounds.rbegin(); round != rounds.rend(); ++round) {
      const auto [before, bits] = round->groups[group];
      for (size_t i = round->numbers.size(); i-- > 0;)
        if (bits >> i & 1) numbers.push_back(round->numbers[i]);
      group = before;
    }
    std::reverse(numbers.begin(), numbers.end());
    return numbers;
  }

  /// Returns the numbers of a node as a target. The present value of an assigned variable also counts as the variable.
  static std::vector<int64_t> numbers_of(const Node& node) {
    if (is_old(node)) return {number_of(node)};
    if (!node.is_kept()) return {};
    if (node.variable != 0) return {node.id, -node.variable};
    return {node.id};
  }

  std::vector<const Node*> nodes_;  // in program order
  std::unordered_map<const Node*, size_t> index_;
  std::vector<Edge> edges_;            // edges of operands come before edges of their consumers
  std::vector<Candidate> candidates_;  // ascending
};

}  // namespace

bool passes_gradients(const LaidOutOperation& operation) {
  if (operation.op->gradient == nullptr || operation.op->ends_gradients || operation.no_grad) return false;
  return std::any_of(operation.results.begin(), operation.results.end(),
                     [](const TensorType& type) { return is_float(type.element); });
}

bool reads_assigned(const Node& node) {
  return std::any_of(node.operands().begin(), node.operands().end(),
                     [](const Value& operand) { return is_old(*operand.node); });
}

void note_ends(const std::vector<NodePtr>& nodes) {
  std::unordered_map<const Node*, int32_t> gone;  // for each end: its uses by nodes that release their operands
  std::vector<Node*> ends;
  for (const NodePtr& node : nodes) {
    for (const Value& operand : node->operands())
      if (auto at = gone.find(operand.node.get()); at != gone.end()) ++at->second;
    if (node->ended || !passes_gradients(*node->operation)) continue;
    node->ended = end_below(*node);
    if (!node->ended) continue;
    ends.push_back(node.get());
    gone[node.get()] = 0;
  }
  std::erase_if(ends, [&](const Node* node) { return !node->is_kept() && node->uses() == gone[node]; });
  if (ends.empty()) return;
  const auto below = Below(ends).of(ends);
  for (size_t i = 0; i < ends.size(); ++i) {
    HistoryEnd end = *ends[i]->ended;
    end.below = below[i];
    ends[i]->ended = std::make_shared<const HistoryEnd>(std::move(end));
  }
}

void note_dropped(const std::vector<NodePtr>& nodes) {
  for (const NodePtr& node : nodes) {
    if (node->ended || !passes_gradients(*node->operation)) continue;
    node->ended = std::make_shared<const HistoryEnd>(HistoryEnd{Name(), {}, node->operation->span, 0, node->id});
  }
}

void refuse_dropped(const std::vector<NodePtr>& reached, const Values& targets, const std::vector<bool>& leads,
                    Span span) {
  for (const NodePtr& node : reached) {
    if (!node->ended || !node->ended->variable.empty()) continue;
    for (size_t t = 0; t < targets.size(); ++t) {
      if (leads[t] || targets[t].node->id > node->ended->reader) continue;
      fail(Diagnostic(Kind::no_gradient, span, "nothing was kept of what this goes through")
               .related(node->ended->read, "computed here, when nothing still to run mentioned `grad`")
               .help("take the gradient before that, or by a function that a name stands for"));
    }
  }
}

std::shared_ptr<const HistoryEnd> last_end(const std::vector<NodePtr>& reached) {
  std::shared_ptr<const HistoryEnd> last;
  for (const NodePtr& node : reached) {
    if (node->ended && !is_old(*node) && later(node->ended, last)) last = node->ended;
    if (!passes_gradients(*node->operation)) continue;
    if (auto end = end_below(*node); end && later(end, last)) last = std::move(end);
  }
  return last;
}

bool lies_below_an_end(const std::vector<NodePtr>& reached, const Values& targets,
                       const std::vector<bool>& comes_to_it) {
  std::unordered_set<int64_t> below;
  std::unordered_set<const Node*> seen;
  std::vector<const Node*> stack;
  auto go_below = [&](const Node& node) {
    if (node.ended && node.ended->below) below.insert(node.ended->below->begin(), node.ended->below->end());
    if (!passes_gradients(*node.operation)) return;
    for (const Value& operand : node.operands()) {
      if (!is_float(operand.element()) || !seen.insert(operand.node.get()).second) continue;
      below.insert(number_of(*operand.node));
      stack.push_back(operand.node.get());
    }
  };
  for (const NodePtr& node : reached)
    if (reads_assigned(*node) || node->ended) go_below(*node);
  while (!stack.empty()) {
    const Node* node = stack.back();
    stack.pop_back();
    go_below(*node);
  }
  for (size_t t = 0; t < targets.size(); ++t) {
    const Node& target = *targets[t].node;
    if (below.count(target.id) > 0 || (target.variable != 0 && !comes_to_it[t] && below.count(-target.variable) > 0))
      return true;
  }
  return false;
}

}  // namespace mtf::graph
