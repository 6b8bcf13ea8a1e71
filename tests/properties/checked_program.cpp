#include "checked_program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <vector>

#include "../execution_on.h"
#include "eval/evaluator.h"
#include "eval/span_table.h"
#include "generator.h"
#include "library/library.h"
#include "run/reference_runtime.h"
#include "session/session.h"
#include "support/diagnostics.h"
#include "support/restore.h"
#include "support/text.h"

namespace mtf::properties {
namespace {

using Lines = std::vector<std::string>;

/// Input files of the programs, in a folder of this process that exists as long as the object.
class DataFolder {
 public:
  DataFolder()
      : folder_(std::filesystem::temp_directory_path() /
                fmt::format("mtf_checked_{}", static_cast<int64_t>(getpid()))) {
    std::filesystem::create_directories(folder_);
    std::ofstream(folder_ / "rows.csv") << "1,2,3\n4,5,6\n7,8,9\n2,0,1\n";
  }
  ~DataFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder_, ignored);
  }
  DataFolder(const DataFolder&) = delete;
  DataFolder& operator=(const DataFolder&) = delete;
  std::string path() const { return folder_.string(); }

 private:
  const std::filesystem::path folder_;
};

std::string data_folder() {
  static const DataFolder kFolder;
  return kFolder.path();
}

/// Copies share the parsed modules.
const eval::Settings& settings_of_checked() {
  static const eval::Settings kSettings = [] {
    eval::Settings settings;
    settings.library = &library::host_library();
    return settings;
  }();
  return kSettings;
}

// Bounds that make every program end soon. Nested loops, and functions called in loops, make few iterations. A value
// that is stored where a statement may run again holds no list that could hold the value in turn.
constexpr double kMostIterationsOfPlace = 100;  ///< of a statement, in a call or at the top level
constexpr double kMostStatementsRun = 400;  ///< by a call or a top-level statement, with the statements of its calls
constexpr double kMostUnknown = 9;          ///< the largest number that only the run knows
constexpr double kMostItems = 12;           ///< of a list, roughly
constexpr int kMostNestings = 2;            ///< nested statements that store lists in lists
constexpr int kMostDepth = 4;               ///< of recursions
constexpr size_t kMostDims = 6;

/// The names in scope, by the kinds of their values.
struct KnownNames {
  Lines ints, floats, lists, rows, tensors, texts, optionals, boxes, counters, maps, dims, mixed;
};

class CheckedProgram {
 public:
  explicit CheckedProgram(uint64_t seed)
      : dice_(seed), execution_(), session_(settings_of_checked(), &execution_, nowhere_) {}

  Lines make() {
    keep({"import nn, data"});
    keep({"dim n = 6, a = 3, c = 2"});
    keep({"seed 1"});
    keep({"let x0 = fill([n, a], 0.5)"});
    keep({"let net = nn.Dense(a, c)"});
    names_.dims = {"n", "a", "c"};
    names_.tensors = {"x0"};
    if (dice_.chance(60))
      keep({fmt::format("let file = data.lines(\"{}/rows.csv\")", data_folder())}), has_file_ = true;
    if (dice_.chance(50)) declare_box();
    const int64_t count = dice_.between(6, 16);
    for (int64_t tries = 0; made_ < count && tries < 4 * count; ++tries) draw();
    return program_;
  }

 private:
  // ---- statements ---------------------------------------------------------------------------------------------------
  void draw() {
    const KnownNames before = names_;
    cost_ = 0;
    Lines lines = statement(0);
    const bool runs = keep(lines);
    if (!runs) names_ = before;
    else ++made_;
  }

  /// Runs the lines at the prompt. Keeps them if they succeed, and rarely if they fail.
  bool keep(const Lines& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    bool runs = true;
    try {
      session_.execute(text);
    } catch (const UserError&) { runs = false; }
    if (!runs && !dice_.chance(3)) return false;
    program_.insert(program_.end(), lines.begin(), lines.end());
    return runs;
  }

  std::string fresh(const char* kind) { return fmt::format("{}{}", kind, ++count_); }
  void append(Lines& to, const Lines& lines, const std::string& indent = "  ") {
    for (const std::string& line : lines) to.push_back(indent + line);
  }
  /// Draws a few statements of a block. Names of the block are dropped after it.
  Lines block(int depth, int64_t most = 3) {
    const KnownNames before = names_;
    Lines lines;
    const int64_t count = dice_.between(1, most);
    for (int64_t i = 0; i < count; ++i) append(lines, statement(depth + 1), "");
    names_ = before;
    return lines;
  }

