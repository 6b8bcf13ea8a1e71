#include "spmd/local_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "graph/call_text.h"
#include "graph/op.h"
#include "ops/ops.h"
#include "ops/registry.h"
#include "spmd/collectives.h"
#include "support/diagnostics.h"
#include "support/own_names.h"
#include "support/text.h"

namespace mtf::spmd {
namespace {

constexpr std::string_view kOwnPart = "own_part", kRemeshed = "remesh", kWindows = "windows", kTotal = "total";
constexpr std::array<std::string_view, 7> kReductions = {"store", "sum", "prod", "max", "min", "and", "or"};

std::string_view word_of_input(const graph::Op& op) {
  return &op == &ops::kNumber ? "number" : &op == &ops::kAssign ? "variable" : "input";
}

std::optional<InstructionKind> kind_of(std::string_view word) {
  if (word == kOwnPart) return InstructionKind::kSlice;
  if (word == kRemeshed) return InstructionKind::kRemesh;
  for (const CollectiveRecord& record : collective_records())
    if (record.word == word) return record.kind;
  return std::nullopt;
}

/// Returns the parts of a map that differ from the default: `(offset: -1, window: 3)`.
std::string map_text(const graph::AccessMap& map, int64_t size) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view label, int64_t value, int64_t usual) {
    if (value != usual) parts.push_back(fmt::format("{}: {}", label, value));
  };
  add("stride", map.stride, 1);
  add("offset", map.offset, 0);
  add("window", map.window, 1);
  add("dilation", map.dilation, 1);
  add("base_dilation", map.base_dilation, 1);
  add("from", map.from, size);
  add("to", map.to, size);
  if (map.reversed) parts.push_back("reversed");
  if (map.wrap) parts.push_back("wraps");
  return " (" + join(parts, ", ") + ")";
}

/// Returns the index of the input that a stage takes over, or -1. The stage before leaves most of them as outputs of
/// the same index.
int32_t input_taken_over(const LocalProgram& iteration, const Instruction& taken) {
  for (const Instruction& each : iteration.instructions)
    if (each.kind == InstructionKind::kInput && each.results[0] == taken.operands[0]) return each.input;
  return -1;
}

Dims dims_of(const LocalValue& value) { return value.type().dims; }

}  // namespace

std::string_view word_of(InstructionKind kind) {
  if (kind == InstructionKind::kSlice) return kOwnPart;
  return kind == InstructionKind::kRemesh ? kRemeshed : record_of(kind).word;
}

// ---- writing --------------------------------------------------------------------------------------------------------

LocalWriter::LocalWriter(const LocalProgram& program) : program_(program) {
  for (const LocalValue& value : program.values) names_.push_back(value.name);
  // The mesh of the first value in the text, whatever the numbers of the values.
  const auto first = [&](std::span<const int> values) {
    for (int v : values)
      if (!mesh_) mesh_ = program.values[v].mesh;
  };
  first(program.inputs);
  for (const Instruction& instruction : program.instructions) first(instruction.results);
  names_ = told_apart(std::move(names_));
}

std::string LocalWriter::names(std::span<const int> values) const {
  std::string text;
  for (int v : values) text += (text.empty() ? "" : ", ") + names_[v];
  return text;
}

std::string LocalWriter::value_text(int v) const {
  const LocalValue& value = program_.values[v];
  std::string text = fmt::format("{}: {}[", names_[v], mtf::name(value.element));
  for (size_t i = 0; i < value.dims.size(); ++i) {
    const LocalDim& dim = value.dims[i];
    text += (i ? ", " : "") + to_string(SplitDim{dim.dim, dim.axes}, value.mesh.get()) +
            (dim.mapped ? map_text(dim.map, dim.dim.size) : "");
  }
  text += "]" + MeshesOfText::where(value.mesh, mesh_) + stored_text(value.order, dims_of(value));
  if (value.partial) text += " partial over " + value.mesh->axes_to_string(value.partial);
  return text;
}

std::string LocalWriter::beginning() {
  std::string text = MeshesOfText::declared(mesh_);
  if (program_.passes_over_windows) text += fmt::format("{}\n", kWindows);
  for (const Instruction& instruction : program_.instructions) {
    if (instruction.kind != InstructionKind::kInput) continue;
    const bool is_sum = instruction.sum >= 0;
    text += fmt::format("{} = {}({})", value_text(instruction.results[0]),
                        is_sum ? kTotal : word_of_input(*instruction.node->op),
                        is_sum ? instruction.sum : instruction.input);
    if (instruction.copy >= 0) text += fmt::format(" copy {}", instruction.copy);
    text += instruction.dies ? " dies\n" : "\n";
  }
  return text;
}

