#pragma once
// What a loop walks batch by batch, the next one prepared while a turn computes.
//
// A batch is prepared from its number alone, by a function that knows neither the evaluator nor the engine, so that another
// thread can do it: one batch ahead, where to prepare one takes longer than to start a thread. The numbers are the same
// either way. What goes wrong in it is said when the loop comes to that batch, not before. Who leaves the loop waits for the
// batch that is being prepared, and for no other.
#include <functional>
#include <string>
#include <vector>

#include "eval/evaluator.h"

namespace mtf {

struct BatchSource {
  std::string what;               ///< "batches of a text"
  int64_t count = 0;              ///< of batches; -1: unknown in a check
  std::vector<TensorType> types;  ///< of the tensors of a batch; the first dim of each is that of its rows
  /// Writes these rows of a batch; the tensors are whole, and zeros until then. Any thread may call it.
  std::function<void(int64_t batch, Interval rows, std::vector<HostTensor>& tensors)> prepare;
  /// Rows are read from a file: each rank asks for its own alone, and what fails on one (IoError) fails on all.
  bool reads_files = false;
};

/// A sequence of tuples of tensors, each laid out by the rules in force at its turn. What fails does at `span`.
HostValue batches_of(Evaluator& evaluator, BatchSource source, Span span);

inline std::int32_t* ints(HostTensor& tensor) { return reinterpret_cast<std::int32_t*>(tensor.bytes.data()); }

}  // namespace mtf
