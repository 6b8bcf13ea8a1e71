#pragma once
// What the REPL says of a statement.
//
//   y: f32[batch=64/rows, io=32]   4.0 KiB per processor
//      all_reduce over cols: 1,024 values, 4.0 KiB   hidden is summed, and split over cols
#include <string>

#include "session/session.h"
#include "tool/present/tensor_table.h"

namespace mtf::tool {

/// A line for each tensor that was bound; `n = 3` for a value of the host; of a bare expression its value and type, a
/// long value below: a tensor as a table, a model or a list of tensors as its parts. Then one for each collective;
/// those that differ in nothing are one line with their number.
std::string repl_text(const session::EntryReport& report, const Room& room = {}, bool colours = false);

/// Of what can be called its signature, a model's with `model` before it; of another value its type; nothing if that is
/// not known.
std::string text_of(const session::KnownName& known);

}  // namespace mtf::tool
