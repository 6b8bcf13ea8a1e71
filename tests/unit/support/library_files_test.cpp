#include "support/library_files.h"

#include <gtest/gtest.h>

#include "../../places.h"
#include "../file_test.h"
#include "support/diagnostics.h"

namespace mtf {
namespace {

TEST(LibraryFiles, BuiltInTextsEqualTheFiles) {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(stdlib_folder())) {
    const std::string name = std::filesystem::relative(entry.path(), stdlib_folder()).string();
    if (name == "REFERENCE.md" || entry.is_directory()) continue;
    EXPECT_EQ(LibraryFiles("").read(name)->text(), LibraryFiles(stdlib_folder()).read(name)->text()) << name;
    ++count;
  }
  EXPECT_EQ(built_in_files().size(), count);
}

TEST(LibraryFiles, BuiltInPathsDoNotDependOnTheMachine) {
  const LibraryFiles files("");
  EXPECT_EQ(files.read("nn.mtf")->name(), "<stdlib>/nn.mtf");
  EXPECT_TRUE(files.has_path("<stdlib>/nn.mtf"));
  EXPECT_FALSE(files.has_path("stdlib/nn.mtf"));
  EXPECT_FALSE(files.has("nm.mtf"));
  EXPECT_THROW(files.read("nm.mtf"), UserError);
}

using LibraryFolder = FileTest;

TEST_F(LibraryFolder, AFolderReplacesAllBuiltInFiles) {
  const std::string file = write("mine.mtf", "let a = 1\n");
  const LibraryFiles files(path(""));
  EXPECT_EQ(files.modules(), std::vector<std::string>{"mine"});
  EXPECT_FALSE(files.has("nn.mtf"));
  EXPECT_EQ(files.read("mine.mtf")->text(), "let a = 1\n");
}

}  // namespace
}  // namespace mtf