  /// Calls `draw` for code that runs `iterations` times as often as the code around it.
  template <typename Draw>
  auto repeated(double iterations, const Draw& draw) {
    const Restore<double> more(iterations_, iterations_ * std::max(1.0, iterations));
    return draw();
  }
  bool may_repeat(double iterations) const {
    return iterations_ * iterations <= kMostIterationsOfPlace && cost_ + iterations_ * iterations <= kMostStatementsRun;
  }
  /// True if the present code may run again.
  bool runs_again() const { return iterations_ > 1 || functions_ > 0; }
  /// True if a call of a function is allowed here. Counts the call.
  bool may_call(const std::string& function) {
    const double cost = iterations_ * cost_of_.at(function);
    if (cost_ + cost > kMostStatementsRun) return false;
    cost_ += cost;
    return true;
  }
  /// Draws a value that is stored, by `draw`.
  template <typename Draw>
  auto stored(const Draw& draw) {
    const bool nests = !runs_again() && nestings_ < kMostNestings && dice_.chance(20);
    if (nests) ++nestings_;
    const Restore<bool> flat(is_flat_, is_flat_ || !nests);
    return draw();
  }

  Lines statement(int depth) {
    cost_ += iterations_;
    if (depth < 3 && dice_.chance(depth == 0 ? 45 : 25)) {
      switch (dice_.below(depth == 0 ? 12 : 5)) {
        case 0: return while_loop(depth);
        case 1: return for_loop(depth);
        case 2: return branch(depth);
        case 3: return for_loop(depth);
        case 4: return string_or_number();
        case 8: return recursion();
        case 9: return function(depth);
        case 10: return doubtful_assignment();
        case 11: return doubtful_assignment();
        case 5: return counter();
        case 6: return while_loop(depth);
        default: return declared_dim();
      }
    }
    if (dice_.chance(45)) return assignment();
    if (dice_.chance(50)) return look();
    return let();
  }

  Lines let() {
    switch (dice_.below(9)) {
      case 0:
      case 1:
        if (dice_.chance(30)) return bound(names_.ints, "j", integer(2));  // never assigned
        return bound(names_.ints, "k", stored([&] { return integer(2); }));
      case 2: return bound(names_.lists, "l", stored([&] { return list(2); }));
      case 3: return bound(names_.rows, "r", rows(1));
      case 4:
      case 5: return bound(names_.tensors, "x", tensor(2));
      case 6: return bound(names_.floats, "f", real(1));
      case 7: return bound(names_.texts, "s", text());
      default: return bound(names_.optionals, "o", dice_.chance(60) ? "none" : stored([&] { return value(); }));
    }
  }
  Lines bound(Lines& of, const char* kind, const std::string& value) {
    const std::string name = fresh(kind);
    Lines lines = {fmt::format("let {} = {}", name, value)};
    of.push_back(name);
    return lines;
  }

  Lines assignment() {
    switch (dice_.below(8)) {
      case 0:
      case 1:
        if (const Lines free = assignable(); !free.empty())
          return {fmt::format("{} := {}", dice_.pick(free), stored([&] { return integer(2); }))};
        break;
      case 2:
      case 3:
        if (!names_.lists.empty()) {
          const std::string& l = dice_.pick(names_.lists);
          if (dice_.chance(30)) {
            const Restore<bool> short_lists(may_grow_, !runs_again());
            return {fmt::format("{} := {}", l, stored([&] { return list(1); }))};
          }
          return {fmt::format("if len({}) < 8 {{", l),
                  dice_.chance(80) ? fmt::format("  {0} := {0} + [{1}]", l, stored([&] { return integer(1); }))
                                   : fmt::format("  {} := {}", l, stored([&] { return list(1); })),
                  "}"};
        }
        break;
      case 4:
        if (!names_.optionals.empty()) {
          const std::string& o = dice_.pick(names_.optionals);
          return {fmt::format("{} := {}", o, stored([&] { return value(); }))};
        }
        break;
      case 5:
        if (!names_.tensors.empty()) return {fmt::format("{} := {}", dice_.pick(names_.tensors), tensor(2))};
        break;
      case 6:
        if (!names_.boxes.empty()) {
          const std::string& box = dice_.pick(names_.boxes);
          const std::string number = stored([&] { return integer(1); });
          if (dice_.chance(50)) return {fmt::format("{}.count := {}", box, number)};
          if (!runs_again()) return {fmt::format("{}.put({})", box, number)};
          return {fmt::format("if len({}.items) < 8 {{", box), fmt::format("  {}.put({})", box, number), "}"};
        }
        break;
      default:
        if (!names_.counters.empty()) {
          const std::string& counter = dice_.pick(names_.counters);
          if (may_call(counter)) return {fmt::format("let {} = {}()", fresh("q"), counter)};
        }
    }
    return look();
  }

