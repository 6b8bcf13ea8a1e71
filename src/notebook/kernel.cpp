// mtf-kernel: the prompt as a kernel of Jupyter, over xeus.
//
// A cell is an entry of the prompt: statements, an expression, `:plan …`, `?name`. A command may begin with `%` too, as
// magics of notebooks do. What is printed becomes a stream, and each report an answer with a table in HTML. Plans,
// explanations and searches are tables too. `%draw x` answers with the picture of a layout. `%%ranks 4` runs the rest
// of the cell as a program on four ranks. An interrupt ends a run, and iterations that have ended stay.
#include <pthread.h>

#include <atomic>
#include <charconv>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <utility>
#include <xeus/xeus_context.hpp>
#include <xeus/xhelper.hpp>
#include <xeus/xinterpreter.hpp>
#include <xeus/xkernel.hpp>
#include <xeus/xkernel_configuration.hpp>
#include <xeus/xserver_zmq.hpp>

#include "library/library.h"
#include "notebook/html.h"
#include "support/diagnostics.h"
#include "support/platform.h"
#include "support/text.h"
#include "support/text_sink.h"
#include "syntax/parse.h"
#include "tool/commands/help_text.h"
#include "tool/present/picture.h"
#include "tool/prompt/repl.h"
#include "tool/prompt/repl_text.h"
#include "tool/shell/on_ranks.h"

namespace mtf::notebook {
namespace {

using nlohmann::json;

eval::Settings settings() {
  eval::Settings made;
  made.library = &library::host_library();
  made.ranks = 1;
  return made;
}

/// The byte at which a code point begins; notebooks count code points.
std::size_t byte_of(const std::string& text, int cursor) {
  std::size_t at = 0;
  for (int points = 0; points < cursor && at < text.size(); ++points) do
      ++at;
    while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80);
  return at;
}

/// The word around a position: letters, digits, `_` and dots.
std::string word_at(const std::string& text, std::size_t at) {
  const auto is_part = [&](std::size_t i) {
    return std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_' || text[i] == '.';
  };
  std::size_t begin = at, end = at;
  while (begin > 0 && is_part(begin - 1)) --begin;
  while (end < text.size() && is_part(end)) ++end;
  return text.substr(begin, end - begin);
}

constexpr std::size_t kMostOutput = std::size_t{64} << 20;  // of a program on ranks, without a line end

/// The number behind `%%ranks`.
int64_t number_of_ranks(const std::string& text) {
  constexpr int64_t kMost = 1024;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < 1 || number > kMost)
    fail(Kind::bad_option_value, {}, "%%ranks: expected a number of ranks from 1 to {}, found `{}`", kMost, text);
  return number;
}

class Kernel : public xeus::xinterpreter {
 public:
  Kernel()
      : out_([this](std::string_view text) { publish_stream("stdout", std::string(text)); }),
        err_([this](std::string_view text) { publish_stream("stderr", std::string(text)); }),
        out_stream_(&out_),
        err_stream_(&err_),
        repl_(settings(), {}, out_stream_, err_stream_) {
    repl_.options().pager = false;
    repl_.on_report([this](const session::EntryReport& report) { answer(report); });
    repl_.on_wrong([this](const Diagnostic& wrong) { said(wrong); });
    repl_.on_answer([this](const std::string& text, const std::string& record) { show(text, html_of_record(record)); });
  }

  /// Any thread may call it.
  void interrupt() {
    is_interrupted_ = true;
    repl_.interrupt();
  }

 private:
  void configure_impl() override {}
  void shutdown_request_impl() override {}

  json kernel_info_request_impl() override {
    return xeus::create_info_reply("5.3", "mtf", MTF_VERSION, "mtf", MTF_VERSION, "text/x-mtf", ".mtf", "", "", "",
                                   std::string("mtf ") + MTF_VERSION + ": tensors whose layout is part of the program");
  }