std::string LocalWriter::line(std::span<const int> instructions) {
  std::vector<std::string> results, operands;
  for (int i : instructions) {
    for (int v : program_.instructions[i].results) results.push_back(value_text(v));
    for (int v : program_.instructions[i].operands) operands.push_back(names_[v]);
  }
  const Instruction& first = program_.instructions[instructions[0]];
  const bool computes = first.kind == InstructionKind::kCompute;
  std::string text = join(results, ", ") + " = ";
  text +=
      computes ? call_text(*first.node, operands) : fmt::format("{}({})", word_of(first.kind), join(operands, ", "));
  if (first.axes) text += " over " + program_.values[first.operands[0]].mesh->axes_to_string(first.axes);
  if (first.reduction != kernels::Reduction::kSum)
    text += fmt::format(" by {}", kReductions[static_cast<size_t>(first.reduction)]);
  if (first.kind == InstructionKind::kTakeOver && first.input != input_taken_over(program_, first))
    text += fmt::format(" from output {}", first.input);
  if (first.replica != 0) text += fmt::format(" again {}", first.replica);
  if (first.is_repeated) text += " repeated";
  if (first.node && first.node->region && computes) {
    graph::Region region = *first.node->region;  // some constants were resharded before the loop
    region.constants = static_cast<int32_t>(first.operands.size()) - region.carried - region.placed;
    text += region_text(region, first.node->mesh.get());
  }
  return text;
}

std::string LocalWriter::end() const {
  std::vector<std::string> parts;
  const size_t roots = program_.outputs.size() - program_.copied.size();
  for (size_t i = 0; i < program_.outputs.size(); ++i) {
    parts.push_back(names_[program_.outputs[i][0]]);
    if (i >= roots) parts.back() += fmt::format(" as copy {}", program_.copied[i - roots]);
  }
  return (parts.empty() ? "->" : "-> ") + join(parts, ", ") + "\n";
}

namespace {

std::string unsettled_text(const LocalProgram& program) {
  LocalWriter writer(program);
  std::string text = writer.beginning();
  for (int i = 0; i < static_cast<int>(program.instructions.size()); ++i) {
    const Instruction& instruction = program.instructions[i];
    if (instruction.kind == InstructionKind::kInput) continue;
    text += writer.line(std::span(&i, 1));
    if (instruction.reason) text += "   # " + to_string(*instruction.reason);
    text += "\n";
    if (instruction.iteration) text += graph::indented(unsettled_text(*instruction.iteration));
  }
  return text + writer.end();
}

}  // namespace

std::string to_string(const LocalProgram& program) { return settled(unsettled_text(program)); }

// ---- reading --------------------------------------------------------------------------------------------------------

int LocalReader::value() {
  const Span place = reader_.place();
  const std::string_view name = reader_.name("the name of a value");
  const auto at = values_.find(name);
  if (at == values_.end()) reader_.fail_at(place, "there is no {} before this line", mtf::code(name));
  return at->second;
}

LocalDim LocalReader::read_dim(const Mesh* mesh) {
  const SplitDim split = read_split_dim(reader_, mesh);
  LocalDim dim{split.dim, split.axes, false, {}};
  if (!reader_.take("(")) return dim;
  dim.mapped = true;
  dim.map.from = dim.map.to = dim.dim.size;
  constexpr int64_t kLarge = int64_t{1} << 62;
  const std::pair<std::string_view, int64_t*> numbers[] = {{"stride", &dim.map.stride},
                                                           {"offset", &dim.map.offset},
                                                           {"window", &dim.map.window},
                                                           {"dilation", &dim.map.dilation},
                                                           {"base_dilation", &dim.map.base_dilation},
                                                           {"from", &dim.map.from},
                                                           {"to", &dim.map.to}};
  bool first = true;
  while (!reader_.take(")")) {
    if (!first) reader_.expect(",");
    first = false;
    if (reader_.take("reversed")) {
      dim.map.reversed = true;
    } else if (reader_.take("wraps")) {
      dim.map.wrap = true;
    } else {
      const auto at = std::find_if(std::begin(numbers), std::end(numbers),
                                   [&](const auto& each) { return each.first == reader_.peek(); });
      if (at == std::end(numbers))
        reader_.fail("`stride`, `offset`, `window`, `dilation`, `base_dilation`, `from`, `to`, `reversed` or `wraps`");
      reader_.expect(at->first);
      reader_.expect(":");
      *at->second = reader_.integer(at->second == &dim.map.offset          ? -kLarge
                                    : at->second == &dim.map.base_dilation ? 1
                                                                           : 0,
                                    kLarge);
    }
  }
  return dim;
}

