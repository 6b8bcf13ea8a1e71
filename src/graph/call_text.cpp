#include "graph/call_text.h"

#include <fmt/format.h>

#include <stdexcept>

#include "graph/attributes.h"
#include "graph/op.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "types/text_reader.h"

namespace mtf {

std::string call_text(const Operation& operation, std::vector<std::string> operands) {
  for (double number : operation.inputs) operands.push_back(number_text(number));
  std::string text = join(operands, ", ");
  if (const std::string attributes = to_string(operation.attributes); !attributes.empty())
    text += (text.empty() ? "" : attributes.starts_with("->") ? " " : ", ") + attributes;
  return fmt::format("{}({})", operation.op->name, text);
}

void read_call(TextReader& reader, FindOp find_op, Operation& operation, const std::function<TensorType()>& operand) {
  const Span whole = reader.place();
  operation.op = find_op(reader.name("an operation"));
  if (!operation.op || !operation.op->infer || operation.op->leaf) reader.fail_at(whole, "there is no operation of this name");
  reader.expect("(");
  bool first = true;
  const auto attributes_come = [&] { return reader.peek() == "->" || (reader.is_name() && reader.peek(1) == ":"); };
  while (reader.peek() != ")" && reader.peek() != "->") {
    if (!first) reader.expect(",");
    first = false;
    if (attributes_come()) break;
    if (reader.is_number()) operation.inputs.push_back(reader.number());
    else operation.operands.push_back(operand());
  }
  const Span attributes = reader.place();
  try {
    operation.attributes = read_attributes(*operation.op, reader.up_to_closing());
  } catch (const std::invalid_argument& error) {
    reader.fail_at(attributes, error.what());
  }
  reader.expect(")");
  const std::optional<LaneOp> lane = operation.op->lane;
  const size_t expected = lane ? static_cast<size_t>(arity(*lane)) : operation.operands.size();
  if (operation.operands.size() != expected) reader.fail_at(whole, fmt::format("{} has {}", operation.op->name, count_text(static_cast<int64_t>(expected), "operand")));
  try {
    operation.results = operation.op->infer(operation);
    operation.space();
  } catch (const InternalError& error) {
    reader.fail_at(whole, error.message());
  } catch (const UserError& error) {
    reader.fail_at(whole, error.diagnostic().label());
  }
}

}  // namespace mtf
