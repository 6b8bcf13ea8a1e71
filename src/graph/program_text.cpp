// The text of a program.
//
//   x: f32[batch=64/rows] = input() dies            an input or an operation is followed by these words, if they apply:
//
//   input    own              a number that no line wrote: an expansion's
//            in full          `@` gives the split of every dim          (is_written)
//            dies             nothing reads it after the program
//            stored [b, a]    its storage order, if that differs from the order of its dims
//            also [a=4, b=6]  a copy of it in this layout               (ProgramInput::copies)
//   other    given            its layout is requested or declared       (LayoutOrigin::kGiven)
//            given in full    `@` gives the split of every dim
//            like w           it copies the layout of w, or of a value outside the program: `like [a=4/p]`
//            computed         its layout is the one in which a cut computed it
//            derived          the program did not write it: it is part of a gradient or an expansion
//            again 1          recomputed for a backward pass, together with all operations of this number
//            named            the program named it, and gave a later value the same name
//
// The line of a loop ends with the counts of its region. The indented lines after it are one iteration
// (graph/region.h).
//
// Values on another mesh than that of the first line name it after their types: `on pair[p: 2]`. A split that `@`
// wrote, and that results inherit, is marked by `@`: `batch=64@rows`. `x[1]` is the second result of the operation
// named x.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <unordered_map>

#include "graph/call_text.h"
#include "graph/layouts.h"
#include "graph/op.h"
#include "graph/program.h"
#include "support/diagnostics.h"
#include "support/own_names.h"
#include "support/text.h"
#include "types/text_reader.h"

namespace mtf::graph {
namespace {

constexpr std::string_view kInput = "input", kVariable = "variable", kNumber = "number", kAssign = "assign",
                           kConstant = "constant";

/// True for names like `w.1`: a part of the value w without a name of its own.
bool is_part(std::string_view name) {
  const size_t dot = name.rfind('.');
  return dot != std::string_view::npos && dot + 1 < name.size() &&
         name.find_first_not_of("0123456789", dot + 1) == std::string_view::npos;
}

// ---- writing --------------------------------------------------------------------------------------------------------

class ProgramWriter {
 public:
  explicit ProgramWriter(const Program& program) : program_(program) {
    for (const ProgramInput& input : program.inputs) names_.push_back(name_of(input));
    const std::vector<std::string> made = names_of(program);
    for (size_t i = 0; i < made.size(); ++i) {
      const Name own = program.operations[i].name;
      is_part_.push_back(!own.empty() && made[i] != own.text());
    }
    names_.insert(names_.end(), made.begin(), made.end());
    names_ = told_apart(std::move(names_));
    for (const ProgramInput& input : program.inputs)
      if (!mesh_) mesh_ = input.operation->mesh;
    for (const ProgramOperation& entry : program.operations)
      if (!mesh_) mesh_ = entry.operation->mesh;
  }

  std::string text() {
    std::string text = MeshesOfText::declared(mesh_);
    for (size_t i = 0; i < program_.inputs.size(); ++i) text += line(i, program_.inputs[i]) + "\n";
    for (size_t i = 0; i < program_.operations.size(); ++i) text += line(i, program_.operations[i]) + "\n";
    if (!program_.for_gradients.empty()) {
      std::vector<std::string> read;
      for (const ProgramValue& value : program_.for_gradients) read.push_back(name(value));
      text += "gradients read " + join(read, ", ") + "\n";
    }
    std::vector<std::string> roots;
    for (size_t i = 0; i < program_.roots.size(); ++i)
      roots.push_back((!program_.only_history.empty() && program_.only_history[i] ? "history " : "") +
                      name(program_.roots[i]));
    return text + (roots.empty() ? "->" : "-> ") + join(roots, ", ") + "\n";
  }

 private:
  std::string name(ProgramValue value) const {
    if (value.is_input()) return names_[value.input()];
    return names_[program_.inputs.size() + value.source] + (value.result > 0 ? fmt::format("[{}]", value.result) : "");
  }

