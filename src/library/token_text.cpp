#include "library/token_text.h"

#include <algorithm>
#include <cstring>

#include "io/write_file.h"
#include "library/batches.h"
#include "library/files.h"
#include "support/diagnostics.h"
#include "support/integers.h"
#include "support/text.h"

namespace mtf::library {
namespace {

class TokenText : public eval::Object, public std::enable_shared_from_this<TokenText> {
 public:
  TokenText(std::shared_ptr<const Tokens> tokens, int64_t first, int64_t count)
      : tokens_(std::move(tokens)), first_(first), count_(count) {}
  std::string_view kind() const override { return "a text"; }
  std::string print() const override { return count_ < 0 ? "a text" : mtf::count_text(count_, "token"); }
  std::vector<std::string> attributes() const override {
    std::vector<std::string> names{"vocab", "batches", "steps", "windows", "save"};
    if (has_text()) names.insert(names.end(), {"decode", "encode"});
    return names;
  }
  std::optional<int64_t> length() const override { return count_; }

  std::optional<eval::HostValue> slice(eval::Range range, Span span) override {
    const Part part = part_of(range, count_, span);
    return token_text(tokens_, first_ + part.first, part.count);
  }

  std::optional<eval::HostValue> attribute(Name name) override {
    if (name.text() == "vocab")
      return tokens_->vocab < 0 ? unknown(eval::UnknownKind::kInt) : eval::HostValue(tokens_->vocab);
    auto self = shared_from_this();
    static const WalkSignatures kSignatures("batch: dim, length: dim");
    static const syntax::Signature kWindows = "windows(batch: dim, length: dim, stride: int) -> value",
                                   kSave = "save(path: string)";
    if (name.text() == "windows")
      return eval::host_function(
          kWindows, "", eval::Effects::kReads,
          [self](eval::Caller& caller, const eval::Bound& call) { return self->windows(caller, call); });
    if (name.text() == "save")
      return eval::host_function(
          kSave, "", eval::Effects::kWrites,
          [self](eval::Caller& caller, const eval::Bound& call) { return self->save(caller, call); }, true);
    if (has_text() && name.text() == "encode") return encode_by(tokens_->tokenizer);
    if (has_text() && name.text() == "decode") return decode_by(tokens_->tokenizer);
    return walk_attribute(name, kSignatures, [self](eval::Caller& caller, const eval::Bound& call) {
      return self->batches(caller, call);
    });
  }

 private:
  /// True if a tokenizer can decode the ids, or if a check does not know.
  bool has_text() const { return tokens_->tokenizer || tokens_->vocab < 0; }

  eval::HostValue batches(eval::Caller& caller, const eval::Bound& call) {
    const std::optional<Dims> known = dims_of_batch(call, 2);
    if (!known) return unknown(eval::UnknownKind::kAny);
    const Dims& dims = *known;
    const Dim batch = dims[0], length = dims[1];
    // Windows that do not overlap. Each needs one more token, for the last target.
    const int64_t windows = count_ < 0 ? -1 : std::max<int64_t>(0, (count_ - 1) / length.size);
    const auto order = order_of(caller, call.integer(2), windows);
    const auto prepare = [self = shared_from_this(), order](int64_t first, Interval rows,
                                                            std::vector<plan::HostTensor>& tensors) {
      const int64_t size = tensors[0].type.dims[1].size;
      for (int64_t row = rows.first; row < rows.last; ++row) {
        const int64_t place = first + row;
        self->write_row((order ? (*order)[static_cast<size_t>(place)] : place) * size, size, row, tensors);
      }
    };
    const std::vector<TensorType> types(2, {ElementType::kI32, dims});
    return batches_of(caller,
                      {"batches of a text", batches_in(windows, batch, call), types, prepare, tokens_->file != nullptr,
                       fmt::format("{} of {} and the one behind it, in {},", mtf::count_text(windows, "window"),
                                   to_string(length), mtf::count_text(count_, "token"))},
                      call.span());
  }

