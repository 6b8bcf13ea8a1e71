// The validity of a FusionProgram, and the facts of its operations.
#include <stdexcept>
#include <string>

#include "kernels/fused_loop.h"

namespace mtf::kernels {
namespace {

enum class Kind { kFloat, kNumber, kInteger, kBoolean, kAny };
enum class Result { kSame, kTruth, kGiven };

struct OpFacts {
  std::string_view name;
  int arity;
  Kind kind;
  Result result;
};
constexpr OpFacts kFacts[] = {
#define MTF_LANE_OP(enumerator, name, arity, types, result) {name, arity, Kind::types, Result::result},
#include "kernels/lane_ops.def"
#undef MTF_LANE_OP
};
const OpFacts& facts(LaneOp op) { return kFacts[static_cast<int>(op)]; }

[[noreturn]] void refuse(const std::string& what) { throw std::invalid_argument("fused loop: " + what); }

void check_output(const FusionOutput& output, ElementType type) {
  const bool truth = type == ElementType::kBool;
  const std::string text{name(type)};
  switch (output.reduction) {
    case Reduction::kStore:
      if (output.type != type) refuse("a stored " + text + " leaves as another type; cast it first");
      return;
    case Reduction::kSum:
      if (truth ? output.type == ElementType::kI32
                : output.type == type || (type == ElementType::kBf16 && output.type == ElementType::kF32)) {
        return;
      }
      refuse("a sum of " + text + " cannot leave as " + std::string(name(output.type)));
    case Reduction::kAnd:
    case Reduction::kOr:
      if (!truth || output.type != ElementType::kBool) refuse("and, or reduce bool to bool");
      return;
    default:
      if (truth || output.type != type) refuse("prod, max, min reduce numbers to their own type");
  }
}

}  // namespace

std::string_view name(LaneOp op) { return facts(op).name; }
int arity(LaneOp op) { return facts(op).arity; }

bool is_cheap(LaneOp op) {
  using enum LaneOp;
  switch (op) {
    case kNeg:
    case kAbs:
    case kRelu:
    case kSquare:
    case kCast:
    case kAdd:
    case kSub:
    case kMul:
    case kMinimum:
    case kMaximum:
    case kZeroTimes:
    case kZeroProduct:
    case kShifted:
    case kEq:
    case kNe:
    case kLt:
    case kLe:
    case kGt:
    case kGe:
    case kAnd:
    case kOr:
    case kNot:
    case kWhere: return true;
    default: return false;
  }
}

bool allows(LaneOp op, ElementType type) {
  switch (facts(op).kind) {
    case Kind::kFloat: return is_float(type);
    case Kind::kNumber: return type != ElementType::kBool;
    case Kind::kInteger: return type == ElementType::kI32;
    case Kind::kBoolean: return type == ElementType::kBool;
    case Kind::kAny: return true;
  }
  return false;
}

std::vector<ElementType> FusionProgram::value_types() const {
  std::vector<ElementType> types;
  types.reserve(operands.size() + steps.size());
  for (const FusionOperand& operand : operands) {
    if (operand.kind == OperandKind::kIota && operand.type != ElementType::kI32) refuse("an iota is i32");
    types.push_back(operand.type);
  }
  for (const FusionStep& step : steps) {
    const int all[] = {step.a, step.b, step.c};
    const std::string op_name{name(step.op)};
    const int count = arity(step.op);
    for (int k = 0; k < 3; ++k) {
      const bool known = all[k] >= 0 && all[k] < static_cast<int>(types.size());
      if (k < count ? !known : all[k] >= 0) refuse(op_name + ": an operand is missing, unknown or too many");
    }
    const ElementType type = types[all[count - 1]];
    if (!allows(step.op, type)) refuse(op_name + " cannot work on " + std::string(name(type)));
    for (int k = 0; k < count - 1; ++k) {
      const ElementType expected = step.op == LaneOp::kWhere && k == 0 ? ElementType::kBool : type;
      if (types[all[k]] != expected) refuse(op_name + ": operands of different types; cast first");
    }
    const Result result = facts(step.op).result;
    types.push_back(result == Result::kSame ? type : result == Result::kTruth ? ElementType::kBool : step.type);
  }
  for (const FusionOutput& output : outputs) {
    if (output.value < 0 || output.value >= static_cast<int>(types.size())) refuse("an output is no value");
    check_output(output, types[output.value]);
  }
  return types;
}

}  // namespace mtf::kernels
