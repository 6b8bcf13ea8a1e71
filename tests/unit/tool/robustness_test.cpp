// The command in a hostile environment: full disks, signals, hostile names and files.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "../work_time.h"
#include "command.h"
#include "mpi_job.h"
#include "plan/execution.h"
#include "tool/golden/golden_test.h"

namespace mtf::tool {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;

class Robustness : public CommandTest {
 protected:
  /// Runs the command in a shell, followed by words such as `> /dev/full`.
  ProcessResult shell(const std::string& words) const {
    return run_process({"bash", "-c", kMtf + " " + words}, {}, kPatience);
  }
};

// ---- standard output ------------------------------------------------------------------------------------------------

TEST_F(Robustness, AFullDiskIsAnErrorOfEveryCommand) {
  const std::string script = write("a.mtf", "dim a = 4\nprint(sum(ones([a])))\n");
  for (const std::string words :
       {"help", "help operations", "help run", "--help", "--version", "run", "plan", "check -v", "trace --stage ast",
        "trace --stage types", "trace", "test", "reference --stdout"}) {
    const bool takes_a_file = words.starts_with("run") || words.starts_with("plan") || words.starts_with("check") ||
                              words.starts_with("trace") || words.starts_with("test");
    const ProcessResult result = shell(words + (takes_a_file ? " " + script : "") + " > /dev/full");
    EXPECT_EQ(result.status, 3) << words << "\n" << result.err;
    EXPECT_MENTIONS(result.err, "[cannot_write]");
    EXPECT_MENTIONS(result.err, "standard output: No space left on device");
  }
}

TEST_F(Robustness, AFullDiskEndsThePrompt) {
  const std::string input = write("input", "1 + 1\nprint(3)\n:help\n");
  for (const std::string& words : {"< " + input, std::string("< <(echo :help)")}) {
    const ProcessResult result = shell(words + " > /dev/full");
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_MENTIONS(result.err, "[cannot_write]");
  }
}

TEST_F(Robustness, AClosedOutputIsAnErrorAndNoFileTakesItsPlace) {
  const std::string script =
      write("a.mtf", "import data\ndim a = 2\ndata.save_npy(\"" + path("x.npy") + "\", ones([a]))\nprint(1)\n");
  const ProcessResult result = shell("run " + script + " >&-");
  EXPECT_EQ(result.status, 3);
  EXPECT_MENTIONS(result.err, "[cannot_write]");
  EXPECT_EQ(read("x.npy").size(), 128U + 8U);
}

// `ulimit -f`, in KiB: the part of a file beyond it is not written, and its signal ends no process.
TEST_F(Robustness, AFileThatMayNotBeSoLargeIsAnErrorAtItsPlace) {
  const std::string head =
      "import data, checkpoint, logs\ndim n = 100000\nmodel Net { param w: [n] = 1 }\nlet net = Net()\n";
  for (const std::string& statement : {"data.save_npy(\"" + path("out/x.npy") + "\", net.w)\n",
                                       "checkpoint.save(\"" + path("out") + "\", net, step: 1)\n",
                                       "for i in 0..4000 { logs.jsonl(\"" + path("out/log.jsonl") +
                                           "\", step: i, words: \"and what is as long as this\") }\n"}) {
    std::filesystem::create_directory(path("out"));
    const std::string script = write("a.mtf", head + statement);
    const ProcessResult result =
        run_process({"bash", "-c", "ulimit -f 64; exec " + kMtf + " run " + script}, {}, kPatience);
    EXPECT_EQ(result.status, 3) << result.err;
    EXPECT_MENTIONS(result.err, "[cannot_write]");
    EXPECT_MENTIONS(result.err, "a.mtf:5:");
    EXPECT_MENTIONS(result.err, path("out"));
    for (const auto& left :
         std::filesystem::directory_iterator(path("out")))  // files that are replaced as a whole leave nothing behind
      EXPECT_FALSE(left.path().string().find(".partial") != std::string::npos || left.file_size() > 65536U)
          << left.path();
    EXPECT_FALSE(std::filesystem::exists(path("out/x.npy")));
    std::filesystem::remove_all(path("out"));
  }
  const std::string script = write("a.mtf", "for i in 0..20000 { print(\"what is printed\") }\n");
  const ProcessResult printed = run_process(
      {"bash", "-c", "ulimit -f 64; exec " + kMtf + " run " + script + " > " + path("out.txt")}, {}, kPatience);
  EXPECT_EQ(printed.status, 3) << printed.err;
  EXPECT_MENTIONS(printed.err, "standard output: File too large");
}

TEST_F(Robustness, AReaderThatHasGoneIsNoError) {
  for (const std::string words : {"help operations", "reference --stdout"}) {
    const ProcessResult result = shell(words + " | head -c 1 > /dev/null; echo ${PIPESTATUS[0]}");
    EXPECT_TRUE(result.out == "141\n" || result.out == "0\n") << result.out;
    EXPECT_EQ(result.err, "");
  }
}

// ---- files and names from outside -----------------------------------------------------------------------------------

/// Each writer of a script replaces a file of its own kind, and no other.
TEST_F(Robustness, AProgramReplacesItsOwnKindOfFileAlone) {
  const std::vector<std::pair<std::string, std::string>> writers = {
      {"npy", "data.save_npy(file, ones([a]))"},
      {"safetensors", "checkpoint.write(file, [\"x\"], [ones([a])])"},
      {"tokenizer", "t.save(file)"},
      {"tokens", "data.tokens(text, t).save(file)"},
      {"text", "write(file, \"x\")"},
      {"script.mtf", ""}};
  write("text.txt", "abc");
  write("script.mtf", "print(1)\n");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  const auto run = [&](const std::string& writer, const std::string& file) {
    const std::string script = write("writer.mtf",
                                     "import data, checkpoint\noption file = \"\"\noption text = \"\"\ndim a = 2\n"
                                     "let t = data.bpe(text, 258)\n" +
                                         writer + "\n");
    return mtf({"run", script, "--set", "file=" + path(file), "--set", "text=" + path("text.txt")});
  };
  for (const auto& [own, writer] : writers) {
    if (writer.empty()) continue;
    EXPECT_EQ(run(writer, own + ".out").status, 0) << writer;
    EXPECT_EQ(run(writer, own + ".out").status, 0) << writer;
    EXPECT_EQ(run(writer, "").status, 3) << "a folder";
    const ProcessResult pipe = run(writer, "pipe");
    EXPECT_EQ(pipe.status, 3) << writer;
    EXPECT_FALSE(pipe.timed_out);
    EXPECT_MENTIONS(pipe.err, "nobody reads it");
    for (const auto& [other, unused] : writers) {
      const std::string file = unused.empty() ? other : other + ".out";
      if (other == own || !std::filesystem::exists(path(file))) continue;
      const std::string before = read(file);
      const ProcessResult result = run(writer, file);
      const bool is_text_too = own == "text" && other == "tokenizer";
      EXPECT_EQ(result.status, is_text_too ? 0 : 3) << writer << file;
      if (is_text_too) continue;
      EXPECT_MENTIONS(result.err, "it is there, and is ");
      EXPECT_EQ(read(file), before) << writer << file;
    }
  }
}

TEST_F(Robustness, APromptSavesOverItsOwnFilesAlone) {
  write("mine.mtf", "print(1)\n");
  const ProcessResult result = mtf_reading("let x = 1\n:save " + path("mine.mtf") + "\n:save " + path("new.mtf") +
                                               "\nlet y = 2\n:save " + path("new.mtf") + "\n",
                                           "");
  EXPECT_MENTIONS(result.err, "is not a session that this prompt has saved");
  EXPECT_EQ(read("mine.mtf"), "print(1)\n");
  EXPECT_EQ(read("new.mtf"), "let x = 1\nlet y = 2\n");
}

TEST_F(Robustness, AnOutputThatIsAPipeWithoutAReaderEndsTheRun) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  const std::string script = write("script.mtf", "print(1)\n");
  for (const char* option : {"--timeline", "--loss-curve", "--reads"}) {
    const ProcessResult result = mtf({"run", script, option, path("pipe")});
    EXPECT_FALSE(result.timed_out) << option;
    EXPECT_EQ(result.status, 3) << option;
    EXPECT_MENTIONS(result.err, "nobody reads it");
  }
}