  std::string type_of(const LaidOutOperation& operation, size_t result) const {
    const std::string where = MeshesOfText::where(operation.mesh, mesh_);
    if (!operation.mesh) return to_string(operation.results[result]) + where;
    return to_string(operation.results[result], operation.shardings[result], *operation.mesh,
                     operation.inherited[result]) +
           where;
  }

  std::string line(size_t place, const ProgramInput& input) const {
    const LaidOutOperation& operation = *input.operation;
    const Dims& dims = operation.results[input.result].dims;
    const std::string_view word = input.is_number ? kNumber : operation.op->name == kAssign ? kVariable : kInput;
    std::string text =
        fmt::format("{}: {} = {}({})", names_[place], type_of(operation, static_cast<size_t>(input.result)), word,
                    input.is_number && !operation.inputs.empty() ? number_text(operation.inputs[0]) : "");
    if (input.is_own) text += " own";
    if (is_written(operation)) text += " in full";
    if (input.dies) text += " dies";
    text += stored_text(input.order, dims);
    for (const InputCopy& copy : input.copies)
      text += " also " + dims_text(dims, copy.sharding, *operation.mesh) + stored_text(copy.order, dims);
    return text;
  }

  static std::string dims_text(const Dims& dims, const Sharding& sharding, const Mesh& mesh) {
    std::vector<std::string> parts;
    for (size_t d = 0; d < dims.size(); ++d) parts.push_back(to_string(SplitDim{dims[d], sharding.dims[d]}, &mesh));
    return "[" + join(parts, ", ") + "]";
  }

  std::string line(size_t place, const ProgramOperation& entry) {
    const LaidOutOperation& operation = *entry.operation;
    std::vector<std::string> types, given;
    for (size_t r = 0; r < operation.results.size(); ++r) types.push_back(type_of(operation, r));
    for (const ProgramValue& operand : program_.operands_of(entry)) given.push_back(name(operand));
    const std::string text = fmt::format("{}: {} = {}{}", names_[program_.inputs.size() + place], join(types, ", "),
                                         call_text(operation, given), behind(place, entry));
    if (!operation.region) return text;
    std::string iteration = indented(ProgramWriter(operation.region->iteration).text());
    iteration.pop_back();  // the last line break
    return text + region_text(*operation.region, operation.mesh.get()) + "\n" + iteration;
  }

  std::string behind(size_t place, const ProgramOperation& entry) {
    const LaidOutOperation& operation = *entry.operation;
    std::string text;
    switch (operation.origin) {
      case LayoutOrigin::kRules: break;
      case LayoutOrigin::kGiven: text += is_written(operation) ? " given in full" : " given"; break;
      case LayoutOrigin::kLike: text += like(entry); break;
      case LayoutOrigin::kComputed: text += " computed"; break;
    }
    if (!operation.written) text += " derived";
    if (entry.replica != 0) text += fmt::format(" again {}", entry.replica);
    if (is_part_[place]) text += " named";
    return text;
  }

  std::string like(const ProgramOperation& entry) const {
    const LaidOutOperation& operation = *entry.operation;
    const LayoutReason& why = operation.why;
    const auto same = [&](const LaidOutOperation& other) { return is_written(other) == is_written(*why.like); };
    if (entry.like >= 0 && same(*program_.operations[entry.like].operation))
      return " like " + name({entry.like, why.like_result});
    for (size_t i = 0; i < program_.inputs.size(); ++i)
      if (program_.inputs[i].operation == why.like && program_.inputs[i].result == why.like_result)
        return " like " + names_[i];
    return " like " +
           dims_text(why.like->results[why.like_result].dims, why.like->shardings[why.like_result], *why.like->mesh) +
           (is_written(*why.like) ? " in full" : "");
  }

  const Program& program_;
  MeshPtr mesh_;
  std::vector<std::string> names_;  ///< of inputs, then of operations
  std::vector<bool> is_part_;       ///< for each operation: it is printed as if it had no name of its own
};

// ---- reading --------------------------------------------------------------------------------------------------------

class ProgramReader {
 public:
  ProgramReader(TextReader& reader, FindOp find_op) : reader_(reader), find_op_(find_op) {}

