#pragma once
// An acyclic graph whose nodes are merged, two at a time, as long as it stays acyclic.
//
// Merging two nodes makes a cycle where one reaches the other through a third. To know that without walking the whole
// graph, the nodes are kept in a topological order, as in Pearce and Kelly, "A dynamic topological sort algorithm for
// directed acyclic graphs" (2006), section 3: only what lies between the two in that order can be on such a way. From
// the first of the two the search goes forward, from the second backward, in turn. It ends when either side has seen
// all there is between them, or, undecided, when both have seen kMostSearched edges; then the two are not merged. So a
// merge takes a time that does not grow with the graph, and what is given up are merges of nodes with more than
// kMostSearched edges between them on both sides: nearly always one needs the other (a loop of the forward pass and one
// of the backward pass that read the same activation).
//
// The order is a list with numbers, which are spread anew where they run out of room: Dietz and Sleator, "Two
// algorithms for maintaining order in a list" (1987), section 2.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace mtf::schedule {

class Contraction {
 public:
  explicit Contraction(size_t nodes);

  /// Adds `node` behind all others; nodes are added in ascending order, from 0. `needs` are nodes that come before it.
  void add(int node, const std::vector<int>& needs);

  /// The node that stands for `node`: the least of those merged with it.
  int of(int node) const;

  /// Merges two nodes that stand for themselves, unless a third has to come between them or the search gave up.
  bool merge(int a, int b);

  /// The nodes that stand for themselves, each behind what it needs; of those that can come next, the least does.
  std::vector<int> in_order() const;

 private:
  static constexpr int kMostSearched = 256;
  static constexpr int64_t kRoom = int64_t{1} << 40;

  /// What has been seen between two nodes from one of them.
  struct Side {
    Side(bool is_forward, int begin, int end) : forward(is_forward), from(begin), to(end) {}
    const bool forward;
    const int from, to;
    std::vector<int> seen;
    size_t next = 0;  // of `seen`: where to look on
    int edges = 0;
    bool meets = false;  // a way leads through a third node to the other of the two
    bool all() const { return next == seen.size() && edges <= kMostSearched; }
  };

  bool search(Side& forward, Side& backward);
  void look(Side& side, int at);
  void place_behind(int at, std::span<const int> nodes);
  void spread(int at);
  void unlink(int node);
  int64_t number(int at) const { return at == ends_ ? 0 : number_[at]; }
  int64_t number_behind(int at) const { return behind_[at] == ends_ ? INT64_MAX : number_[behind_[at]]; }
  void join(std::vector<int>& into, std::vector<int>& from, int self) const;

  int ends_;                                       // stands before the first and behind the last of the order
  std::vector<std::vector<int>> needs_, readers_;  // of each node that stands for itself; those in them may not
  mutable std::vector<int> parent_;                // of each node: towards the one that stands for it
  std::vector<int64_t> number_;                    // of each node: ascends along the order
  std::vector<int> before_, behind_;               // of each node: its neighbours in the order
  std::vector<int> mark_;                          // of each node: the search that saw it last, and from which side
  int searches_ = 0;
};

}  // namespace mtf::schedule
