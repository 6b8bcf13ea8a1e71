#include "generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mtf::properties {
namespace {

constexpr int64_t kMostElements = 4096;
constexpr int64_t kMostPoints = 65536;   // of a contraction

std::string text_of(const Dims& dims) {
  std::string text;
  for (const Dim& dim : dims) text += (text.empty() ? "" : ", ") + dim.name.str();
  return "[" + text + "]";
}

Dims without(const Dims& dims, const Dims& gone) {
  Dims rest;
  for (const Dim& dim : dims)
    if (!has_dim(gone, dim.name)) rest.push_back(dim);
  return rest;
}

/// True if no dim has two sizes in them.
bool agree(const Dims& a, const Dims& b) {
  return std::all_of(a.begin(), a.end(), [&](const Dim& dim) {
    const int other = find_dim(b, dim.name);
    return other < 0 || b[other].size == dim.size;
  });
}

Facts between(double low, double high) { return {low, high, 0, false}; }

bool is_number(ElementType element) { return element != ElementType::kBool; }

}  // namespace

Generator::Generator(uint64_t seed) : dice_(seed * 2 + 1), integers_(dice_.chance(60)), real_(ElementType::kF32), evaluation_(dry_engine(), {}) {
  program_.seed = seed;
  if (!integers_) {
    differentiable_ = dice_.chance(50);
    if (differentiable_ || dice_.chance(30)) real_ = ElementType::kF64;
  }
}

// ---- Choosing --------------------------------------------------------------------------------------------------------

template <typename Filter>
const Variable* Generator::any(Filter filter) {
  std::vector<const Variable*> fitting;
  for (size_t i = 0; i < variables_.size(); ++i)
    if (filter(variables_[i])) fitting.insert(fitting.end(), 1 + 3 * i / variables_.size(), &variables_[i]);  // rather a late one
  return fitting.empty() ? nullptr : dice_.pick(fitting);
}
const Variable* Generator::any() { return any([](const Variable&) { return true; }); }
const Variable* Generator::number() { return any([](const Variable& x) { return is_number(x.element); }); }
const Variable* Generator::exact_number() {
  return any([](const Variable& x) { return is_number(x.element) && x.facts.error == 0; });
}
const Variable* Generator::real() { return any([&](const Variable& x) { return x.element == real_; }); }
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

bool Generator::add_text(const std::string& text, const std::string& name, const Facts& facts, const std::vector<const Variable*>& reads) {
  Value value;
  try {
    evaluation_.run(text);
    value = evaluation_.value(name);
  } catch (const UserError&) {
    return false;
  }
  if (size_of(value.dims()) > kMostElements || size_of(value.dims()) == 0 || !fits(value.element(), facts)) return false;
  if (!integers_ && is_float(value.element()) && value.element() != real_) return false;
  Line line{text, {}, {}, {name}, {}, {}};
  for (const Variable* variable : reads) line.reads.push_back(variable->name);
  variables_.push_back({name, value.element(), value.dims(), facts});
  const bool whole = std::all_of(value.dims().begin(), value.dims().end(), [&](const Dim& dim) { return declared(dim.name) == dim.size; });
  if (whole && is_number(value.element())) {
    const std::string dims = text_of(value.dims());
    line.as_input = value.element() == ElementType::kI32
                        ? fmt::format("let {} = random.integers({}, {}, {})\n", name, dims, std::floor(facts.low), std::ceil(facts.high) + 1)
                        : fmt::format("let {} = cast(random.integers({}, {}, {}), {})\n", name, dims, std::floor(facts.low), std::ceil(facts.high) + 1,
                                      mtf::name(value.element()));
  }
  program_.lines.push_back(std::move(line));
  return true;
}

std::string Generator::declare(const std::string& name, const std::string& size) {
  if (has_dim(declared_, Name(name))) return name;
  const std::string text = "dim " + name + " = " + size + "\n";
  evaluation_.run(text);
  program_.dims += text;
  declared_.push_back(*evaluation_.evaluator.top->find(Name(name)).binding->value.as<Dim>());
  return name;
}

// ---- Lines -----------------------------------------------------------------------------------------------------------

