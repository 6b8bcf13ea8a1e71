#pragma once
// An operation as a call, in the texts of programs: `slice(x, over: length, first: 2)`. Operands come first, then
// numbers of the host, then attributes.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/operation.h"
#include "graph/region.h"

namespace mtf {
class TextReader;  // types/text_reader.h
}

namespace mtf::graph {

/// Returns the operation with this name, or null. The caller supplies it because the records are in a later folder.
using FindOp = const Op* (*)(std::string_view name);

/// Returns the counts of a region, which follow its call: ` iterations 4 carried 1 placed 1 constant 0 stacked 2 saved
/// 1 summed 0 calls 0`. A pipeline adds ` along micro of stages p`. The program of the iteration follows in indented
/// lines.
std::string region_text(const Region& region, const Mesh* mesh);
/// Reads the text of region_text. The region has no program yet.
Region read_region(TextReader& reader, const Mesh* mesh);

/// Indents each line of a text by two columns.
std::string indented(const std::string& text);

/// Returns the text of a call; `operands` are the operands' names.
std::string call_text(const Operation& operation, std::vector<std::string> operands);

/// Reads a call: fills op, attributes, inputs, operands, and the inferred results. `operand` reads the name of a value
/// and returns its type. An operation with a region gets its results later.
void read_call(TextReader& reader, FindOp find_op, Operation& operation, const std::function<TensorType()>& operand);

}  // namespace mtf::graph
