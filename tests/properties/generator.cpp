#include "generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mtf::properties {
namespace {

constexpr int64_t kMostOperandElements = 4096;

}  // namespace

std::string drawn_layout(const std::vector<std::string>& dims, std::vector<std::string> axes, Dice& dice) {
  std::string layout;
  std::vector<std::string> left = dims;
  while (!axes.empty() && !left.empty()) {
    const auto at = left.begin() + dice.below(static_cast<int64_t>(left.size()));
    layout += fmt::format("{}{}:{}", layout.empty() ? "" : ";", *at, axes.back());
    left.erase(at);
    axes.pop_back();
  }
  return layout;
}

Generator::Generator(uint64_t seed)
    : dice_(seed * 2 + 1), integers_(dice_.chance(60)), real_(ElementType::kF32), evaluation_(dry_execution(), {}) {
  program_.seed = seed;
  if (!integers_) {
    differentiable_ = dice_.chance(50);
    if (differentiable_ || dice_.chance(30)) real_ = ElementType::kF64;
  }
}

// ---- Choosing -------------------------------------------------------------------------------------------------------

const Variable* Generator::any() {
  return any([](const Variable&) { return true; });
}
const Variable* Generator::number() {
  return any([](const Variable& x) { return is_number(x.element); });
}
const Variable* Generator::exact_number() {
  return any([](const Variable& x) { return is_number(x.element) && x.facts.error == 0; });
}
const Variable* Generator::real() {
  return any([&](const Variable& x) { return x.element == real_; });
}
const Variable* Generator::with_dims(bool bool_too) {
  return any([&](const Variable& x) { return !x.dims.empty() && (bool_too || is_number(x.element)); });
}

int64_t Generator::declared(Name name) const {
  const int place = find_dim(declared_, name);
  return place < 0 ? 0 : declared_[static_cast<size_t>(place)].size;
}
bool Generator::at_declared_size(const Variable& x) const {
  return std::all_of(x.dims.begin(), x.dims.end(), [&](const Dim& dim) { return declared(dim.name) == dim.size; });
}

/// Some of these dims, in any order.
Dims Generator::some_dims(const Dims& from, int percent) {
  Dims dims;
  for (const Dim& dim : from)
    if (dice_.chance(percent)) dims.insert(dims.begin() + dice_.below(static_cast<int64_t>(dims.size()) + 1), dim);
  return dims;
}

Facts Generator::summed(double low, double high, double terms, double error) const {
  Facts facts{std::min(low * terms, low), std::max(high * terms, high), 0, true};
  if (!integers_) facts.error = terms * error + 2 * terms * std::max(std::abs(low), std::abs(high));
  return facts;
}

Facts Generator::smooth(double low, double high, double slope, const Variable& x) const {
  Facts facts{low, high, 0, x.facts.summed};
  if (x.facts.error > 0) facts.error = slope * x.facts.error + 4 * (1 + facts.magnitude());
  return facts;
}

bool Generator::fits(ElementType element, const Facts& facts) const {
  const double most = facts.magnitude();
  if (!(most < 1e9)) return false;
  switch (element) {
    case ElementType::kBool: return true;
    case ElementType::kI32: return most <= (1 << 30);
    case ElementType::kBf16: return integers_ && most <= 256;
    case ElementType::kF32: return integers_ ? most <= (1 << 23) : most <= 1000 && facts.error <= 3e4;
    case ElementType::kF64: return integers_ || (most <= 1000 && facts.error <= 1e6);
  }
  return false;
}

bool Generator::add(const std::string& expression, const Facts& facts, const std::vector<const Variable*>& reads) {
  const std::string name = next_name();
  return add_text("let " + name + " = " + expression + "\n", name, facts, reads);
}

bool Generator::add_text(const std::string& text, const std::string& name, const Facts& facts,
                         const std::vector<const Variable*>& reads) {
  graph::Value value;
  try {
    evaluation_.run(text);
    value = evaluation_.value(name);
  } catch (const UserError&) { return false; }
  if (size_of(value.dims()) > kMostOperandElements || size_of(value.dims()) == 0 || !fits(value.element(), facts))
    return false;
  if (!integers_ && is_float(value.element()) && value.element() != real_) return false;
  Line line{text, {}, {}, {name}, {}, {}};
  for (const Variable* variable : reads) line.reads.push_back(variable->name);
  variables_.push_back({name, value.element(), value.dims(), facts});
  const bool whole = std::all_of(value.dims().begin(), value.dims().end(),
                                 [&](const Dim& dim) { return declared(dim.name) == dim.size; });
  if (whole && is_number(value.element())) {
    const std::string dims = text_of(value.dims());
    line.as_input = value.element() == ElementType::kI32
                        ? fmt::format("let {} = random.integers({}, {}, {})\n", name, dims, std::floor(facts.low),
                                      std::ceil(facts.high) + 1)
                        : fmt::format("let {} = cast(random.integers({}, {}, {}), {})\n", name, dims,
                                      std::floor(facts.low), std::ceil(facts.high) + 1, mtf::name(value.element()));
  }
  program_.lines.push_back(std::move(line));
  return true;
}

