#include "library/files.h"

#include <algorithm>
#include <cstring>

#include "io/file.h"
#include "io/io_error.h"
#include "library/run_files.h"
#include "plan/runtime.h"
#include "support/available_memory.h"
#include "support/text.h"

namespace mtf::library {
namespace {

/// Returns the message of an IoError after a character for its kind; empty if there is none.
std::string failure_of(const std::function<void()>& act) {
  try {
    act();
  } catch (const io::IoError& error) {
    const Kind kind = error.kind == io::IoError::Kind::kNotFound       ? Kind::file_not_found
                      : error.kind == io::IoError::Kind::kBadFile      ? Kind::bad_file_format
                      : error.kind == io::IoError::Kind::kUnwritable   ? Kind::cannot_write
                      : error.kind == io::IoError::Kind::kTooLarge     ? Kind::out_of_memory
                      : error.kind == io::IoError::Kind::kOfAnotherRun ? Kind::folder_of_another_run
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

bool on_rank_0(eval::Caller& caller, Span span, const std::function<void()>& act) {
  std::string failure;
  if (caller.is_check() || caller.runtime().rank() == 0) failure = failure_of(act);
  if (caller.is_abstract() && !failure.empty() && kind_in(failure) == Kind::file_not_found) return false;
  // Every rank reports the failure of rank 0.
  if (!caller.is_abstract()) failure = caller.runtime().broadcast(failure, span);
  fail_if(failure, span);
  return true;
}

void note_written(eval::Caller& caller, const eval::HostValue& path) {
  auto* known = path.as<eval::Text>();
  if (caller.is_abstract()) caller.state<RunFiles>().will_write(known ? **known : "");
}

void expect_to_write(eval::Caller& caller, const eval::Bound& call, io::FileKind kind) {
  note_written(caller, call.value(0));
  if (!call.value(0).is_unknown()) on_rank_0(caller, call.span(), [&] { io::expect_replaceable(call.text(0), kind); });
}

bool may_be_written(eval::Caller& caller, const std::string& path) {
  return caller.is_check() && caller.state<RunFiles>().may_be_written(path);
}

void on_every_rank(eval::Caller& caller, Span span, const std::function<void()>& act) {
  std::string failure = failure_of(act);
  if (!caller.is_abstract()) failure = caller.runtime().first_of(failure, span);
  fail_if(failure, span);
}

std::uint64_t memory_for_data(eval::Caller& caller) {
  const auto there = static_cast<std::uint64_t>(std::max<std::int64_t>(0, available_memory()));
  return there / static_cast<std::uint64_t>(caller.is_check() ? 2 : caller.runtime().ranks() + 1);
}

void broadcast_bytes(eval::Caller& caller, std::vector<std::byte>& bytes, Span span) {
  plan::Runtime& runtime = caller.runtime();
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

void share_array(eval::Caller& caller, io::ElementArray& data, Span span) {
  // Sizes and type first, then the numbers.
  std::string head;
  if (caller.runtime().rank() == 0) {
    head = std::string(1, static_cast<char>(data.type));
    head.append(reinterpret_cast<const char*>(data.sizes.data()), data.sizes.size() * 8);
  }
  head = caller.runtime().broadcast(head, span);
  data.type = static_cast<ElementType>(head[0]);
  data.sizes.resize((head.size() - 1) / 8);
  std::memcpy(data.sizes.data(), head.data() + 1, head.size() - 1);
  broadcast_bytes(caller, data.bytes, span);
}

std::string whole_file(const std::string& path, std::uint64_t most_memory) {
  io::InputFile file(path);
  const std::uint64_t size = file.content_size(most_memory);
  if (size > most_memory) io::fail_too_large(path, size, most_memory);
  std::string text(size, '\0');
  file.read(std::as_writable_bytes(std::span(text)), "the text");
  return text;
}

std::optional<std::string> shared_text(eval::Caller& caller, const std::string& path, Span span,
                                       const std::function<std::string()>& make) {
  std::string text;
  if (may_be_written(caller, path) || !on_rank_0(caller, span, [&] { text = make(); })) return std::nullopt;
  if (caller.is_abstract()) return text;
  std::vector<std::byte> bytes(text.size());
  std::memcpy(bytes.data(), text.data(), text.size());
  broadcast_bytes(caller, bytes, span);
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

std::optional<std::string> shared_content(eval::Caller& caller, const std::string& path, Span span,
                                          const std::function<void(const std::string&)>& check) {
  return shared_text(caller, path, span, [&] {
    std::string content = whole_file(path, memory_for_data(caller));
    check(content);
    return content;
  });
}

std::vector<int64_t> sizes_of(const Dims& dims) {
  std::vector<int64_t> sizes;
  for (const Dim& dim : dims) sizes.push_back(dim.size);
  return sizes;
}

graph::Value constant_of(eval::Caller& caller, io::ElementArray data, const eval::GivenArgument& dims,
                         const std::string& path, Span span) {
  plan::HostTensor tensor{{data.type, caller.convert.to_dims(dims.value, dims.span)}, std::move(data.bytes)};
  const std::vector<int64_t> wanted = sizes_of(tensor.type.dims);
  if (wanted != data.sizes) {
    fail(Kind::file_shape_mismatch, dims.span, "expected {} for {}, found {} in {}", io::to_text(wanted),
         to_string(tensor.type.dims), io::to_text(data.sizes), path);
  }
  return caller.constant(std::move(tensor), span);
}

}  // namespace mtf::library
