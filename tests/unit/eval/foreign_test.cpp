// Every line of syntax/foreign.def helps where it should.

#include <gtest/gtest.h>

#include "eval/session.h"
#include "support/text.h"
#include "syntax/foreign.h"

namespace mtf {
namespace {

struct Line {
  Foreign where;
  std::string form, help;
};

const std::vector<Line> kLines = {
#define MTF_FOREIGN(where, form, help) {Foreign::where, form, help},
#include "syntax/foreign.def"
#undef MTF_FOREIGN
};

// Whether the first error of a program has this help.
bool helps(const std::string& program, const std::string& help) {
  Settings settings;
  settings.stdlib = MTF_STDLIB_DIR;
  const Diagnostics found = Session::check_text("t.mtf", program, settings);
  for (const Diagnostic& one : found.list())
    if (std::find(one.helps().begin(), one.helps().end(), help) != one.helps().end()) return true;
  return false;
}

std::string program_with(Foreign where, const std::string& word) {
  const std::string head = "dim a = 2\nlet x = ones([a])\n";
  switch (where) {
    case Foreign::statement: return word;
    case Foreign::name: return "print(" + word + ")";
    case Foreign::part: return head + "print(x." + word + ")";
    case Foreign::argument: return head + "print(sum(x, " + word + ": 1))";
    case Foreign::type: return "fn f(x: " + word + ") = x";
    case Foreign::module: return "import " + word;
    case Foreign::form: break;
  }
  return {};
}

TEST(ForeignWords, EachHelpsWhereItIsMet) {
  for (const Line& line : kLines) {
    if (line.where == Foreign::form) continue;
    for (const std::string& word : split(line.form, ' ')) EXPECT_TRUE(helps(program_with(line.where, word), line.help)) << word;
  }
}

// The tokens of a form, with something for each of its signs.
std::string tokens_of(const std::string& form) {
  std::string out;
  const std::vector<std::string> parts = split(form, ' ');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string part = parts[i];
    if (i + 1 == parts.size() && part.size() > 1 && part.ends_with('!')) part.pop_back();
    if (part == "^" && i == 0) continue;
    if (part == "v" && i == 0) part = "b";
    if (part == "," && i == 0) part = "f(";
    if (part == "_") part = "name";
    if (part == "%") part = "1";
    if (part == "\"") part = "\"text\"";
    if (part == "...") part = "";
    out += part + (part == "*" || part == "/" ? "" : " ");
  }
  return out;
}

TEST(ForeignForms, EachHelpsWhereItStands) {
  for (const Line& line : kLines) {
    if (line.where != Foreign::form) continue;
    std::string help = line.help;
    for (std::size_t place; (place = help.find("{}")) != std::string::npos;) help.replace(place, 2, "name");
    bool found = false;
    for (const std::string before : {"", "let c = ", "let c ", "f(", "fn g(x ", "let c = b", "c"})
      for (const std::string behind : {"", "x", "3", " = 3", " c {}", "(x) {}", " 0..3) {}", "\n}", " c)", " : 1}", " 2]", "b] { return 1 }", " return 1 }"}) found |= helps(before + tokens_of(line.form) + behind, help);
    EXPECT_TRUE(found) << line.form;
  }
}

}  // namespace
}  // namespace mtf