void LocalReader::new_value() {
  const Span place = reader_.place();
  LocalValue value;
  const std::string_view name = reader_.name("the name of a value");
  value.name = std::string(name);
  if (!values_.emplace(name, static_cast<int>(program.values.size())).second)
    reader_.fail_at(place, "{} is there already", mtf::code(name));
  reader_.expect(":");
  const Span type = reader_.place();
  value.element = read_element_type(reader_);
  value.mesh = meshes_.find_where(reader_);
  std::vector<SplitDim> dims;
  reader_.expect("[");
  while (!reader_.take("]")) {
    if (!dims.empty()) reader_.expect(",");
    value.dims.push_back(read_dim(value.mesh.get()));
    dims.push_back({value.dims.back().dim, value.dims.back().axes});
  }
  check_dims(reader_, type, dims);
  meshes_.read_where(reader_);
  value.order = reader_.take("stored") ? read_stored(reader_, dims_of(value)) : written_order(dims.size());
  if (reader_.take_words({"partial", "over"})) value.partial = read_axis_set(reader_, value.mesh.get());
  program.values.push_back(std::move(value));
}

int LocalReader::add(Instruction instruction, std::vector<int> results) {
  for (int result : results) made_by_[result] = instruction.node;
  instruction.results = std::move(results);
  program.instructions.push_back(std::move(instruction));
  return static_cast<int>(program.instructions.size()) - 1;
}

void LocalReader::read_input(std::string_view word) {
  const int result = static_cast<int>(program.values.size()) - 1;
  auto node = std::make_shared<graph::LaidOutOperation>();
  node->op = word == "number" ? &ops::kNumber : word == "variable" ? &ops::kAssign : &ops::kConstant;
  node->results = {program.values[result].type()};
  node->mesh = program.values[result].mesh;
  Instruction instruction;
  instruction.kind = InstructionKind::kInput;
  instruction.node = std::move(node);
  reader_.expect(word);
  reader_.expect("(");
  (word == kTotal ? instruction.sum : instruction.input) = static_cast<int32_t>(reader_.integer(0, INT32_MAX));
  reader_.expect(")");
  if (reader_.take("copy")) instruction.copy = static_cast<int32_t>(reader_.integer(0, INT32_MAX));
  instruction.dies = reader_.take("dies");
  add(std::move(instruction), {result});
  program.inputs.push_back(result);
}

void LocalReader::read_beginning() {
  while (reader_.next_line()) {
    if (program.values.empty() && meshes_.read_declared(reader_)) continue;
    if (reader_.peek(1) != ":") {
      if (!reader_.take(kWindows)) return reader_.put_line_back();
      program.passes_over_windows = true;
    } else {
      const std::string_view word = reader_.behind("=");
      if (word != "input" && word != "variable" && word != "number" && word != kTotal) return reader_.put_line_back();
      new_value();
      reader_.expect("=");
      read_input(word);
    }
    reader_.expect_end();
  }
}

std::vector<int> LocalReader::read_line() {
  const size_t before = program.values.size();
  const Span place = reader_.line();
  std::vector<int> results, made;
  do {
    new_value();
    results.push_back(static_cast<int>(program.values.size()) - 1);
  } while (reader_.take(","));
  reader_.expect("=");
  Instruction instruction;
  if (const std::optional<InstructionKind> kind = kind_of(reader_.peek())) {
    instruction.kind = *kind;
    reader_.expect(reader_.peek());
    reader_.expect("(");
    do instruction.operands.push_back(value());
    while (reader_.take(","));
    reader_.expect(")");
    instruction.node = made_by_[instruction.operands[0]];
  } else {
    read_operation(instruction, results, place);
  }
  for (int operand : instruction.operands)
    if (static_cast<size_t>(operand) >= before)
      reader_.fail_at(place, "{} is read by what makes it", mtf::code(program.values[operand].name));
  const int mover = instruction.operands.empty() ? results[0] : instruction.operands[0];
  if (reader_.take("over")) instruction.axes = read_axis_set(reader_, program.values[mover].mesh.get());
  if (instruction.kind == InstructionKind::kTakeOver)
    instruction.input = reader_.take_words({"from", "output"}) ? static_cast<int32_t>(reader_.integer(0, INT32_MAX))
                                                               : input_taken_over(program, instruction);
  if (reader_.take("by")) {
    const auto at = std::find(kReductions.begin(), kReductions.end(), reader_.peek());
    if (at == kReductions.end()) reader_.fail("`sum`, `prod`, `max`, `min`, `and` or `or`");
    reader_.expect(*at);
    instruction.reduction = static_cast<kernels::Reduction>(at - kReductions.begin());
  }
  if (reader_.take("again")) instruction.replica = static_cast<int32_t>(reader_.integer(1, INT32_MAX));
  instruction.is_repeated = reader_.take("repeated");
  if (instruction.kind == InstructionKind::kCompute) {
    if (instruction.node->op->role == graph::Role::kLoop) read_region_of(instruction);
    return {add(std::move(instruction), std::move(results))};
  }
  if (results.size() != instruction.operands.size()) reader_.fail_at(place, "expected as many operands as results");
  if (results.size() > 1 && instruction.kind != InstructionKind::kAllReduce)
    reader_.fail_at(place, "only all_reduces are merged");
  for (size_t k = 0; k < results.size(); ++k) {
    Instruction one = instruction;
    one.operands = {instruction.operands[k]};
    made.push_back(add(std::move(one), {results[k]}));
  }
  return made;
}

