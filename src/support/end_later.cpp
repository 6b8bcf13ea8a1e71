#include "support/end_later.h"

#include <chrono>
#include <future>
#include <mutex>
#include <system_error>
#include <utility>
#include <vector>

namespace mtf {

void end_later(std::shared_ptr<void> object) {
  constexpr std::size_t kMost = 3;
  static std::mutex mutex;
  static std::vector<std::future<void>> ending;
  const std::lock_guard lock(mutex);
  std::erase_if(ending, [](const std::future<void>& each) {
    return each.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
  });
  if (ending.size() >= kMost) return;
  try {
    ending.push_back(std::async(std::launch::async, [held = std::move(object)]() mutable { held.reset(); }));
  } catch (const std::system_error&) {}
}

}  // namespace mtf
