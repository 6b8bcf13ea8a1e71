#include "eval/scan.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <unordered_set>

#include "eval/calls.h"
#include "eval/cuts.h"
#include "eval/iteration_values.h"
#include "eval/possible_values.h"
#include "eval/scope.h"
#include "eval/variables.h"
#include "eval/variables_below.h"
#include "eval/within_iteration.h"
#include "graph/op.h"
#include "graph/region.h"
#include "ops/builder.h"
#include "ops/loop.h"
#include "ops/ops.h"
#include "support/diagnostics.h"
#include "support/restore.h"
#include "support/text.h"

namespace mtf::eval {
namespace {

using graph::Value;
using graph::Values;

/// Appends the tensors of a value: a tensor, a number, or a tuple or list of such values.
void append_tensors(Values& tensors, Caller& caller, const HostValue& value, Span span, std::string_view what) {
  if (auto* list = value.as<ListPtr>()) {
    for (size_t i = 0; i < (*list)->items.size(); ++i)
      append_tensors(tensors, caller, (*list)->items[i], span, part_of(what, i));
  } else if (tensor_of(value) || is_number(value) || value.is<bool>()) {
    tensors.push_back(caller.convert.to_tensor(value, span));
  } else {
    fail(Kind::type_mismatch, span, "expected {} to be a tensor, or a tuple or list of tensors, found {}", what,
         describe(value));
  }
}

/// Returns a value with the structure of `model` and other tensors, taken from `tensors` at index `next` and after.
HostValue with_tensors(const HostValue& model, const Values& tensors, size_t& next) {
  auto* list = model.as<ListPtr>();
  if (!list) return tensors[next++];
  std::vector<HostValue> items;
  for (const HostValue& item : (*list)->items) items.push_back(with_tensors(item, tensors, next));
  return (*list)->tuple ? make_tuple(std::move(items)) : make_list(std::move(items));
}

/// True if two values have the same structure of tuples and lists.
bool same_form(const HostValue& a, const HostValue& b) {
  auto* of_a = a.as<ListPtr>();
  auto* of_b = b.as<ListPtr>();
  if (!of_a || !of_b) return !of_a && !of_b;
  const std::vector<HostValue>&x = (*of_a)->items, &y = (*of_b)->items;
  return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), same_form);
}

/// Returns the dim with this name in the first tensor of `value` that has such a dim.
std::optional<Dim> found_in(const HostValue& value, Name name) {
  if (auto* list = value.as<ListPtr>()) {
    for (const HostValue& item : (*list)->items)
      if (const auto found = found_in(item, name)) return found;
  } else if (const Value* tensor = tensor_of(value)) {
    if (const int place = find_dim(tensor->dims(), name); place >= 0) return tensor->dims()[place];
  }
  return std::nullopt;
}

/// Converts the carry at the end of an iteration to the types with which the carry began.
Values carried_on(Caller& caller, const Values& begins, const Values& ends, Span span) {
  ops::Builder& builder = caller.parts.builder;
  const Restore ours(builder.written, false);
  Values next;
  for (size_t c = 0; c < begins.size(); ++c) {
    const TensorType &was = begins[c].type(), &is = ends[c].type();
    const bool is_number = ends[c].operation().op->role == graph::Role::kNumber;
    const std::string what = begins.size() == 1 ? "the carry" : part_of("the carry", c);
    if (!same_set(was.dims, is.dims) || (was.element != is.element && !is_number))
      fail(Diagnostic(Kind::carry_changed, span,
                      fmt::format("{} begins as {}, and a turn leaves {}", what, to_string(was), to_string(is)))
               .help(same_set(was.dims, is.dims)
                         ? fmt::format("`cast(…, {})` converts it", name(was.element))
                         : "a turn leaves what has the same dims; what it makes besides is the second of a pair"));
    next.push_back(builder.cast(ends[c], was.element));
    if (next.back().dims() != was.dims) next.back() = builder.broadcast(next.back(), was.dims);
  }
  return next;
}

void refuse_dim(const Values& values, const Dim& over, std::string_view what, Span span) {
  for (const Value& value : values)
    if (has_dim(value.dims(), over.name))
      fail(Diagnostic(Kind::dim_twice, span,
                      fmt::format("{} has the dim {} of the loop: {}", what, over.name.text(), to_string(value.type())))
               .help(fmt::format("rename it: rename(x, {} -> …)", over.name.text())));
}