void LocalReader::read_operation(Instruction& instruction, const std::vector<int>& results, Span place) {
  auto node = std::make_shared<graph::LaidOutOperation>();
  node->mesh = program.values[results[0]].mesh;
  bool whole = true;  // no block is an interval of another dim
  read_call(reader_, ops::find_op, *node, [&] {
    instruction.operands.push_back(value());
    const LocalValue& operand = program.values[instruction.operands.back()];
    for (const LocalDim& dim : operand.dims) whole = whole && !dim.mapped;
    return operand.type();
  });
  if (node->op->role == graph::Role::kLoop)
    for (const int result : results) node->results.push_back(program.values[result].type());
  if (node->results.size() != results.size())
    reader_.fail_at(place, "{} gives {}", node->op->name,
                    count_text(static_cast<int64_t>(node->results.size()), "value"));
  for (size_t r = 0; r < results.size(); ++r) {
    const LocalValue& result = program.values[results[r]];
    for (const LocalDim& dim : result.dims) whole = whole && !dim.mapped;
    if (whole && dims_of(result) != node->results[r].dims)
      reader_.fail_at(place, "{} gives {}", node->op->name, to_string(node->results[r]));
  }
  instruction.node = std::move(node);
}

void LocalReader::read_region_of(Instruction& instruction) {
  auto node = std::make_shared<graph::LaidOutOperation>(*instruction.node);
  const Span place = reader_.place();
  graph::Region region = graph::read_region(reader_, node->mesh.get());
  const auto operands = static_cast<size_t>(region.tensors());
  const auto results = static_cast<size_t>(region.carried + region.stacked + region.summed);
  if (operands != node->operands.size() || results != node->results.size())
    reader_.fail_at(place, "the loop has {} and {}", count_text(static_cast<int64_t>(node->operands.size()), "operand"),
                    count_text(static_cast<int64_t>(node->results.size()), "result"));
  region.input_number.assign(operands, -1);
  node->region = std::make_shared<const graph::Region>(std::move(region));
  instruction.node = std::move(node);
}

const graph::Region* LocalReader::begins_iteration() const {
  const Instruction& last = program.instructions.back();
  return last.kind == InstructionKind::kCompute && last.node->region ? last.node->region.get() : nullptr;
}

void LocalReader::set_iteration(LocalProgram iteration) {
  const graph::Region& region = *program.instructions.back().node->region;
  if (iteration.outputs.size() != static_cast<size_t>(region.carried + region.stacked + region.summed))
    reader_.fail_at(reader_.line(), "the turn has {}",
                    count_text(static_cast<int64_t>(iteration.outputs.size()), "output"));
  program.instructions.back().iteration = std::make_shared<const LocalProgram>(std::move(iteration));
}

/// Finds the term of each sum: the value that an addition reads together with the running value.
void LocalReader::find_sums() {
  std::unordered_map<int, int32_t> sums;
  for (const Instruction& instruction : program.instructions)
    if (instruction.kind == InstructionKind::kInput && instruction.sum >= 0)
      sums[instruction.results[0]] = instruction.sum;
  program.sums.assign(sums.size(), -1);
  for (const Instruction& instruction : program.instructions)
    if (instruction.operands.size() == 2)
      if (const auto at = sums.find(instruction.operands[0]); at != sums.end())
        program.sums[static_cast<size_t>(at->second) % sums.size()] = instruction.operands[1];
}

void LocalReader::read_end() {
  reader_.expect("->");
  while (!reader_.at_end()) {
    if (!program.outputs.empty()) reader_.expect(",");
    program.outputs.push_back({value()});
    if (reader_.take_words({"as", "copy"})) program.copied.push_back(static_cast<int>(reader_.integer(0, INT32_MAX)));
    else if (!program.copied.empty()) reader_.fail("`as copy`: copies come last");
  }
  find_sums();
}

LocalProgram read_local_program(TextReader& reader) {
  LocalReader lines(reader);
  lines.read_beginning();
  while (reader.next_line() && reader.peek() != "->") {
    lines.read_line();
    reader.expect_end();
    if (lines.begins_iteration()) {
      const auto margin = reader.further_in();
      lines.set_iteration(read_local_program(reader));
    }
  }
  lines.read_end();
  return std::move(lines.program);
}

}  // namespace mtf::spmd