TEST_F(Robustness, AScriptIsARegularFileOrStandardInput) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  for (const std::string command : {"run", "check", "plan", "trace", "test"}) {
    const ProcessResult result = mtf({command, path("pipe")});
    EXPECT_FALSE(result.timed_out) << command;
    EXPECT_NE(result.status, 0);
    EXPECT_MENTIONS(result.out + result.err, "expected a regular file");
  }
}

TEST_F(Robustness, ControlCharactersOfNamesAreEscaped) {
  write("\x1b[2J.mtf", "print(y)\n");
  write("\x1b[3J.mtf", "print(1)\n#> 2\n");
  const std::string broken = path("\x1b[2J.mtf"), wrong = path("\x1b[3J.mtf");
  std::string said;
  for (const auto& words : std::vector<std::vector<std::string>>{{"run", broken},
                                                                 {"check", broken},
                                                                 {"check", "-v", wrong},
                                                                 {"test", wrong},
                                                                 {"test", path("\x1b.mtf")},
                                                                 {"run", path("\x1b.mtf")},
                                                                 {"\x1b[2J"},
                                                                 {"help", "\x1b[2J"},
                                                                 {"run", "--set", "\x1b=1", wrong},
                                                                 {"run", "--\x1b"},
                                                                 {"run", "--mesh", "\x1b:x", wrong},
                                                                 {"trace", wrong}}) {
    const ProcessResult result = mtf(words);
    said += result.out + result.err;
  }
  EXPECT_EQ(said.find('\x1b'), std::string::npos) << said;
  EXPECT_MENTIONS(said, "\\x1b[2J.mtf:1:7");
}

