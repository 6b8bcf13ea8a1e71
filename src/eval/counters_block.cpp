// `counters { … }`: counts the computation and communication of a block.
#include <fmt/format.h>

#include "eval/binding.h"
#include "eval/evaluator.h"
#include "support/text.h"

namespace mtf::eval {
namespace {

/// Collectives of one kind, or a part of them: `c.all_reduce`, `c.all_reduce.over("cols")`.
class CollectiveFigures : public Object {
 public:
  CollectiveFigures(std::optional<plan::Counters> counters, spmd::CollectiveKind kind,
                    std::optional<plan::CollectiveCount> part)
      : counters_(std::move(counters)), kind_(kind), part_(part) {}
  std::string_view kind() const override { return "the figure of a collective"; }
  std::string print() const override {
    if (!counters_) return "";
    const plan::CollectiveCount c = count();
    return fmt::format("{} {}, {}, {}", name(kind_), c.count, mtf::count_text(c.values, "value"), bytes_text(c.bytes));
  }
  std::vector<std::string> attributes() const override {
    return {"count", "calls", "values", "bytes", "wire_bytes", "over"};
  }
  std::optional<HostValue> attribute(Name name) override {
    const std::string_view figure = name.text();
    if (figure == "over" && !part_) return over();
    const plan::CollectiveCount c = counters_ ? count() : plan::CollectiveCount{};
    auto result = [&](int64_t number) -> HostValue {
      return counters_ ? HostValue(number) : unknown(UnknownKind::kInt);
    };
    if (figure == "count") return result(c.count);
    if (figure == "calls") return result(c.calls);
    if (figure == "values") return result(c.values);
    if (figure == "bytes") return result(c.bytes);
    if (figure == "wire_bytes") return result(c.wire_bytes);
    return std::nullopt;
  }

 private:
  plan::CollectiveCount count() const { return part_ ? *part_ : counters_->total(kind_); }
  HostValue over() const {
    static const syntax::Signature kSignature = "over(axis: string, more: string...) -> value";
    return host_function(kSignature, "", Effects::kNone,
                         [counters = counters_, kind = kind_](Caller& caller, const Bound& call) -> HostValue {
                           std::vector<Name> axes;
                           for (const GivenArgument& item : call.arguments.items) {
                             const std::string& axis = **item.value.as<Text>();
                             caller.parts.meshes.check_axis(axis, item.span);
                             axes.emplace_back(axis);
                           }
                           std::optional<plan::CollectiveCount> part;
                           if (counters) part = counters->over(kind, axes);
                           else part = plan::CollectiveCount{};
                           return ObjectPtr(std::make_shared<CollectiveFigures>(counters, kind, part));
                         });
  }
  std::optional<plan::Counters> counters_;
  spmd::CollectiveKind kind_;
  std::optional<plan::CollectiveCount> part_;
};

/// The result of `counters { … }`. In a check its figures are unknown.
class CounterFigures : public Object {
 public:
  explicit CounterFigures(std::optional<plan::Counters> counters) : counters_(std::move(counters)) {}
  std::string_view kind() const override { return "what a block counted"; }
  std::string print() const override { return counters_ ? to_string(*counters_) : ""; }
  std::vector<std::string> attributes() const override {
    std::vector<std::string> names = {"flops", "unique_flops", "processors", "peak_bytes"};
    for (int kind = 0; kind < spmd::kCollectiveKinds; ++kind)
      names.emplace_back(spmd::name(static_cast<spmd::CollectiveKind>(kind)));
    return names;
  }
  std::optional<HostValue> attribute(Name wanted) override {
    const std::string_view figure = wanted.text();
    auto result = [&](int64_t plan::Counters::*number) -> HostValue {
      return counters_ ? HostValue((*counters_).*number) : unknown(UnknownKind::kInt);
    };
    if (figure == "flops") return result(&plan::Counters::flops);
    if (figure == "unique_flops") return result(&plan::Counters::unique_flops);
    if (figure == "processors") return result(&plan::Counters::processors);
    if (figure == "peak_bytes") return result(&plan::Counters::peak_bytes);
    for (int kind = 0; kind < spmd::kCollectiveKinds; ++kind) {
      if (figure == spmd::name(static_cast<spmd::CollectiveKind>(kind))) {
        return HostValue(ObjectPtr(
            std::make_shared<CollectiveFigures>(counters_, static_cast<spmd::CollectiveKind>(kind), std::nullopt)));
      }
    }
    return std::nullopt;
  }

 private:
  std::optional<plan::Counters> counters_;
};

}  // namespace

HostValue Evaluator::counters_block(const ast::CountersExpr& counters, const ScopePtr& scope) {
  const OwnScope inner = nested(scope);
  const Restore counts(counted_scope_, static_cast<const Scope*>(&*inner));
  Flow flow = Flow::kNext;
  std::optional<plan::Counters> counted =
      cuts.counted(*inner, counters.body.span, [&] { flow = run_block(counters.body, inner); });
  if (domain.is_check() && flow == Flow::kReturn) calls.may_have_returned(counters.body.span);
  return ObjectPtr(std::make_shared<CounterFigures>(std::move(counted)));
}

}  // namespace mtf::eval
