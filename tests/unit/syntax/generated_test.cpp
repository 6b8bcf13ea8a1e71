// The generated parser in the repository is that of the grammar in the repository.

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace {

namespace fs = std::filesystem;

fs::path grammar() {
  fs::path folder = fs::absolute(__FILE__).parent_path();
  while (!fs::exists(folder / "grammar" / "MtfParser.g4") && folder.has_relative_path()) folder = folder.parent_path();
  return folder / "grammar";
}

std::string contents(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += static_cast<char>(c);
  pclose(pipe);
  return text;
}

TEST(GeneratedParser, HasTheHashOfTheGrammar) {
  const fs::path folder = grammar();
  if (!fs::exists(folder / "MtfParser.g4")) GTEST_SKIP() << "the source tree is not here";
  const std::string hash = output_of("cat '" + (folder / "MtfLexer.g4").string() + "' '" +
                                     (folder / "MtfParser.g4").string() + "' | sha256sum | cut -d ' ' -f 1");
  EXPECT_EQ(hash, contents(folder / "generated" / "grammar.sha256")) << "run grammar/generate";
}

TEST(GeneratedParser, IsWhatGenerateWrites) {
  const fs::path folder = grammar();
  if (!fs::exists(folder / "generate")) GTEST_SKIP() << "the source tree is not here";
  if (std::system("command -v antlr4 > /dev/null 2>&1") != 0) GTEST_SKIP() << "antlr4 is not installed";
  const fs::path fresh = fs::temp_directory_path() / ("mtf_generated_" + std::to_string(::getpid()));
  ASSERT_EQ(std::system(("'" + (folder / "generate").string() + "' '" + fresh.string() + "' > /dev/null").c_str()), 0);
  for (const auto& entry : fs::directory_iterator(fresh)) {
    const fs::path name = entry.path().filename();
    EXPECT_TRUE(contents(entry.path()) == contents(folder / "generated" / name)) << name << ": run grammar/generate";
  }
  fs::remove_all(fresh);
}

}  // namespace
