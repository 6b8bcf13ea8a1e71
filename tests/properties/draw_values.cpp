// The expressions of floats in whole programs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "draw.h"

namespace mtf::properties {

std::string WholeProgramDrawer::shape(const DimSet& dims) const {
  std::string text;
  for (int d : dims) text += (text.empty() ? "" : ", ") + dim(d);
  return "[" + text + "]";
}

std::string WholeProgramDrawer::text_of_number(double value) const { return fmt::format("{:.2g}", value); }

DimSet WholeProgramDrawer::some_dims(size_t most) {
  DimSet dims;
  for (size_t d = 0; d < dims_.size(); ++d)
    if (dims.size() < most && dice_.chance(45)) dims.push_back(static_cast<int>(d));
  return dims;
}

DimSet WholeProgramDrawer::subset(const DimSet& dims, int percent) {
  DimSet some;
  for (int d : dims)
    if (dice_.chance(percent)) some.push_back(d);
  return some;
}

DimSet WholeProgramDrawer::shuffled(DimSet dims) {
  for (size_t i = dims.size(); i > 1; --i) std::swap(dims[i - 1], dims[static_cast<size_t>(dice_.below(i))]);
  return dims;
}

std::string WholeProgramDrawer::in_another_order(const std::string& value, const DimSet& dims) {
  return fmt::format("broadcast(tanh(broadcast({} -> {})) -> {})", value, shape(shuffled(dims)), shape(dims));
}

WholeProgramDrawer::Option WholeProgramDrawer::reordered(const DimSet& dims, int depth) {
  if (dims.size() < 2) return std::nullopt;
  const Drawn x = real(dims, depth);
  return made(in_another_order("$0", dims), {x.expression}, dims, 1);
}

std::optional<int> WholeProgramDrawer::other_dim(const DimSet& dims) {
  std::vector<int> others;
  for (size_t d = 0; d < dims_.size(); ++d)
    if (!std::count(dims.begin(), dims.end(), static_cast<int>(d))) others.push_back(static_cast<int>(d));
  if (others.empty() || dims.size() > 2) return std::nullopt;
  return dice_.pick(others);
}

Drawn WholeProgramDrawer::made(const std::string& text, std::vector<Expression> operands, const DimSet& dims,
                               double bound) {
  cost_ += iterations_;
  return {{text, std::move(operands), real_type(dims)}, bound};
}

Expression WholeProgramDrawer::fit(const Drawn& drawn, const DimSet& dims, double limit) {
  if (drawn.bound <= limit) return drawn.expression;
  if (dice_.chance(50))
    return made("($0 * " + text_of_number(0.95 * limit / drawn.bound) + ")", {drawn.expression}, dims, limit)
        .expression;
  const double factor = 2 / drawn.bound;
  return made(fmt::format("tanh($0 * {})", text_of_number(factor)), {drawn.expression}, dims, 1).expression;
}

Expression WholeProgramDrawer::fit_integer(const Drawn& drawn, const DimSet& dims) {
  if (drawn.bound <= 6) return drawn.expression;
  return {"($0 % 7)", {drawn.expression}, integer_type(dims)};
}

std::vector<WholeProgramDrawer::Atom> WholeProgramDrawer::atoms(Type::Kind kind, bool assignable) const {
  std::vector<Atom> found;
  for (const Named& each : scope_) {
    if (each.type.kind == kind) {
      if (!assignable || each.assignable)
        found.push_back({each.name, each.type.dims, each.bound, false, each.assignable});
    } else if (each.type.kind == Type::Kind::kList && each.type.parts[0].kind == kind && !assignable) {
      for (int i = 0; i < each.type.length; ++i)
        found.push_back({fmt::format("{}[{}]", each.name, i), each.type.parts[0].dims, each.bound, false, false});
    } else if (each.type.kind == Type::Kind::kTuple && !assignable) {
      for (size_t i = 0; i < each.type.parts.size(); ++i)
        if (each.type.parts[i].kind == kind)
          found.push_back({fmt::format("{}[{}]", each.name, i), each.type.parts[i].dims, each.bound, false, false});
    } else if (each.type.kind == Type::Kind::kModel && kind == Type::Kind::kReal) {
      const ModelClass& model = models_[static_cast<size_t>(each.type.model)];
      for (const auto* places : {&model.params, &model.states})
        for (const ModelClass::Place& place : *places)
          found.push_back({each.name + "." + place.path, place.dims, 2, true, true});
    }
  }
  return found;
}

std::vector<const Named*> WholeProgramDrawer::named(Type::Kind kind) const {
  std::vector<const Named*> found;
  for (const Named& each : scope_)
    if (each.type.kind == kind) found.push_back(&each);
  return found;
}

WholeProgramDrawer::Option WholeProgramDrawer::real_atom(const DimSet& dims) {
  std::vector<Atom> fitting;
  for (Atom& atom : atoms(Type::Kind::kReal))
    if (atom.dims == dims) fitting.push_back(std::move(atom));
  if (fitting.empty()) return std::nullopt;
  // Prefers late variables, as programs read recent values.
  const size_t at = static_cast<size_t>(
      std::max(dice_.below(static_cast<int64_t>(fitting.size())), dice_.below(static_cast<int64_t>(fitting.size()))));
  return Drawn{{fitting[at].text, {}, real_type(dims)}, fitting[at].bound};
}

Drawn WholeProgramDrawer::fresh_real(const DimSet& dims) {
  auto written = [&](const std::string& text) {
    return made(doubles_ ? "cast(" + text + ", f64)" : text, {}, dims, 1);
  };
  if (has(Feature::kRandomInside) && dice_.chance(30))
    return written(fmt::format("random.uniform({}, low: -1, high: 1)", shape(dims)));
  if (!dims.empty() && dice_.chance(40))
    return written(
        fmt::format("(sin(cast(range({}), f32) + {}) * ones({}))", dim(dice_.pick(dims)), dice_.below(5), shape(dims)));
  return written(
      fmt::format("fill({}, {})", shape(dims), text_of_number(0.1 * static_cast<double>(dice_.between(-9, 9)))));
}

Drawn WholeProgramDrawer::real(const DimSet& dims, int depth) {
  for (int tries = 0; depth > 0 && tries < 8; ++tries) {
    Option drawn;
    switch (dice_.below(26)) {
      case 24:
      case 25: drawn = reordered(dims, depth - 1); break;
      case 0:
      case 1:
      case 2:
      case 3:
      case 4: drawn = unary(dims, depth - 1); break;
      case 5:
      case 6:
      case 7:
      case 8: drawn = binary(dims, depth - 1); break;
      case 9:
      case 10: drawn = reduced(dims, depth - 1); break;
      case 11:
      case 12:
      case 13: drawn = contracted(dims, depth - 1); break;
      case 14:
      case 15: drawn = taken_apart(dims, depth - 1); break;
      case 16: drawn = selected(dims, depth - 1); break;
      case 17:
      case 18:
      case 19: drawn = called(dims, depth - 1); break;
      case 20: drawn = chosen(dims, depth - 1); break;
      case 21: drawn = annotated(dims, depth - 1); break;
      case 22: drawn = gradient(dims, depth - 1); break;
      default: drawn = real_atom(dims); break;
    }
    if (drawn) return *drawn;
  }
  if (Option atom = real_atom(dims); atom && !dice_.chance(5)) return *atom;
  // Made from another value: averages over its additional dims, and broadcasts over missing dims.
  const std::vector<Atom> others = atoms(Type::Kind::kReal);
  if (others.empty() || dice_.chance(15)) return fresh_real(dims);
  const Atom& other = dice_.pick(others);
  DimSet common;
  std::set_intersection(other.dims.begin(), other.dims.end(), dims.begin(), dims.end(), std::back_inserter(common));
  Expression part{other.text, {}, real_type(other.dims)};
  if (common != other.dims) part = made("mean($0 -> " + shape(common) + ")", {part}, common, other.bound).expression;
  if (common != dims) part = made("broadcast($0 -> " + shape(dims) + ")", {part}, dims, other.bound).expression;
  return {part, other.bound};
}

WholeProgramDrawer::Option WholeProgramDrawer::unary(const DimSet& dims, int depth) {
  const Drawn x = real(dims, depth);
  auto written = [&](const std::string& text, double bound) { return made(text, {x.expression}, dims, bound); };
  const int last = dims.empty() ? -1 : dice_.pick(dims);
  switch (dice_.below(last < 0 ? 12 : 17)) {
    case 0:
    case 1: return written("tanh($0)", std::min(x.bound, 1.0));
    case 2: return written("sigmoid($0)", 1);
    case 3: return written("sin($0)", std::min(x.bound, 1.0));
    case 4: return made("square($0)", {fit(x, dims, 2)}, dims, std::min(4.0, x.bound * x.bound));
    case 5: return made("exp($0)", {fit(x, dims, 1)}, dims, 2.8);
    case 6: return written("(-$0)", x.bound);
    case 7:
      return written(fmt::format("($0 * {})", text_of_number(0.1 * static_cast<double>(dice_.between(2, 15)))),
                     1.5 * x.bound);
    case 8:
      return written(fmt::format("($0 + {})", text_of_number(0.1 * static_cast<double>(dice_.between(-9, 9)))),
                     x.bound + 1);
    case 9: return written("(1 / (1 + square($0)))", 1);
    case 10: return written(dice_.chance(50) ? "copy($0)" : "stop_gradient($0)", x.bound);
    case 11: return made("($0 * (1 + $1 * 0.1))", {x.expression, number(1)}, dims, 4 * x.bound);
    case 12: return written(fmt::format("softmax($0, over: {})", dim(last)), 1);
    case 13:  // of elements around 0 that differ: a mean that is large beside the deviation would leave few digits
      return written(fmt::format("layer_norm(tanh($0) + 2 * (cast(range({}), {}) - {}), over: {})", dim(last),
                                 doubles_ ? "f64" : "f32", text_of_number(0.5 * (size(last) - 1)), dim(last)),
                     size(last) == 1 ? 0.1 : 2);
    case 14: return written(fmt::format("cumsum($0, over: {})", dim(last)), x.bound * size(last));
    case 15:
      return written(fmt::format("shift($0, {}: {}, wrap: true)", dim(last), dice_.pick(std::vector<int>{1, -1})),
                     x.bound);
    default: return written(fmt::format("log_softmax($0, over: {})", dim(last)), 2 * x.bound + 2);
  }
}

WholeProgramDrawer::Option WholeProgramDrawer::binary(const DimSet& dims, int depth) {
  const Drawn x = real(dims, depth);
  const DimSet fewer = dice_.chance(50) ? dims : subset(dims, 50);
  const Drawn y = real(fewer, depth);
  std::vector<Expression> operands = {x.expression, y.expression};
  const bool swapped = dice_.chance(30);
  if (swapped) std::swap(operands[0], operands[1]);
  switch (dice_.below(8)) {
    case 0:
    case 1: return made("($0 + $1)", operands, dims, x.bound + y.bound);
    case 2: return made("($0 - $1)", operands, dims, x.bound + y.bound);
    case 3:
    case 4:
    case 5: return made("($0 * $1)", operands, dims, x.bound * y.bound);
    case 6: return made("($0 / (1.5 + square($1)))", {x.expression, y.expression}, dims, x.bound);
    default: return made("(0.7 * $0 + 0.3 * $1)", operands, dims, std::max(x.bound, y.bound));
  }
}

WholeProgramDrawer::Option WholeProgramDrawer::reduced(const DimSet& dims, int depth) {
  const std::optional<int> extra = other_dim(dims);
  if (!extra) return std::nullopt;
  DimSet more = dims;
  more.push_back(*extra);
  std::sort(more.begin(), more.end());
  const Drawn x = real(more, depth);
  const std::string over = dims.empty() && dice_.chance(50) ? ""
                           : dice_.chance(50)               ? " -> " + shape(dims)
                                                            : ", over: " + dim(*extra);
  const double n = size(*extra);
  switch (dice_.below(7)) {
    case 0:
    case 1:
    case 2: return made("sum($0" + over + ")", {x.expression}, dims, x.bound * n);
    case 3:
    case 4: return made("mean($0" + over + ")", {x.expression}, dims, x.bound);
    case 5: return made("logsumexp($0" + over + ")", {x.expression}, dims, x.bound + std::log(n));
    default:
      return made(fmt::format("stop_gradient({}($0{}))", dice_.chance(50) ? "max" : "min", over), {x.expression}, dims,
                  x.bound);
  }
}

WholeProgramDrawer::Option WholeProgramDrawer::contracted(const DimSet& dims, int depth) {
  const size_t operands = dice_.chance(85) ? 2 : 3;
  DimSet all = dims;
  if (std::optional<int> extra = other_dim(dims); extra && dice_.chance(80)) all.push_back(*extra);
  if (all.empty()) return std::nullopt;
  std::sort(all.begin(), all.end());
  std::vector<DimSet> sets(operands);
  for (int d : all) {
    bool used = false;
    for (DimSet& set : sets)
      if (dice_.chance(55)) set.push_back(d), used = true;
    if (!used) sets[static_cast<size_t>(dice_.below(static_cast<int64_t>(operands)))].push_back(d);
  }
  double bound = 1;
  std::string text = "einsum(";
  std::vector<Expression> parts;
  for (size_t i = 0; i < operands; ++i) {
    const Drawn x = real(sets[i], depth - 1);
    bound *= x.bound;
    parts.push_back(x.expression);
    text += fmt::format("{}${}", i ? ", " : "", i);
  }
  for (int d : all)
    if (!std::count(dims.begin(), dims.end(), d)) bound *= size(d);
  return made(text + " -> " + shape(dims) + ")", parts, dims, bound);
}

WholeProgramDrawer::Option WholeProgramDrawer::taken_apart(const DimSet& dims, int depth) {
  const std::optional<int> extra = other_dim(dims);
  DimSet more = dims;
  if (extra) more.push_back(*extra);
  std::sort(more.begin(), more.end());
  switch (dice_.below(4)) {
    case 0: {
      if (!extra) return std::nullopt;
      const Drawn x = real(more, depth);
      return made(fmt::format("$0[{}: $1 % {}]", dim(*extra), size(*extra)), {x.expression, number(1)}, dims, x.bound);
    }
    case 1: {
      const DimSet long_ones = [&] {
        DimSet some;
        for (int d : dims)
          if (size(d) > 1) some.push_back(d);
        return some;
      }();
      if (long_ones.empty()) return std::nullopt;
      const int d = dice_.pick(long_ones);
      const int64_t at = dice_.between(1, size(d) - 1);
      const Drawn x = real(dims, depth), y = real(dims, depth);
      return made(fmt::format("concat([$0[{}: 0..{}], $1[{}: {}..]], over: {})", dim(d), at, dim(d), at, dim(d)),
                  {x.expression, y.expression}, dims, std::max(x.bound, y.bound));
    }
    case 2: {
      const DimSet short_ones = [&] {
        DimSet some;
        for (int d : dims)
          if (size(d) <= 3) some.push_back(d);
        return some;
      }();
      if (short_ones.empty()) return std::nullopt;
      const int d = dice_.pick(short_ones);
      DimSet rest = dims;
      rest.erase(std::find(rest.begin(), rest.end(), d));
      std::string text;
      std::vector<Expression> parts;
      double bound = 0;
      for (int i = 0; i < size(d); ++i) {
        const Drawn x = real(rest, depth - 1);
        bound = std::max(bound, x.bound);
        parts.push_back(x.expression);
        text += fmt::format("{}${}", i ? ", " : "", i);
      }
      return made(fmt::format("stack([{}], {})", text, dim(d)), parts, dims, bound);
    }
    default: {
      for (int d : dims)
        for (size_t e = 0; e < dims_.size(); ++e) {
          const int other = static_cast<int>(e);
          if (size(other) != size(d) || std::count(dims.begin(), dims.end(), other)) continue;
          DimSet before = dims;
          *std::find(before.begin(), before.end(), d) = other;
          std::sort(before.begin(), before.end());
          const Drawn x = real(before, depth);
          return made(fmt::format("(zeros({}{}) + rename($0, {} -> {}))", shape(dims), doubles_ ? ", f64" : "",
                                  dim(other), dim(d)),
                      {x.expression}, dims, x.bound);
        }
      return std::nullopt;
    }
  }
}

WholeProgramDrawer::Option WholeProgramDrawer::selected(const DimSet& dims, int depth) {
  if (!has(Feature::kIntegers)) return std::nullopt;
  switch (dice_.below(3)) {
    case 0: {
      const DimSet fewer = subset(dims, 70);
      const Drawn x = real(dims, depth), y = real(dims, depth), i = integer(fewer, 1);
      return made(fmt::format("where($2 > {}, $0, $1)", dice_.below(6)), {x.expression, y.expression, i.expression},
                  dims, std::max(x.bound, y.bound));
    }
    case 1:
      return made(fmt::format("(cast($0, {}) * 0.3)", doubles_ ? "f64" : "f32"),
                  {fit_integer(integer(dims, depth), dims)}, dims, 2);
    default: {
      const DimSet ids = subset(dims, 50);
      DimSet table;
      for (int d : dims)
        if (!std::count(ids.begin(), ids.end(), d)) table.push_back(d);
      const std::optional<int> over = other_dim(table);
      if (!over) return std::nullopt;
      table.push_back(*over);
      std::sort(table.begin(), table.end());
      const Drawn x = real(table, depth);
      return made(fmt::format("(zeros({}{}) + gather($0, $1 % {}, over: {}))", shape(dims), doubles_ ? ", f64" : "",
                              size(*over), dim(*over)),
                  {x.expression, integer(ids, 1).expression}, dims, x.bound);
    }
  }
}

WholeProgramDrawer::Option WholeProgramDrawer::chosen(const DimSet& dims, int depth) {
  if (!has(Feature::kIfExpressions)) return std::nullopt;
  const Drawn x = real(dims, depth), y = real(dims, depth);
  bool on_tensor = false;
  const Expression which = condition(on_tensor);
  return made("(if $2 { $0 } else { $1 })", {x.expression, y.expression, which}, dims, std::max(x.bound, y.bound));
}

WholeProgramDrawer::Option WholeProgramDrawer::annotated(const DimSet& dims, int depth) {
  if (!has(Feature::kAnnotations)) return std::nullopt;
  const Drawn x = real(dims, depth);
  std::string layout = "{}";
  if (!dims.empty() && dice_.chance(80)) {
    std::string axes = dice_.pick(program_.axes);
    if (program_.axes.size() > 1 && dice_.chance(20)) axes = dice_.chance(50) ? "[r, c]" : "[c, r]";
    layout = fmt::format("{{{}{} -> {}}}", dice_.chance(30) ? ".., " : "", dim(dice_.pick(dims)), axes);
  }
  return made("($0 @ " + layout + ")", {x.expression}, dims, x.bound);
}

WholeProgramDrawer::Option WholeProgramDrawer::called(const DimSet& dims, int depth) {
  struct Callee {
    std::string text;
    Type type;
    double cost;
  };
  std::vector<Callee> fitting;
  for (const Named& each : scope_) {
    const Type* type = &each.type;
    std::string text = each.name;
    double cost = each.cost;
    if (type->kind == Type::Kind::kList && type->parts[0].kind == Type::Kind::kFunction && type->length > 0) {
      type = &type->parts[0];
      text += fmt::format("[{}]", dice_.below(each.type.length));
    } else if (type->kind == Type::Kind::kModel) {
      const ModelClass& model = models_[static_cast<size_t>(type->model)];
      cost = model.cost;
      type = &model.call;
    }
    if (type->kind == Type::Kind::kFunction && type->parts[1].kind == Type::Kind::kReal && type->parts[1].dims == dims)
      fitting.push_back({text, *type, cost});
  }
  if (fitting.empty()) return std::nullopt;
  const Callee callee = dice_.pick(fitting);
  if (!affordable(callee.cost)) return std::nullopt;
  cost_ += iterations_ * callee.cost;
  const DimSet& from = callee.type.parts[0].dims;
  const Expression argument = fit(real(from, depth), from, 2);
  if (has(Feature::kRecompute) && dice_.chance(40))
    return made("recompute(" + callee.text + ", $0)", {argument}, dims, 2);
  return made(callee.text + "($0)", {argument}, dims, 2);
}

WholeProgramDrawer::Option WholeProgramDrawer::gradient(const DimSet& dims, int) {
  if (!has(Feature::kGradients) || gradients_ > 0 || !affordable(40)) return std::nullopt;
  if ((functions_ > 0 || loops_ > 0) && !has(Feature::kGradientsInside)) return std::nullopt;
  std::vector<Atom> targets;
  for (Atom& atom : atoms(Type::Kind::kReal))
    if (atom.dims == dims && atom.bound <= 2) targets.push_back(std::move(atom));
  if (targets.empty()) return std::nullopt;
  const Atom target = dice_.pick(targets);
  ++gradients_;
  const Drawn loss = loss_of({target.text, {}, real_type(dims)}, dims, target.bound);
  --gradients_;
  cost_ += 40 * iterations_;
  return made(fmt::format("grad($0, [{}])[0]", target.text), {loss.expression}, dims, 20);
}

}  // namespace mtf::properties