bool Generator::unary() {
  const Variable* x = number();
  if (!x) return false;
  const std::string& v = x->name;
  const double low = x->facts.low, high = x->facts.high, most = x->facts.magnitude();
  const double c = static_cast<double>(dice_.between(1, 5));
  auto continuous = [&](const std::string& text, double from, double to, double slope) { return add(text, smooth(from, to, slope, *x), {x}); };
  const bool exact = x->facts.error == 0;
  switch (dice_.below(exact ? 17 : 12)) {
    case 0: return continuous("-" + v, -high, -low, 1);
    case 1: return continuous("abs(" + v + ")", 0, most, 1);
    case 2: return continuous("square(" + v + ")", 0, most * most, 2 * most);
    case 3: return continuous("relu(" + v + ")", 0, std::max(0.0, high), 1);
    case 4: return continuous(fmt::format("{} + {}", v, c), low + c, high + c, 1);
    case 5: return continuous(fmt::format("{} - {}", c, v), c - high, c - low, 1);
    case 6: return continuous(fmt::format("{} * {}", v, c), low * c, high * c, c);
    case 7: return continuous(fmt::format("clip({}, {}, {})", v, -c, c + 1), std::max(low, -c), std::max(-c, std::min(high, c + 1)), 1);
    case 8: return continuous(fmt::format("minimum({}, {})", v, c), std::min(low, c), std::min(high, c), 1);
    case 9: return continuous(fmt::format("maximum({}, {})", v, -c), std::max(low, -c), std::max(high, -c), 1);
    case 10: return continuous("stop_gradient(" + v + ")", low, high, 1);
    case 11: return continuous("copy(" + v + ")", low, high, 1);
    case 12: return continuous(fmt::format("{} // {}", v, c), std::floor(low / c), std::floor(high / c), 0);
    case 13: return continuous(fmt::format("{} % {}", v, c + 1), 0, c + 1, 0);
    case 14: return continuous("sign(" + v + ")", -1, 1, 0);
    case 15: return continuous("floor(" + v + ")", std::floor(low), std::ceil(high), 0);
    default: return continuous("round(" + v + ")", std::floor(low), std::ceil(high), 0);
  }
}

bool Generator::binary() {
  const Variable* x = number();
  if (!x) return false;
  const Variable* y = any([&](const Variable& v) { return (is_subset(v.dims, x->dims) || is_subset(x->dims, v.dims)) && agree(v.dims, x->dims); });
  if (!y) return false;
  if (dice_.chance(50)) std::swap(x, y);
  const Facts &a = x->facts, &b = y->facts;
  Facts facts{0, 0, 0, a.summed || b.summed};
  const double rounding = a.error + b.error > 0 ? 4 * (1 + a.magnitude() + b.magnitude()) : 0;
  facts.error = a.error + b.error + rounding;
  switch (dice_.below(6)) {
    case 0: facts.low = a.low + b.low, facts.high = a.high + b.high; return add(x->name + " + " + y->name, facts, {x, y});
    case 1: facts.low = a.low - b.high, facts.high = a.high - b.low; return add(x->name + " - " + y->name, facts, {x, y});
    case 2: {
      facts.high = a.magnitude() * b.magnitude();
      facts.low = -facts.high;
      if (facts.error > 0) facts.error = a.error * b.magnitude() + b.error * a.magnitude() + 4 * facts.high;
      return add(x->name + " * " + y->name, facts, {x, y});
    }
    case 3: facts.low = std::min(a.low, b.low), facts.high = std::max(a.high, b.high); return add("minimum(" + x->name + ", " + y->name + ")", facts, {x, y});
    case 4: facts.low = std::min(a.low, b.low), facts.high = std::max(a.high, b.high); return add("maximum(" + x->name + ", " + y->name + ")", facts, {x, y});
    default: {
      facts.high = a.magnitude() * b.magnitude();
      facts.low = -facts.high;
      if (facts.error > 0) facts.error = a.error * b.magnitude() + b.error * a.magnitude() + 4 * facts.high;
      // With operands in which neither has all dims of the other.
      const Variable* z = any([&](const Variable& v) { return is_number(v.element) && agree(v.dims, x->dims); });
      if (!z) return false;
      facts.high = a.magnitude() * z->facts.magnitude();
      facts.low = -facts.high;
      if (a.error + z->facts.error > 0) facts.error = a.error * z->facts.magnitude() + z->facts.error * a.magnitude() + 4 * facts.high;
      else facts.error = 0;
      Dims dims = x->dims;
      for (const Dim& dim : without(z->dims, x->dims)) dims.push_back(dim);
      return add(fmt::format("einsum({}, {} -> {})", x->name, z->name, text_of(dims)), facts, {x, z});
    }
  }
}

bool Generator::comparison() {
  const Variable* x = exact_number();
  if (!x) return false;
  static const std::vector<std::string> kSymbols = {"==", "!=", "<", "<=", ">", ">="};
  const std::string& symbol = dice_.pick(kSymbols);
  const Variable* y = any([&](const Variable& v) {
    return is_number(v.element) && v.facts.error == 0 && agree(v.dims, x->dims) && (is_subset(v.dims, x->dims) || is_subset(x->dims, v.dims));
  });
  if (!y || y == x || dice_.chance(40)) return add(fmt::format("{} {} {}", x->name, symbol, dice_.between(-2, 3)), between(0, 1), {x});
  return add(fmt::format("{} {} {}", x->name, symbol, y->name), between(0, 1), {x, y});
}

