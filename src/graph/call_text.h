#pragma once
// An operation as a call, in the texts of programs: `slice(x, over: length, first: 2)`. Operands come first, then the
// host's numbers, then attributes.
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "graph/operation.h"

namespace mtf {
class TextReader;  // types/text_reader.h
}

namespace mtf::graph {

/// The operation of this name, or null: the records stand in a later folder.
using FindOp = const Op* (*)(std::string_view name);

/// `operands`: their names.
std::string call_text(const Operation& operation, std::vector<std::string> operands);

/// Fills op, attributes, inputs, operands and results; the latter are what the operation gives of the others. `operand`
/// reads the name of a value, and gives its type.
void read_call(TextReader& reader, FindOp find_op, Operation& operation, const std::function<TensorType()>& operand);

}  // namespace mtf::graph