std::string Generator::declare(const std::string& name, const std::string& size) {
  if (has_dim(declared_, Name(name))) return name;
  const std::string text = "dim " + name + " = " + size + "\n";
  evaluation_.run(text);
  program_.dims += text;
  declared_.push_back(*evaluation_.evaluator.top()->find(Name(name)).binding->value.as<Dim>());
  return name;
}

// ---- The program ----------------------------------------------------------------------------------------------------

void Generator::declare_dims() {
  static const std::vector<int64_t> kCommon = {2, 3, 4, 5, 6, 7, 8}, kSeldom = {1, 9, 12, 15, 16, 17};
  const int64_t count = dice_.between(2, 4);
  for (int64_t i = 0; i < count; ++i) {
    const std::string name(1, "abce"[i]);
    declare(name, fmt::format("{}", dice_.chance(70) ? dice_.pick(kCommon) : dice_.pick(kSeldom)));
    dims_.push_back(declared_.back());
  }
}

void Generator::draw_inputs() {
  const int64_t count = dice_.between(2, 4);
  for (int64_t i = 0; i < count; ++i) {
    const std::string shape = text_of(some_dims(dims_, 60));
    const int64_t high = dice_.between(1, 3);
    const std::string whole = fmt::format("random.integers({}, {}, {})", shape, -high, high + 1);
    const std::string real = std::string(name(real_));
    if (integers_) {
      switch (dice_.below(10)) {
        case 0: add(whole + " > 0", Facts::between(0, 1), {}); break;
        case 1: add("cast(" + whole + ", bf16)", Facts::between(-3, 3), {}); break;
        case 2: add("cast(" + whole + ", f64)", Facts::between(-3, 3), {}); break;
        case 3:
        case 4:
        case 5: add("cast(" + whole + ", f32)", Facts::between(-3, 3), {}); break;
        default: add(whole, Facts::between(-3, 3), {});
      }
    } else if (i > 0 && dice_.chance(25)) {
      add(dice_.chance(50) ? whole : whole + " > 0", Facts::between(-3, 3), {});
    } else {
      add(dice_.chance(50) ? fmt::format("random.uniform({}, low: -2, high: 2, {})", shape, real)
                           : fmt::format("random.normal({}, stddev: 0.5, {})", shape, real),
          Facts::between(-4, 4), {});
    }
  }
  program_.inputs = std::move(program_.lines);
  program_.lines.clear();
}

void Generator::draw_placing() {
  static const std::vector<std::vector<std::string>> kMeshes = {{"all:2"},
                                                                {"all:3"},
                                                                {"all:4", "rows:2;cols:2"},
                                                                {"rows:2;cols:2"},
                                                                {"rows:2;cols:3"},
                                                                {"all:6", "rows:2;cols:3"},
                                                                {"rows:3;cols:2", "rows:2;cols:3"},
                                                                {"x:2;y:2;z:2", "rows:4;cols:2"}};
  const std::vector<std::string>& meshes = dice_.pick(kMeshes);
  std::vector<std::string> names;
  for (const Dim& dim : declared_) names.push_back(dim.name.str());
  for (size_t i = 0; i < meshes.size(); ++i) {
    std::string axes;
    for (const Axis& axis : parse_axes(meshes[i]))
      axes += fmt::format("{}{}: {}", axes.empty() ? "" : ", ", axis.name.str(), axis.size);
    program_.placing += fmt::format("mesh m{} = [{}]\n", i, axes);
    program_.processors = 1;
    for (const Axis& axis : parse_axes(meshes[i])) program_.processors *= axis.size;
    meshes_.push_back(meshes[i]);
    for (int64_t j = 0; j < 2; ++j) {
      std::string rules;
      for (const LayoutRule& rule :
           parse_layout(random_layout(static_cast<uint64_t>(dice_.below(1 << 30)), names, meshes[i])).rules) {
        std::string target;
        for (const Name& axis : rule.axes) target += (target.empty() ? "" : ", ") + axis.str();
        if (rule.axes.size() > 1) target = "[" + target + "]";
        rules += fmt::format("{}{} -> {}", rules.empty() ? "" : ", ", rule.dim.str(), target);
      }
      program_.placing += fmt::format("layout l{}{} = {{{}}}\n", i, j, rules);
    }
  }
  program_.placing += "use m0\nuse l00\n";
}

