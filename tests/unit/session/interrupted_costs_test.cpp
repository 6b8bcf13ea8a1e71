// The costs of a text end soon after somebody asks for it, wherever they are, and leave nothing behind.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <algorithm>
#include <atomic>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "../work_time.h"
#include "library/library.h"
#include "run/dry_runtime.h"
#include "session/parts_of_text.h"
#include "session/what_if.h"
#include "spmd/statement_costs.h"
#include "support/interrupt.h"

namespace mtf::session {
namespace {

/// A training step of a Transformer whose blocks are a list, so that its programs grow with the number of layers.
std::string transformer(int layers) {
  return fmt::format(R"(
import nn, optim, transformer
mesh grid = [rows: 2, cols: 2]
layout both = {{batch -> rows, vocab -> cols, d_ff -> cols, heads -> cols}}
dim batch = 8, length = 8, vocab = 64, d_model = 32, heads = 4, d_head = 8, d_ff = 128
model Decoder {{
  let embedding = nn.Embedding(vocab, d_model)
  let blocks = [transformer.Layer(d_model, length, heads, d_head, d_ff, bias: false) for i in 0..{}]
  fn call(ids: i32[.., length]) -> [.., length, vocab] {{
    let x = embedding(ids)
    for block in blocks {{ x := block(x) }}
    return embedding.logits(x)
  }}
}}
let net = Decoder()
let opt = optim.AdamW(net.params, lr: 0.001)
let text = random.integers([batch, length], 0, 64)
opt.minimize(mean(cross_entropy(net(text), shift(text, length: -1), over: vocab)))
print(sum(net.embedding.table))
)",
                     layers);
}

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// What is found out about a text, as text.
std::string found_out(const std::string& text, const eval::Settings& settings) {
  const CheckedText checked = checked_text("text.mtf", text, settings);
  std::string found = checked.found.render();
  const run::DryRuntime machine;
  for (const eval::StatementReport& report : plan_script("text.mtf", text, settings, machine).statements) {
    found += fmt::format("{} {}:", report.plan, report.iterations);
    for (const spmd::StatementCost& cost : report.costs)
      found += fmt::format(" {} {} {} {}", cost.flops, cost.bytes, cost.wire_bytes, cost.times);
    found += "\n";
  }
  return found;
}

struct Ended {
  double asked = 0;       ///< processor seconds of the thread when it was asked to end
  double ended = 0;       ///< and when it had ended
  bool is_whole = false;  ///< it had ended before
};

/// Finds out about a text on a thread of its own, and asks it to end after some processor seconds.
Ended ended_after(double seconds, const std::string& text, const eval::Settings& settings) {
  const Interrupt interrupt;
  std::atomic<double> ended = 0;
  std::atomic<bool> is_whole = false, may_end = false;
  std::thread worker([&] {
    try {
      const HeedsInterrupt heeds(interrupt, {});
      found_out(text, settings);
      is_whole = true;
    } catch (const UserError& error) { EXPECT_EQ(error.diagnostic().kind(), Kind::interrupted); }
    ended = seconds_of(CLOCK_THREAD_CPUTIME_ID);
    while (!may_end) std::this_thread::yield();  // its clock ends with it
  });
  clockid_t clock = 0;
  pthread_getcpuclockid(worker.native_handle(), &clock);
  while (ended == 0 && seconds_of(clock) < seconds) std::this_thread::sleep_for(std::chrono::microseconds(200));
  Ended result{seconds_of(clock)};
  Interrupt(interrupt).ask();
  while (ended == 0) std::this_thread::sleep_for(std::chrono::microseconds(200));
  may_end = true;
  worker.join();
  result.ended = ended;
  result.is_whole = is_whole;
  return result;
}

TEST(InterruptedCosts, EndSoonAndLeaveNothingBehind) {
  constexpr double kMost = 0.05;
  constexpr int kSamples = 12;
  const std::string text = transformer(96);
  eval::Settings fresh, settings;
  fresh.library = settings.library = &library::host_library();
  const double before = processor_seconds();
  const std::string alone = found_out(text, fresh);
  const double whole = processor_seconds() - before;
  std::vector<double> waits;
  for (int sample = 0; sample < kSamples; ++sample) {
    const Ended ended = ended_after(whole * sample / kSamples, text, settings);
    if (!ended.is_whole) waits.push_back(ended.ended - ended.asked);
  }
  EXPECT_GE(waits.size(), kSamples / 2) << "it was asked when it had ended";
  EXPECT_LT(*std::max_element(waits.begin(), waits.end()), kMost * slowness());
  EXPECT_EQ(found_out(text, settings), alone);
}

}  // namespace
}  // namespace mtf::session
