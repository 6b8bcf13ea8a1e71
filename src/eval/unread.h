#pragma once
// Values that a program makes and that nobody reads: nothing of them is computed, which a plan says where it shows no
// cost.
#include <set>
#include <vector>

#include "eval/reports.h"
#include "graph/value_table.h"
#include "support/name.h"

namespace mtf::eval {

class Scope;

class UnreadValues {
 public:
  /// From here on, of what a program makes.
  void watch(graph::ValueTable& table, const SourceFile& program);
  /// The program has ended: what its names stand for is read by nobody any more. The table is watched no longer.
  void end(graph::ValueTable& table, const Scope& top);
  /// Those that no other value was made of, in the order in which they were let go, each line's names once.
  const std::vector<Unread>& all() const { return all_; }

 private:
  void add(const graph::Node& node);

  const SourceFile* program_ = nullptr;
  std::vector<Unread> all_;
  std::set<std::pair<std::size_t, Name>> seen_;  ///< by the line
};

}  // namespace mtf::eval
