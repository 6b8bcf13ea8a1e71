// Random iterations of loops over a dim that define, capture, call and keep functions, closures, models, states and
// lists. An iteration gives the same as in an unrolled `for` loop: values, gradients, and all effects outside. An error
// at any of its statements leaves a session as it was.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

#include "compare.h"
#include "generator.h"
#include "random_program.h"
#include "session/session.h"

namespace mtf::properties {
namespace {

/// A program as entries of a prompt: two loops with the same result.
struct IterationProgram {
  std::vector<std::string> before;       ///< declares the inputs of the loops
  std::vector<std::string> written_out;  ///< the loop with `for`
  std::vector<std::string> scanned;      ///< the loop by `scan`
  std::vector<std::string> compared;     ///< asserts that both loops have the same effects
  std::vector<std::string> layouts;
  int fails = 0;  ///< number of statements at which an iteration can fail; `fail_at` chooses one
  std::string text() const {
    std::string all;
    for (const auto* part : {&before, &written_out, &scanned, &compared})
      for (const std::string& entry : *part) all += entry + "\n";
    return all;
  }
};

class IterationDrawer {
 public:
  IterationDrawer(uint64_t seed, bool may_fail) : dice_(seed), may_fail_(may_fail) {}

  IterationProgram make() {
    is_model_ = dice_.chance(45);
    is_pipeline_ = !is_model_ && dice_.chance(20);
    has_gradients_ = dice_.chance(60);
    program_.before = {
        "dim n = 4, a = 2, m = 2, k = 2",
        "dim lost = 3, found = 5",
        "let fail_at = -1",
        "fn times(k) = fn(v) = 0.5 * v * k",
        "model Outer(k) {\n  let gain = 0.5 * k\n  let act = times(k)\n  param own: [a] = 0.5\n"
        "  fn call(v) = act(v) + v * gain + 0.3 * own\n}",
        "let c = fill([a], 0.7)",
        "let zs = 0.3 * range(k) + 0.2",
        fmt::format("let start = fill([{}], 0.4)", carried()),
    };
    program_.layouts = {"n:p", "a:p", "k:p"};
    if (is_pipeline_) program_.layouts.push_back("m:p");
    is_model_ ? models() : function();
    if (has_gradients_) gradients();
    return std::move(program_);
  }

 private:
  std::string carried() const { return is_pipeline_ ? "m, a" : "a"; }
  std::string fresh(const char* name) { return fmt::format("{}{}", name, ++names_); }
  /// A statement at which an iteration may fail.
  std::string fail() {
    if (!may_fail_) return "";
    return fmt::format("if fail_at == {} {{ let broken = ones([lost]) + ones([found]) }}\n", program_.fails++);
  }

  /// The statements of an iteration, which compute a result from `y` and read `x`.
  std::string body(std::string y, const std::string& x, std::string& result) {
    std::string lines = fmt::format("let y = {}\n", y);
    y = "y";
    for (int64_t steps = dice_.between(1, 4); steps > 0; --steps) {
      const std::string next = fresh("y");
      lines += fail() + step(y, x, next);
      y = next;
    }
    result = y;
    return lines + fail();
  }

