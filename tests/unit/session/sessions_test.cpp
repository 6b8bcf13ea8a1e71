// Several sessions in one process, on threads, and questions about one session under several assumptions at once.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <sstream>
#include <thread>

#include "../../execution_on.h"
#include "session/session.h"
#include "session/what_if.h"

namespace mtf::session {
namespace {

/// The entries of the session number `i`, with names and sizes of its own.
std::vector<std::string> entries(int i) {
  std::vector<std::string> all = {
      fmt::format("mesh m{0} = [p{0}: {1}]; layout l{0} = {{a{0} -> p{0}}}; seed {0}\ndim a{0} = {2}, b{0} = 3", i,
                  2 + i, 12 + i),
      fmt::format("model M{0} {{ param w: [a{0}, b{0}] = 0.5 }}\nlet net = M{0}(); let x = range(a{0}) + 1.0", i)};
  for (int iteration = 0; iteration < 10; ++iteration)
    all.push_back(
        fmt::format("let loss = sum(square(einsum(x, net.w -> [b{}])))\nlet g = grad(loss, net.w)\n"
                    "net.w := net.w - 0.0001 * g\nprint(loss)",
                    i));
  all.push_back("net.w := nope");
  all.push_back("sum(net.w)");
  return all;
}

/// Returns the reports of a session on its entries, and finally its plan under another layout.
std::string said_by(Session& session, std::ostringstream& out, int i) {
  for (const std::string& entry : entries(i)) {
    try {
      for (const EntryReport& report : session.execute(entry)) {
        for (const EntryReport::Binding& binding : report.bindings)
          out << binding.name << " " << to_string(binding.type) << " " << binding.value << "\n";
        out << to_string(report.counters);
      }
    } catch (const UserError& error) { out << error.what(); }
  }
  const Planned planned =
      session.plan("einsum(x, net.w -> [])", "<plan>",
                   {.mesh = parse_axes(fmt::format("q:{}", i + 4)), .layout = parse_layout(fmt::format("b{}:q", i))});
  for (const eval::StatementReport& report : planned.statements) out << to_string(report.counters);
  return out.str();
}

std::string alone(plan::Execution& execution, int i) {
  std::ostringstream out;
  Session session({}, &execution, out);
  return said_by(session, out, i);
}

/// Runs sessions at the same time, each on a thread of its own. Returns their reports.
std::vector<std::string> together(int count, const std::function<std::string(int)>& said) {
  std::vector<std::string> texts(static_cast<size_t>(count));
  std::vector<std::thread> threads;
  for (int i = 0; i < count; ++i) threads.emplace_back([&, i] { texts[static_cast<size_t>(i)] = said(i); });
  for (std::thread& thread : threads) thread.join();
  return texts;
}

TEST(Sessions, OnTwoThreadsPlanWhatEachPlansAlone) {
  const auto said = [](int i) {
    ExecutionOn<run::DryRuntime> execution;
    return alone(execution, i);
  };
  for (int round = 0; round < 5; ++round) {
    const std::vector<std::string> texts = together(2, said);
    for (int i = 0; i < 2; ++i) EXPECT_EQ(texts[static_cast<size_t>(i)], said(i));
  }
}

TEST(Sessions, TakeIterationsOnTheOneRuntimeOfAProcess) {
  run::MpiRuntime runtime({.threads = 1});
  std::mutex in_use;
  struct Own {
    explicit Own(plan::Runtime& runtime) : execution(runtime), session({}, &execution, out) {}
    std::ostringstream out;
    plan::Execution execution;
    Session session;
  };
  const auto said = [&](int i) {
    const auto in_iteration = [&](const auto& work) {
      const std::lock_guard lock(in_use);
      work();
    };
    std::unique_ptr<Own> own;
    in_iteration([&] { own = std::make_unique<Own>(runtime); });
    for (const std::string& entry : entries(i)) {
      in_iteration([&] {
        try {
          for (const EntryReport& report : own->session.execute(entry))
            for (const EntryReport::Binding& binding : report.bindings)
              own->out << binding.name << " " << to_string(binding.type) << " " << binding.value << "\n";
        } catch (const UserError& error) { own->out << error.what(); }
      });
    }
    const std::string text = own->out.str();
    in_iteration([&] { own.reset(); });
    return text;
  };
  const std::vector<std::string> texts = together(2, said);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(texts[static_cast<size_t>(i)], said(i));
}

std::string cost_of(const Planned& planned) {
  std::string text;
  for (eval::StatementReport report : planned.statements) {
    report.counters.peak_bytes = 0;  // other tensors change the peak
    text += to_string(report.counters);
  }
  return text;
}

TEST(WhatIf, SeveralAreThereAtOnce) {
  ExecutionOn<run::MpiRuntime> execution(run::MpiRuntimeOptions{.threads = 1});
  std::ostringstream out;
  Session session({}, &execution, out);
  session.execute(
      "mesh m = [p: 2]\ndim a = 8, b = 4\nmodel M { param w: [a, b] = 0.5 }\nlet net = M()\nlet x = range(a) + 1.0");
  const std::string statement = "let y = einsum(x, net.w -> [b])";
  const WhatIf one = WhatIf::statement(session, statement, "<one>"),
               other = WhatIf::statement(session, "sum(net.w)", "<other>");
  const Assumption over_a{.layout = parse_layout("a:p")},
      over_b{.mesh = parse_axes("q:4"), .layout = parse_layout("b:q")};
  const cost::LayoutCosts recorded = one.recorded(std::nullopt, over_a);
  const std::string first = cost_of(one.planned(over_a)), second = cost_of(other.planned(over_b)),
                    as_is = cost_of(one.planned());
  EXPECT_NE(first, as_is);
  EXPECT_EQ(first.find("over q"), std::string::npos);
  EXPECT_NE(first.find("all_reduce over p"), std::string::npos) << first;
  EXPECT_NE(second.find("over q"), std::string::npos) << second;
  // The session continues meanwhile, and the answers are about its new values.
  session.execute("let z = 2 * x\nnet.w := net.w * 2");
  EXPECT_EQ(cost_of(one.planned(over_a)), first);
  EXPECT_EQ(cost_of(other.planned(over_b)), second);
  EXPECT_EQ(recorded.in(nullptr, nullptr).counters.total(spmd::CollectiveKind::kAllReduce).count, 1);
  EXPECT_EQ(session.execute("sum(net.w)")[0].bindings[0].value, "32");
  EXPECT_EQ(to_string(session.what_is("net.w").type), "f32[a=8, b=4]");
  session.execute("let net = 3");
  EXPECT_THROW(one.planned(over_a), UserError) << "it has no w any more";
}

/// After values on another mesh, an assumption must fit what the statement reads alone.
TEST(WhatIf, OnlyWhatTheStatementReadsMustFit) {
  ExecutionOn<run::DryRuntime> execution;
  std::ostringstream out;
  Session session({}, &execution, out);
  session.execute(
      "mesh one = [p: 2]\nmesh two = [q: 4]\ndim n = 8\nuse one\nuse {n -> p}\nlet x = ones([n])\nlet lists = [x]\n"
      "model M { param w: [n] = 1\nfn call(v) = v * w }\nlet net = M()\nfn of_x(v) = v + lists[0]\n"
      "use two\nuse {n -> q}\nlet y = ones([n]) * 2.0\nfn of_y() = sum(y)");
  const Assumption over_q{.layout = parse_layout("n:q")},
      over_r{.mesh = parse_axes("r:2"), .layout = parse_layout("n:r")};
  for (const char* fits : {"sum(y)", "of_y()", "let z = relu(y)\nsum(z)"}) {
    EXPECT_NE(cost_of(session.plan(fits, "<plan>", over_q)).find("all_reduce over q"), std::string::npos) << fits;
    EXPECT_NE(cost_of(session.plan(fits, "<plan>", over_r)).find("all_reduce over r"), std::string::npos) << fits;
  }
  for (const char* reads : {"sum(x)", "of_x(1.0)", "net(y)", "lists"})
    EXPECT_THROW(session.plan(reads, "<plan>", over_q), UserError) << reads;
  EXPECT_EQ(to_string(session.what_is("x").type), "f32[n=8/p]");
}

TEST(WhatIf, APlanOfWhatIsThereHasThePeakOfItsRun) {
  ExecutionOn<run::MpiRuntime> execution(run::MpiRuntimeOptions{.threads = 1});
  std::ostringstream out;
  Session session({}, &execution, out);
  session.execute(
      "mesh m = [p: 2]\nlayout l = {a -> p}\ndim a = 800, b = 40\nlet x = random.normal([a, b])\n"
      "let other = random.normal([a, b])");
  const std::string statement = "let y = sum(square(x) * 2, over: a)";
  const int64_t planned = session.plan(statement).counters.peak_bytes;
  execution.runtime().restart_peak();
  session.execute(statement);
  EXPECT_EQ(planned, execution.counters().peak_bytes);
}

}  // namespace
}  // namespace mtf::session
