#include "library/batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <numeric>
#include <system_error>

#include "library/files.h"
#include "plan/execution.h"
#include "plan/runtime.h"
#include "support/text.h"

namespace mtf::library {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::microseconds kStartOfAThread{100};

struct Prepared {
  int64_t batch = -1;
  Interval rows;
  std::vector<plan::HostTensor> tensors;
};

/// Returns the types of the tensors of a batch.
std::vector<TensorType> types_of(const BatchSource& source, int64_t batch) {
  std::vector<TensorType> types = source.types;
  if (source.of.last_rows > 0 && batch == source.of.count - 1)
    for (TensorType& type : types) type.dims[0].size = source.of.last_rows;
  return types;
}

/// `rows` may go beyond the last row of a smaller batch.
Prepared prepared(const BatchSource& source, int64_t batch, Interval rows) {
  const std::vector<TensorType> types = types_of(source, batch);
  Prepared made{batch, rows, {}};
  for (const TensorType& type : types)
    made.tensors.push_back(
        {type, std::vector<std::byte>(static_cast<size_t>(size_of(type.dims) * size_of(type.element)))});
  const int64_t last = types[0].dims[0].size;
  source.prepare(batch * source.types[0].dims[0].size, {std::min(rows.first, last), std::min(rows.last, last)},
                 made.tensors);
  return made;
}

/// An iteration over the batches of a source.
class Walk {
 public:
  explicit Walk(std::shared_ptr<const BatchSource> source) : source_(std::move(source)) {}

  Prepared take(int64_t batch, Interval rows) {
    Prepared taken = next_.valid() && next_batch_ == batch && next_rows_ == rows ? next_.get() : prepare(batch, rows);
    if (is_slow_ && batch + 1 < source_->of.count) start(batch + 1, rows);
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
      next_ =
          std::async(std::launch::async, [source = source_, batch, rows] { return prepared(*source, batch, rows); });
    } catch (const std::system_error&) {
      is_slow_ = false;  // no thread is available
    }
  }

  std::shared_ptr<const BatchSource> source_;
  bool is_slow_ = false;
  int64_t next_batch_ = -1;
  Interval next_rows_;
  std::future<Prepared> next_;  // its destructor waits for the thread
};

eval::HostValue tuple_at(eval::Caller& caller, const BatchSource& source, Walk& walk, int64_t batch, Span span) {
  std::vector<eval::HostValue> values;
  const std::vector<TensorType> types = types_of(source, batch);
  if (caller.is_abstract()) {
    for (const TensorType& type : types) values.push_back(caller.constant({type, {}}, span));
    return make_tuple(std::move(values));
  }
  graph::Values tensors;
  for (const TensorType& type : types) tensors.push_back(caller.unplaced(type, span));
  plan::Execution& execution = caller.execution();
  Prepared made;
  if (!source.reads_files) {
    made = walk.take(batch, {0, types[0].dims[0].size});
  } else {
    Interval rows = execution.runtime().own_rows(*tensors[0].node);
    for (const graph::Value& tensor : tensors) {
      const Interval own = execution.runtime().own_rows(*tensor.node);
      rows = {std::min(rows.first, own.first), std::max(rows.last, own.last)};
    }
    on_every_rank(caller, span, [&] { made = walk.take(batch, rows); });
  }
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (source.reads_files) execution.place_own(*tensors[i].node, made.tensors[i]);
    else execution.place(*tensors[i].node, made.tensors[i]);
    values.push_back(tensors[i]);
  }
  return make_tuple(std::move(values));
}

/// Returns the numbers from 0 to `count` - 1 in an order that depends only on `seed`.
std::vector<int64_t> shuffled(int64_t count, uint64_t seed) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  // SplitMix64 (Steele, Lea, Flood 2014): the same order on every machine, which std::shuffle does not promise.
  uint64_t state = seed + 0x9e3779b97f4a7c15U;
  auto next = [&] {
    uint64_t z = (state += 0x9e3779b97f4a7c15U);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
    return z ^ (z >> 31);
  };
  for (int64_t i = count - 1; i > 0; --i)
    std::swap(order[i], order[static_cast<int64_t>(next() % static_cast<uint64_t>(i + 1))]);
  return order;
}