/// Returns the carry as a pipeline carries it: bools as ints. A pipeline stage sends its carry as a sum to which other
/// stages add zeros, and there is no sum of bools.
Values as_carried(ops::Builder& builder, Values values, Name micro) {
  const Restore ours(builder.written, false);
  for (Value& value : values)
    if (!micro.empty() && value.element() == ElementType::kBool) value = builder.cast(value, ElementType::kI32);
  return values;
}

/// Undoes `as_carried`: converts values to the types with which the carry began.
Values as_begun(ops::Builder& builder, Values values, const Values& begins) {
  const Restore ours(builder.written, false);
  for (size_t c = 0; c < values.size(); ++c) values[c] = builder.cast(values[c], begins[c].element());
  return values;
}

/// Fails if an operation of the iteration computes along the dim `micro` of micro-batches. Each position of this dim is
/// a micro-batch that passes through the loop alone.
void refuse_mixing(const graph::Region& iteration, Name micro) {
  const graph::LaidOutOperation* const mixing = along_micro(iteration, micro, false).mixing;
  if (mixing)
    fail(Diagnostic(Kind::mixes_micro_batches, mixing->span,
                    fmt::format("{} computes along {}, of which each place is a micro-batch that goes through the "
                                "loop alone",
                                mixing->op->name, micro.text()))
             .help("what mixes micro-batches stands behind the loop"));
}

/// Returns the initial value of a variable that the iteration has made, before it is resharded to the variable's
/// layout. The stacked variable has another layout.
const Value& begins_with(const Variable& variable) {
  const graph::Value& stored = variable.current.value();
  if (stored.operation().op != &ops::kAssign || stored.node->operands().empty()) return stored;
  const graph::Value& initial = stored.node->operands()[0];
  return initial.operation().op->role == graph::Role::kNumber ? stored : initial;
}

/// Appends the values that an iteration leaves and that must be stacked: first variables, then tensors.
void append_left(Values& values, LeftByIteration& left) {
  left.sort();
  for (const VariablePtr& variable : left.variables) values.push_back(begins_with(*variable));
  for (const HostValue* tensor : left.tensors) values.push_back(tensor->as<graph::Handle>()->value());
}

/// Replaces the iteration's values by the stacked values, in the variables and host values that hold them.
void stack_left(Caller& caller, const LeftByIteration& left, const Dims& over, const Values& stacked) {
  std::unordered_map<const graph::LaidOutOperation*, size_t> of;  // by the variable's operation in the iteration
  for (size_t p = 0; p < left.variables.size(); ++p) of[left.variables[p]->current.value().node->operation.get()] = p;
  for (size_t p = 0; p < left.variables.size(); ++p)
    caller.parts.variables.stack(left.variables[p], over, stacked[p], [&](const graph::OperationRef& like) {
      const auto at = of.find(like.get());
      return at == of.end() ? like : left.variables[at->second]->current.value().node->operation;
    });
  for (size_t i = 0; i < left.tensors.size(); ++i) *left.tensors[i] = stacked[left.variables.size() + i];
}

}  // namespace

namespace {

constexpr size_t kFunction = 0, kStart = 1, kXs = 2, kOver = 3, kReverse = 4, kRecompute = 5, kPipeline = 6,
                 kSchedule = 7, kChunks = 8;

/// A call of `scan`: evaluates one iteration, and makes it a loop.
class ScanCall {
 public:
  ScanCall(Caller& caller, const Bound& call)
      : caller_(caller),
        call_(call),
        builder_(caller.parts.builder),
        // the dim of xs may have another size
        over_(has_xs() ? found_in(call.value(kXs), call.dim(kOver).name).value_or(call.dim(kOver)) : call.dim(kOver)),
        attributes_{.over = over_,
                    .reverse = flag(kReverse),
                    .recompute = flag(kRecompute),
                    .alternates = alternates(),
                    .chunks = chunks()},
        micro_(micro()),
        starts_(starts()),
        carried_(as_carried(builder_, starts_, micro_)),
        calls_before_(builder_.context.random_calls),
        is_outermost_(!caller.parts.calls.makes_instance() && !caller.parts.cuts.iteration()),
        under_way_{"scan", call.span(), graph::new_node_id(), caller.parts.variables.last(),
                   caller.parts.cuts.iteration()},
        placed_(caller, over_, has_xs() ? call.span(kXs) : call.span()),
        left_(under_way_, over_, &placed_) {
    iteration_.first_node = under_way_.first;
    if (call.has(kPipeline)) under_way_.micro = call.dim(kPipeline).name;  // also if the loop is not pipelined
    iteration_.micro = micro_;
  }

