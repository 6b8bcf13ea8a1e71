// Compiles a FusionProgram to threaded code.
#include "kernels/fused_loop.h"

#include <stdexcept>

#include "kernels/fused_code.h"
#include "kernels/loop_passes.h"

namespace mtf::kernels {
namespace {

using lanes::AnyStep;
using lanes::Group;

/// Writes the records. One value at a time is in the tile. Values that are needed again are in slots.
class Emitter {
 public:
  explicit Emitter(ThreadedCode& code)
      : code_(code), uses_left_(code.types.size(), 0), slot_of_(code.types.size(), -1) {
    code_.operand_uses.resize(code.program.operands.size());
    code_.output_uses.resize(code.program.outputs.size());
  }

  void run() {
    const FusionProgram& p = code_.program;
    for (const FusionStep& step : p.steps) {
      for (int v : {step.a, step.b, step.c}) {
        if (v >= 0) ++uses_left_[v];
      }
    }
    for (const FusionOutput& output : p.outputs) ++uses_left_[output.value];
    // A store may overwrite an operand in place. So stores follow the last step that reads memory. They also follow
    // reductions of operands, and if there are several stores, the reads of stored operands.
    int last_read = -1;
    const int operands = static_cast<int>(p.operands.size()), steps = static_cast<int>(p.steps.size());
    auto in_memory = [&](int v) { return v >= 0 && v < operands && p.operands[v].kind == OperandKind::kArray; };
    for (int k = 0; k < steps; ++k) {
      if (in_memory(p.steps[k].a) || in_memory(p.steps[k].b) || in_memory(p.steps[k].c)) last_read = k;
    }
    for (const FusionOutput& output : p.outputs) {
      if (in_memory(output.value)) last_read = steps;
    }
    auto early = [&](const FusionOutput& o) {
      return o.value >= operands && (o.reduction != Reduction::kStore || o.value - operands >= last_read);
    };
    for (int k = 0; k < steps; ++k) {
      emit_step(k);
      for (std::size_t o = 0; o < p.outputs.size(); ++o) {
        if (p.outputs[o].value == operands + k && early(p.outputs[o])) emit_output(static_cast<int>(o));
      }
    }
    std::vector<std::size_t> stores;
    for (std::size_t o = 0; o < p.outputs.size(); ++o) {
      if (early(p.outputs[o])) continue;
      if (p.outputs[o].reduction == Reduction::kStore) stores.push_back(o);
      else emit_output(static_cast<int>(o));
    }
    for (std::size_t o : stores) {
      if (stores.size() > 1 && in_memory(p.outputs[o].value)) keep(p.outputs[o].value);
    }
    for (std::size_t o : stores) emit_output(static_cast<int>(o));
    add(lanes::end_step(code_.group), "end");
  }

 private:
  bool is_operand(int v) const { return v < static_cast<int>(code_.program.operands.size()); }

  std::string text(int v) const {
    return is_operand(v) ? "operand " + std::to_string(v)
                         : "value " + std::to_string(v - static_cast<int>(code_.program.operands.size()));
  }

  /// True if memory holds the value as lanes of the group.
  bool readable(int v) const {
    if (slot_of_[v] >= 0) return true;
    if (!is_operand(v)) return false;
    const FusionOperand& operand = code_.program.operands[v];
    if (operand.kind == OperandKind::kScalar) return true;
    if (operand.kind == OperandKind::kIota) return false;
    return code_.group == Group::kFour ? operand.type == ElementType::kF32 || operand.type == ElementType::kI32
                                       : operand.type == ElementType::kF64;
  }

  int add(AnyStep step, std::string line) {
    if (step == nullptr) throw std::invalid_argument("fused loop: no kernel for: " + line);
    code_.records.push_back({step, {}, {}});
    code_.lines.push_back(std::move(line));
    return static_cast<int>(code_.records.size()) - 1;
  }

  void refer(int record, bool second, int v) {
    if (slot_of_[v] >= 0) {
      code_.slot_uses[slot_of_[v]].push_back({record, second});
      code_.lines[record] += ", slot " + std::to_string(slot_of_[v]);
    } else {
      code_.operand_uses[v].push_back({record, second});
      code_.lines[record] += ", " + text(v);
    }
  }

  /// Copies the value in the tile to a slot.
  void spill() {
    if (tile_ >= 0 && !readable(tile_)) put_in_slot();
  }

  /// Copies the operand to a slot, so that it is read from memory no more.
  void keep(int operand) {
    load(operand);
    if (slot_of_[operand] < 0) put_in_slot();
  }

  void put_in_slot() {
    int slot = 0;
    while (slot < static_cast<int>(slot_busy_.size()) && slot_busy_[slot]) ++slot;
    if (slot == static_cast<int>(slot_busy_.size())) {
      slot_busy_.push_back(false);
      code_.slot_uses.emplace_back();
    }
    slot_busy_[slot] = true;
    slot_of_[tile_] = slot;
    const int record = add(lanes::store_slot_step(code_.group), "keep");
    code_.slot_uses[slot].push_back({record, false});
    code_.lines[record] += " in slot " + std::to_string(slot);
  }

  void load(int v) {
    if (tile_ == v) return;
    if (tile_ >= 0 && uses_left_[tile_] > 0) spill();
    const bool converts = is_operand(v) && slot_of_[v] < 0 && !readable(v);
    int record = 0;
    if (!converts) {
      record = add(lanes::load_slot_step(code_.group), "load");
    } else if (code_.program.operands[v].kind == OperandKind::kIota) {
      record = add(lanes::iota_step(code_.group), "iota");
    } else {
      record = add(lanes::load_step(code_.group, code_.types[v]), "load " + std::string(name(code_.types[v])));
    }
    refer(record, false, v);
    tile_ = v;
  }

