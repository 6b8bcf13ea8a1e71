// `mtf run --watch`, in processes and at a terminal.
#include <gtest/gtest.h>
#include <signal.h>
#include <unistd.h>

#include "../pseudo_terminal.h"
#include "command.h"
#include "mpi_job.h"
#include "tool/shell/watch.h"

namespace mtf::tool {
namespace {

class Watch : public CommandTest {};

TEST_F(Watch, AScriptRunsAgainWhenItOrAnImportedFileChanges) {
  write("second.mtf", "let v = 1\n");
  write("first.mtf", "import \"second.mtf\" as s\nlet v = s.v\n");
  const std::string script = write("script.mtf", "import \"first.mtf\" as f\nprint(\"has\", f.v)\n");
  MpiJob job(0, {kMtf, "run", "--watch", script});
  ASSERT_TRUE(job.has_printed("has 1"));
  write("second.mtf", "let v = 22\n");
  ASSERT_TRUE(job.has_printed("has 22"));
  write("script.mtf", "dim n = 2\nprint(\"fails now\")\nassert int(sum(ones([n]))) == 3\n");
  ASSERT_TRUE(job.has_printed("fails now"));
  ASSERT_TRUE(job.has_reported("[assertion_failed]"));
  write("script.mtf", "print(\"has three\")\nwhile true { let i = 0 }\n");
  ASSERT_TRUE(job.has_printed("has three"));
  write("script.mtf", "print(\"has four of them\")\n");
  ASSERT_TRUE(job.has_printed("has four of them")) << "what ran has ended";
  kill(job.process(), SIGINT);
  EXPECT_NE(job.end().status, 0);
}

TEST_F(Watch, CtrlCEndsItAndTheRun) {
  const std::string script = write("script.mtf", "print(\"begins\")\nwhile true { let i = 0 }\n");
  PseudoTerminal terminal(10, 100,
                          [&] { return execl(kMtf.c_str(), "mtf", "run", "--watch", script.c_str(), nullptr); });
  ASSERT_TRUE(terminal.mentions("begins"));
  terminal.type("\x03");
  EXPECT_NE(terminal.wait(), 0);
}

TEST_F(Watch, ItNeedsAFileAndNoRanks) {
  EXPECT_MENTIONS(mtf({"run", "--watch", "-e", "print(1)"}).err, "--watch needs a file that may change");
  EXPECT_EQ(mtf({"run", "--watch", "-"}).status, 2);
}

TEST_F(Watch, FilesAreFoundThroughImportsAndOnceEach) {
  write("b.mtf", "import \"a.mtf\" as a\n");
  write("a.mtf", "import \"b.mtf\" as b, nn\nimport \"not_there.mtf\" as c\n");
  EXPECT_EQ(files_of_script(path("a.mtf"), ""),
            (std::vector<std::string>{path("a.mtf"), path("b.mtf"), path("not_there.mtf")}));
  EXPECT_EQ(files_of_script(path("a.mtf"), path("lib"))[2], path("lib/nn.mtf"));
}

}  // namespace
}  // namespace mtf::tool
