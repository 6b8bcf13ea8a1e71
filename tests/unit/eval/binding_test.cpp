// The same mistake in a call gives the same message for every callable: an operation, a function of the host, and a
// function, a model or a function without a name of a script.
#include <gtest/gtest.h>

#include "../../places.h"
#include "library/library.h"
#include "session/session.h"
#include "support/text.h"

namespace mtf::eval {
namespace {

/// Declarations to call beside operations and functions: with a string, a tensor, an int and a dim.
constexpr std::string_view kDeclared =
    "dim a = 2\n"
    "fn f(s: string) = s\n"
    "fn t(x: [..]) = x\n"
    "fn n(shape, low: int, high: int = none) = low\n"
    "fn d(x, classes: dim) = x\n"
    "model M(s: string) { }\n"
    "let g = fn(s: string) = s\n";

/// Returns the kind and message of the one error of a call, with `$` for the called name.
std::string mistake(const std::string& call) {
  Settings settings;
  settings.stdlib = stdlib_folder();
  settings.library = &library::host_library();
  const Diagnostics found =
      session::Session::check_text("test.mtf", std::string(kDeclared) + "print(" + call + ")\n", settings);
  EXPECT_EQ(found.list().size(), 1U) << call;
  if (found.empty()) return {};
  std::string label = found.list()[0].label();
  std::string name = "`" + call.substr(0, call.find('(')) + "`";
  if (name == "`g`") name = "`fn`";
  for (size_t at = label.find(name); at != std::string::npos; at = label.find(name))
    label.replace(at, name.size(), "$");
  return std::string(record(found.list()[0].kind()).name) + ": " + label;
}

void expect_of_all(const std::string& expected, const std::vector<std::string>& calls) {
  for (const std::string& call : calls) EXPECT_EQ(mistake(call), expected) << call;
}

TEST(Binding, OneArgumentTooMany) {
  expect_of_all("wrong_arity: $ takes 1 argument", {"relu(1.5, 2)", "strip(\"x\", 2)", "len([1], 2)", "f(\"x\", 2)",
                                                    "M(\"x\", 2)", "g(\"x\", 2)", "t(1.5, 2)"});
}

TEST(Binding, ALabelThatThereIsNot) {
  expect_of_all("unknown_argument: $ has no argument `other`",
                {"relu(1.5, other: 2)", "strip(\"x\", other: 2)", "len([1], other: 2)", "print(1, other: 2)",
                 "f(\"x\", other: 2)", "M(\"x\", other: 2)", "g(\"x\", other: 2)"});
}

TEST(Binding, AnArgumentTwice) {
  expect_of_all("duplicate_argument: `s` is given twice",
                {"strip(\"x\", s: \"y\")", "f(\"x\", s: \"y\")", "M(\"x\", s: \"y\")", "g(\"x\", s: \"y\")"});
  expect_of_all("duplicate_argument: `x` is given twice", {"relu(1.5, x: 2)", "float(1.5, x: 2)", "t(1.5, x: 2)"});
}

TEST(Binding, AnArgumentThatIsMissing) {
  expect_of_all("missing_argument: $ needs `s`", {"strip()", "f()", "M()", "g()"});
  expect_of_all("missing_argument: $ needs `x`", {"relu()", "float()", "t()"});
}

TEST(Binding, AnArrowThatIsNotTaken) {
  expect_of_all("misplaced_arrow: $ takes no `->`",
                {"relu(1.5 -> [a])", "strip(\"x\" -> [a])", "len([1] -> [a])", "f(\"x\" -> [a])", "M(\"x\" -> [a])",
                 "g(\"x\" -> [a])", "relu(x: 1.5 -> [a])", "strip(s: \"x\" -> [a])", "f(s: \"x\" -> [a])"});
}

TEST(Binding, AValueOfAnotherKind) {
  expect_of_all("type_mismatch: expected a string for `s` of $, found the int 3", {"strip(3)", "f(3)", "M(3)", "g(3)"});
  expect_of_all("type_mismatch: expected an int for `low` of $, found the float 1.5",
                {"random.integers([a], 1.5, 2)", "n([a], 1.5, 2)", "random.integers([a], 1.5)", "n([a], 1.5)"});
  expect_of_all("type_mismatch: expected a dim for `classes` of $, found the int 3",
                {"one_hot(ones([a], i32), 3)", "d(1, 3)"});
}

TEST(Binding, WhatIsMisspeltIsSuggested) {
  for (const std::string call : {"random.integers([a], 1, hihg: 2)", "n([a], 1, hihg: 2)"}) {
    Settings settings;
    settings.stdlib = stdlib_folder();
    const Diagnostics found =
        session::Session::check_text("test.mtf", std::string(kDeclared) + "print(" + call + ")\n", settings);
    ASSERT_EQ(found.list().size(), 1U);
    EXPECT_EQ(mtf::join(found.list()[0].helps(), "|"), "did you mean `high`?");
  }
}

}  // namespace
}  // namespace mtf::eval
