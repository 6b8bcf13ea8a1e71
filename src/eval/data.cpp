#include "eval/data.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "eval/run_files.h"
#include "io/io_error.h"
#include "io/npy.h"
#include "plan/runtime.h"
#include "support/available_memory.h"
#include "support/bleu.h"
#include "support/text.h"

namespace mtf {

void add_builtin(Scope& scope, std::string_view name, std::string_view signature, std::function<HostValue(Evaluator&, Arguments&)> call) {
  auto builtin = std::make_shared<Builtin>();
  builtin->name = Name(name);
  builtin->signature = signature;
  builtin->call = std::move(call);
  scope.bindings.push_back({Name(name), BuiltinPtr(builtin), {}});
}

namespace {

/// What an IoError says, after a character for its kind; empty if there is none.
std::string failure_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const IoError& error) {
    const Kind kind = error.kind == IoError::Kind::kNotFound       ? Kind::file_not_found
                      : error.kind == IoError::Kind::kBadFile      ? Kind::bad_file_format
                      : error.kind == IoError::Kind::kUnwritable   ? Kind::cannot_write
                      : error.kind == IoError::Kind::kTooLarge     ? Kind::out_of_memory
                      : error.kind == IoError::Kind::kOfAnotherRun ? Kind::folder_of_another_run
                                                                 : Kind::bad_file;
    return static_cast<char>(kind) + std::string(error.what());
  }
  return "";
}

Kind kind_in(const std::string& failure) { return static_cast<Kind>(static_cast<unsigned char>(failure[0])); }

void fail_if(const std::string& failure, Span span) {
  if (failure.empty()) return;
  const Kind kind = kind_in(failure);
  Diagnostic diagnostic(kind, span, failure.substr(1));
  if (kind == Kind::file_not_found) diagnostic.help("files are found relative to the working directory");
  if (kind == Kind::folder_of_another_run) add_ways_out(diagnostic);
  fail(std::move(diagnostic));
}

}  // namespace

bool on_rank_0(Evaluator& evaluator, Span span, const std::function<void()>& act) {
  std::string failure;
  if (evaluator.domain.is_check() || evaluator.runtime().rank() == 0) failure = failure_of(act);
  if (evaluator.domain.is_abstract() && !failure.empty() && kind_in(failure) == Kind::file_not_found) return false;
  // What rank 0 found out, every rank says.
  if (!evaluator.domain.is_abstract()) failure = evaluator.runtime().broadcast(failure, span);
  fail_if(failure, span);
  return true;
}

void on_every_rank(Evaluator& evaluator, Span span, const std::function<void()>& act) {
  std::string failure = failure_of(act);
  if (!evaluator.domain.is_abstract()) failure = evaluator.runtime().first_of(failure, span);
  fail_if(failure, span);
}

std::uint64_t memory_for_data(Evaluator& evaluator) {
  const auto there = static_cast<std::uint64_t>(std::max<std::int64_t>(0, available_memory()));
  return there / static_cast<std::uint64_t>(evaluator.runtime().ranks() + 1);
}

void broadcast_bytes(Evaluator& evaluator, std::vector<std::byte>& bytes, Span span) {
  Runtime& runtime = evaluator.runtime();
  if (runtime.ranks() == 1) return;
  const std::uint64_t own = bytes.size();
  const std::string told = runtime.broadcast(std::string(reinterpret_cast<const char*>(&own), sizeof own), span);
  std::uint64_t size = 0;
  std::memcpy(&size, told.data(), sizeof size);
  bytes.resize(size);
  constexpr std::uint64_t kPiece = std::uint64_t{16} << 20;
  for (std::uint64_t at = 0; at < size; at += kPiece) {
    auto* const place = reinterpret_cast<char*>(bytes.data() + at);
    const std::uint64_t length = std::min(kPiece, size - at);
    const std::string piece = runtime.broadcast(runtime.rank() == 0 ? std::string(place, length) : std::string(), span);
    std::memcpy(place, piece.data(), length);
  }
}

