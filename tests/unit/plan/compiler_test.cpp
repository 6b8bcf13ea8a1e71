// The compiler alone: no machine, no MPI, no thread.
#include "plan/compiler.h"

#include <gtest/gtest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <fstream>
#include <system_error>
#include <thread>

#include "ops/builder.h"
#include "ops/record.h"
#include "ops/spaces.h"
#include "support/diagnostics.h"
#include "support/interrupt.h"

namespace mtf::plan {
namespace compiler_test {

const Dim batch{"batch", 8}, io{"io", 32}, hidden{"hidden", 64};

/// A builder on a mesh under a layout.
struct Script : ops::Builder {
  Script(const std::string& axes, const std::string& rules) {
    context.mesh = std::make_shared<Mesh>("m", parse_axes(axes));
    context.layout = std::make_shared<const Layout>(parse_layout(rules));
    written = false;
    table = std::make_shared<graph::ValueTable>();
  }
  graph::Value input(const Dims& dims) {
    return add(ops::kConstant, {}, ops::TypeAttributes{{ElementType::kF32, dims}});
  }
};

/// Returns the program of two layers, `factor` times, as a cut captures it. Its inputs have values.
graph::Capture two_layers(double factor = 2, const std::string& rules = "batch:rows;hidden:cols") {
  Script b("rows:2;cols:2", rules);
  graph::Value x = b.input({batch, io}), w = b.input({io, hidden}), v = b.input({hidden, io});
  for (const graph::Value& each : {x, w, v}) each.node->compute_into().results = {std::make_shared<Tensor>()};
  graph::Value h = b.einsum({x, w}, {batch, hidden});
  graph::Value y = b.map(ops::kMul, b.einsum({h, v}, {batch, io}), factor);
  return capture(graph::pending({y}), {y});
}

std::shared_ptr<const Plan> plan_of(Compiler& compiler, const graph::Program& program) {
  return compiler.plan_of(program, form_of(program));
}

/// From now on, this process starts neither threads nor processes.
void forbid_threads() {
  const auto refuse = [](std::uint32_t call) {
    return std::array<sock_filter, 2>{
        {BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)}};
  };
  std::vector<sock_filter> filter = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const std::uint32_t call : {__NR_clone, __NR_clone3})
    for (const sock_filter& line : refuse(call)) filter.push_back(line);
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
  prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
  if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(2);
}

TEST(Compiler, AProgramIsPlannedOnce) {
  Compiler compiler;
  const auto first = plan_of(compiler, two_layers().program);
  EXPECT_EQ(first->number, 1);
  EXPECT_EQ(plan_of(compiler, two_layers().program), first);
  EXPECT_EQ(plan_of(compiler, two_layers(3).program), first) << "a number of the host is an input";
  const auto other = plan_of(compiler, two_layers(2, "batch:rows").program);
  EXPECT_NE(other, first) << "another layout is another program";
  EXPECT_EQ(other->number, 2);
}

TEST(Compiler, APlanSaysWhatItCosts) {
  Compiler compiler;
  const auto plan = plan_of(compiler, two_layers().program);
  EXPECT_EQ(plan->predicted.processors, 4);
  EXPECT_EQ(plan->predicted.unique_flops, 4 * 8 * 32 * 64 + 8 * 32);
  EXPECT_EQ(plan->predicted.total(spmd::CollectiveKind::kAllReduce).values, 8 / 2 * 32);
}

/// x [tokens/p, io] · w [io/p, hidden] on 8 processors; w has 512 KiB.
graph::Capture of_stored_in_parts() {
  const Dim tokens{"tokens", 1024}, from{"io", 256}, to{"hidden", 512};
  Script b("p:8", "tokens:p");
  graph::Value x = b.input({tokens, from});
  graph::Value w = b.constant({ElementType::kF32, {from, to}}, {{{{0}, {}}, 0}, 0, b.context.mesh});
  for (const graph::Value& each : {x, w}) each.node->compute_into().results = {std::make_shared<Tensor>()};
  graph::Value y = b.einsum({x, w}, {tokens, to});
  return capture(graph::pending({y}), {y});
}

