// data.text: a text as the numbers of its characters.
#include <algorithm>
#include <cstring>

#include "eval/data.h"
#include "io/text.h"
#include "support/text.h"

namespace mtf {
namespace {

class TextData : public Object, public std::enable_shared_from_this<TextData> {
 public:
  TextData(std::shared_ptr<const CharacterText> characters, int64_t first, int64_t count) : characters_(std::move(characters)), first_(first), count_(count) {}
  std::string_view kind() const override { return "a text"; }
  std::string print() const override { return count_text(count_, "character"); }
  std::vector<std::string> attributes() const override { return {"vocab", "batches", "decode", "encode"}; }
  std::optional<int64_t> length() const override { return count_; }

  std::optional<HostValue> slice(Evaluator&, Range range, Span span) override {
    if (!range.known || count_ < 0) return ObjectPtr(std::make_shared<TextData>(characters_, first_, range.known && !range.open_last ? range.size() : -1));
    const int64_t last = range.open_last ? count_ : range.last;
    if (range.first < 0 || last > count_ || range.first > last) {
      fail(Kind::index_out_of_range, span, "expected a range within 0..{}, found {}..{}", count_, range.first, last);
    }
    return ObjectPtr(std::make_shared<TextData>(characters_, first_ + range.first, last - range.first));
  }

  std::optional<HostValue> attribute(Evaluator&, Name name) override {
    if (name.text() == "vocab") {
      if (characters_->vocabulary.empty()) return unknown(UnknownKind::kInt);
      return HostValue(static_cast<int64_t>(characters_->vocabulary.size()));
    }
    using Method = HostValue (TextData::*)(Evaluator&, Arguments&);
    Method method = name.text() == "batches"  ? &TextData::batches
                    : name.text() == "decode" ? &TextData::decode
                    : name.text() == "encode" ? &TextData::encode
                                              : nullptr;
    if (!method) return std::nullopt;
    auto builtin = std::make_shared<Builtin>();
    builtin->name = name;
    builtin->call = [self = shared_from_this(), method](Evaluator& evaluator, Arguments& arguments) { return ((*self).*method)(evaluator, arguments); };
    return BuiltinPtr(builtin);
  }

 private:
  HostValue batches(Evaluator& evaluator, Arguments& arguments) {
    auto given = match_arguments(arguments, {"batch", "length", "shuffle?"}, "batches(batch: dim, length: dim, shuffle: int)");
    if (given[0]->value.is_unknown() || given[1]->value.is_unknown()) return unknown(UnknownKind::kAny);
    const Dim batch = evaluator.convert.to_dim(given[0]->value, given[0]->span), length = evaluator.convert.to_dim(given[1]->value, given[1]->span);
    if (batch.name == length.name) fail(Kind::dim_twice, given[1]->span, "`{}` stands twice", length.name.text());
    // Windows that do not overlap; each needs one character more, for the last target.
    const int64_t windows = count_ < 0 ? -1 : std::max<int64_t>(0, (count_ - 1) / length.size);
    std::shared_ptr<const std::vector<int64_t>> order;
    if (given[2]) {
      auto seed = evaluator.convert.to_int(given[2]->value, given[2]->span, "`shuffle`");
      if (seed && !evaluator.domain.is_abstract()) order = std::make_shared<const std::vector<int64_t>>(shuffled(windows, static_cast<uint64_t>(*seed)));
    }
    auto sequence = std::make_shared<Sequence>();
    sequence->what = "batches of a text";
    sequence->count = windows < 0 ? -1 : windows / batch.size;
    sequence->at = [self = shared_from_this(), &evaluator, batch, length, order, span = arguments.span](int64_t turn) -> HostValue {
      HostTensor x, y;
      x.type = y.type = {ElementType::kI32, {batch, length}};
      if (!evaluator.domain.is_abstract()) {
        x.bytes.resize(static_cast<size_t>(batch.size * length.size * 4));
        y.bytes.resize(x.bytes.size());
        auto* inputs = reinterpret_cast<int32_t*>(x.bytes.data());
        auto* targets = reinterpret_cast<int32_t*>(y.bytes.data());
        for (int64_t i = 0; i < batch.size; ++i) {
          const int64_t place = turn * batch.size + i;
          const int64_t from = self->first_ + (order ? (*order)[place] : place) * length.size;
          for (int64_t k = 0; k < length.size; ++k) {
            inputs[i * length.size + k] = self->characters_->id(from + k);
            targets[i * length.size + k] = self->characters_->id(from + k + 1);
          }
        }
      }
      std::vector<HostValue> pair;
      pair.push_back(constant(evaluator, std::move(x), span));
      pair.push_back(constant(evaluator, std::move(y), span));
      return make_tuple(std::move(pair));
    };
    return SequencePtr(sequence);
  }

