#include "graph/program.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <map>
#include <unordered_map>
#include <utility>

#include "graph/layouts.h"
#include "graph/op.h"
#include "graph/region.h"
#include "support/diagnostics.h"
#include "support/interrupt.h"
#include "support/text.h"

namespace mtf::graph {
namespace {

class Capturer {
 public:
  explicit Capturer(const std::vector<NodePtr>& nodes)
      : nodes_(nodes), first_mark_(new_mark(static_cast<int64_t>(nodes.size()))) {
    program_.operations.reserve(nodes.size());
    places_.reserve(nodes.size());
    index_.assign(nodes.size(), -1);
    for (size_t i = 0; i < nodes.size(); ++i) nodes[i]->mark = first_mark_ + static_cast<int64_t>(i);
  }

  Capture run(const Values& roots, const Values& given) {
    given_any_ = !given.empty();
    for (const Value& value : given) {
      leaves_[{value.node.get(), value.result}] = program_.inputs.size();
      add_input(value, false);
    }
    for (size_t i = 0; i < nodes_.size(); ++i) {
      const NodePtr& node = nodes_[i];
      if (is_number(*node)) continue;  // becomes an input when it is first read
      ProgramOperation operation;
      operation.operation = node->operation;
      operation.first_operand = static_cast<int32_t>(program_.operands.size());
      operation.operand_count = static_cast<int32_t>(node->operands().size());
      operation.name = node->name;
      if (node->again)
        operation.replica = replicas_
                                .try_emplace(std::pair(node->segment.get(), node->again.get()),
                                             static_cast<int32_t>(replicas_.size()) + 1)
                                .first->second;
      operation.origin = static_cast<int32_t>(program_.operations.size());
      places_.emplace(node->operation.get(), operation.origin);
      if (const OperationRef& like = node->operation->why.like)
        if (const auto at = places_.find(like.get()); at != places_.end()) operation.like = at->second;
      MTF_CHECK(node->operands().size() == node->operation->operands.size(),
                "the operands of {} are asked for after they were given up", node->operation->op->name);
      for (const Value& operand : node->operands()) {
        const ProgramValue value = find(operand);  // may add an input, never an operation
        program_.operands.push_back(value);
      }
      index_[i] = operation.origin;
      program_.operations.push_back(std::move(operation));
    }
    for (const Value& root : roots) program_.roots.push_back(find(root));
    return std::move(result_);
  }

 private:
  struct Hash {
    size_t operator()(const std::pair<const Node*, int>& key) const {
      return std::hash<const void*>()(key.first) * 31 + static_cast<size_t>(key.second);
    }
  };

  static bool is_number(const Node& node) { return node.operation->op->role == Role::kNumber; }

  ProgramValue find(const Value& value) {
    const Node& node = *value.node;
    const size_t place = static_cast<size_t>(node.mark - first_mark_);  // index in nodes_, or beyond its end
    const bool is_made_here = place < nodes_.size() && index_[place] >= 0 && !node.is_computed(value.result);
    if (is_made_here && !given_any_) return {index_[place], value.result};
    if (auto at = leaves_.find({&node, value.result}); at != leaves_.end()) return ProgramValue::input(at->second);
    if (is_number(node)) {  // even if it was read as a tensor, it remains a number
      const uint64_t bits = std::bit_cast<uint64_t>(node.operation->inputs[0]);
      auto [at, fresh] = numbers_.try_emplace({bits, node.operation->results[0].element}, program_.inputs.size());
      if (fresh) add_input(value, true);
      return ProgramValue::input(at->second);
    }
    if (is_made_here) return {index_[place], value.result};
    MTF_CHECK(node.is_computed(value.result), "{} is neither computed nor part of the program",
              node.operation->op->name);
    leaves_[{&node, value.result}] = program_.inputs.size();
    add_input(value, false);
    return ProgramValue::input(program_.inputs.size() - 1);
  }

  void add_input(const Value& value, bool number) {
    ProgramInput input;
    input.operation = value.node->operation;
    input.result = value.result;
    input.name = value.node->name;
    input.is_number = number;
    program_.inputs.push_back(std::move(input));
    result_.leaves.push_back(number ? Value() : value);
    result_.numbers.push_back(number ? value.node->operation->inputs[0] : 0);
  }

