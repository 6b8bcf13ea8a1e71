#pragma once
// How ranks read and write a file together: rank 0 reads it and tells the others, so that every rank has the same
// bytes, and what fails on one fails on all. A check reads a file's header only; where the file is missing, its sizes
// are unknown there.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "eval/host_library.h"
#include "io/array.h"

namespace mtf::library {

/// Runs `act` on rank 0 alone; an IoError becomes the user's error at `span` on every rank. In a check a missing file
/// gives false.
bool on_rank_0(eval::Caller& caller, Span span, const std::function<void()>& act);
/// A check or a plan comes to where a file would be written: `path` is the argument that names it.
void note_written(eval::Caller& caller, const eval::HostValue& path);
/// True in a check where the program may have written the file before it is read: nobody knows its content yet.
bool may_be_written(eval::Caller& caller, const std::string& path);
/// Runs `act` on every rank; the first IoError of any of them becomes the user's error of all.
void on_every_rank(eval::Caller& caller, Span span, const std::function<void()>& act);

/// The bytes of memory that data read from a file may take: what there is, shared by all ranks, each of which holds it
/// whole once, and its blocks.
std::uint64_t memory_for_data(eval::Caller& caller);
/// Rank 0's bytes to every rank, in pieces; nothing is copied where there is one rank.
void broadcast_bytes(eval::Caller& caller, std::vector<std::byte>& bytes, Span span);
/// The same of an array of which rank 0 has all and the others nothing.
void share_array(eval::Caller& caller, io::ElementArray& data, Span span);

/// The sizes of dims, in their order.
std::vector<int64_t> sizes_of(const Dims& dims);
/// An array that was read from `path` as a tensor with these dims, which must have its sizes. In a check it has no
/// bytes.
graph::Value constant_of(eval::Caller& caller, io::ElementArray data, const eval::GivenArgument& dims,
                         const std::string& path, Span span);

}  // namespace mtf::library
