// The loops of whole programs.
#include <fmt/format.h>

#include <algorithm>

#include "draw.h"

namespace mtf::properties {

std::optional<Statements> WholeProgramDrawer::loop() {
  if (!has(Feature::kLoops) || loops_ > 2) return std::nullopt;
  const int64_t iterations = dice_.chance(15) ? 1 : dice_.between(2, 3);
  if (iterations_ * static_cast<double>(iterations) > 12) return std::nullopt;
  const std::string k = fresh("k");
  Expression count{std::to_string(iterations), {}, "count"};
  Statements body;
  ++loops_;
  in_block(static_cast<double>(iterations), [&] {
    declare(k, {.kind = Type::Kind::kNumber}, 3, false);
    body = block(static_cast<int>(dice_.between(1, 4)));
  });
  --loops_;
  if (body.empty()) return std::nullopt;
  return Statements{{"for " + k + " in 0..$0", {count}, body, {}}};
}

/// A loop that computes `name` from its previous value in each iteration, as layers and time steps do.
Statements WholeProgramDrawer::carried_loop(const std::string& name, const DimSet& dims) {
  const int64_t iterations = dice_.between(2, 3);
  const std::string k = fresh("k");
  Statements body;
  ++loops_;
  in_block(static_cast<double>(iterations), [&] {
    declare(k, {.kind = Type::Kind::kNumber}, 3, false);
    if (dice_.chance(30)) body = block(1);
    const Expression before{name, {}, real_type(dims)};
    Drawn next = real(subset(dims, 80), 2);
    std::vector<Atom> stacks;  // values of which each iteration takes its part
    for (Atom& atom : atoms(Type::Kind::kReal))
      if (atom.dims.size() == 1 && dice_.chance(50)) stacks.push_back(std::move(atom));
    if (!stacks.empty()) {
      const Atom stack = dice_.pick(stacks);
      const int d = stack.dims[0];
      next = {made(fmt::format("{}[{}: {} % {}]", stack.text, dim(d), k, size(d)), {}, {}, 2).expression, 2};
    }
    const Drawn after = made(dice_.chance(50) ? "($0 + tanh($0 * $1))" : "(0.5 * $0 + $1 * $0)",
                             {before, next.expression}, dims, 2 + 2 * next.bound);
    body.push_back({name + " := $0", {fit(after, dims, 2)}, {}, {}});
    if (dice_.chance(30))
      for (Statement& each : block(1)) body.push_back(std::move(each));
  });
  --loops_;
  return {{"for " + k + " in 0..$0", {{std::to_string(iterations), {}, "count"}}, body, {}}};
}

std::optional<Statements> WholeProgramDrawer::carried() {
  if (!has(Feature::kLoops) || !has(Feature::kAssignments) || loops_ > 2 || iterations_ > 4) return std::nullopt;
  std::vector<const Named*> names;
  for (const Named& each : scope_)
    if (each.assignable && each.type.kind == Type::Kind::kReal && each.bound <= 2) names.push_back(&each);
  if (names.empty()) return std::nullopt;
  const Named name = *dice_.pick(names);
  Statements lines = carried_loop(name.name, name.type.dims);
  depends(name.name, to_string(lines));
  return lines;
}

/// A loop over a list, over the pairs of two lists, or over the result of an expression.
std::optional<Statements> WholeProgramDrawer::list_loop() {
  if (!has(Feature::kLoops) || !has(Feature::kLists) || loops_ > 2 || iterations_ > 4) return std::nullopt;
  std::vector<const Named*> lists;
  for (const Named& each : scope_)
    if (each.type.kind == Type::Kind::kList && each.type.parts[0].kind == Type::Kind::kReal) lists.push_back(&each);
  const std::string x = fresh("x"), y = fresh("y");
  Statement loop{"", {}, {}, {}};
  DimSet a = some_dims(2), b = some_dims(2);
  Statements before;
  const int64_t way = dice_.below(4);
  if (way == 0 && !lists.empty()) {
    const Named list = *dice_.pick(lists);
    a = list.type.parts[0].dims, b.clear();
    loop.text = fmt::format("for {} in {}", x, list.name);
  } else if (way == 1 && !lists.empty()) {
    const Named one = *dice_.pick(lists), two = *dice_.pick(lists);
    if (one.assignable || two.assignable) {
      if (one.name != two.name) return std::nullopt;  // their lengths may differ
    }
    a = one.type.parts[0].dims, b = two.type.parts[0].dims;
    loop.text = fmt::format("for ({}, {}) in zip({}, {})", x, y, one.name, two.name);
  } else if (way == 2 && has(Feature::kTuples)) {
    loop.text = fmt::format("for ({}, {}) in [($0, $1), ($2, $3)]", x, y);
    loop.parts = {fit(real(a, 2), a, 2), fit(real(b, 2), b, 2), fit(real(a, 1), a, 2), fit(real(b, 2), b, 2)};
  } else if (way == 3 && has(Feature::kFunctions) && has(Feature::kTuples) && functions_ == 0) {
    const std::string make = fresh("make");
    Statements body;
    const double cost = in_function([&] {
      body = block(2);
      body.push_back({"return [($0, $1), ($2, $3)]",
                      {fit(real(a, 2), a, 2), fit(real(b, 2), b, 2), fit(real(a, 2), a, 2), fit(real(b, 2), b, 2)},
                      {},
                      {}});
    });
    if (!affordable(cost)) return std::nullopt;
    cost_ += iterations_ * cost;
    before.push_back({"fn " + make + "()", {}, body, {}});
    loop.text = fmt::format("for ({}, {}) in {}()", x, y, make);
  } else {
    loop.text = fmt::format("for {} in [$0, $1]", x);
    loop.parts = {fit(real(a, 2), a, 2), fit(real(a, 2), a, 2)};
  }
  ++loops_;
  in_block(4, [&] {
    declare(x, {.dims = a});
    if (loop.text.find("(" + x) != std::string::npos) declare(y, {.dims = b});
    loop.body = block(static_cast<int>(dice_.between(1, 3)));
  });
  --loops_;
  if (loop.body->empty()) return std::nullopt;
  before.push_back(loop);
  return before;
}

std::optional<Statements> WholeProgramDrawer::while_loop() {
  if (!has(Feature::kWhile) || loops_ > 2 || iterations_ > 4) return std::nullopt;
  const int64_t iterations = dice_.between(1, 3);
  const bool on_tensor = has(Feature::kTensorBranches) && has(Feature::kIntegers) && dice_.chance(50);
  const std::string k = fresh(on_tensor ? "j" : "k");
  Statements lines, body;
  if (on_tensor) {
    program_.reads_decide = true;
    const DimSet dims = some_dims(1);
    double size_of_all = 1;
    for (int d : dims) size_of_all *= size(d);
    lines.push_back({fmt::format("let {} = fill({}, 0, i32)", k, shape(dims)), {}, {}, {}});
    lines.push_back({fmt::format("while sum({}) < {}", k, static_cast<double>(iterations) * size_of_all), {}, {}, {}});
  } else {
    lines.push_back({fmt::format("let {} = 0", k), {}, {}, {}});
    lines.push_back({fmt::format("while {} < $0", k), {{std::to_string(iterations), {}, "count"}}, {}, {}});
  }
  ++loops_;
  unknown_ += on_tensor ? 1 : 0;
  in_block(static_cast<double>(iterations), [&] {
    if (!on_tensor && has(Feature::kChangingNumbers)) declare(k, {.kind = Type::Kind::kNumber}, 3, false);
    body.push_back({fmt::format("{} := {} + 1", k, k), {}, {}, {}});
    for (Statement& each : block(static_cast<int>(dice_.between(1, 3)))) body.push_back(std::move(each));
  });
  unknown_ -= on_tensor ? 1 : 0;
  --loops_;
  lines.back().body = body;
  return lines;
}

}  // namespace mtf::properties
