// Every line of syntax/foreign.def gives its help in the right situation.

#include <gtest/gtest.h>

#include <map>

#include "../../places.h"
#include "library/library.h"
#include "session/session.h"
#include "support/text.h"
#include "syntax/foreign.h"

namespace mtf::eval {
namespace {

struct Line {
  syntax::Foreign where;
  std::string form, instead, help;
};

const std::vector<Line> kLines = {
#define MTF_FOREIGN(where, form, instead, help) {syntax::Foreign::where, form, instead, help},
#include "syntax/foreign.def"
#undef MTF_FOREIGN
};

// True if an error of a program has the help of a line of the table, with the code to write if the line has any.
bool helps(const std::string& program, const Line& line, const std::string& first_word) {
  Settings settings;
  settings.stdlib = stdlib_folder();
  settings.library = &library::host_library();
  const std::string why = syntax::filled(line.help, [&](char) { return first_word; });
  const Diagnostics found = session::Session::check_text("t.mtf", program, settings);
  for (const Diagnostic& one : found.list())
    for (const std::string& help : one.helps()) {
      const std::string written = why.empty() ? "write `" : why + ": write `";
      if (line.instead.empty() ? help == why : help.starts_with(written)) return true;
    }
  return false;
}

// Returns a program with the word in the context that the line requires.
std::string program_with(const Line& line, const std::string& word) {
  const std::string head = "dim a = 2\nlet x = ones([a])\n";
  const std::string called =
      line.instead.find("$e") != std::string::npos                                                   ? word + "(f64)"
      : line.instead.find("$1") != std::string::npos || line.instead.find("$2") != std::string::npos ? word + "(x, x)"
                                                                                                     : word;
  switch (line.where) {
    case syntax::Foreign::statement: return word;
    case syntax::Foreign::name: return head + "print(" + called + (line.instead == "." ? ".w" : "") + ")";
    case syntax::Foreign::part: return head + "print(x." + called + ")";
    case syntax::Foreign::argument: return head + "print(sum(x, " + word + ": 1))";
    case syntax::Foreign::type: return "fn f(x: " + word + ") = x";
    case syntax::Foreign::module: return "import " + word;
    case syntax::Foreign::form: break;
  }
  return {};
}

TEST(ForeignWords, EachHelpsWhereItIsMet) {
  for (const Line& line : kLines) {
    if (line.where == syntax::Foreign::form) continue;
    for (const std::string& word : split(line.form, ' '))
      EXPECT_TRUE(helps(program_with(line, word), line, "")) << word;
  }
}

// Returns the tokens of a form, with an example for each of its signs.
std::string tokens_of(const std::string& form) {
  static const std::map<std::string, std::string> kSigns = {{"_", "name"}, {"known", "name"},   {"V", "name"},
                                                            {"%", "1"},    {"\"", "\"text\""},  {"...", "b"},
                                                            {"***", "b"},  {":block", ": f()"}, {"END", ""}};
  std::string out;
  const std::vector<std::string> parts = split(form, ' ');
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string part = parts[i];
    if (i + 1 == parts.size() && part.size() > 1 && part.ends_with('!')) part.pop_back();
    if (i == 0 && (part == "^" || part == "=>")) continue;
    if (part == "v" && i == 0) part = "b";
    if (part == "," && i == 0) part = "f(";
    if (const auto sign = kSigns.find(part); sign != kSigns.end()) part = sign->second;
    out += part + (part == "*" || part == "/" ? "" : " ");
  }
  return out;
}

TEST(ForeignForms, EachHelpsWhereItStands) {
  for (const Line& line : kLines) {
    if (line.where != syntax::Foreign::form) continue;
    bool found = false;
    for (const std::string before :
         {"", "let c = ", "let c ", "f(", "fn g(x ", "let c = b", "c", "for i ", "if c ", "let name = 1\n"})
      for (const std::string behind : {"", "x", "3", " = 3", " c {}", "(x) {}", " 0..3) {}", "\n}", " c)", " : 1}",
                                       " 2]", "b] { return 1 }", " return 1 }", ")", "]", " {}"})
        found = found || helps(before + tokens_of(line.form) + behind, line, "name");
    EXPECT_TRUE(found) << line.form;
  }
}

}  // namespace
}  // namespace mtf::eval
