// data.packed: short texts that share the rows of a batch.
//
//   length 8, begin B, end E       x         B a b c B d e .        . is padding
//   texts  [a b c] [d e]           y         a b c E d e E .
//                                  segments  1 1 1 1 2 2 2 0
//
// A text goes into the first open row with enough room. A row stays open until kOpenRows later rows have been begun.
#include <algorithm>
#include <deque>

#include "library/batches.h"
#include "library/files.h"
#include "library/functions.h"
#include "support/text.h"

namespace mtf::library {
namespace {

constexpr size_t kOpenRows = 64;

/// A text, or the part of one that fits in a row.
struct Piece {
  int64_t text, first, size;  ///< of the predicted ids: the text's ids and its end
};
using Rows = std::vector<std::vector<Piece>>;

class Packed : public TextList {
 public:
  using Texts = std::vector<std::vector<std::int32_t>>;
  Packed(std::shared_ptr<const Texts> texts, int64_t first, int64_t count, SpecialIds ids)
      : TextList(first, count, ids), texts_(std::move(texts)) {}
  std::string_view kind() const override { return "a list of texts that share rows"; }
  std::string print() const override { return count_ < 0 ? "texts" : mtf::count_text(count_, "text"); }

 private:
  eval::HostValue part(int64_t first, int64_t count) const override {
    return eval::ObjectPtr(std::make_shared<Packed>(texts_, first, count, ids_));
  }

  const WalkSignatures& signatures() const override {
    static const WalkSignatures kSignatures("batch: dim, length: dim");
    return kSignatures;
  }
  eval::HostValue batches(eval::Caller& caller, const eval::Bound& call) override {
    const std::optional<Dims> known = dims_of_batch(call, 2);
    if (!known) return unknown(eval::UnknownKind::kAny);
    const Dims& dims = *known;
    const auto rows = std::make_shared<const Rows>(packed(dims[1].size));
    const auto order = order_of(caller, call.integer(2), static_cast<int64_t>(rows->size()));
    const int64_t count = count_ < 0 ? -1 : static_cast<int64_t>(rows->size());
    const auto prepare = [self = std::static_pointer_cast<const Packed>(shared_from_this()), rows, order](
                             int64_t first, Interval of, std::vector<plan::HostTensor>& tensors) {
      for (int64_t row = of.first; row < of.last; ++row) {
        const int64_t place = first + row;
        self->write((*rows)[static_cast<size_t>(order ? (*order)[static_cast<size_t>(place)] : place)], row, tensors);
      }
    };
    return batches_of(caller,
                      {"batches of texts that share rows",
                       batches_in(count, dims[0], call),
                       {3, {ElementType::kI32, dims}},
                       prepare,
                       false,
                       mtf::count_text(static_cast<int64_t>(rows->size()), "row")},
                      call.span());
  }

  /// Returns the texts in rows of `length` positions, in an order that depends only on the order of the texts.
  Rows packed(int64_t length) const {
    Rows rows;
    struct Open {
      size_t row;
      int64_t left;
    };
    std::deque<Open> open;
    for (int64_t i = first_; i < first_ + std::max<int64_t>(count_, 0); ++i) {
      const int64_t all = static_cast<int64_t>((*texts_)[static_cast<size_t>(i)].size()) + 1;
      for (int64_t at = 0; at < all; at += length) {
        const int64_t size = std::min(length, all - at);
        auto into = std::find_if(open.begin(), open.end(), [&](const Open& row) { return row.left >= size; });
        if (into == open.end()) {
          if (open.size() == kOpenRows) open.pop_front();
          into = open.insert(open.end(), {rows.size(), length});
          rows.emplace_back();
        }
        rows[into->row].push_back({i, at, size});
        into->left -= size;
        if (into->left == 0) open.erase(into);
      }
    }
    return rows;
  }

  void write(const std::vector<Piece>& pieces, int64_t row, std::vector<plan::HostTensor>& tensors) const {
    const int64_t length = tensors[0].type.dims[1].size;
    std::int32_t *x = ints(tensors[0]) + row * length, *y = ints(tensors[1]) + row * length,
                 *segment = ints(tensors[2]) + row * length;
    std::fill_n(x, length, ids_.padding);
    std::fill_n(y, length, ids_.padding);
    std::int32_t number = 0;
    for (const Piece& piece : pieces) {
      const std::vector<std::int32_t>& ids = (*texts_)[static_cast<size_t>(piece.text)];
      ++number;
      for (int64_t k = piece.first; k < piece.first + piece.size; ++k) {
        *x++ = k == 0 ? ids_.begin : ids[static_cast<size_t>(k - 1)];
        *y++ = k == static_cast<int64_t>(ids.size()) ? ids_.end : ids[static_cast<size_t>(k)];
        *segment++ = number;
      }
    }
  }

  std::shared_ptr<const Texts> texts_;
};

/// packed(texts, begin, end, padding)
eval::HostValue packed(eval::Caller& caller, const eval::Bound& call) {
  auto texts = std::make_shared<Packed::Texts>();
  const bool known = !call.value(0).is_unknown() && !caller.is_check();
  if (known)
    for (const eval::HostValue& text : call.list(0)) texts->push_back(ids_of(caller, text, call.span(0)));
  const int64_t count = known ? static_cast<int64_t>(texts->size()) : -1;
  return eval::ObjectPtr(std::make_shared<Packed>(std::move(texts), 0, count, special_ids(call, 1)));
}

}  // namespace

std::vector<eval::HostFunction> packing_functions() {
  return {{"packed(texts: list, begin: int, end: int, padding: int) -> value", "", eval::Effects::kNone, packed, true}};
}

}  // namespace mtf::library
