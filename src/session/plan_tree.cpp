#include "session/plan_tree.h"

#include <algorithm>
#include <set>

#include "support/source_line.h"
#include "types/saturating.h"

namespace mtf::session {
namespace {

/// Returns the active calls, innermost first.
std::vector<const graph::CallFrame*> calls_of(const graph::CallFrameRef& innermost) {
  std::vector<const graph::CallFrame*> frames;
  for (const graph::CallFrame* frame = innermost.get(); frame && frame->span.is_known(); frame = frame->caller.get())
    frames.push_back(frame);
  return frames;
}

/// Returns the calls of the forward program, outermost first.
std::vector<const graph::CallFrame*> way_to(const std::vector<const graph::CallFrame*>& frames) {
  std::vector<const graph::CallFrame*> calls;
  for (auto frame = frames.rbegin(); frame != frames.rend(); ++frame)
    if (!(*frame)->backward) calls.push_back(*frame);
  return calls;
}

/// Returns how many of the calls that lead to a cut also lead to everything with a cost that the cut computes.
std::size_t calls_above(const std::vector<const graph::CallFrame*>& to_cut,
                        const std::vector<spmd::StatementCost>& costs) {
  std::size_t above = to_cut.size();
  for (const spmd::StatementCost& cost : costs) {
    if (cost.flops == 0 && !cost.collective) continue;
    const std::vector<const graph::CallFrame*> calls = way_to(calls_of(cost.frame));
    std::size_t same = 0;
    while (same < above && same < calls.size() && calls[same]->span == to_cut[same]->span) ++same;
    above = same;
  }
  return above;
}

bool compute_the_same(const PlanPart& a, const PlanPart& b) {
  if ((a.iterations == 0) != (b.iterations == 0) || a.is_plan != b.is_plan || a.parts.size() != b.parts.size())
    return false;
  for (std::size_t i = 0; i < a.parts.size(); ++i)
    if (a.parts[i]->text != b.parts[i]->text || !compute_the_same(*a.parts[i], *b.parts[i])) return false;
  return true;
}

/// The parts below one part, found again by their positions.
class Placer {
 public:
  explicit Placer(PlanPart& top) { parts_[{nullptr, {}}] = &top; }

  /// Adds a cost below the first `above` of its calls.
  void add(const spmd::StatementCost& cost, std::size_t above) {
    const std::vector<const graph::CallFrame*> frames = calls_of(cost.frame);
    const Span span = source_of(cost);
    PlanPart* part = parts_.at({nullptr, {}});
    part->cost.add(cost);
    const std::vector<const graph::CallFrame*> calls = way_to(frames);
    for (std::size_t i = above; i < calls.size(); ++i) {
      part = &call(*part, *calls[i]);
      part->cost.add(cost);
    }
    const auto line = static_cast<std::uint32_t>(span.is_known() ? span.position().line : 0);
    part = &below(*part, {span.file, line, 0}, span);
    part->cost.add(cost);
    part->own.push_back(&cost);
  }

  /// Returns the part of a call below another part.
  PlanPart& call(PlanPart& above, const graph::CallFrame& frame) {
    PlanPart& part = below(above, {frame.span.file, frame.span.begin, frame.span.end}, frame.span);
    if (calls_[&part].insert(&frame).second) {
      ++part.calls;
      (part.callee.name.empty() ? part.callee : part.last_callee) = {frame.callee, frame.path};
    }
    return part;
  }

 private:
  struct At {
    const SourceFile* file = nullptr;
    std::uint32_t begin = 0, end = 0;
    auto operator<=>(const At&) const = default;
  };

  PlanPart& below(PlanPart& part, At at, Span span) {
    PlanPart*& found = parts_[{&part, at}];
    if (found == nullptr) {
      found = part.parts.emplace_back(std::make_unique<PlanPart>()).get();
      found->span = span;
      found->text = at.end == 0 ? line_of(span) : std::string(span.text().substr(0, span.text().find('\n')));
    }
    return *found;
  }