  /// Numbers that no loop depends on, so that each loop ends.
  Lines assignable() const {
    Lines names;
    std::copy_if(names_.ints.begin(), names_.ints.end(), std::back_inserter(names),
                 [](const std::string& name) { return name.starts_with("k"); });
    return names;
  }

  /// Draws a statement that fails if a check assumes too much.
  Lines look() {
    if (!names_.mixed.empty() && dice_.chance(25)) return look_at_mixed();
    switch (dice_.below(10)) {
      case 0:
        if (!names_.lists.empty())
          return {fmt::format("print({}[{}])", dice_.pick(names_.lists), dice_.chance(70) ? literal() : integer(1))};
        break;
      case 1:
        if (!names_.lists.empty()) return {fmt::format("assert len({}) == {}", dice_.pick(names_.lists), literal())};
        break;
      case 2: return {fmt::format("assert {}", condition(1))};
      case 3:
        if (!names_.lists.empty()) {
          const std::string i = fresh("i"), v = fresh("v");
          return {fmt::format("for ({}, {}) in zip(0..{}, {}) {{", i, v, literal(), dice_.pick(names_.lists)),
                  fmt::format("  print({} + {})", i, v), "}"};
        }
        break;
      case 4: return {fmt::format("print(net({}))", tensor(2))};
      case 5: return {fmt::format("print({}[n: {}..{}])", tensor(1), integer(1), integer(1))};
      case 6: return {fmt::format("print(tensor({}, [{}]))", list(1), dice_.pick(names_.dims))};
      case 7: return {fmt::format("print(tensor({}, [{}, a]))", rows(1), dice_.pick(names_.dims))};
      case 8: return {fmt::format("print(\"{{{}}} {{{}}}\")", integer(1), list(1))};
      default: return {fmt::format("print({} + {})", tensor(1), tensor(1))};
    }
    return {fmt::format("print({})", integer(2))};
  }

  Lines while_loop(int depth) {
    const std::string i = fresh("w");
    Lines lines = {fmt::format("let {} = {}", i, dice_.between(0, 1))};
    const auto [limit, most] = number_of_iterations();
    lines.push_back(fmt::format("while {} < {} {{", i, limit));
    names_.ints.push_back(i);
    Lines body = repeated(most, [&] { return block(depth); });
    if (dice_.chance(20)) {  // before one of the statements, not inside it
      auto at = body.begin() + dice_.below(static_cast<int64_t>(body.size()));
      while (at->starts_with(" ") || at->starts_with("}")) --at;
      body.insert(at, repeated(most, [&] { return leaving(); }));
    }
    append(lines, {fmt::format("{0} := {0} + 1", i)});
    append(lines, body);
    lines.push_back("}");
    return lines;
  }
  struct Iterations {
    std::string text;
    double most;
  };
  /// Draws the number of iterations of a loop.
  Iterations number_of_iterations() {
    if (!may_repeat(kMostUnknown) || dice_.chance(60)) {
      int64_t most = 5;
      while (most > 1 && !may_repeat(static_cast<double>(most))) --most;
      const int64_t iterations = dice_.between(0, most);
      return {std::to_string(iterations), static_cast<double>(iterations)};
    }
    return {repeated(kMostUnknown, [&] { return unknown_number(); }), kMostUnknown};
  }
  std::string leaving() { return fmt::format("if {} {{ {} }}", condition(1), dice_.chance(50) ? "break" : "continue"); }

  Lines for_loop(int depth) {
    const KnownNames before = names_;
    const std::string i = fresh("i");
    Lines lines;
    double most = kMostItems;
    switch (may_repeat(kMostItems) ? dice_.below(5) : dice_.below(2)) {
      case 0:
      case 1: {
        const Iterations iterations = number_of_iterations();
        lines = {fmt::format("for {} in 0..{} {{", i, iterations.text)};
        most = iterations.most;
        break;
      }
      case 2: lines = {fmt::format("for {} in {} {{", i, list(1))}; break;
      case 3: lines = {fmt::format("for {} in 0..({}) % 6 {{", i, integer(1))}; break;
      default: {
        const std::string r = fresh("r");
        lines = {fmt::format("for {} in {} {{", r, rows(1)),
                 fmt::format("  let {} = int({}[{}])", i, r, dice_.below(3))};
      }
    }
    names_.ints.push_back(i);
    Lines body = repeated(most, [&] { return block(depth); });
    if (dice_.chance(20)) body.push_back(repeated(most, [&] { return leaving(); }));
    append(lines, body);
    lines.push_back("}");
    names_ = before;
    return lines;
  }