Value unplaced(Evaluator& evaluator, const TensorType& type, Span span) {
  Builder& builder = evaluator.builder;
  builder.span = span;
  evaluator.check_mesh(span);
  return builder.add(ops::kConstant, {}, {.dims = type.dims, .ints = {}, .element = type.element});
}

Value constant(Evaluator& evaluator, HostTensor data, Span span) {
  Value value = unplaced(evaluator, data.type, span);
  if (evaluator.domain.is_check()) return value;
  if (data.bytes.empty()) data.bytes.resize(static_cast<size_t>(size_of(data.type.dims) * size_of(data.type.element)));
  evaluator.execution()->place(*value.node, data);
  return value;
}

void share_array(Evaluator& evaluator, ElementArray& data, Span span) {
  // Sizes and type first, then the numbers.
  std::string head;
  if (evaluator.runtime().rank() == 0) {
    head = std::string(1, static_cast<char>(data.type));
    head.append(reinterpret_cast<const char*>(data.sizes.data()), data.sizes.size() * 8);
  }
  head = evaluator.runtime().broadcast(head, span);
  data.type = static_cast<ElementType>(head[0]);
  data.sizes.resize((head.size() - 1) / 8);
  std::memcpy(data.sizes.data(), head.data() + 1, head.size() - 1);
  broadcast_bytes(evaluator, data.bytes, span);
}

Value constant_of(Evaluator& evaluator, ElementArray data, const GivenArgument& dims, const std::string& path, Span span) {
  HostTensor tensor{{data.type, evaluator.convert.to_dims(dims.value, dims.span)}, std::move(data.bytes)};
  const std::vector<int64_t> wanted = sizes_of(tensor.type.dims);
  if (wanted != data.sizes) {
    fail(Kind::file_shape_mismatch, dims.span, "expected {} for {}, found {} in {}", to_text(wanted), to_string(tensor.type.dims), to_text(data.sizes), path);
  }
  return constant(evaluator, std::move(tensor), span);
}

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
  for (int64_t i = count - 1; i > 0; --i) std::swap(order[i], order[static_cast<int64_t>(next() % static_cast<uint64_t>(i + 1))]);
  return order;
}

std::string string_of(const GivenArgument& argument, std::string_view what) {
  auto* text = argument.value.as<Text>();
  if (!text) fail(Kind::type_mismatch, argument.span, "expected {} as a string, found {}", what, describe(argument.value));
  return **text;
}

Part part_of(const Range& range, int64_t count, Span span) {
  if (!range.known || (count < 0 && range.open_last)) return {};
  const int64_t last = range.open_last ? count : range.last;
  const bool fits = range.first >= 0 && range.first <= last && (count < 0 || last <= count);
  if (fits) return {range.first, last - range.first};
  if (count < 0) return {};
  fail(Kind::index_out_of_range, span, "expected a range within 0..{}, found {}..{}", count, range.first, last);
}

std::shared_ptr<const std::vector<int64_t>> order_of(Evaluator& evaluator, const GivenArgument* shuffle, int64_t count) {
  const auto seed = shuffle ? evaluator.convert.to_int(shuffle->value, shuffle->span, "`shuffle`") : std::nullopt;
  if (!seed || evaluator.domain.is_abstract()) return nullptr;
  return std::make_shared<const std::vector<int64_t>>(shuffled(count, static_cast<uint64_t>(*seed)));
}

std::optional<Dims> dims_of_batch(Evaluator& evaluator, std::span<const GivenArgument* const> given) {
  for (const GivenArgument* argument : given)
    if (argument->value.is_unknown()) return std::nullopt;
  Dims dims;
  for (const GivenArgument* argument : given) {
    const Dim dim = evaluator.convert.to_dim(argument->value, argument->span);
    if (has_dim(dims, dim.name)) fail(Kind::dim_twice, argument->span, "`{}` stands twice", dim.name.text());
    dims.push_back(dim);
  }
  return dims;
}

HostValue method(Name name, std::function<HostValue(Evaluator&, Arguments&)> call) {
  auto builtin = std::make_shared<Builtin>();
  builtin->name = name;
  builtin->call = std::move(call);
  return BuiltinPtr(builtin);
}

