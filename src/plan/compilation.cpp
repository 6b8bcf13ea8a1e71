#include "plan/compilation.h"

#include <algorithm>
#include <chrono>

#include "support/diagnostics.h"

namespace mtf {
namespace {

#ifdef NDEBUG
constexpr bool kAlwaysVerifies = false;
#else
constexpr bool kAlwaysVerifies = true;
#endif

}  // namespace

Compilation::Compilation(Program captured, const PassOptions& options) : options_(options) {
  merged.program = std::move(captured);
  for (const std::string& name : options.skip) {
    const Pass* const pass = find_pass(name);
    MTF_CHECK(pass && pass->may_be_skipped, "there is no pass `{}` that may be skipped", name);
  }
}

void Compilation::run(std::string_view last) {
  const std::vector<Pass>& list = passes();
  const Pass* const until = last.empty() ? &list.back() : find_pass(last);
  MTF_CHECK(until, "there is no pass `{}`", last);
  for (; list.data() + next_ <= until; ++next_) {
    const Pass& pass = list[next_];
    if (pass.decides > options_.until) continue;
    if (std::find(options_.skip.begin(), options_.skip.end(), pass.name) != options_.skip.end()) continue;
    const auto start = std::chrono::steady_clock::now();
    pass.run(*this);
    if (options_.times) {
      const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
      options_.times->resize(list.size());
      (*options_.times)[next_].microseconds += taken.count();
      ++(*options_.times)[next_].runs;
    }
    if (options_.verify || kAlwaysVerifies) pass.verify(*this);
    if (options_.poll) options_.poll();
  }
}

Stage Compilation::stage() const { return next_ == 0 ? Stage::kProgram : passes()[next_ - 1].gives; }

std::string to_string(const Compilation& compilation) {
  switch (compilation.stage()) {
    case Stage::kProgram: return to_string(compilation.program());
    case Stage::kLocalProgram: return to_string(compilation.local());
    case Stage::kSchedule: return to_string(compilation.schedule);
  }
  return "";
}

}  // namespace mtf