bool Generator::truth() {
  const Variable* x = any([](const Variable& v) { return v.element == ElementType::kBool; });
  if (!x) return comparison();
  const Dims over = some_dims(x->dims, 50);
  switch (dice_.below(5)) {
    case 0: return add("not " + x->name, between(0, 1), {x});
    case 1: return !over.empty() && add(fmt::format("{}({}, over: {})", dice_.chance(50) ? "any" : "all", x->name, text_of(over)), between(0, 1), {x});
    case 2: return add(fmt::format("sum({} -> {})", x->name, text_of(over)), between(0, static_cast<double>(size_of(x->dims))), {x});
    default: {
      const Variable* y = any([&](const Variable& v) {
        return v.element == ElementType::kBool && agree(v.dims, x->dims) && (is_subset(v.dims, x->dims) || is_subset(x->dims, v.dims));
      });
      return y && add(fmt::format("{} {} {}", x->name, dice_.chance(50) ? "and" : "or", y->name), between(0, 1), {x, y});
    }
  }
}

bool Generator::select() {
  const Variable* c = any([](const Variable& v) { return v.element == ElementType::kBool; });
  const Variable* x = number();
  if (!c || !x) return false;
  const Variable* y = any([&](const Variable& v) { return is_number(v.element) && v.element == x->element; });
  Facts facts = x->facts;
  if (!y || dice_.chance(30)) {
    facts.low = std::min(facts.low, 0.0), facts.high = std::max(facts.high, 0.0);
    return add(fmt::format("where({}, {}, 0)", c->name, x->name), facts, {c, x});
  }
  facts.low = std::min(facts.low, y->facts.low), facts.high = std::max(facts.high, y->facts.high);
  facts.error = std::max(facts.error, y->facts.error);
  facts.summed = facts.summed || y->facts.summed;
  return add(fmt::format("where({}, {}, {})", c->name, x->name, y->name), facts, {c, x, y});
}

bool Generator::reduction() {
  const Variable* x = with_dims();
  if (!x) return false;
  Dims over = some_dims(x->dims, 50);
  std::string how = over.size() == 1 ? fmt::format("{}, over: {}", x->name, over[0].name.str()) : fmt::format("{}, over: {}", x->name, text_of(over));
  if (over.empty() || dice_.chance(20)) over = x->dims, how = x->name;
  else if (dice_.chance(30)) how = fmt::format("{} -> {}", x->name, text_of(some_dims(without(x->dims, over), 100)));
  const double terms = static_cast<double>(size_of(over)), most = x->facts.magnitude();
  Facts facts = x->facts;
  facts.summed = true;
  switch (dice_.below(6)) {
    case 0: return add("max(" + how + ")", facts, {x});
    case 1: return add("min(" + how + ")", facts, {x});
    case 2: {
      if (!integers_ || terms * std::log2(std::max(2.0, most)) > 22) return false;
      facts.high = std::pow(std::max(1.0, most), terms);
      facts.low = -facts.high;
      return add("prod(" + how + ")", facts, {x});
    }
    default: return add("sum(" + how + ")", summed(x->facts.low, x->facts.high, terms, x->facts.error), {x});
  }
}

bool Generator::contraction() {
  const Variable* x = number();
  if (!x) return false;
  std::vector<const Variable*> operands = {x};
  Dims dims = x->dims;
  const int64_t count = dice_.between(1, 3);
  for (int64_t i = 1; i < count; ++i) {
    const Variable* y = any([&](const Variable& v) { return is_number(v.element) && agree(v.dims, dims); });
    if (!y) break;
    for (const Dim& dim : without(y->dims, dims)) dims.push_back(dim);
    operands.push_back(y);
  }
  if (size_of(dims) > kMostPoints) return false;
  const Dims kept = some_dims(dims, 60);
  const double terms = static_cast<double>(size_of(without(dims, kept)));
  double most = 1, error = 0;
  for (const Variable* y : operands) {
    error = error * std::max(1.0, y->facts.magnitude()) + y->facts.error * std::max(1.0, most);
    most *= y->facts.magnitude();
  }
  std::string list;
  for (const Variable* y : operands) list += (list.empty() ? "" : ", ") + y->name;
  Facts facts = summed(-most, most, terms, error);
  if (!integers_) facts.error *= static_cast<double>(operands.size());
  return add(fmt::format("einsum({} -> {})", list, text_of(kept)), facts, operands);
}

bool Generator::renaming() {
  const Variable* x = with_dims(true);
  if (!x) return false;
  if (x->dims.size() >= 2 && x->dims[0].size == x->dims[1].size && dice_.chance(50)) {
    const std::string a = x->dims[0].name.str(), b = x->dims[1].name.str();
    return add(fmt::format("rename({}, {} -> {}, {} -> {})", x->name, a, b, b, a), x->facts, {x});
  }
  std::string pairs;
  for (const Dim& dim : some_dims(x->dims, 60)) {
    if (!has_dim(dims_, dim.name)) continue;
    pairs += fmt::format(", {} -> {}", dim.name.str(), declare(dim.name.str() + "2", "size(" + dim.name.str() + ")"));
  }
  return !pairs.empty() && add("rename(" + x->name + pairs + ")", x->facts, {x});
}

