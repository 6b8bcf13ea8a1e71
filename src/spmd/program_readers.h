#pragma once
#include <span>
#include <vector>

#include "graph/program.h"

namespace mtf::spmd {

/// The consumers of each operation's results. Inputs are not covered.
class ProgramReaders {
 public:
  struct Read {
    int32_t operation = -1;
    int32_t operand = 0;  ///< index of the operand
  };

  explicit ProgramReaders(const graph::Program& program);

  /// Returns the reads of a value, in program order.
  std::span<const Read> of(graph::ProgramValue value) const {
    const size_t index = index_of(value);
    return {reads_.data() + first_read_[index], static_cast<size_t>(first_read_[index + 1] - first_read_[index])};
  }
  bool is_root(graph::ProgramValue value) const { return is_root_[index_of(value)]; }
  /// Returns the first read of a value that only one operation reads (possibly twice). Returns null if there are no or
  /// several readers, or if the value is a root.
  const Read* only(graph::ProgramValue value) const;

  /// Returns the index of a result among the results of all operations.
  size_t index_of(graph::ProgramValue value) const {
    return first_result_[value.source] + static_cast<size_t>(value.result);
  }
  size_t results() const { return is_root_.size(); }

 private:
  std::vector<size_t> first_result_;  ///< for each operation: the index of its first result
  std::vector<size_t> first_read_;    ///< for each result, and one more: index in reads_
  std::vector<Read> reads_;
  std::vector<bool> is_root_;
};

}  // namespace mtf::spmd
