// Gradients in whole programs, and their uses.
#include <fmt/format.h>

#include <algorithm>

#include "draw.h"

namespace mtf::properties {

/// A number that depends on `of`, and on other values.
Drawn WholeProgramDrawer::loss_of(const Expression& of, const DimSet& dims, double bound) {
  Drawn x{of, bound};
  for (int64_t steps = dice_.between(1, 3); steps > 0; --steps) {
    const Expression inner = fit(x, dims, 4);
    switch (dice_.below(6)) {
      case 0: x = made("square($0)", {fit({inner, std::min(x.bound, 4.0)}, dims, 2)}, dims, 4); break;
      case 1: x = made("tanh($0)", {inner}, dims, 1); break;
      case 2: {
        const Drawn y = real(subset(dims, 60), 1);
        x = made("($0 * $1)", {inner, y.expression}, dims, std::min(x.bound, 4.0) * y.bound);
        break;
      }
      case 3: x = made("($0 * $0)", {fit({inner, std::min(x.bound, 4.0)}, dims, 2)}, dims, 4); break;
      case 4: {
        const Drawn y = real(dims, 1);
        x = made("($0 + $1)", {inner, y.expression}, dims, std::min(x.bound, 4.0) + y.bound);
        break;
      }
      default: x = made("sin($0)", {inner}, dims, 1); break;
    }
  }
  if (dims.empty()) return x;
  double size_of_all = 1;
  for (int d : dims) size_of_all *= size(d);
  if (dice_.chance(30)) {
    const Drawn y = real(dims, 1);
    return made(fmt::format("einsum($0, $1 -> [])"), {x.expression, y.expression}, {}, x.bound * y.bound * size_of_all);
  }
  return dice_.chance(70) ? made("sum($0)", {x.expression}, {}, x.bound * size_of_all)
                          : made("mean($0)", {x.expression}, {}, x.bound);
}

/// `let g = grad(loss, [x, y])`, for values computed before or in the statement.
std::optional<Statements> WholeProgramDrawer::gradient_statement() {
  if (!has(Feature::kGradients) || !affordable(40)) return std::nullopt;
  if ((functions_ > 0 || loops_ > 0) && !has(Feature::kGradientsInside)) return std::nullopt;
  std::vector<Atom> targets;
  for (Atom& atom : atoms(Type::Kind::kReal))
    if (atom.bound <= 2) targets.push_back(std::move(atom));
  if (targets.empty()) return std::nullopt;
  const Atom target = dice_.pick(targets), second = dice_.pick(targets);
  Statements made_here;
  Expression loss = loss_of({target.text, {}, real_type(target.dims)}, target.dims, target.bound).expression;
  if (std::optional<Drawn> known = real_atom({}); known && dice_.chance(40)) {
    loss = known->expression;
  } else if (dice_.chance(60)) {
    const std::string name = fresh("loss");
    made_here.push_back({"let " + name + " = $0", {loss}, {}, {}});
    if (has(Feature::kPrints) && dice_.chance(50))
      made_here.push_back({"print(\"f\", $0)", {{name, {}, real_type({})}}, {}, {}});
    loss = {name, {}, real_type({})};
    declare(name, {.kind = Type::Kind::kReal}, 20, true);
  }
  cost_ += 40 * iterations_;
  if (dice_.chance(40)) {
    const std::string a = fresh("g"), b = fresh("g");
    made_here.push_back(
        {fmt::format("let ({}, {}) = grad($0, [{}, {}])", a, b, target.text, second.text), {loss}, {}, {}});
    if (target.text == second.text)
      made_here.back().text = fmt::format("let ({}, {}) = (grad($0, [{}])[0], 1)", a, b, target.text);
    declare(a, {.kind = Type::Kind::kReal, .dims = target.dims}, 20);
    if (target.text != second.text) declare(b, {.kind = Type::Kind::kReal, .dims = second.dims}, 20);
  } else {
    const std::string g = fresh("g");
    made_here.push_back({fmt::format("let {} = grad($0, [{}])[0]", g, target.text), {loss}, {}, {}});
    declare(g, {.kind = Type::Kind::kReal, .dims = target.dims}, 20);
  }
  if (dice_.chance(60)) made_here.push_back({"print(\"f\", $0)", {{scope_.back().name, {}, ""}}, {}, {}});
  return made_here;
}

/// The gradient of a name's value by values that it was computed from, however long ago.
std::optional<Statements> WholeProgramDrawer::gradient_of_known() {
  if (!has(Feature::kGradients) || !affordable(40)) return std::nullopt;
  if ((functions_ > 0 || loops_ > 0) && !has(Feature::kGradientsInside)) return std::nullopt;
  std::vector<const Named*> sources;
  for (const Named& each : scope_)
    if (each.type.kind == Type::Kind::kReal && !each.from.empty()) sources.push_back(&each);
  if (sources.empty()) return std::nullopt;
  const Named source = *dice_.pick(sources);
  std::vector<const Named*> targets;
  for (const Named& each : scope_)
    if (source.from.count(each.name) && (each.type.kind == Type::Kind::kReal || each.type.kind == Type::Kind::kModel))
      targets.push_back(&each);
  if (targets.empty()) return std::nullopt;
  const Named target = *dice_.pick(targets);
  const Expression x{source.name, {}, real_type(source.type.dims)};
  const Expression squared = fit({x, source.bound}, source.type.dims, 4);
  const Expression loss = made(dice_.chance(50) ? "sum(square($0))" : "sum($0)", {squared}, {}, 20).expression;
  cost_ += 40 * iterations_;
  if (target.type.kind == Type::Kind::kModel)
    return Statements{
        {"for g in grad($0, " + target.name + ".params)", {loss}, Statements{{"print(\"f\", g)", {}, {}, {}}}, {}}};
  const std::string g = fresh("g");
  declare(g, {.dims = target.type.dims}, 20);
  Statements lines = {{fmt::format("let {} = grad($0, [{}])[0]", g, target.name), {loss}, {}, {}}};
  if (dice_.chance(70)) lines.push_back({"print(\"f\", " + g + ")", {}, {}, {}});
  return lines;
}

/// The gradient of a number computed from a gradient.
std::optional<Statements> WholeProgramDrawer::second_gradient() {
  if (!has(Feature::kSecondGradients) || !affordable(150)) return std::nullopt;
  if ((functions_ > 0 || loops_ > 0) && !has(Feature::kGradientsInside)) return std::nullopt;
  std::vector<Atom> targets;
  for (Atom& atom : atoms(Type::Kind::kReal))
    if (atom.bound <= 2) targets.push_back(std::move(atom));
  if (targets.empty()) return std::nullopt;
  const Atom target = dice_.pick(targets);
  const Expression loss = loss_of({target.text, {}, real_type(target.dims)}, target.dims, target.bound).expression;
  const std::string g = fresh("g"), h = fresh("h");
  Statements lines;
  lines.push_back({fmt::format("let {} = grad($0, [{}])[0]", g, target.text), {loss}, {}, {}});
  if (has(Feature::kPrints) && dice_.chance(40)) lines.push_back({"print(\"f\", " + g + ")", {}, {}, {}});
  const std::string number = dice_.chance(50) ? "sum(square(" + g + "))" : "sum(tanh(" + g + "))";
  lines.push_back({fmt::format("let {} = grad({}, [{}])[0]", h, number, target.text), {}, {}, {}});
  declare(g, {.kind = Type::Kind::kReal, .dims = target.dims}, 20);
  declare(h, {.kind = Type::Kind::kReal, .dims = target.dims}, 60);
  lines.push_back({"print(\"f\", " + h + ")", {}, {}, {}});
  cost_ += 150 * iterations_;
  return lines;
}

/// Assigns each parameter of `net` the result of a step of gradient descent.
Statements WholeProgramDrawer::updates(const std::string& net, const Expression& gradients) {
  Statements step;
  switch (dice_.below(3)) {
    case 0: step.push_back({"p := p - 0.1 * g", {}, {}, {}}); break;
    case 1: step.push_back({"p := 0.9 * p - 0.1 * tanh(g)", {}, {}, {}}); break;
    default: step.push_back({"let d = 0.05 * g", {}, {}, {}}); step.push_back({"p := p - d", {}, {}, {}});
  }
  if (has(Feature::kPrints) && dice_.chance(40)) step.push_back({"print(\"f\", p.path, p)", {}, {}, {}});
  return {{"for (p, g) in zip(" + net + ".params, $0)", {gradients}, step, {}}};
}

std::optional<Statements> WholeProgramDrawer::training() {
  if (!has(Feature::kUpdates) || !has(Feature::kGradients)) return std::nullopt;
  const std::vector<const Named*> nets = named(Type::Kind::kModel);
  if (nets.empty()) return std::nullopt;
  const Named net = *dice_.pick(nets);
  const ModelClass& model = models_[static_cast<size_t>(net.type.model)];
  const int64_t iterations = dice_.chance(60) ? dice_.between(1, 5) : 1;
  if (!affordable(static_cast<double>(iterations) * (3 * model.cost + 60)) || iterations_ > 4) return std::nullopt;
  const size_t mark = scope_.size();
  iterations_ *= static_cast<double>(iterations);
  const int in_loop = iterations == 1 && dice_.chance(70) ? 0 : 1;
  loops_ += in_loop, ++blocks_;
  Statements body;
  const DimSet& from = model.call.parts[0].dims;
  const DimSet& to = model.call.parts[1].dims;
  const std::string x = fresh("x"), loss = fresh("loss"), step = fresh("step");
  body.push_back({"let " + x + " = $0", {fit(real(from, 1), from, 2)}, {}, {}});
  const bool again = has(Feature::kRecompute) && dice_.chance(40);
  const Expression output = {
      again ? "recompute(" + net.name + ", " + x + ")" : net.name + "(" + x + ")", {}, real_type(to)};
  body.push_back({"let " + loss + " = $0", {loss_of(output, to, 2).expression}, {}, {}});
  declare(x, {.kind = Type::Kind::kReal, .dims = from});
  declare(loss, {.kind = Type::Kind::kReal}, 20, false);
  const Statement print = {"print(\"f\", " + loss + ")", {}, {}, {}};
  if (has(Feature::kPrints) && dice_.chance(50))
    body.push_back(in_loop == 1 && dice_.chance(60) ? Statement{"if " + step + " % 3 == 2", {}, Statements{print}, {}}
                                                    : print);
  if (dice_.chance(30))
    for (Statement& each : statement()) body.push_back(std::move(each));
  const Expression gradients = {"grad(" + loss + ", " + net.name + ".params)", {}, ""};
  if (dice_.chance(40)) {
    const std::string grads = fresh("grads");
    body.push_back({"let " + grads + " = $0", {gradients}, {}, {}});
    if (has(Feature::kPrints) && dice_.chance(40)) body.push_back({"print(\"f\", " + grads + "[0])", {}, {}, {}});
    for (Statement& each : updates(net.name, {grads, {}, ""})) body.push_back(std::move(each));
  } else {
    for (Statement& each : updates(net.name, gradients)) body.push_back(std::move(each));
  }
  if (dice_.chance(30))
    for (Statement& each : statement()) body.push_back(std::move(each));
  cost_ += iterations_ * (3 * model.cost + 60);
  iterations_ /= static_cast<double>(iterations);
  loops_ -= in_loop, --blocks_;
  scope_.resize(mark);
  if (in_loop == 0) return body;
  return Statements{{"for " + step + " in 0..$0", {{std::to_string(iterations), {}, "count"}}, body, {}}};
}

/// Gradients summed over a loop, then one step.
std::optional<Statements> WholeProgramDrawer::micro_batches() {
  if (!has(Feature::kUpdates) || !has(Feature::kGradients) || !has(Feature::kLists)) return std::nullopt;
  const std::vector<const Named*> nets = named(Type::Kind::kModel);
  if (nets.empty()) return std::nullopt;
  const Named net = *dice_.pick(nets);
  const ModelClass& model = models_[static_cast<size_t>(net.type.model)];
  if (!affordable(6 * model.cost + 200) || iterations_ > 4) return std::nullopt;
  const DimSet& from = model.call.parts[0].dims;
  const DimSet& to = model.call.parts[1].dims;
  const std::string sums = fresh("sums"), k = fresh("k");
  const size_t mark = scope_.size();
  iterations_ *= 2, ++loops_;
  declare(k, {.kind = Type::Kind::kNumber}, 2, false);
  const Expression input = fit(real(from, 2), from, 2);
  const Expression loss = loss_of({net.name + "($0)", {input}, real_type(to)}, to, 2).expression;
  iterations_ /= 2, --loops_;
  scope_.resize(mark);
  cost_ += iterations_ * (6 * model.cost + 200);
  Statements lines;
  lines.push_back({fmt::format("let {} = [zeros_like(p) for p in {}.params]", sums, net.name), {}, {}, {}});
  lines.push_back(
      {"for " + k + " in 0..$0",
       {{std::to_string(dice_.between(2, 3)), {}, "count"}},
       Statements{{fmt::format("{} := [s + g for (s, g) in zip({}, grad($0, {}.params))]", sums, sums, net.name),
                   {loss},
                   {},
                   {}}},
       {}});
  for (Statement& each : updates(net.name, {sums, {}, ""})) lines.push_back(std::move(each));
  return lines;
}

/// `fn of(net, x) = grad(…net(x)…, net.params)`, and a call.
std::optional<Statements> WholeProgramDrawer::gradient_of_argument() {
  if (!has(Feature::kGradientsOfArguments) || !has(Feature::kGradients) || !has(Feature::kFunctions))
    return std::nullopt;
  const std::vector<const Named*> nets = named(Type::Kind::kModel);
  if (nets.empty()) return std::nullopt;
  const Named net = *dice_.pick(nets);
  const ModelClass& model = models_[static_cast<size_t>(net.type.model)];
  if (!affordable(4 * model.cost + 100)) return std::nullopt;
  const DimSet& from = model.call.parts[0].dims;
  const DimSet& to = model.call.parts[1].dims;
  const std::string of = fresh("of");
  const std::string loss_text = to_string(loss_of({"net(x)", {}, real_type(to)}, to, 2).expression);
  const std::string place = std::to_string(dice_.below(static_cast<int64_t>(model.params.size())));
  Statements lines;
  if (dice_.chance(50)) {
    lines.push_back({fmt::format("fn {}(net, x) = grad({}, net.params)", of, loss_text), {}, {}, {}});
  } else {
    Statements body = {{"let loss = " + loss_text, {}, {}, {}},
                       {"print(\"f\", loss)", {}, {}, {}},
                       {"return grad(loss, net.params)", {}, {}, {}}};
    if (!has(Feature::kPrints) || dice_.chance(40)) body.erase(body.begin() + 1);
    lines.push_back({fmt::format("fn {}(net, x)", of), {}, body, {}});
  }
  const Expression input = fit(real(from, 1), from, 2);
  if (dice_.chance(50))
    lines.push_back({fmt::format("print(\"f\", {}({}, $0)[{}])", of, net.name, place), {input}, {}, {}});
  else
    lines.push_back(
        {fmt::format("for g in {}({}, $0)", of, net.name), {input}, Statements{{"print(\"f\", g)", {}, {}, {}}}, {}});
  cost_ += iterations_ * (4 * model.cost + 100);
  return lines;
}

}  // namespace mtf::properties
