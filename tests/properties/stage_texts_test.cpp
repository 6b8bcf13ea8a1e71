// What a stage prints can be read back, and what is read is what was printed: of every program that the scripts
// capture, the text at each stage gives the same text again, and all later passes give of it what they give of the
// program.
#include <gtest/gtest.h>

#include <ostream>
#include <unordered_set>

#include "../execution_on.h"
#include "plan/compilation.h"
#include "scripts.h"
#include "session/session.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "types/text_reader.h"

namespace mtf::properties {
namespace {

/// Why a collective is there is said to people, behind `#`.
std::string without_comments(const std::string& text) {
  std::string kept;
  for (const std::string& line : split(text, '\n')) kept += line.substr(0, line.find("   # ")) + "\n";
  return kept;
}

/// The first lines that differ.
std::string difference(const std::string& found, const std::string& expected) {
  const std::vector<std::string> a = split(found, '\n'), b = split(expected, '\n');
  size_t i = 0;
  while (i < std::min(a.size(), b.size()) && a[i] == b[i]) ++i;
  const auto line = [&](const std::vector<std::string>& lines) {
    return i < lines.size() ? lines[i] : std::string("the end");
  };
  return "line " + std::to_string(i + 1) + ":\n  " + line(a) + "\ninstead of\n  " + line(b) + "\n";
}

/// What is wrong with the texts of one program, or nothing.
std::string wrong_with(const std::vector<std::string>& texts) {
  const plan::PassOptions options{.verify = true};
  const std::vector<plan::Pass>& list = plan::passes();
  for (size_t from = 0; from < texts.size(); ++from) {
    const auto file = SourceFile::create("stage", texts[from]);
    try {
      TextReader reader(*file);
      reader.next_line();
      plan::Compilation read = plan::Compilation::read(reader, options);
      if (reader.next_line()) return "there is more text\n" + texts[from];
      for (size_t to = from; to < texts.size(); ++to) {
        if (to > from) read.run(list[to - 1].name);
        const std::string again = without_comments(to_string(read)), expected = without_comments(texts[to]);
        if (again == expected) continue;
        return split(texts[from], '\n')[0] + ", read and then " + split(expected, '\n')[0] + ", " +
               difference(again, expected);
      }
    } catch (const std::exception& error) { return error.what(); }
  }
  return "";
}

class StageTexts : public testing::TestWithParam<size_t> {};

TEST_P(StageTexts, GiveTheProgramBack) {
  const std::vector<std::string> paths = scripts();
  constexpr size_t kMostLines = 400;  // longer programs are of many equal layers
  int checked = 0;
  for (size_t i = GetParam(); i < paths.size(); i += kParts) {
    for (const ScriptCase& each : cases_of(paths[i])) {
      SCOPED_TRACE(each.name);
      ExecutionOn<run::DryRuntime> execution;
      std::ostream nowhere(nullptr);
      std::unordered_set<std::string> seen;
      session::Session session(each.settings, &execution, nowhere);
      session.on_cut([&](Span) {
        std::vector<std::string> texts = {execution.last_text("ir")};
        if (std::count(texts[0].begin(), texts[0].end(), '\n') > static_cast<std::ptrdiff_t>(kMostLines) ||
            !seen.insert(texts[0]).second)
          return;
        for (const plan::Pass& pass : plan::passes()) texts.push_back(execution.last_text(std::string(pass.name)));
        EXPECT_EQ(wrong_with(texts), "");
        ++checked;
      });
      try {
        session.run_file(each.path);
      } catch (const UserError&) {  // a plan of it ends with an error
      }
    }
  }
  EXPECT_GT(checked, 100);
}

INSTANTIATE_TEST_SUITE_P(Part, StageTexts, testing::Range(size_t{0}, kParts));

}  // namespace
}  // namespace mtf::properties