  /// Writes `count` tokens from the text's token `first` on into a row of the first tensor, and the following tokens
  /// into a row of the second tensor.
  void write_row(int64_t first, int64_t count, int64_t row, std::vector<plan::HostTensor>& tensors) const {
    std::vector<std::int32_t> ids(static_cast<size_t>(count) + 1);
    tokens_->read(first_ + first, ids);
    const int64_t place = row * tensors[0].type.dims[1].size;
    std::copy(ids.begin(), ids.end() - 1, ints(tensors[0]) + place);
    std::copy(ids.begin() + 1, ids.end(), ints(tensors[1]) + place);
  }

  /// Windows that begin `stride` after each other. Each marks the targets that no earlier window has.
  eval::HostValue windows(eval::Caller& caller, const eval::Bound& call) {
    const Dims dims = *dims_of_batch(call, 2);
    const int64_t stride = *call.integer(2);
    const Dim batch = dims[0], length = dims[1];
    const int64_t targets = count_ - 1;
    if (stride < 1 || stride > length.size)
      fail(Kind::bad_value, call.span(2), "expected a stride from 1 to {}, found {}", length.size, stride);
    // The first window counts all of its targets. Each other window counts `stride` more; the last may count fewer.
    const int64_t count = targets < 1 ? 0 : 1 + std::max<int64_t>(0, ceil_div(targets - length.size, stride));
    const auto prepare = [self = shared_from_this(), stride, count, targets](int64_t first, Interval rows,
                                                                             std::vector<plan::HostTensor>& tensors) {
      const int64_t size = tensors[0].type.dims[1].size;
      for (int64_t row = rows.first; row < rows.last; ++row) {
        const int64_t window = first + row;
        const int64_t there = window < count ? std::min(size, targets - window * stride) : 0;
        if (there == 0) continue;
        self->write_row(window * stride, there, row, tensors);
        for (int64_t k = window == 0 ? 0 : size - stride; k < there; ++k) ints(tensors[2])[row * size + k] = 1;
      }
    };
    const std::vector<TensorType> types(3, {ElementType::kI32, dims});
    return batches_of(caller,
                      {"windows of a text",
                       {count_ < 0 ? -1 : ceil_div(count, batch.size)},
                       types,
                       prepare,
                       tokens_->file != nullptr,
                       mtf::count_text(count_, "token")},
                      call.span());
  }

  /// Writes the tokens as a file for data.token_file, with 16 bits each if all ids fit.
  eval::HostValue save(eval::Caller& caller, const eval::Bound& call) const {
    expect_to_write(caller, call, io::FileKind::kTokens);
    if (caller.is_abstract()) return eval::None{};
    on_rank_0(caller, call.span(), [&] {
      std::vector<std::int32_t> ids(static_cast<size_t>(count_));
      tokens_->read(first_, ids);
      const auto size = static_cast<size_t>(size_of(token_type(tokens_->vocab)));
      std::string bytes(ids.size() * size, '\0');
      for (size_t k = 0; k < ids.size(); ++k) std::memcpy(bytes.data() + k * size, &ids[k], size);
      io::write_file_atomically(call.text(0), bytes);
    });
    return eval::None{};
  }

  std::shared_ptr<const Tokens> tokens_;
  int64_t first_;
  int64_t count_;
};

/// Decodes rows of ids, each up to the first `end`.
class Decoder {
 public:
  Decoder(const io::Tokenizer& tokenizer, std::optional<int64_t> end, Span span)
      : tokenizer_(tokenizer), end_(end), span_(span) {}
  eval::HostValue text(const std::vector<int64_t>& row) const {
    std::vector<std::int32_t> ids;
    for (const int64_t id : row) {
      if (end_ && id == *end_) break;
      if (id < 0 || id >= tokenizer_.vocab())
        fail(Kind::index_out_of_range, span_, "expected ids from 0 to {}, found {}", tokenizer_.vocab() - 1, id);
      ids.push_back(static_cast<std::int32_t>(id));
    }
    return eval::make_text(tokenizer_.decode(ids));
  }

