#include "tool/golden/pass_file.h"

#include "plan/compilation.h"
#include "spmd/decision.h"
#include "support/printable.h"
#include "support/source.h"
#include "support/text.h"
#include "tool/golden/text_diff.h"
#include "types/text_reader.h"

namespace mtf::tool {
namespace {

using Lines = std::vector<std::string>;

/// Lines of a file, beginning at this number.
struct Part {
  std::size_t begin = 0;
  Lines lines;
};

struct Case {
  Part sentence, before, pass, after;
};

class PassFile {
 public:
  explicit PassFile(const std::string& path) : file_(SourceFile::read(path)) {}

  GoldenResult run(bool update) {
    std::string updated;
    std::size_t at = 1;
    while (next_kind(at) != Kind::kEnd) {
      const Case each = read_case(at);
      const auto [before, after] = outcome(each);
      if (!updated.empty()) updated += "\n";
      for (const Lines& lines : {each.sentence.lines, before, Lines{""}, each.pass.lines, Lines{""}, after})
        updated += text_of_lines(lines);
      if (update) continue;
      compare(each.before, before);
      compare(each.after, after);
    }
    if (at == 1) complain(1, "there is no case in it\n");
    if (update && result_.failures.empty() && updated != file_->text()) {
      result_.before = file_->text();
      result_.proposal = std::move(updated);
    }
    return std::move(result_);
  }

 private:
  enum class Kind { kEnd, kComment, kProgram };

  static std::string text_of_lines(const Lines& lines) {
    std::string text;
    for (const std::string& line : lines) text += line + "\n";
    return text;
  }

  Kind next_kind(std::size_t& at) const {
    while (at <= file_->line_count() && trim(file_->line(at)).empty()) ++at;
    if (at > file_->line_count()) return Kind::kEnd;
    return file_->line(at).starts_with("#") ? Kind::kComment : Kind::kProgram;
  }

  Part read_comments(std::size_t& at) const {
    Part part{at, {}};
    for (; next_kind(at) == Kind::kComment; ++at) part.lines.emplace_back(trim_right(file_->line(at)));
    return part;
  }

  /// Reads up to the line with the program's results.
  Part read_program_lines(std::size_t& at) const {
    next_kind(at);
    Part part{at, {}};
    while (at <= file_->line_count()) {
      part.lines.emplace_back(trim_right(file_->line(at)));
      if (file_->line(at++).starts_with("->")) break;
    }
    return part;
  }

  Case read_case(std::size_t& at) const {
    Case each;
    each.sentence = read_comments(at);
    each.before = read_program_lines(at);
    each.pass.begin = std::min(at, file_->line_count());
    if (next_kind(at) != Kind::kEnd) each.pass = {at, {std::string(trim(file_->line(at)))}};
    ++at;
    std::size_t behind = at;
    if (next_kind(behind) == Kind::kProgram) each.after = read_program_lines(at);
    else each.after.begin = each.pass.begin;
    return each;
  }

  /// Returns the correct text of both programs of a case.
  std::pair<Lines, Lines> outcome(const Case& each) {
    const std::pair as_it_is(each.before.lines, each.after.lines);
    const std::string name = join(each.pass.lines, "");
    const bool shows_decisions = name == plan::kDecisions;
    if (!shows_decisions && !plan::find_pass(name)) {
      Lines names = {std::string(plan::kDecisions)};
      for (const plan::Pass& pass : plan::passes()) names.emplace_back(pass.name);
      const std::string found = name.empty() ? "the end" : code(name);
      complain(each.pass.begin,
               fmt::format("expected the name of a pass, found {}\n{}", found, did_you_mean(name, names)));
      return as_it_is;
    }
    if (each.sentence.lines.empty())
      complain(each.before.begin, "expected a sentence behind `#`, which says what the case shows\n");
    try {
      const plan::PassOptions options{.verify = true};
      TextReader reader(*file_, file_->line_start(each.before.begin));
      const std::string pass = shows_decisions ? "split" : name;
      plan::Compilation compilation = plan::Compilation::read_before(pass, reader, options);
      spmd::Decisions decisions;
      if (shows_decisions) compilation.decisions = &decisions;
      const Lines before = printed_lines(plan::text_of(compilation));
      compilation.run(pass);
      return {before, printed_lines(shows_decisions ? to_string(decisions) : plan::text_of(compilation))};
    } catch (const std::exception& error) {
      complain(each.before.begin, error.what());
      return as_it_is;
    }
  }

  void compare(const Part& expected, const Lines& found) {
    const TextDiff difference = diff_lines(expected.lines, found);
    if (!difference.text.empty()) complain(expected.begin + difference.first, difference.text);
  }

  void complain(std::size_t line, const std::string& text) {
    result_.failures += fmt::format("{}:{}:\n", printable(file_->name()), line);
    for (const std::string& each : printed_lines(text)) result_.failures += "    " + printable(each) + "\n";
  }

  const std::shared_ptr<const SourceFile> file_;
  GoldenResult result_;
};

}  // namespace

GoldenResult run_pass_file(const std::string& path, bool update) { return PassFile(path).run(update); }

}  // namespace mtf::tool
