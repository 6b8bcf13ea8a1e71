// The operations of both kinds of programs.
#include "generator.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace mtf::properties {
namespace {

constexpr int64_t kMostPoints = 65536;  // of a contraction

}  // namespace

bool Generator::unary() {
  const Variable* x = number();
  if (!x) return false;
  const std::string& v = x->name;
  const double low = x->facts.low, high = x->facts.high, most = x->facts.magnitude();
  const double c = static_cast<double>(dice_.between(1, 5));
  auto continuous = [&](const std::string& text, double from, double to, double slope) {
    return add(text, smooth(from, to, slope, *x), {x});
  };
  const bool exact = x->facts.error == 0;
  switch (dice_.below(exact ? 17 : 12)) {
    case 0: return continuous("-" + v, -high, -low, 1);
    case 1: return continuous("abs(" + v + ")", 0, most, 1);
    case 2: return continuous("square(" + v + ")", 0, most * most, 2 * most);
    case 3: return continuous("relu(" + v + ")", 0, std::max(0.0, high), 1);
    case 4: return continuous(fmt::format("{} + {}", v, c), low + c, high + c, 1);
    case 5: return continuous(fmt::format("{} - {}", c, v), c - high, c - low, 1);
    case 6: return continuous(fmt::format("{} * {}", v, c), low * c, high * c, c);
    case 7:
      return continuous(fmt::format("clip({}, {}, {})", v, -c, c + 1), std::max(low, -c),
                        std::max(-c, std::min(high, c + 1)), 1);
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
  const Variable* y = any([&](const Variable& v) {
    return (is_subset(v.dims, x->dims) || is_subset(x->dims, v.dims)) && agree(v.dims, x->dims);
  });
  if (!y) return false;
  if (dice_.chance(50)) std::swap(x, y);
  const Facts &a = x->facts, &b = y->facts;
  Facts facts{0, 0, 0, a.summed || b.summed};
  const double rounding = a.error + b.error > 0 ? 4 * (1 + a.magnitude() + b.magnitude()) : 0;
  facts.error = a.error + b.error + rounding;
  switch (dice_.below(6)) {
    case 0:
      facts.low = a.low + b.low, facts.high = a.high + b.high;
      return add(x->name + " + " + y->name, facts, {x, y});
    case 1:
      facts.low = a.low - b.high, facts.high = a.high - b.low;
      return add(x->name + " - " + y->name, facts, {x, y});
    case 2: {
      facts.high = a.magnitude() * b.magnitude();
      facts.low = -facts.high;
      if (facts.error > 0) facts.error = a.error * b.magnitude() + b.error * a.magnitude() + 4 * facts.high;
      return add(x->name + " * " + y->name, facts, {x, y});
    }
    case 3:
      facts.low = std::min(a.low, b.low), facts.high = std::max(a.high, b.high);
      return add("minimum(" + x->name + ", " + y->name + ")", facts, {x, y});
    case 4:
      facts.low = std::min(a.low, b.low), facts.high = std::max(a.high, b.high);
      return add("maximum(" + x->name + ", " + y->name + ")", facts, {x, y});
    default: {
      facts.high = a.magnitude() * b.magnitude();
      facts.low = -facts.high;
      if (facts.error > 0) facts.error = a.error * b.magnitude() + b.error * a.magnitude() + 4 * facts.high;
      // With operands that each lack a dim of the other.
      const Variable* z = any([&](const Variable& v) { return is_number(v.element) && agree(v.dims, x->dims); });
      if (!z) return false;
      facts.high = a.magnitude() * z->facts.magnitude();
      facts.low = -facts.high;
      if (a.error + z->facts.error > 0)
        facts.error = a.error * z->facts.magnitude() + z->facts.error * a.magnitude() + 4 * facts.high;
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
    return is_number(v.element) && v.facts.error == 0 && agree(v.dims, x->dims) &&
           (is_subset(v.dims, x->dims) || is_subset(x->dims, v.dims));
  });
  if (!y || y == x || dice_.chance(40))
    return add(fmt::format("{} {} {}", x->name, symbol, dice_.between(-2, 3)), Facts::between(0, 1), {x});
  return add(fmt::format("{} {} {}", x->name, symbol, y->name), Facts::between(0, 1), {x, y});
}

bool Generator::truth() {
  const Variable* x = any([](const Variable& v) { return v.element == ElementType::kBool; });
  if (!x) return comparison();
  const Dims over = some_dims(x->dims, 50);
  switch (dice_.below(5)) {
    case 0: return add("not " + x->name, Facts::between(0, 1), {x});
    case 1:
      return !over.empty() &&
             add(fmt::format("{}({}, over: {})", dice_.chance(50) ? "any" : "all", x->name, text_of(over)),
                 Facts::between(0, 1), {x});
    case 2:
      return add(fmt::format("sum({} -> {})", x->name, text_of(over)),
                 Facts::between(0, static_cast<double>(size_of(x->dims))), {x});
    default: {
      const Variable* y = any([&](const Variable& v) {
        return v.element == ElementType::kBool && agree(v.dims, x->dims) &&
               (is_subset(v.dims, x->dims) || is_subset(x->dims, v.dims));
      });
      return y && add(fmt::format("{} {} {}", x->name, dice_.chance(50) ? "and" : "or", y->name), Facts::between(0, 1),
                      {x, y});
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
  std::string how = over.size() == 1 ? fmt::format("{}, over: {}", x->name, over[0].name.str())
                                     : fmt::format("{}, over: {}", x->name, text_of(over));
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
    for (size_t j = 0; j < dims.size(); ++j)
      text += (j ? ", " : "") + (j == i ? name.substr(0, 1) + ", " + name.substr(1) : dims[j].name.str());
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
    case 2:
      return add(fmt::format("slice({}, {}: ({}, {}), stride: {})", x->name, name, first, last, dice_.between(2, 3)),
                 x->facts, {x});
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
  if (dice_.chance(15) && dim.size <= 8)
    return add(fmt::format("stack(unstack({}, over: {}), {})", x->name, name,
                           declare("s" + name, fmt::format("{}", dim.size))),
               x->facts, {x});
  const Variable* y = any([&](const Variable& v) {
    return v.element == x->element && has_dim(v.dims, dim.name) &&
           same_set(without(v.dims, {dim}), without(x->dims, {dim}));
  });
  if (!y) return false;
  if (dice_.chance(30))
    return add(fmt::format("concat([{}, {}[{}: 0..1], {}], over: {})", x->name, y->name, name, y->name, name),
               joined(*y), {x, y});
  const int64_t size = dim.size + y->dims[static_cast<size_t>(find_dim(y->dims, dim.name))].size;
  const std::string both = fmt::format("j{}", size);
  if (dice_.chance(30) && !has_dim(x->dims, Name(both)))
    return add(fmt::format("concat([{}, rename({}, {} -> {}')], over: [{}, {}'], as: {})", x->name, y->name, name, name,
                           name, name, declare(both, fmt::format("{}", size))),
               joined(*y), {x, y});
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
    case 0:
      return is_number(x->element) && add(fmt::format("pad({}, {}: ({}, {}), value: {})", x->name, name, dice_.below(3),
                                                      dice_.below(4), dice_.below(2)),
                                          facts, {x});
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
  return add(fmt::format("cumsum({}, over: {}{}{})", x->name, dim.name.str(),
                         dice_.chance(40) ? ", exclusive: true" : "", dice_.chance(40) ? ", reverse: true" : ""),
             facts, {x});
}

bool Generator::lookup() {
  const Variable* ids = any([](const Variable& v) { return v.element == ElementType::kI32; });
  if (!ids) return false;
  if (ids->facts.low < 0 || ids->facts.high > 20 || dice_.chance(30))
    return add(fmt::format("{} % {}", ids->name, dice_.between(2, 6)), Facts::between(0, 5), {ids});
  const auto needed = static_cast<int64_t>(ids->facts.high) + 1;
  switch (dice_.below(4)) {
    case 0: {
      const std::string classes = declare(fmt::format("n{}", needed), fmt::format("{}", needed));
      const std::string element = integers_ ? dice_.chance(50) ? "i32" : "f32" : std::string(name(real_));
      return add(fmt::format("one_hot({}, {}, {})", ids->name, classes, element), Facts::between(0, 1), {ids});
    }
    case 1: {
      const Variable* x = any([&](const Variable& v) {
        return is_number(v.element) && is_subset(ids->dims, v.dims) && !ids->dims.empty();
      });
      if (!x) return false;
      const std::string into = declare(fmt::format("n{}", needed), fmt::format("{}", needed));
      const Dims kept = some_dims(ids->dims, 40);
      const double terms = static_cast<double>(size_of(without(ids->dims, kept)));
      Facts facts = summed(x->facts.low, x->facts.high, terms, x->facts.error);
      facts.low = std::min(facts.low, 0.0), facts.high = std::max(facts.high, 0.0);
      if (kept.empty())
        return add(fmt::format("scatter_add({}, {}, into: {})", x->name, ids->name, into), facts, {x, ids});
      std::string shape = into;
      for (const Dim& dim : kept) shape += ", " + dim.name.str();
      for (const Dim& dim : without(x->dims, ids->dims)) shape += ", " + dim.name.str();
      return add(fmt::format("scatter_add({}, {} -> [{}], into: {})", x->name, ids->name, shape, into), facts,
                 {x, ids});
    }
    default: {
      const Variable* table = any([&](const Variable& v) {
        return std::any_of(v.dims.begin(), v.dims.end(), [&](const Dim& dim) { return dim.size >= needed; }) &&
               agree(v.dims, ids->dims);
      });
      if (!table) return false;
      Dims large;
      for (const Dim& dim : table->dims)
        if (dim.size >= needed) large.push_back(dim);
      Facts facts = table->facts;
      facts.summed = true;
      return add(fmt::format("gather({}, {}, over: {})", table->name, ids->name, dice_.pick(large).name.str()), facts,
                 {table, ids});
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
    case 1:
      return add(fmt::format("top_k({}, {}, over: {})[0]", x->name,
                             declare(fmt::format("k{}", count), fmt::format("{}", count)), over),
                 x->facts, {x});
    case 2:
      return add(fmt::format("{}({}, over: {})", dice_.chance(50) ? "argmax" : "argmin", x->name, over),
                 Facts::between(0, last), {x});
    case 3: return add(fmt::format("argsort({}, over: {}{})", x->name, over, down), Facts::between(0, last), {x});
    default:
      return add(fmt::format("top_k({}, {}, over: {})[1]", x->name,
                             declare(fmt::format("k{}", count), fmt::format("{}", count)), over),
                 Facts::between(0, last), {x});
  }
}

bool Generator::casting() {
  const Variable* x = any([](const Variable& v) { return v.facts.error == 0; });
  if (!x) return false;
  static const std::vector<std::string> kTypes = {"i32", "f32", "f64", "bf16", "bool"};
  const std::string to = integers_ ? dice_.pick(kTypes) : dice_.chance(30) ? "i32" : std::string(name(real_));
  if (to == "bool") return add(fmt::format("cast({}, bool)", x->name), Facts::between(0, 1), {x});
  return add(fmt::format("cast({}, {})", x->name, to), x->facts, {x});
}

bool Generator::creating() {
  const Dims dims = some_dims(dims_, 50);
  const std::string shape = text_of(dims);
  switch (dice_.below(4)) {
    case 0: {
      const Dim& dim = dice_.pick(dims_);
      return add(fmt::format("range({})", dim.name.str()), Facts::between(0, static_cast<double>(dim.size - 1)), {});
    }
    case 1:
      return add(
          fmt::format("fill({}, {}, {})", shape, dice_.between(-3, 3), integers_ ? "i32" : std::string(name(real_))),
          Facts::between(-3, 3), {});
    case 2:
      return integers_ ? add(fmt::format("random.integers({}, -2, 4)", shape), Facts::between(-2, 3), {})
                       : add(fmt::format("random.normal({}, stddev: 0.5, {})", shape, std::string(name(real_))),
                             Facts::between(-4, 4), {});
    default: {
      const Variable* x = number();
      return x && add("zeros_like(" + x->name + ")", Facts::between(0, 0), {x});
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
    return v.element == ElementType::kI32 ||
           (integers_ ? v.element == ElementType::kF32 : v.element == real_ && v.facts.error < 100);
  });
  if (!x) return false;
  const Variable* y = any(
      [&](const Variable& v) { return is_number(v.element) && v.element <= x->element && is_subset(v.dims, x->dims); });
  if (!y || (!integers_ && y->facts.error > 0 && is_float(y->element) && y->element != real_)) return false;
  const std::string v = next_name();
  const int64_t iterations = dice_.between(1, 4);
  const double n = static_cast<double>(iterations), most = std::max(x->facts.magnitude(), 20.0),
               other = y->facts.magnitude();
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
  if (dice_.chance(30))
    body += fmt::format("  if i % 2 == 0 {{ {} := -{} }}\n", v, v), facts.high = facts.magnitude(),
                                                                    facts.low = -facts.high;
  std::string first = dice_.chance(50) ? "copy(" + x->name + ")" : x->name + " + 0";
  if (!add_text(fmt::format("let {} = {}\nfor i in 0..{} {{\n{}}}\n", v, first, iterations, body), v, facts, reads))
    return false;
  program_.has_loop = true;
  return true;
}

}  // namespace mtf::properties
