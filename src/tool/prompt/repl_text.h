#pragma once
// The reports of the REPL on a statement.
//
//   y: f32[batch=64/rows, io=32]   4.0 KiB per processor
//      all_reduce over cols: 1,024 values, 4.0 KiB   hidden is summed, and split over cols
#include <string>

#include "session/session.h"
#include "tool/present/tensor_table.h"

namespace mtf::tool {

/// Returns a line for each bound tensor, and `n = 3` for a host value. A bare expression gets its value and type; a
/// long value is written below: a tensor as a table, a model or a list of tensors as its parts. A line for each
/// collective follows; equal lines become one line with their number.
std::string repl_text(const session::EntryReport& report, const Room& room = {}, bool colours = false);

/// Returns the signature of a callable, with `model` before a model's, or the type of another value. Returns nothing if
/// the type is unknown.
std::string text_of(const session::KnownName& known);

}  // namespace mtf::tool
