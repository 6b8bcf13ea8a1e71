#pragma once
// Data of files: what stands behind the standard module `data`.
//
// A file is read by rank 0 and broadcast, so that every rank has the same bytes. A check reads a file's header only;
// where the file is missing, its sizes are unknown there.
#include <memory>
#include <string>
#include <vector>

#include "eval/evaluator.h"

namespace mtf {

/// A tensor that holds `data` from the start, in the layout that the current rules give it. In a check `data` has no
/// bytes: only the type matters.
Value constant(Evaluator& evaluator, HostTensor data, Span span);

/// `count` numbers from 0 in an order that depends on `seed` alone.
std::vector<int64_t> shuffled(int64_t count, uint64_t seed);

/// Binds `native`, what the module `data` is made of, in the scope that the standard modules see.
void register_data(Scope& scope);
/// Examples with labels (data.idx), and text (data.text).
void register_datasets(Scope& scope);
void register_text(Scope& scope);
/// Lines added to files (logs.jsonl, logs.csv).
void register_logs(Scope& scope);
/// Puts a builtin into a scope.
void add_builtin(Scope& scope, std::string_view name, std::string_view signature, std::function<HostValue(Evaluator&, Arguments&)> call);
/// The bytes of memory that data read from a file may take: what there is, shared by all ranks, each of which holds it
/// whole once, and its blocks.
std::uint64_t memory_for_data(Evaluator& evaluator);
/// Rank 0's bytes to every rank, in pieces; nothing is copied where there is one rank.
void broadcast_bytes(Evaluator& evaluator, std::vector<std::byte>& bytes, Span span);
/// The path that an argument gives.
std::string path_of(const GivenArgument& argument);
/// Runs `read`; an IoError becomes the user's error at `span`. In a check a missing file gives nothing.
bool read_file(Evaluator& evaluator, Span span, const std::function<void()>& read);

}  // namespace mtf