bool Generator::reshaping() {
  const Variable* x = any([&](const Variable& v) { return !v.dims.empty() && at_declared_size(v); });
  if (!x) return false;
  Dims dims = x->dims;
  for (size_t i = 0; i < dims.size(); ++i) {
    const std::string name = dims[i].name.str();
    if (name.size() != 2 || !has_dim(dims_, Name(name.substr(0, 1))) || !has_dim(dims_, Name(name.substr(1)))) continue;
    std::string text;
    for (size_t j = 0; j < dims.size(); ++j) text += (j ? ", " : "") + (j == i ? name.substr(0, 1) + ", " + name.substr(1) : dims[j].name.str());
    return add(fmt::format("reshape({} -> [{}])", x->name, text), x->facts, {x});
  }
  if (dims.size() >= 2 && dice_.chance(70)) {
    const size_t i = static_cast<size_t>(dice_.below(static_cast<int64_t>(dims.size()) - 1));
    const std::string a = dims[i].name.str(), b = dims[i + 1].name.str();
    if (a.size() != 1 || b.size() != 1) return false;
    std::string text;
    for (size_t j = 0; j < dims.size(); ++j) {
      if (j == i + 1) continue;
      text += (j ? ", " : "") + (j == i ? declare(a + b, a + " * " + b) : dims[j].name.str());
    }
    return add(fmt::format("reshape({} -> [{}])", x->name, text), x->facts, {x});
  }
  return add(fmt::format("reshape({} -> {})", x->name, text_of(some_dims(dims, 100))), x->facts, {x});
}

bool Generator::broadcasting() {
  const Variable* x = any([&](const Variable& v) { return v.dims.size() < 3 && at_declared_size(v); });
  if (!x) return false;
  Dims dims = x->dims;
  for (const Dim& dim : some_dims(without(dims_, dims), 50)) dims.push_back(dim);
  return add(fmt::format("broadcast({} -> {})", x->name, text_of(some_dims(dims, 100))), x->facts, {x});
}

bool Generator::slicing() {
  const Variable* x = with_dims(true);
  if (!x) return false;
  const Dim dim = dim_of(*x);
  const int64_t first = dice_.below(dim.size), last = dice_.between(first + 1, dim.size);
  const std::string name = dim.name.str();
  switch (dice_.below(5)) {
    case 0: return add(fmt::format("{}[{}: {}]", x->name, name, first), x->facts, {x});
    case 1: return add(fmt::format("{}[{}: {}..]", x->name, name, first), x->facts, {x});
    case 2: return add(fmt::format("slice({}, {}: ({}, {}), stride: {})", x->name, name, first, last, dice_.between(2, 3)), x->facts, {x});
    default: return add(fmt::format("{}[{}: {}..{}]", x->name, name, first, last), x->facts, {x});
  }
}

bool Generator::joining() {
  const Variable* x = with_dims(true);
  if (!x) return false;
  const Dim dim = dim_of(*x);
  const std::string name = dim.name.str();
  auto joined = [&](const Variable& y) {
    Facts facts = x->facts;
    facts.low = std::min(facts.low, y.facts.low), facts.high = std::max(facts.high, y.facts.high);
    facts.error = std::max(facts.error, y.facts.error);
    facts.summed = facts.summed || y.facts.summed;
    return facts;
  };
  if (dice_.chance(30)) {
    const Variable* y = any([&](const Variable& v) { return v.element == x->element && same_set(v.dims, x->dims); });
    return y && add(fmt::format("stack([{}, {}], {})", x->name, y->name, declare("pair", "2")), joined(*y), {x, y});
  }
  if (dice_.chance(15) && dim.size <= 8) return add(fmt::format("stack(unstack({}, over: {}), {})", x->name, name, declare("s" + name, fmt::format("{}", dim.size))), x->facts, {x});
  const Variable* y = any([&](const Variable& v) {
    return v.element == x->element && has_dim(v.dims, dim.name) && same_set(without(v.dims, {dim}), without(x->dims, {dim}));
  });
  if (!y) return false;
  if (dice_.chance(30)) return add(fmt::format("concat([{}, {}[{}: 0..1], {}], over: {})", x->name, y->name, name, y->name, name), joined(*y), {x, y});
  return add(fmt::format("concat([{}, {}], over: {})", x->name, y->name, name), joined(*y), {x, y});
}