  HostValue run() {
    std::optional<ForgetsUnnamed> forgets;
    if (is_outermost_) forgets.emplace(caller_.parts.variables);
    if (!evaluate_iteration()) return unknown(UnknownKind::kAny);
    builder_.context.random_calls = calls_before_ + static_cast<double>(iteration_.calls * over_.size);
    builder_.span = call_.span();
    return results_of(add_loop());
  }

 private:
  bool has_xs() const { return call_.has(kXs); }
  bool flag(size_t parameter) const {
    return call_.has(parameter) &&
           caller_.convert.to_condition(call_.value(parameter), call_.span(parameter)).value_or(false);
  }

  bool alternates() const {
    if (!call_.has(kSchedule)) return false;
    const std::string& schedule = call_.text(kSchedule);
    if (schedule != "gpipe" && schedule != "1f1b")
      fail(Diagnostic(Kind::type_mismatch, call_.span(kSchedule),
                      fmt::format("expected the schedule \"gpipe\" or \"1f1b\", found \"{}\"", schedule)));
    return schedule == "1f1b" && call_.has(kPipeline);
  }

  /// Returns the number of chunks of layers that each stage has.
  int64_t chunks() const {
    if (!call_.has(kChunks)) return 0;
    const std::optional<int64_t> chunks = call_.integer(kChunks);
    if (chunks && *chunks < 1)
      fail(Kind::bad_value, call_.span(kChunks), "expected at least one chunk of layers, found {}", *chunks);
    if (!call_.has(kPipeline))
      fail(Diagnostic(Kind::missing_argument, call_.span(kChunks),
                      fmt::format("expected `pipeline:` beside `chunks: {}`, found none", chunks.value_or(1)))
               .help("chunks are of the layers of a stage: `pipeline: micro` names the dim of micro-batches"));
    if (const int64_t layers = call_.dim(kOver).size; chunks && layers % *chunks != 0)
      fail(Kind::bad_value, call_.span(kChunks), "expected chunks that divide the {} of {}, found {}", layers,
           call_.dim(kOver).name.text(), *chunks);
    return chunks.value_or(1) > 1 ? *chunks : 0;
  }

  /// Returns the dim of micro-batches; none if the loop is no pipeline. The check for finite values reads whole values
  /// and would mix micro-batches. So a checked run does not pipeline the loop, which gives the same result.
  Name micro() const {
    return call_.has(kPipeline) && !builder_.context.check_finite ? call_.dim(kPipeline).name : Name();
  }

  Values starts() const {
    Values starts;
    append_tensors(starts, caller_, call_.value(kStart), call_.span(kStart), "the start");
    refuse_dim(starts, over_, "what is carried", call_.span(kStart));
    for (const Value& start : starts)
      if (!micro_.empty() && !has_dim(start.dims(), micro_))
        fail(Diagnostic(Kind::no_micro_batches, call_.span(kStart),
                        fmt::format("expected what is carried to have the dim {} of micro-batches, found {}",
                                    micro_.text(), to_string(start.type())))
                 .help(fmt::format("reshape(x, batch -> [{}, …]) makes micro-batches of a batch", micro_.text())));
    return starts;
  }

  /// Evaluates the function once. Returns false if a check cannot know what it returns.
  bool evaluate_iteration() {
    HostValue x;
    if (has_xs()) x = placed_.of(call_.value(kXs), "xs");
    if (has_xs() && placed_.all.empty())
      fail(Kind::shape_mismatch, call_.span(kXs), "expected something with the dim {}, found {}", to_string(over_),
           describe(call_.value(kXs)));
    under_way_.own = placed_.variables;
    const WithinIteration within(caller_, under_way_);
    const ForgetsUnnamed of_iteration(caller_.parts.variables);
    std::vector<HostValue> arguments = {begin_carries()};
    if (has_xs()) arguments.push_back(x);
    HostValue returned = caller_.parts.calls.call_with(call_.value(kFunction), std::move(arguments), call_.span());
    if (is_unsettled(returned)) return false;
    builder_.span = call_.span();
    take_returned(std::move(returned));
    take_left();
    iteration_.placed = placed_.leaves;
    iteration_.calls = within.calls();
    return true;
  }