  std::string step(const std::string& y, const std::string& x, const std::string& next) {
    const std::string f = fresh("f"), g = fresh("g");
    const std::string last = fmt::format("let {} = {}({})\n", next, f, y);
    switch (dice_.below(is_model_ ? 22 : 17)) {
      case 0: return fmt::format("fn {}(v) {{\n{}return 0.5 * v * {}\n}}\n", f, fail(), x) + last;
      case 1: return fmt::format("let {} = fn(v) = tanh(v + {} * c)\n", f, x) + last;
      case 2: return fmt::format("let {} = times({})\n", f, x) + last;
      case 3:
        return fmt::format("fn {}(k) {{\nfn inner(v) {{\n{}return 0.5 * v + k\n}}\nreturn inner\n}}\nlet {} = {}({})\n",
                           g, fail(), f, g, x) +
               last;
      case 4:
        return fmt::format(
            "let {0} = [fn(v) = 0.3 * v + q * {1} for q in [0.5, 1.0]]\nlet {2} = {3}\n"
            "for {4} in {0} {{ {2} := {4}({2}) }}\n",
            f, x, next, y, g);
      case 5:
        return fmt::format("let ({0}, {0}x) = (fn(v) = 0.5 * v, {2})\nlet {1} = fn(v) = {0}(v) + {0}x\n", g, f, x) +
               last;
      case 6:
        return fmt::format(
                   "model Own{0}() {{\nparam w: [a] = init.normal(stddev: 0.5)\nstate s: [a] = 0.25\n"
                   "let act = times({1})\nfn call(v) {{\ns := 0.5 * s + {1}\n{2}return act(v) * w + s\n}}\n}}\n"
                   "let {0} = Own{0}()\n",
                   f, x, fail()) +
               last;
      case 7: return fmt::format("let {} = Outer({})\n", f, x) + last;
      case 8:
        return fmt::format(
                   "fn {0}r(v, k) {{\nif k == 0 {{ return v }}\nreturn {0}r(0.5 * v + {1}, k - 1)\n}}\n"
                   "let {0} = fn(v) = {0}r(v, 2)\n",
                   f, x) +
               last;
      case 9:
        if (is_pipeline_) return fmt::format("let {} = fn(v) = v - {}\n", f, x) + last;
        return fmt::format(
            "fn {0}(e, z) {{\nfn q(u) = 0.5 * u + z * {1}\n{2}return q(e)\n}}\n"
            "let {3} = scan({0}, {4}, zs, over: k)\n",
            f, x, fail(), next, y);
      case 10:
        return fmt::format("let {0} = 0.1 * {1}\nfn {2}(v) {{\n{0} := 0.5 * {0} + v\n}}\n{2}({3})\n{2}(0.5 * {0})\n",
                           next, is_pipeline_ ? fmt::format("broadcast({} -> [m, a])", x) : x, f, y);
      case 11: return fmt::format("let {} = recompute(fn(v) = 0.5 * v * {} + v, {})\n", next, x, y);
      case 12:
        if (is_pipeline_) return fmt::format("let {} = fn(v) = v + 0.5 * {}\n", f, x) + last;
        return fmt::format("let {0} = fn(v) = sum(square(v) * {1})\nlet {2} = 0.5 * {1} + 0.1 * grad({0}({1}), {1})\n",
                           f, y, next);
      case 13:
        return fmt::format(
            "let {0} = {1}\nfor i in 0..2 {{\nlet {2} = fn(v) = 0.5 * v + i * {3}\n{4}{0} := {2}({0})\n}}\n", next, y,
            f, x, fail());
      case 14: return appended("seen", "", fmt::format("0.5 * {} + {}", y, x), y, next);
      case 15: return appended("made", "(fill([a], 0.3))", fmt::format("fn(v) = v * {} + 0.5 * {}", x, y), y, next);
      case 16: return appended("kept", ".gain", fmt::format("Outer({} + 0.2 * {})", x, y), y, next);
      case 17: return name_of_model("sum_of", "zeros([a])", "0.5 * $ + " + y, "", y, next);
      case 18: return name_of_model("calls", "0", "$ + 1", "", y, next);
      case 19: return name_of_model("last", "none", y + " + " + x, "", y, next);
      case 20: return name_of_model("all", "[]", "$ + [" + y + "]", "[0]", y, next);
      default: {
        members_ += fmt::format("state {}: [a] = 0.1\n", f);
        states_.push_back(f);
        return fmt::format("{0} := 0.5 * {0} + {1}\nlet {2} = {1} + 0.3 * {0}\n", f, y, next);
      }
    }
  }

  /// `list := list + [item]`, for an outer list. `part` is the text that gets a tensor from an item.
  std::string appended(const char* list, const char* part, const std::string& item, const std::string& y,
                       const std::string& next) {
    if (is_pipeline_) return fmt::format("let {} = 0.5 * {}\n", next, y);
    const std::string name = fresh(list);
    lists_.push_back({name, part});
    return fmt::format("{0} := {0} + [{1}]\nlet {2} = 0.5 * {3}\n", name, item, next, y);
  }

  /// `name := value`, for a name of the model; `$` in the value stands for the name.
  std::string name_of_model(const char* what, const char* begins, std::string value, const char* part,
                            const std::string& y, const std::string& next) {
    const std::string name = fresh(what);
    members_ += fmt::format("let {} = {}\n", name, begins);
    assigned_.push_back({name, part});
    if (const size_t at = value.find('$'); at != std::string::npos) value.replace(at, 1, name);
    return fmt::format("{} := {}\nlet {} = 0.9 * {}\n", name, value, next, y);
  }

