#pragma once
// What a loop walks batch by batch, the next one prepared while a turn computes.
//
// A batch is prepared from its number alone, by a function that knows neither the evaluation nor the runtime, so that
// another thread can do it: one batch ahead, where to prepare one takes longer than to start a thread. The numbers are
// the same either way. What goes wrong in it is said when the loop comes to that batch, not before. Who leaves the loop
// waits for the batch that is being prepared, and for no other.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eval/host_library.h"

namespace mtf::library {

struct BatchSource {
  std::string what;               ///< "batches of a text"
  int64_t count = 0;              ///< of batches; -1: unknown in a check
  std::vector<TensorType> types;  ///< of the tensors of a batch; the first dim of each is that of its rows
  /// Writes these rows of a batch; the tensors are whole, and zeros until then. Any thread may call it.
  std::function<void(int64_t batch, Interval rows, std::vector<plan::HostTensor>& tensors)> prepare;
  /// Rows are read from a file: each rank asks for its own alone, and what fails on one (IoError) fails on all.
  bool reads_files = false;
};

/// A sequence of tuples of tensors, each laid out by the rules in force at its turn. What fails does at `span`.
eval::HostValue batches_of(eval::Caller& caller, BatchSource source, Span span);

/// What a call of `batches` gives: a sequence, or what a check does not know.
using MakesBatches = std::function<eval::HostValue(eval::Caller& caller, const eval::Bound& call)>;

/// What has batches can be walked by `batches`, once, and by `steps`, epoch after epoch.
struct WalkSignatures {
  explicit WalkSignatures(std::string_view dims);  ///< those of a batch: `batch: dim, length: dim`
  syntax::Signature batches, steps;
};
/// The attribute `batches` or `steps` of what has batches; nothing if the name is another. `signatures` live longer.
std::optional<eval::HostValue> walk_attribute(Name name, const WalkSignatures& signatures, MakesBatches batches);

/// Some of the elements of a collection.
struct Part {
  int64_t first = 0;
  int64_t count = -1;  ///< -1: only the run knows
};
/// The part of `count` elements (-1: only the run knows how many) that a range takes. Fails (index_out_of_range) where
/// it is not within.
Part part_of(const eval::Range& range, int64_t count, Span span);
/// The order that `shuffle:`, a seed, asks of `count` places; null where they keep theirs, and where nothing is
/// computed.
std::shared_ptr<const std::vector<int64_t>> order_of(eval::Caller& caller, std::optional<int64_t> seed, int64_t count);
/// The dims of a batch, each once: the first `count` arguments. Nothing if a check does not know them.
std::optional<Dims> dims_of_batch(const eval::Bound& call, size_t count);

/// The ids in a list of ids, which `value` is in a list of such.
std::vector<std::int32_t> ids_of(eval::Caller& caller, const eval::HostValue& value, Span span);
/// The ids that stand before a text, behind it, and where there is none.
struct SpecialIds {
  std::int32_t begin = 0, end = 0, padding = 0;
};
/// As three arguments give them, in this order, from the parameter `first` on.
SpecialIds special_ids(const eval::Bound& call, size_t first);

/// A list of texts as ids, of which a part is such a list, and which has batches.
class TextList : public eval::Object, public std::enable_shared_from_this<TextList> {
 public:
  TextList(int64_t first, int64_t count, SpecialIds ids) : first_(first), count_(count), ids_(ids) {}
  std::vector<std::string> attributes() const override { return {"batches", "steps"}; }
  std::optional<int64_t> length() const override { return count_; }
  std::optional<eval::HostValue> slice(eval::Range range, Span span) override;
  std::optional<eval::HostValue> attribute(Name name) override;

 protected:
  virtual eval::HostValue part(int64_t first, int64_t count) const = 0;
  virtual const WalkSignatures& signatures() const = 0;
  virtual eval::HostValue batches(eval::Caller& caller, const eval::Bound& call) = 0;

  int64_t first_, count_;  ///< of all texts that there are; -1: unknown in a check
  SpecialIds ids_;
};

inline std::int32_t* ints(plan::HostTensor& tensor) { return reinterpret_cast<std::int32_t*>(tensor.bytes.data()); }

}  // namespace mtf::library