/// Consecutive epochs, each with the batches of one call of `batches`.
class Epochs {
 public:
  /// The first arguments of `call` are the dims of `batches`. `seed` says how the first epoch is shuffled; without it
  /// no epoch is.
  Epochs(eval::Caller& caller, const eval::Bound& call, const syntax::Signature& batches, MakesBatches make,
         std::optional<int64_t> seed)
      : caller_(caller), batches_(batches), make_(std::move(make)), seed_(seed) {
    arguments_.span = call.span();
    arguments_.scope = call.arguments.scope;
    const Name rest("rest");
    for (size_t p = 0; p < batches.place_of(Name("shuffle")); ++p) {  // the dims
      arguments_.items.push_back(call[p]);
      arguments_.items.back().label = {};
    }
    if (const size_t p = call.signature.place_of(rest); call.has(p)) {
      arguments_.items.push_back(call[p]);
      arguments_.items.back().label = rest;
    }
  }

  /// Returns the sequence of one epoch; null if a check does not know its dims.
  const eval::SequencePtr& epoch(int64_t number) {
    if (number == number_) return sequence_;
    number_ = number;
    eval::Arguments arguments = arguments_;
    if (seed_) {
      arguments.items.emplace_back();
      arguments.items.back().value = *seed_ + number;
      arguments.items.back().span = arguments.span;
      arguments.items.back().label = Name("shuffle");
    }
    const eval::HostValue made = make_(caller_, bind(batches_, arguments));
    auto* sequence = made.as<eval::SequencePtr>();
    return sequence_ = sequence ? *sequence : nullptr;
  }

 private:
  eval::Caller& caller_;
  const syntax::Signature& batches_;
  const MakesBatches make_;
  const std::optional<int64_t> seed_;
  eval::Arguments arguments_;
  int64_t number_ = -1;
  eval::SequencePtr sequence_;
};

eval::HostValue steps_of(eval::Caller& caller, const eval::Bound& call, const syntax::Signature& batches,
                         const MakesBatches& make) {
  const size_t to = call.signature.place_of(Name("to")), from = call.signature.place_of(Name("from")),
               seed = call.signature.place_of(Name("seed"));
  const auto epochs = std::make_shared<Epochs>(caller, call, batches, make, call.integer(seed));
  const eval::SequencePtr& first = epochs->epoch(0);
  if (!first) return unknown(eval::UnknownKind::kAny);
  const bool is_known = !call.value(to).is_unknown() && !(call.has(from) && call.value(from).is_unknown());
  const int64_t begin = call.integer(from).value_or(0), end = call.integer(to).value_or(0);
  if (begin < 0) fail(Kind::index_out_of_range, call.span(from), "expected a step from 0 on, found {}", begin);
  const int64_t count = first->count;
  auto sequence = std::make_shared<eval::Sequence>();
  sequence->what = "steps through " + first->what;
  sequence->count = count < 0 || !is_known ? -1 : std::max<int64_t>(0, end - begin);
  sequence->at = [epochs, begin, count](int64_t i) {
    const int64_t step = begin + i;
    return eval::make_tuple({eval::HostValue(step), epochs->epoch(step / count)->at(step % count)});
  };
  sequence->any = [epochs] { return eval::make_tuple({unknown(eval::UnknownKind::kInt), epochs->epoch(0)->at(0)}); };
  if (first->other) {
    sequence->other = [epochs] {
      return eval::make_tuple({unknown(eval::UnknownKind::kInt), epochs->epoch(0)->other()});
    };
  }
  return eval::SequencePtr(sequence);
}

}  // namespace

WalkSignatures::WalkSignatures(std::string_view dims)
    : batches(fmt::format("batches({}, shuffle: int = none, rest: bool = false) -> value", dims)),
      steps(fmt::format("steps({}, to: int, from: int = 0, seed: int = none, rest: bool = false) -> value", dims)) {}

Batches batches_in(int64_t rows, const Dim& batch, const eval::Bound& call) {
  const size_t place = call.signature.place_of(Name("rest"));
  const bool is_known = !call.has(place) || !call.value(place).is_unknown();
  const bool rest = call.has(place) && is_known && *call.value(place).as<bool>();
  if (rows < 0 || !is_known) return {.count = -1, .may_differ = rest || !is_known};
  const int64_t last = rest ? rows % batch.size : 0;
  return {.count = rows / batch.size + (last > 0 ? 1 : 0), .last_rows = last};
}

