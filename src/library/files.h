#pragma once
// Reading and writing of a file by all ranks together. Rank 0 reads the file and sends it, so that every rank has the
// same bytes, and an error on one rank is an error on all. A check reads only a file's header. If the file is missing,
// a check does not know its sizes.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "eval/host_library.h"
#include "io/array.h"
#include "io/file_kind.h"

namespace mtf::library {

/// Runs `act` on rank 0 alone. An IoError becomes the user's error at `span` on every rank. In a check returns false
/// for a missing file.
bool on_rank_0(eval::Caller& caller, Span span, const std::function<void()>& act);
/// Notes in a check or a plan that the program writes a file here: `path` is the argument that names it.
void note_written(eval::Caller& caller, const eval::HostValue& path);
/// The same for a file of a kind, which the first argument names. Fails if it would replace a file of another kind.
void expect_to_write(eval::Caller& caller, const eval::Bound& call, io::FileKind kind);
/// True in a check if the program may have written the file before it is read, so that its content is unknown.
bool may_be_written(eval::Caller& caller, const std::string& path);
/// Runs `act` on every rank. The first IoError of any rank becomes the user's error of all.
void on_every_rank(eval::Caller& caller, Span span, const std::function<void()>& act);

/// Returns how many bytes of memory the data of a file may take. All ranks share the memory of a machine. Each rank
/// holds the data once whole, and its blocks.
std::uint64_t memory_for_data(eval::Caller& caller);
/// Sends the bytes of rank 0 to every rank, in pieces. Copies nothing if there is one rank.
void broadcast_bytes(eval::Caller& caller, std::vector<std::byte>& bytes, Span span);
/// Sends an array of rank 0 to every rank; the others begin without data.
void share_array(eval::Caller& caller, io::ElementArray& data, Span span);

/// Returns the content of a file. Throws IoError, also if it takes more than `most_memory` bytes.
std::string whole_file(const std::string& path, std::uint64_t most_memory);
/// Runs a function of a file on rank 0, and returns its result on every rank; nothing if a check does not find the
/// file.
std::optional<std::string> shared_text(eval::Caller& caller, const std::string& path, Span span,
                                       const std::function<std::string()>& make);

/// Returns the content of a file on every rank, as shared_text. On rank 0 `check` looks at it; its IoError is an error
/// of all ranks.
std::optional<std::string> shared_content(eval::Caller& caller, const std::string& path, Span span,
                                          const std::function<void(const std::string&)>& check);

/// Returns the sizes of dims, in their order.
std::vector<int64_t> sizes_of(const Dims& dims);
/// Makes a tensor with these dims from an array that was read from `path`. The sizes must agree. In a check the array
/// has no bytes.
graph::Value constant_of(eval::Caller& caller, io::ElementArray data, const eval::GivenArgument& dims,
                         const std::string& path, Span span);

}  // namespace mtf::library