  json execute_request_impl(int counter, const std::string& code, bool silent, bool, json, bool) override {
    counter_ = counter;
    silent_ = silent;
    error_.reset();
    const std::string entry(trim(code));
    is_interrupted_ = false;
    if (const std::optional<std::string> help = help_of(entry)) {
      const json page{{"source", "page"}, {"start", 0}, {"data", {{"text/plain", *help}}}};
      return xeus::create_successful_reply(json::array({page}), json::object());
    }
    const bool is_right = entry == "%clear"               ? clear()
                          : entry.starts_with("%draw ")   ? draw(entry.substr(6))
                          : entry.starts_with("%%ranks ") ? run_on_ranks(entry.substr(8))
                          : entry.starts_with('%')        ? repl_.enter(":" + entry.substr(1))
                                                          : repl_.enter(code);
    out_stream_.flush();
    err_stream_.flush();
    if (is_right && !error_) return xeus::create_successful_reply(json::array(), json::object());
    const std::string kind = error_ ? std::string(record(error_->kind()).name) : "error";
    const std::string text = error_ ? error_->render() : "the entry failed";
    std::vector<std::string> lines = split(text, '\n');
    if (!silent_) publish_execution_error(kind, text, lines);
    return xeus::create_error_reply(text, kind, json(lines));
  }

  /// Returns the text for the notebook's pager, if a cell asks for the help on a word: `?einsum`.
  static std::optional<std::string> help_of(std::string_view entry) {
    if (!entry.starts_with('?') || entry.find('\n') != entry.npos) return std::nullopt;
    try {
      return tool::help_text(std::string(trim(entry.substr(1))));
    } catch (const UserError&) { return std::nullopt; }  // the prompt says what is wrong
  }

  /// Removes the output of the cell so far.
  bool clear() {
    clear_output(false);
    return true;
  }

  bool draw(const std::string& expression) {
    try {
      const std::vector<tool::Picture> pictures = tool::pictures_of(repl_.session(), {expression});
      display_data({{"image/svg+xml", tool::svg_of(pictures)}, {"text/plain", tool::text_of(pictures, 80)}},
                   json::object(), json::object());
      return true;
    } catch (const UserError& error) {
      error_ = error.diagnostic();
      return false;
    }
  }

  /// Runs a program on ranks. `given` is their number, a line end, and the program. The program sees nothing of the
  /// session, whose names live in this process alone.
  bool run_on_ranks(const std::string& given) {
    try {
      const std::size_t end = std::min(given.find('\n'), given.size());
      const std::string program = (std::filesystem::path(path_of_program()).parent_path() / "mtf").string();
      const tool::ProcessResult result = tool::run_program_on_ranks(
          number_of_ranks(std::string(trim(given.substr(0, end)))), {program, "run", "-e", given.substr(end)},
          std::chrono::hours(24 * 365), kMostOutput,
          [this](std::string_view line) {
            publish_stream("stdout", std::string(line) + "\n");
            return true;
          },
          [this] { return is_interrupted_.load(); });
      if (!result.err.empty()) publish_stream("stderr", result.err);
      if (is_interrupted_) fail(Kind::interrupted, {});
      return result.status == 0;
    } catch (const UserError& error) {
      error_ = error.diagnostic();
      return false;
    }
  }

  void show(const std::string& text, const std::string& html) {
    out_stream_.flush();
    if (!silent_) display_data({{"text/plain", text}, {"text/html", html}}, json::object(), json::object());
  }

  void answer(const session::EntryReport& report) {
    out_stream_.flush();
    const std::string text = tool::repl_text(report, repl_.room());
    if (silent_ || text.empty()) return;
    const json data = {{"text/plain", text.substr(0, text.size() - (text.ends_with('\n') ? 1 : 0))},
                       {"text/html", html_of(report, text)}};
    const bool is_value = !report.bindings.empty() && report.bindings.back().name.empty();
    if (is_value) publish_execution_result(counter_, data, json::object());
    else display_data(data, json::object(), json::object());
  }

  void said(const Diagnostic& diagnostic) {
    if (record(diagnostic.kind()).severity == Severity::kError) error_ = diagnostic;
    else err_stream_ << diagnostic.render() << std::flush;
  }

  json complete_request_impl(const std::string& code, int cursor) override {
    const line_editor::Completions found = repl_.complete(code, byte_of(code, cursor));
    std::vector<std::string> matches;
    for (const line_editor::Candidate& each : found.candidates) matches.push_back(each.text);
    const auto begin = static_cast<int>(count_code_points(code.substr(0, found.begin)));
    return xeus::create_complete_reply(json(matches), begin, cursor);
  }

