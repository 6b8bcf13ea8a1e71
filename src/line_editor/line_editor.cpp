#include "line_editor/line_editor.h"

#include <utility>

#include "line_editor/editing.h"

namespace mtf::line_editor {

class LineEditor::Impl {
 public:
  explicit Impl(Options options)
      : options_(std::move(options)), terminal_(options_.in, options_.out), history_(options_.history_file) {}

  Result read_with_keys(const Prompt& prompt, std::string& entry) {
    buffer_.reset("", 0);
    const Result result = [&] {
      RawMode raw(terminal_);
      return Editing(options_, prompt, history_, terminal_, raw, buffer_).run();
    }();
    entry = buffer_.text();
    return result;
  }

  Result read_lines(const Prompt& prompt, std::string& entry) {
    entry.clear();
    for (bool is_first = true;; is_first = false) {
      if (terminal_.is_typed()) terminal_.write(is_first ? prompt.first : prompt.next);
      bool interrupted = false;
      const std::optional<std::string> line = terminal_.read_line(interrupted);
      if (!line) {
        if (terminal_.is_typed()) terminal_.write("\n");
        return interrupted ? Result::kInterrupted : entry.empty() ? Result::kEnd : Result::kEntry;
      }
      entry += (is_first ? "" : "\n") + *line;
      if (options_.is_complete(entry)) return Result::kEntry;
    }
  }

  Options options_;
  Terminal terminal_;
  History history_;
  EditBuffer buffer_;
};

LineEditor::LineEditor(Options options) : impl_(std::make_unique<Impl>(std::move(options))) {}
LineEditor::~LineEditor() = default;

LineEditor::Result LineEditor::read(const Prompt& prompt, std::string& entry) {
  return impl_->terminal_.can_edit() ? impl_->read_with_keys(prompt, entry) : impl_->read_lines(prompt, entry);
}

void LineEditor::remember(const std::string& entry) { impl_->history_.add(entry); }
bool LineEditor::is_typed() const { return impl_->terminal_.is_typed(); }

}  // namespace mtf::line_editor
