#include "eval/replay.h"

#include <algorithm>
#include <bit>
#include <span>
#include <unordered_map>

#include "eval/evaluator.h"
#include "plan/execution.h"
#include "plan/runtime.h"

namespace mtf::eval {
namespace {

/// After kFewTries iterations that could not be recorded, a loop pauses before each further try. The pause has as many
/// iterations as there were tries, but at most kLongestWait.
constexpr int64_t kFewTries = 4, kLongestWait = 256;
/// After more consecutive iterations than this that did not match the record, a loop makes a new record.
constexpr int64_t kMostMisses = 2;
/// The greatest number of items that loops walk in an evaluation ahead.
constexpr int64_t kMostAhead = 1000;

bool is_text_or_int(const HostValue& value) { return value.is<Text>() || value.is<int64_t>(); }

/// Returns a copy of a list, or of an item of one, with `none` in the place of each tensor. Appends the tensors.
/// Returns nothing if an item is `none`, or if lists are nested more than `depth` deep.
std::optional<HostValue> form_of(const HostValue& value, graph::Values& tensors, int depth = 4) {
  if (value.is<None>() || depth == 0) return std::nullopt;
  if (auto* tensor = value.as<graph::Handle>()) {
    tensors.push_back(tensor->value());
    return None{};
  }
  auto* list = value.as<ListPtr>();
  if (!list) return value;
  auto form = std::make_shared<List>();
  form->tuple = (*list)->tuple;
  for (const HostValue& item : (*list)->items) {
    std::optional<HostValue> of_item = form_of(item, tensors, depth - 1);
    if (!of_item) return std::nullopt;
    form->items.push_back(std::move(*of_item));
  }
  return ListPtr(std::move(form));
}

/// Returns a list of this form with the next tensors.
HostValue filled(const HostValue& form, std::span<const graph::Value>& tensors) {
  if (form.is<None>()) {
    graph::Handle next(tensors.front());
    tensors = tensors.subspan(1);
    return next;
  }
  auto* list = form.as<ListPtr>();
  if (!list) return form;
  auto full = std::make_shared<List>();
  full->tuple = (*list)->tuple;
  for (const HostValue& item : (*list)->items) full->items.push_back(filled(item, tensors));
  return ListPtr(std::move(full));
}

/// Returns, for each tensor, the index of the first tensor with the same node.
std::vector<size_t> firsts_of(const graph::Values& tensors) {
  const int64_t mark = graph::new_mark(static_cast<int64_t>(tensors.size()));
  std::vector<size_t> firsts;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const graph::Node& node = *tensors[i].node;
    if (node.mark < mark || node.mark >= mark + static_cast<int64_t>(tensors.size()))
      node.mark = mark + static_cast<int64_t>(i);
    firsts.push_back(static_cast<size_t>(node.mark - mark));
  }
  return firsts;
}

}  // namespace

// ---- Replays --------------------------------------------------------------------------------------------------------

void Replays::tell_effect() {
  happens_in_place();
  for (Replay* loop : loops_) loop->has_effect();
}
void Replays::tell_name(const Binding& binding, Scope& owner, const HostValue& value) {
  changes_in_place(owner.number);
  for (Replay* loop : loops_) loop->changes_name(binding, owner, value);
}
plan::MadeCut* Replays::tell_reader(Span span) {
  plan::MadeCut* made = nullptr;
  for (Replay* loop : loops_) made = loop->reader_cuts(span);  // the innermost loop decides
  return made;
}
void Replays::tell_assigned(const VariablePtr& variable, const std::shared_ptr<const graph::HistoryEnd>& ended) {
  happens_in_place();
  for (Replay* loop : loops_) loop->assigns(variable, ended);
}

void Replays::now_follows_numbers() {
  follows_numbers_ =
      std::any_of(loops_.begin(), loops_.end(), [](const Replay* loop) { return loop->follows_numbers(); });
}

bool Replays::has_number(const ast::Expr& expr) const {
  return std::any_of(loops_.begin(), loops_.end(), [&](const Replay* loop) { return loop->has_number(expr); });
}
bool Replays::takes_number(const ast::Expr& expr, const HostValue& value) {
  bool takes = false;
  for (Replay* loop : loops_) takes = loop->takes_number(expr, value) || takes;
  return takes;
}