TEST_F(Robustness, ANulEndsNoPath) {
  write("a.npy", "x");
  const std::string name = path("a.npy") + std::string("\0b", 2);
  const std::string import = "import data\ndim n = 1\n";
  EXPECT_MENTIONS(mtf({"run", write("a.mtf", import + "print(data.npy(\"" + name + "\", [n]))\n")}).err, "\\x00b");
  EXPECT_MENTIONS(mtf({"run", write("b.mtf", import + "data.save_npy(\"" + name + "\", ones([n]))\n")}).err,
                  "the character 0");
  EXPECT_EQ(read("a.npy"), "x");
}

TEST_F(Robustness, NumbersAreInRange) {
  EXPECT_EQ(mtf({"run", "--threads", "4294967297", write("a.mtf", "print(1)\n")}).status, 2);
  EXPECT_EQ(mtf({"run", "--threads", "1x", write("a.mtf", "print(1)\n")}).status, 2);
  EXPECT_EQ(mtf({"test", "--jobs", "4294967297", path("a.mtf")}).status, 2);
  EXPECT_EQ(mtf({"test", "--jobs", "0", path("a.mtf")}).status, 2);
  EXPECT_EQ(mtf({"run", "--placement", "18446744073709551616", path("a.mtf")}).status, 2);
  EXPECT_EQ(mtf({"run", "--mesh", "a:99999999999999999999", path("a.mtf")}).status, 2);
  const ProcessResult result = mtf({"test", write("b.mtf", "#: ranks 4294967297\nprint(1)\n#> 1\n")});
  EXPECT_EQ(result.status, 1);
  EXPECT_MENTIONS(result.out, "`#: ranks` is followed by numbers from 1 to 4096");
}

// ---- mtf test -------------------------------------------------------------------------------------------------------

