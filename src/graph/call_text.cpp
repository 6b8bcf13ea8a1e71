#include "graph/call_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "graph/attributes.h"
#include "graph/op.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "syntax/signature.h"
#include "types/text_reader.h"

namespace mtf::graph {
namespace {

/// Returns the number of tensors that a call needs at least, by its signature. An operation that scripts cannot call
/// needs an operand, unless its attributes determine its result.
size_t least_operands(const Op& op) {
  if (op.lane) return static_cast<size_t>(arity(*op.lane));
  if (op.role == Role::kLoop) return 0;
  const auto says_result = [](const Member& member) {
    return member.type == MemberType::kType || (member.type == MemberType::kDims && member.label == "->");
  };
  if (op.signature.empty())
    return op.attributes && std::any_of(op.attributes->members.begin(), op.attributes->members.end(), says_result) ? 0
                                                                                                                   : 1;
  const std::vector<syntax::Parameter> parameters = syntax::Signature(op.signature).parameters;
  return static_cast<size_t>(std::count_if(parameters.begin(), parameters.end(), [](const syntax::Parameter& each) {
    const bool is_tensor = each.kind == syntax::ParameterKind::kTensor || each.kind == syntax::ParameterKind::kTensors;
    return is_tensor && (each.is_variadic || !each.has_default);
  }));
}

/// Rejects a call whose rules cannot be evaluated: a missing operand, or a name that no operand has.
void check_call(const Operation& operation, Span place) {
  const Op& op = *operation.op;
  const size_t found = operation.operands.size(), least = least_operands(op);
  if (found < least || (op.lane && found > least))
    TextReader::fail_at(place, "{} has {}, found {}", op.name, mtf::count_text(static_cast<int64_t>(least), "operand"),
                        found);
  const auto check = [&](Name name) {
    const bool has = std::any_of(operation.operands.begin(), operation.operands.end(),
                                 [&](const TensorType& type) { return has_dim(type.dims, name); });
    if (!has) TextReader::fail_at(place, "no operand of {} has {}", op.name, code(name.text()));
  };
  operation.attributes.visit([&](const Member& member, const auto& value) {
    if (member.label == "->" || member.label == "into") return;  // dims of the result
    if constexpr (std::is_same_v<decltype(value), const Name&>) check(value);
    if constexpr (std::is_same_v<decltype(value), const Names&>)
      for (const Name name : value) check(name);
  });
}

}  // namespace

std::string region_text(const Region& region, const Mesh* mesh) {
  std::string text = fmt::format(" turns {} carried {} placed {} constant {} stacked {} saved {} summed {} calls {}",
                                 region.iterations, region.carried, region.placed, region.constants, region.stacked,
                                 region.saved, region.summed, region.calls);
  if (!region.micro.empty()) text += fmt::format(" along {}", region.micro.text());
  if (!region.stages.empty())
    text += fmt::format(" {} stages {}", region.hands_on ? "through" : "of", axes_text(region.stages, *mesh));
  if (!region.joined.empty()) text += fmt::format(" joined {} idle {}", region.joined.size(), region.idle);
  return text;
}

Region read_region(TextReader& reader, const Mesh* mesh) {
  Region region;
  const auto number = [&](std::string_view label, int64_t most = INT32_MAX) {
    reader.expect(label);
    return reader.integer(0, most);
  };
  region.iterations = number("turns", int64_t{1} << 40);
  region.carried = static_cast<int32_t>(number("carried"));
  region.placed = static_cast<int32_t>(number("placed"));
  region.constants = static_cast<int32_t>(number("constant"));
  region.stacked = static_cast<int32_t>(number("stacked"));
  region.saved = static_cast<int32_t>(number("saved", region.stacked));
  region.summed = static_cast<int32_t>(number("summed"));
  region.calls = number("calls", int64_t{1} << 40);
  if (reader.take("along")) region.micro = reader.dim_name();
  region.hands_on = reader.take_words({"through", "stages"});
  if (region.hands_on || reader.take_words({"of", "stages"})) region.stages = read_axes(reader, mesh);
  if (reader.take("joined")) {
    region.joined.assign(static_cast<size_t>(reader.integer(1, INT32_MAX)), -1);  // the text has no captured program
    region.idle = number("idle");
  }
  return region;
}

std::string indented(const std::string& text) {
  std::string result;
  for (const std::string& line : split(text, '\n'))
    if (!line.empty()) result += "  " + line + "\n";
  return result;
}

std::string call_text(const Operation& operation, std::vector<std::string> operands) {
  if (!operation.region)  // the numbers of a region are in its iteration
    for (double number : operation.inputs) operands.push_back(number_text(number));
  std::string text = join(operands, ", ");
  if (const std::string attributes = to_string(operation.attributes); !attributes.empty())
    text += (text.empty() ? "" : attributes.starts_with("->") ? " " : ", ") + attributes;
  return fmt::format("{}({})", operation.op->name, text);
}

void read_call(TextReader& reader, FindOp find_op, Operation& operation, const std::function<TensorType()>& operand) {
  const Span whole = reader.place();
  operation.op = find_op(reader.name("an operation"));
  if (!operation.op || !operation.op->infer || operation.op->is_leaf())
    reader.fail_at(whole, "there is no operation of this name");
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
  operation.attributes = read_attributes(*operation.op, reader);
  reader.expect(")");
  check_call(operation, whole);
  if (operation.op->role == Role::kLoop) return;
  try {
    operation.results = operation.op->infer(operation);
    operation.space();
  } catch (const InternalError& error) { reader.fail_at(whole, error.message()); } catch (const UserError& error) {
    reader.fail_at(whole, error.diagnostic().label());
  }
}

}  // namespace mtf::graph