// ---- what an iteration reads ----------------------------------------------------------------------------------------

void Replay::Names::add(const HostValue& value, int64_t iteration, int depth) {
  constexpr size_t kMany = 100'000;
  if (depth == 0 || host.size() > kMany) is_known = false;
  if (!is_known) return;
  if (auto* tensor = value.as<graph::Handle>()) {
    host.emplace_back(None{});
    tensors.push_back(tensor->value());
  } else if (auto* list = value.as<ListPtr>()) {
    host.emplace_back((*list)->tuple);
    host.emplace_back(static_cast<int64_t>((*list)->items.size()));
    for (const HostValue& item : (*list)->items) add(item, iteration, depth - 1);
  } else {
    // An object made in this iteration is a different object in the next. Nobody reports changes of such an object.
    const Scope* scope = nullptr;
    if (auto* function = value.as<FunctionPtr>()) scope = (*function)->scope.get();
    if (auto* model = value.as<ModelClassPtr>()) scope = (*model)->scope.get();
    if (auto* instance = value.as<InstancePtr>()) scope = (*instance)->scope.get();
    if ((scope && scope->number >= iteration) || value.is<SequencePtr>() || value.is<ObjectPtr>() || !value.is_known())
      is_known = false;
    else host.push_back(value);
  }
}

std::optional<HostValue> Replay::ahead(const ast::Expr& expr, const ScopePtr& scope) const {
  Replays& replays = evaluator_.replays;
  const Restore from(replays.ahead_from_, graph::new_node_id());
  const Restore items(replays.items_ahead_, kMostAhead);
  const Restore computes(replays.computes_number_, true);
  const Restore calls(evaluator_.builder.context.random_calls);
  try {
    return evaluator_.evaluate(expr, scope);
  } catch (const Replays::HappensInPlace&) {
  } catch (const UserError&) {}  // the evaluation of the statement throws it again
  return std::nullopt;
}

std::optional<Replay::Condition> Replay::condition_of(size_t statement, const ScopePtr& scope) const {
  auto* branch = body_.statements[statement].as<ast::IfStmt>();
  if (!branch || branch->otherwise || branch->branches.size() != 1) return std::nullopt;
  const ast::Expr& condition = *branch->branches[0].condition;
  for (const Name name : ast::mentions_of(condition))
    if (info_.assigns.contains(name) || info_.bound.contains(name)) return std::nullopt;
  const std::optional<HostValue> value = ahead(condition, scope);
  const bool* const holds = value ? value->as<bool>() : nullptr;
  return holds ? std::optional<Condition>({&condition, *holds}) : std::nullopt;
}

bool Replay::is_of_plain_names(const ast::Expr& expr, const ScopePtr& scope) const {
  const ast::NameSet names = ast::mentions_of(expr);
  return std::all_of(names.begin(), names.end(), [&](Name name) {
    const Binding* const binding = scope->find_own(name) ? nullptr : scope->find(name).binding;
    const HostValue none, &value = binding ? binding->value : none;
    return value.is<int64_t>() || value.is<double>() || value.is<bool>() || value.is<Text>() || value.is<Dim>();
  });
}

bool Replay::hold_as_recorded(const std::vector<Condition>& conditions, const ScopePtr& scope) const {
  return std::all_of(conditions.begin(), conditions.end(), [&](const Condition& condition) {
    const std::optional<HostValue> holds = ahead(*condition.expr, scope);
    const bool* const known = holds ? holds->as<bool>() : nullptr;
    return known && *known == condition.holds;
  });
}

std::optional<HostValue> Replay::number(const ast::Expr& expr, const std::unordered_map<Name, int>& bound,
                                        const ScopePtr& scope, const Record& record) const {
  bool is_of_iteration = false;
  for (const Name name : ast::mentions_of(expr)) {
    const bool is_number = record.binds_number(name);
    if ((bound.contains(name) && !is_number) || info_.assigns.contains(name)) return std::nullopt;  // the name changes
    is_of_iteration = is_of_iteration || is_number || scope->parent->find_own(name);
  }
  std::optional<HostValue> value = is_of_iteration ? ahead(expr, scope) : std::nullopt;
  return value && (value->is<int64_t>() || value->is<double>()) ? value : std::nullopt;
}

