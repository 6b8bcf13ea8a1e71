#pragma once
// The texts of `mtf search` and `:search`.
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "session/search.h"

namespace mtf::tool {

/// Returns lines to paste, the best candidate beside the second, and why the best is faster. If processors repeat each
/// other's work, also says how long fewer processors would take. The table fits `width`. If nothing was found, throws a
/// UserError with the smallest peak and advice.
std::string search_text(const session::SearchAnswer& answer, std::size_t width);

/// Shows the progress of a search, from a thread of its own: so also while the script is evaluated, or while one
/// candidate is costed.
class SearchStatus {
 public:
  /// Calls `show` with a line of text: at a terminal every tenth of a second after the first second, otherwise after 4
  /// seconds and then every 10 seconds.
  SearchStatus(bool at_terminal, std::function<void(const std::string&)> show);
  ~SearchStatus();
  SearchStatus(const SearchStatus&) = delete;
  SearchStatus& operator=(const SearchStatus&) = delete;
  /// Takes the present progress.
  void set(const cost::SearchProgress& progress);

 private:
  void run(bool at_terminal);
  std::string text() const;

  const std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
  const std::function<void(const std::string&)> show_;
  std::mutex mutex_;  // of the members below
  std::condition_variable ends_;
  cost::SearchProgress progress_;
  bool has_ended_ = false;
  std::thread thread_;
};

}  // namespace mtf::tool
