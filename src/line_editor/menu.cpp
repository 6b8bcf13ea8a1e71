// Completion and search: they handle keys before the keys edit.
#include <algorithm>

#include "line_editor/characters.h"
#include "line_editor/editing.h"

namespace mtf::line_editor {
namespace {

std::string common_beginning(const std::vector<Candidate>& candidates) {
  std::string common = candidates.front().text;
  for (const Candidate& candidate : candidates)
    common.erase(std::mismatch(common.begin(), common.end(), candidate.text.begin(), candidate.text.end()).first,
                 common.end());
  return common;
}

}  // namespace

void Editing::complete() {
  const std::string_view before = buffer_.line_before_cursor();
  if (before.find_first_not_of(' ') == std::string_view::npos)
    return buffer_.insert("  ");  // at the beginning of a line, Tab indents
  menu_.reset();
  Completions offered = options_.complete ? options_.complete(buffer_.text(), buffer_.cursor()) : Completions{};
  const std::string begun = buffer_.text().substr(offered.begin, buffer_.cursor() - offered.begin);
  if (offered.candidates.empty()) {
    message_ = "nothing to complete";
    return;
  }
  const std::string common = common_beginning(offered.candidates);
  if (common.size() > begun.size() || offered.candidates.size() == 1)
    buffer_.replace(offered.begin, buffer_.cursor(), common);
  if (offered.candidates.size() > 1) open_menu(std::move(offered));
}

void Editing::open_menu(Completions offered) {
  const std::string begun = buffer_.text().substr(offered.begin, buffer_.cursor() - offered.begin);
  menu_ = Menu{std::move(offered), begun, {}};
}

void Editing::choose(std::optional<std::size_t> candidate) {
  menu_->chosen = candidate;
  buffer_.replace(menu_->offered.begin, buffer_.cursor(),
                  candidate ? menu_->offered.candidates[*candidate].text : menu_->original);
}

bool Editing::press_in_menu(const Key& key) {
  const std::size_t count = menu_->offered.candidates.size(), chosen = menu_->chosen.value_or(count);
  switch (key.code) {
    case '\t':
    case kDown:
    case ctrl('N'): choose(chosen + 1 >= count ? 0 : chosen + 1); return true;
    case kBackTab:
    case kUp:
    case ctrl('P'): choose(chosen == 0 || chosen == count ? count - 1 : chosen - 1); return true;
    case 27:
    case ctrl('G'):
    case ctrl('C'):
      choose(std::nullopt);
      menu_.reset();
      return true;
    case '\r':
    case '\n': {
      const bool is_chosen = menu_->chosen.has_value();
      menu_.reset();
      return is_chosen;  // otherwise it is a normal Enter
    }
    case kText:
    case 127:
    case ctrl('H'): {  // typing narrows the choice
      const bool goes_on = !menu_->chosen;
      const std::size_t begin = menu_->offered.begin;
      menu_.reset();
      edit(key);
      if (!goes_on || buffer_.cursor() <= begin) return true;
      Completions offered = options_.complete(buffer_.text(), buffer_.cursor());
      if (offered.begin == begin && !offered.candidates.empty()) open_menu(std::move(offered));
      return true;
    }
    default: menu_.reset(); return false;
  }
}

// Finds the newest entry with the text that is older than number `before`.
void Editing::search(std::size_t before) {
  const std::optional<std::size_t> found = history_.newest(search_->text, before);
  search_->failed = !found;
  if (!found) return;
  search_->found = found;
  const std::string& entry = history_[*found];
  buffer_.reset(entry, entry.find(search_->text));
}

bool Editing::press_in_search(const Key& key) {
  switch (key.code) {
    case kText:
    case kPaste:
      search_->text += key.text;
      search(search_->found ? *search_->found + 1 : history_.size());
      break;
    case 127:
    case ctrl('H'):
      search_->text.resize(previous(search_->text, search_->text.size()));
      search(history_.size());
      break;
    case ctrl('R'): search(search_->found.value_or(history_.size())); break;
    case ctrl('G'):
    case ctrl('C'):
    case 27:
      buffer_.reset(search_->original, search_->original.size());
      search_.reset();
      break;
    default:  // edit the entry that was found
      if (search_->found) {
        edited_[at_] = search_->original;
        at_ = *search_->found;
      }
      search_.reset();
      return false;
  }
  return true;
}

}  // namespace mtf::line_editor
