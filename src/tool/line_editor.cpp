#include "tool/line_editor.h"

#include <histedit.h>
#include <signal.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <clocale>
#include <cstdio>

namespace mtf::tool {
namespace {

constexpr int kRemembered = 2000;
constexpr std::size_t kMostListed = 100;

bool is_word_letter(char letter) { return std::isalnum(static_cast<unsigned char>(letter)) != 0 || letter == '_' || letter == '.'; }

}  // namespace

std::string word_before(const std::string& text) {
  std::size_t begin = text.size();
  while (begin > 0 && is_word_letter(text[begin - 1])) --begin;
  if (begin > 0 && text[begin - 1] == ':' && text.find_first_not_of(" \t") == begin - 1) --begin;  // `:help`
  return text.substr(begin);
}

std::string common_beginning(const std::vector<std::string>& candidates) {
  if (candidates.empty()) return {};
  std::string common = candidates.front();
  for (const std::string& candidate : candidates) {
    const auto end = std::mismatch(common.begin(), common.end(), candidate.begin(), candidate.end()).first;
    common.erase(end, common.end());
  }
  return common;
}

struct LineEditor::Impl {
  EditLine* editor = nullptr;
  History* history = nullptr;
  std::string history_file, prompt;
  std::function<std::vector<std::string>(const std::string&)> complete;

  static Impl& of(EditLine* editor) {
    Impl* impl = nullptr;
    el_get(editor, EL_CLIENTDATA, &impl);
    return *impl;
  }

  static char* show_prompt(EditLine* editor) { return of(editor).prompt.data(); }

  static unsigned char on_tab(EditLine* editor, int) {
    const LineInfo* line = el_line(editor);
    const std::string before(line->buffer, line->cursor);
    const std::string word = word_before(before);
    if (word.empty()) {  // at the beginning of a line Tab indents
      el_insertstr(editor, "  ");
      return CC_REFRESH;
    }
    std::vector<std::string> candidates = of(editor).complete(word);
    std::sort(candidates.begin(), candidates.end());
    candidates.erase(std::unique(candidates.begin(), candidates.end()), candidates.end());
    const std::string common = common_beginning(candidates);
    if (common.size() > word.size()) {
      el_insertstr(editor, common.substr(word.size()).c_str());
      return CC_REFRESH;
    }
    if (candidates.size() < 2) return CC_REFRESH_BEEP;
    list(candidates);
    return CC_REDISPLAY;
  }

  static void list(const std::vector<std::string>& candidates) {
    std::fputc('\n', stdout);
    std::size_t column = 0;
    for (std::size_t i = 0; i < std::min(candidates.size(), kMostListed); ++i) {
      if (column > 0 && column + candidates[i].size() > 78) {
        std::fputc('\n', stdout);
        column = 0;
      }
      std::fprintf(stdout, "%s  ", candidates[i].c_str());
      column += candidates[i].size() + 2;
    }
    if (candidates.size() > kMostListed) std::fprintf(stdout, "... and %zu more", candidates.size() - kMostListed);
    std::fputc('\n', stdout);
    std::fflush(stdout);
  }
};

LineEditor::LineEditor(std::string history_file, std::function<std::vector<std::string>(const std::string&)> complete)
    : impl_(std::make_unique<Impl>()) {
  std::setlocale(LC_CTYPE, "");
  impl_->history_file = std::move(history_file);
  impl_->complete = std::move(complete);
  impl_->editor = el_init("mtf", stdin, stdout, stderr);
  impl_->history = history_init();
  HistEvent event;
  history(impl_->history, &event, H_SETSIZE, kRemembered);
  history(impl_->history, &event, H_SETUNIQUE, 1);
  if (!impl_->history_file.empty()) history(impl_->history, &event, H_LOAD, impl_->history_file.c_str());
  EditLine* editor = impl_->editor;
  el_set(editor, EL_CLIENTDATA, impl_.get());
  el_set(editor, EL_PROMPT, &Impl::show_prompt);
  el_set(editor, EL_EDITOR, "emacs");
  el_set(editor, EL_HIST, history, impl_->history);
  el_set(editor, EL_ADDFN, "mtf-complete", "complete a name", &Impl::on_tab);
  el_set(editor, EL_BIND, "^I", "mtf-complete", nullptr);
  el_set(editor, EL_BIND, "^R", "em-inc-search-prev", nullptr);
  el_set(editor, EL_BIND, "\\e[3~", "ed-delete-next-char", nullptr);
  el_set(editor, EL_BIND, "\\e[H", "ed-move-to-beg", nullptr);
  el_set(editor, EL_BIND, "\\e[F", "ed-move-to-end", nullptr);
  el_set(editor, EL_BIND, "\\e[1;5D", "ed-prev-word", nullptr);
  el_set(editor, EL_BIND, "\\e[1;5C", "em-next-word", nullptr);
}

LineEditor::~LineEditor() {
  history_end(impl_->history);
  el_end(impl_->editor);
}

LineEditor::Result LineEditor::read(const std::string& prompt, std::string& line) {
  impl_->prompt = prompt;
  int size = 0;
  errno = 0;
  const char* text = el_gets(impl_->editor, &size);
  if (text == nullptr || size <= 0) {
    const bool interrupted = size < 0 && errno == EINTR;
    if (interrupted) el_reset(impl_->editor);
    std::fputs(interrupted ? "^C\n" : "\n", stdout);
    std::fflush(stdout);
    return interrupted ? Result::kInterrupted : Result::kEnd;
  }
  line.assign(text, static_cast<std::size_t>(size));
  while (!line.empty() && (line.back() == '\n' || line.back() == '\r')) line.pop_back();
  return Result::kLine;
}

void LineEditor::remember(const std::string& entry) {
  HistEvent event;
  std::size_t begin = 0;
  while (begin < entry.size()) {  // a line each: libedit edits one line at a time
    const std::size_t end = std::min(entry.find('\n', begin), entry.size());
    const std::string line = entry.substr(begin, end - begin);
    if (line.find_first_not_of(" \t") != std::string::npos) history(impl_->history, &event, H_ENTER, line.c_str());
    begin = end + 1;
  }
  if (!impl_->history_file.empty()) history(impl_->history, &event, H_SAVE, impl_->history_file.c_str());
}

}  // namespace mtf::tool
