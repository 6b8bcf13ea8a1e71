// data.examples: the rows of tensors as examples.
#include "eval/scope.h"
#include "library/batches.h"
#include "library/functions.h"
#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf::library {
namespace {

/// Tensors that have one dim in common: that of the examples.
struct RowTensors {
  std::vector<eval::HostValue> tensors;
  std::vector<TensorType> types;
  Dim dim;
};

class ExampleSet : public ExampleList {
 public:
  ExampleSet(std::shared_ptr<const RowTensors> rows, int64_t first, int64_t count)
      : ExampleList(first, count), rows_(std::move(rows)) {}

 private:
  eval::HostValue part(int64_t first, int64_t count) const override {
    return eval::ObjectPtr(std::make_shared<ExampleSet>(rows_, first, count));
  }

  eval::HostValue batches(eval::Caller& caller, const eval::Bound& call) override {
    if (call.value(0).is_unknown()) return unknown(eval::UnknownKind::kAny);
    const Dim& batch = call.dim(0);
    for (const TensorType& type : rows_->types) {
      if (!has_dim(type.dims, batch.name)) continue;
      fail(Kind::dim_twice, call.span(0), "`{}` is a dimension of {}", batch.name.text(), to_string(type));
    }
    const auto order = order_of(caller, call.integer(1), count_);
    BatchSource source{"batches of examples",
                       batches_in(count_, batch, call),
                       {{ElementType::kI32, {batch}}},
                       {},
                       false,
                       mtf::count_text(count_, "example")};
    source.prepare = [first_example = first_, order](int64_t first, Interval rows,
                                                     std::vector<plan::HostTensor>& tensors) {
      for (int64_t row = rows.first; row < rows.last; ++row) {
        const int64_t place = first + row;
        ints(tensors[0])[row] =
            static_cast<std::int32_t>(first_example + (order ? (*order)[static_cast<size_t>(place)] : place));
      }
    };
    const eval::HostValue places = batches_of(caller, std::move(source), call.span());
    auto* const sequence = places.as<eval::SequencePtr>();
    if (sequence == nullptr) return places;
    auto gathered = std::make_shared<eval::Sequence>(**sequence);
    const auto gather = [self = std::static_pointer_cast<ExampleSet>(shared_from_this()), &caller, span = call.span()](
                            const eval::HostValue& tuple) { return self->examples_at(caller, tuple, span); };
    gathered->at = [gather, at = (*sequence)->at](int64_t i) { return gather(at(i)); };
    if ((*sequence)->any) gathered->any = [gather, any = (*sequence)->any] { return gather(any()); };
    if ((*sequence)->other) gathered->other = [gather, other = (*sequence)->other] { return gather(other()); };
    return eval::SequencePtr(gathered);
  }

  /// The examples at the places that a batch of places has.
  eval::HostValue examples_at(eval::Caller& caller, const eval::HostValue& tuple, Span span) const {
    const graph::Value places = caller.convert.to_tensor((*tuple.as<eval::ListPtr>())->items[0], span);
    std::vector<eval::HostValue> values;
    for (const eval::HostValue& tensor : rows_->tensors)
      values.emplace_back(caller.gathered(tensor, places, rows_->dim, span));
    return values.size() == 1 ? values[0] : make_tuple(std::move(values));
  }

  std::shared_ptr<const RowTensors> rows_;
};

/// examples(tensors, rows)
eval::HostValue examples(eval::Caller& caller, const eval::Bound& call) {
  if (call.value(0).is_unknown() || call.value(1).is_unknown()) return unknown(eval::UnknownKind::kAny);
  auto rows = std::make_shared<RowTensors>();
  rows->dim = call.dim(1);
  for (const eval::HostValue& item : call.list(0)) {
    if (item.is_unknown()) return unknown(eval::UnknownKind::kAny);
    const graph::Value value = caller.convert.to_tensor(item, call.span(0));
    const TensorType& type = value.type();
    if (!has_dim(type.dims, rows->dim.name)) {
      fail(Kind::unknown_dim, call.span(0), "expected tensors with the dim {}, found {}", to_string(rows->dim),
           to_string(type));
    }
    rows->types.push_back(type);
    rows->tensors.emplace_back(graph::Handle(value));
  }
  if (rows->tensors.empty()) fail(Kind::bad_value, call.span(0), "expected a list of tensors, found an empty one");
  const int64_t count = rows->dim.size;
  return eval::ObjectPtr(std::make_shared<ExampleSet>(std::move(rows), 0, count));
}

}  // namespace

std::vector<eval::HostFunction> example_functions() {
  return {{"examples(tensors: list, rows: dim) -> value", "", eval::Effects::kNone, examples}};
}

}  // namespace mtf::library
