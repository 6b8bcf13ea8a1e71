#pragma once
// Data of files: what stands behind the standard module `data`.
//
// A file is read by rank 0 and broadcast, so that every rank has the same bytes. A check reads a file's header only;
// where the file is missing, its sizes are unknown there.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "eval/evaluator.h"
#include "io/array.h"

namespace mtf {

/// A tensor that holds `data` from the start, in the layout that the current rules give it. In a check `data` has no
/// bytes: only the type matters.
Value constant(Evaluator& evaluator, HostTensor data, Span span);
/// A tensor of that layout whose elements are still to be given.
Value unplaced(Evaluator& evaluator, const TensorType& type, Span span);

/// `count` numbers from 0 in an order that depends on `seed` alone.
std::vector<int64_t> shuffled(int64_t count, uint64_t seed);

/// Binds `native`, what the module `data` is made of, in the scope that the standard modules see.
void register_data(Scope& scope);
/// Its parts: examples with labels (data.idx), texts and tokenizers, translations (data.pairs), texts that share rows (data.packed),
/// files of variables (the module `checkpoint`).
void register_datasets(Scope& scope);
void register_text(Scope& scope);
void register_pairs(Scope& scope);
void register_packed(Scope& scope);
void register_checkpoint(Scope& scope);
/// Lines added to files (logs.jsonl, logs.csv).
void register_logs(Scope& scope);
/// Puts a builtin into a scope.
void add_builtin(Scope& scope, std::string_view name, std::string_view signature, std::function<HostValue(Evaluator&, Arguments&)> call);
/// The bytes of memory that data read from a file may take: what there is, shared by all ranks, each of which holds it
/// whole once, and its blocks.
std::uint64_t memory_for_data(Evaluator& evaluator);
/// Rank 0's bytes to every rank, in pieces; nothing is copied where there is one rank.
void broadcast_bytes(Evaluator& evaluator, std::vector<std::byte>& bytes, Span span);
/// The same of an array of which rank 0 has all and the others nothing.
void share_array(Evaluator& evaluator, ElementArray& data, Span span);
/// An array that was read from `path` as a tensor with these dims, which must have its sizes. In a check it has no bytes.
Value constant_of(Evaluator& evaluator, ElementArray data, const GivenArgument& dims, const std::string& path, Span span);
/// Runs `act` on rank 0 alone; an IoError becomes the user's error at `span` on every rank. In a check a missing file gives
/// false.
bool on_rank_0(Evaluator& evaluator, Span span, const std::function<void()>& act);
/// Runs `act` on every rank; the first IoError of any of them becomes the user's error of all.
void on_every_rank(Evaluator& evaluator, Span span, const std::function<void()>& act);
/// The string that an argument gives, which is `what`: "the path of a file".
std::string string_of(const GivenArgument& argument, std::string_view what = "the path of a file");
/// Some of the elements of a collection.
struct Part {
  int64_t first = 0;
  int64_t count = -1;  ///< -1: only the run knows
};
/// The part of `count` elements (-1: only the run knows how many) that a range takes. Fails (index_out_of_range) where it is not
/// within.
Part part_of(const Range& range, int64_t count, Span span);
/// The order that `shuffle:` asks of `count` places; null where they keep theirs, and where nothing is computed.
std::shared_ptr<const std::vector<int64_t>> order_of(Evaluator& evaluator, const GivenArgument* shuffle, int64_t count);
/// The ids in a list of ids, which `value` is in a list of such.
std::vector<std::int32_t> ids_of(Evaluator& evaluator, const HostValue& value, Span span);
/// The dims of a batch, each once; nothing if a check does not know them.
std::optional<Dims> dims_of_batch(Evaluator& evaluator, std::span<const GivenArgument* const> given);
/// A method of an object as a value.
HostValue method(Name name, std::function<HostValue(Evaluator&, Arguments&)> call);
/// The sizes of dims, in their order.
std::vector<int64_t> sizes_of(const Dims& dims);

}  // namespace mtf
