#pragma once
// Batches of data for loops. The next batch is prepared while an iteration computes.
//
// A function prepares a batch from its number alone, and knows neither the evaluation nor the runtime. So another
// thread can call it: one batch ahead, if preparing a batch takes longer than starting a thread. The numbers are the
// same in both cases. An error of the function is reported when the loop reaches that batch, not before. Leaving the
// loop waits only for the batch that is being prepared.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "eval/host_library.h"

namespace mtf::library {

/// The batches of an epoch.
struct Batches {
  int64_t count = 0;        ///< -1: unknown in a check
  int64_t last_rows = 0;    ///< the rows of the last batch, if it has fewer than the others; else 0
  bool may_differ = false;  ///< in a check: the last batch may have fewer rows, an unknown number
};
/// The batches of `rows` rows (-1: unknown in a check). `rest` is the argument of that name of a call of `batches`:
/// true if the rows after the last full batch are a batch too.
Batches batches_in(int64_t rows, const Dim& batch, const eval::Bound& call);

struct BatchSource {
  std::string what;               ///< "batches of a text"
  Batches of;                     ///< how many there are
  std::vector<TensorType> types;  ///< of the tensors of a full batch; the first dim of each counts the rows
  /// Writes these rows of a batch, whose row 0 is the row `first` of all. The tensors are gathered, and zero before the
  /// call. Any thread may call it.
  std::function<void(int64_t first, Interval rows, std::vector<plan::HostTensor>& tensors)> prepare;
  /// Rows are read from a file: each rank prepares only its own rows, and an IoError on one rank fails on all ranks.
  bool reads_files = false;
  std::string found = {};  ///< what there is to make batches of: "5 examples"
};

/// A sequence of tuples of tensors, each with the layout of the rules in force at its iteration. Errors are reported at
/// `span`, also that there is no batch (index_out_of_range).
eval::HostValue batches_of(eval::Caller& caller, BatchSource source, Span span);

/// Makes the result of a call of `batches`: a sequence, or an unknown value in a check.
using MakesBatches = std::function<eval::HostValue(eval::Caller& caller, const eval::Bound& call)>;

/// The two ways to iterate over data: `batches` once, and `steps` over several epochs.
struct WalkSignatures {
  explicit WalkSignatures(std::string_view dims);  ///< the dims of a batch: `batch: dim, length: dim`
  syntax::Signature batches, steps;
};
/// Returns the attribute `batches` or `steps` of a data set; nothing for another name. `signatures` must outlive it.
std::optional<eval::HostValue> walk_attribute(Name name, const WalkSignatures& signatures, MakesBatches batches);

/// Some of the elements of a collection.
struct Part {
  int64_t first = 0;
  int64_t count = -1;  ///< -1: only the run knows
};
/// Returns the part of `count` elements (-1: only the run knows the number) that a range selects. Fails with
/// index_out_of_range if the range is not inside.
Part part_of(const eval::Range& range, int64_t count, Span span);
/// Returns the order of `count` positions for the seed in `shuffle:`. Returns null if the order is unchanged, or in a
/// check.
std::shared_ptr<const std::vector<int64_t>> order_of(eval::Caller& caller, std::optional<int64_t> seed, int64_t count);
/// Returns the dims of a batch, each once: the first `count` arguments. Returns nothing if a check does not know them.
std::optional<Dims> dims_of_batch(const eval::Bound& call, size_t count);

/// Returns the ids of `value`, a list of ids inside a list of such lists.
std::vector<std::int32_t> ids_of(eval::Caller& caller, const eval::HostValue& value, Span span);
/// The ids before a text, after it, and for padding.
struct SpecialIds {
  std::int32_t begin = 0, end = 0, padding = 0;
};
/// Reads three arguments in this order, from the parameter `first` on.
SpecialIds special_ids(const eval::Bound& call, size_t first);

/// A list of examples or texts, with batches. A part of it is such a list too.
class DataList : public eval::Object, public std::enable_shared_from_this<DataList> {
 public:
  DataList(int64_t first, int64_t count) : first_(first), count_(count) {}
  std::vector<std::string> attributes() const override { return {"batches", "steps"}; }
  std::optional<int64_t> length() const override { return count_; }
  std::optional<eval::HostValue> slice(eval::Range range, Span span) override;
  std::optional<eval::HostValue> attribute(Name name) override;

 protected:
  virtual eval::HostValue part(int64_t first, int64_t count) const = 0;
  virtual const WalkSignatures& signatures() const = 0;
  virtual eval::HostValue batches(eval::Caller& caller, const eval::Bound& call) = 0;

  int64_t first_, count_;  ///< in the list of all; -1: unknown in a check
};

/// A list of texts as ids.
class TextList : public DataList {
 public:
  TextList(int64_t first, int64_t count, SpecialIds ids) : DataList(first, count), ids_(ids) {}

 protected:
  SpecialIds ids_;
};

/// Examples with one dim for a batch.
class ExampleList : public DataList {
 public:
  using DataList::DataList;
  std::string_view kind() const override { return "a dataset"; }
  std::string print() const override;

 protected:
  const WalkSignatures& signatures() const override;
};

inline std::int32_t* ints(plan::HostTensor& tensor) { return reinterpret_cast<std::int32_t*>(tensor.bytes.data()); }

}  // namespace mtf::library