  /// Returns the carry of the iteration.
  HostValue begin_carries() {
    for (size_t c = 0; c < starts_.size(); ++c) {
      const Value& start = carried_[c];
      iteration_.carried.push_back(
          builder_.constant(start.type(), {start.sharding(), start.inherited(), start.mesh(), {}}));
      iteration_.carried.back().node->name = starts_[c].node->name.empty() ? Name("carry") : starts_[c].node->name;
    }
    size_t next = 0;
    return with_tensors(call_.value(kStart), as_begun(builder_, iteration_.carried, starts_), next);
  }

  /// Takes the next carry and what is stacked from the result of the function.
  void take_returned(HostValue returned) {
    if (auto* pair = returned.as<ListPtr>();
        pair && (*pair)->tuple && (*pair)->items.size() == 2 && !same_form(call_.value(kStart), returned)) {
      is_pair_ = true;
      ys_ = (*pair)->items[1];
      returned = HostValue((*pair)->items[0]);
    }
    if (!same_form(call_.value(kStart), returned))
      fail(Kind::carry_changed, call_.span(kFunction), "expected the function to return what is carried, {}, found {}",
           describe(call_.value(kStart)), describe(returned));
    Values ends;
    append_tensors(ends, caller_, returned, call_.span(kFunction), "the carry");
    iteration_.next = as_carried(builder_, carried_on(caller_, starts_, ends, call_.span(kFunction)), micro_);
    if (is_pair_ && !ys_.is<None>())
      append_tensors(iteration_.stacked, caller_, ys_, call_.span(kFunction), "the second part");
    refuse_dim(iteration_.stacked, over_, "the second part", call_.span(kFunction));
  }

  /// Stacks also what the iteration assigned to variables and names, and appended to lists.
  void take_left() {
    for (const VariablePtr& variable : placed_.variables)
      if (variable->is_assigned) iteration_.stacked.push_back(variable->current.value());
    const size_t of_function = iteration_.stacked.size();
    for (const Iteration::Extended& list : under_way_.extended) {
      std::vector<HostValue>& items = (*list.scope->find_own(list.name)->value.as<ListPtr>())->items;
      for (size_t i = list.before; i < items.size(); ++i) left_.add(items[i]);
    }
    assigned_ = placed_.assigned_names();
    for (const PlacedValue::AssignedInIteration& name : assigned_) left_.add(*name.value);
    append_left(iteration_.stacked, left_);
    refuse_dim({iteration_.stacked.begin() + static_cast<std::ptrdiff_t>(of_function), iteration_.stacked.end()}, over_,
               "what the turn leaves in a list or a model", call_.span(kFunction));
  }

  /// Adds the loop to the graph, and gives variables, names and lists what the iterations left for them.
  ops::ScanResults add_loop() {
    // A variable that the iterations assign gets its new value after the loop. The loop reads a copy of the variable,
    // so that this assignment does not end the history of the loop's other results.
    for (size_t p = 0; p < placed_.variables.size(); ++p)
      if (Value& all = placed_.all[placed_.all_of[p]]; placed_.variables[p]->is_assigned)
        all = builder_.add(ops::kCopy, {all});
    ops::ScanResults results = add_scan(builder_, attributes_, iteration_, carried_, placed_.all);
    if (!micro_.empty()) refuse_mixing(*results.carried[0].operation().region, micro_);
    size_t of_states = results.stacked.size() - left_.tensors.size() - left_.variables.size();
    stack_left(caller_, left_, {over_},
               {results.stacked.begin() + static_cast<std::ptrdiff_t>(of_states), results.stacked.end()});
    if (is_outermost_ && !left_.variables.empty()) caller_.parts.variables.paths_are_complete(under_way_.first);
    for (const PlacedValue::AssignedInIteration& name : assigned_)
      caller_.parts.variables.assign_name(name.scope, name.index, HostValue(*name.value), call_.span());
    for (const VariablePtr& variable : placed_.variables) of_states -= variable->is_assigned ? 1 : 0;
    for (size_t p = 0, next = of_states; p < placed_.variables.size(); ++p)
      if (placed_.variables[p]->is_assigned)
        caller_.parts.variables.assign(placed_.stacked[p], as_stored(*placed_.stacked[p], results.stacked[next++]),
                                       call_.span(), call_.span());
    return results;
  }