bool Generator::moving() {
  const Variable* x = with_dims(true);
  if (!x) return false;
  const Dim dim = dim_of(*x);
  const std::string name = dim.name.str();
  Facts facts = x->facts;
  facts.low = std::min(facts.low, 0.0), facts.high = std::max(facts.high, 1.0);
  const int64_t by = dice_.between(-dim.size - 1, dim.size + 1);
  switch (dice_.below(5)) {
    case 0: return is_number(x->element) && add(fmt::format("pad({}, {}: ({}, {}), value: {})", x->name, name, dice_.below(3), dice_.below(4), dice_.below(2)), facts, {x});
    case 1: return add(fmt::format("pad({}, {}: ({}, {}))", x->name, name, dice_.below(3), dice_.below(4)), facts, {x});
    case 2: return add(fmt::format("reverse({}, over: {})", x->name, name), x->facts, {x});
    case 3: return add(fmt::format("shift({}, {}: {}, wrap: true)", x->name, name, by), x->facts, {x});
    default: return add(fmt::format("shift({}, {}: {})", x->name, name, by), facts, {x});
  }
}

bool Generator::running_sum() {
  const Variable* x = with_dims();
  if (!x) return false;
  const Dim dim = dim_of(*x);
  Facts facts = summed(x->facts.low, x->facts.high, static_cast<double>(dim.size), x->facts.error);
  facts.low = std::min(facts.low, 0.0), facts.high = std::max(facts.high, 0.0);
  return add(fmt::format("cumsum({}, over: {}{}{})", x->name, dim.name.str(), dice_.chance(40) ? ", exclusive: true" : "",
                         dice_.chance(40) ? ", reverse: true" : ""), facts, {x});
}

bool Generator::lookup() {
  const Variable* ids = any([](const Variable& v) { return v.element == ElementType::kI32; });
  if (!ids) return false;
  if (ids->facts.low < 0 || ids->facts.high > 20 || dice_.chance(30)) return add(fmt::format("{} % {}", ids->name, dice_.between(2, 6)), between(0, 5), {ids});
  const auto needed = static_cast<int64_t>(ids->facts.high) + 1;
  switch (dice_.below(4)) {
    case 0: {
      const std::string classes = declare(fmt::format("n{}", needed), fmt::format("{}", needed));
      const std::string element = integers_ ? dice_.chance(50) ? "i32" : "f32" : std::string(name(real_));
      return add(fmt::format("one_hot({}, {}, {})", ids->name, classes, element), between(0, 1), {ids});
    }
    case 1: {
      const Variable* x = any([&](const Variable& v) { return is_number(v.element) && is_subset(ids->dims, v.dims) && !ids->dims.empty(); });
      if (!x) return false;
      const std::string into = declare(fmt::format("n{}", needed), fmt::format("{}", needed));
      const Dims kept = some_dims(ids->dims, 40);
      const double terms = static_cast<double>(size_of(without(ids->dims, kept)));
      Facts facts = summed(x->facts.low, x->facts.high, terms, x->facts.error);
      facts.low = std::min(facts.low, 0.0), facts.high = std::max(facts.high, 0.0);
      if (kept.empty()) return add(fmt::format("scatter_add({}, {}, into: {})", x->name, ids->name, into), facts, {x, ids});
      std::string shape = into;
      for (const Dim& dim : kept) shape += ", " + dim.name.str();
      for (const Dim& dim : without(x->dims, ids->dims)) shape += ", " + dim.name.str();
      return add(fmt::format("scatter_add({}, {} -> [{}], into: {})", x->name, ids->name, shape, into), facts, {x, ids});
    }
    default: {
      const Variable* table = any([&](const Variable& v) {
        return std::any_of(v.dims.begin(), v.dims.end(), [&](const Dim& dim) { return dim.size >= needed; }) && agree(v.dims, ids->dims);
      });
      if (!table) return false;
      Dims large;
      for (const Dim& dim : table->dims)
        if (dim.size >= needed) large.push_back(dim);
      Facts facts = table->facts;
      facts.summed = true;
      return add(fmt::format("gather({}, {}, over: {})", table->name, ids->name, dice_.pick(large).name.str()), facts, {table, ids});
    }
  }
}

bool Generator::ordering() {
  const Variable* x = with_dims();
  if (!x) return false;
  const Dim dim = dim_of(*x);
  const std::string over = dim.name.str();
  const bool exact = x->facts.error == 0;
  const double last = static_cast<double>(dim.size - 1);
  const std::string down = dice_.chance(50) ? ", descending: true" : "";
  const int64_t count = dice_.between(1, std::min<int64_t>(3, dim.size));
  switch (dice_.below(exact ? 5 : 2)) {
    case 0: return add(fmt::format("sort({}, over: {}{})", x->name, over, down), x->facts, {x});
    case 1: return add(fmt::format("top_k({}, {}, over: {})[0]", x->name, declare(fmt::format("k{}", count), fmt::format("{}", count)), over), x->facts, {x});
    case 2: return add(fmt::format("{}({}, over: {})", dice_.chance(50) ? "argmax" : "argmin", x->name, over), between(0, last), {x});
    case 3: return add(fmt::format("argsort({}, over: {}{})", x->name, over, down), between(0, last), {x});
    default: return add(fmt::format("top_k({}, {}, over: {})[1]", x->name, declare(fmt::format("k{}", count), fmt::format("{}", count)), over), between(0, last), {x});
  }
}

