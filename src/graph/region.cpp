#include "graph/region.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "graph/op.h"
#include "graph/relayout.h"
#include "support/diagnostics.h"

namespace mtf::graph {
namespace {

/// The number of decisions about the carry's layout before the carry is replicated.
constexpr int kMostDecisions = 8;

/// Returns an operation that stands for a value from outside the region: the same operation in another layout.
OperationRef standing_in(const LaidOutOperation& of, int result, Sharding lies, AxisSet inherited,
                         const MeshPtr& mesh) {
  auto operation = std::make_shared<LaidOutOperation>();
  operation->op = of.op;
  operation->attributes = of.attributes;
  operation->results = {of.results[static_cast<size_t>(result)]};
  operation->mesh = mesh;
  operation->shardings = {std::move(lies)};
  operation->inherited = {inherited};
  operation->origin = LayoutOrigin::kGiven;
  operation->why = is_written(of) ? of.why : LayoutReason{};
  operation->span = of.span;
  return operation;
}

/// Appends the indices of the call numbers of an operation's random calls.
void append_call_numbers(std::vector<int32_t>& calls, const LaidOutOperation& operation, int32_t first) {
  if (operation.region)
    for (const int32_t place : operation.region->call_numbers) calls.push_back(first + place);
  else if (operation.op->random_call >= 0) calls.push_back(first + operation.op->random_call);
}

std::string form_of(const Region& region) {
  std::string form =
      fmt::format("{} {} {} {} {} {} {} {} {} ", region.carried, region.placed, region.constants, region.stacked,
                  region.summed, region.saved, region.iterations, region.calls, region.micro.str());
  for (const int axis : region.stages) form += fmt::format("{} ", axis);
  return form + canonical_form(region.iteration);
}

/// Decides the layouts of an iteration, in program order, for given layouts of its tensors.
class IterationLayouts {
 public:
  IterationLayouts(const Region& was, const MeshPtr& on, const MeshPtr& mesh, const LayoutPtr& rules)
      : was_(was), on_(on), mesh_(mesh), rules_(rules) {}

  struct Lies {
    Sharding sharding;
    AxisSet inherited = 0;
    bool operator==(const Lies&) const = default;
  };

  Program decide(const std::vector<Lies>& tensors) {
    Program iteration = was_.iteration;
    Successors now;
    for (size_t i = 0; i < iteration.inputs.size(); ++i) {
      ProgramInput& input = iteration.inputs[i];
      const LaidOutOperation& before = *was_.iteration.inputs[i].operation;
      const bool is_tensor = i < tensors.size();
      const Lies lies = is_tensor ? tensors[i] : Lies{replicated(before.results[input.result].dims.size())};
      if (is_tensor) input.operation = standing_in(before, input.result, lies.sharding, lies.inherited, on_);
      else input.operation = laid_out_again(before, {}, nullptr, mesh_, rules_);
      now.add(before, was_.iteration.inputs[i].result, input.operation, 0);
      if (is_tensor) input.result = 0;
    }
    for (size_t i = 0; i < iteration.operations.size(); ++i) {
      const LaidOutOperation& before = *was_.iteration.operations[i].operation;
      std::vector<OperandLayout> operands;
      for (const ProgramValue& value : iteration.operands_of(i)) {
        const LaidOutOperation& maker = iteration.maker(value);
        const int32_t result = iteration.result_of(value);
        operands.push_back({&maker.shardings[result], maker.inherited[result], maker.mesh.get()});
      }
      if (before.why.like) {
        LaidOutOperation following = before;
        if (!now.apply(following.why)) {  // the value that it copied is outside: it takes its operands' layout
          following.origin = LayoutOrigin::kRules;
          following.why = {};
        }
        iteration.operations[i].operation = laid_out_again(following, operands, nullptr, mesh_, rules_);
      } else {
        iteration.operations[i].operation = laid_out_again(before, operands, nullptr, mesh_, rules_);
      }
      now.add(before, iteration.operations[i].operation);
    }
    return iteration;
  }

