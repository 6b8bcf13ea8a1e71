// data.pairs: texts with their translations, as batches of ids.
#include <algorithm>

#include "eval/data.h"
#include "eval/token_text.h"
#include "support/text.h"

namespace mtf {
namespace {

struct Pair {
  std::vector<std::int32_t> source, target;
};

class Pairs : public Object, public std::enable_shared_from_this<Pairs> {
 public:
  Pairs(std::shared_ptr<const std::vector<Pair>> pairs, int64_t first, int64_t count, std::int32_t begin, std::int32_t end, std::int32_t padding)
      : pairs_(std::move(pairs)), first_(first), count_(count), begin_(begin), end_(end), padding_(padding) {}
  std::string_view kind() const override { return "a list of texts with translations"; }
  std::string print() const override { return count_ < 0 ? "texts with translations" : count_text(count_, "text") + " with translations"; }
  std::vector<std::string> attributes() const override { return {"batches"}; }
  std::optional<int64_t> length() const override { return count_; }

  std::optional<HostValue> slice(Evaluator&, Range range, Span span) override {
    if (count_ < 0 || !range.known) return part(first_, -1);
    const Range within = part_of(range, count_, span);
    return part(first_ + within.first, within.size());
  }

  std::optional<HostValue> attribute(Evaluator&, Name name) override {
    if (name.text() != "batches") return std::nullopt;
    return method(name, [self = shared_from_this()](Evaluator& evaluator, Arguments& arguments) { return self->batches(evaluator, arguments); });
  }

 private:
  HostValue part(int64_t first, int64_t count) const { return ObjectPtr(std::make_shared<Pairs>(pairs_, first, count, begin_, end_, padding_)); }

  HostValue batches(Evaluator& evaluator, Arguments& arguments) {
    auto given = match_arguments(arguments, {"batch", "memory", "length", "shuffle?"}, "batches(batch: dim, memory: dim, length: dim, shuffle: int)");
    const std::optional<Dims> known = dims_of_batch(evaluator, std::span(given).first(3));
    if (!known) return unknown(UnknownKind::kAny);
    const Dims& dims = *known;
    // Those that fit: the target with one token more, its beginning or its end.
    auto fitting = std::make_shared<std::vector<int64_t>>();
    for (int64_t i = 0; i < count_; ++i) {
      const Pair& pair = (*pairs_)[static_cast<size_t>(first_ + i)];
      if (static_cast<int64_t>(pair.source.size()) <= dims[1].size && static_cast<int64_t>(pair.target.size()) < dims[2].size) fitting->push_back(first_ + i);
    }
    if (const auto order = order_of(evaluator, given[3], static_cast<int64_t>(fitting->size()))) {
      std::vector<int64_t> chosen;
      for (const int64_t place : *order) chosen.push_back((*fitting)[static_cast<size_t>(place)]);
      *fitting = std::move(chosen);
    }
    auto sequence = std::make_shared<Sequence>();
    sequence->what = "batches of texts with translations";
    sequence->count = count_ < 0 ? -1 : static_cast<int64_t>(fitting->size()) / dims[0].size;
    sequence->at = [self = shared_from_this(), &evaluator, dims, fitting, span = arguments.span](int64_t turn) { return self->batch(evaluator, dims, *fitting, turn, span); };
    return SequencePtr(sequence);
  }

  /// The source, the target behind its beginning, and the target before its end.
  HostValue batch(Evaluator& evaluator, const Dims& dims, const std::vector<int64_t>& chosen, int64_t turn, Span span) const {
    const Dim &batch = dims[0], &memory = dims[1], &length = dims[2];
    HostTensor parts[3];
    for (int i = 0; i < 3; ++i) {
      parts[i].type = {ElementType::kI32, {batch, i == 0 ? memory : length}};
      if (!evaluator.domain.is_abstract()) parts[i].bytes.resize(static_cast<size_t>(size_of(parts[i].type.dims) * 4));
    }
    for (int64_t row = 0; row < (evaluator.domain.is_abstract() ? 0 : batch.size); ++row) {
      const Pair& pair = (*pairs_)[static_cast<size_t>(chosen[static_cast<size_t>(turn * batch.size + row)])];
      auto fill = [&](HostTensor& part, int64_t size, std::vector<std::int32_t> ids) {
        ids.resize(static_cast<size_t>(size), padding_);
        std::copy(ids.begin(), ids.end(), reinterpret_cast<std::int32_t*>(part.bytes.data()) + row * size);
      };
      std::vector<std::int32_t> input = pair.target, target = pair.target;
      input.insert(input.begin(), begin_);
      target.push_back(end_);
      fill(parts[0], memory.size, pair.source);
      fill(parts[1], length.size, std::move(input));
      fill(parts[2], length.size, std::move(target));
    }
    std::vector<HostValue> values;
    for (HostTensor& one : parts) values.push_back(constant(evaluator, std::move(one), span));
    return make_tuple(std::move(values));
  }

  std::shared_ptr<const std::vector<Pair>> pairs_;
  int64_t first_, count_;
  std::int32_t begin_, end_, padding_;
};

/// The ids in a list of lists of ids.
std::vector<std::int32_t> ids_of(Evaluator& evaluator, const HostValue& value, Span span) {
  auto* list = value.as<ListPtr>();
  if (!list) fail(Kind::type_mismatch, span, "expected a list of lists of ids, found {} in it", describe(value));
  std::vector<std::int32_t> ids;
  for (const HostValue& item : (*list)->items) ids.push_back(static_cast<std::int32_t>(evaluator.convert.to_int(item, span, "an id").value_or(0)));
  return ids;
}

/// pairs(sources, targets, begin, end, padding)
HostValue pairs(Evaluator& evaluator, Arguments& arguments) {
  auto given = match_arguments(arguments, {"sources", "targets", "begin", "end", "padding"}, "pairs(sources, targets, begin, end, padding)");
  std::int32_t ids[3];
  for (int i = 0; i < 3; ++i) ids[i] = static_cast<std::int32_t>(evaluator.convert.to_int(given[i + 2]->value, given[i + 2]->span, "an id").value_or(0));
  auto all = std::make_shared<std::vector<Pair>>();
  auto *sources = given[0]->value.as<ListPtr>(), *targets = given[1]->value.as<ListPtr>();
  const bool known = sources && targets && !evaluator.domain.is_check();
  if (known) {
    const size_t count = (*sources)->items.size();
    if (count != (*targets)->items.size()) fail(Kind::bad_value, given[1]->span, "expected {} targets, as many as sources, found {}", count, (*targets)->items.size());
    for (size_t i = 0; i < count; ++i) {
      all->push_back({ids_of(evaluator, (*sources)->items[i], given[0]->span), ids_of(evaluator, (*targets)->items[i], given[1]->span)});
    }
  }
  const int64_t count = known ? static_cast<int64_t>(all->size()) : -1;
  return ObjectPtr(std::make_shared<Pairs>(std::move(all), 0, count, ids[0], ids[1], ids[2]));
}

}  // namespace

void register_pairs(Scope& scope) { add_builtin(scope, "pairs", "pairs(sources, targets, begin, end, padding)", pairs); }

}  // namespace mtf