bool Generator::casting() {
  const Variable* x = any([](const Variable& v) { return v.facts.error == 0; });
  if (!x) return false;
  static const std::vector<std::string> kTypes = {"i32", "f32", "f64", "bf16", "bool"};
  const std::string to = integers_ ? dice_.pick(kTypes) : dice_.chance(30) ? "i32" : std::string(name(real_));
  if (to == "bool") return add(fmt::format("cast({}, bool)", x->name), between(0, 1), {x});
  return add(fmt::format("cast({}, {})", x->name, to), x->facts, {x});
}

bool Generator::creating() {
  const Dims dims = some_dims(dims_, 50);
  const std::string shape = text_of(dims);
  switch (dice_.below(4)) {
    case 0: {
      const Dim& dim = dice_.pick(dims_);
      return add(fmt::format("range({})", dim.name.str()), between(0, static_cast<double>(dim.size - 1)), {});
    }
    case 1: return add(fmt::format("fill({}, {}, {})", shape, dice_.between(-3, 3), integers_ ? "i32" : std::string(name(real_))), between(-3, 3), {});
    case 2: return integers_ ? add(fmt::format("random.integers({}, -2, 4)", shape), between(-2, 3), {})
                             : add(fmt::format("random.normal({}, stddev: 0.5, {})", shape, std::string(name(real_))), between(-4, 4), {});
    default: {
      const Variable* x = number();
      return x && add("zeros_like(" + x->name + ")", between(0, 0), {x});
    }
  }
}

bool Generator::calling() {
  const Variable* x = number();
  if (!x) return false;
  const double most = x->facts.magnitude();
  Facts facts{-most * most - 2 * most, most * most + 2 * most, 0, x->facts.summed};
  if (x->facts.error > 0) facts.error = (2 * most + 2) * x->facts.error + 8 * (1 + facts.high);
  return add(dice_.chance(50) ? "curve(" + x->name + ")" : "recompute(curve, " + x->name + ")", facts, {x});
}

bool Generator::loop() {
  const Variable* x = any([&](const Variable& v) {
    return v.element == ElementType::kI32 || (integers_ ? v.element == ElementType::kF32 : v.element == real_ && v.facts.error < 100);
  });
  if (!x) return false;
  const Variable* y = any([&](const Variable& v) { return is_number(v.element) && v.element <= x->element && is_subset(v.dims, x->dims); });
  if (!y || (!integers_ && y->facts.error > 0 && is_float(y->element) && y->element != real_)) return false;
  const std::string v = next_name();
  const int64_t turns = dice_.between(1, 4);
  const double n = static_cast<double>(turns), most = std::max(x->facts.magnitude(), 20.0), other = y->facts.magnitude();
  std::string step;
  Facts facts{-20, 20, 0, true};
  std::vector<const Variable*> reads = {x, y};
  if (!integers_ && is_float(x->element)) {
    step = fmt::format("tanh({} * 0.5 + {})", v, y->name);
    facts = {-std::max(1.0, most), std::max(1.0, most), 0, true};
    if (x->facts.error + y->facts.error > 0) facts.error = n * (y->facts.error + 8 * (1 + other)) + x->facts.error;
  } else {
    if (x->facts.error + y->facts.error > 0) return false;
    if (!fits(x->element, {0, 5 * most * 20 + 3 * other, 0, false})) return false;
    const std::string dim = x->dims.empty() ? "" : dim_of(*x).name.str();
    switch (dice_.below(x->dims.empty() ? 3 : 6)) {
      case 0: step = fmt::format("({} * 3 + {}) % 11", v, y->name); break;
      case 1: step = fmt::format("clip({} + {} - i, -20, 20)", v, y->name); break;
      case 2: step = fmt::format("(maximum({}, {}) - {}) % 7", v, y->name, dice_.between(0, 3)); break;
      case 3: step = fmt::format("shift({}, {}: 1, wrap: true)", v, dim), facts = x->facts; break;
      case 4: step = fmt::format("cumsum({}, over: {}) % 7", v, dim); break;
      default: step = fmt::format("({} + sum({}, over: {})) % 13", v, v, dim); break;
    }
    facts.low = std::min(facts.low, x->facts.low), facts.high = std::max(facts.high, x->facts.high);
    facts.summed = true;
  }
  std::string body = fmt::format("  {} := {}\n", v, step);
  if (dice_.chance(30)) body += fmt::format("  if i % 2 == 0 {{ {} := -{} }}\n", v, v), facts.high = facts.magnitude(), facts.low = -facts.high;
  std::string first = dice_.chance(50) ? "copy(" + x->name + ")" : x->name + " + 0";
  if (!add_text(fmt::format("let {} = {}\nfor i in 0..{} {{\n{}}}\n", v, first, turns, body), v, facts, reads)) return false;
  program_.has_loop = true;
  return true;
}