 private:
  const Region& was_;
  const MeshPtr& on_;
  const MeshPtr& mesh_;
  const LayoutPtr& rules_;
};

/// Returns the axes that split the iterations of a loop, if it can be a pipeline. They are the axes of the first
/// operand that is split along the loop's dim.
AxisList stages_of(const Region& region, const MeshPtr& mesh, std::span<const OperandLayout> operands) {
  if (region.micro.empty() || mesh->order() == kMaxAxes) return {};
  for (const ProgramOperation& each : region.iteration.operations)
    if (!same_mesh(each.operation->mesh, mesh)) return {};
  AxisList stages;
  for (size_t k = 0; k < operands.size() && stages.empty(); ++k)
    if (region.is_placed(k) && *operands[k].mesh == *mesh) stages = operands[k].sharding->dims[0];
  if (mesh->group_size(stages.set()) == 1 || along_micro(region, region.micro, true).mixing) return {};
  for (int32_t c = 0; c < region.carried; ++c) {
    const TensorType& type = region.iteration.type(region.iteration.roots[c]);
    if (!has_dim(type.dims, region.micro) || type.element == ElementType::kBool) return {};
  }
  return stages;
}

void put_within_stage(Program& iteration, AxisSet stages, Name micro) {
  Successors now;
  for (ProgramInput& input : iteration.inputs) {
    auto copy = within_stage(*input.operation, stages, micro);
    now.add(*input.operation, copy);
    input.operation = std::move(copy);
  }
  for (ProgramOperation& entry : iteration.operations) {
    auto copy = within_stage(*entry.operation, stages, micro);
    now.apply(copy->why);
    now.add(*entry.operation, copy);
    entry.operation = std::move(copy);
  }
}

}  // namespace

std::shared_ptr<LaidOutOperation> within_stage(const LaidOutOperation& was, AxisSet stages, Name micro) {
  auto now = std::make_shared<LaidOutOperation>(was);
  if (was.region) {
    Region region = *was.region;
    stages |= std::exchange(region.stages, AxisList()).set();
    put_within_stage(region.iteration, stages, micro);
    now->region = with_form(std::move(region));
  }
  for (size_t r = 0; r < now->shardings.size(); ++r) {
    Sharding& lies = now->shardings[r];
    for (size_t d = 0; d < lies.dims.size(); ++d)
      if (now->results[r].dims[d].name == micro) lies.dims[d] = AxisList();
      else lies.dims[d] = lies.dims[d].without(stages);
    now->inherited[r] &= lies.split();
  }
  return now;
}

int64_t most_iterations(const LaidOutOperation& loop) {
  const Region& region = *loop.region;
  return region.hands_on ? region.iterations : block_size(region.iterations, region.stages, *loop.mesh);
}

std::vector<double> Region::numbers_of_iteration(std::span<const double> numbers, int64_t iteration) const {
  std::vector<double> all(numbers.begin(), numbers.end());
  for (const int32_t place : call_numbers) all[place] += static_cast<double>(iteration) * static_cast<double>(calls);
  return all;
}

CapturedRegion make_region(Capture iteration, Region region) {
  std::vector<double> numbers;
  region.iteration = std::move(iteration.program);
  Program& program = region.iteration;
  for (size_t i = 0; i < program.inputs.size(); ++i) {
    ProgramInput& input = program.inputs[i];
    MTF_CHECK(input.is_number == (static_cast<int32_t>(i) >= region.tensors()), "input {} of a turn", i);
    region.input_number.push_back(input.is_number ? static_cast<int32_t>(numbers.size()) : -1);
    if (input.is_number) numbers.push_back(iteration.numbers[i]);
  }
  // The call number of a random operation becomes an input of its own if it is an operand that something else reads as
  // well. It may equal another number now, but not in the next iteration.
  const auto is_read_once = [&](ProgramValue input) {
    return std::count(program.operands.begin(), program.operands.end(), input) == 1 &&
           std::find(program.roots.begin(), program.roots.end(), input) == program.roots.end();
  };
  for (ProgramOperation& entry : program.operations) {
    const LaidOutOperation& operation = *entry.operation;
    const int operand = operation.op->random_call_operand ? operation.op->random_call_operand(operation) : -1;
    if (operand < 0) continue;
    ProgramValue& read = program.operands[entry.first_operand + operand];
    if (read.is_input() && is_read_once(read)) {
      region.call_numbers.push_back(region.input_number[read.input()]);
      continue;
    }
    while (!read.is_input()) {  // a number without its gradient, in the expansion of a gradient
      MTF_CHECK(program.maker(read).op->role == Role::kView, "the number of a random call is computed");
      read = program.operands_of(read.source)[0];
    }
    const ProgramInput shared = program.inputs[read.input()];
    const double number = numbers[region.input_number[read.input()]];
    read = ProgramValue::input(program.inputs.size());
    program.inputs.push_back(shared);
    region.call_numbers.push_back(static_cast<int32_t>(numbers.size()));
    region.input_number.push_back(static_cast<int32_t>(numbers.size()));
    numbers.push_back(number);
  }
  for (const ProgramOperation& entry : program.operations) {
    const LaidOutOperation& operation = *entry.operation;
    const auto first = static_cast<int32_t>(numbers.size());
    region.first_number.push_back(first);
    append_call_numbers(region.call_numbers, operation, first);
    numbers.insert(numbers.end(), operation.inputs.begin(), operation.inputs.end());
  }
  return {with_form(std::move(region)), std::move(numbers)};
}

std::shared_ptr<const Region> with_form(Region region) {
  region.form = form_of(region);
  return std::make_shared<const Region>(std::move(region));
}

std::vector<TensorType> results_of(const Region& region, const Dim& over) {
  std::vector<TensorType> results;
  for (size_t r = 0; r < region.iteration.roots.size(); ++r) {
    TensorType type = region.iteration.type(region.iteration.roots[r]);
    const auto place = static_cast<int32_t>(r);
    // The values of micro-batches of a joined pipeline have the dim already.
    if (place >= region.carried && place < region.carried + region.stacked && region.joined.empty()) {
      Dim all = over;
      if (place >= region.carried + region.stacked - region.saved) all.name = all.name.followed_by("'");
      while (has_dim(type.dims, all.name)) all.name = all.name.followed_by("'");
      type.dims.insert(type.dims.begin(), all);
    }
    results.push_back(std::move(type));
  }
  return results;
}

Sharding off_loop_dim(const Dims& dims, Sharding sharding, const Mesh& mesh) {
  const AxisList axes = std::exchange(sharding.dims[0], AxisList());
  const int64_t processors = mesh.group_size(axes.set());
  int found = -1;
  for (size_t d = 1; d < dims.size() && processors > 1; ++d) {
    if (!sharding.dims[d].empty() || dims[d].size < processors) continue;
    const bool is_even = dims[d].size % processors == 0;
    if (found < 0 || is_even) found = static_cast<int>(d);
    if (is_even) break;
  }
  if (found > 0) sharding.dims[found] = axes;
  return sharding;
}

void lay_out_region(LaidOutOperation& operation, std::span<const OperandLayout> operands, const MeshPtr& mesh,
                    const LayoutPtr& rules) {
  const Region& was = *operation.region;
  using Lies = IterationLayouts::Lies;
  std::vector<Lies> tensors;
  for (size_t k = 0; k < operands.size(); ++k) {
    Lies lies{*operands[k].sharding, operands[k].inherited};
    if (!(*operands[k].mesh == *operation.mesh)) lies = {replicated(lies.sharding.dims.size())};
    if (was.is_placed(k)) lies.sharding.dims.erase(lies.sharding.dims.begin());
    lies.inherited &= lies.sharding.split();
    tensors.push_back(std::move(lies));
  }
  IterationLayouts layouts(was, operation.mesh, mesh, rules);
  Program iteration = layouts.decide(tensors);
  bool settled = false;
  for (int decision = 1; !settled; ++decision) {
    settled = true;
    for (int32_t c = 0; c < was.carried; ++c) {
      Lies next{iteration.sharding(iteration.roots[c]), iteration.inherited(iteration.roots[c])};
      if (decision >= kMostDecisions) next = {replicated(next.sharding.dims.size())};
      if (next == tensors[c]) continue;
      tensors[c] = std::move(next);
      settled = false;
    }
    if (settled) break;
    iteration = layouts.decide(tensors);
    if (decision >= kMostDecisions) settled = true;
  }
  Region now = was;
  now.iteration = std::move(iteration);
  now.stages = stages_of(now, operation.mesh, operands);
  if (!now.stages.empty()) {
    put_within_stage(now.iteration, now.stages.set(), now.micro);
    for (int32_t c = 0; c < now.carried; ++c) {
      const LaidOutOperation& leaf = *now.iteration.inputs[c].operation;
      tensors[c] = {leaf.shardings[0], leaf.inherited[0]};
    }
  }
  operation.shardings.clear();
  operation.inherited.clear();
  for (int32_t r = 0; r < static_cast<int32_t>(now.iteration.roots.size()); ++r) {
    const ProgramValue root = now.iteration.roots[r];
    const bool is_carried = r < now.carried;
    Sharding sharding = is_carried ? tensors[r].sharding : now.iteration.sharding(root);
    if (!is_carried && r < now.carried + now.stacked) sharding.dims.insert(sharding.dims.begin(), now.stages);
    operation.shardings.push_back(std::move(sharding));
    operation.inherited.push_back(is_carried ? tensors[r].inherited : now.iteration.inherited(root));
  }
  operation.region = with_form(std::move(now));
}

}  // namespace mtf::graph