bool Replay::add_numbers(const ast::Expr& expr, const std::unordered_map<Name, int>& bound, const ScopePtr& scope,
                         Record& record, NameSet& mentioned) const {
  const auto* alone = expr.as<ast::NameExpr>();
  if (alone && record.binds_number(alone->name)) return true;
  if (number(expr, bound, scope, record)) {
    record.numbers.push_back({&expr});
    return true;
  }
  const auto* call = expr.as<ast::CallExpr>();
  mentioned.merge(ast::mentions_of(call ? *call->callee : expr));
  bool has_number = false;
  for (const ast::Argument& argument : call ? std::span(call->arguments) : std::span<const ast::Argument>()) {
    if (argument.label) mentioned.insert(argument.label->name);
    if (argument.target) mentioned.merge(ast::mentions_of(*argument.target));
    has_number = add_numbers(*argument.value, bound, scope, record, mentioned) || has_number;
  }
  return has_number;
}

bool Replay::add_numbers(const ast::Stmt& stmt, const std::unordered_map<Name, int>& bound, const ScopePtr& scope,
                         Record& record, NameSet& mentioned) const {
  const auto* let = stmt.as<ast::LetStmt>();
  const auto* alone = stmt.as<ast::ExprStmt>();
  if (let ? let->annotation.has_value() : !alone) return false;
  const ast::Expr& value = let ? *let->value : *alone->value;
  const auto* name = let ? std::get_if<ast::Ident>(&let->pattern->node) : nullptr;
  if (std::optional<HostValue> now = number(value, bound, scope, record)) {
    if (!name || bound.at(name->name) != 1) return false;
    record.numbers.push_back({&value, name});
    scope->bind(name->name, std::move(*now), name->span);
    return true;
  }
  NameSet others;
  if (!value.as<ast::CallExpr>() || !add_numbers(value, bound, scope, record, others)) return false;
  mentioned.merge(others);
  return true;
}

void Replay::find_what_is_read(Record& record, const ScopePtr& scope) const {
  NameSet seen;
  std::unordered_map<Name, int> bound;
  for (size_t i = record.first; i < record.last; ++i)
    for (const ast::Ident& ident : ast::names_bound_by(body_.statements[i])) ++bound[ident.name];
  const OwnScope numbers = evaluator_.nested(scope);
  for (size_t i = record.first; i < record.last; ++i) {
    if (const std::optional<Condition> condition = condition_of(i, scope)) {
      if (is_of_plain_names(*condition->expr, scope)) seen.merge(ast::mentions_of(*condition->expr));
      else record.conditions.push_back(*condition);
      if (condition->holds) seen.merge(body_.statements[i].as<ast::IfStmt>()->branches[0].body.facts->mentions());
    } else if (!add_numbers(body_.statements[i], bound, numbers, record, seen))
      seen.insert(info_.statement_mentions[i].begin(), info_.statement_mentions[i].end());
  }
  record.mentioned.assign(seen.begin(), seen.end());
  std::sort(record.mentioned.begin(), record.mentioned.end());
}

Replay::Names Replay::names_of(const Record& record, const ScopePtr& scope) const {
  Names names;
  for (const Name name : record.mentioned)
    if (const Binding* const binding = scope->find(name).binding) names.add(binding->value, iteration_);
  for (const Binding& binding : scope->bindings)  // a label may name a dim
    if (binding.value.is<Dim>()) names.add(binding.value, iteration_);
  return names;
}

bool Replay::has_same_context(const Record& record) const {
  evaluator_.builder.frame();
  const graph::Context& now = evaluator_.builder.context;
  const graph::Context& then = record.context;
  return now.mesh == then.mesh && now.layout == then.layout && now.precision == then.precision &&
         now.no_grad == then.no_grad && now.seed == then.seed && now.segment == then.segment && now.frame == then.frame;
}

