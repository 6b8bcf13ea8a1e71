#include "spmd/program_readers.h"

#include <algorithm>

namespace mtf::spmd {

ProgramReaders::ProgramReaders(const graph::Program& program) {
  size_t results = 0;
  first_result_.reserve(program.operations.size());
  for (const graph::ProgramOperation& entry : program.operations) {
    first_result_.push_back(results);
    results += entry.operation->results.size();
  }
  is_root_.resize(results);
  for (const graph::ProgramValue& root : program.roots)
    if (!root.is_input()) is_root_[index_of(root)] = true;
  first_read_.resize(results + 1);
  for (const graph::ProgramValue& operand : program.operands)
    if (!operand.is_input()) ++first_read_[index_of(operand) + 1];
  for (size_t i = 0; i < results; ++i) first_read_[i + 1] += first_read_[i];
  reads_.resize(first_read_[results]);
  std::vector<size_t> next(first_read_.begin(), first_read_.end() - 1);
  for (size_t i = 0; i < program.operations.size(); ++i) {
    int32_t k = 0;
    for (const graph::ProgramValue& operand : program.operands_of(i)) {
      if (!operand.is_input()) reads_[next[index_of(operand)]++] = {static_cast<int32_t>(i), k};
      ++k;
    }
  }
}

const ProgramReaders::Read* ProgramReaders::only(graph::ProgramValue value) const {
  const std::span<const Read> reads = of(value);
  if (reads.empty() || reads.front().operation != reads.back().operation || is_root(value)) return nullptr;
  return &reads.front();
}

}  // namespace mtf::spmd
