#pragma once
#include <span>
#include <vector>

#include "graph/program.h"

namespace mtf::spmd {

/// Who reads what the operations of a program give. Inputs are not asked about.
class ProgramReaders {
 public:
  struct Read {
    int32_t operation = -1;
    int32_t operand = 0;  ///< as which of its operands
  };

  explicit ProgramReaders(const graph::Program& program);

  /// In program order.
  std::span<const Read> of(graph::ProgramValue value) const {
    const size_t place = place_of(value);
    return {reads_.data() + first_read_[place], static_cast<size_t>(first_read_[place + 1] - first_read_[place])};
  }
  bool is_root(graph::ProgramValue value) const { return is_root_[place_of(value)]; }
  /// Where the only operation reads it that does (it may do so twice); null if there are several or none, or if it is a
  /// root.
  const Read* only(graph::ProgramValue value) const;

  /// The number of a result among those of all operations.
  size_t place_of(graph::ProgramValue value) const {
    return first_result_[value.source] + static_cast<size_t>(value.result);
  }
  size_t results() const { return is_root_.size(); }

 private:
  std::vector<size_t> first_result_;  ///< of each operation: the place of its first result
  std::vector<size_t> first_read_;    ///< of each place, and one more: in reads_
  std::vector<Read> reads_;
  std::vector<bool> is_root_;
};

}  // namespace mtf::spmd
