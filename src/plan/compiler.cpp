#include "plan/compiler.h"

#include <xxhash.h>

#include <algorithm>

#include "plan/compilation.h"
#include "spmd/decision.h"
#include "spmd/expand.h"
#include "spmd/instruction_costs.h"
#include "spmd/passes.h"
#include "support/text.h"
#include "types/saturating.h"

namespace mtf::plan {

PlanKey key_of(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  return {hash.low64, hash.high64};
}

ProgramForm form_of(const graph::Program& program) {
  ProgramForm form{canonical_form(program), {}};
  if (spmd::loses_a_split(program))  // other plans do not depend on only_history
    for (bool only : program.only_history) form.text.push_back(only ? '1' : '0');
  form.key = key_of(form.text);
  return form;
}

namespace {

constexpr size_t kMostBounds = 12;  // on the cost of a loop's saved byte
constexpr double kLeastShare = 0.75;
/// The shares of the memory that `rematerialize` fills. The rest is for what lies unused between packed values.
constexpr double kSharesInUse[] = {1, 0.995, 0.99, 0.97, 0.94, 0.9, 0.85, kLeastShare};

/// Returns the peak of a processor while the plan runs, inputs included.
int64_t needed_bytes(const Plan& plan) {
  int64_t bytes = plan.predicted.peak_bytes;
  const spmd::LocalProgram& local = plan.schedule->program;
  for (const int input : local.inputs) bytes = saturating_add(bytes, spmd::largest_bytes(local.values[input]));
  return bytes;
}

/// Returns what a plan computes and sends, in FLOPs.
double work_of(const Plan& plan) {
  auto work = static_cast<double>(plan.predicted.flops);
  for (const auto& of_kind : plan.predicted.collectives)
    for (const auto& [axes, count] : of_kind) work += spmd::kFlopsPerByteSent * static_cast<double>(count.wire_bytes);
  return work;
}

/// Returns bounds on what a saved byte of a loop may cost, ascending; empty without loops that save values.
std::vector<double> bounds_in_loops(const graph::Program& program, const PassOptions& options) {
  if (std::none_of(program.operations.begin(), program.operations.end(),
                   [](const graph::ProgramOperation& entry) { return entry.operation->region != nullptr; }))
    return {};
  Compilation compilation(program, options);
  compilation.run("leave_out_unread");
  const std::vector<double> all = spmd::costs_in_loops(compilation.local());
  std::vector<double> bounds;
  const size_t count = std::min(all.size(), kMostBounds);
  for (size_t k = 1; k <= count; ++k) bounds.push_back(all[all.size() * k / count - 1]);
  return bounds;
}

}  // namespace

/// A plan, and the limits that it uses.
struct Compiler::Made {
  Plan plan;
  PassOptions options;
  int64_t needed = 0;  ///< bytes
};

PassOptions Compiler::pass_options() const {
  return {.skip = options_.skipped_passes, .most_whole = options_.most_whole, .verify = options_.verify};
}

PassOptions Compiler::pass_options(const graph::Program& program) const {
  PassOptions options = pass_options();
  if (options_.memory != 0) make(program, options);
  return options;
}

Plan Compiler::make(const graph::Program& program, PassOptions& options) const {
  Plan best = make_plan(program, options);
  if (options_.memory == 0) return best;
  int64_t needed = needed_bytes(best);
  PassOptions others = options;
  const bool sends = best.predicted.processors > 1;
  for (others.most_whole = options_.memory / 2; sends && needed > options_.memory && others.most_whole > 0;
       others.most_whole /= 4) {
    Plan plan = make_plan(program, others);
    const int64_t bytes = needed_bytes(plan);
    if (bytes >= needed) continue;
    needed = bytes, best = std::move(plan), options.most_whole = others.most_whole;
  }
  if (!options_.remat || needed <= options_.memory) return best;
  Made made{std::move(best), options, needed};
  rematerialize(program, made);
  options = made.options;
  return std::move(made.plan);
}

void Compiler::rematerialize(const graph::Program& program, Made& best) const {
  const Made usual = best;
  rematerialize_steps(program, best);
  const auto fits = [&](const Made& made) { return made.needed <= options_.memory; };
  for (const double cost : bounds_in_loops(program, usual.options)) {
    if (fits(best) && work_of(best.plan) <= work_of(usual.plan)) return;
    Made made{{}, usual.options, 0};
    made.options.most_flops_a_byte = cost;
    made.plan = make_plan(program, made.options);
    made.needed = needed_bytes(made.plan);
    const bool is_enough = fits(made);
    if (!is_enough) rematerialize_steps(program, made);
    const bool is_better =
        fits(made) ? !fits(best) || work_of(made.plan) < work_of(best.plan) : made.needed < best.needed;
    if (is_better) best = std::move(made);
    if (is_enough) return;  // larger bounds cost more
  }
}

void Compiler::rematerialize_steps(const graph::Program& program, Made& best) const {
  PassOptions others = best.options;
  const int64_t inputs = best.needed - best.plan.predicted.peak_bytes;
  const auto most = static_cast<double>(std::max<int64_t>(options_.memory - inputs, 0));
  for (const double share : kSharesInUse) {
    const auto in_use = static_cast<int64_t>(share * most);
    if (best.needed <= options_.memory || in_use == others.most_in_use)
      return;  // where nothing is left, shares are equal
    others.most_in_use = in_use;
    Plan plan = make_plan(program, others);
    const int64_t bytes = needed_bytes(plan);
    if (bytes < best.needed) best = {std::move(plan), others, bytes};
    if (static_cast<double>(best.needed) * kLeastShare > static_cast<double>(options_.memory))
      return;  // too much at any share
  }
}

void Compiler::forget(const PlanKey& key) {
  const auto at = kept_.find(key);
  used_.erase(at->second.used);
  kept_.erase(at);
}

std::shared_ptr<const Plan> Compiler::plan_of(const graph::Program& program, ProgramForm form) {
  if (const auto at = kept_.find(form.key); at != kept_.end()) {
    if (at->second.form == form.text) {
      used_.splice(used_.begin(), used_, at->second.used);
      return at->second.plan;
    }
    forget(form.key);  // another program with the same hash
  }
  if (kept_.size() >= options_.most_plans) forget(PlanKey(used_.back()));
  PassOptions passes = pass_options();
  passes.times = &times_;
  passes.peaks = options_.peaks;
  auto plan = std::make_shared<Plan>(make(program, passes));
  plan->number = ++plans_made_;
  used_.push_front(form.key);
  kept_[form.key] = {std::move(form.text), plan, used_.begin()};
  return plan;
}

std::string Compiler::text_after(std::string_view pass, const graph::Program& program) const {
  if (pass == "spmd") pass = "choose_orders";
  if (pass == "schedule") pass = "";
  std::string text;
  PassOptions options = pass_options(program);
  if (pass == kDecisions) {
    Compilation compilation(program, options);
    spmd::Decisions decisions;
    compilation.decisions = &decisions;
    compilation.run("split");
    return to_string(decisions);
  }
  options.watched = pass;
  options.watch = [&text](const Compilation& iteration) {
    text += "# an iteration over " + std::string(iteration.loop()->over.text()) + ":\n";
    for (const std::string& line : mtf::split(text_of(iteration), '\n'))
      if (!line.empty()) text += "#   " + line + "\n";
  };
  Compilation compilation(program, options);
  if (pass == "ir") return to_string(compilation);
  const Pass* const until = find_pass(pass);
  if (!until || until->gives != Stage::kProgram) options.watch = nullptr;  // its text has the iterations
  compilation.run(pass);
  text = to_string(compilation);
  if (options.watch) compilation.run("split");
  return text;
}

std::vector<std::string> Compiler::texts(const graph::Program& program) const {
  const PassOptions options = pass_options(program);
  Compilation compilation(program, options);
  std::vector<std::string> texts = {to_string(compilation)};
  for (const Pass& pass : passes()) {
    compilation.run(pass.name);
    texts.push_back(to_string(compilation));
  }
  return texts;
}

}  // namespace mtf::plan
