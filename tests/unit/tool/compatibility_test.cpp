// What earlier versions have written is read by this one; what later versions have written is refused with a reason.
#include <filesystem>

#include "command.h"
#include "syntax/parse.h"

namespace mtf::tool {
namespace {

using Compatibility = CommandTest;

/// version_0_1/write.mtf wrote the checkpoint, and printed the same numbers behind it.
TEST_F(Compatibility, ACheckpointOfVersion01IsRead) {
  const std::filesystem::path folder = path("run");
  std::filesystem::create_directory(folder);
  std::filesystem::copy_file(source_folder() + "/tests/unit/tool/version_0_1/step-00000003.safetensors",
                             folder / "step-00000003.safetensors");
  const std::string program =
      "import nn, optim, checkpoint\n"
      "dim batch = 4, io = 3, hidden = 2\n"
      "model Net {\n"
      "  let inner = nn.Dense(io, hidden)\n"
      "  let blocks = [nn.Dense(hidden, hidden) for i in 0..2]\n"
      "  state seen: i32[hidden] = 0\n"
      "  fn call(x) {\n"
      "    let h = inner(x)\n"
      "    for block in blocks { h := block(h) }\n"
      "    return h\n"
      "  }\n"
      "}\n"
      "seed 9\n"
      "let net = Net()\n"
      "let adam = optim.Adam(net.params, lr: 0.125)\n"
      "let x = tensor([[1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 0, 1]], [batch, io])\n"
      "print(checkpoint.load(\"" +
      folder.string() +
      "\", net, adam))\n"
      "print(sum(net.inner.w), sum(net(x)), net.seen, random.uniform([io]))\n"
      "adam.minimize(mean(square(net(x))))\n"
      "print(sum(net.inner.w), sum(net(x)))\n";
  for (const std::string mesh : {"all:1", "all:3"}) {
    const ProcessResult run = mtf({"run", write("a.mtf", program), "--mesh", mesh, "--layout", "io:all"});
    EXPECT_EQ(run.out, "3\n0.318804 -3.89937 [3, 3] [0.59258, 0.587395, 0.372895]\n0.659893 -2.89434\n") << run.err;
  }
}

TEST_F(Compatibility, AScriptMayNameTheVersionOfTheLanguage) {
  EXPECT_EQ(mtf({"run", write("a.mtf", "# a comment\n\nlanguage 1\nlet language = 2\nprint(language)\n")}).out, "2\n");
  EXPECT_EQ(mtf_reading("language   1 # first\nprint( 1 )\n", "fmt -").out, "language 1  # first\nprint(1)\n");
  write("module.mtf", "language 1\nlet y = 3\n");
  EXPECT_EQ(mtf({"run", write("b.mtf", "language 1\nimport \"module.mtf\"\nprint(module.y)\n")}).out, "3\n");
}

/// Nothing else is reported: the rest may have forms that this version does not know.
TEST_F(Compatibility, ALaterVersionIsRefusedBeforeAnythingElse) {
  for (const std::string version : {"2", "99999999999999999999"}) {
    const ProcessResult check = mtf({"check", write("a.mtf", "language " + version + "\nwith each x of y => {\n")});
    EXPECT_EQ(check.status, 1);
    EXPECT_MENTIONS(check.err, "the script is written for a later version of the language [newer_language]");
    EXPECT_MENTIONS(check.err, "this mtf knows the language up to version " + std::to_string(syntax::kLanguageVersion));
    EXPECT_EQ(check.err.find("error", check.err.find("error") + 1), std::string::npos) << check.err;
  }
  EXPECT_MENTIONS(mtf({"check", write("a.mtf", "language 0\n")}).err, "versions of the language begin with 1");
  write("module.mtf", "language 2\n");
  EXPECT_MENTIONS(mtf({"check", write("b.mtf", "import \"module.mtf\"\n")}).err, "newer_language");
  EXPECT_MENTIONS(mtf({"check", write("a.mtf", "let x = 1\nlanguage 1\n")}).err, "syntax_error");
}

}  // namespace
}  // namespace mtf::tool