 private:
  const io::Tokenizer& tokenizer_;
  std::optional<int64_t> end_;
  Span span_;
};

eval::HostValue decoded(eval::Caller& caller, const io::TokenizerPtr& tokenizer, const eval::Bound& call) {
  const eval::HostValue& value = call.value(0);
  const std::optional<int64_t> end = call.integer(1);
  if (const graph::Value* tensor = tensor_of(value)) {
    const size_t order = tensor->dims().size();
    if (order > 2 || tensor->element() != ElementType::kI32) {
      fail(Kind::type_mismatch, call.span(0), "expected i32 ids along one dimension, or two, found {}",
           to_string(tensor->type()));
    }
    if (caller.is_abstract()) {
      caller.cut({*tensor}, call.span());
      const eval::HostValue text = unknown(eval::UnknownKind::kString);
      return order == 2 ? make_list(std::vector<eval::HostValue>(static_cast<size_t>(tensor->dims()[0].size), text))
                        : text;
    }
    const plan::HostTensor host = caller.fetch(*tensor, call.span());
    const int64_t length = order == 0 ? 1 : host.type.dims[order - 1].size,
                  rows = order == 2 ? host.type.dims[0].size : 1;
    const Decoder decoder(*tokenizer, end, call.span(0));
    std::vector<eval::HostValue> texts;
    for (int64_t row = 0; row < rows; ++row) {
      std::vector<int64_t> ids;
      for (int64_t i = 0; i < length; ++i) ids.push_back(static_cast<int64_t>(host.number(row * length + i)));
      texts.push_back(decoder.text(ids));
    }
    return order == 2 ? make_list(std::move(texts)) : texts[0];
  }
  auto* list = value.as<eval::ListPtr>();
  if (!list && !value.is_unknown())
    fail(Kind::type_mismatch, call.span(0), "expected a tensor or a list of ids, found {}", describe(value));
  if (!list || !tokenizer) return unknown(eval::UnknownKind::kString);
  std::vector<int64_t> ids;
  for (const eval::HostValue& item : (*list)->items) {
    auto id = caller.convert.to_int(item, call.span(0), "an id");
    if (!id) return unknown(eval::UnknownKind::kString);
    ids.push_back(*id);
  }
  return Decoder(*tokenizer, end, call.span(0)).text(ids);
}

}  // namespace

void Tokens::set(const std::vector<std::int32_t>& numbers) {
  const auto size = static_cast<std::size_t>(io::id_bytes(vocab));
  count = static_cast<std::int64_t>(numbers.size());
  ids.resize(numbers.size() * size);
  for (std::size_t i = 0; i < numbers.size(); ++i) std::memcpy(ids.data() + i * size, &numbers[i], size);
}

void Tokens::read(std::int64_t first, std::span<std::int32_t> to) const {
  if (file) return file->read(first, to);
  const int bytes = io::id_bytes(vocab);
  for (std::size_t k = 0; k < to.size(); ++k) to[k] = io::id_at(ids, bytes, first + static_cast<std::int64_t>(k));
}

io::StoredType token_type(std::int64_t vocab) { return vocab <= 0x10000 ? io::StoredType::kU16 : io::StoredType::kU32; }

eval::ObjectPtr token_text(std::shared_ptr<const Tokens> tokens, std::int64_t first, std::int64_t count) {
  return std::make_shared<TokenText>(std::move(tokens), first, count);
}

eval::BuiltinPtr encode_by(const io::TokenizerPtr& tokenizer) {
  static const syntax::Signature kEncode = "encode(string: string) -> list";
  return eval::host_function(kEncode, "", eval::Effects::kNone,
                             [tokenizer](eval::Caller&, const eval::Bound& call) -> eval::HostValue {
                               if (!tokenizer) return unknown(eval::UnknownKind::kAny);
                               std::vector<eval::HostValue> ids;
                               try {
                                 for (const std::int32_t id : tokenizer->encode(call.text(0)))
                                   ids.push_back(static_cast<int64_t>(id));
                               } catch (const io::CannotEncode& error) {
                                 fail(Kind::bad_value, call.span(0), "{}", error.what());
                               }
                               return make_list(std::move(ids));
                             });
}

eval::BuiltinPtr decode_by(const io::TokenizerPtr& tokenizer) {
  static const syntax::Signature kDecode = "decode(ids, end: int = none) -> value";
  return eval::host_function(
      kDecode, "", eval::Effects::kNone,
      [tokenizer](eval::Caller& caller, const eval::Bound& call) { return decoded(caller, tokenizer, call); }, true);
}

}  // namespace mtf::library