  Program read() {
    while (reader_.next_line()) {
      if (reader_.take("->")) {
        read_roots();
        return std::move(program_);
      }
      if (reader_.take_words({"gradients", "read"})) {
        do program_.for_gradients.push_back(value());
        while (reader_.take(","));
      } else if (program_.operations.empty() && program_.inputs.empty() && meshes_.read_declared(reader_)) {
        continue;
      } else {
        read_value();
      }
      reader_.expect_end();
    }
    reader_.fail("a line such as `-> x`, which says what the program gives");
  }

 private:
  void read_roots() {
    bool any_history = false;
    while (!reader_.at_end()) {
      if (!program_.roots.empty()) reader_.expect(",");
      const bool is_history = reader_.peek() == "history" && reader_.peek(1) != "," && !reader_.peek(1).empty();
      if (is_history) reader_.expect("history");
      program_.only_history.push_back(is_history);
      any_history = any_history || is_history;
      program_.roots.push_back(value());
    }
    if (!any_history) program_.only_history.clear();
  }

  ProgramValue value() {
    const Span place = reader_.place();
    const std::string_view name = reader_.name("the name of a value");
    if (const auto at = values_.find(name); at != values_.end()) return at->second;
    // `x[1]`, unless a value has this name.
    const size_t bracket = std::min(name.rfind('['), name.size());
    const auto at = values_.find(name.substr(0, bracket));
    if (at == values_.end() || bracket == name.size())
      reader_.fail_at(place, "there is no {} before this line", code(name));
    const ProgramValue found{at->second.source,
                             static_cast<int32_t>(std::strtol(name.data() + bracket + 1, nullptr, 10))};
    const size_t results = found.is_input() ? 1 : program_.operations[found.source].operation->results.size();
    if (static_cast<size_t>(found.result) >= results)
      reader_.fail_at(place, "{} has {}", at->first, mtf::count_text(static_cast<int64_t>(results), "result"));
    return found;
  }

  void read_value() {
    const Span place = reader_.place();
    const std::string_view name = reader_.name("the name of a value, `->` or `gradients read`");
    if (values_.contains(name)) reader_.fail_at(place, "{} is there already", code(name));
    reader_.expect(":");
    auto operation = std::make_shared<LaidOutOperation>();
    const Span types = reader_.place();
    do {
      TensorType& type = operation->results.emplace_back();
      Sharding& sharding = operation->shardings.emplace_back();
      AxisSet& inherited = operation->inherited.emplace_back();
      type.element = read_element_type(reader_);
      operation->mesh = meshes_.find_where(reader_);
      for (const SplitDim& dim : read_dims(operation->mesh)) {
        type.dims.push_back(dim.dim);
        sharding.dims.push_back(dim.axes);
        inherited |= dim.marked;
      }
      meshes_.read_where(reader_);
    } while (reader_.take(","));
    reader_.expect("=");
    const std::string_view word = reader_.peek();
    if (word == kInput || word == kVariable || word == kNumber) read_input(name, std::move(operation));
    else read_operation(name, std::move(operation), types);
  }

  std::vector<SplitDim> read_dims(const MeshPtr& mesh) {
    const Span place = reader_.place();
    std::vector<SplitDim> dims;
    reader_.expect("[");
    while (!reader_.take("]")) {
      if (!dims.empty()) reader_.expect(",");
      dims.push_back(read_split_dim(reader_, mesh.get()));
    }
    check_dims(reader_, place, dims);
    return dims;
  }