std::vector<int64_t> sizes_of(const Dims& dims) {
  std::vector<int64_t> sizes;
  for (const Dim& dim : dims) sizes.push_back(dim.size);
  return sizes;
}

namespace {

/// data.npy(path, dims): a tensor of the element type that the file's numbers become.
HostValue npy(Evaluator& evaluator, Arguments& arguments) {
  auto given = match_arguments(arguments, {"path", "dims"}, "npy(path, dims)");
  for (auto* argument : given) {
    if (argument->value.is_unknown()) return unknown(UnknownKind::kAny);
  }
  const std::string path = string_of(*given[0]);
  ArrayHeader header;
  ElementArray data;
  const bool found = on_rank_0(evaluator, arguments.span, [&] {
    header = read_npy_header(path);
    if (evaluator.domain.is_abstract()) return;
    const std::uint64_t memory = memory_for_data(evaluator);
    data = to_element_array(read_npy(path, memory), path, memory);
  });
  if (!found) return unknown(UnknownKind::kAny);
  if (evaluator.domain.is_abstract()) data = {std::move(header.sizes), element_type_for(header.type), {}};
  else share_array(evaluator, data, arguments.span);
  return constant_of(evaluator, std::move(data), *given[1], path, arguments.span);
}

/// data.save_npy(path, x): its numbers, in the order of its dims.
HostValue save_npy(Evaluator& evaluator, Arguments& arguments) {
  auto given = match_arguments(arguments, {"path", "x"}, "save_npy(path, x)");
  if (given[0]->value.is_unknown() || given[1]->value.is_unknown()) return None{};
  const std::string path = string_of(*given[0]);
  Value x = evaluator.convert.to_tensor(given[1]->value, given[1]->span);
  if (evaluator.domain.is_abstract()) {
    evaluator.cuts.cut({x}, arguments.span);
    return None{};
  }
  HostTensor tensor = evaluator.cuts.fetch(x, arguments.span);
  const std::vector<int64_t> sizes = sizes_of(tensor.type.dims);
  on_rank_0(evaluator, arguments.span, [&] { write_npy(path, sizes, tensor.type.element, tensor.bytes); });
  return None{};
}

/// bleu(translations, references)
HostValue bleu_of(Evaluator& evaluator, Arguments& arguments) {
  auto given = match_arguments(arguments, {"translations", "references"}, "bleu(translations, references)");
  std::vector<std::string> texts[2];
  for (int i = 0; i < 2; ++i) {
    auto* list = given[i]->value.as<ListPtr>();
    if (!list || evaluator.domain.is_check()) return unknown(UnknownKind::kFloat);
    for (const HostValue& item : (*list)->items) {
      if (item.is_unknown()) return unknown(UnknownKind::kFloat);
      auto* text = item.as<Text>();
      if (!text) fail(Kind::type_mismatch, given[i]->span, "expected strings, found {} in it", describe(item));
      texts[i].push_back(**text);
    }
  }
  if (texts[0].size() != texts[1].size()) fail(Kind::bad_value, given[1]->span, "expected {} references, as many as translations, found {}", texts[0].size(), texts[1].size());
  return bleu(texts[0], texts[1]);
}

}  // namespace

void register_data(Scope& scope) {
  auto module = std::make_shared<Module>();
  module->name = "native";
  module->scope = std::make_shared<Scope>(nullptr, 0, 0);
  add_builtin(*module->scope, "npy", "npy(path, dims)", npy);
  add_builtin(*module->scope, "save_npy", "save_npy(path, x)", save_npy);
  register_datasets(*module->scope);
  register_text(*module->scope);
  register_pairs(*module->scope);
  register_packed(*module->scope);
  register_checkpoint(*module->scope);
  add_builtin(*module->scope, "bleu", "bleu(translations, references)", bleu_of);
  register_logs(*module->scope);
  scope.bindings.push_back({Name("native"), ModulePtr(module), {}});
}

}  // namespace mtf