  Lines branch(int depth) {
    Lines lines = {fmt::format("if {} {{", condition(2))};
    append(lines, block(depth, 2));
    if (dice_.chance(50)) {
      lines.push_back("} else {");
      append(lines, block(depth, 2));
    }
    lines.push_back("}");
    return lines;
  }

  Lines function(int depth) {
    const KnownNames before = names_;
    const std::string f = fresh("g"), x = fresh("x"), i = fresh("p");
    const bool takes_shape = dice_.chance(50);
    const Restore<double> own_iterations(iterations_, 1);
    const Restore<double> own_cost(cost_, 1);
    const Restore<int> inside(functions_, functions_ + 1);
    Lines lines = {
        fmt::format("fn {}({}{}, {}{}) {{", f, x, takes_shape ? ": [.., a]" : "", i, dice_.chance(40) ? ": int" : "")};
    names_.tensors.push_back(x);
    names_.ints.push_back(i);
    if (dice_.chance(50)) {
      append(lines, {fmt::format("if {} {{", condition(1)), fmt::format("  return {}", tensor(1)), "}"});
    }
    append(lines, block(depth + 1, 2));
    append(lines, {fmt::format("return {}", dice_.chance(50) ? fmt::format("{}[n: {}..{} + 2]", x, i, i) : tensor(1))});
    lines.push_back("}");
    names_ = before;
    names_.maps.push_back(f);
    cost_of_[f] = cost_;
    return lines;
  }

  /// Draws a function that calls itself a few times.
  Lines recursion() {
    const KnownNames before = names_;
    const std::string f = fresh("g"), x = fresh("x"), p = fresh("p");
    const Restore<double> own_iterations(iterations_, 1);
    const Restore<double> own_cost(cost_, 1);
    const Restore<int> inside(functions_, functions_ + 1);
    const Restore<std::string> self(self_, f);
    const Restore<std::string> steps(steps_, p);
    const Restore<int> calls(self_calls_, 0);
    Lines lines = {fmt::format("fn {}({}, {}) {{", f, x, p)};
    names_.tensors.push_back(x);
    names_.ints.push_back(p);
    append(lines,
           {fmt::format("if {0} < 1 or {0} > {1} {{", p, kMostDepth), fmt::format("  return {}", tensor(0)), "}"});
    append(lines, block(1, 3));
    append(lines,
           {fmt::format("return {}", self_calls_ == 0 ? fmt::format("{}({}, {} - 1)", f, tensor(1), p) : tensor(1))});
    lines.push_back("}");
    names_ = before;
    names_.maps.push_back(f);
    cost_of_[f] = cost_ * (self_calls_ > 1 ? std::exp2(kMostDepth + 1) : kMostDepth + 1);
    return lines;
  }

  /// Draws a name that holds either a string or a number, which only the run knows.
  Lines string_or_number() {
    const std::string u = fresh("u");
    const bool is_text = dice_.chance(50);
    const std::string one = is_text ? text() : integer(1), other = is_text ? integer(1) : text();
    const Lines lines = {fmt::format("let {} = none", u),
                         fmt::format("if {} {{ {} := {} }} else {{ {} := {} }}", condition(1), u, one, u, other)};
    names_.mixed.push_back(u);
    return lines;
  }
  Lines look_at_mixed() {
    const std::string& u = dice_.pick(names_.mixed);
    switch (dice_.below(7)) {
      case 0: return {fmt::format("print({} + {})", u, integer(1))};
      case 1: return {fmt::format("print({} + {})", u, text())};
      case 2: return {fmt::format("print(upper({}))", u)};
      case 3: return {fmt::format("print({} * {})", tensor(1), u)};
      case 4: return {fmt::format("{} := {}", u, dice_.chance(50) ? text() : integer(1))};
      case 5:
        return {fmt::format("for {} in [{}, {}, {}] {{", fresh("v"), u, integer(0), u),
                fmt::format("  print({} + 1)", u), "}"};
      default: return {fmt::format("print(\"{{{}}}\" + {})", u, text())};
    }
  }

