#include "schedule/contraction.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "../work_time.h"

namespace mtf::schedule {
namespace {

/// The same graph, with exhaustive path search.
class Walked {
 public:
  void add(int node, const std::vector<int>& needs) {
    of_.push_back(node);
    needs_.emplace_back(needs.begin(), needs.end());
  }

  bool can_merge(int a, int b) const { return !through_a_third(a, b) && !through_a_third(b, a); }

  void merge(int a, int b) {
    const int into = std::min(a, b), gone = std::max(a, b);
    for (int& x : of_)
      if (x == gone) x = into;
    needs_[into].insert(needs_[gone].begin(), needs_[gone].end());
  }

  int of(int node) const { return of_[node]; }

  std::vector<int> needs(int node) const {
    std::set<int> result;
    for (int need : needs_[node]) result.insert(of_[need]);
    result.erase(node);
    return {result.begin(), result.end()};
  }

 private:
  bool reaches(int from, int to, std::set<int>& seen) const {
    if (from == to) return true;
    if (!seen.insert(from).second) return false;
    const std::vector<int> next = needs(from);
    return std::any_of(next.begin(), next.end(), [&](int n) { return reaches(n, to, seen); });
  }

  bool through_a_third(int from, int to) const {
    std::set<int> seen{from};
    const std::vector<int> next = needs(from);
    return std::any_of(next.begin(), next.end(), [&](int n) { return n != to && reaches(n, to, seen); });
  }

  std::vector<int> of_;
  std::vector<std::set<int>> needs_;
};

TEST(Contraction, MergesWhateverMakesNoCycle) {
  std::mt19937 random(7);
  auto draw = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
  int merged = 0, refused = 0;
  for (int iteration = 0; iteration < 100; ++iteration) {
    const int nodes = 40, reach = 1 + draw(nodes);
    Contraction graph(nodes);
    Walked walked;
    for (int i = 0; i < nodes; ++i) {
      std::vector<int> needs;
      for (int k = draw(3); k > 0 && i > 0; --k) needs.push_back(std::max(0, i - 1 - draw(reach)));
      graph.add(i, needs);
      walked.add(i, needs);
      for (int tries = draw(4); tries > 0; --tries) {
        const int a = graph.of(draw(i + 1)), b = graph.of(draw(i + 1));
        if (a == b) continue;
        const bool can = walked.can_merge(a, b);
        ASSERT_EQ(graph.merge(a, b), can);
        if (can) walked.merge(a, b);
        ++(can ? merged : refused);
      }
      for (int k = 0; k <= i; ++k) ASSERT_EQ(graph.of(k), walked.of(k));
    }
    std::set<int> earlier;
    for (int k : graph.in_order()) {
      for (int need : walked.needs(k)) ASSERT_TRUE(earlier.count(need));
      ASSERT_EQ(walked.of(k), k);
      ASSERT_TRUE(earlier.insert(k).second);
    }
    for (int k = 0; k < nodes; ++k) ASSERT_TRUE(earlier.count(walked.of(k)));
  }
  EXPECT_GT(merged, 500);
  EXPECT_GT(refused, 500);
}

TEST(Contraction, NeverMakesACycleWhereItGivesUp) {
  // Ladders: between two of their nodes are far more edges than the search visits.
  const int rungs = 2000;
  Contraction graph(2 * rungs + 2);
  graph.add(0, {});
  graph.add(1, {0});
  for (int i = 2; i < 2 * rungs; ++i) graph.add(i, {i - 1, i - 2});
  graph.add(2 * rungs, {2 * rungs - 1});
  graph.add(2 * rungs + 1, {0});
  EXPECT_FALSE(graph.merge(0, 2 * rungs));
  EXPECT_TRUE(graph.merge(1, 2 * rungs + 1));
}

TEST(Contraction, PutsAnyNumberBehindOne) {
  // Each merge puts a consumer directly after the merged node, before the ones put there earlier.
  const int pairs = 1000;
  Contraction graph(2 * pairs + 3);
  for (int i = 0; i < pairs; ++i) {
    graph.add(2 * i, {});
    graph.add(2 * i + 1, {2 * i});
  }
  const int joint = 2 * pairs, first = joint + 1, last = joint + 2;
  graph.add(joint, {});
  for (int i = 0; i < pairs; ++i) EXPECT_TRUE(graph.merge(graph.of(joint), 2 * i));
  graph.add(first, {1, 2 * pairs - 1});
  graph.add(last, {first});
  EXPECT_FALSE(graph.merge(graph.of(joint), first));
  EXPECT_FALSE(graph.merge(graph.of(joint), last));
  EXPECT_FALSE(graph.merge(1, last));
  EXPECT_TRUE(graph.merge(3, last));
  const std::vector<int> order = graph.in_order();
  EXPECT_EQ(order.size(), static_cast<size_t>(pairs + 2));
  EXPECT_EQ(std::vector<int>(order.end() - 2, order.end()), (std::vector<int>{first, 3}));
}

/// Returns the seconds to merge the results of a long chain of nodes, 64 at a time, beside one node that all of them
/// need.
double seconds_for(int nodes) {
  const double start = processor_seconds();
  Contraction graph(static_cast<size_t>(nodes));
  graph.add(0, {});
  for (int i = 1; i < nodes; ++i) {
    graph.add(i, {0, i - 1});
    if (i % 64 > 1) graph.merge(graph.of(i - 1), i);
    if (i % 5 == 0) graph.merge(graph.of(i / 2), graph.of(i));
  }
  return processor_seconds() - start;
}

TEST(Contraction, TakesTimeInProportionToItsNodes) {
  seconds_for(5000);
  double ratio = 1e9;
  for (int iteration = 0; iteration < 5; ++iteration) ratio = std::min(ratio, seconds_for(20000) / seconds_for(5000));
  EXPECT_LT(ratio, 6);
}

}  // namespace
}  // namespace mtf::schedule