  void compare(const std::string& one, const std::string& other) {
    program_.compared.push_back(fmt::format("assert max(abs({} - {})) < 0.0001", one, other));
  }

  /// Each loop begins with empty outer lists, and leaves its items in lists of its own.
  void with_lists(std::vector<std::string>& loop, const char* kind) {
    for (const auto& [list, part] : lists_) {
      loop.insert(loop.begin(), list + " := []");
      loop.push_back(fmt::format("let {}_{} = {}", list, kind, list));
    }
    loop.insert(loop.begin(), "seed 3");
  }
  void compare_lists() {
    for (const auto& [list, part] : lists_) {
      program_.before.push_back("let " + list + " = []");
      compare(fmt::format("stack([each{0} for each in {1}_for], n)", part, list),
              fmt::format("{0}_scan[0]{1}", list, part));
    }
  }

  void function() {
    std::string result;
    const std::string lines = body("h", "x", result);
    const bool is_pair = !is_pipeline_ && dice_.chance(40), reverse = lists_.empty() && dice_.chance(30);
    program_.before.push_back("let xs = 0.2 * broadcast(range(n) -> [n, a]) - 0.3");
    compare_lists();
    program_.before.push_back(fmt::format("fn turn(h, x) {{\n{}return {}\n}}", lines,
                                          is_pair ? fmt::format("({0}, 0.5 * {0})", result) : result));
    program_.written_out = {"let y = start", "let ys = []"};
    for (int i = 0; i < 4; ++i) {
      const int at = reverse ? 3 - i : i;
      if (!is_pair) {
        program_.written_out.push_back(fmt::format("y := turn(y, xs[n: {}])", at));
        continue;
      }
      program_.written_out.push_back(fmt::format("let (y{0}, each{0}) = turn(y, xs[n: {0}])", at));
      program_.written_out.push_back(fmt::format("y := y{}", at));
      program_.written_out.push_back(
          fmt::format(fmt::runtime(reverse ? "ys := [each{}] + ys" : "ys := ys + [each{}]"), at));
    }
    program_.scanned = {fmt::format("let {} = scan(turn, start, xs, over: n{}{}{})", is_pair ? "(z, zz)" : "z",
                                    reverse ? ", reverse: true" : "", dice_.chance(30) ? ", recompute: true" : "",
                                    is_pipeline_ ? ", pipeline: m" : "")};
    compare("y", "z");
    if (is_pair) compare("stack(ys, n)", "zz");
    with_lists(program_.written_out, "for");
    with_lists(program_.scanned, "scan");
    targets_ = {{"c", "c"}, {"start", "start"}, {"xs", "xs"}};
  }

  void models() {
    std::string result;
    const std::string members = dice_.chance(50) ? "let act = times(w)\nlet acts = [fn(v) = 0.5 * v + w, times(c)]\n"
                                                 : "let act = fn(v) = w * v\nlet acts = [act]\n";
    const std::string lines = body("act(h)", "w", result);
    compare_lists();
    program_.before.push_back(
        fmt::format("model Layer() {{\nparam w: [a] = init.normal(stddev: 0.5)\n{}{}"
                    "fn call(h) {{\n{}return acts[0]({})\n}}\n}}",
                    members, members_, lines, result));
    program_.before.push_back("seed 5");
    program_.before.push_back("let list = [Layer() for i in 0..size(n)]");
    program_.before.push_back("seed 5");
    program_.before.push_back("let net = stacked(n, fn() = Layer())");
    program_.written_out = {"let y = start", "for layer in list { y := layer(y) }"};
    program_.scanned = {"let z = scan(fn(h, layer) = layer(h), start, net, over: n)"};
    // A gradient through a state that was assigned later is refused.
    if (states_.empty() && lists_.empty() && dice_.chance(50)) {
      program_.written_out.push_back("for layer in list { y := layer(y) }");
      program_.scanned.push_back("z := scan(fn(h, layer) = layer(h), z, net, over: n)");
    }
    compare("y", "z");
    const auto compare_names = [&](const std::string& name, const std::string& part, bool is_number) {
      if (is_number) program_.compared.push_back(fmt::format("assert net.{0} == list[1].{0}", name));
      else
        compare(fmt::format("net.{}{}", name, part), fmt::format("stack([each.{}{} for each in list], n)", name, part));
    };
    for (const auto& [name, part] : assigned_) compare_names(name, part, name.starts_with("calls"));
    for (const std::string& state : states_) compare_names(state, "", false);
    with_lists(program_.written_out, "for");
    with_lists(program_.scanned, "scan");
    targets_ = {{"c", "c"}, {"start", "start"}, {"stack([layer.w for layer in list], n)", "net.w"}};
  }