  void read_input(std::string_view name, std::shared_ptr<LaidOutOperation> operation) {
    const std::string_view word = reader_.name("an input");
    ProgramInput input;
    input.name = Name(without_number(name));
    input.is_number = word == kNumber;
    operation->op = find_op_(word == kVariable ? kAssign : word == kNumber ? kNumber : kConstant);
    reader_.expect("(");
    if (input.is_number && reader_.peek() != ")") operation->inputs = {reader_.number()};
    reader_.expect(")");
    if (!operation->inputs.empty() && reader_.take("own")) {
      input.is_own = true;
      input.number = operation->inputs[0];
    }
    const Dims dims = operation->results[0].dims;
    while (!reader_.at_end()) {
      if (reader_.take_words({"in", "full"})) ask_in_full(*operation);
      else if (reader_.take("dies")) input.dies = true;
      else if (reader_.take("stored"))
        (input.copies.empty() ? input.order : input.copies.back().order) = read_stored(reader_, dims);
      else if (reader_.take("also")) input.copies.push_back({read_same_dims(dims, operation->mesh), {}});
      else reader_.fail("`in full`, `dies`, `stored` or `also`");
    }
    input.operation = std::move(operation);
    values_.emplace(name, ProgramValue::input(program_.inputs.size()));
    if (!program_.operations.empty()) reader_.fail_at(reader_.line(), "inputs stand before all operations");
    program_.inputs.push_back(std::move(input));
  }

  Sharding read_same_dims(const Dims& dims, const MeshPtr& mesh) {
    const Span place = reader_.place();
    const std::vector<SplitDim> read = read_dims(mesh);
    Sharding sharding;
    for (const SplitDim& dim : read) sharding.dims.push_back(dim.axes);
    if (!std::equal(read.begin(), read.end(), dims.begin(), dims.end(),
                    [](const SplitDim& a, const Dim& b) { return a.dim == b; }))
      reader_.fail_at(place, "expected {} with other axes", to_string(dims));
    return sharding;
  }

  static void ask_in_full(LaidOutOperation& operation) { operation.why.asked = std::make_shared<const AskedLayout>(); }

  /// Takes the types that a pipeline has around its iterations (spmd/join_pipelines.cpp). A result that only stages
  /// read holds fewer micro-batches than there are. A result with layers in chunks has the dim of the chunks in front.
  static void take_types_of_pipeline(LaidOutOperation& operation, const std::vector<TensorType>& written) {
    if (!operation.region || operation.region->joined.empty()) return;
    for (size_t r = 0; r < operation.results.size() && r < written.size(); ++r) {
      Dims& dims = operation.results[r].dims;
      const Dims& fewer = written[r].dims;
      const Name micro = operation.region->micro;
      if (fewer.size() == dims.size() + 1) dims.insert(dims.begin(), fewer[0]);
      if (!has_dim(dims, micro) || !has_dim(fewer, micro)) continue;
      Dim& dim = dims[find_dim(dims, micro)];
      dim.size = std::min(dim.size, fewer[find_dim(fewer, micro)].size);
    }
  }