  /// Returns a stacked value with the dims of its variable, which may have the layers in chunks.
  Value as_stored(const Variable& variable, Value stacked) const {
    const Restore ours(builder_.written, false);
    const bool in_chunks = variable.type.dims.size() > stacked.dims().size();
    return in_chunks ? builder_.reshape(stacked, variable.type.dims) : stacked;
  }

  HostValue results_of(const ops::ScanResults& results) {
    size_t next = 0;
    HostValue last = with_tensors(call_.value(kStart), as_begun(builder_, results.carried, starts_), next);
    if (!is_pair_) return last;
    next = 0;
    HostValue all = ys_.is<None>() ? HostValue(None{}) : with_tensors(ys_, results.stacked, next);
    return make_tuple({std::move(last), std::move(all)});
  }

  Caller& caller_;
  const Bound& call_;
  ops::Builder& builder_;
  const Dim over_;
  const ops::ScanAttributes attributes_;
  const Name micro_;  ///< the dim of micro-batches; empty if the loop is no pipeline
  const Values starts_, carried_;
  const double calls_before_;
  const bool is_outermost_;
  Iteration under_way_;
  PlacedValue placed_;
  LeftByIteration left_;
  ops::IterationGraph iteration_;
  std::vector<PlacedValue::AssignedInIteration> assigned_;
  bool is_pair_ = false;
  HostValue ys_;  ///< the second part, if the function returns a pair
};

}  // namespace

HostValue scan(Caller& caller, const Bound& call) {
  for (const GivenArgument& item : call.arguments.items)
    if (is_unsettled(item.value)) return unknown(UnknownKind::kAny);
  return ScanCall(caller, call).run();
}

HostValue stacked(Caller& caller, const Bound& call) {
  constexpr size_t kOver = 0, kFunction = 1, kChunks = 2;
  for (const GivenArgument& item : call.arguments.items)
    if (is_unsettled(item.value)) return unknown(UnknownKind::kAny);
  ops::Builder& builder = caller.parts.builder;
  const Dim over = call.dim(kOver);
  const int64_t chunks = call.has(kChunks) ? call.integer(kChunks).value_or(1) : 1;
  if (chunks < 1 || over.size % chunks != 0)
    fail(Kind::bad_value, call.span(kChunks), "expected chunks that divide the {} of {}, found {}", over.size,
         over.name.text(), chunks);
  const double calls_before = builder.context.random_calls;
  Iteration under_way{"stacked", call.span(), graph::new_node_id(), caller.parts.variables.last(),
                      caller.parts.cuts.iteration()};
  ops::IterationGraph iteration;
  iteration.first_node = under_way.first;
  HostValue made;
  const bool is_outermost = !caller.parts.calls.makes_instance() && !caller.parts.cuts.iteration();
  std::optional<ForgetsUnnamed> forgets;
  if (is_outermost) forgets.emplace(caller.parts.variables);
  LeftByIteration left(under_way, over, nullptr);
  {
    const WithinIteration within(caller, under_way);
    const ForgetsUnnamed of_iteration(caller.parts.variables);
    made = caller.parts.calls.call_with(call.value(kFunction), {}, call.span());
    if (is_unsettled(made)) return unknown(UnknownKind::kAny);
    if (holds_variables(made) != HoldsVariables::kYes)
      fail(Diagnostic(Kind::type_mismatch, call.span(kFunction),
                      fmt::format("expected a function that makes a model, found one that gives {}", describe(made)))
               .help("stacked(layers, fn() = nn.Dense(a, b))"));
    left.add(made);
    append_left(iteration.stacked, left);
    refuse_dim(iteration.stacked, over, "what is stacked", call.span(kFunction));
    iteration.calls = within.calls();
  }
  builder.context.random_calls = calls_before + static_cast<double>(iteration.calls * over.size);
  builder.span = call.span();
  if (iteration.stacked.empty()) return made;
  const Dims stored = chunks > 1 ? dims_in_chunks(over, chunks) : Dims{over};
  if (chunks > 1) {  // a loop over the chunks, around one over the layers of a chunk
    const WithinIteration within(caller, under_way);
    iteration.stacked = add_scan(builder, {.over = stored[1]}, iteration, {}, {}).stacked;
    iteration.calls *= stored[1].size;
  }
  const ops::ScanResults results = add_scan(builder, {.over = stored[0]}, iteration, {}, {});
  stack_left(caller, left, stored, results.stacked);
  if (is_outermost) caller.parts.variables.paths_are_complete(under_way.first);
  return made;
}

}  // namespace mtf::eval
