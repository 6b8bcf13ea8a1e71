// The effects that host functions declare. Each registered function has a call here, which a loop makes in iterations
// that are evaluated and in iterations that are replayed.
#include <fmt/format.h>

#include <map>
#include <sstream>

#include "../../execution_on.h"
#include "../file_test.h"
#include "eval/builtins.h"
#include "eval/host_library.h"
#include "library/library.h"
#include "session/session.h"

namespace mtf::eval {
namespace {

/// Calls, by the name of the function.
const std::map<std::string, std::string>& calls() {
  static const std::map<std::string, std::string> kCalls = {
      {"print", "print(7)"},
      {"zip", "zip([1], [2])"},
      {"len", "len([1])"},
      {"size", "size(batch)"},
      {"int", "int(2.5)"},
      {"float", "float(2)"},
      {"string", "string(2)"},
      {"grad", "grad(sum(net.w * x), net.params)"},
      {"scan", "scan(fn(y, each) = y + each, 0 * sum(x), x, over: batch)"},
      {"stacked", "stacked(over: rows, fn() = Net())"},
      {"custom_gradient", "custom_gradient(fn(y) = y, fn(y, out, d_out) = d_out)(x)"},
      {"check_gradient", "check_gradient(fn(y) = sum(y * y), x)"},
      {"recompute", "recompute(fn(y) = 2 * y, x)"},
      {"split", "split(\"a b\")"},
      {"lines", "lines(\"a\")"},
      {"join", "join([\"a\", \"b\"])"},
      {"strip", "strip(\" a\")"},
      {"lower", "lower(\"A\")"},
      {"upper", "upper(\"a\")"},
      {"find", "find(\"ab\", \"b\")"},
      {"replace", "replace(\"a\", \"a\", \"b\")"},
      {"starts_with", "starts_with(\"ab\", \"a\")"},
      {"ends_with", "ends_with(\"ab\", \"b\")"},
      {"matches", "matches(\"ab\", \"a*\")"},
      {"write", "write(\"{folder}/written\", \"text\")"},
      {"native.npy", "natives.npy(\"{folder}/x.npy\", [batch])"},
      {"native.sizes", "natives.sizes(\"{folder}/x.npy\")"},
      {"native.save_npy", "natives.save_npy(\"{folder}/y.npy\", x)"},
      {"native.save_checkpoint", "natives.save_checkpoint(\"{folder}/saved\", [net, none], 1, 3)"},
      {"native.load_checkpoint", "natives.load_checkpoint(\"{folder}/start\", [net, none], true)"},
      {"native.write_safetensors", "natives.write_safetensors(\"{folder}/y.safetensors\", [\"y\"], [x])"},
      {"native.safetensor", "natives.safetensor(\"{folder}/x.safetensors\", \"x\", [batch])"},
      {"native.safetensor_names", "natives.safetensor_names(\"{folder}/x.safetensors\")"},
      {"native.idx", "natives.idx(\"{folder}/images\", \"{folder}/labels\", [pixels])"},
      {"native.examples", "len(natives.examples([x], batch))"},
      {"native.table", "len(natives.table(\"{folder}/table\", \",\"))"},
      {"native.json", "len(natives.json(\"{folder}/tokenizer\"))"},
      {"native.text", "len(natives.text(\"{folder}/text\"))"},
      {"native.bpe", "natives.bpe(\"{folder}/text\", 257, []).vocab"},
      {"native.words", "natives.words(\"{folder}/text\", 5, []).vocab"},
      {"native.tokenizer", "natives.tokenizer(\"{folder}/tokenizer\").vocab"},
      {"native.tokens", "len(natives.tokens(\"{folder}/text\", natives.tokenizer(\"{folder}/tokenizer\")))"},
      {"native.token_file", "len(natives.token_file(\"{folder}/ids\", 256))"},
      {"native.lines", "natives.lines(\"{folder}/text\")"},
      {"native.pairs", "len(natives.pairs([[3]], [[4]], 1, 2, 0))"},
      {"native.packed", "len(natives.packed([[3]], 1, 2, 0))"},
      {"native.bleu", "natives.bleu([\"a b c d\"], [\"a b c d\"])"},
      {"native.jsonl", "natives.jsonl(\"{folder}/log.jsonl\", step: 1)"},
      {"native.csv", "natives.csv(\"{folder}/log.csv\", step: 1)"},
      {"native.tensorboard", "natives.tensorboard(\"{folder}/events\", 1, loss: 2.0)"},
      {"native.has", "natives.has(net, \"w\")"},
      {"native.micro_batches", "natives.micro_batches(x)"},
      {"native.is_tensor", "natives.is_tensor(x)"},
  };
  return kCalls;
}

/// The names of all functions and the effects of each.
std::map<std::string, Effects> declared() {
  std::map<std::string, Effects> all;
  const HostLibrary& library = library::host_library();
  for (const BuiltinPtr& function : Builtins(&library).functions())
    all.emplace(function->signature->name.str(), function->effects);
  for (const HostFunction& function : library.native)
    all.emplace("native." + function.signature.name.str(), function.effects);
  return all;
}

class DeclaredEffects : public FileTest {
 protected:
  DeclaredEffects() {
    std::string natives;
    for (const HostFunction& function : library::host_library().native)
      natives += fmt::format("let {0} = native.{0}\n", function.signature.name.text());
    std::filesystem::create_directory(path("stdlib"));
    write("stdlib/natives.mtf", natives);
    settings_.library = &library::host_library();
    settings_.stdlib = path("stdlib");
  }