bool Generator::real_function() {
  const Variable* x = real();
  if (!x || integers_) return false;
  const std::string& v = x->name;
  const double most = x->facts.magnitude();
  auto function = [&](const std::string& text, double low, double high, double slope) { return add(text, smooth(low, high, slope, *x), {x}); };
  switch (dice_.below(14)) {
    case 0: return function("tanh(" + v + ")", -1, 1, 1);
    case 1: return function("sigmoid(" + v + ")", 0, 1, 1);
    case 2: return function("sin(" + v + ")", -1, 1, 1);
    case 3: return function("cos(" + v + ")", -1, 1, 1);
    case 4: return function("gelu(" + v + ")", -0.2, most, 1.2);
    case 5: return function("swish(" + v + ")", -0.3, most, 1.2);
    case 6: return function("softplus(" + v + ")", 0, most + 1, 1);
    case 7: return function("exp(-square(" + v + "))", 0, 1, 1);
    case 8: return function("sqrt(1 + square(" + v + "))", 1, 1 + most, 1);
    case 9: return function("rsqrt(1 + square(" + v + "))", 0, 1, 1);
    case 10: return function("log(1 + square(" + v + "))", 0, 2 * std::log(1 + most), 1);
    case 11: return function("reciprocal(1 + square(" + v + "))", 0, 1, 1);
    case 12: return function("dropout(" + v + ", rate: 0.5)", -2 * most, 2 * most, 2);
    default: return function("elu(" + v + ")", -1, most, 1);
  }
}

bool Generator::normalising() {
  const Variable* x = any([&](const Variable& v) { return v.element == real_ && !v.dims.empty(); });
  if (!x || integers_) return false;
  Dims over = some_dims(x->dims, 50);
  if (over.empty()) over = {dim_of(*x)};
  const double n = static_cast<double>(size_of(over)), most = x->facts.magnitude(), error = x->facts.error;
  const std::string call = "(" + x->name + ", over: " + text_of(over);
  switch (dice_.below(5)) {
    case 0: return add("softmax" + call + ")", {0, 1, 2 * error + 8 + n, true}, {x});
    case 1: return add("log_softmax" + call + ")", {-2 * most - std::log(n), 0, 2 * error + 8 * (2 * most + std::log(n)) + n, true}, {x});
    case 2: return add("logsumexp" + call + ")", {-most, most + std::log(n), error + 8 * (most + std::log(n)) + n, true}, {x});
    case 3: {
      const double root = std::sqrt(n);
      return add("layer_norm" + call + ", epsilon: 0.1)", {-root, root, 3.2 * (2 + root) * (error + 4 * most) + 8 * root, true}, {x});
    }
    default: {
      const Dim classes = over[0];
      const Variable* ids = any([&](const Variable& v) {
        return v.element == ElementType::kI32 && v.facts.low >= 0 && v.facts.high < static_cast<double>(classes.size) &&
               is_subset(v.dims, without(x->dims, {classes}));
      });
      if (!ids) return false;
      const double high = 2 * most + std::log(static_cast<double>(classes.size));
      return add(fmt::format("cross_entropy({}, {}, over: {})", x->name, ids->name, classes.name.str()),
                 {0, high, 2 * error + 8 * high + static_cast<double>(classes.size), true}, {x, ids});
    }
  }
}

bool Generator::averaging() {
  const Variable* x = any([&](const Variable& v) { return v.element == real_ && !v.dims.empty(); });
  if (!x || integers_) return false;
  const Dims over = some_dims(x->dims, 50);
  Facts facts = x->facts;
  facts.summed = true;
  facts.error = facts.error + 2 * facts.magnitude() + 4;
  return add(over.empty() ? "mean(" + x->name + ")" : fmt::format("mean({}, over: {})", x->name, text_of(over)), facts, {x});
}

