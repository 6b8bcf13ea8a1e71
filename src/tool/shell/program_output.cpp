#include "tool/shell/program_output.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <optional>

#include "support/diagnostics.h"
#include "support/text.h"
#include "tool/shell/output.h"

namespace mtf::tool {
namespace {

constexpr std::string_view kEraseLine = "\r\033[K";
std::atomic<bool> bar_is_drawn = false;  // read by the signal handler

void write_all(int to, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = write(to, text.data(), text.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && to == STDOUT_FILENO) throw OutputError(errno);
    if (size < 0) return;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
}

std::size_t terminal_width() {
  const std::size_t columns = screen_size(STDERR_FILENO).columns;
  return columns > 0 ? columns : 80;
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<std::int64_t>(seconds + 0.5);
  if (whole < 60) return fmt::format("{} s", whole);
  if (whole < 3600) return fmt::format("{}:{:02} min", whole / 60, whole % 60);
  return fmt::format("{}:{:02} h", whole / 3600, whole / 60 % 60);
}

}  // namespace

namespace {

// Returns the finished share of all loops, if it is known.
std::optional<double> share_done(const eval::Progress& loops) {
  double share = 0;
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    if (loop->iterations <= 0) return std::nullopt;
    share =
        std::clamp((static_cast<double>(loop->iteration) + share) / static_cast<double>(loop->iterations), 0.0, 1.0);
  }
  return share;
}

}  // namespace

std::string progress_text(const eval::Progress& loops, const std::string& loss, std::size_t width) {
  if (loops.empty() || width == 0) return {};
  const eval::LoopProgress& inner = loops.back();
  std::string head;
  for (const eval::LoopProgress& loop : loops)
    head += (head.empty() ? "" : "  ") + loop.variable + " " + std::to_string(loop.iteration) +
            (loop.iterations > 0 ? "/" + std::to_string(loop.iterations) : "");
  const double rate = inner.seconds > 0 ? static_cast<double>(inner.iteration) / inner.seconds : 0;
  std::string tail = rate >= 10 ? fmt::format("  {:.0f} turns/s", rate) : fmt::format("  {:.2g} turns/s", rate);
  if (!loss.empty()) tail += "  loss " + loss;
  const double seconds = loops.front().seconds;
  const std::optional<double> done = share_done(loops);
  if (!done) {
    tail += "  " + duration_text(seconds);
  } else {
    if (*done > 0) tail += fmt::format("  {} left", duration_text(seconds * (1 - *done) / *done));
    tail = fmt::format(" {:3.0f}%", 100 * *done) + tail;
    head += " ";
    const std::size_t used = head.size() + tail.size() + 3;
    if (width > used + 5) {
      const std::size_t cells = std::min<std::size_t>(width - used, 40);
      const auto full = static_cast<std::size_t>(*done * static_cast<double>(cells));
      head += "[" + std::string(full, '=') + (full < cells ? ">" + std::string(cells - full - 1, ' ') : "") + "]";
    }
  }
  return (head + tail).substr(0, width - 1);
}

void ProgressBar::update(const eval::Progress& loops, const std::string& loss) {
  if (!at_terminal_ || loops.front().seconds < 1) return;
  const auto now = Clock::now();
  if (now - drawn_ < std::chrono::milliseconds(100)) return;
  drawn_ = now;
  show(progress_text(loops, loss, terminal_width()));
}

void ProgressBar::show(const std::string& text) {
  if (!at_terminal_) return;
  bar_is_drawn = true;
  write_all(STDERR_FILENO, std::string(kEraseLine) + text.substr(0, terminal_width() - 1));
}

void ProgressBar::erase() {
  if (bar_is_drawn) write_all(STDERR_FILENO, kEraseLine);
  bar_is_drawn = false;
}

ProgramOutput::ProgramOutput(ProgressBar& bar) : bar_(bar), stream_(this) { stream_.exceptions(std::ios::badbit); }

ProgramOutput::~ProgramOutput() {
  try {
    write_out();
  } catch (const UserError&) {  // finish() reports the error
  }
}

int ProgramOutput::overflow(int letter) {
  const char one = static_cast<char>(letter);
  xsputn(&one, 1);
  return letter;
}

std::streamsize ProgramOutput::xsputn(const char* text, std::streamsize size) {
  pending_.append(text, static_cast<std::size_t>(size));
  if (pending_.back() == '\n' || pending_.size() > 65536) write_out();
  return size;
}

int ProgramOutput::sync() {
  write_out();
  bar_.erase();
  return 0;
}

void ProgramOutput::write_out() {
  if (pending_.empty()) return;
  bar_.erase();
  const std::string text = std::move(pending_);
  pending_.clear();
  losses_.read(text);
  write_all(STDOUT_FILENO, text);
}

void ProgressBar::erase_in_signal() {
  if (bar_is_drawn) [[maybe_unused]]
    const auto size = write(STDERR_FILENO, kEraseLine.data(), kEraseLine.size());
}

}  // namespace mtf::tool