  json inspect_request_impl(const std::string& code, int cursor, int) override {
    const std::string word = word_at(code, byte_of(code, cursor));
    std::string text;
    try {
      const session::KnownName known = repl_.session().what_is(word);
      text = tool::text_of(known);
      if (!known.doc.empty()) text += "\n" + known.doc;
    } catch (const UserError&) {}
    try {
      text += (text.empty() ? "" : "\n\n") + tool::help_text(word);
    } catch (const UserError&) {}
    if (text.empty()) return xeus::create_inspect_reply(false);
    return xeus::create_inspect_reply(
        true, {{"text/plain", text}, {"text/html", "<pre>" + tool::xml_text(text) + "</pre>"}}, json::object());
  }

  json is_complete_request_impl(const std::string& code) override {
    if (tool::wants_more(code)) return xeus::create_is_complete_reply("incomplete", "  ");
    const std::string_view entry = trim(code);
    const bool is_command = !entry.empty() && std::string_view(":%?").find(entry.front()) != std::string_view::npos;
    Diagnostics wrong;
    if (!is_command) syntax::parse(SourceFile::create("<cell>", code), wrong, syntax::ParseMode::kRepl);
    return xeus::create_is_complete_reply(wrong.has_errors() ? "invalid" : "complete", "");
  }

  LineSink out_, err_;
  std::ostream out_stream_, err_stream_;
  tool::Repl repl_;
  std::optional<Diagnostic> error_;  ///< of the present cell
  int counter_ = 0;
  bool silent_ = false;
  std::atomic<bool> is_interrupted_ = false;  ///< since the present cell began
};

/// Writes the file by which Jupyter finds the kernel, below PREFIX/share/jupyter/kernels.
int install(const std::filesystem::path& prefix, const std::filesystem::path& program) {
  const std::filesystem::path folder = prefix / "share" / "jupyter" / "kernels" / "mtf";
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  const json spec = {{"argv", {program.string(), "-f", "{connection_file}"}},
                     {"display_name", "mtf"},
                     {"language", "mtf"},
                     {"interrupt_mode", "signal"}};
  std::ofstream file(folder / "kernel.json");
  if (!(file << spec.dump(2) << "\n" << std::flush)) {
    std::cerr << "mtf-kernel: " << (folder / "kernel.json").string() << " cannot be written\n";
    return 3;
  }
  std::cout << "wrote " << (folder / "kernel.json").string() << "\n";
  return 0;
}

constexpr std::string_view kUsage =
    "Usage: mtf-kernel -f FILE         runs as a kernel of Jupyter, which names the file of the connection\n"
    "       mtf-kernel --install PREFIX   makes itself known to Jupyter: ~/.local, /usr/local\n";

int run(const std::string& file) {
  // An interrupt must reach none of zmq's threads: it would end a wait of theirs, and with it the kernel.
  sigset_t interrupts;
  sigemptyset(&interrupts);
  sigaddset(&interrupts, SIGINT);
  pthread_sigmask(SIG_BLOCK, &interrupts, nullptr);
  auto made = std::make_unique<Kernel>();
  Kernel& kernel = *made;
  std::thread([&kernel, interrupts] {
    for (int number = 0; sigwait(&interrupts, &number) == 0;) kernel.interrupt();
  }).detach();
  const xeus::xconfiguration configuration = xeus::load_configuration(file);
  xeus::xkernel jupyter(configuration, xeus::get_user_name(), xeus::make_context<zmq::context_t>(), std::move(made),
                        xeus::make_xserver_zmq);
  jupyter.start();
  std::_Exit(0);  // the thread that waits for interrupts has no end
}

}  // namespace
}  // namespace mtf::notebook

int main(int count, char** words) {
  const std::vector<std::string> given(words + 1, words + count);
  if (given.size() == 2 && given[0] == "-f") return mtf::notebook::run(given[1]);
  if (given.size() == 2 && given[0] == "--install") return mtf::notebook::install(given[1], mtf::path_of_program());
  std::cerr << mtf::notebook::kUsage;
  return given.size() == 1 && (given[0] == "-h" || given[0] == "--help") ? 0 : 2;
}
