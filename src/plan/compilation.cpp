#include "plan/compilation.h"

#include <algorithm>
#include <chrono>

#include "ops/registry.h"
#include "plan/predict.h"
#include "support/diagnostics.h"
#include "support/interrupt.h"
#include "types/text_reader.h"

namespace mtf::plan {
namespace {

#ifdef NDEBUG
constexpr bool kAlwaysVerifies = false;
#else
constexpr bool kAlwaysVerifies = true;
#endif

}  // namespace

Compilation::Compilation(graph::Program captured, const PassOptions& options, const spmd::EnclosingLoop* loop)
    : options_(options), loop_(loop) {
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
    const bool has_peak = options_.peaks && options_.times && pass.takes == Stage::kSchedule;
    const int64_t before = has_peak ? peak_as_ordered(schedule) : 0;
    const auto start = std::chrono::steady_clock::now();
    pass.run(*this);
    if (options_.times) {
      const std::chrono::duration<double, std::micro> taken = std::chrono::steady_clock::now() - start;
      options_.times->resize(list.size());
      (*options_.times)[next_].microseconds += taken.count();
      ++(*options_.times)[next_].runs;
      if (has_peak) {
        PassTime& time = (*options_.times)[next_];
        time.peak_before = std::max(time.peak_before, before);
        time.peak_after = std::max(time.peak_after, peak_as_ordered(schedule));
      }
    }
    if (options_.verify || kAlwaysVerifies) pass.verify(*this);
    check_interrupt();
  }
}

spmd::LoweringOptions Compilation::lowering() const {
  return {.most_whole = options_.most_whole,
          .compile = [this](graph::Program iteration, const spmd::EnclosingLoop& loop, spmd::Decisions* decided) {
            PassOptions options = options_;
            options.times = nullptr;                                       // of `split`, which includes them
            if (passes()[next_].name != "split") options.watch = nullptr;  // `expand` compares programs
            Compilation inner(std::move(iteration), options, &loop);
            inner.decisions = decided;
            if (options.watch) {
              inner.run(options.watched);
              options.watch(inner);
            }
            inner.run("leave_out_unread");
            return std::move(inner.local());
          }};
}

Stage Compilation::stage() const { return next_ == 0 ? Stage::kProgram : passes()[next_ - 1].gives; }

void Compilation::read_program_at(size_t next, TextReader& reader) {
  next_ = next;
  const Span begin = reader.line();
  switch (stage()) {
    case Stage::kProgram: program() = graph::read_program(reader, ops::find_op); break;
    case Stage::kLocalProgram: local() = spmd::read_local_program(reader); break;
    case Stage::kSchedule: schedule = schedule::read_schedule(reader, latest() >= find_pass("make_loops")); break;
  }
  if (const Pass* const merges = find_pass("merge"); stage() == Stage::kProgram && latest() >= merges)
    for (const graph::ProgramOperation& entry : program().operations) merged.forms.push_back(forms.of(entry.operation));
  try {
    if (next > 0) latest()->verify(*this);
    else verify(program());
  } catch (const InternalError& error) { reader.fail_at(begin, error.message()); }
}

Compilation Compilation::read(TextReader& reader, const PassOptions& options) {
  Compilation compilation({}, options);
  size_t next = 0;
  if (!reader.take("captured")) {
    if (!reader.take("after")) reader.fail("`captured` or `after` and the name of a pass");
    const Pass* const pass = find_pass(reader.peek());
    if (!pass) reader.fail("the name of a pass");
    reader.expect(pass->name);
    next = static_cast<size_t>(pass - passes().data()) + 1;
  }
  reader.expect_end();
  compilation.read_program_at(next, reader);
  return compilation;
}

Compilation Compilation::read_before(std::string_view pass, TextReader& reader, const PassOptions& options) {
  Compilation compilation({}, options);
  compilation.read_program_at(static_cast<size_t>(find_pass(pass) - passes().data()), reader);
  return compilation;
}

std::string to_string(const Compilation& compilation) {
  const Pass* const latest = compilation.latest();
  return (latest ? "after " + std::string(latest->name) : "captured") + "\n" + text_of(compilation);
}

std::string text_of(const Compilation& compilation) {
  switch (compilation.stage()) {
    case Stage::kProgram: return to_string(compilation.program());
    case Stage::kLocalProgram: return to_string(compilation.local());
    case Stage::kSchedule: return to_string(compilation.schedule);
  }
  return "";
}

}  // namespace mtf::plan