  const std::vector<NodePtr>& nodes_;
  const int64_t first_mark_;  // marks of nodes_, in order
  bool given_any_ = false;
  Capture result_;
  Program& program_ = result_.program;
  std::vector<int32_t> index_;                                   // for each node: its operation, or -1
  std::unordered_map<const LaidOutOperation*, int32_t> places_;  // for each operation: the index of its first use
  std::unordered_map<std::pair<const Node*, int>, size_t, Hash> leaves_;
  std::map<std::pair<uint64_t, ElementType>, size_t> numbers_;
  std::map<std::pair<const Segment*, const Segment*>, int32_t> replicas_;  // by the values that are recomputed together
};

/// Numbers values in the order of their first use. There are mostly few, which are compared one by one.
template <typename T>
class Numbering {
 public:
  /// Returns the number of `key`, and whether it is new.
  std::pair<uint32_t, bool> operator[](const T& key) {
    constexpr size_t kFew = 16;
    if (few_.size() < kFew || all_.empty()) {
      for (size_t i = 0; i < few_.size(); ++i)
        if (few_[i] == key) return {static_cast<uint32_t>(i), false};
      if (few_.size() < kFew) {
        few_.push_back(key);
        return {static_cast<uint32_t>(few_.size() - 1), true};
      }
      for (size_t i = 0; i < few_.size(); ++i) all_.emplace(few_[i], static_cast<uint32_t>(i));
    }
    auto [at, fresh] = all_.emplace(key, static_cast<uint32_t>(all_.size()));
    return {at->second, fresh};
  }

 private:
  std::vector<T> few_;
  std::unordered_map<T, uint32_t> all_;
};

/// Builds the canonical text of a program. Gathers small pieces before it appends them.
class Form {
 public:
  explicit Form(size_t expected) { text_.reserve(expected); }
  std::string take() {
    append_gathered();
    return std::move(text_);
  }

  template <typename T>
  void add(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    add_bytes({reinterpret_cast<const char*>(&value), sizeof value});
  }
  void add(Name name) {
    const auto [number, fresh] = names_[name.id()];
    add(number);
    if (!fresh) return;
    add(static_cast<uint32_t>(name.text().size()));
    add_bytes(name.text());
  }
  void add(const Dim& dim) {
    add(dim.name);
    add(dim.size);
  }
  template <typename T>
  void add(const std::vector<T>& list) {
    add(static_cast<uint32_t>(list.size()));
    for (const T& each : list) add(each);
  }
  void add(const TensorType& type) {
    add(static_cast<uint8_t>(type.element));
    add(type.dims);
  }
  void add(const AxisList& axes) {
    uint64_t code = 1;
    for (int axis : axes) code = code * 16 + static_cast<uint64_t>(axis);
    add(code);
  }
  void add(const TensorType& type, const Sharding& sharding) {
    add(type);
    for (const AxisList& axes : sharding.dims) add(axes);
    add(sharding.partial);
  }
  void add(const MeshPtr& mesh) {
    const auto [number, fresh] = meshes_[mesh.get()];
    add(number);
    if (!fresh) return;
    add(mesh->name());
    add(static_cast<uint32_t>(mesh->axes().size()));
    for (const Axis& axis : mesh->axes()) {
      add(axis.name);
      add(axis.size);
    }
  }
  void add(const ProgramOperation& entry) {
    const LaidOutOperation& operation = *entry.operation;
    add(operation.op->name.size());
    add_bytes(operation.op->name);
    operation.attributes.visit([&](const Member&, const auto& value) { add(value); });
    add(static_cast<uint8_t>(operation.origin));
    add(static_cast<uint8_t>(is_written(operation) * 2 + follows_written(operation)));
    add(static_cast<uint32_t>(operation.results.size()));
    for (size_t r = 0; r < operation.results.size(); ++r) add(operation.results[r], operation.shardings[r]);
    add(operation.mesh);
    if (operation.region) add_bytes(operation.region->form);
    add(entry.replica);
    if (operation.inputs.empty()) return;
    std::string bits(reinterpret_cast<const char*>(operation.inputs.data()), operation.inputs.size() * sizeof(double));
    if (operation.op->expand != nullptr) add_bytes(bits);
    add(numbers_.emplace(std::pair(operation.op, std::move(bits)), static_cast<uint32_t>(numbers_.size()))
            .first->second);
  }

 private:
  static constexpr size_t kGathered = 1024;

  void add_bytes(std::string_view bytes) {
    if (gathered_ + bytes.size() > kGathered) append_gathered();
    if (bytes.size() > kGathered) {
      text_.append(bytes);
      return;
    }
    std::memcpy(few_ + gathered_, bytes.data(), bytes.size());
    gathered_ += bytes.size();
  }
  void append_gathered() { text_.append(few_, std::exchange(gathered_, 0)); }

