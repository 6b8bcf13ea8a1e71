#include "whole_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

#include "draw.h"

namespace mtf::properties {

const std::vector<FeatureRecord>& features() {
  using enum Feature;
  static const std::vector<FeatureRecord> records = {
      {kLoops, "loops", true, "`for` over ranges and lists, nested"},
      {kWhile, "while", true, "`while` on a number of the host or on a tensor"},
      {kHostBranches, "branches", true, "`if`"},
      {kTensorBranches, "tensor_branches", true, "`if` and `while` on exact sums of tensors"},
      {kLeaving, "leaving", true, "`break` and `continue`"},
      {kFunctions, "functions", true, "`fn` with a block or an expression"},
      {kClosures, "closures", true, "functions as values: captured names, returned, in lists"},
      {kRecursion, "recursion", true, "functions that call themselves"},
      {kMethods, "methods", true, "functions of a model that assign its states"},
      {kLists, "lists", true, "lists of tensors, named or not"},
      {kTuples, "tuples", true, "tuples of tensors, named or not"},
      {kModels, "models", true, "models with parameters"},
      {kSubmodels, "submodels", true, "models in models, also in lists"},
      {kStates, "states", true, "`state`"},
      {kAssignments, "assignments", true, "`:=` to names"},
      {kPlaces, "places", true, "`net.w := …`"},
      {kAliases, "aliases", true, "`let q = net.w`, which stands for the place"},
      {kPrints, "prints", true, "prints within blocks"},
      {kAsserts, "asserts", true, "asserts, which hold"},
      {kHostReads, "host_reads", true, "`int(x)`"},
      {kIntegers, "integers", true, "tensors of i32"},
      {kGradients, "gradients", true, "`grad`"},
      {kSecondGradients, "second_gradients", true, "a gradient of a number made of a gradient"},
      {kGradientsInside, "gradients_inside", true, "`grad` in functions and loops"},
      {kUpdates, "updates", true, "steps of gradient descent, micro-batches"},
      {kGradientsOfArguments, "gradients_of_arguments", true, "`fn of(net, x) = grad(net(x), net.params)`"},
      {kRecompute, "recompute", true, "`recompute(f, x)`"},
      {kCounters, "counters", true, "`counters { … }`, and what it counted printed"},
      {kOwnMeshes, "meshes", true, "meshes and layouts of the program's own"},
      {kUse, "use", true, "`use` in the middle"},
      {kAnnotations, "annotations", true, "`x @ {…}`"},
      {kOptions, "options", true, "options, given by --set"},
      {kSeeds, "seeds", true, "`seed` in the middle"},
      {kRandomInside, "random", true, "random numbers anywhere"},
      {kDoubles, "f64", true, "tensors of f64 instead of f32"},
      {kLargeDims, "large_dims", true, "dims of more elements than a kernel takes at once"},
      {kFloatConditions, "float_conditions", true, "conditions on floats with a wide margin"},
      {kIfExpressions, "if_expressions", true, "`if c { a } else { b }` as an expression"},
      {kWith, "with", true, "`with` of settings, seeds, layouts and meshes"},
      {kNone, "none", true, "arguments left out, compared with `none`"},
      {kFilters, "filters", true, "comprehensions with a filter on numbers of the host"},
      {kChangingNumbers, "changing_numbers", true,
       "numbers of the host that a `while` assigns, in tensors' arithmetic"},
      {kNoGrad, "no_grad", true, "`no_grad { … }`"},
      {kOperations, "operations", true, "any operation of the registry, as its samples use it"},
      {kMixed, "mixed", true, "`precision mixed`, of the program or of a block"},
      {kScans, "scans", true, "`scan` over a dim, which is compared with the same loop written out"},
      {kStacked, "stacked", true, "`stacked` models, which are compared with lists of them"},
  };
  return records;
}

FeatureSet default_features() {
  FeatureSet set = 0;
  for (const FeatureRecord& record : features())
    if (record.on) set |= bit(record.feature);
  return set;
}

FeatureSet features_of(const std::string& names) {
  FeatureSet set = default_features();
  for (size_t begin = 0; begin < names.size();) {
    const size_t end = std::min(names.find(',', begin), names.size());
    std::string name = names.substr(begin, end - begin);
    begin = end + 1;
    const bool off = name.starts_with('-');
    if (off) name.erase(0, 1);
    bool known = name == "all" || name == "none";
    FeatureSet bits = known ? ~FeatureSet{0} : 0;
    if (name == "none") set = 0, bits = 0;
    for (const FeatureRecord& record : features())
      if (record.name == name) bits = bit(record.feature), known = true;
    if (!known) throw std::invalid_argument("there is no feature " + name);
    set = off ? set & ~bits : set | bits;
  }
  return set;
}

WholeProgramDrawer::WholeProgramDrawer(uint64_t seed, FeatureSet allowed)
    : dice_(seed * 2654435761u + 17), features_(0) {
  // Each program has only some of the features, so that rare combinations occur often enough.
  const int percent = static_cast<int>(dice_.between(45, 95));
  for (const FeatureRecord& record : features())
    if (const bool drawn = dice_.chance(percent); drawn && (allowed & bit(record.feature)))
      features_ |= bit(record.feature);
  program_.seed = seed;
}

constexpr int64_t kMostElements = 200000;  // enough for two threads, and for sums in several parts

/// Declares dims, options, meshes, layouts, and the first tensors.
void WholeProgramDrawer::preamble() {
  Statements& lines = program_.statements;
  const std::vector<std::string> names = {"a", "b", "c", "d"};
  const int64_t count = dice_.between(2, 4);
  const bool large = has(Feature::kLargeDims) && dice_.chance(30);
  int64_t room = kMostElements;  // for a tensor with all of the dims
  auto drawn_size = [&](bool first) -> int64_t {
    if (!first && dice_.chance(25)) return dims_[0].size;
    if (large && dice_.chance(50)) return dice_.between(16, 160);
    return dice_.chance(12) ? dice_.between(7, 19) : dice_.between(1, 6);
  };
  for (int64_t i = 0; i < count; ++i) {
    const int size = static_cast<int>(std::clamp<int64_t>(drawn_size(i == 0), 1, std::max<int64_t>(1, room)));
    room /= size;
    dims_.push_back({names[static_cast<size_t>(i)], size});
    lines.push_back({"dim " + names[static_cast<size_t>(i)] + " = $0", {{std::to_string(size), {}, ""}}, {}, {}});
    program_.dims.push_back(names[static_cast<size_t>(i)]);
  }
  program_.own_meshes = has(Feature::kOwnMeshes) && dice_.chance(50);
  program_.axes =
      program_.own_meshes || dice_.chance(50) ? std::vector<std::string>{"r", "c"} : std::vector<std::string>{"p"};
  if (program_.own_meshes) {
    const bool six = dice_.chance(40);
    program_.processors = six ? 6 : 4;
    for (const char* axes : {six ? "[r: 2, c: 3]" : "[r: 2, c: 2]", six ? "[r: 3, c: 2]" : "[r: 4, c: 1]",
                             six ? "[r: 6, c: 1]" : "[r: 1, c: 4]"}) {
      if (!meshes_.empty() && !has(Feature::kUse)) break;
      meshes_.push_back(fresh("m"));
      lines.push_back({"mesh " + meshes_.back() + " = " + axes, {}, {}, {}});
    }
    for (int64_t i = has(Feature::kUse) ? 3 : 1; i > 0; --i) {
      std::string rules;
      std::vector<int> left;
      for (size_t d = 0; d < dims_.size(); ++d) left.push_back(static_cast<int>(d));
      for (const char* axis : {"r", "c"}) {
        if (left.empty() || dice_.chance(20)) continue;
        const int d = dice_.pick(left);
        left.erase(std::find(left.begin(), left.end(), d));
        rules += fmt::format("{}{} -> {}", rules.empty() ? "" : ", ", dim(d), axis);
      }
      layouts_.push_back(fresh("lay"));
      lines.push_back({"layout " + layouts_.back() + " = {" + rules + "}", {}, {}, {}});
    }
  }
  if (has(Feature::kOptions)) {
    const std::string option = fresh("turns");
    lines.push_back({"option " + option + " = 2", {}, {}, {}});
    declare(option, {.kind = Type::Kind::kNumber}, 3, false);
    if (dice_.chance(60)) program_.set.emplace_back(option, std::to_string(dice_.between(0, 3)));
  }
  if (has(Feature::kWith)) {
    settings_.push_back(fresh("s"));
    lines.push_back({fmt::format("setting {} = {}", settings_.back(), dice_.below(4)), {}, {}, {}});
    declare(settings_.back(), {.kind = Type::Kind::kNumber}, 3, false);
  }
  lines.push_back({fmt::format("seed {}", dice_.below(1000)), {}, {}, {}});
  for (int64_t i = dice_.between(2, 3); i > 0; --i) {
    const std::string name = fresh("x");
    DimSet dims = some_dims(3);
    if (dims.empty()) dims = {0};
    const std::string drawn = fmt::format("random.uniform({}, low: -1, high: 1)", shape(dims));
    lines.push_back(
        {"let " + name + " = $0", {{doubles_ ? "cast(" + drawn + ", f64)" : drawn, {}, real_type(dims)}}, {}, {}});
    declare(name, {.dims = dims}, 1);
    scope_.back().bound = 2;
  }
  if (has(Feature::kMixed) && dice_.chance(25)) {
    lines.push_back({"precision mixed", {}, {}, {}});
    program_.mixed = true;
  }
  if (!has(Feature::kIntegers)) return;
  for (int i = 0; i < 2; ++i) {
    const std::string name = fresh("j");
    const DimSet dims = some_dims(2);
    lines.push_back(
        {"let " + name + " = $0",
         {{fmt::format("cast(random.uniform({}, low: 0, high: 6), i32)", shape(dims)), {}, integer_type(dims)}},
         {},
         {}});
    declare(name, {.kind = Type::Kind::kInteger, .dims = dims}, 6);
  }
}

WholeProgram WholeProgramDrawer::make() {
  doubles_ = has(Feature::kDoubles) && dice_.chance(60);
  preamble();
  statements_left_ = static_cast<int>(dice_.chance(4) ? dice_.between(40, 80) : dice_.between(10, 35));
  if (has(Feature::kModels))
    for (int64_t i = dice_.between(0, 2); i > 0; --i)
      if (std::optional<Statements> lines = model())
        for (Statement& each : *lines) program_.statements.push_back(std::move(each));
  while (statements_left_ > 0 && cost_ < kMostOperations)
    for (Statement& each : statement()) program_.statements.push_back(std::move(each));
  // Prints the final values; not always, because values without readers are a case of their own.
  const int percent = dice_.chance(50) ? 50 : 15;
  for (const Named& each : scope_)
    if (!dice_.chance(percent)) continue;
    else if (each.type.kind == Type::Kind::kReal)
      program_.statements.push_back({"print(\"f\", $0)", {{each.name, {}, real_type(each.type.dims)}}, {}, {}});
    else if (each.type.kind == Type::Kind::kInteger)
      program_.statements.push_back({"print(\"i\", $0)", {{each.name, {}, ""}}, {}, {}});
    else if (each.type.kind == Type::Kind::kModel)
      program_.statements.push_back(
          {"for p in " + each.name + ".params", {}, Statements{{"print(\"f\", p.path, p)", {}, {}, {}}}, {}});
  return program_;
}

WholeProgram whole_program(uint64_t seed, FeatureSet allowed) { return WholeProgramDrawer(seed, allowed).make(); }

}  // namespace mtf::properties
