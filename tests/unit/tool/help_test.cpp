// Everything that can be written, and everything that can go wrong, has help.
#include <gtest/gtest.h>

#include <algorithm>

#include "support/diagnostics.h"
#include "syntax/parse.h"
#include "tool/commands.h"
#include "tool/help_topics.h"
#include "tool/pages.h"

namespace mtf::tool {
namespace {

TEST(Help, EachKindOfErrorHasAPageWithItsHeadline) {
  for (const KindRecord& kind : all_kinds()) EXPECT_NE(help_on(std::string(kind.name)).find(kind.headline), std::string::npos) << kind.name;
  EXPECT_EQ(error_pages().size(), all_kinds().size());
}

TEST(Help, APageThatHasAProgramShowsTheErrorInIt) {
  for (const Page& page : error_pages()) {
    const bool has_program = page.text.find("#!") != std::string::npos;
    EXPECT_TRUE(!has_program || page.text.find("#! " + page.title) != std::string::npos) << page.title;
  }
}

TEST(Help, EachWordAndSignOfTheLanguageIsExplained) {
  for (const std::string_view word : reserved_words()) EXPECT_FALSE(help_on(std::string(word)).empty()) << word;
  for (const char* sign : {"->", "@", ":=", "=", "==", "!=", "<", "<=", ">", ">=", "+", "-", "*", "/", "//", "%", "^", "..", ".", ",", ";", ":",
                           "(", "[", "{", "\"", "#", "##", ".4f", "int", "like"})
    EXPECT_FALSE(help_on(sign).empty()) << sign;
}

TEST(Help, ParagraphsAreBrokenAnewAndProgramsAreNot) {
  const std::string help = help_on("axis_used_twice");
  EXPECT_NE(help.find("\n    layout both = {batch -> all, hidden -> all}\n"), std::string::npos) << help;
  for (std::size_t begin = 0; begin < help.size();) {
    const std::size_t end = help.find('\n', begin);
    EXPECT_LE(end - begin, 100u);
    begin = end + 1;
  }
}

TEST(Help, SuggestsWhatWasMeant) {
  try {
    help_on("axis_used_twise");
    FAIL();
  } catch (const UserError& error) {
    EXPECT_EQ(error.diagnostic().helps(), std::vector<std::string>{"did you mean `axis_used_twice`?"});
  }
}

}  // namespace
}  // namespace mtf::tool
