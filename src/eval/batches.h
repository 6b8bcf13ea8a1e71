#pragma once
// What a loop walks batch by batch, the next one prepared while a turn computes.
//
// A batch is prepared from its number alone, by a function that knows neither the evaluator nor the runtime, so that another
// thread can do it: one batch ahead, where to prepare one takes longer than to start a thread. The numbers are the same
// either way. What goes wrong in it is said when the loop comes to that batch, not before. Who leaves the loop waits for the
// batch that is being prepared, and for no other.
#include <functional>
#include <memory>
#include <optional>
#include <span>
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

/// The ids that stand before a text, behind it, and where there is none.
struct SpecialIds {
  std::int32_t begin = 0, end = 0, padding = 0;
};
/// As three arguments give them, in this order.
SpecialIds special_ids(Evaluator& evaluator, std::span<const GivenArgument* const> given);

/// A list of texts as ids, of which a part is such a list, and which has batches.
class TextList : public Object, public std::enable_shared_from_this<TextList> {
 public:
  TextList(int64_t first, int64_t count, SpecialIds ids) : first_(first), count_(count), ids_(ids) {}
  std::vector<std::string> attributes() const override { return {"batches"}; }
  std::optional<int64_t> length() const override { return count_; }
  std::optional<HostValue> slice(Evaluator& evaluator, Range range, Span span) override;
  std::optional<HostValue> attribute(Evaluator& evaluator, Name name) override;

 protected:
  virtual HostValue part(int64_t first, int64_t count) const = 0;
  virtual HostValue batches(Evaluator& evaluator, Arguments& arguments) = 0;

  int64_t first_, count_;  ///< of all texts that there are; -1: unknown in a check
  SpecialIds ids_;
};

inline std::int32_t* ints(HostTensor& tensor) { return reinterpret_cast<std::int32_t*>(tensor.bytes.data()); }

}  // namespace mtf
