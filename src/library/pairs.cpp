// data.pairs: texts with their translations, as batches of ids.
#include <algorithm>

#include "library/batches.h"
#include "library/files.h"
#include "library/functions.h"
#include "support/bleu.h"
#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf::library {
namespace {

struct Pair {
  std::vector<std::int32_t> source, target;
};

class Pairs : public TextList {
 public:
  Pairs(std::shared_ptr<const std::vector<Pair>> pairs, int64_t first, int64_t count, SpecialIds ids)
      : TextList(first, count, ids), pairs_(std::move(pairs)) {}
  std::string_view kind() const override { return "a list of texts with translations"; }
  std::string print() const override {
    return count_ < 0 ? "texts with translations" : mtf::count_text(count_, "text") + " with translations";
  }

 private:
  eval::HostValue part(int64_t first, int64_t count) const override {
    return eval::ObjectPtr(std::make_shared<Pairs>(pairs_, first, count, ids_));
  }

  const WalkSignatures& signatures() const override {
    static const WalkSignatures kSignatures("batch: dim, memory: dim, length: dim");
    return kSignatures;
  }
  eval::HostValue batches(eval::Caller& caller, const eval::Bound& call) override {
    const std::optional<Dims> known = dims_of_batch(call, 3);
    if (!known) return unknown(eval::UnknownKind::kAny);
    const Dims& dims = *known;
    // The pairs that fit: the target needs one more token, for its beginning or its end.
    auto fitting = std::make_shared<std::vector<int64_t>>();
    for (int64_t i = 0; i < count_; ++i) {
      const Pair& pair = (*pairs_)[static_cast<size_t>(first_ + i)];
      if (static_cast<int64_t>(pair.source.size()) <= dims[1].size &&
          static_cast<int64_t>(pair.target.size()) < dims[2].size)
        fitting->push_back(first_ + i);
    }
    if (const auto order = order_of(caller, call.integer(3), static_cast<int64_t>(fitting->size()))) {
      std::vector<int64_t> chosen;
      for (const int64_t place : *order) chosen.push_back((*fitting)[static_cast<size_t>(place)]);
      *fitting = std::move(chosen);
    }
    const int64_t count = count_ < 0 ? -1 : static_cast<int64_t>(fitting->size());
    const TensorType sources{ElementType::kI32, {dims[0], dims[1]}}, targets{ElementType::kI32, {dims[0], dims[2]}};
    const auto prepare = [self = std::static_pointer_cast<const Pairs>(shared_from_this()), fitting](
                             int64_t first, Interval rows, std::vector<plan::HostTensor>& tensors) {
      self->prepare(*fitting, first, rows, tensors);
    };
    return batches_of(
        caller,
        {"batches of texts with translations",
         batches_in(count, dims[0], call),
         {sources, targets, targets},
         prepare,
         false,
         fmt::format("{} that fit, of {},", mtf::count_text(static_cast<int64_t>(fitting->size()), "pair"), count_)},
        call.span());
  }

  /// Writes the source, the target after its beginning, and the target before its end.
  void prepare(const std::vector<int64_t>& chosen, int64_t first, Interval rows,
               std::vector<plan::HostTensor>& tensors) const {
    for (int64_t row = rows.first; row < rows.last; ++row) {
      const Pair& pair = (*pairs_)[static_cast<size_t>(chosen[static_cast<size_t>(first + row)])];
      auto fill = [&](plan::HostTensor& tensor, std::vector<std::int32_t> ids) {
        const int64_t size = tensor.type.dims[1].size;
        ids.resize(static_cast<size_t>(size), ids_.padding);
        std::copy(ids.begin(), ids.end(), ints(tensor) + row * size);
      };
      std::vector<std::int32_t> input = pair.target, target = pair.target;
      input.insert(input.begin(), ids_.begin);
      target.push_back(ids_.end);
      fill(tensors[0], pair.source);
      fill(tensors[1], std::move(input));
      fill(tensors[2], std::move(target));
    }
  }

  std::shared_ptr<const std::vector<Pair>> pairs_;
};

/// pairs(sources, targets, begin, end, padding)
eval::HostValue pairs(eval::Caller& caller, const eval::Bound& call) {
  auto all = std::make_shared<std::vector<Pair>>();
  const bool known = !call.value(0).is_unknown() && !call.value(1).is_unknown() && !caller.is_check();
  if (known) {
    const auto &sources = call.list(0), &targets = call.list(1);
    if (sources.size() != targets.size())
      fail(Kind::bad_value, call.span(1), "expected {} targets, as many as sources, found {}", sources.size(),
           targets.size());
    for (size_t i = 0; i < sources.size(); ++i)
      all->push_back({ids_of(caller, sources[i], call.span(0)), ids_of(caller, targets[i], call.span(1))});
  }
  const int64_t count = known ? static_cast<int64_t>(all->size()) : -1;
  return eval::ObjectPtr(std::make_shared<Pairs>(std::move(all), 0, count, special_ids(call, 2)));
}

/// bleu(translations, references)
eval::HostValue bleu_of(eval::Caller& caller, const eval::Bound& call) {
  if (caller.is_check()) return unknown(eval::UnknownKind::kFloat);
  std::vector<std::string> texts[2];
  for (size_t i = 0; i < 2; ++i) {
    for (const eval::HostValue& item : call.list(i)) {
      if (item.is_unknown()) return unknown(eval::UnknownKind::kFloat);
      auto* text = item.as<eval::Text>();
      if (!text) fail(Kind::type_mismatch, call.span(i), "expected strings, found {} in it", describe(item));
      texts[i].push_back(**text);
    }
  }
  if (texts[0].size() != texts[1].size())
    fail(Kind::bad_value, call.span(1), "expected {} references, as many as translations, found {}", texts[0].size(),
         texts[1].size());
  return mtf::bleu(texts[0], texts[1]);
}

}  // namespace

std::vector<eval::HostFunction> pair_functions() {
  return {
      {"pairs(sources: list, targets: list, begin: int, end: int, padding: int) -> value", "", eval::Effects::kNone,
       pairs, true},
      {"bleu(translations: list, references: list) -> float", "", eval::Effects::kNone, bleu_of},
  };
}

}  // namespace mtf::library
