#pragma once
// Values that a program makes and that nobody reads: nothing of them is computed, which a plan says where it shows no cost.
#include <set>
#include <vector>

#include "eval/reports.h"
#include "graph/value_table.h"
#include "support/name.h"

namespace mtf {

class Scope;

class UnreadValues {
 public:
  /// From here on, of what a program makes.
  void watch(ValueTable& table, const SourceFile& program);
  /// The program has ended: what its names stand for is read by nobody any more. The table is watched no longer.
  void end(ValueTable& table, const Scope& top);
  /// Those that no other value was made of, in the order in which they were let go, each line's names once.
  const std::vector<Unread>& all() const { return all_; }

 private:
  void add(const Node& node);

  const SourceFile* program_ = nullptr;
  std::vector<Unread> all_;
  std::set<std::pair<std::size_t, Name>> seen_;  ///< by the line
};

}  // namespace mtf
