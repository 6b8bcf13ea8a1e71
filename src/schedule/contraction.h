#pragma once
// An acyclic graph whose nodes are merged in pairs, as long as the graph stays acyclic.
//
// A merge of two nodes makes a cycle if one reaches the other through a third node. To avoid a walk over the whole
// graph, the nodes are kept in a topological order. The method is that of Pearce and Kelly, "A dynamic topological sort
// algorithm for directed acyclic graphs" (2006), section 3. Only nodes between the two in that order can be on such a
// path. The search alternates between two sides: forward from the first node, and backward from the second. It ends
// when either side has seen all nodes between them. It gives up, and the nodes are not merged, when both sides have
// seen kMostSearched edges.
//
// So the time of a merge does not grow with the graph. The search only gives up on nodes with more than kMostSearched
// edges between them on both sides. Nearly always one of these needs the other: a fusion of the forward pass and one
// of the backward pass that read the same activation.
//
// The order is a list with numbers. Where the numbers leave no room, they are spread again: Dietz and Sleator, "Two
// algorithms for maintaining order in a list" (1987), section 2.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mtf::schedule {

class Contraction {
 public:
  explicit Contraction(size_t nodes);

  /// Adds `node` at the end; nodes are added in ascending order, from 0. `needs` are nodes that must come before it.
  void add(int node, const std::vector<int>& needs);

  /// Returns the representative of `node`: the least node merged with it.
  int of(int node) const;

  /// Merges two representatives, unless a third node must come between them or the search gives up.
  bool merge(int a, int b);

  /// Returns the representatives in topological order; among the possible next nodes, the least comes first.
  std::vector<int> in_order() const;

 private:
  static constexpr int kMostSearched = 256;
  static constexpr int64_t kRoom = int64_t{1} << 40;

  /// The part of the graph that the search has seen from one of two nodes.
  struct Side {
    Side(bool is_forward, int begin, int end) : forward(is_forward), from(begin), to(end) {}
    const bool forward;
    const int from, to;
    std::vector<int> seen;
    size_t next = 0;  // index in `seen` of the next node to expand
    int edges = 0;
    bool meets = false;  // a path leads through a third node to the other end
    bool all() const { return next == seen.size() && edges <= kMostSearched; }
  };

  bool search(Side& forward, Side& backward);
  void look(Side& side, int at);
  void index_behind(int at, std::span<const int> nodes);
  void spread(int at);
  void unlink(int node);
  int64_t number(int at) const { return at == ends_ ? 0 : number_[at]; }
  int64_t number_behind(int at) const { return behind_[at] == ends_ ? INT64_MAX : number_[behind_[at]]; }
  void join(std::vector<int>& into, std::vector<int>& from, int self) const;

  int ends_;                                       // sentinel before the first and behind the last node of the order
  std::vector<std::vector<int>> needs_, readers_;  // for each representative; their entries may be merged nodes
  mutable std::vector<int> parent_;                // for each node: a step towards its representative
  std::vector<int64_t> number_;                    // for each node: ascends along the order
  std::vector<int> before_, behind_;               // for each node: its neighbours in the order
  std::vector<int> mark_;                          // for each node: the latest search that saw it, and from which side
  int searches_ = 0;
};

}  // namespace mtf::schedule