  void read_operation(std::string_view name, std::shared_ptr<LaidOutOperation> operation, Span types) {
    ProgramOperation entry;
    entry.origin = static_cast<int32_t>(program_.operations.size());
    entry.first_operand = static_cast<int32_t>(program_.operands.size());
    const std::vector<TensorType> written = std::move(operation->results);
    read_call(reader_, find_op_, *operation, [&] {
      program_.operands.push_back(value());
      return program_.type(program_.operands.back());
    });
    const auto refuse_others = [&] {
      take_types_of_pipeline(*operation, written);
      if (operation->results == written) return;
      std::vector<std::string> expected;
      for (const TensorType& type : operation->results) expected.push_back(to_string(type));
      reader_.fail_at(types, "{} gives {}", operation->op->name, join(expected, ", "));
    };
    if (operation->op->role != Role::kLoop) refuse_others();
    if (!operation->mesh)
      reader_.fail_at(types, "an operation needs a mesh: `mesh grid = [rows: 2]` is the first line");
    entry.operand_count = static_cast<int32_t>(operation->operands.size());
    const std::string_view base = without_number(name);
    bool named = !is_part(base);
    while (!reader_.at_end()) {
      if (reader_.take("given")) {
        operation->origin = LayoutOrigin::kGiven;
        if (reader_.take_words({"in", "full"})) ask_in_full(*operation);
      } else if (reader_.take("like")) {
        read_like(entry, *operation);
      } else if (reader_.take("computed")) {
        operation->origin = LayoutOrigin::kComputed;
      } else if (reader_.take("derived")) {
        operation->written = false;
      } else if (reader_.take("again")) {
        entry.replica = static_cast<int32_t>(reader_.integer(1, INT32_MAX));
      } else if (reader_.take("named")) {
        named = true;
      } else if (operation->op->role == Role::kLoop) {
        read_iteration(*operation);
        refuse_others();
      } else {
        reader_.fail("`given`, `like`, `computed`, `derived`, `again` or `named`");
      }
    }
    if (operation->op->role == Role::kLoop && !operation->region)
      reader_.fail("`turns`, behind which the lines of one turn stand");
    if (named) entry.name = Name(is_part(base) ? base.substr(0, base.rfind('.')) : base);
    entry.operation = std::move(operation);
    values_.emplace(name, ProgramValue{entry.origin, 0});
    program_.operations.push_back(std::move(entry));
  }

  /// Reads the rest of a loop's line, and the lines of its iteration.
  void read_iteration(LaidOutOperation& operation) {
    const Span place = reader_.place();
    Region region = read_region(reader_, operation.mesh.get());
    reader_.expect_end();
    Capture iteration;
    {
      const auto margin = reader_.further_in();
      iteration.program = ProgramReader(reader_, find_op_).read();
    }
    const size_t roots = static_cast<size_t>(region.carried + region.stacked + region.summed);
    const auto tensors = std::count_if(iteration.program.inputs.begin(), iteration.program.inputs.end(),
                                       [](const ProgramInput& input) { return !input.is_number; });
    if (tensors != region.tensors() || iteration.program.roots.size() != roots)
      reader_.fail_at(place, "the turn has {} and {}", mtf::count_text(tensors, "tensor"),
                      mtf::count_text(static_cast<int64_t>(iteration.program.roots.size()), "root"));
    for (const ProgramInput& input : iteration.program.inputs)
      iteration.numbers.push_back(input.operation->inputs.empty() ? 0 : input.operation->inputs[0]);
    CapturedRegion captured = make_region(std::move(iteration), std::move(region));
    operation.region = std::move(captured.region);
    operation.inputs = std::move(captured.numbers);
    operation.results = operation.op->infer(operation);
  }

  void read_like(ProgramOperation& entry, LaidOutOperation& operation) {
    operation.origin = LayoutOrigin::kLike;
    if (reader_.peek() != "[") {
      const ProgramValue like = value();
      operation.why.like =
          like.is_input() ? program_.inputs[like.input()].operation : program_.operations[like.source].operation;
      operation.why.like_result = program_.result_of(like);
      if (!like.is_input()) entry.like = like.source;
      return;
    }
    const std::vector<SplitDim> dims = read_dims(operation.mesh);
    auto like = std::make_shared<LaidOutOperation>();
    like->op = find_op_(kConstant);
    like->mesh = operation.mesh;
    like->results.resize(1);
    like->shardings.resize(1);
    like->inherited.resize(1);
    for (const SplitDim& dim : dims) {
      like->results[0].dims.push_back(dim.dim);
      like->shardings[0].dims.push_back(dim.axes);
    }
    if (reader_.take_words({"in", "full"})) ask_in_full(*like);
    operation.why.like = std::move(like);
  }

  TextReader& reader_;
  const FindOp find_op_;
  MeshesOfText meshes_;
  Program program_;
  std::unordered_map<std::string_view, ProgramValue> values_;
};

}  // namespace

std::string to_string(const Program& program) { return settled(ProgramWriter(program).text()); }

Program read_program(TextReader& reader, FindOp find_op) { return ProgramReader(reader, find_op).read(); }

}  // namespace mtf::graph
