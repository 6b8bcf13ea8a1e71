// The text of every stage can be read back without loss. For every program of the scripts, the text of each stage is
// printed the same again, and all later passes give the same for it as for the original program.
#include <gtest/gtest.h>

#include <algorithm>
#include <ostream>
#include <string_view>
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

/// Removes comments after `#`, which tell people the reason of a collective.
std::string without_comments(std::string_view text) {
  constexpr std::string_view kComment = "   # ";
  std::string kept;
  kept.reserve(text.size());
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    // A line has few signs but many blanks.
    std::size_t end = line.find('#');
    while (end != std::string_view::npos && !line.substr(end - std::min<std::size_t>(end, 3)).starts_with(kComment))
      end = line.find('#', end + 1);
    (kept += line.substr(0, end == std::string_view::npos ? end : end - 3)) += '\n';
    text.remove_prefix(std::min(line.size() + 1, text.size()));
  }
  return kept;
}

/// Returns the first different lines.
std::string difference(const std::string& found, const std::string& expected) {
  const std::vector<std::string> a = split(found, '\n'), b = split(expected, '\n');
  size_t i = 0;
  while (i < std::min(a.size(), b.size()) && a[i] == b[i]) ++i;
  const auto line = [&](const std::vector<std::string>& lines) {
    return i < lines.size() ? lines[i] : std::string("the end");
  };
  return "line " + std::to_string(i + 1) + ":\n  " + line(a) + "\ninstead of\n  " + line(b) + "\n";
}

/// Describes what is wrong with the texts of one program, or returns nothing.
std::string wrong_with(const std::vector<std::string>& texts) {
  const plan::PassOptions options{.verify = true};
  const std::vector<plan::Pass>& list = plan::passes();
  std::vector<std::string> all_expected;
  for (const std::string& text : texts) all_expected.push_back(without_comments(text));
  for (size_t from = 0; from < texts.size(); ++from) {
    const auto file = SourceFile::create("stage", texts[from]);
    try {
      TextReader reader(*file);
      reader.next_line();
      plan::Compilation read = plan::Compilation::read(reader, options);
      if (reader.next_line()) return "there is more text\n" + texts[from];
      for (size_t to = from; to < texts.size(); ++to) {
        if (to > from) read.run(list[to - 1].name);
        const std::string again = without_comments(to_string(read)), &expected = all_expected[to];
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
  constexpr size_t kMostLines = 400;    // longer programs are of many equal layers
  constexpr size_t kMostPrograms = 60;  // a script of more trains for long, by programs that are alike
  int checked = 0;
  for (size_t i = GetParam(); i < paths.size(); i += kParts) {
    for (const ScriptCase& each : cases_of(paths[i])) {
      SCOPED_TRACE(each.name);
      ExecutionOn<run::DryRuntime> execution;
      std::ostream nowhere(nullptr);
      std::unordered_set<std::string> seen;
      session::Session session(each.settings, &execution, nowhere);
      session.on_cut([&](Span) {
        if (seen.size() == kMostPrograms) return;
        const std::string captured = execution.last_text("ir");
        if (std::count(captured.begin(), captured.end(), '\n') > static_cast<std::ptrdiff_t>(kMostLines) ||
            !seen.insert(captured).second)
          return;
        EXPECT_EQ(wrong_with(execution.last_texts()), "");
        ++checked;
      });
      try {
        session.run_file(each.path);
      } catch (const UserError&) {  // a plan of the script ends with an error
      }
    }
  }
  EXPECT_GT(checked, 100);
}

INSTANTIATE_TEST_SUITE_P(Part, StageTexts, testing::Range(size_t{0}, kParts));

}  // namespace
}  // namespace mtf::properties