  /// A name that is assigned where only the run may know whether that happens, and a statement that is right for one of
  /// its two values alone.
  Lines doubtful_assignment() {
    struct Case {
      const char *before, *after;
      Lines looks;  ///< each takes one of the values
    };
    static const std::vector<Case> kCases = {
        {"2", "7", {"assert {0} == 2", "assert {0} == 7", "print([1, 2, 3][{0}])", "print(x0[n: {0}..{0} + 2])"}},
        {"[1, 2]", "[3]", {"assert len({0}) == 2", "print({0}[1])", "for (u, v) in zip(0..2, {0}) {{ print(u, v) }}"}},
        {"none", "3", {"assert {0} == none", "print({0} + 1)", "print(ones([n, a])[n: {0}])"}},
        {"\"a\"", "\"bcd\"", {"assert {0} == \"a\"", "print({0}[2])", "print(int({0} == \"bcd\"))"}}};
    const Case& of = dice_.pick(kCases);
    const std::string k = fresh("b"), f = fresh("f"), i = fresh("i");
    const std::string doubt =
        dice_.chance(50) ? fmt::format("{} > {}", unknown_number(), dice_.between(0, 4)) : condition(1);
    const std::string assign = fmt::format("{} := {}", k, of.after);
    Lines lines = {fmt::format("let {} = {}", k, of.before)};
    const auto declare = [&](const std::string& first) {
      append(lines, {fmt::format("fn {}() {{", f)}, "");
      if (!first.empty()) append(lines, {first});
      append(lines, {assign, "return 1"});
      lines.push_back("}");
    };
    switch (dice_.below(6)) {
      case 0:  // behind a return
        declare(fmt::format("if {} {{ return 0 }}", doubt));
        lines.push_back(fmt::format("print({}())", f));
        break;
      case 1:  // on the right side of `and` or `or`
        declare("");
        lines.push_back(fmt::format("print({} {} {}() == 1)", doubt, dice_.chance(50) ? "and" : "or", f));
        break;
      case 2:  // in the elements of a list
        declare("");
        lines.push_back(fmt::format("print([{}() for {} in 0..{}])", f, i, unknown_number()));
        break;
      case 3:  // in an element of a list that a filter leaves out
        declare("");
        lines.push_back(fmt::format("print([{}() for {} in 0..3 if {}])", f, i, doubt));
        break;
      case 4:  // behind a `break` or `continue`
        append(lines,
               {fmt::format("for {} in 0..{} {{", i, dice_.between(1, 3)),
                fmt::format("  if {} {{ {} }}", doubt, dice_.chance(50) ? "break" : "continue"), "  " + assign, "}"},
               "");
        break;
      default:  // behind a `break` of a call's own loop, or a return out of it
        declare(fmt::format("for {} in 0..2 {{ if {} {{ {} }} }}", i, doubt, dice_.chance(50) ? "return 0" : "break"));
        lines.push_back(fmt::format("print({}())", f));
    }
    lines.push_back(fmt::format(fmt::runtime(dice_.pick(of.looks)), k));
    return lines;
  }

  /// A closure that counts, and changes what is around it.
  Lines counter() {
    if (assignable().empty() || names_.lists.empty()) return let();
    const std::string f = fresh("h");
    const Restore<double> own_iterations(iterations_, 1);
    const Restore<double> own_cost(cost_, 1);
    const Restore<int> inside(functions_, functions_ + 1);
    Lines lines = {fmt::format("let {} = fn() {{", f)};
    const std::string k = dice_.pick(assignable()), l = dice_.pick(names_.lists);
    if (dice_.chance(30)) append(lines, {fmt::format("if {} {{ return 0 }}", condition(1))});
    append(lines, {dice_.chance(50) ? fmt::format("{0} := {0} + 1", k)
                                    : fmt::format("if len({0}) < 8 {{ {0} := {0} + [{1}] }}", l,
                                                  stored([&] { return integer(1); }))});
    append(lines, {fmt::format("return {}", k)});
    lines.push_back("}");
    cost_of_[f] = cost_;
    if (!names_.counters.empty() && dice_.chance(40)) {  // one of two closures
      const std::string g = fresh("h"), other = dice_.pick(names_.counters);
      lines.push_back(fmt::format("let {} = if {} {{ {} }} else {{ {} }}", g, condition(1), f, other));
      names_.counters.push_back(g);
      cost_of_[g] = std::max(cost_of_[f], cost_of_[other]);
    }
    names_.counters.push_back(f);
    return lines;
  }

  Lines declared_dim() {
    if (names_.dims.size() >= kMostDims) return let();
    const std::string m = fresh("m");
    Lines lines = {fmt::format("dim {} = {}", m,
                               names_.lists.empty() || dice_.chance(40)
                                   ? unknown_number()
                                   : fmt::format("len({})", dice_.pick(names_.lists)))};
    names_.dims.push_back(m);
    return lines;
  }

  void declare_box() {
    keep({"model Box(d: dim) {", "  let count = 0", "  let items = []", "  let last = none", "  param w: [d] = 1",
          "  fn put(v) {", "    items := items + [v]", "    count := count + 1", "    last := v", "  }",
          "  fn call(x: [.., d]) -> [.., d] = x * w", "}"});
    keep({"let box = Box(a)"});
    names_.boxes = {"box"};
    if (dice_.chance(40)) {
      keep({"let other = Box(a)"});
      keep({fmt::format("let either = if {} {{ box }} else {{ other }}", condition(1))});
      names_.boxes.insert(names_.boxes.end(), {"other", "either"});
    }
  }