TEST_F(Robustness, UpdateKeepsModeAndLink) {
  const std::string file = write("a.mtf", "print(1)\n");
  chmod(file.c_str(), 0600);
  std::filesystem::create_symlink("a.mtf", path("link.mtf"));
  EXPECT_EQ(mtf({"test", "--update", "--yes", path("link.mtf")}).status, 0);
  EXPECT_EQ(read("a.mtf"), "print(1)\n#> 1\n");
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.mtf")));
  struct stat status {};
  ASSERT_EQ(stat(file.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777U, 0600U);
}

TEST_F(Robustness, UpdateLeavesAScriptThatWasChangedMeanwhile) {
  const std::string began = path("began.npy"), changed = "print(2)\n";
  const std::string file = write("a.mtf", "import data\ndim a = 1\ndata.save_npy(\"" + began +
                                              "\", ones([a]))\nlet turns = 0\n"
                                              "while turns < 5000000 { turns := turns + 1 }\nprint(turns)\n");
  std::thread editor([&] {
    for (int i = 0; i < 30000 && !std::filesystem::exists(began); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    write("a.mtf", changed);
  });
  const ProcessResult result = mtf({"test", "--update", "--yes", file});
  editor.join();
  EXPECT_EQ(result.status, 1);
  EXPECT_MENTIONS(result.out, "was changed while it ran");
  EXPECT_EQ(read("a.mtf"), changed);
}

TEST_F(Robustness, AnEndlessPrinterIsEnded) {
  const std::string text = "while true { print(\"" + std::string(1000, 'x') + "\") }\n";
  const ProcessResult result = mtf({"test", write("a.mtf", text)});
  EXPECT_EQ(result.status, 1);
  EXPECT_MENTIONS(result.out, "it printed more than 8.0 MiB and was ended");
  EXPECT_LT(result.out.size(), 10000U);
  if (!has_mpirun()) GTEST_SKIP() << "no mpirun";
  EXPECT_MENTIONS(mtf({"test", write("b.mtf", "#: ranks 2\n" + text)}).out,
                  "it printed more than 8.0 MiB and was ended");
}

/// Counts the processes that have `word` in their command line.
int processes_with(const std::string& word) {
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    if (text_of_process(entry.path().filename(), "cmdline").find(word) != std::string::npos) ++count;
  }
  return count;
}

bool becomes(seconds limit, const std::function<bool()>& condition) {
  const auto deadline = steady_clock::now() + limit;
  while (!condition()) {
    if (steady_clock::now() >= deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

/// A signal to `mtf test` ends it, and also mpirun and the ranks that it has started.
void expect_nothing_left_after(int signal, const std::string& file, const std::string& started) {
  const pid_t test = fork();
  if (test == 0) {
    setpgid(0, 0);
    execl(kMtf.c_str(), kMtf.c_str(), "test", file.c_str(), nullptr);
    _exit(127);
  }
  ASSERT_TRUE(becomes(kPatience, [&] { return std::filesystem::exists(started); })) << "the ranks have not started";
  EXPECT_GE(processes_with(file), 4) << "mtf test, its worker, and two ranks";
  kill(test, signal);
  waitpid(test, nullptr, 0);
  EXPECT_TRUE(becomes(kPatience, [&] { return processes_with(file) == 0; }))
      << processes_with(file) << " processes are left";
}

TEST_F(Robustness, AnInterruptedTestLeavesNoRanks) {
  if (!has_mpirun()) GTEST_SKIP() << "no mpirun";
  for (const int signal : {SIGINT, SIGTERM, SIGKILL}) {
    const std::string started = path("started" + std::to_string(signal));
    const std::string file = write("a" + std::to_string(signal) + ".mtf",
                                   "#: ranks 2\nimport data\ndim a = 4\nlet x = ones([a])\ndata.save_npy(\"" + started +
                                       "\", x)\nwhile true { x := x * 0.5 }\n");
    expect_nothing_left_after(signal, file, started);
  }
}

TEST_F(Robustness, AUsageErrorOnOneRankEndsTheJobAtOnce) {
  if (!has_mpirun()) GTEST_SKIP() << "no mpirun";
  const std::string file = write("a.mtf", "dim a = 4\nprint(sum(ones([a])))\n");
  const auto time_of = [&](const std::string& option, ProcessResult& result) {
    const auto begin = steady_clock::now();
    result = run_on_ranks(4, {"sh", "-c",
                              "[ $OMPI_COMM_WORLD_RANK = 3 ] && exec " + kMtf + " run " + option + file + "; exec " +
                                  kMtf + " run " + file});
    return steady_clock::now() - begin;
  };
  ProcessResult right, result;
  const auto usual = time_of("", right);
  EXPECT_LT(time_of("--nope ", result), 4 * usual + seconds(6)) << "the ranks waited for each other";
  EXPECT_EQ(right.status, 0);
  EXPECT_EQ(result.status, 2);
  EXPECT_MENTIONS(result.err, "[bad_usage]");
}

// ---- any megabyte is checked in time --------------------------------------------------------------------------------

#ifdef __SANITIZE_ADDRESS__
constexpr double kMostSeconds = 20;
#else
constexpr double kMostSeconds = run::kDebugBuild ? 20 : 2;
#endif

class OneMegabyte : public CommandTest {
 protected:
  /// Checks the first megabyte of a text, and its time.
  ProcessResult check(const std::string& text) const {
    const std::string file = write("a.mtf", text.substr(0, std::size_t{1} << 20));
    const double before = processor_seconds(RUSAGE_CHILDREN);
    ProcessResult result = mtf({"check", file});
    const double seconds = processor_seconds(RUSAGE_CHILDREN) - before;
    if (seconds >= kMostSeconds) {  // the machine or mtf is slow
      EXPECT_LT(seconds, kMostSeconds * slowness()) << text.substr(0, 100);
    }
    EXPECT_FALSE(result.timed_out);
    return result;
  }
  void expect_errors(const std::string& text, const std::string& kind) const {
    const ProcessResult result = check(text);
    EXPECT_NE(result.status, 0);
    EXPECT_NE(result.status, 5);
    EXPECT_MENTIONS(result.err, "[" + kind + "]");
    EXPECT_LT(result.err.size(), 100000U);
  }
  static std::string many(const std::function<std::string(int)>& line) {
    std::string text;
    for (int i = 0; text.size() < std::size_t{1} << 20; ++i) text += line(i);
    return text.substr(0, text.rfind('\n', (std::size_t{1} << 20) - 1) + 1);
  }
};

TEST_F(OneMegabyte, OfUnknownNames) {
  expect_errors(many([](int i) { return fmt::format("let x{} = unknown{}\n", i, i); }), "unknown_name");
  expect_errors(many([](int i) { return fmt::format("print(u{})\n", i); }), "unknown_name");
  expect_errors("print(1)\nprint(" + many([](int i) { return fmt::format("u{},\n", i); }).substr(0, 1000000) + "1)",
                "unknown_name");
}

TEST_F(OneMegabyte, OfUnknownAttributes) {
  expect_errors("let x = 1\n" + many([](int i) { return fmt::format("let y{} = x.a{}\n", i, i); }),
                "unknown_attribute");
}

TEST_F(OneMegabyte, OfBrackets) {
  for (const char letter : std::string("([{")) expect_errors(std::string(1U << 20, letter), "nesting_too_deep");
  expect_errors(std::string(1U << 20, ')'), "bracket_mismatch");
}

TEST_F(OneMegabyte, OfQuotesAndControlCharacters) {
  expect_errors(std::string(1U << 20, '"'), "syntax_error");
  expect_errors(std::string(1U << 20, '\x01'), "syntax_error");
  expect_errors("print(1)\n" + std::string(1U << 20, '\xff'), "invalid_utf8");
}

TEST_F(OneMegabyte, OfStatementsThatAreNotFinished) {
  expect_errors(many([](int) { return std::string("let x = \n"); }), "syntax_error");
}

TEST_F(OneMegabyte, OfOneLine) {
  expect_errors("let x = " + std::string(1U << 20, 'a'), "unknown_name");
  expect_errors("let x = " + std::string(1U << 20, '9'), "bad_number");
  std::string sum = "let x = 1\nlet y = x";
  while (sum.size() < std::size_t{1} << 20) sum += " + x";
  const ProcessResult result = check(sum);
  EXPECT_TRUE(result.status == 0 || result.status == 4) << result.err.substr(0, 1000);
}

TEST_F(OneMegabyte, OfDeclarations) {
  const std::vector<std::function<std::string(int)>> lines = {
      [](int i) { return fmt::format("let x{} = {}\n", i, i); },
      [](int i) { return fmt::format("dim d{} = {}\n", i, i + 1); },
      [](int i) { return fmt::format("option o{} = {}\n", i, i); },
      [](int i) { return fmt::format("import nn as m{}\n", i); },
      [](int i) { return fmt::format("# comment {}\n", i); },
      [](int i) { return fmt::format("let s{} = \"text {{1 + {}}}\"\n", i, i); }};
  for (const auto& line : lines) EXPECT_EQ(check(many(line)).status, 0) << line(1);
}

TEST_F(OneMegabyte, OfRulesAndAxes) {
  std::string rules = "dim a = 2\nlayout l = {a -> all", repeated = rules, axes = "mesh m = [a: 1",
              of_a_rule = "layout l = {a -> [x";
  for (int i = 0; i < 50000; ++i) {
    rules += fmt::format(", d{} -> all", i);
    repeated += fmt::format(", d{} -> all", i / 2);
    axes += fmt::format(", a{}: 1", i);
    of_a_rule += fmt::format(", x{}", i);
  }
  EXPECT_MENTIONS(check(rules + "}\nprint(sum(ones([a])))\n").err, "[layout_dim_unused]");
  expect_errors(repeated + "}\n", "duplicate_name");
  expect_errors(axes + "]\n", "bad_mesh");
  EXPECT_MENTIONS(check(of_a_rule + "]}\n").err, "[layout_dim_unused]");
}

TEST_F(OneMegabyte, OfRulesAndOperations) {
  std::string text = "dim a = 2\nlayout l = {a -> all";
  for (int i = 0; i < 20000; ++i) text += fmt::format(", d{} -> all", i);
  text += "}\ndim b = 2";
  for (int i = 0; i < 20000; ++i) text += fmt::format(", d{} = 2", i);
  text += "\nlet x = ones([a, b])\n";
  for (int i = 0; i < 20000; ++i) text += "let y = x + 1\n";
  EXPECT_EQ(check(text).status, 0);
}

TEST_F(OneMegabyte, OfOneDeclaration) {
  std::string list = "let l = [1", call = "print(1";
  for (int i = 0; i < 40000; ++i) {
    list += fmt::format(", {}, [{}]", i, i);
    call += fmt::format(", ((((({})))))", i);
  }
  EXPECT_EQ(check(list + "]\n").status, 0);
  EXPECT_EQ(check(call + ")\n").status, 0);
}

}  // namespace
}  // namespace mtf::tool