  void gradients() {
    for (const auto& [of_for, of_scan] : targets_) {
      std::string expected = fmt::format("grad(sum(y * y), {})", of_for);
      if (of_for != of_scan) expected = "stack(grad(sum(y * y), [layer.w for layer in list]), n)";
      compare(expected, fmt::format("grad(sum(z * z), {})", of_scan));
    }
  }

  Dice dice_;
  const bool may_fail_;
  bool is_model_ = false, is_pipeline_ = false, has_gradients_ = false;
  int names_ = 0;
  IterationProgram program_;
  std::string members_;                                        ///< of the model, for the statements drawn so far
  std::vector<std::pair<std::string, std::string>> lists_;     ///< outer lists; the text of an item's tensor
  std::vector<std::pair<std::string, std::string>> assigned_;  ///< names of the model; the text of their tensor
  std::vector<std::string> states_;
  std::vector<std::pair<std::string, std::string>> targets_;  ///< of gradients, by the loop
};

std::string error_of(const std::string& text, const eval::Settings& settings) {
  try {
    const Diagnostics found = session::Session::check_text("turns.mtf", text, settings);
    if (found.has_errors()) return "check: " + found.render();
    std::ostringstream out;
    session::Session(settings, &execution(), out).run_text("turns.mtf", text);
  } catch (const UserError& error) { return error.diagnostic().render(); } catch (const std::exception& error) {
    return error.what();
  }
  return "";
}

TEST(Iterations, DoAsTheLoopWrittenOut) {
  for (uint64_t seed = 0; seed < 300; ++seed) {
    const IterationProgram program = IterationDrawer(seed, false).make();
    const std::string text = program.text();
    std::vector<Where> places = {{""}};
    places.push_back({"p:2", program.layouts[seed % program.layouts.size()]});
    for (const Where& where : places)
      EXPECT_EQ(error_of(text, settings_at(where)), "") << "seed " << seed << " " << to_string(where) << "\n" << text;
    if (HasFailure()) return;
  }
}

/// Enters each entry in order; returns the message of the first one that fails.
std::string first_error(session::Session& session, const std::vector<std::string>& entries) {
  for (const std::string& entry : entries) {
    try {
      session.execute(entry);
    } catch (const UserError& error) {
      return entry + "\n" + error.diagnostic().render();
    } catch (const std::exception& error) { return entry + "\n" + error.what(); }
  }
  return "";
}

TEST(Iterations, AnErrorAtAnyStatementLeavesTheSessionAsItWas) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    const IterationProgram program = IterationDrawer(seed, true).make();
    std::ostringstream out;
    session::Session session({}, &execution(), out);
    ASSERT_EQ(first_error(session, program.before), "") << "seed " << seed;
    for (int fails = 0; fails < program.fails; ++fails) {
      SCOPED_TRACE(fmt::format("seed {}, statement {}\n{}", seed, fails, program.text()));
      ASSERT_EQ(first_error(session, {fmt::format("fail_at := {}", fails)}), "");
      ASSERT_NE(first_error(session, {program.scanned}), "") << "it does not fail";
      ASSERT_EQ(first_error(session, {"fail_at := -1", "sum(start) + sum(c) + sum(zs)"}), "");
      for (const session::HeldName& held : session.held()) ASSERT_EQ(first_error(session, {held.name}), "");
    }
    for (const auto* part : {&program.written_out, &program.scanned, &program.compared})
      ASSERT_EQ(first_error(session, *part), "") << "seed " << seed << "\n" << program.text();
  }
}

}  // namespace
}  // namespace mtf::properties