  // ---- expressions --------------------------------------------------------------------------------------------------
  /// Draws an int with a name. In stored values that may run again, draws no argument, which could be a list.
  std::string named_int() {
    Lines names = names_.ints;
    if (is_flat_) std::erase_if(names, [](const std::string& name) { return name.starts_with("p"); });
    return names.empty() ? literal() : dice_.pick(names);
  }
  std::string literal() { return std::to_string(dice_.between(0, 5)); }
  /// Draws a number that only the run knows.
  std::string unknown_number() {
    switch (dice_.below(has_file_ ? 5 : 3)) {
      case 0: return fmt::format("int(sum(ones([{}])))", dice_.chance(50) ? "a" : "c");
      case 1: return fmt::format("int(max(x0) * {}) % 7", dice_.between(2, 8));
      case 2: return fmt::format("int(sum({})) % {}", tensor(1), dice_.between(2, 5));
      case 3: return "len(file)";
      default: return fmt::format("int(split(file[{}], by: \",\")[{}])", dice_.below(4), dice_.below(3));
    }
  }
  std::string integer(int depth) {
    if (depth == 0 || dice_.chance(25)) return dice_.chance(35) ? literal() : named_int();
    switch (dice_.below(11)) {
      case 0: return unknown_number();
      case 1:
        if (!names_.lists.empty()) return fmt::format("len({})", dice_.pick(names_.lists));
        break;
      case 2:
        if (!names_.lists.empty()) return fmt::format("{}[{}]", dice_.pick(names_.lists), integer(depth - 1));
        break;
      case 3: return fmt::format("({} + {})", integer(depth - 1), integer(depth - 1));
      case 4: return fmt::format("{} * {}", integer(0), integer(0));
      case 5: return fmt::format("{} % {}", integer(0), dice_.between(1, 4));
      case 6:
        return fmt::format("(if {} {{ {} }} else {{ {} }})", condition(depth - 1), integer(depth - 1),
                           integer(depth - 1));
      case 7:
        if (!names_.boxes.empty())
          return fmt::format("{}.{}", dice_.pick(names_.boxes), is_flat_ || dice_.chance(50) ? "count" : "last");
        break;
      case 8:
        if (!names_.counters.empty()) {
          const std::string& counter = dice_.pick(names_.counters);
          if (may_call(counter)) return fmt::format("{}()", counter);
        }
        break;
      case 9:
        if (!names_.optionals.empty() && !is_flat_) return dice_.pick(names_.optionals);
        break;
      default: return fmt::format("({} - {})", integer(depth - 1), integer(0));
    }
    return integer(0);
  }
  std::string real(int depth) {
    if (depth == 0 || dice_.chance(30))
      return names_.floats.empty() || dice_.chance(50) ? "1.5" : dice_.pick(names_.floats);
    switch (dice_.below(3)) {
      case 0: return fmt::format("{} * {}", real(depth - 1), integer(0));
      case 1: return fmt::format("float(sum({}))", tensor(0));
      default: return fmt::format("float({})", integer(depth - 1));
    }
  }
  std::string condition(int depth) {
    switch (dice_.below(depth == 0 ? 2 : 8)) {
      case 0: return fmt::format("{} > {}", integer(depth), literal());
      case 1: return fmt::format("sum({}) > {}.5", tensor(0), dice_.between(0, 12));
      case 2: return fmt::format("{} == {}", integer(depth - 1), integer(depth - 1));
      case 3:
        if (!names_.optionals.empty()) return fmt::format("{} == none", dice_.pick(names_.optionals));
        break;
      case 4:
        if (!names_.lists.empty()) return fmt::format("{} in {}", integer(0), dice_.pick(names_.lists));
        break;
      case 5: return fmt::format("{} and {}", condition(depth - 1), condition(depth - 1));
      case 6: return fmt::format("({} or not {})", condition(0), condition(0));
      default:
        if (!names_.lists.empty()) return fmt::format("{} == {}", dice_.pick(names_.lists), list(0));
    }
    return fmt::format("{} < {}", literal(), integer(0));
  }
  std::string list(int depth) {
    if (depth == 0 || dice_.chance(20)) {
      if (!names_.lists.empty() && dice_.chance(60)) return dice_.pick(names_.lists);
      return dice_.chance(30) ? "[]" : fmt::format("[{}, {}, {}]", integer(0), integer(0), integer(0));
    }
    switch (dice_.below(7)) {
      case 0:
        if (may_grow_) return fmt::format("{} + [{}]", list(depth - 1), integer(depth - 1));
        break;
      case 1: {
        const std::string i = fresh("i");
        names_.ints.push_back(i);
        const std::string element = repeated(kMostUnknown, [&] { return integer(1); });
        names_.ints.pop_back();
        return fmt::format("[{} for {} in 0..{}]", element, i, dice_.chance(50) ? literal() : unknown_number());
      }
      case 2: {
        const std::string over = list(0), v = fresh("v");
        names_.ints.push_back(v);
        const std::string filter = repeated(kMostItems, [&] { return condition(1); });
        names_.ints.pop_back();
        return fmt::format("[{0} for {0} in {1} if {2}]", v, over, filter);
      }
      case 3:
        if (!names_.lists.empty()) return fmt::format("{}[{}..]", dice_.pick(names_.lists), integer(0));
        break;
      case 4:
        if (!names_.boxes.empty()) return fmt::format("{}.items", dice_.pick(names_.boxes));
        break;
      case 5: return fmt::format("(if {} {{ {} }} else {{ {} }})", condition(depth - 1), list(depth - 1), list(0));
      default: return fmt::format("[{}, {}]", integer(depth - 1), integer(0));
    }
    return list(0);
  }
  std::string rows(int depth) {
    if (!names_.rows.empty() && dice_.chance(50)) return dice_.pick(names_.rows);
    const std::string line = fresh("v");
    switch (dice_.below(has_file_ ? 3 : 2)) {
      case 0: return fmt::format("[[{}, {}, {}], [1, 2, 3]]", real(0), integer(0), integer(depth));
      case 1: return fmt::format("[[{0}, 1, 2.5] for {0} in {1}]", line, list(1));
      default: return fmt::format("[[float(w) for w in split({0}, by: \",\")] for {0} in file]", line);
    }
  }
  std::string text() {
    if (!names_.texts.empty() && dice_.chance(40)) return dice_.pick(names_.texts);
    return dice_.chance(50) ? fmt::format("\"{{{}}}\"", integer(1)) : fmt::format("string({})", list(1));
  }
  std::string value() {
    switch (dice_.below(3)) {
      case 0: return tensor(1);
      case 1: return list(1);
      default: return integer(1);
    }
  }
  std::string tensor(int depth) {
    if (depth == 0 || dice_.chance(20)) return dice_.pick(names_.tensors);
    if (!self_.empty() && iterations_ == 1 && self_calls_ < 2 && dice_.chance(40)) {
      ++self_calls_;
      return fmt::format("{}({}, {} - 1)", self_, tensor(depth - 1), steps_);
    }
    switch (dice_.below(12)) {
      case 0: return fmt::format("{}[n: {}..{}]", tensor(depth - 1), integer(1), integer(1));
      case 1: return fmt::format("{}[n: {}]", tensor(depth - 1), integer(1));
      case 2: return fmt::format("{} * {}", tensor(depth - 1), dice_.chance(50) ? real(0) : integer(0));
      case 3: return fmt::format("({} + {})", tensor(depth - 1), tensor(depth - 1));
      case 4: return fmt::format("ones([{}, a])", dice_.pick(names_.dims));
      case 5: return fmt::format("sum({}, over: {})", tensor(depth - 1), dice_.pick(names_.dims));
      case 6:
        if (!names_.maps.empty()) {
          const std::string& map = dice_.pick(names_.maps);
          if (may_call(map)) return fmt::format("{}({}, {})", map, tensor(depth - 1), integer(1));
        }
        break;
      case 7: return fmt::format("(if {} {{ {} }} else {{ {} }})", condition(1), tensor(depth - 1), tensor(depth - 1));
      case 8: return fmt::format("tensor({}, [{}, a])", rows(1), dice_.pick(names_.dims));
      case 9: return fmt::format("net({})", tensor(depth - 1));
      case 10:
        if (!names_.boxes.empty()) return fmt::format("{}({})", dice_.pick(names_.boxes), tensor(depth - 1));
        break;
      default: return fmt::format("softmax({}, over: {})", tensor(depth - 1), dice_.pick(names_.dims));
    }
    return dice_.pick(names_.tensors);
  }

