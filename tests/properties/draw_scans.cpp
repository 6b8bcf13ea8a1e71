// The loops over a dim in whole programs. After each loop the program has the same loop written with `for`, and asserts
// that both give the same values and gradients.
#include <fmt/ranges.h>

#include <algorithm>

#include "draw.h"

namespace mtf::properties {

namespace {

/// With longer dims the unrolled loop would be too long, and too many iterations would amplify rounding.
constexpr int kMostIterations = 5;

bool draws(const Statements& lines) { return to_string(lines).find("random.") != std::string::npos; }

}  // namespace

void WholeProgramDrawer::in_iteration(double iterations, const std::function<void()>& write) {
  const FeatureSet features = features_;
  for (const Feature each : {Feature::kHostReads, Feature::kTensorBranches, Feature::kFloatConditions})
    features_ &= ~bit(each);
  if (!has(Feature::kSecondGradients)) features_ &= ~bit(Feature::kGradients);
  std::vector<Named> seen;  // other variables, which functions and models may change in a call
  for (const Named& each : scope_) {
    const bool calls = each.type.kind == Type::Kind::kFunction || each.type.kind == Type::Kind::kModel ||
                       (each.type.kind == Type::Kind::kList && each.type.parts[0].kind == Type::Kind::kFunction);
    if (!calls) seen.push_back(each);
  }
  std::vector<Named> scope = std::move(scope_);
  scope_ = std::move(seen);
  const double cost = in_function(write);
  scope_ = std::move(scope);
  features_ = features;
  cost_ += iterations_ * iterations * cost;
}

std::optional<int> WholeProgramDrawer::loop_dim() {
  std::vector<int> fitting;
  for (size_t d = 0; d < dims_.size(); ++d)
    if (dims_[d].size <= kMostIterations) fitting.push_back(static_cast<int>(d));
  if (fitting.empty()) return std::nullopt;
  return dice_.pick(fitting);
}

DimSet WholeProgramDrawer::without(DimSet dims, int d) const {
  std::erase(dims, d);
  return dims;
}

Statement WholeProgramDrawer::same(const std::string& one, const std::string& other) const {
  return {
      fmt::format("print(\"same\", max(abs({} - {})) < {})", one, other, program_.mixed ? "0.2" : "0.001"), {}, {}, {}};
}

/// let (last, all) = scan(iteration, start, xs, over: d)
std::optional<Statements> WholeProgramDrawer::scanned() {
  if (!has(Feature::kScans) || loops_ > 1 || iterations_ > 4 || counting_ > 0) return std::nullopt;
  const std::optional<int> over = loop_dim();
  if (!over || !affordable(60.0 * size(*over))) return std::nullopt;
  const int iterations = size(*over);
  // Micro-batches allow two other dims in two storage orders: a pipeline has most dims.
  DimSet others;
  for (size_t d = 0; d < dims_.size(); ++d) others.push_back(static_cast<int>(d));
  const bool may_be_pipeline = dice_.chance(50);
  const DimSet carried = without(may_be_pipeline ? subset(others, 85) : some_dims(2), *over),
               placed = without(some_dims(2), *over);
  DimSet all = placed;
  all.push_back(*over);
  std::sort(all.begin(), all.end());
  const std::string iteration = fresh("turn"), c = fresh("x"), x = fresh("x"), xs = fresh("x"), start = fresh("x"),
                    last = fresh("x"), ys = fresh("x");
  const bool is_pair = dice_.chance(60), reverse = dice_.chance(30), recomputed = dice_.chance(30);
  // In a pipeline each position of the carried dim passes through the loop alone: nothing computes along the dim.
  const bool is_pipeline = may_be_pipeline && !carried.empty();
  const std::string micro = is_pipeline ? dim(dice_.pick(carried)) : "", around = fresh("x");
  const DimSet of_around = subset(carried, 80);
  Statements lines;
  lines.push_back({"let " + xs + " = $0", {fit(real(all, 2), all, 2)}, {}, {}});
  declare(xs, {.dims = all}, 2, false);
  lines.push_back({"let " + start + " = " + real_cast("$0"), {fit(real(carried, 2), carried, 2)}, {}, {}});
  declare(start, {.dims = carried}, 2, false);
  if (is_pipeline) {
    lines.push_back({"let " + around + " = $0", {fit(real(of_around, 2), of_around, 2)}, {}, {}});
    declare(around, {.dims = of_around}, 2, false);
  }
  Statement function{"", {}, {}, {}};
  DimSet made_dims;
  in_iteration(2.0 * iterations, [&] {
    declare(c, {.dims = carried}, 2, false);
    declare(x, {.dims = placed}, 2, false);
    Statements body;
    if (!is_pipeline && dice_.chance(40)) {
      const std::string y = fresh("x");
      const DimSet dims = without(some_dims(2), *over);
      body.push_back({"let " + y + " = $0", {fit(real(dims, 2), dims, 2)}, {}, {}});
      declare(y, {.dims = dims});
    }
    const bool fits = std::includes(carried.begin(), carried.end(), placed.begin(), placed.end());
    const Expression before{c, {}, real_type(carried)};
    const Expression place{fits ? x : is_pipeline ? "1" : "mean(" + x + ")", {}, ""};
    Expression other =
        is_pipeline ? Expression{around, {}, real_type(of_around)} : fit(real(subset(carried, 80), 2), carried, 2);
    // The first operand of a sum decides its storage order: the order of the carry, or another one.
    const bool keeps_order = carried.size() < 2 || dice_.chance(50);
    if (!keeps_order) other = {in_another_order("$0", carried), {other}, real_type(carried)};
    const Drawn next = made(
        keeps_order ? "(0.5 * $0 + 0.3 * tanh($0 * $1) + 0.4 * $2)" : "(0.3 * tanh($1 * $0) + 0.5 * $0 + 0.4 * $2)",
        {before, other, place}, carried, 2.1);
    const Expression carry{real_cast("$0"), {fit(next, carried, 2)}, ""};
    Statement result{"return $0", {carry}, {}, {}};
    if (is_pair && is_pipeline) {
      made_dims = carried;
      result = {"return ($0, 0.5 * " + c + ")", {carry}, {}, {}};
    } else if (is_pair) {
      made_dims = without(some_dims(2), *over);
      result = {"return ($0, $1)", {carry, fit(real(made_dims, 2), made_dims, 2)}, {}, {}};
    }
    body.push_back(std::move(result));
    function = {fmt::format("fn {}({}, {})", iteration, c, x), {}, body, {}};
  });
  lines.push_back(function);
  lines.push_back(
      {fmt::format("let {} = scan({}, {}, {}, over: {}{}{}{})", is_pair ? fmt::format("({}, {})", last, ys) : last,
                   iteration, start, xs, dim(*over), reverse ? ", reverse: true" : "",
                   recomputed ? ", recompute: true" : "", is_pipeline ? ", pipeline: " + micro : ""),
       {},
       {},
       {}});
  if (!draws({function}) && dice_.chance(70)) {  // random numbers would be drawn a second time
    const std::string h = fresh("x"), k = fresh("k"), list = fresh("x"), next = fresh("x"), y = fresh("x");
    const std::string at = reverse ? fmt::format("size({}) - 1 - {}", dim(*over), k) : k;
    Statements body;
    const std::string call = fmt::format("{}({}, {}[{}: {}])", iteration, h, xs, dim(*over), at);
    if (is_pair) {
      body.push_back({fmt::format("let ({}, {}) = {}", next, y, call), {}, {}, {}});
      body.push_back({fmt::format("{} := {}", h, next), {}, {}, {}});
      body.push_back({reverse ? fmt::format("{0} := [{1}] + {0}", list, y) : fmt::format("{0} := {0} + [{1}]", list, y),
                      {},
                      {},
                      {}});
      lines.push_back({fmt::format("let {} = []", list), {}, {}, {}});
    } else {
      body.push_back({fmt::format("{} := {}", h, call), {}, {}, {}});
    }
    lines.push_back({fmt::format("let {} = {}", h, start), {}, {}, {}});
    lines.push_back({fmt::format("for {} in 0..size({})", k, dim(*over)), {}, body, {}});
    lines.push_back(same(last, h));
    if (is_pair) lines.push_back(same(ys, fmt::format("stack({}, {})", list, dim(*over))));
    const bool may_differentiate = has(Feature::kGradients) && gradients_ == 0 &&
                                   ((functions_ == 0 && loops_ == 0) || has(Feature::kGradientsInside));
    if (may_differentiate && dice_.chance(60))
      for (const std::string& target : {xs, start})
        lines.push_back(same(fmt::format("grad(mean({0} * {0}), {1})", last, target),
                             fmt::format("grad(mean({0} * {0}), {1})", h, target)));
  }
  declare(last, {.dims = carried}, 2);
  if (is_pair) {
    made_dims.push_back(*over);
    std::sort(made_dims.begin(), made_dims.end());
    declare(ys, {.dims = made_dims}, 2);
  }
  return lines;
}

/// let ((x, y), ys) = scan(iteration, (x0, y0), xs, over: d), with some unread results. Values that are computed before
/// the loop and last read at its start donate their memory.
std::optional<Statements> WholeProgramDrawer::scanned_parts() {
  if (!has(Feature::kScans) || loops_ > 1 || iterations_ > 4 || counting_ > 0) return std::nullopt;
  const std::optional<int> over = loop_dim();
  if (!over || !affordable(100.0 * size(*over))) return std::nullopt;
  const DimSet carried = without(some_dims(2), *over);
  DimSet all = subset(carried, 60);
  all.push_back(*over);
  std::sort(all.begin(), all.end());
  const bool has_xs = dice_.chance(50), has_ys = dice_.chance(50);
  const int64_t parts = dice_.between(2, 4);
  const std::string iteration = fresh("turn"), carry = fresh("x"), x = fresh("x"), xs = fresh("x"), ys = fresh("x"),
                    dead = fresh("x"), factor = fresh("x");
  const auto named = [&](const char* stem) {
    std::vector<std::string> names;
    for (int64_t i = 0; i < parts; ++i) names.push_back(fresh(stem));
    return names;
  };
  const std::vector<std::string> starts = named("x"), was = named("c"), last = named("x");
  const auto tuple = [](const std::vector<std::string>& names) { return fmt::format("({})", fmt::join(names, ", ")); };
  Statements lines;
  const auto let = [&](const std::string& name, const DimSet& dims) {
    lines.push_back({"let " + name + " = " + real_cast("$0"), {fit(real(dims, 2), dims, 2)}, {}, {}});
  };
  let(dead, carried);
  for (const std::string& start : starts) let(start, carried);
  if (has_xs) let(xs, all);
  lines.push_back({"print(\"f\", sum(" + dead + "))", {}, {}, {}});
  if (dice_.chance(60)) lines.push_back({fmt::format("print(\"f\", sum({}))", fmt::join(starts, " + ")), {}, {}, {}});
  lines.push_back({fmt::format("let {} = mean({})", factor, dead), {}, {}, {}});

  std::vector<std::string> next;
  for (int64_t i = 0; i < parts; ++i) {
    const std::string one = dice_.pick(was), other = dice_.pick(was), by = has_xs && dice_.chance(60) ? x : factor;
    next.push_back(fmt::format("0.5 * {} + 0.3 * tanh({} * {}) + 0.2 * {}", was[i], one, by, other));
  }
  Statements body = {
      {fmt::format("let {} = {}", tuple(was), carry), {}, {}, {}},
      {fmt::format("return {}", has_ys ? fmt::format("({}, {} * 0.5)", tuple(next), dice_.pick(was)) : tuple(next)),
       {},
       {},
       {}}};
  lines.push_back({fmt::format("fn {}({}{})", iteration, carry, has_xs ? ", " + x : ""), {}, body, {}});
  lines.push_back(
      {fmt::format("let {} = scan({}, {}{}, over: {})", has_ys ? fmt::format("({}, {})", tuple(last), ys) : tuple(last),
                   iteration, tuple(starts), has_xs ? ", " + xs : "", dim(*over)),
       {},
       {},
       {}});
  cost_ += iterations_ * 20 * size(*over) * static_cast<double>(parts);
  const size_t read = static_cast<size_t>(dice_.below(parts));
  std::vector<size_t> reads;
  for (size_t i = 0; i < last.size(); ++i)
    if (i == read || dice_.chance(40)) reads.push_back(i);
  for (const size_t i : reads) lines.push_back({"print(\"f\", " + last[i] + ")", {}, {}, {}});
  if (dice_.chance(40)) {
    const std::vector<std::string> now = named("x");
    const std::string k = fresh("k"), after = fresh("x");
    for (size_t i = 0; i < now.size(); ++i)
      lines.push_back({fmt::format("let {} = {}", now[i], starts[i]), {}, {}, {}});
    Statements loop = {{fmt::format("let {} = {}({}{})", after, iteration, tuple(now),
                                    has_xs ? fmt::format(", {}[{}: {}]", xs, dim(*over), k) : ""),
                        {},
                        {},
                        {}}};
    for (size_t i = 0; i < now.size(); ++i)
      loop.push_back({fmt::format("{} := {}{}[{}]", now[i], after, has_ys ? "[0]" : "", i), {}, {}, {}});
    lines.push_back({fmt::format("for {} in 0..size({})", k, dim(*over)), {}, loop, {}});
    for (const size_t i : reads) lines.push_back(same(last[i], now[i]));
  }
  for (const size_t i : reads) declare(last[i], {.dims = carried}, 2);
  if (has_ys && dice_.chance(50)) {
    DimSet of_ys = carried;
    of_ys.push_back(*over);
    std::sort(of_ys.begin(), of_ys.end());
    declare(ys, {.dims = of_ys}, 2);
  }
  return lines;
}

/// let net = stacked(d, fn() = Layer()), and a loop through its layers.
std::optional<Statements> WholeProgramDrawer::stacked_model() {
  if (!has(Feature::kStacked) || !has(Feature::kModels) || blocks_ > 0) return std::nullopt;
  const std::optional<int> over = loop_dim();
  if (!over || !affordable(60.0 * size(*over))) return std::nullopt;
  const int iterations = size(*over);
  const DimSet carried = without(some_dims(2), *over), of_param = without(some_dims(2), *over);
  const std::string layer = fresh("Layer"), w = fresh("w"), s = fresh("s"), c = fresh("x"), net = fresh("net"),
                    list = fresh("x"), start = fresh("x"), last = fresh("x"), h = fresh("x"), one = fresh("x");
  const bool has_state = has(Feature::kStates) && dice_.chance(50), recomputed = dice_.chance(30);
  const bool reads_state = has_state && dice_.chance(60);  // what the iteration has assigned, where gradients end
  const int64_t seed = dice_.below(1000);
  Statements lines, members, body;
  members.push_back({fmt::format("param {}: {} = init.normal(stddev: 0.5)", w, real_type(of_param)), {}, {}, {}});
  if (has_state) members.push_back({fmt::format("state {}: {} = 0", s, real_type(carried)), {}, {}, {}});
  in_iteration(2.0 * iterations, [&] {
    declare(c, {.dims = carried}, 2, false);
    if (has_state) body.push_back({fmt::format("{0} := 0.5 * {0} + 0.5 * {1}", s, c), {}, {}, {}});
    const Drawn other = real(subset(carried, 80), 2);
    const bool fits = std::includes(carried.begin(), carried.end(), of_param.begin(), of_param.end());
    const Expression before{c, {}, real_type(carried)}, weight{fits ? w : "mean(" + w + ")", {}, ""};
    const Drawn next =
        made("tanh(0.5 * $0 + $0 * $1 + 0.3 * $2" + (reads_state ? " + 0.5 * " + s + ")" : std::string(")")),
             {before, weight, fit(other, carried, 2)}, carried, 1);
    body.push_back({"return " + real_cast("$0"), {next.expression}, {}, {}});
  });
  members.push_back({fmt::format("fn call({})", c), {}, body, {}});
  lines.push_back({"model " + layer + "()", {}, members, {}});
  lines.push_back({fmt::format("seed {}", seed), {}, {}, {}});
  lines.push_back({fmt::format("let {} = stacked({}, fn() = {}())", net, dim(*over), layer), {}, {}, {}});
  lines.push_back({"let " + start + " = " + real_cast("$0"), {fit(real(carried, 2), carried, 2)}, {}, {}});
  declare(start, {.dims = carried}, 2, false);
  lines.push_back({fmt::format("let {} = scan(fn(x, layer) = layer(x), {}, {}, over: {}{})", last, start, net,
                               dim(*over), recomputed ? ", recompute: true" : ""),
                   {},
                   {},
                   {}});
  if (!draws(body) && dice_.chance(70)) {
    lines.push_back({fmt::format("seed {}", seed), {}, {}, {}});
    lines.push_back({fmt::format("let {} = [{}() for i in 0..size({})]", list, layer, dim(*over)), {}, {}, {}});
    lines.push_back({fmt::format("let {} = {}", h, start), {}, {}, {}});
    lines.push_back({fmt::format("for {} in {}", one, list),
                     {},
                     Statements{{fmt::format("{0} := {1}({0})", h, one), {}, {}, {}}},
                     {}});
    lines.push_back(same(last, h));
    const auto of_first = [&](const std::string& place) {
      return same(fmt::format("{}.{}[{}: 0]", net, place, dim(*over)), fmt::format("{}[0].{}", list, place));
    };
    lines.push_back(of_first(w));
    if (has_state) lines.push_back(of_first(s));
    if (has(Feature::kGradients))
      lines.push_back(same(fmt::format("grad(mean({0} * {0}), {1}.{2})[{3}: 0]", last, net, w, dim(*over)),
                           fmt::format("grad(mean({0} * {0}), {1}[0].{2})", h, list, w)));
  }
  declare(last, {.dims = carried}, 2);
  return lines;
}

}  // namespace mtf::properties
