#pragma once
// An operation as a call, in the texts of programs: `slice(x, over: length, first: 2)`. Operands come first, then the
// host's numbers, then attributes.
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

/// The operation of this name, or null: the records stand in a later folder.
using FindOp = const Op* (*)(std::string_view name);

/// What a region is besides its turn, behind the call that runs it: ` turns 4 carried 1 placed 1 constant 0 stacked 2
/// saved 1 summed 0 calls 0`, of a pipeline also ` along micro of stages p`. The turn follows in indented lines.
std::string region_text(const Region& region, const Mesh* mesh);
/// The same, without a turn.
Region read_region(TextReader& reader, const Mesh* mesh);

/// Each line of a text, two columns further in.
std::string indented(const std::string& text);

/// `operands`: their names.
std::string call_text(const Operation& operation, std::vector<std::string> operands);

/// Fills op, attributes, inputs, operands and results; the latter are what the operation gives of the others. `operand`
/// reads the name of a value, and gives its type. What runs a region has no results yet.
void read_call(TextReader& reader, FindOp find_op, Operation& operation, const std::function<TensorType()>& operand);

}  // namespace mtf::graph