  /// Runs statements around which there are a model, a tensor and a folder of files. Returns what they print.
  std::string run(const std::string& statements, bool at_prompt) {
    const std::string folder = path("files");
    std::filesystem::remove_all(folder);
    std::filesystem::create_directory(folder);
    write("files/text", "a b a b\nc d\n");
    write("files/table", "a,b\n1,2\n");
    write("files/ids", std::string(16, '\1'));
    write("files/images", std::string("\0\0\x08\2\0\0\0\1\0\0\0\2ab", 14));
    write("files/labels", std::string("\0\0\x08\1\0\0\0\1\1", 9));
    std::string text = fmt::format(
        "import natives\nlet folder = \"{}\"\ndim batch = 4, rows = 3, pixels = 2\nmodel Net {{ param w: [batch] = 1 "
        "}}\nlet net = Net()\nlet x = random.normal([batch])\n",
        folder);
    const auto make = [&](const char* file, const char* statement) {
      if (statements.find(file) != std::string::npos) text += statement;
    };
    make("/x.npy", "natives.save_npy(\"{folder}/x.npy\", x)\n");
    make("/start", "natives.save_checkpoint(\"{folder}/start\", [net, none], 1, 3)\n");
    make("/x.safetensors", "natives.write_safetensors(\"{folder}/x.safetensors\", [\"x\"], [x])\n");
    make("/tokenizer", "natives.bpe(\"{folder}/text\", 257, []).save(\"{folder}/tokenizer\")\n");
    text += statements + "\nprint(net.w, random.uniform([]))\n";
    std::ostringstream printed;
    ExecutionOn<run::MpiRuntime> execution(run::MpiRuntimeOptions{.threads = 1});
    session::Session session(settings_, &execution, printed);
    if (at_prompt) session.load(text, "test.mtf", false);
    else session.run_text("test.mtf", text);
    return printed.str();
  }
  /// The sizes of the files. Times in a log do not change its size.
  std::map<std::string, uintmax_t> files() const {
    std::map<std::string, uintmax_t> sizes;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(path("files")))
      if (entry.is_regular_file()) sizes[entry.path().parent_path().string()] += entry.file_size();
    return sizes;
  }

  Settings settings_;
};

TEST_F(DeclaredEffects, AreThoseOfACallHere) {
  for (const auto& [name, effects] : declared()) EXPECT_TRUE(calls().contains(name)) << name << " has no call here";
}

/// At a prompt each iteration is evaluated.
TEST_F(DeclaredEffects, AreThoseThatAReplayRepeats) {
  for (const auto& [name, call] : calls()) {
    const std::string loop = fmt::format(
        "for i in 0..8 {{\n  let made = {0}\n  net.w := net.w - 0.1 * grad(sum(square(net.w * x)), net.w)\n"
        "  let again = {0}\n}}",
        call);
    const std::string evaluated = run(loop, true);
    const auto written = files();
    EXPECT_EQ(run(loop, false), evaluated) << name;
    EXPECT_EQ(files(), written) << name;
  }
}

TEST_F(DeclaredEffects, NoneIsNone) {
  const std::string nothing = run("", false);
  const auto written = files();
  for (const auto& [name, effects] : declared()) {
    if (!effects.none()) continue;
    EXPECT_EQ(run("let made = " + calls().at(name), false), nothing) << name;
    EXPECT_EQ(files(), written) << name;
    const std::string print = "print(" + calls().at(name) + ")",
                      other_files = "write(\"{folder}/text\", \"\")\nwrite(\"{folder}/table\", \"\")\n";
    EXPECT_EQ(run(other_files + print, false), run(print, false)) << name;
  }
}

}  // namespace
}  // namespace mtf::eval
