#pragma once
// Values that a program makes but nothing reads. They are never computed. A plan lists them, because their lines show
// no cost.
#include <set>
#include <vector>

#include "eval/reports.h"
#include "graph/value_table.h"
#include "support/name.h"

namespace mtf::eval {

class Scope;

class UnreadValues {
 public:
  /// Starts watching the values that `program` makes.
  void watch(graph::ValueTable& table, const SourceFile& program);
  /// Called at the end of the program: the pending values of its names in `top` stay unread. Stops watching the table.
  void end(graph::ValueTable& table, const Scope& top);
  /// The unread values, without the operands of other unread values, in the order of their release. A name appears once
  /// for each line.
  const std::vector<Unread>& all() const { return all_; }

 private:
  void add(const graph::Node& node);

  const SourceFile* program_ = nullptr;
  std::vector<Unread> all_;
  std::set<std::pair<std::size_t, Name>> seen_;  ///< by line and name
};

}  // namespace mtf::eval