  std::string text_;
  char few_[kGathered];
  size_t gathered_ = 0;
  Numbering<uint32_t> names_;
  Numbering<const Mesh*> meshes_;
  std::map<std::pair<const Op*, std::string>, uint32_t> numbers_;  // equal numbers, by their bits
};

}  // namespace

Capture capture(const std::vector<NodePtr>& nodes, const Values& roots, const Values& given) {
  return Capturer(nodes).run(roots, given);
}

std::string canonical_form(const Program& program) {
  Form form(program.operations.size() * 96 + program.inputs.size() * 64);
  form.add(program.inputs.size());
  for (const ProgramInput& input : program.inputs) {
    const LaidOutOperation& operation = *input.operation;
    form.add(operation.results[input.result], operation.shardings[input.result]);
    form.add(operation.mesh);
    form.add(static_cast<uint8_t>(is_written(operation) * 4 + input.is_number * 2 + input.dies));
    for (int8_t dim : input.order) form.add(dim);
    form.add(input.copies.size());
    for (const InputCopy& copy : input.copies) {
      form.add(operation.results[input.result], copy.sharding);
      for (int8_t dim : copy.order) form.add(dim);
    }
  }
  form.add(program.operations.size());
  for (const ProgramOperation& operation : program.operations) {
    check_interrupt();
    form.add(operation);
    for (const ProgramValue& operand : program.operands_of(operation)) form.add(operand);
  }
  form.add(program.roots.size());
  for (const ProgramValue& root : program.roots) form.add(root);
  for (const ProgramValue& value : program.for_gradients) form.add(value);
  return form.take();
}

std::string name_of(const ProgramInput& input) {
  const std::string name = input.name.empty() ? std::string(input.operation->op->name) : input.name.str();
  return name + (input.result > 0 ? "." + std::to_string(input.result) : "");
}

std::vector<std::string> names_of(const Program& program) {
  const size_t count = program.operations.size();
  // An unnamed operation takes the base name of its first consumer. Operations come before their consumers.
  std::vector<Name> base(count);
  for (size_t i = count; i-- > 0;) {
    const Name own = program.operations[i].name;
    if (!own.empty()) base[i] = own;
    else if (base[i].empty()) base[i] = Name("value");
    for (const ProgramValue& operand : program.operands_of(i))
      if (!operand.is_input()) base[operand.source] = base[i];
  }
  std::unordered_map<Name, int> owners, used;
  for (const ProgramOperation& operation : program.operations)
    if (!operation.name.empty()) owners[operation.name]++;
  std::vector<std::string> names(count);
  for (size_t i = 0; i < count; ++i) {
    const Name name = base[i];
    const bool own = !program.operations[i].name.empty() && --owners[name] == 0;  // the last of a name has it plain
    names[i] = own ? name.str() : name.str() + "." + std::to_string(++used[name]);
  }
  return names;
}

void verify(const Program& program) {
  for (size_t i = 0; i < program.operations.size(); ++i) {
    check_interrupt();
    const LaidOutOperation& operation = *program.operations[i].operation;
    MTF_CHECK(operation.results.size() == operation.shardings.size() && operation.mesh, "{} has no layout",
              operation.op->name);
    const std::span<const ProgramValue> operands = program.operands_of(i);
    MTF_CHECK(operands.size() == operation.operands.size(), "{} has {} operands", operation.op->name, operands.size());
    for (size_t k = 0; k < operands.size(); ++k) {
      MTF_CHECK(operands[k].source < static_cast<int32_t>(i), "{} reads what is not computed before it",
                operation.op->name);
      MTF_CHECK(program.type(operands[k]) == operation.operands[k], "{} is to read {}, and reads {}",
                operation.op->name, to_string(operation.operands[k]), to_string(program.type(operands[k])));
    }
    if (operation.region) verify(operation.region->iteration);
    for (size_t r = 0; r < operation.results.size(); ++r) {
      AxisSet used = 0;
      const Dims& dims = operation.results[r].dims;
      MTF_CHECK(dims.size() == operation.shardings[r].dims.size(), "{}: {} dims", operation.op->name, dims.size());
      for (size_t d = 0; d < dims.size(); ++d) {
        MTF_CHECK(find_dim(dims, dims[d].name) == static_cast<int>(d), "{}: dim {} twice", operation.op->name,
                  dims[d].name.text());
        MTF_CHECK((used & operation.shardings[r].dims[d].set()) == 0, "{}: an axis twice", operation.op->name);
        used |= operation.shardings[r].dims[d].set();
      }
    }
  }
}

}  // namespace mtf::graph
