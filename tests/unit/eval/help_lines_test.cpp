// Help gives correct code: every line that help for the scripts of tests/errors says to write mends its error, and
// every piece of code in a help can be parsed.

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>

#include "../../places.h"
#include "library/library.h"
#include "session/session.h"
#include "support/text.h"
#include "syntax/parse.h"

namespace mtf::eval {
namespace {

std::vector<std::string> scripts() {
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_folder() + "/tests/errors"))
    if (entry.path().extension() == ".mtf") paths.push_back(entry.path().string());
  std::sort(paths.begin(), paths.end());
  return paths;
}

Diagnostics check(const std::string& path, const std::string& text) {
  Settings settings;
  settings.stdlib = stdlib_folder();
  settings.library = &library::host_library();
  return session::Session::check_text(path, text, settings);
}

// The lines that a help says to write (support/edit.h): one line, or the first and the last of several.
std::vector<std::string> lines_to_write(const std::string& help) {
  static const std::regex kEnd("(?:^|: )write `([^`]*)`(?: … `([^`]*)`)?$");
  std::smatch found;
  if (!std::regex_search(help, found, kEnd)) return {};
  std::vector<std::string> lines = {found[1]};
  if (found[2].matched) lines.push_back(found[2]);
  return lines;
}

std::size_t indentation(const std::string& line) { return std::min(line.find_first_not_of(' '), line.size()); }

// Returns the program with these lines in place of line `at` (from 0). They also replace the block below the line if
// they contain it.
std::string mended(const std::string& text, std::size_t at, const std::vector<std::string>& lines) {
  std::vector<std::string> program = split(text, '\n');
  std::size_t behind = at + 1;  // end of the block: more indented lines, and comments
  while (behind < program.size() && !program[behind].empty() &&
         (indentation(program[behind]) > indentation(program[at]) || program[behind].starts_with("#")))
    ++behind;
  const bool has_end = behind < program.size() && trim(program[behind]) == "end";
  static const std::regex kBegins(".*(:|begin|then|do)$");
  const bool holds_block = lines.size() == 1 && std::regex_match(program[at], kBegins) && !lines[0].ends_with("{");
  std::vector<std::string> out(program.begin(), program.begin() + static_cast<std::ptrdiff_t>(at));
  out.push_back(lines[0]);
  if (lines.size() == 2) {
    for (std::size_t i = at + 1; i < behind; ++i) out.push_back(program[i]);
    out.push_back(lines[1]);
  }
  const std::size_t next = lines.size() == 2 || holds_block ? behind + (has_end ? 1 : 0) : at + 1;
  out.insert(out.end(), program.begin() + static_cast<std::ptrdiff_t>(std::min(next, program.size())), program.end());
  return mtf::join(out, "\n");
}

// The errors without their positions, which move.
std::vector<std::string> errors(const Diagnostics& found) {
  std::vector<std::string> list;
  for (const Diagnostic& one : found.list())
    if (one.severity() == Severity::kError) list.push_back(fmt::format("{}: {}", record(one.kind()).name, one.label()));
  std::sort(list.begin(), list.end());
  return list;
}

// The position of a diagnostic in the script, and the lines that it says to write there.
struct Advice {
  std::size_t at = 0;
  std::vector<std::string> lines;
  std::string rendered;
};
std::vector<Advice> advice(const Diagnostics& found, const std::string& path) {
  std::vector<Advice> list;
  for (const Diagnostic& diagnostic : found.list())
    for (const std::string& help : diagnostic.helps()) {
      const std::vector<std::string> lines = lines_to_write(help);
      const auto place = std::find_if(diagnostic.places().begin(), diagnostic.places().end(),
                                      [&](const LabeledSpan& one) { return one.file && one.file->name() == path; });
      if (!lines.empty() && place != diagnostic.places().end())
        list.push_back({place->span.position().line - 1, lines, diagnostic.render()});
    }
  return list;
}

// The new errors must be fewer, and all among the old ones. Otherwise each new error says what to write, and is mended
// in the same way.
void expect_mended(const std::string& path, const std::vector<std::string>& before, const std::string& text,
                   const Advice& given, int rounds) {
  const std::string now = mended(text, given.at, given.lines);
  const Diagnostics after = check(path, now);
  const std::vector<std::string> left = errors(after);
  if (left.size() < before.size() && std::includes(before.begin(), before.end(), left.begin(), left.end())) return;
  const std::vector<Advice> next = advice(after, path);
  const auto same_line = std::find_if(next.begin(), next.end(), [&](const Advice& one) { return one.at == given.at; });
  if (rounds > 0 && same_line != next.end()) return expect_mended(path, before, now, *same_line, rounds - 1);
  ADD_FAILURE() << path << "\n" << given.rendered << "is followed by\n" << after.render();
}

TEST(HelpLines, EachMendsWhatItIsAbout) {
  int tried = 0;
  for (const std::string& path : scripts()) {
    const std::string text = SourceFile::read(path)->text();
    const Diagnostics found = check(path, text);
    for (const Advice& one : advice(found, path)) {
      expect_mended(path, errors(found), text, one, 2);
      ++tried;
    }
  }
  EXPECT_GT(tried, 60);
}

bool can_be_read(const std::string& code) {
  for (const char* around : {"{}",
                             "f({})",
                             "fn f({}) = 1",
                             "fn f(x: {}) = 1",
                             "x[{}]",
                             "let z = {}",
                             "if c {{ }} {}",
                             "if x {{ {} }}",
                             "model M {{ {} }}",
                             "fn f() {{ {} }}",
                             "let x @ {}",
                             "f(x, {} 1)",
                             "x {} 1",
                             "fn {} = 1",
                             "x.{}",
                             "layout l = {{{}}}",
                             "layout l = {}",
                             "mesh m = {}",
                             "for i in x {{ {} }}",
                             "\"{}\"",
                             "{} 1",
                             "x = {}"}) {
    Diagnostics found;
    const std::string text = fmt::format(fmt::runtime(around), code);
    parse(SourceFile::create("help", text), found, syntax::ParseMode::kRepl);
    if (!found.has_errors()) return true;
  }
  return false;
}

// Signs, words and command lines are no programs; `…` stands for any code.
bool is_code(const std::string& code) {
  static const std::regex kOther(
      "(mtf|mpirun|examples|ulimit|:[a-z]|--|#|\\$|[A-Z_]+=).*|[^ A-Za-z0-9\"]{1,4}( [^ "
      "A-Za-z0-9\"]{1,2})*|[A-Za-z0-9_.]+|.*\\.(mtf|json|md|npy)");
  return !std::regex_match(code, kOther);
}

TEST(HelpLines, EachPieceOfCodeCanBeRead) {
  static const std::regex kCode("`([^`]+)`");
  int tried = 0;
  for (const std::string& path : scripts()) {
    const Diagnostics found = check(path, SourceFile::read(path)->text());
    for (const Diagnostic& diagnostic : found.list())
      for (const std::string& help : diagnostic.helps())
        for (std::sregex_iterator piece(help.begin(), help.end(), kCode), end; piece != end; ++piece) {
          const std::string code = (*piece)[1];
          if (!is_code(code) || !lines_to_write(help).empty()) continue;
          bool fits = false;
          for (const std::string something : {"", "x", "1", "x: x"})
            fits = fits || can_be_read(std::regex_replace(code, std::regex("…"), something));
          EXPECT_TRUE(fits) << path << "\n" << diagnostic.render() << code;
          ++tried;
        }
  }
  EXPECT_GT(tried, 60);
}

}  // namespace
}  // namespace mtf::eval