void Generator::place_lines() {
  size_t mesh = 0;
  for (Line& line : program_.lines) {
    if (dice_.chance(15)) {
      mesh = static_cast<size_t>(dice_.below(static_cast<int64_t>(meshes_.size())));
      line.before = fmt::format("use m{}\nuse l{}{}\n", mesh, mesh, dice_.below(2));
    }
    if (line.binds.size() != 1 || !dice_.chance(20)) continue;
    const auto x =
        std::find_if(variables_.begin(), variables_.end(), [&](const Variable& v) { return v.name == line.binds[0]; });
    if (x == variables_.end()) continue;
    std::vector<std::string> free;
    for (const Axis& axis : parse_axes(meshes_[mesh])) free.push_back(axis.name.str());
    std::string rules = dice_.chance(30) && x->dims.size() > 1 ? ".." : "";
    for (const Dim& dim : some_dims(x->dims, 60)) {
      if (free.empty()) break;
      std::string target = free.back();
      free.pop_back();
      if (!free.empty() && dice_.chance(20)) target = "[" + target + ", " + free.back() + "]", free.pop_back();
      rules += fmt::format("{}{} -> {}", rules.empty() ? "" : ", ", dim.name.str(), target);
    }
    line.layout = rules == ".." ? "{}" : "{" + rules + "}";
  }
}

RandomProgram Generator::make() {
  evaluation_.run(fmt::format("# What becomes the program of --seed {}.\n", program_.seed));
  declare_dims();
  evaluation_.run("fn curve(x) = x * x - 2 * x\n");
  draw_inputs();
  using Draw = bool (Generator::*)();
  std::vector<Draw> draws = {
      &Generator::unary,       &Generator::unary,      &Generator::binary,      &Generator::binary,
      &Generator::binary,      &Generator::comparison, &Generator::truth,       &Generator::select,
      &Generator::reduction,   &Generator::reduction,  &Generator::contraction, &Generator::contraction,
      &Generator::contraction, &Generator::renaming,   &Generator::reshaping,   &Generator::broadcasting,
      &Generator::slicing,     &Generator::joining,    &Generator::moving,      &Generator::running_sum,
      &Generator::lookup,      &Generator::lookup,     &Generator::ordering,    &Generator::casting,
      &Generator::creating,    &Generator::calling,    &Generator::loop};
  if (!integers_)
    draws.insert(draws.end(), {&Generator::real_function, &Generator::real_function, &Generator::real_function,
                               &Generator::normalising, &Generator::normalising, &Generator::averaging});
  const size_t wanted = static_cast<size_t>(dice_.between(3, 14));
  for (int tries = 0; tries < 400 && program_.lines.size() < wanted; ++tries) {
    const size_t variables = variables_.size();
    if ((this->*dice_.pick(draws))()) continue;
    MTF_CHECK(variables_.size() == variables, "a line that was refused is kept");
  }
  for (const Line& line : program_.lines) {
    const auto x =
        std::find_if(variables_.begin(), variables_.end(), [&](const Variable& v) { return v.name == line.binds[0]; });
    program_.results.push_back(x->name);
    Tolerance tolerance;
    if (x->facts.error > 0) tolerance = {Tolerance::Kind::kDistance, x->facts.error * epsilon(real_)};
    else tolerance = {x->facts.summed ? Tolerance::Kind::kNumbers : Tolerance::Kind::kBits, 0};
    program_.tolerances.push_back(tolerance);
  }
  if (differentiable_) {
    const size_t lines = program_.lines.size();
    add_gradient();
    for (size_t i = lines; i < program_.lines.size(); ++i)
      for (const std::string& name : program_.lines[i].binds) {
        program_.results.push_back(name);
        program_.tolerances.push_back({Tolerance::Kind::kRelative, 1e-7});
      }
  }
  program_.dims += "fn curve(x) = x * x - 2 * x\n";
  draw_placing();
  place_lines();
  return std::move(program_);
}

std::string random_layout(uint64_t seed, const std::vector<std::string>& dims, const std::string& mesh) {
  Dice dice(seed);
  const std::vector<Axis> axes = parse_axes(mesh);
  std::string rules;
  for (const std::string& dim : dims) {
    if (!dice.chance(60)) continue;
    std::string target = dice.pick(axes).name.str();
    if (axes.size() > 1 && dice.chance(20)) {
      const std::string second = dice.pick(axes).name.str();
      if (second != target) target += "+" + second;
    }
    rules += (rules.empty() ? "" : ";") + dim + ":" + target;
  }
  return rules;
}

}  // namespace mtf::properties