/// The gradient of a number made of the last tensors, with respect to inputs.
void Generator::add_gradient() {
  std::string loss, of;
  std::vector<std::string> read;
  for (size_t i = variables_.size(); i-- > 0 && read.size() < 3;)
    if (variables_[i].element == real_ && i >= program_.inputs.size()) {
      loss += fmt::format("{}mean(square({}))", loss.empty() ? "" : " + ", variables_[i].name);
      read.push_back(variables_[i].name);
    }
  std::vector<std::string> inputs;
  for (size_t i = 0; i < program_.inputs.size(); ++i)
    if (variables_[i].element == real_) {
      of += (of.empty() ? "" : ", ") + variables_[i].name;
      inputs.push_back(variables_[i].name);
    }
  if (loss.empty() || of.empty()) return;
  Line line;
  line.text = fmt::format("let loss = {}\nlet slopes = grad(loss, [{}])\n", loss, of);
  for (size_t i = 0; i < inputs.size(); ++i) {
    line.text += fmt::format("let d_{} = slopes[{}]\n", inputs[i], i);
    line.binds.push_back("d_" + inputs[i]);
  }
  line.reads = read;
  line.reads.insert(line.reads.end(), inputs.begin(), inputs.end());
  try {
    evaluation_.run(line.text);
  } catch (const UserError&) {
    return;
  }
  program_.lines.push_back(line);
}

// ---- The program -----------------------------------------------------------------------------------------------------

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
        case 0: add(whole + " > 0", between(0, 1), {}); break;
        case 1: add("cast(" + whole + ", bf16)", between(-3, 3), {}); break;
        case 2: add("cast(" + whole + ", f64)", between(-3, 3), {}); break;
        case 3: case 4: case 5: add("cast(" + whole + ", f32)", between(-3, 3), {}); break;
        default: add(whole, between(-3, 3), {});
      }
    } else if (i > 0 && dice_.chance(25)) {
      add(dice_.chance(50) ? whole : whole + " > 0", dice_.chance(0) ? Facts{} : between(-3, 3), {});
    } else {
      add(dice_.chance(50) ? fmt::format("random.uniform({}, low: -2, high: 2, {})", shape, real)
                           : fmt::format("random.normal({}, stddev: 0.5, {})", shape, real),
          between(-4, 4), {});
    }
  }
  program_.inputs = std::move(program_.lines);
  program_.lines.clear();
}

void Generator::draw_placing() {
  static const std::vector<std::vector<std::string>> kMeshes = {
      {"all:2"}, {"all:3"}, {"all:4", "rows:2;cols:2"}, {"rows:2;cols:2"}, {"rows:2;cols:3"}, {"all:6", "rows:2;cols:3"}, {"rows:3;cols:2", "rows:2;cols:3"},
      {"x:2;y:2;z:2", "rows:4;cols:2"}};
  const std::vector<std::string>& meshes = dice_.pick(kMeshes);
  std::vector<std::string> names;
  for (const Dim& dim : declared_) names.push_back(dim.name.str());
  for (size_t i = 0; i < meshes.size(); ++i) {
    std::string axes;
    for (const Axis& axis : parse_axes(meshes[i])) axes += fmt::format("{}{}: {}", axes.empty() ? "" : ", ", axis.name.str(), axis.size);
    program_.placing += fmt::format("mesh m{} = [{}]\n", i, axes);
    meshes_.push_back(meshes[i]);
    for (int64_t j = 0; j < 2; ++j) {
      std::string rules;
      for (const LayoutRule& rule : parse_layout_rules(random_layout(static_cast<uint64_t>(dice_.below(1 << 30)), names, meshes[i]))) {
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
    const auto x = std::find_if(variables_.begin(), variables_.end(), [&](const Variable& v) { return v.name == line.binds[0]; });
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
  declare_dims();
  evaluation_.run("fn curve(x) = x * x - 2 * x\n");
  draw_inputs();
  using Draw = bool (Generator::*)();
  std::vector<Draw> draws = {&Generator::unary, &Generator::unary, &Generator::binary, &Generator::binary, &Generator::binary, &Generator::comparison,
                             &Generator::truth, &Generator::select, &Generator::reduction, &Generator::reduction, &Generator::contraction,
                             &Generator::contraction, &Generator::contraction, &Generator::renaming, &Generator::reshaping, &Generator::broadcasting,
                             &Generator::slicing, &Generator::joining, &Generator::moving, &Generator::running_sum, &Generator::lookup,
                             &Generator::lookup, &Generator::ordering, &Generator::casting, &Generator::creating, &Generator::calling, &Generator::loop};
  if (!integers_) draws.insert(draws.end(), {&Generator::real_function, &Generator::real_function, &Generator::real_function, &Generator::normalising,
                                             &Generator::normalising, &Generator::averaging});
  const size_t wanted = static_cast<size_t>(dice_.between(3, 14));
  for (int tries = 0; tries < 400 && program_.lines.size() < wanted; ++tries) {
    const size_t variables = variables_.size();
    if ((this->*dice_.pick(draws))()) continue;
    MTF_CHECK(variables_.size() == variables, "a line that was refused is kept");
  }
  for (const Line& line : program_.lines) {
    const auto x = std::find_if(variables_.begin(), variables_.end(), [&](const Variable& v) { return v.name == line.binds[0]; });
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

RandomProgram random_program(uint64_t seed) { return Generator(seed).make(); }

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
