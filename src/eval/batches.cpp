#include "eval/batches.h"

#include <chrono>
#include <future>
#include <memory>
#include <system_error>

#include "eval/data.h"
#include "plan/runtime.h"

namespace mtf {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::microseconds kStartOfAThread{100};

struct Prepared {
  int64_t batch = -1;
  Interval rows;
  std::vector<HostTensor> tensors;
};

Prepared prepared(const BatchSource& source, int64_t batch, Interval rows) {
  Prepared made{batch, rows, {}};
  for (const TensorType& type : source.types)
    made.tensors.push_back({type, std::vector<std::byte>(static_cast<size_t>(size_of(type.dims) * size_of(type.element)))});
  source.prepare(batch, rows, made.tensors);
  return made;
}

/// A walk through the batches of a source.
class Walk {
 public:
  explicit Walk(std::shared_ptr<const BatchSource> source) : source_(std::move(source)) {}

  Prepared take(int64_t batch, Interval rows) {
    Prepared taken = next_.valid() && next_batch_ == batch && next_rows_ == rows ? next_.get() : prepare(batch, rows);
    if (is_slow_ && batch + 1 < source_->count) start(batch + 1, rows);
    return taken;
  }

 private:
  Prepared prepare(int64_t batch, Interval rows) {
    const Clock::time_point begin = Clock::now();
    Prepared made = prepared(*source_, batch, rows);
    is_slow_ = is_slow_ || Clock::now() - begin > kStartOfAThread;
    return made;
  }

  void start(int64_t batch, Interval rows) {
    next_batch_ = batch;
    next_rows_ = rows;
    try {
      next_ = std::async(std::launch::async, [source = source_, batch, rows] { return prepared(*source, batch, rows); });
    } catch (const std::system_error&) {
      is_slow_ = false;  // no thread can be had
    }
  }

  std::shared_ptr<const BatchSource> source_;
  bool is_slow_ = false;
  int64_t next_batch_ = -1;
  Interval next_rows_;
  std::future<Prepared> next_;  // who lets go of it waits
};

HostValue tuple_at(Evaluator& evaluator, const BatchSource& source, Walk& walk, int64_t batch, Span span) {
  std::vector<HostValue> values;
  if (evaluator.domain.is_abstract()) {
    for (const TensorType& type : source.types) values.push_back(constant(evaluator, {type, {}}, span));
    return make_tuple(std::move(values));
  }
  Values tensors;
  for (const TensorType& type : source.types) tensors.push_back(unplaced(evaluator, type, span));
  Execution& execution = *evaluator.execution();
  Prepared made;
  if (!source.reads_files) {
    made = walk.take(batch, {0, source.types[0].dims[0].size});
  } else {
    Interval rows = execution.runtime().own_rows(*tensors[0].node);
    for (const Value& tensor : tensors) {
      const Interval own = execution.runtime().own_rows(*tensor.node);
      rows = {std::min(rows.first, own.first), std::max(rows.last, own.last)};
    }
    on_every_rank(evaluator, span, [&] { made = walk.take(batch, rows); });
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (source.reads_files) execution.place_own(*tensors[i].node, made.tensors[i]);
    else execution.place(*tensors[i].node, made.tensors[i]);
    values.push_back(tensors[i]);
  }
  return make_tuple(std::move(values));
}

}  // namespace

HostValue batches_of(Evaluator& evaluator, BatchSource source, Span span) {
  const auto shared = std::make_shared<const BatchSource>(std::move(source));
  auto sequence = std::make_shared<Sequence>();
  sequence->what = shared->what;
  sequence->count = shared->count;
  sequence->at = [shared, walk = std::make_shared<Walk>(shared), &evaluator, span](int64_t batch) { return tuple_at(evaluator, *shared, *walk, batch, span); };
  return SequencePtr(sequence);
}

SpecialIds special_ids(Evaluator& evaluator, std::span<const GivenArgument* const> given) {
  const auto id = [&](size_t k) { return static_cast<std::int32_t>(evaluator.convert.to_int(given[k]->value, given[k]->span, "an id").value_or(0)); };
  return {id(0), id(1), id(2)};
}

std::optional<HostValue> TextList::slice(Evaluator&, Range range, Span span) {
  const Part within = part_of(range, count_, span);
  return part(first_ + within.first, within.count);
}

std::optional<HostValue> TextList::attribute(Evaluator&, Name name) {
  if (name.text() != "batches") return std::nullopt;
  return method(name, [self = shared_from_this()](Evaluator& evaluator, Arguments& arguments) { return self->batches(evaluator, arguments); });
}

}  // namespace mtf