  Dice dice_;
  ExecutionOn<run::ReferenceRuntime> execution_;
  std::ostream nowhere_{nullptr};
  session::Session session_;
  Lines program_;
  KnownNames names_;
  int64_t made_ = 0;
  int count_ = 0;
  bool has_file_ = false;
  double iterations_ = 1;     ///< how often the present code runs in a call, or at the top level
  double cost_ = 0;           ///< how many statements the present call or statement runs so far
  int functions_ = 0;         ///< functions being drawn, one inside the other
  int nestings_ = 0;          ///< statements that may have stored a list in a list
  bool is_flat_ = false;      ///< the drawn value is stored and must not hold lists
  bool may_grow_ = true;      ///< lists may become longer than the existing ones
  std::string self_, steps_;  ///< the function being drawn, if it may call itself, and its counter of calls
  int self_calls_ = 0;        ///< number of these calls
  std::map<std::string, double> cost_of_;  ///< of a call of a function, in statements
};

bool begins_statement(const std::string& line) { return !trim(line).starts_with("}"); }

/// The program with a print of its position before each statement.
std::string with_marks(const Lines& lines) {
  std::string text;
  size_t number = 0;
  for (const std::string& line : lines) {
    ++number;
    if (begins_statement(line)) text += fmt::format("print(\"@{}\")\n", ++number);
    text += line + "\n";
  }
  return text;
}

