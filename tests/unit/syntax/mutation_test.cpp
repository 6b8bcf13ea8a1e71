// Damaged programs give a program or errors: soon, and the same every time.

#include <gtest/gtest.h>

#include <chrono>
#include <random>

#include "../work_time.h"
#include "snippets.h"
#include "syntax/parse.h"
#include "syntax/print.h"

namespace mtf::syntax {
namespace {

// Parses a text. If the text is a program, prints it and parses the output.
void survive(const std::string& text) {
  Diagnostics diagnostics;
  const ast::Program program = parse(SourceFile::create("mutant.mtf", text), diagnostics);
  const std::string printed = print(program);
  if (diagnostics.has_errors()) {
    EXPECT_FALSE(diagnostics.render().empty());
    return;
  }
  const ast::Program again = parse(SourceFile::create("printed.mtf", printed), diagnostics);
  EXPECT_FALSE(diagnostics.has_errors()) << text << "\n----\n" << printed << diagnostics.render();
  EXPECT_EQ(print(again), printed) << text;
}

class Mutation : public testing::Test {
 protected:
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : random_() % bound; }
  bool time_is_up() const { return std::chrono::steady_clock::now() - start_ > std::chrono::seconds(3); }
  const std::string& any_snippet() { return test::snippets()[below(test::snippets().size())]; }

  std::mt19937 random_{7};
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

TEST_F(Mutation, RandomBytes) {
  for (int iteration = 0; iteration < 300; ++iteration) {
    std::string text(below(200), ' ');
    for (char& c : text) c = static_cast<char>(iteration % 2 == 0 ? below(256) : 32 + below(95));
    survive(text);
  }
}

TEST_F(Mutation, TruncatedPrograms) {
  for (const std::string& text : test::snippets()) {
    const std::size_t step = text.size() < 200 ? 1 : text.size() / 40;
    for (std::size_t end = 0; end < text.size() && !time_is_up(); end += step) survive(text.substr(0, end));
  }
}

TEST_F(Mutation, SplicedPrograms) {
  static const std::vector<std::string> kPieces = {"(",    ")",   "[",      "]",     "{",  "}",  "\"", "\n",
                                                   ";",    "->",  "..",     ":",     ":=", "=",  "@",  "-",
                                                   "let ", "fn ", "model ", "else ", "#",  "\\", ",",  "."};
  for (int iteration = 0; iteration < 1500 && !time_is_up(); ++iteration) {
    std::string text = any_snippet();
    for (std::size_t edits = 1 + below(3); edits > 0; --edits) {
      const std::size_t place = below(text.size() + 1);
      switch (below(3)) {
        case 0: text.erase(place, 1 + below(5)); break;
        case 1: text.insert(place, kPieces[below(kPieces.size())]); break;
        default: {
          const std::string& other = any_snippet();
          text.insert(place, other.substr(below(other.size()), below(20)));
        }
      }
    }
    survive(text);
  }
}

TEST_F(Mutation, LongInputsTakeLinearTime) {
  const std::vector<std::string> repeated = {
      "(",    "f()\n", "f();", "x = 3\n",       ")",    "\"a\n", "\x01",        "## a\n", "fn ",
      "a..b", "[{(",   "a->b", "if a {} else ", "let ", "\"{",   "let x = (\n", "\n"};
  for (const std::string& part : repeated) {
    std::string text;
    while (text.size() < 30000) text += part;
    const double start = processor_seconds();
    survive(text);
    EXPECT_LT(processor_seconds() - start, 60) << part;
  }
}

}  // namespace
}  // namespace mtf::syntax
