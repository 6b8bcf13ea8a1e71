// The statements of whole programs.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

#include "draw.h"

namespace mtf::properties {

Statements WholeProgramDrawer::block(int count) {
  Statements lines;
  for (int i = 0; i < count; ++i)
    for (Statement& each : statement()) lines.push_back(std::move(each));
  return lines;
}

Statements WholeProgramDrawer::statement() {
  if (--statements_left_ < 0) return {};
  const size_t mark = scope_.size();
  for (int tries = 0; tries < 12; ++tries) {
    std::optional<Statements> drawn = draw_one();
    if (!drawn) continue;
    const std::string text = to_string(*drawn);
    for (size_t i = mark; i < scope_.size(); ++i) depends(scope_[i].name, text);
    if (const size_t assigned = text.find(" := "); assigned != std::string::npos && drawn->size() == 1)
      depends(text.substr(0, assigned), text);
    return *drawn;
  }
  return {};
}

void WholeProgramDrawer::depends(const std::string& name, const std::string& text) {
  std::set<std::string> mentioned;
  for (size_t i = 0; i < text.size();) {
    size_t end = i;
    while (end < text.size() && (std::isalnum(static_cast<unsigned char>(text[end])) || text[end] == '_')) ++end;
    if (end > i) mentioned.insert(text.substr(i, end - i));
    i = end + (end == i);
  }
  std::set<std::string> from;
  Named* target = nullptr;
  for (Named& each : scope_) {
    if (each.name == name) target = &each;
    else if (mentioned.count(each.name)) from.insert(each.name), from.insert(each.from.begin(), each.from.end());
  }
  if (target) target->from.insert(from.begin(), from.end());
}

std::optional<Statements> WholeProgramDrawer::draw_one() {
  using Draw = std::optional<Statements> (WholeProgramDrawer::*)();
  using Self = WholeProgramDrawer;
  struct Way {
    int weight;
    Draw draw;
    const char* name;
  };
  static constexpr Way kWays[] = {{6, &Self::let, "let"},
                                  {2, &Self::let_list, "let_list"},
                                  {1, &Self::let_tuple, "let_tuple"},
                                  {4, &Self::sampled, "sampled"},
                                  {2, &Self::alias, "alias"},
                                  {4, &Self::assignment, "assignment"},
                                  {2, &Self::place_assignment, "place_assignment"},
                                  {1, &Self::grown_list, "grown_list"},
                                  {4, &Self::print, "print"},
                                  {1, &Self::assertion, "assertion"},
                                  {2, &Self::loop, "loop"},
                                  {2, &Self::carried, "carried"},
                                  {2, &Self::list_loop, "list_loop"},
                                  {1, &Self::while_loop, "while_loop"},
                                  {2, &Self::scanned, "scanned"},
                                  {2, &Self::scanned_parts, "scanned_parts"},
                                  {1, &Self::stacked_model, "stacked_model"},
                                  {2, &Self::branch, "branch"},
                                  {1, &Self::leaving, "leaving"},
                                  {1, &Self::counters, "counters"},
                                  {1, &Self::no_grad, "no_grad"},
                                  {1, &Self::setting, "setting"},
                                  {1, &Self::with, "with"},
                                  {2, &Self::function, "function"},
                                  {1, &Self::closure, "closure"},
                                  {1, &Self::closure_list, "closure_list"},
                                  {1, &Self::maker, "maker"},
                                  {1, &Self::recursion, "recursion"},
                                  {3, &Self::model, "model"},
                                  {2, &Self::instance, "instance"},
                                  {1, &Self::method_call, "method_call"},
                                  {2, &Self::gradient_statement, "gradient_statement"},
                                  {3, &Self::gradient_of_known, "gradient_of_known"},
                                  {1, &Self::second_gradient, "second_gradient"},
                                  {4, &Self::training, "training"},
                                  {1, &Self::micro_batches, "micro_batches"},
                                  {1, &Self::gradient_of_argument, "gradient_of_argument"}};
  int sum = 0;
  for (const Way& way : kWays) sum += way.weight;
  int64_t at = dice_.below(sum);
  for (const Way& way : kWays) {
    at -= way.weight;
    if (at >= 0) continue;
    std::optional<Statements> drawn = (this->*way.draw)();
    if (drawn) program_.made_of.insert(way.name);
    return drawn;
  }
  return std::nullopt;
}

std::optional<Statements> WholeProgramDrawer::let() {
  const int64_t kind = dice_.below(10);
  if (kind == 0) {
    const std::string name = fresh("n");
    const Expression value = number(2);
    declare(name, {.kind = Type::Kind::kNumber}, 10, true);
    return Statements{{"let " + name + " = $0", {value}, {}, {}}};
  }
  if (kind <= 2 && has(Feature::kIntegers)) {
    const std::string name = fresh("j");
    const DimSet dims = some_dims(2);
    const Expression value = fit_integer(integer(dims, 2), dims);
    declare(name, {.kind = Type::Kind::kInteger, .dims = dims}, 6);
    return Statements{{"let " + name + " = $0", {value}, {}, {}}};
  }
  const std::string name = fresh("x");
  const DimSet dims = some_dims(3);
  const Expression value = fit(real(dims, 3), dims, 2);
  declare(name, {.dims = dims});
  return Statements{{"let " + name + " = $0", {value}, {}, {}}};
}

std::optional<Statements> WholeProgramDrawer::let_list() {
  if (!has(Feature::kLists)) return std::nullopt;
  const std::string name = fresh("l");
  const DimSet dims = some_dims(2);
  const Type element{.dims = dims};
  if (dice_.chance(40)) {
    const std::string k = fresh("k");
    const int64_t length = dice_.between(1, 3);
    const bool filtered = has(Feature::kFilters) && dice_.chance(50);
    Expression value;
    in_block(static_cast<double>(length), [&] {
      declare(k, {.kind = Type::Kind::kNumber}, 3, false);
      value = fit(real(dims, 2), dims, 2);
    });
    declare(name, {.kind = Type::Kind::kList, .parts = {element}, .length = static_cast<int>(length)}, 2, true);
    if (filtered)
      return Statements{
          {fmt::format("let {} = [$0 for {} in 0..{} if {} % 2 == 0]", name, k, 2 * length, k), {value}, {}, {}}};
    return Statements{{fmt::format("let {} = [$0 for {} in 0..{}]", name, k, length), {value}, {}, {}}};
  }
  const int64_t length = dice_.between(1, 3);
  std::string text;
  std::vector<Expression> parts;
  for (int64_t i = 0; i < length; ++i) {
    text += fmt::format("{}${}", i ? ", " : "", i);
    parts.push_back(fit(real(dims, 2), dims, 2));
  }
  declare(name, {.kind = Type::Kind::kList, .parts = {element}, .length = static_cast<int>(length)}, 2, true);
  return Statements{{fmt::format("let {} = [{}]", name, text), parts, {}, {}}};
}

std::optional<Statements> WholeProgramDrawer::let_tuple() {
  if (!has(Feature::kTuples)) return std::nullopt;
  const DimSet a = some_dims(2), b = some_dims(2);
  const Expression x = fit(real(a, 2), a, 2), y = fit(real(b, 2), b, 2);
  if (dice_.chance(50)) {
    const std::string p = fresh("x"), q = fresh("x");
    declare(p, {.dims = a});
    declare(q, {.dims = b});
    return Statements{{fmt::format("let ({}, {}) = ($0, $1)", p, q), {x, y}, {}, {}}};
  }
  const std::string name = fresh("t");
  declare(name, {.kind = Type::Kind::kTuple, .parts = {{.dims = a}, {.dims = b}}}, 2, false);
  return Statements{{fmt::format("let {} = ($0, $1)", name), {x, y}, {}, {}}};
}

std::optional<Statements> WholeProgramDrawer::alias() {
  if (!has(Feature::kAliases)) return std::nullopt;
  std::vector<Atom> places;
  for (Atom& atom : atoms(Type::Kind::kReal))
    if (atom.place || dice_.chance(20)) places.push_back(std::move(atom));
  if (places.empty()) return std::nullopt;
  const Atom place = dice_.pick(places);
  if (place.bound > 2) return std::nullopt;
  const std::string name = fresh("q");
  declare(name, {.dims = place.dims}, 2, functions_ == 0 || place.place);
  return Statements{{"let " + name + " = " + place.text, {}, {}, {}}};
}

std::optional<Statements> WholeProgramDrawer::assignment() {
  if (!has(Feature::kAssignments)) return std::nullopt;
  std::vector<const Named*> names;
  for (const Named& each : scope_)
    if (each.assignable && each.type.kind != Type::Kind::kList) names.push_back(&each);
  if (names.empty()) return std::nullopt;
  const Named target = *dice_.pick(names);
  Expression value;
  if (target.type.kind == Type::Kind::kNumber) {
    value = {"(($0 + 1) % 5)", {number(1)}, "number"};
  } else if (target.type.kind == Type::Kind::kInteger) {
    value = fit_integer(integer(target.type.dims, 2), target.type.dims);
  } else {
    Drawn drawn = real(target.type.dims, 3);
    if (dice_.chance(50))
      drawn = made(fmt::format("({} * 0.5 + $0)", target.name), {drawn.expression}, target.type.dims, drawn.bound + 1);
    value = fit(drawn, target.type.dims, 2);
  }
  return Statements{{target.name + " := $0", {value}, {}, {}}};
}

std::optional<Statements> WholeProgramDrawer::place_assignment() {
  if (!has(Feature::kPlaces)) return std::nullopt;
  std::vector<Atom> places;
  for (Atom& atom : atoms(Type::Kind::kReal))
    if (atom.place) places.push_back(std::move(atom));
  if (places.empty()) return std::nullopt;
  const Atom target = dice_.pick(places);
  Drawn drawn = real(target.dims, 2);
  if (dice_.chance(50))
    drawn = made(fmt::format("({} * 0.5 + $0)", target.text), {drawn.expression}, target.dims, drawn.bound + 1);
  return Statements{{target.text + " := $0", {fit(drawn, target.dims, 2)}, {}, {}}};
}

std::optional<Statements> WholeProgramDrawer::grown_list() {
  if (!has(Feature::kLists) || !has(Feature::kAssignments) || unknown_ > 0) return std::nullopt;
  std::vector<const Named*> lists;
  for (const Named& each : scope_)
    if (each.assignable && each.type.kind == Type::Kind::kList && each.type.parts[0].kind == Type::Kind::kReal)
      lists.push_back(&each);
  if (lists.empty() || functions_ > 0) return std::nullopt;
  const Named target = *dice_.pick(lists);
  const DimSet& dims = target.type.parts[0].dims;
  return Statements{{fmt::format("{} := {} + [$0]", target.name, target.name), {fit(real(dims, 2), dims, 2)}, {}, {}}};
}

std::optional<Statements> WholeProgramDrawer::print() {
  if (blocks_ > 0 && !has(Feature::kPrints)) return std::nullopt;
  if (has(Feature::kIntegers) && dice_.chance(20)) {
    const DimSet dims = some_dims(2);
    return Statements{{"print(\"i\", $0)", {fit_integer(integer(dims, 1), dims)}, {}, {}}};
  }
  if (dice_.chance(15)) return Statements{{"print(\"n\", $0)", {number(1)}, {}, {}}};
  const DimSet dims = some_dims(2), others = some_dims(1);
  const Expression x = fit(real(dims, 1), dims, 10);
  if (dice_.chance(20)) return Statements{{"print(\"f\", $0, $1)", {x, fit(real(others, 1), others, 10)}, {}, {}}};
  if (dice_.chance(15)) {  // two named numbers on one line
    std::vector<Atom> numbers;
    for (Atom& atom : atoms(Type::Kind::kReal))
      if (atom.dims.empty()) numbers.push_back(std::move(atom));
    if (!numbers.empty())
      return Statements{
          {fmt::format("print(\"f {{{}:.5f}} {{{}:.5f}}\")", dice_.pick(numbers).text, dice_.pick(numbers).text),
           {},
           {},
           {}}};
  }
  if (dice_.chance(20)) {
    const Expression y = fit(real({}, 1), {}, 10);
    if (to_string(y).find('"') == std::string::npos && to_string(y).find('{') == std::string::npos)
      return Statements{{"print(\"f {$0:.5f}\")", {y}, {}, {}}};
  }
  return Statements{{"print(\"f\", $0)", {x}, {}, {}}};
}

std::optional<Statements> WholeProgramDrawer::assertion() {
  if (!has(Feature::kAsserts)) return std::nullopt;
  const DimSet dims = some_dims(2);
  if (has(Feature::kFloatConditions) && dice_.chance(30))
    return Statements{{"assert mean(abs($0)) < 100", {fit(real(dims, 2), dims, 10)}, {}, {}}};
  if (!has(Feature::kIntegers)) return Statements{{"assert $0 >= 0, \"a number\"", {number(1)}, {}, {}}};
  return Statements{{dice_.chance(50) ? "assert max($0) < 1000" : "assert sum($0) >= 0, \"a sum\"",
                     {fit_integer(integer(dims, 2), dims)},
                     {},
                     {}}};
}

std::optional<Statements> WholeProgramDrawer::branch() {
  if (!has(Feature::kHostBranches) || blocks_ > 4) return std::nullopt;
  bool on_tensor = false;
  const Expression which = condition(on_tensor);
  Statement line{"if $0", {which}, Statements{}, {}};
  unknown_ += on_tensor ? 1 : 0;
  in_block(1, [&] { line.body = block(static_cast<int>(dice_.between(1, 3))); });
  if (dice_.chance(50)) in_block(1, [&] { line.otherwise = block(static_cast<int>(dice_.between(1, 2))); });
  unknown_ -= on_tensor ? 1 : 0;
  return Statements{line};
}

std::optional<Statements> WholeProgramDrawer::leaving() {
  if (!has(Feature::kLeaving) || loops_ == 0) return std::nullopt;
  bool on_tensor = false;
  const Expression which = condition(on_tensor);
  return Statements{{"if $0", {which}, Statements{{dice_.chance(50) ? "break" : "continue", {}, {}, {}}}, {}}};
}

std::optional<Statements> WholeProgramDrawer::counters() {
  if (!has(Feature::kCounters) || counting_ > 0) return std::nullopt;
  program_.counts = true;
  const std::string c = fresh("c");
  Statement line{"let " + c + " = counters", {}, Statements{}, {}};
  ++counting_;
  const int loops = std::exchange(loops_, 0);  // a break in `counters` must not leave an outer loop
  in_block(1, [&] { line.body = block(static_cast<int>(dice_.between(1, 3))); });
  --counting_;
  loops_ = loops;
  const std::string figures = fmt::format(
      "{0}.flops, {0}.unique_flops, {0}.all_reduce.count, {0}.all_reduce.values, {0}.all_gather.bytes, "
      "{0}.permute.values",
      c);
  return Statements{line,
                    {"print(\"c\", " + figures + (dice_.chance(50) ? ", " + c + ".peak_bytes)" : ")"), {}, {}, {}}};
}

std::optional<Statements> WholeProgramDrawer::no_grad() {
  if (!has(Feature::kNoGrad)) return std::nullopt;
  Statement line{"no_grad", {}, Statements{}, {}};
  in_block(1, [&] { line.body = block(static_cast<int>(dice_.between(1, 3))); });
  return Statements{line};
}

/// A setting for the rest of the program: a layout, a mesh, a seed.
std::optional<Statements> WholeProgramDrawer::setting() {
  if (has(Feature::kSeeds) && dice_.chance(40))
    return Statements{{fmt::format("seed {}", dice_.below(100)), {}, {}, {}}};
  if (!program_.own_meshes || !has(Feature::kUse)) return std::nullopt;
  if (dice_.chance(40))
    return Statements{{fmt::format("use {}; use {}", dice_.pick(meshes_), dice_.pick(layouts_)), {}, {}, {}}};
  return Statements{{"use " + dice_.pick(layouts_), {}, {}, {}}};
}

/// The same, and a setting, for one block.
std::optional<Statements> WholeProgramDrawer::with() {
  if (!has(Feature::kWith)) return std::nullopt;
  std::vector<std::string> heads = {fmt::format("with seed {}", dice_.below(100))};
  if (!settings_.empty()) heads.push_back(fmt::format("with {} = {}", dice_.pick(settings_), dice_.below(4)));
  if (!layouts_.empty()) heads.push_back("with layout " + dice_.pick(layouts_));
  if (!meshes_.empty() && has(Feature::kUse)) heads.push_back(fmt::format("with mesh {}", dice_.pick(meshes_)));
  if (has(Feature::kMixed) && dice_.chance(30)) heads = {"with precision mixed", "with precision f32"};
  Statement line{dice_.pick(heads), {}, Statements{}, {}};
  program_.mixed = program_.mixed || line.text == "with precision mixed";
  in_block(1, [&] { line.body = block(static_cast<int>(dice_.between(1, 3))); });
  return Statements{line};
}

}  // namespace mtf::properties