std::optional<eval::HostValue> walk_attribute(Name name, const WalkSignatures& signatures, MakesBatches batches) {
  if (name.text() == "batches")
    return eval::host_function(signatures.batches, "", eval::Effects::kReads, std::move(batches), true);
  if (name.text() != "steps") return std::nullopt;
  return eval::host_function(
      signatures.steps, "", eval::Effects::kReads,
      [&signatures, make = std::move(batches)](eval::Caller& caller, const eval::Bound& call) {
        return steps_of(caller, call, signatures.batches, make);
      },
      true);
}

eval::HostValue batches_of(eval::Caller& caller, BatchSource source, Span span) {
  if (source.of.may_differ) return unknown(eval::UnknownKind::kAny);
  if (source.of.count == 0)
    fail(Kind::index_out_of_range, span, "no batch is full: {} for a batch of {}", source.found,
         to_string(source.types[0].dims[0]));
  const auto shared = std::make_shared<const BatchSource>(std::move(source));
  auto sequence = std::make_shared<eval::Sequence>();
  sequence->what = shared->what;
  sequence->count = shared->of.count;
  sequence->at = [shared, walk = std::make_shared<Walk>(shared), &caller, span](int64_t batch) {
    return tuple_at(caller, *shared, *walk, batch, span);
  };
  if (shared->of.last_rows > 0 && shared->of.count > 1)
    sequence->other = [at = sequence->at, last = shared->of.count - 1] { return at(last); };
  return eval::SequencePtr(sequence);
}

Part part_of(const eval::Range& range, int64_t count, Span span) {
  if (!range.known || (count < 0 && range.open_last)) return {};
  const int64_t last = range.open_last ? count : range.last;
  const bool fits = range.first >= 0 && range.first <= last && (count < 0 || last <= count);
  if (fits) return {range.first, last - range.first};
  if (count < 0) return {};
  fail(Kind::index_out_of_range, span, "expected a range within 0..{}, found {}..{}", count, range.first, last);
}

std::shared_ptr<const std::vector<int64_t>> order_of(eval::Caller& caller, std::optional<int64_t> seed, int64_t count) {
  if (!seed || caller.is_abstract()) return nullptr;
  return std::make_shared<const std::vector<int64_t>>(shuffled(count, static_cast<uint64_t>(*seed)));
}

std::optional<Dims> dims_of_batch(const eval::Bound& call, size_t count) {
  Dims dims;
  for (size_t i = 0; i < count; ++i) {
    if (call.value(i).is_unknown()) return std::nullopt;
    const Dim& dim = call.dim(i);
    if (has_dim(dims, dim.name)) fail(Kind::dim_twice, call.span(i), "`{}` stands twice", dim.name.text());
    dims.push_back(dim);
  }
  return dims;
}

std::vector<std::int32_t> ids_of(eval::Caller& caller, const eval::HostValue& value, Span span) {
  auto* list = value.as<eval::ListPtr>();
  if (!list) fail(Kind::type_mismatch, span, "expected a list of lists of ids, found {} in it", describe(value));
  std::vector<std::int32_t> ids;
  for (const eval::HostValue& item : (*list)->items)
    ids.push_back(static_cast<std::int32_t>(caller.convert.to_int(item, span, "an id").value_or(0)));
  return ids;
}

SpecialIds special_ids(const eval::Bound& call, size_t first) {
  const auto id = [&](size_t k) { return static_cast<std::int32_t>(call.integer(first + k).value_or(0)); };
  return {id(0), id(1), id(2)};
}

std::string ExampleList::print() const { return mtf::count_text(count_, "example"); }
const WalkSignatures& ExampleList::signatures() const {
  static const WalkSignatures kSignatures("batch: dim");
  return kSignatures;
}

std::optional<eval::HostValue> DataList::slice(eval::Range range, Span span) {
  const Part within = part_of(range, count_, span);
  return part(first_ + within.first, within.count);
}

std::optional<eval::HostValue> DataList::attribute(Name name) {
  return walk_attribute(name, signatures(), [self = shared_from_this()](eval::Caller& caller, const eval::Bound& call) {
    return self->batches(caller, call);
  });
}

}  // namespace mtf::library
