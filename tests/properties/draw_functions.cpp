// The functions, closures and models of whole programs.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "draw.h"

namespace mtf::properties {

double WholeProgramDrawer::in_function(const std::function<void()>& write) {
  const double cost = cost_, iterations = iterations_;
  const int loops = loops_, unknown = unknown_;
  const size_t mark = scope_.size();
  cost_ = 0, iterations_ = 1, loops_ = 0, unknown_ = 0;
  ++functions_, ++blocks_;
  write();
  --functions_, --blocks_;
  const double of_call = cost_;
  cost_ = cost, iterations_ = iterations, loops_ = loops, unknown_ = unknown;
  scope_.resize(mark);
  return of_call;
}

void WholeProgramDrawer::in_block(double iterations, const std::function<void()>& write) {
  const size_t mark = scope_.size();
  iterations_ *= iterations, ++blocks_;
  write();
  iterations_ /= iterations, --blocks_;
  scope_.resize(mark);
}

std::string WholeProgramDrawer::annotation(const DimSet& dims) {
  if (doubles_) return "";
  switch (dice_.below(4)) {
    case 0: return ": " + shape(dims);
    case 1: return dims.empty() ? "" : ": [.., " + dim(dims.back()) + "]";
    case 2: return ": [..]";
    default: return "";
  }
}

std::optional<Statements> WholeProgramDrawer::function() {
  if (!has(Feature::kFunctions) || functions_ > 1) return std::nullopt;
  const std::string name = fresh("u"), x = fresh("x");
  const DimSet from = some_dims(2), to = dice_.chance(60) ? from : some_dims(2);
  const std::string left_out = has(Feature::kNone) && dice_.chance(50) ? fresh("x") : "";
  const std::string argument = x + annotation(from) +
                               (left_out.empty() ? "" : fmt::format(", {}: {} = none", left_out, shape(from))),
                    result = dice_.chance(40) && !doubles_ ? " -> " + shape(to) : "";
  Statement head{"", {}, {}, {}};
  const double cost = in_function([&] {
    declare(x, {.dims = from});
    if (dice_.chance(30)) {
      head = {fmt::format("fn {}({}){} = $0", name, argument, result), {fit(real(to, 3), to, 2)}, {}, {}};
      return;
    }
    Statements body = block(static_cast<int>(dice_.between(1, 3)));
    if (!left_out.empty() && has(Feature::kAssignments))
      body.push_back({fmt::format("if {0} != none {{ {1} := ({1} + {0}) * 0.5 }}", left_out, x), {}, {}, {}});
    if (has(Feature::kLoops) && has(Feature::kAssignments) && dice_.chance(30))
      for (Statement& each : carried_loop(x, from)) body.push_back(std::move(each));
    body.push_back({"return $0", {fit(real(to, 2), to, 2)}, {}, {}});
    head = {fmt::format("fn {}({}){}", name, argument, result), {}, body, {}};
  });
  declare(name, {.kind = Type::Kind::kFunction, .parts = {{.dims = from}, {.dims = to}}}, 2, false);
  scope_.back().cost = cost + 1;
  return Statements{head};
}

std::optional<Statements> WholeProgramDrawer::closure() {
  if (!has(Feature::kClosures) || functions_ > 2) return std::nullopt;
  const std::string name = fresh("u"), x = fresh("x");
  const DimSet from = some_dims(2), to = dice_.chance(60) ? from : some_dims(2);
  Expression body;
  const double cost = in_function([&] {
    declare(x, {.dims = from});
    body = fit(real(to, 3), to, 2);
  });
  declare(name, {.kind = Type::Kind::kFunction, .parts = {{.dims = from}, {.dims = to}}}, 2, false);
  scope_.back().cost = cost + 1;
  return Statements{{fmt::format("let {} = fn({}) = $0", name, x), {body}, {}, {}}};
}

/// Closures in a list, written out, by a comprehension, or added to it in a loop.
std::optional<Statements> WholeProgramDrawer::closure_list() {
  if (!has(Feature::kClosures) || !has(Feature::kLists) || functions_ > 1) return std::nullopt;
  const std::string name = fresh("fs"), x = fresh("x"), k = fresh("k");
  const DimSet from = some_dims(2);
  const int64_t way = dice_.below(3), length = dice_.between(1, 3);
  Statements lines;
  double cost = 0;
  auto body = [&](bool iteration) {
    Expression result;
    const auto draw = [&] {
      declare(x, {.dims = from});
      if (iteration) declare(k, {.kind = Type::Kind::kNumber}, 3, false);
      result = fit(real(from, 2), from, 2);
    };
    cost = std::max(cost, in_function(draw));
    return result;
  };
  if (way == 0) {
    lines.push_back(
        {fmt::format("let {} = [fn({}) = $0, fn({}) = $1]", name, x, x), {body(false), body(false)}, {}, {}});
  } else if (way == 1) {
    lines.push_back({fmt::format("let {} = [fn({}) = $0 for {} in 0..{}]", name, x, k, length), {body(true)}, {}, {}});
  } else {
    lines.push_back({fmt::format("let {} = [fn({}) = $0]", name, x), {body(false)}, {}, {}});
    lines.push_back({fmt::format("for {} in 0..$0", k),
                     {{std::to_string(length), {}, "count"}},
                     Statements{{fmt::format("{} := {} + [fn({}) = $0]", name, name, x), {body(true)}, {}, {}}},
                     {}});
  }
  const Type element{.kind = Type::Kind::kFunction, .parts = {{.dims = from}, {.dims = from}}};
  declare(name,
          {.kind = Type::Kind::kList,
           .parts = {element},
           .length = way == 0 ? 2 : static_cast<int>(way == 1 ? length : length + 1)},
          2, false);
  scope_.back().cost = cost + 1;
  return lines;
}

/// A function that returns a closure over its own names.
std::optional<Statements> WholeProgramDrawer::maker() {
  if (!has(Feature::kClosures) || !has(Feature::kFunctions) || functions_ > 0) return std::nullopt;
  const std::string name = fresh("make"), y = fresh("y"), x = fresh("x"), f = fresh("u");
  const DimSet made_of = some_dims(2), from = some_dims(2);
  Statements body;
  const double cost = in_function([&] {
    declare(y, {.dims = made_of});
    body = block(static_cast<int>(dice_.between(1, 2)));
    const double of_call = in_function([&] {
      declare(x, {.dims = from});
      body.push_back({fmt::format("return fn({}) = $0", x), {fit(real(from, 2), from, 2)}, {}, {}});
    });
    cost_ += of_call;
  });
  if (!affordable(cost)) return std::nullopt;
  cost_ += iterations_ * cost;
  Statements lines = {{fmt::format("fn {}({})", name, y), {}, body, {}}};
  lines.push_back({fmt::format("let {} = {}($0)", f, name), {fit(real(made_of, 2), made_of, 2)}, {}, {}});
  declare(f, {.kind = Type::Kind::kFunction, .parts = {{.dims = from}, {.dims = from}}}, 2, false);
  scope_.back().cost = cost + 1;
  return lines;
}

std::optional<Statements> WholeProgramDrawer::recursion() {
  if (!has(Feature::kRecursion) || !has(Feature::kFunctions) || functions_ > 0) return std::nullopt;
  const std::string name = fresh("rec"), n = fresh("n"), x = fresh("x"), f = fresh("u"), y = fresh("y");
  const DimSet dims = some_dims(2);
  const int64_t depth = dice_.between(1, 3);
  Statements body;
  const double cost = in_function([&] {
    declare(x, {.dims = dims});
    declare(n, {.kind = Type::Kind::kNumber}, 3, false);
    body.push_back({fmt::format("if {} == 0", n), {}, Statements{{"return " + x, {}, {}, {}}}, {}});
    for (Statement& each : block(static_cast<int>(dice_.between(0, 2)))) body.push_back(std::move(each));
    if (dice_.chance(30)) {
      const std::string z = fresh("z");
      body.push_back({fmt::format("let {} = {}({} - 1, $0)", z, name, n), {fit(real(dims, 2), dims, 2)}, {}, {}});
      declare(z, {.dims = dims});
      body.push_back({"return $0", {fit(real(dims, 2), dims, 2)}, {}, {}});
    } else {
      body.push_back({fmt::format("return {}({} - 1, $0)", name, n), {fit(real(dims, 2), dims, 2)}, {}, {}});
    }
  });
  Statements lines = {{fmt::format("fn {}({}: int, {})", name, n, x), {}, body, {}}};
  lines.push_back(
      {fmt::format("let {} = fn({}) = {}($0, {})", f, y, name, y), {{std::to_string(depth), {}, "count"}}, {}, {}});
  declare(f, {.kind = Type::Kind::kFunction, .parts = {{.dims = dims}, {.dims = dims}}}, 2, false);
  scope_.back().cost = static_cast<double>(depth + 1) * (cost + 1);
  return lines;
}

std::optional<Statements> WholeProgramDrawer::model() {
  if (!has(Feature::kModels) || blocks_ > 0 || models_.size() > 3) return std::nullopt;
  ModelClass model;
  model.name = fresh("M");
  Statements body;
  const DimSet from = some_dims(2);
  DimSet to = dice_.chance(50) ? from : some_dims(2);
  const size_t mark = scope_.size();
  ++blocks_;
  auto initial = [&](const DimSet& dims) -> std::string {
    if (doubles_)
      return dice_.chance(50) ? "0.5" : fmt::format("cast(random.uniform({}, low: -1, high: 1), f64)", shape(dims));
    switch (dice_.below(4)) {
      case 0: return "init.normal(stddev: 0.5)";
      case 1: return "init.uniform(low: -1, high: 1)";
      case 2: return "0.7";
      default: return fmt::format("random.uniform({}, low: -1, high: 1)", shape(dims));
    }
  };
  auto place = [&](const std::string& word, const std::string& name, const DimSet& dims) {
    std::string layout;
    if (has(Feature::kAnnotations) && !dims.empty() && dice_.chance(30))
      layout = fmt::format(" @ {{{} -> {}}}", dim(dice_.pick(dims)), dice_.pick(program_.axes));
    body.push_back(
        {fmt::format("{} {}: {}{}{} = {}", word, name, doubles_ ? "f64" : "", shape(dims), layout, initial(dims)),
         {},
         {},
         {}});
    declare(name, {.dims = dims}, 2, word == "state");
  };
  const int64_t own = dice_.between(1, 3);
  std::string walked;
  const ModelClass* walked_part = nullptr;
  if (has(Feature::kSubmodels) && !models_.empty() && dice_.chance(70)) {
    const size_t which = static_cast<size_t>(dice_.below(static_cast<int64_t>(models_.size())));
    const ModelClass& part = models_[which];
    const std::string name = fresh("part");
    if (part.call.parts[0] == part.call.parts[1] && dice_.chance(60) && part.cost < 40) {
      body.push_back({fmt::format("let {} = [{}() for i in 0..2]", name, part.name), {}, {}, {}});
      walked = name;
      walked_part = &part;
      for (int i = 0; i < 2; ++i) {
        for (const ModelClass::Place& each : part.params)
          model.params.push_back({fmt::format("{}[{}].{}", name, i, each.path), each.dims});
        for (const ModelClass::Place& each : part.states)
          model.states.push_back({fmt::format("{}[{}].{}", name, i, each.path), each.dims});
      }
      to = part.call.parts[0].dims;
    } else {
      body.push_back({fmt::format("let {} = {}()", name, part.name), {}, {}, {}});
      for (const ModelClass::Place& each : part.params) model.params.push_back({name + "." + each.path, each.dims});
      for (const ModelClass::Place& each : part.states) model.states.push_back({name + "." + each.path, each.dims});
      declare(name, {.kind = Type::Kind::kModel, .model = static_cast<int>(which)}, 2, false);
    }
  }
  const DimSet own_from = walked.empty() ? from : to;
  // The first parameter contributes to the result: it has the dims that lead from the argument's dims to the result's.
  for (int64_t i = 0; i < own; ++i) {
    DimSet dims = some_dims(2);
    if (i == 0 && own_from == to) dims = subset(to, 70);
    if (i == 0 && own_from != to) {
      dims.clear();
      std::set_symmetric_difference(own_from.begin(), own_from.end(), to.begin(), to.end(), std::back_inserter(dims));
    }
    model.params.insert(model.params.begin() + i, {fresh("w"), dims});
    place("param", model.params[static_cast<size_t>(i)].path, dims);
  }
  if (has(Feature::kStates) && dice_.chance(60)) {
    model.states.push_back({fresh("s"), some_dims(1)});
    place("state", model.states.back().path, model.states.back().dims);
  }
  const std::string x = fresh("x");
  model.cost = in_function([&] {
    declare(x, {.dims = own_from});
    Statements call = block(static_cast<int>(dice_.between(0, 2)));
    if (has(Feature::kLoops) && has(Feature::kAssignments) && dice_.chance(30))
      for (Statement& each : carried_loop(x, own_from)) call.push_back(std::move(each));
    if (!walked.empty()) {
      call.push_back({fmt::format("for part in {}", walked),
                      {},
                      Statements{{fmt::format("{} := part({})", x, x), {}, {}, {}}},
                      {}});
      cost_ += 2 * walked_part->cost;
    }
    const std::string& w = model.params[0].path;
    double terms = 1;
    for (int d : own_from)
      if (!std::count(to.begin(), to.end(), d)) terms *= size(d);
    const Drawn core = own_from == to ? made(fmt::format("({} * {})", x, w), {}, to, 4)
                                      : made(fmt::format("einsum({}, {} -> {})", x, w, shape(to)), {}, to, 4 * terms);
    Drawn result = made("tanh($0)", {fit(core, to, 4)}, to, 1);
    if (dice_.chance(60)) {
      const Drawn other = real(to, 2);
      result = made(dice_.chance(50) ? "($0 + $1)" : "($0 * (1 + $1))", {result.expression, other.expression}, to,
                    1 + other.bound);
    }
    call.push_back({"return $0", {fit(result, to, 2)}, {}, {}});
    const std::string typed = doubles_ || dice_.chance(50) ? "" : ": " + shape(own_from);
    body.push_back({fmt::format("fn call({}{})", x, typed), {}, call, {}});
  });
  if (has(Feature::kMethods) && !model.states.empty() && model.states.back().path.find('.') == std::string::npos) {
    const ModelClass::Place& state = model.states.back();
    const std::string method = fresh("bump");
    in_function([&] {
      Statements inside = block(static_cast<int>(dice_.between(0, 1)));
      inside.push_back({fmt::format("{} := $0", state.path), {fit(real(state.dims, 2), state.dims, 2)}, {}, {}});
      body.push_back({fmt::format("fn {}()", method), {}, inside, {}});
    });
    model.methods.push_back(method);
  }
  --blocks_;
  scope_.resize(mark);
  model.call = {.kind = Type::Kind::kFunction, .parts = {{.dims = own_from}, {.dims = to}}};
  Statements lines = {{"model " + model.name, {}, body, {}}};
  models_.push_back(model);
  const std::string net = fresh("net");
  lines.push_back({fmt::format("let {} = {}()", net, model.name), {}, {}, {}});
  declare(net, {.kind = Type::Kind::kModel, .model = static_cast<int>(models_.size()) - 1}, 2, false);
  return lines;
}

std::optional<Statements> WholeProgramDrawer::instance() {
  if (models_.empty() || !has(Feature::kModels) || loops_ > 1) return std::nullopt;
  const int which = static_cast<int>(dice_.below(static_cast<int64_t>(models_.size())));
  const std::string net = fresh("net");
  declare(net, {.kind = Type::Kind::kModel, .model = which}, 2, false);
  return Statements{{fmt::format("let {} = {}()", net, models_[static_cast<size_t>(which)].name), {}, {}, {}}};
}

std::optional<Statements> WholeProgramDrawer::method_call() {
  std::vector<std::string> calls;
  for (const Named* net : named(Type::Kind::kModel))
    for (const std::string& method : models_[static_cast<size_t>(net->type.model)].methods)
      calls.push_back(net->name + "." + method + "()");
  if (calls.empty() || !affordable(20)) return std::nullopt;
  cost_ += 20 * iterations_;
  return Statements{{dice_.pick(calls), {}, {}, {}}};
}

}  // namespace mtf::properties