// ---- an iteration ---------------------------------------------------------------------------------------------------

bool Replay::is_possible(const Evaluator& evaluator) {
  return evaluator.execution() && !evaluator.domain.is_abstract() && !evaluator.runtime().computes_nodes() &&
         !evaluator.execution()->record() && !evaluator.builder.context.check_finite && !evaluator.undo.wanted() &&
         evaluator.cuts.cuts_iterations();
}

Replay::Replay(Evaluator& evaluator, const ast::Block& body, bool carries, int64_t iterations)
    : evaluator_(evaluator),
      body_(body),
      info_(*body.facts),
      last_(body.statements.size()),
      carries_(carries),
      iterations_(iterations) {
  Replays& replays = evaluator_.replays;
  if (const auto range = replays.ranges_.find(&body_); range != replays.ranges_.end())
    first_ = range->second.first, last_ = std::min(range->second.last, last_);
  replays.loops_.push_back(this);
}
Replay::~Replay() {
  evaluator_.replays.ranges_[&body_] = {first_, last_};
  evaluator_.replays.loops_.pop_back();
  evaluator_.replays.now_follows_numbers();
}

void Replay::follow_numbers(bool follows) {
  follows_numbers_ = follows;
  evaluator_.replays.now_follows_numbers();
}

void Replay::begin_iteration() {
  follow_numbers(false);
  iteration_ = graph::new_node_id();
  ++iterations_;
  replays_ = false;
  making_.reset();
  tensors_.clear();
  is_behind_ = false;
  statement_ = 0;
}

void Replay::has_effect() {
  if (!making_ || is_behind_) return;
  const auto is_here = [&](const Condition& condition) {
    const auto* branch = body_.statements[statement_].as<ast::IfStmt>();
    return condition.holds && branch && condition.expr == branch->branches[0].condition.get();
  };
  // A condition that seldom holds is no reason to evaluate its statement each time.
  if (std::any_of(making_->conditions.begin(), making_->conditions.end(), is_here) && ++effects_ <= kMostMisses)
    return making_.reset();
  leave_out(statement_);
}

void Replay::leave_out(size_t statement) {
  const bool has_work = making_->first_work < statement;
  making_.reset();
  if (iterations_ == 1) return;  // many effects happen only in the first iteration
  last_ = statement;
  if (has_work) return;
  first_ = statement + 1;
  last_ = body_.statements.size();
  if (first_ >= last_) first_ = 0, next_try_ = iterations_ + kLongestWait;
}

void Replay::changes_name(const Binding& binding, Scope& owner, const HostValue& value) {
  if (owner.number >= iteration_) return;
  if (evaluator_.blocks.may_be_seen_by_functions(binding.name, owner)) return changes(owner.number);
  if (!making_ || is_behind_) return;
  const auto* list = binding.value.as<ListPtr>();
  const auto* next = value.as<ListPtr>();
  const bool may_repeat = list && next && *list != *next && (*list)->items.size() == (*next)->items.size() &&
                          std::none_of((*next)->items.begin(), (*next)->items.end(), is_text_or_int);
  if (may_repeat) {
    const auto is_it = [&](const NamedList& one) { return one.owner.get() == &owner && one.name == binding.name; };
    if (std::none_of(making_->lists.begin(), making_->lists.end(), is_it))
      making_->lists.push_back({binding.name, owner.shared_from_this(), binding.span});
    if (!carries_) making_->works_at(statement_);
    return;
  }
  const auto* before = binding.value.as<graph::Handle>();
  if (!before || tensor_of(value) == nullptr) return has_effect();
  const auto is_it = [&](const Named& named) { return named.owner.get() == &owner && named.name == binding.name; };
  if (std::any_of(making_->named.begin(), making_->named.end(), is_it)) return;
  const Kind kind(before->value());
  if (!before->value().node->is_computed(before->value().result) || kind.has_history()) return making_.reset();
  making_->named.push_back({binding.name, owner.shared_from_this(), binding.span, 0, kind});
  if (!carries_) making_->works_at(statement_);
}

