// The files that mtf writes from its own tables are current in the source tree.
#include <gtest/gtest.h>

#include "../../places.h"
#include "tool/commands/editor_words.h"
#include "tool/commands/reference.h"
#include "tool/shell/generated_file.h"

namespace mtf::tool {
namespace {

const std::string kSource = source_folder();

TEST(GeneratedFiles, TheReferenceIsCurrent) {
  EXPECT_TRUE(outdated(kSource + "/stdlib", {{"REFERENCE.md", reference_text()}}).empty())
      << "run `mtf reference --write stdlib`";
}

TEST(GeneratedFiles, TheEditorsWordsAreCurrent) {
  EXPECT_EQ(outdated(kSource + "/editors", editor_files(kSource + "/editors", editor_words())),
            std::vector<std::string>())
      << "run `mtf editors --write editors`";
}

TEST(EditorWords, EveryKindHasWords) {
  for (const auto& [key, words] : editor_words()) EXPECT_FALSE(words.empty()) << key;
  EXPECT_EQ(editor_words().size(), 7u);
}

const WordLists kWords = {{"types", {"f32", "random.normal"}}};

TEST(EditorWords, ReplaceTheLineBelowAMarkInJson) {
  EXPECT_EQ(with_words("\"comment\": \"words: types\",\n\"match\": \"\\\\b(?:old|older)\\\\b(?=x)\"\nend\n", "a.json",
                       kWords),
            "\"comment\": \"words: types\",\n\"match\": \"\\\\b(?:f32|random\\\\.normal)\\\\b(?=x)\"\nend\n");
}

TEST(EditorWords, InVimAKeywordHasNoDot) {
  EXPECT_EQ(with_words("\" words: types\nsyntax keyword mtfType old\n", "a.vim", kWords),
            "\" words: types\nsyntax keyword mtfType f32\n");
}

}  // namespace
}  // namespace mtf::tool