/// A run of a program: the evaluated statements, and the error.
class TracedRun {
 public:
  TracedRun(const std::string& file, const std::string& text) : file_(file) {
    std::ostringstream out;
    const eval::Settings& settings = settings_of_checked();
    ExecutionOn<run::ReferenceRuntime> execution;
    eval::Evaluator evaluator(settings, &execution, out);
    eval::SpanTable table;
    evaluator.fill(table);
    try {
      Diagnostics found;
      evaluator.run_program(settings.parsed->parse(SourceFile::create(file, text), found));
    } catch (const UserError& error) { error_ = error.diagnostic(); }
    for (const std::string& line : split(out.str(), '\n'))
      if (line.starts_with("@")) reached_.insert(static_cast<size_t>(std::stoul(line.substr(1))));
    const std::vector<std::string> lines = split(text, '\n');
    for (const size_t line : reached_)
      if (!lines[line - 1].starts_with(" ")) last_statement_ = line;
    for (const eval::SpanInfo& info : table.of(file)) evaluated_.emplace(info.span.begin, info.span.end);
  }

  /// True if the error may also occur in the run, or is at a position that the run does not reach.
  bool agrees(const Diagnostic& error) const {
    if (error_ && error_->kind() == error.kind() && error_->span().begin == error.span().begin) return true;
    const LineNumbers lines = lines_of(error);
    if (!std::includes(reached_.begin(), reached_.end(), lines.begin(), lines.end())) return true;
    // The run stops at its error, but the check continues: in other calls, and in later iterations.
    if (error_ && *lines.rbegin() >= last_statement_) return true;
    return !is_evaluated(error.span());
  }

 private:
  using LineNumbers = std::set<size_t>;

  /// Returns the lines of an error and of the calls that lead to it.
  LineNumbers lines_of(const Diagnostic& diagnostic) const {
    LineNumbers lines;
    for (size_t i = 0; i < diagnostic.places().size(); ++i) {
      const LabeledSpan& place = diagnostic.places()[i];
      if (place.span.is_known() && place.span.file->name() == file_ && (i == 0 || place.label == "called here"))
        lines.insert(place.span.file->line_of(place.span.begin));
    }
    return lines;
  }

  /// True if a part of the span has a value. A part of a line, such as a branch, may not be evaluated.
  bool is_evaluated(Span span) const {
    return std::any_of(evaluated_.lower_bound({span.begin, 0}), evaluated_.end(),
                       [&](const auto& part) { return part.first >= span.begin && part.second <= span.end; });
  }

  const std::string file_;
  std::optional<Diagnostic> error_;
  LineNumbers reached_;
  size_t last_statement_ = 0;  ///< the line of the last top-level statement that was begun
  std::set<std::pair<uint32_t, uint32_t>> evaluated_;
};

}  // namespace

void make_data_folder() { data_folder(); }

std::string checked_program(uint64_t seed) { return with_marks(CheckedProgram(seed).make()); }

std::string wrong_with_check_of(uint64_t seed) {
  const std::string file = "checked.mtf", text = checked_program(seed);
  const Diagnostics found = session::Session::check_text(file, text, settings_of_checked());
  if (!found.has_errors()) return {};
  const TracedRun run(file, text);
  const auto is_wrong = [&](const Diagnostic& diagnostic) {
    return diagnostic.severity() == Severity::kError && !run.agrees(diagnostic);
  };
  const auto wrong = std::find_if(found.list().begin(), found.list().end(), is_wrong);
  return wrong == found.list().end() ? "" : fmt::format("seed {}:\n{}\n{}", seed, wrong->render(), text);
}

}  // namespace mtf::properties