plan::MadeCut* Replay::reader_cuts(Span span) {
  if (!making_ || !is_behind_ || making_->made.plan) return nullptr;
  making_->place = span;
  return &making_->made;
}

void Replay::changes(int64_t made) {
  if (made >= iteration_) return;
  making_.reset();
  known_.reset();
  is_confirmed_ = false;
}

void Replay::assigns(const VariablePtr& variable, const std::shared_ptr<const graph::HistoryEnd>& ended) {
  if (!making_) {
    if (!known_ || !known_->variables.contains(variable.get())) changes(0);
    return;
  }
  if (is_behind_) {
    if (making_->is_finished || !making_->variables.contains(variable.get())) making_.reset();
    return;
  }
  if (!making_->variables.insert(variable.get()).second) return;
  const graph::Value& before = variable->current.value();
  making_->assigned.push_back({variable, Kind(before), ended});
  making_->works_at(statement_);
  if (!before.node->is_computed(before.result) || Kind(before).has_history()) making_.reset();
}

bool Replay::has_number(const ast::Expr& expr) const {
  return making_ && std::any_of(making_->numbers.begin(), making_->numbers.end(),
                                [&](const Number& number) { return number.expr == &expr; });
}

bool Replay::takes_number(const ast::Expr& expr, const HostValue& value) {
  if (!making_) return false;
  for (Number& number : making_->numbers) {
    if (number.expr != &expr) continue;
    const bool is_first = number.value.is<None>();
    number.value = value;
    if (is_first && (value.is<int64_t>() || value.is<double>())) return true;
    making_.reset();
    return false;
  }
  return false;
}

size_t Replay::next_of(size_t statement, const ScopePtr& scope) {
  statement_ = statement;
  scope_ = scope.get();
  if (making_ && !is_behind_ && statement == making_->last) end_range();
  if (making_ && making_->made.plan) finish();
  if (!replays_at(statement, scope)) return statement;
  const size_t last = known_->last;
  if (last == body_.statements.size()) return last;
  for (size_t i = statement; i < last; ++i) evaluator_.cuts.end_statement(info_, i, *scope, false);
  run(known_->place);
  return last;
}

void Replay::finish() {
  if (making_->is_finished) return;
  if (making_->finish(iteration_)) return;
  making_.reset();
  known_.reset();
}

void Replay::end_range() {
  is_behind_ = true;
  follow_numbers(false);
  making_->calls = evaluator_.builder.context.random_calls - making_->context.random_calls;
  making_->last_node = graph::last_node_id();
  if (!find_named()) making_.reset();
}

bool Replay::add_list(Record& record, NamedList list, const HostValue& value) {
  if (!value.is<ListPtr>()) return false;
  graph::Values tensors;
  std::optional<HostValue> form = form_of(value, tensors);
  if (!form) return false;
  list.first = record.named.size();
  list.form = std::move(*form);
  for (const graph::Value& tensor : tensors) {
    if (tensor.result != 0) return false;
    record.named.push_back({.name = list.name, .owner = list.owner, .span = list.span, .node = tensor.node->id});
    record.named.back().is_in_list = true;
  }
  record.lists.push_back(std::move(list));
  return true;
}