  std::map<std::pair<const PlanPart*, At>, PlanPart*> parts_;
  std::map<const PlanPart*, std::set<const graph::CallFrame*>> calls_;
};

}  // namespace

void PartCost::add(const spmd::StatementCost& cost, std::int64_t times) {
  times = saturating_multiply(times, cost.times);
  const bool backward = cost.frame && cost.frame->backward;
  flops = saturating_add(flops, saturating_multiply(cost.flops, times));
  if (backward) backward_flops = saturating_add(backward_flops, saturating_multiply(cost.flops, times));
  const double taken = cost.seconds * static_cast<double>(times);
  seconds += taken;
  if (cost.collective) communicating_seconds += taken;
  else if (backward) backward_seconds += taken;
  if (!cost.collective) return;
  collectives = saturating_add(collectives, times);
  bytes = saturating_add(bytes, saturating_multiply(cost.bytes, times));
  wire_bytes = saturating_add(wire_bytes, saturating_multiply(cost.wire_bytes, times));
}

void PartCost::add(const PartCost& other) {
  seconds += other.seconds;
  backward_seconds += other.backward_seconds;
  communicating_seconds += other.communicating_seconds;
  flops = saturating_add(flops, other.flops);
  backward_flops = saturating_add(backward_flops, other.backward_flops);
  collectives = saturating_add(collectives, other.collectives);
  bytes = saturating_add(bytes, other.bytes);
  wire_bytes = saturating_add(wire_bytes, other.wire_bytes);
}

/// The parts of a statement: its calls that lead to plans. Each report of the statement finds them again.
struct PlanTree::Statement {
  explicit Statement(PlanPart& part) : above(part) {}
  Placer above;
};

PlanTree::PlanTree() = default;
PlanTree::~PlanTree() = default;

void PlanTree::add(const eval::StatementReport& given) {
  for (const plan::Doubt& doubt : given.doubts) add_doubt(doubts_, doubt);
  add_times(totals_, given.counters, std::max<std::int64_t>(given.iterations, 1));
  if (given.costs.empty()) return;
  const eval::StatementReport& report = *reports_.emplace_back(std::make_unique<eval::StatementReport>(given));
  if (root_.parts.empty() || !(root_.parts.back()->span == report.span)) {
    PlanPart& statement = *root_.parts.emplace_back(std::make_unique<PlanPart>());
    statement.span = report.span;
    statement.text = report.text;
    statement.is_estimate = !report.doubts.empty();
    last_ = std::make_unique<Statement>(statement);
  }
  PartCost all;
  for (const spmd::StatementCost& cost : report.costs) all.add(cost, std::max<std::int64_t>(report.iterations, 1));
  root_.cost.add(all);
  PlanPart* part = root_.parts.back().get();
  part->cost.add(all);
  const std::vector<const graph::CallFrame*> calls = way_to(calls_of(report.frame));
  const std::size_t above = calls_above(calls, report.costs);
  for (std::size_t i = 0; i < above; ++i) {
    part = &last_->above.call(*part, *calls[i]);
    part->cost.add(all);
  }
  auto made = std::make_unique<PlanPart>();
  PlanPart& plan = *made;
  plan.is_plan = true;
  plan.span = above < calls.size() ? calls[above]->span : report.cut.is_known() ? report.cut : report.span;
  plan.text = line_of(plan.span);
  plan.iterations = report.iterations;
  plan.is_estimate = report.is_estimate;
  Placer placer(plan);
  for (const spmd::StatementCost& cost : report.costs) placer.add(cost, above);
  for (std::unique_ptr<PlanPart>& other : part->parts) {
    if (!compute_the_same(*other, plan)) continue;
    const std::int64_t iterations = saturating_add(other->iterations, plan.iterations);
    if (plan.iterations > other->iterations) std::swap(other, made);
    other->variants += made->variants;
    other->is_estimate = other->is_estimate || made->is_estimate;
    other->iterations = iterations;
    return;
  }
  part->parts.push_back(std::move(made));
}

void each_cost(const PlanTree& tree, const std::function<void(const spmd::StatementCost&, std::int64_t,
                                                              const std::vector<const graph::CallFrame*>&)>& visit) {
  for (const auto& report : tree.reports()) {
    for (const spmd::StatementCost& cost : report->costs) {
      visit(cost, std::max<std::int64_t>(report->iterations, 1), calls_of(cost.frame));
    }
  }
}

const PlanPart* only_plan(const PlanPart& part) {
  return part.parts.size() == 1 && part.parts[0]->is_plan ? part.parts[0].get() : nullptr;
}

const std::vector<std::unique_ptr<PlanPart>>& parts_of(const PlanPart& part) {
  const PlanPart* const plan = only_plan(part);
  return plan ? plan->parts : part.parts;
}

std::int64_t times_below(const PlanPart& part, std::int64_t times) {
  const PlanPart* const plan = part.is_plan ? &part : only_plan(part);
  return plan ? std::max<std::int64_t>(plan->iterations, 1) : times;
}

bool has_pipelines(const PlanTree& tree) {
  bool found = false;
  each_cost(tree, [&](const spmd::StatementCost& cost, std::int64_t, const std::vector<const graph::CallFrame*>&) {
    found = found || (cost.reason && cost.reason->kind == spmd::Reason::Kind::kHandedOn);
  });
  return found;
}

std::vector<eval::Unread> without_costs(const std::vector<eval::Unread>& unread, const PlanTree& tree) {
  std::set<std::pair<const SourceFile*, std::size_t>> lines;
  const auto number_of = [](Span span) {
    return std::pair(span.file, span.is_known() ? span.file->line_of(span.begin) : 0);
  };
  each_cost(tree,
            [&](const spmd::StatementCost& cost, std::int64_t, const std::vector<const graph::CallFrame*>& frames) {
              lines.insert(number_of(source_of(cost)));
              for (const graph::CallFrame* frame : frames) lines.insert(number_of(frame->span));
            });
  std::vector<eval::Unread> left;
  for (const eval::Unread& each : unread)
    if (!lines.contains(number_of(each.place))) left.push_back(each);
  return left;
}

}  // namespace mtf::session