  void used(int v) {
    if (--uses_left_[v] == 0 && slot_of_[v] >= 0) slot_busy_[slot_of_[v]] = false;
  }

  /// Makes every argument except one readable in memory, and that one the tile. Returns its index.
  int arrange(std::span<const int> arguments) {
    int position = 0;
    for (int k = 0; k < static_cast<int>(arguments.size()); ++k) {
      if (arguments[k] == tile_) position = k;
    }
    for (int k = 0; k < static_cast<int>(arguments.size()); ++k) {
      if (!readable(arguments[k]) && arguments[k] != tile_) position = k;
    }
    for (int k = 0; k < static_cast<int>(arguments.size()); ++k) {
      if (k == position || readable(arguments[k]) || arguments[k] == arguments[position]) continue;
      load(arguments[k]);
      spill();
    }
    load(arguments[position]);
    for (int k = 0; k < static_cast<int>(arguments.size()); ++k) {
      if (k != position && arguments[k] == tile_) spill();
    }
    return position;
  }

  void emit_step(int k) {
    const FusionStep& step = code_.program.steps[k];
    const int count = arity(step.op);
    const int all[] = {step.a, step.b, step.c};
    const std::span<const int> arguments(all, static_cast<std::size_t>(count));
    const int value = k + static_cast<int>(code_.program.operands.size());
    const int position = arrange(arguments);
    int wanted = 0;
    for (int v : arguments) wanted += v == tile_;
    if (uses_left_[tile_] > wanted) spill();
    const ElementType type = code_.types[arguments.back()];
    if (step.op != LaneOp::kCast || computed(type) != computed(step.type)) {
      std::string line = text(value) + " = " + std::string(name(step.op)) + " tile";
      const int record = add(find(step, type, position), std::move(line));
      bool second = false;
      for (int j = 0; j < count; ++j) {
        if (j == position) continue;
        refer(record, second, arguments[j]);
        second = true;
      }
    }
    tile_ = value;
    for (int v : arguments) used(v);
    if (code_.types[value] == ElementType::kBf16 && step.op != LaneOp::kWhere) {
      add(lanes::round_bf16_step(code_.group), "round to bf16");
    }
  }

  /// The type in which a value is computed.
  static ElementType computed(ElementType type) { return type == ElementType::kBf16 ? ElementType::kF32 : type; }

  AnyStep find(const FusionStep& step, ElementType type, int position) const {
    if (step.op == LaneOp::kWhere) return lanes::where_step(code_.group, position);
    if (step.op == LaneOp::kCast) return lanes::cast_step(code_.group, computed(type), computed(step.type));
    const bool whole = type == ElementType::kBool || type == ElementType::kI32;
    const bool narrow = type == ElementType::kBf16;
    if (code_.group == Group::kFour) {
      return whole    ? lanes::int_step(step.op, position)
             : narrow ? lanes::bf16_step(step.op, position)
                      : lanes::float_step(step.op, position);
    }
    if (type == ElementType::kF64) return lanes::double_step(step.op, position);
    return whole    ? lanes::wide_int_step(step.op, position)
           : narrow ? lanes::wide_bf16_step(step.op, position)
                    : lanes::wide_float_step(step.op, position);
  }

  void emit_output(int index) {
    const FusionOutput& output = code_.program.outputs[index];
    const int v = output.value;
    load(v);
    const bool store = output.reduction == Reduction::kStore;
    const int record = add(store ? lanes::store_step(code_.group, code_.types[v])
                                 : lanes::reduce_step(code_.group, output.reduction, code_.types[v]),
                           (store ? "store output " : "reduce into output ") + std::to_string(index));
    code_.output_uses[index].push_back({record, false});
    used(v);
  }

  ThreadedCode& code_;
  int tile_ = -1;  // the value in the registers
  std::vector<int> uses_left_;
  std::vector<int> slot_of_;
  std::vector<bool> slot_busy_;
};

/// See Code::conditions.
std::optional<FusedLoop> conditions_of(const ThreadedCode& code) {
  FusionProgram conditions = code.program;
  for (FusionOutput& output : conditions.outputs) {
    const FusionStep* step = code.step_of(output);
    if (output.reduction != Reduction::kStore || step == nullptr || step->op != LaneOp::kWhere) return {};
    const auto kept = static_cast<std::size_t>(step->c);
    if (kept >= conditions.operands.size() || conditions.operands[kept].kind != OperandKind::kArray) return {};
    output = {step->a, ElementType::kBool, Reduction::kStore};
  }
  return compile(std::move(conditions));
}

}  // namespace

FusedLoop compile(FusionProgram program) {
  auto code = std::make_shared<ThreadedCode>(without_unused_steps(with_shared_gates(std::move(program))));
  code->types = code->program.value_types();
  for (ElementType type : code->types) {
    if (type == ElementType::kF64) code->group = Group::kEight;
  }
  code->tile = lanes::tile_of(code->group);
  Emitter(*code).run();
  code->conditions = conditions_of(*code);
  return FusedLoop(std::move(code));
}

std::string ThreadedCode::text() const {
  std::string result;
  for (const std::string& line : lines) result += line + '\n';
  return result;
}

}  // namespace mtf::kernels