bool Replay::find_named() {
  Record& record = *making_;
  for (Named& named : record.named) {
    const Binding* const binding = named.owner->find_own(named.name);
    const auto* tensor = binding ? binding->value.as<graph::Handle>() : nullptr;
    if (!tensor || tensor->value().result != 0) return false;
    named.node = tensor->value().node->id;
  }
  for (NamedList& list : std::exchange(record.lists, {})) {
    const Binding* const binding = list.owner->find_own(list.name);
    if (!binding || !add_list(record, std::move(list), binding->value)) return false;
  }
  if (record.last == body_.statements.size()) return true;  // the iteration's own names are gone
  std::vector<std::pair<ast::Ident, size_t>> bound;
  for (size_t i = record.first; i < record.last; ++i)
    for (const ast::Ident& ident : ast::names_bound_by(body_.statements[i])) bound.emplace_back(ident, i);
  const auto is_read_behind = [&](Name name) {
    return std::any_of(info_.statement_mentions.begin() + static_cast<std::ptrdiff_t>(record.last),
                       info_.statement_mentions.end(), [&](const NameSet& names) { return names.contains(name); });
  };
  for (const auto& [ident, statement] : bound) {
    const auto is_it = [&, ident = ident](const Named& named) { return !named.owner && named.name == ident.name; };
    if (record.binds_number(ident.name) || std::any_of(record.named.begin(), record.named.end(), is_it)) continue;
    if (info_.captured.contains(ident.name)) return false;
    if (!is_read_behind(ident.name) && !info_.assigns.contains(ident.name)) continue;
    const auto is_list = [&, ident = ident](const NamedList& list) { return !list.owner && list.name == ident.name; };
    if (std::any_of(record.lists.begin(), record.lists.end(), is_list)) continue;
    const Binding* const binding = scope_->find_own(ident.name);
    if (binding && binding->value.is<ListPtr>()) {
      if (!add_list(record, {ident.name, nullptr, binding->span}, binding->value)) return leave_out(statement), false;
      continue;
    }
    const auto* tensor = binding ? binding->value.as<graph::Handle>() : nullptr;
    if (!tensor || tensor->value().result != 0) return leave_out(statement), false;
    record.named.push_back({ident.name, nullptr, binding->span, tensor->value().node->id});
  }
  return true;
}

bool Replay::replays_at(size_t statement, const ScopePtr& scope) {
  if (is_confirmed_ ? statement != known_->first
                    : making_ || iterations_ <= next_try_ || statement < first_ || statement >= last_)
    return false;
  if (evaluator_.builder.table->any_pending_held() || evaluator_.cuts.in_counters()) return false;
  if (!is_confirmed_) {
    begin_record(statement, scope);
  } else {
    replays_ = hold_as_recorded(known_->conditions, scope) && matches(scope);
    if (replays_) misses_ = 0;
    else if (++misses_ > kMostMisses) changes(0);
  }
  return replays_;
}

void Replay::begin_record(size_t statement, const ScopePtr& scope) {
  Record& record = making_.emplace();
  record.first = statement;
  record.last = last_;
  find_what_is_read(record, scope);
  Names names = names_of(record, scope);
  if (!names.is_known) return making_.reset();
  record.host = std::move(names.host);
  record.firsts = firsts_of(names.tensors);
  for (const graph::Value& tensor : names.tensors) {
    record.kinds.emplace_back(tensor);
    if (!record.kinds.back().is_of(tensor)) return making_.reset();
  }
  evaluator_.builder.frame();
  record.context = evaluator_.builder.context;
  follow_numbers(!record.numbers.empty());
}

double Replay::now(const MovingNumber& number) const {
  return number.given ? given_[*number.given]
                      : number.value + evaluator_.builder.context.random_calls - known_->context.random_calls;
}

bool Replay::compute_numbers(const ScopePtr& scope) {
  const Record& record = *known_;
  given_.clear();
  for (const Number& number : record.numbers) {
    std::optional<HostValue> value = ahead(*number.expr, scope);
    if (!value || value->data.index() != number.value.data.index() || !(number.moves || are_same(*value, number.value)))
      return false;
    given_.push_back(*number_of(*value));
    if (number.name) scope->bind(number.name->name, std::move(*value), number.name->span);  // later numbers read it
  }
  // A program has one input for equal numbers. So no number may have become equal to another one.
  std::vector<std::optional<size_t>> given(record.sources.size());
  std::vector<double> numbers = record.made.capture.numbers;
  for (const MovingNumber& each : record.moving)
    if (!each.operation) numbers[each.index] = now(each), given[each.index] = each.given;
  for (size_t i = 0; i < numbers.size(); ++i)
    for (size_t j = 0; given[i] && j < numbers.size(); ++j)
      if (record.sources[j].from == Source::From::kNumber && given[i] != given[j] &&
          have_same_bits(numbers[i], numbers[j]))
        return false;
  return true;
}