  /// The text of a tensor of ids with one dim, or of a list of ints.
  HostValue decode(Evaluator& evaluator, Arguments& arguments) {
    auto given = match_arguments(arguments, {"ids"}, "decode(ids)");
    const HostValue& value = given[0]->value;
    std::vector<int64_t> ids;
    if (const Value* tensor = tensor_of(value)) {
      if (tensor->dims().size() > 1 || tensor->element() != ElementType::kI32) {
        fail(Kind::type_mismatch, given[0]->span, "expected ids along one dimension, found {}", to_string(tensor->type()));
      }
      if (evaluator.domain.is_abstract()) {
        evaluator.cuts.cut({*tensor}, arguments.span);
        return unknown(UnknownKind::kString);
      }
      HostTensor host = evaluator.cuts.fetch(*tensor, arguments.span);
      for (int64_t i = 0; i < size_of(host.type.dims); ++i) ids.push_back(static_cast<int64_t>(host.number(i)));
    } else if (auto* list = value.as<ListPtr>()) {
      for (const HostValue& item : (*list)->items) {
        auto id = evaluator.convert.to_int(item, given[0]->span, "an id");
        if (!id) return unknown(UnknownKind::kString);
        ids.push_back(*id);
      }
    } else {
      if (value.is_unknown()) return unknown(UnknownKind::kString);
      fail(Kind::type_mismatch, given[0]->span, "expected a tensor or a list of ids, found {}", describe(value));
    }
    if (evaluator.domain.is_abstract()) return unknown(UnknownKind::kString);
    std::string out;
    for (int64_t id : ids) {
      if (id < 0 || id >= static_cast<int64_t>(characters_->vocabulary.size())) {
        fail(Kind::index_out_of_range, given[0]->span, "expected ids from 0 to {}, found {}", static_cast<int64_t>(characters_->vocabulary.size()) - 1, id);
      }
      out += utf8(characters_->vocabulary[id]);
    }
    return make_text(std::move(out));
  }

  /// encode(string): a list of the ids of its characters.
  HostValue encode(Evaluator&, Arguments& arguments) {
    auto given = match_arguments(arguments, {"string"}, "encode(string)");
    auto* text = given[0]->value.as<Text>();
    if (!text || characters_->vocabulary.empty()) return unknown(UnknownKind::kAny);
    std::vector<HostValue> ids;
    for (char32_t c : code_points(**text)) {
      auto place = std::lower_bound(characters_->vocabulary.begin(), characters_->vocabulary.end(), c);
      if (place == characters_->vocabulary.end() || *place != c) fail(Kind::bad_value, given[0]->span, "`{}` does not occur in the text", utf8(c));
      ids.push_back(static_cast<int64_t>(place - characters_->vocabulary.begin()));
    }
    return make_list(std::move(ids));
  }

  std::shared_ptr<const CharacterText> characters_;
  int64_t first_;
  int64_t count_;
};

/// data.text(path). Its vocabulary fixes shapes, so a check reads it too.
HostValue text(Evaluator& evaluator, Arguments& arguments) {
  auto given = match_arguments(arguments, {"path"}, "text(path)");
  if (given[0]->value.is_unknown()) return unknown(UnknownKind::kAny);
  auto* path = given[0]->value.as<Text>();
  if (!path) fail(Kind::type_mismatch, given[0]->span, "expected the path of a file as a string, found {}", describe(given[0]->value));
  auto characters = std::make_shared<CharacterText>();
  const bool found = read_file(evaluator, arguments.span, [&] {
    *characters = evaluator.domain.is_abstract() ? CharacterText::read(**path, false) : CharacterText::read(**path, true, memory_for_data(evaluator));
  });
  if (found && !evaluator.domain.is_abstract()) {
    const std::vector<char32_t>& own = characters->vocabulary;
    const std::string told = evaluator.engine()->broadcast(std::string(reinterpret_cast<const char*>(own.data()), own.size() * sizeof(char32_t)), arguments.span);
    characters->vocabulary.resize(told.size() / sizeof(char32_t));
    std::memcpy(characters->vocabulary.data(), told.data(), told.size());
    broadcast_bytes(evaluator, characters->ids, arguments.span);
    characters->count = static_cast<int64_t>(characters->ids.size()) / characters->id_bytes();
  }
  const int64_t count = found ? characters->count : -1;
  return ObjectPtr(std::make_shared<TextData>(std::move(characters), 0, count));
}

}  // namespace

void register_text(Scope& scope) { add_builtin(scope, "text", "text(path)", text); }

}  // namespace mtf