TEST(Compiler, APlanGathersWhatThereIsMemoryFor) {
  const graph::Capture captured = of_stored_in_parts();
  Compiler any, roomy({.memory = 2 << 20}), tight({.memory = 1 << 20});
  const Counters gathered = plan_of(any, captured.program)->predicted,
                 fits = plan_of(roomy, captured.program)->predicted,
                 looped = plan_of(tight, captured.program)->predicted;
  const auto gathers = gathered.total(spmd::CollectiveKind::kAllGather),
             permutes = looped.total(spmd::CollectiveKind::kPermute);
  EXPECT_EQ(gathers.count, 1);
  EXPECT_EQ(fits.total(spmd::CollectiveKind::kAllGather).count, 1);
  EXPECT_EQ(looped.total(spmd::CollectiveKind::kAllGather).count, 0);
  EXPECT_EQ(permutes.count, 7);
  EXPECT_EQ(permutes.wire_bytes, gathers.wire_bytes);
  EXPECT_LT(looped.peak_bytes, gathered.peak_bytes);
}

TEST(Compiler, MakingAPlanStartsNoThread) {
  Compiler compiler;
  const graph::Capture captured = two_layers();
  const auto without_threads = [&](const auto& work) {
    forbid_threads();
    try {
      work();
    } catch (const std::system_error&) { _exit(1); }
    _exit(0);
  };
  EXPECT_EXIT(without_threads([] { std::thread([] {}).join(); }), testing::ExitedWithCode(1), "");
  EXPECT_EXIT(without_threads([&] { plan_of(compiler, captured.program); }), testing::ExitedWithCode(0), "");
}

TEST(Compiler, IsLinkedWithoutMpi) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) EXPECT_EQ(line.find("libmpi"), std::string::npos) << line;
}

TEST(Compiler, KeepsThePlansThatWereUsedLast) {
  Compiler compiler({.most_plans = 2});
  const auto first = plan_of(compiler, two_layers(2, "batch:rows").program);
  const std::weak_ptr<const Plan> second = plan_of(compiler, two_layers(2, "hidden:cols").program);
  EXPECT_EQ(plan_of(compiler, two_layers(2, "batch:rows").program), first);
  plan_of(compiler, two_layers(2, "").program);
  EXPECT_TRUE(second.expired()) << "nobody else has it";
  EXPECT_EQ(plan_of(compiler, two_layers(2, "batch:rows").program), first);
  EXPECT_EQ(plan_of(compiler, two_layers(2, "hidden:cols").program)->number, 4);
}

TEST(Compiler, WhatEndsPlanningLeavesNothing) {
  const graph::Capture captured = two_layers();
  Compiler other;
  const std::string alone = to_string(*plan_of(other, captured.program)->schedule);
  int ended = 0;
  for (int64_t poll = 1;; poll *= 2) {
    Compiler compiler;
    Interrupt interrupt;
    interrupt.ask_at_poll(poll);
    try {
      const HeedsInterrupt heeds(interrupt, {});
      plan_of(compiler, captured.program);
      break;
    } catch (const UserError& error) { ASSERT_EQ(error.diagnostic().kind(), Kind::interrupted); }
    ++ended;
    const auto plan = plan_of(compiler, captured.program);
    EXPECT_EQ(plan->number, 1) << "ended at poll " << poll;
    EXPECT_EQ(to_string(*plan->schedule), alone) << "ended at poll " << poll;
  }
  EXPECT_GE(ended, 5);
}

TEST(Compiler, SkippedPassesChangeThePlanAlone) {
  Script b("p:2", "batch:p");
  graph::Value x = b.input({batch, io});
  x.node->compute_into().results = {std::make_shared<Tensor>()};
  const graph::Value y = b.map(ops::kExp, b.map(ops::kTanh, x));
  const graph::Capture captured = capture(graph::pending({y}), {y});
  Compiler fusing, single({.skipped_passes = {"fuse_loops"}});
  const auto a = plan_of(fusing, captured.program), c = plan_of(single, captured.program);
  EXPECT_LT(a->schedule->steps.size(), c->schedule->steps.size());
  EXPECT_EQ(a->predicted.flops, c->predicted.flops);
}

}  // namespace compiler_test
}  // namespace mtf::plan