bool Replay::matches(const ScopePtr& scope) {
  const Record& record = *known_;
  if (!has_same_context(record)) return false;
  Names names = names_of(record, scope);
  if (!names.is_known || names.tensors.size() != record.kinds.size() ||
      !std::equal(names.host.begin(), names.host.end(), record.host.begin(), record.host.end(), are_same) ||
      firsts_of(names.tensors) != record.firsts)
    return false;
  for (size_t i = 0; i < record.kinds.size(); ++i)
    if (!record.kinds[i].is_of(names.tensors[i])) return false;
  for (const Assigned& assigned : record.assigned)
    if (!assigned.before.is_of(assigned.variable->current.value())) return false;
  // All inputs must be computed, and no two may be the same tensor: the program would have one input for both.
  const int64_t mark = graph::new_mark();
  for (size_t i = 0; i < record.sources.size(); ++i) {
    const auto [from, index] = record.sources[i];
    if (from == Source::From::kNumber) continue;
    const graph::Value& value = from == Source::From::kSame       ? record.made.capture.leaves[i]
                                : from == Source::From::kVariable ? record.assigned[index].variable->current.value()
                                                                  : names.tensors[index];
    if (value.node->mark == mark || !value.node->is_computed(value.result)) return false;
    value.node->mark = mark;
  }
  if (!compute_numbers(scope)) return false;
  tensors_ = std::move(names.tensors);
  return true;
}

void Replay::wait_after_failures() {
  if (++tries_ >= kFewTries) next_try_ = iterations_ + std::min(tries_, kLongestWait);
}

void Replay::end_iteration(Flow flow, Span loop, bool cuts) {
  follow_numbers(false);
  const auto cut = [&](plan::MadeCut* made) {
    if (cuts) evaluator_.cuts.cut({}, loop, made);
  };
  if (replays_) return known_ && known_->last == body_.statements.size() ? run(loop) : cut(nullptr);
  if (making_ && !is_behind_) end_range();
  if (flow != Flow::kNext || (making_ && !cuts && !making_->made.plan)) making_.reset();
  if (making_ && making_->made.plan) {
    finish();  // before the cut, so that the record holds no values in it
    cut(nullptr);
  } else if (making_) {
    making_->place = loop;
    cut(&making_->made);
    finish();
    if (!making_) return wait_after_failures();
  } else {
    cut(nullptr);
  }
  std::optional<Record> record = std::exchange(making_, std::nullopt);
  if (!record) {
    if (!is_confirmed_ && iterations_ > next_try_) wait_after_failures();
    return;
  }
  is_confirmed_ = known_ && record->repeats(*known_);
  // The range's first statement may read values that differ in each iteration (its number, its item of a list). Perhaps
  // the later statements do not. So the next record begins at the second statement of the range.
  if (known_ && known_->first == record->first && known_->conditions == record->conditions &&
      !known_->has_same_names(*record)) {
    first_ = (record->first + 1) % body_.statements.size();
    if (first_ == 0) next_try_ = iterations_ + kLongestWait;
  }
  if (is_confirmed_) tries_ = 0;
  known_ = std::move(record);
  effects_ = 0;
}

// ---- a replayed iteration -------------------------------------------------------------------------------------------

/// Gives the record's program the values and numbers of the present iteration.
void Replay::give_inputs(Record& record) {
  graph::Capture& capture = record.made.capture;
  for (size_t i = 0; i < record.sources.size(); ++i) {
    const auto [from, index] = record.sources[i];
    if (from == Source::From::kVariable) capture.leaves[i] = record.assigned[index].variable->current.value();
    else if (from == Source::From::kName) capture.leaves[i] = tensors_[index];
  }
  for (const MovingNumber& number : record.moving)
    (number.operation ? number.operation->inputs[number.index] : capture.numbers[number.index]) = now(number);
  tensors_.clear();
}

/// Gives names, lists and variables the values that they had before the iteration, as far as its results are missing.
void Replay::take_back(const Record& record, const graph::Values& roots, const graph::Values& before,
                       std::vector<HostValue> lists_before) {
  for (size_t i = 0; i < record.lists.size(); ++i)
    (record.lists[i].owner ? record.lists[i].owner.get() : scope_)->find_own(record.lists[i].name)->value =
        std::move(lists_before[i]);
  for (size_t i = 0; i < roots.size(); ++i) {
    if (roots[i].node->is_computed(0)) break;
    const size_t index = record.root_of[i];
    if (index >= record.assigned.size()) {
      const Named& named = record.named[index - record.assigned.size()];
      if (named.is_in_list) continue;
      HostValue& value = (named.owner ? named.owner.get() : scope_)->find_own(named.name)->value;
      if (before[i]) value = graph::Handle(before[i]);
      else value = None{};
      continue;
    }
    before[i].node->ended = nullptr;
    record.assigned[index].variable->current = before[i];
  }
}

static graph::Value new_value(const graph::OperationRef& operation, Name name) {
  auto node = std::make_shared<graph::Node>();
  node->operation = operation;
  node->id = graph::new_node_id();
  node->name = name;
  return {std::move(node), 0};
}

void Replay::run(Span loop) {
  Record& record = *known_;
  give_inputs(record);
  evaluator_.builder.context.random_calls += record.calls;
  evaluator_.replays.has(Effects::kWrites);  // of loops around this one
  // An entry that fails in this iteration takes it back. Whatever else is run ends with the error, so that old values
  // that the iteration does not read need not be kept for it, as they are not in a plan.
  const bool may_be_taken_back = evaluator_.undo.wanted();
  graph::Values roots, before, named_values(record.named.size());
  for (const size_t index : record.root_of) {
    if (index >= record.assigned.size()) {
      const Named& named = record.named[index - record.assigned.size()];
      roots.push_back(new_value(named.after, named.node_name));
      roots.back().node->is_looked_at = named.is_looked_at;
      evaluator_.builder.adopt(*roots.back().node);
      before.emplace_back();
      named_values[index - record.assigned.size()] = roots.back();
      if (named.is_in_list) continue;
      if (!named.owner) {
        scope_->bind(named.name, graph::Handle(roots.back()), named.span);
        continue;
      }
      Binding* const binding = named.owner->find_own(named.name);
      if (may_be_taken_back) before.back() = binding->value.as<graph::Handle>()->value();
      binding->value = graph::Handle(roots.back());
      for (Replay* const around : evaluator_.replays.loops_)
        if (around != this) around->changes(named.owner->number);
      continue;
    }
    const Assigned& assigned = record.assigned[index];
    roots.push_back(new_value(assigned.after, assigned.name));
    roots.back().node->variable = assigned.variable->serial;
    evaluator_.builder.adopt(*roots.back().node);
    before.push_back(may_be_taken_back ? assigned.variable->current.value() : graph::Value());
    for (Replay* const around : evaluator_.replays.loops_)
      if (around != this) around->assigns(assigned.variable, assigned.ended);
    assigned.variable->current.value().node->ended = assigned.ended;
    assigned.variable->current = roots.back();
    evaluator_.cuts.assigned(assigned.variable);
  }
  std::vector<HostValue> lists_before;
  for (const NamedList& list : record.lists) {
    std::span<const graph::Value> tensors = std::span(named_values).subspan(list.first);
    HostValue full = filled(list.form, tensors);
    if (!list.owner) {
      scope_->bind(list.name, std::move(full), list.span);
      lists_before.emplace_back(None{});
      continue;
    }
    lists_before.push_back(std::exchange(list.owner->find_own(list.name)->value, std::move(full)));
    if (!may_be_taken_back) lists_before.back() = None{};
    for (Replay* const around : evaluator_.replays.loops_)
      if (around != this) around->changes(list.owner->number);
  }
  try {
    evaluator_.cuts.cut_by(loop, [&](plan::Execution& execution, graph::ValueTable& table) {
      execution.repeat(table, record.made, roots, loop);
      return true;
    });
  } catch (...) {  // a value without operands cannot be computed later
    if (!may_be_taken_back) throw;
    take_back(record, roots, before, std::move(lists_before));
    throw;
  }
  named_values.clear();
  for (size_t i = 0; i < record.sources.size(); ++i)
    if (record.sources[i].from == Source::From::kVariable || record.sources[i].from == Source::From::kName)
      record.made.capture.leaves[i] = {};
}

}  // namespace mtf::eval
