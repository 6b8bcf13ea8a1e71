#include "session/session.h"

#include <algorithm>
#include <deque>
#include <limits>
#include <ostream>
#include <unordered_map>

#include "cost/timed_costs.h"
#include "eval/declarations.h"
#include "eval/evaluator.h"
#include "graph/op.h"
#include "ops/registry.h"
#include "plan/runtime.h"
#include "session/check_program.h"
#include "session/entered_statement.h"
#include "session/move_to_layout.h"
#include "session/stand_in.h"
#include "support/text.h"
#include "syntax/doubts.h"
#include "syntax/parse.h"
#include "types/saturating.h"
#include "types/sharding.h"

namespace mtf::session {

struct Session::Impl {
  Impl(eval::Settings given, plan::Execution* execution, std::ostream& out)
      : settings(given), evaluator(std::move(given), execution, out) {
    evaluator.top()->changes = &evaluator.undo;
  }
  /// Begins an action; an interrupt from here on ends it. Another session may have used the runtime meanwhile.
  void begin() {
    evaluator.interrupt.forget();
    if (evaluator.execution() != nullptr) evaluator.execution()->heed(evaluator.interrupt);
  }
  eval::Settings settings;
  eval::Evaluator evaluator;
  std::function<void(const eval::StatementReport&)> on_statement;
  int64_t numbered = 0;        // entries without a name
  std::vector<Entry> entries;  // the executed parts

  /// Undoes an entry that has changed something.
  struct Done {
    eval::UndoLog undo;
    graph::Context context;  // before the entry
    size_t entries = 0;      // before the entry
  };
  std::deque<Done> done;   // the latest is last
  bool has_older = false;  // older entries can no longer be undone
  bool keeps_last_value = false;
  bool remembers = true;                                                       // whether entries are remembered
  std::unordered_map<std::string, std::shared_ptr<const ast::Program>> asked;  // trees of repeated texts

  /// The limits of `done`, whose logs keep replaced values: the number of entries, and the bytes besides those of the
  /// last one.
  static constexpr size_t kMostDone = 20;
  static constexpr int64_t kMostBytes = 16 << 20;

  /// Remembers an entry that has ended. An entry that only drew random numbers, or changed nothing, cannot be undone.
  void keep(Done entry) {
    if (!remembers) return;
    const graph::Context &before = entry.context, &now = evaluator.builder.context;
    const bool same = before.mesh == now.mesh && before.layout == now.layout && before.precision == now.precision &&
                      before.seed == now.seed;
    if (same && entry.undo.empty()) return;
    int64_t bytes = 0;
    for (const Done& earlier : done) bytes = saturating_add(bytes, earlier.undo.bytes());
    for (; !done.empty() && (done.size() == kMostDone || bytes > kMostBytes); has_older = true) {
      bytes = 0;
      done.pop_front();
      for (const Done& earlier : done) bytes = saturating_add(bytes, earlier.undo.bytes());
    }
    done.push_back(std::move(entry));
  }
  /// The way in which an entry is executed.
  struct Way {
    bool is_file = false;  // runs as one program, and reports nothing
    bool without_loops = false;
  };
  std::vector<EntryReport> run(const std::string& text, const std::string& name, Way way);
  bool run_statement(const std::shared_ptr<const ast::Program>& program, size_t index, Way way, EntryReport& report);
  EntryReport use(const eval::InForce& what);
  std::string written(const eval::InForce& what);
  bool computes(const std::shared_ptr<const ast::Program>& program, size_t index);
  std::optional<UserError> kept_iterations(const UserError& error);
  /// Calls `see` with the one statement of a program and an evaluator that does not compute. Undoes all changes
  /// afterwards.
  void look(eval::Evaluator& at, ast::Program parsed,
            const std::function<void(eval::Evaluator&, const ast::Stmt&)>& see);
  /// The same for an expression; `see` gets its value.
  void look(eval::Evaluator& at, const std::string& text, const std::string& name,
            const std::function<void(const eval::HostValue&)>& see);
  void last_value(eval::HostValue value, Span span);
  /// Returns the tree of a text that only computes, assigns, or binds by `let`. The same text gives the same tree,
  /// which is kept.
  std::shared_ptr<const ast::Program> tree_of(const std::string& text, const std::string& name);
  /// Returns the value of an expression, and its span.
  std::pair<eval::HostValue, Span> value_of(const std::string& expression, const std::string& name);
  void declare_dims(const Dims& dims);
  void set(const std::string& target, const plan::HostView& data);
  graph::Value variable_given(const plan::HostView& data, const ast::Stmt& stmt);

  /// Runs a step that may change the session. Takes its changes back if it fails, and remembers them otherwise.
  template <typename Step>
  void change(const Step& step) {
    begin();
    eval::UndoLog undo;
    Done all{{}, evaluator.builder.context, entries.size()};
    const auto undoing = evaluator.undo.into(undo);
    evaluator.blocks.expect_more();
    try {
      step();
    } catch (...) {
      undo.take_back();
      evaluator.builder.context = all.context;
      throw;
    }
    all.undo.add(undo);
    keep(std::move(all));
  }
};

Session::Session(eval::Settings settings, plan::Execution* execution, std::ostream& out)
    : impl_(std::make_unique<Impl>(std::move(settings), execution, out)) {}
Session::~Session() = default;

void Session::interrupt() { impl_->evaluator.interrupt.ask(); }
const Interrupt& Session::interrupt_request() const { return impl_->evaluator.interrupt; }
void Session::forget_interrupt() { impl_->evaluator.interrupt.forget(); }

void Session::run_file(const std::string& path) {
  impl_->begin();
  impl_->evaluator.run_program(impl_->settings.parsed->parse_or_throw(SourceFile::read(path)));
}

void Session::run_text(const std::string& name, const std::string& text) {
  impl_->begin();
  impl_->evaluator.run_program(impl_->settings.parsed->parse_or_throw(SourceFile::create(name, text)));
}

// Binds the value to `_`, and drops the one before.
void Session::Impl::last_value(eval::HostValue value, Span span) {
  static const Name kLast("_");
  eval::Scope& top = *evaluator.top();
  const Restore looks_change_nothing(top.changes, static_cast<eval::Undo*>(nullptr));
  if (eval::Binding* const bound = top.find_own(kLast)) {
    bound->value = std::move(value);
    bound->span = span;
  } else {
    top.bind(kLast, std::move(value), span);
  }
}

/// Returns the text of a script for it: its name, if the session still has a mesh or layout of this name.
std::string Session::Impl::written(const eval::InForce& what) {
  for (const eval::Binding& binding : evaluator.top()->bindings) {
    if (evaluator.top()->find_own(binding.name) != &binding) continue;
    const auto* mesh = binding.value.as<MeshPtr>();
    const auto* layout = binding.value.as<LayoutPtr>();
    if ((mesh && what.what == decltype(what.what)(*mesh)) || (layout && what.what == decltype(what.what)(*layout)))
      return binding.name.str();
  }
  return std::visit([](const auto& value) { return to_string(*value); }, what.what);
}

EntryReport Session::Impl::use(const eval::InForce& what) {
  EntryReport report;
  begin_statement(evaluator, report, what.span);
  eval::use(evaluator, what);
  session::warn_of_layout(evaluator);
  evaluator.cuts.cut({}, what.span);  // pending computations are not part of the resharding
  evaluator.reports.begin_statement();
  const std::vector<std::pair<std::string, eval::HostValue>> moved = move_to_layout(evaluator, what.span);
  evaluator.cuts.cut({}, what.span);
  for (const auto& [name, value] : moved) add_binding(report, evaluator, Name(name), value);
  add_costs(report, evaluator);
  if (on_statement) on_statement(report);
  return report;
}

/// True if the statement is a bare expression with a value.
bool Session::Impl::run_statement(const std::shared_ptr<const ast::Program>& program, size_t index, Way way,
                                  EntryReport& report) {
  const Span span = program->body.statements[index].span;
  begin_statement(evaluator, report, span);
  if (way.is_file) {
    evaluator.run_entry_statement(program, index);
    return false;
  }
  std::optional<eval::HostValue> value = run_entered(evaluator, program, index, report);
  const bool has_value = value.has_value();
  if (has_value && keeps_last_value) last_value(*std::move(value), span);
  if (on_statement) on_statement(report);
  return has_value;
}

/// True if a statement has operations on tensors, as a check finds, or cannot be checked.
bool Session::Impl::computes(const std::shared_ptr<const ast::Program>& program, size_t index) {
  StandIn checker(evaluator, settings);
  if (evaluator.modules.keeps(*program)) checker.evaluator().modules.keep(program);  // makes its functions known
  try {
    checker.evaluator().run_entry_statement(program, index);
    return checker.evaluator().builder.added > 0;
  } catch (const UserError&) {  // running the loop would report the error in one of its iterations
    return true;
  }
}

/// Keeps the effects of an interrupted loop's finished iterations. Returns the error to report, or nothing if there are
/// no effects.
std::optional<UserError> Session::Impl::kept_iterations(const UserError& error) {
  const int64_t iterations = evaluator.undo.iterations();
  if (error.diagnostic().kind() != Kind::interrupted || iterations == 0) return std::nullopt;
  evaluator.undo.take_back_iteration();
  evaluator.loops.bind_last_iteration(evaluator.top());
  Diagnostic said = error.diagnostic();
  const std::string kept = fmt::format("what {} of the loop {} done is kept", count_text(iterations, "ended turn"),
                                       iterations == 1 ? "has" : "have");
  return UserError(std::move(said).note(kept + (remembers ? "; `:undo` takes it back" : "")));
}

std::vector<EntryReport> Session::Impl::run(const std::string& text, const std::string& name, Way way) {
  begin();
  Entry entry{name.empty() ? fmt::format("<{}>", ++numbered) : name, {}, way.is_file, way.without_loops, false, {}, {}};
  auto program = std::make_shared<ast::Program>(parse_or_throw(
      SourceFile::create(entry.name, text), way.is_file ? syntax::ParseMode::kScript : syntax::ParseMode::kRepl));
  std::vector<EntryReport> results;
  eval::UndoLog undo;                                       // of the current statement
  Done all{{}, evaluator.builder.context, entries.size()};  // of the statements before it
  const auto undoing = evaluator.undo.into(undo);
  evaluator.blocks.expect_more();
  if (evaluator.execution() != nullptr && !way.is_file) evaluator.reports.collect();
  if (way.is_file) evaluator.meshes.declare_all(*program->facts);
  // A statement that is not a bare expression keeps the tree itself, and makes the entry's functions known.
  const auto end = [&] {
    if (way.is_file) evaluator.end_file(*program);
    if (!evaluator.modules.keeps(*program)) evaluator.modules.keep(program);
    if (!entry.has_value.empty()) {
      entry.text = text.substr(0, program->body.statements[entry.has_value.size() - 1].span.end);
      if (remembers) entries.push_back(std::move(entry));
    }
    keep(std::move(all));
  };
  for (size_t i = 0; i < program->body.statements.size(); ++i) {
    if (way.is_file && i > 0) evaluator.end_file_statement(*program, i - 1);
    const ast::Stmt& stmt = program->body.statements[i];
    if (way.without_loops && (stmt.as<ast::ForStmt>() || stmt.as<ast::WhileStmt>()) && computes(program, i)) {
      entry.left_out.push_back(i);
      entry.has_value.push_back(false);
      continue;
    }
    const graph::Context before = evaluator.builder.context;
    const auto take_back = [&] {
      undo.take_back();
      evaluator.builder.context = before;
      end();
    };
    try {
      EntryReport report;
      entry.has_value.push_back(run_statement(program, i, way, report));
      all.undo.add(undo);
      if (!stmt.quiet) results.push_back(std::move(report));
    } catch (const UserError& error) {
      if (const std::optional<UserError> said = kept_iterations(error)) {
        all.undo.add(undo);
        entry.has_value.push_back(false);
        end();
        throw UserError(*said);
      }
      take_back();
      throw;
    } catch (...) {
      take_back();
      throw;
    }
  }
  if (const size_t count = program->body.statements.size(); way.is_file && count > 0)
    evaluator.end_file_statement(*program, count - 1);
  end();
  return results;
}

std::vector<EntryReport> Session::execute(const std::string& text, const std::string& name) {
  return impl_->run(text, name, {});
}

void Session::load(const std::string& text, const std::string& name, bool without_loops) {
  const eval::Modules::Evaluating here = impl_->evaluator.modules.evaluating(name);
  impl_->run(text, name, {.is_file = true, .without_loops = without_loops});
}

eval::InForce Session::mesh_or_layout(const std::string& text, const std::string& name) {
  std::optional<eval::InForce> found;
  impl_->look(impl_->evaluator, parse_or_throw(SourceFile::create(name, text), syntax::ParseMode::kUse),
              [&](eval::Evaluator& evaluator, const ast::Stmt& stmt) {
                found = in_force(evaluator, *stmt.as<ast::UseStmt>(), evaluator.top());
              });
  MTF_CHECK(found, "what a session names is known");
  return *found;
}

std::vector<EntryReport> Session::use(const eval::InForce& what, const std::string& name) {
  Impl& session = *impl_;
  std::vector<EntryReport> reports;
  session.change([&] {
    if (session.evaluator.execution() != nullptr) session.evaluator.reports.collect();
    reports.push_back(session.use(what));
    session.entries.push_back({.name = name.empty() ? fmt::format("<{}>", ++session.numbered) : name,
                               .text = session.written(what),
                               .is_use = true,
                               .has_value = {false},
                               .left_out = {}});
  });
  return reports;
}

const std::vector<Entry>& Session::entries() const { return impl_->entries; }

Planned Session::plan(const std::string& text, const std::string& name, const Assumption& assumption,
                      std::shared_ptr<plan::ProgramRecord> record, const cost::MachineModel* machine) {
  plan::ExecutionOptions options{.record = record};
  if (machine) options.costs = cost::costs_timed_by(*machine);
  const auto program =
      std::make_shared<const ast::Program>(parse_or_throw(SourceFile::create(name, text), syntax::ParseMode::kRepl));
  StandIn planner(impl_->evaluator, impl_->settings, assumption, std::move(options), program.get());
  eval::Evaluator& evaluator = planner.evaluator();
  const graph::Context& context = evaluator.builder.context;
  Planned planned;
  planned.mesh = context.mesh;
  planned.record = record;
  if (context.layout) planned.layout = *context.layout;
  if (record) planned.before = record->so_far();
  const plan::Counters before = planner.execution().counters();
  for (size_t i = 0; i < program->body.statements.size(); ++i) {
    const ast::Stmt& stmt = program->body.statements[i];
    EntryReport report;
    begin_statement(evaluator, report, stmt.span);
    run_entered(evaluator, program, i, report);
    if (!stmt.quiet) planned.statements.push_back(std::move(report));
  }
  if (!evaluator.modules.keeps(*program)) evaluator.modules.keep(program);
  planned.counters = difference(planner.execution().counters(), before);
  planned.peak = planner.execution().peak_memory();
  planned.again = planner.execution().rematerialized();
  planned.sources = evaluator.modules.all_kept();
  if (record) record->keep(planned.sources);
  return planned;
}

namespace {

/// Returns the one expression of a text.
const ast::Expr& expression_of(const ast::Program& program) {
  auto* stmt = program.body.statements.size() == 1 ? program.body.statements[0].as<ast::ExprStmt>() : nullptr;
  if (!stmt) fail(Kind::bad_usage, program.body.span, "expected an expression");
  return *stmt->value;
}

}  // namespace

void Session::Impl::look(eval::Evaluator& at, ast::Program parsed,
                         const std::function<void(eval::Evaluator&, const ast::Stmt&)>& see) {
  auto program = std::make_shared<const ast::Program>(std::move(parsed));
  MTF_CHECK(program->body.statements.size() == 1, "what is looked at is one statement");
  at.interrupt.forget();
  StandIn checker(at, at.settings);
  checker.evaluator().modules.keep(program);
  see(checker.evaluator(), program->body.statements[0]);
  at.modules.keep(program);  // functions made by it may outlive it
}

void Session::Impl::look(eval::Evaluator& at, const std::string& text, const std::string& name,
                         const std::function<void(const eval::HostValue&)>& see) {
  ast::Program program = parse_or_throw(SourceFile::create(name, text), syntax::ParseMode::kRepl);
  expression_of(program);  // fails if it is no expression
  look(at, std::move(program), [&](eval::Evaluator& checker, const ast::Stmt& stmt) {
    see(checker.evaluate(*stmt.as<ast::ExprStmt>()->value, checker.top()));
  });
}

KnownName Session::what_is(const std::string& expression, const std::string& name, const Assumption& assumption) {
  std::optional<StandIn> planner;
  if (!assumption.is_none()) {
    const ast::Program program = parse_or_throw(SourceFile::create(name, expression), syntax::ParseMode::kRepl);
    planner.emplace(impl_->evaluator, impl_->settings, assumption, plan::ExecutionOptions(), &program);
  }
  KnownName result;
  impl_->look(planner ? planner->evaluator() : impl_->evaluator, expression, name,
              [&](const eval::HostValue& value) { result = known(expression, value); });
  return result;
}

std::vector<std::pair<std::string, eval::LaidOut>> Session::lies(const std::string& expression) {
  std::vector<std::pair<std::string, eval::LaidOut>> result;
  impl_->look(impl_->evaluator, expression, "<" + expression + ">", [&](const eval::HostValue& value) {
    result = laid_out_in(value);
    if (result.empty())
      fail(Kind::type_mismatch, {}, "{}: expected a tensor or a model, found {}", expression, describe(value));
  });
  return result;
}

std::vector<HeldVariable> Session::variables(const std::string& expression, const std::string& name) {
  std::vector<HeldVariable> result;
  impl_->look(impl_->evaluator, expression, name,
              [&](const eval::HostValue& value) { result = held_variables(value); });
  return result;
}

std::shared_ptr<const ast::Program> Session::Impl::tree_of(const std::string& text, const std::string& name) {
  std::shared_ptr<const ast::Program>& tree = asked[name + "\n" + text];
  if (!tree) {
    auto parsed =
        std::make_shared<const ast::Program>(parse_or_throw(SourceFile::create(name, text), syntax::ParseMode::kRepl));
    evaluator.modules.keep(parsed);
    tree = std::move(parsed);
  }
  return tree;
}

std::pair<eval::HostValue, Span> Session::Impl::value_of(const std::string& expression, const std::string& name) {
  const ast::Expr& asked_for = expression_of(*tree_of(expression, name));
  begin();
  return {evaluator.evaluate(asked_for, evaluator.top()), asked_for.span};
}

namespace {

/// Returns a number of the host as f64 without dims. Fails at `span` if the value is no number.
plan::HostTensor number_read(const eval::HostValue& value, Span span) {
  const std::optional<double> number = number_of(value);
  if (!number) fail(Kind::type_mismatch, span, "expected a tensor or a number, found {}", describe(value));
  return plan::host_number(ElementType::kF64, *number);
}

}  // namespace

plan::HostTensor Session::read(const std::string& expression, const std::string& name) {
  const auto [value, span] = impl_->value_of(expression, name);
  if (const graph::Value* tensor = tensor_of(value)) return impl_->evaluator.cuts.fetch(*tensor, span);
  return number_read(value, span);
}

Session::Shown Session::show(const std::string& expression, const std::string& name) {
  const auto [value, span] = impl_->value_of(expression, name);
  if (const graph::Value* const tensor = tensor_of(value)) return show(*tensor, span);
  const auto number = std::make_shared<const plan::HostTensor>(number_read(value, span));
  return {*number, number, true};
}

Session::Shown Session::show(const graph::Value& tensor, Span span) {
  eval::Evaluator& evaluator = impl_->evaluator;
  evaluator.cuts.cut({tensor}, span);
  if (std::shared_ptr<const plan::Tensor> whole = evaluator.execution()->whole(tensor)) {
    const auto bytes = static_cast<size_t>(size_of(whole->type.dims) * size_of(whole->type.element));
    const std::span<const std::byte> held(static_cast<const std::byte*>(whole_block(*whole)), bytes);
    return {plan::HostView(tensor.type(), held), std::move(whole)};
  }
  const auto copy = std::make_shared<const plan::HostTensor>(evaluator.cuts.fetch(tensor, span));
  return {*copy, copy, true};
}

eval::HostValue Session::value(const std::string& expression, const std::string& name) {
  return impl_->value_of(expression, name).first;
}

namespace {

bool is_a_name(const std::string& text) {
  const std::vector<syntax::Token> tokens = syntax::tokenize(SourceFile::create("<set>", text));
  return tokens.size() == 1 && tokens[0].kind == syntax::TokenClass::kName &&
         tokens[0].span.text().size() == text.size();
}

}  // namespace

void check_given(const plan::HostView& data) {
  Dims dims;
  for (const Dim& dim : data.type.dims) {
    if (!is_a_name(dim.name.str()))
      fail(Kind::bad_value, {}, "expected the name of a dim, found {}", quote(dim.name.str()));
    if (has_dim(dims, dim.name)) fail(Kind::dim_twice, {}, "`{}` stands twice", dim.name.text());
    if (dim.size < 1) fail(Kind::bad_size, {}, "`{}`: expected at least 1, found {}", dim.name.text(), dim.size);
    dims.push_back(dim);
  }
  const std::optional<int64_t> elements = checked_size(dims);
  const int64_t unit = size_of(data.type.element);
  if (!elements || *elements > std::numeric_limits<int64_t>::max() / unit)
    fail(Kind::size_overflow, {}, "{}", to_string(data.type));
  if (static_cast<uint64_t>(*elements * unit) != data.bytes.size())
    fail(Kind::size_mismatch, {}, "expected {} for {}, found {}", count_text(*elements * unit, "byte"),
         to_string(data.type), data.bytes.size());
  if (data.bytes.data() == nullptr) fail(Kind::bad_value, {}, "{} without its elements", to_string(data.type));
  if (data.type.element != ElementType::kBool) return;
  const auto wrong =
      std::find_if(data.bytes.begin(), data.bytes.end(), [](std::byte each) { return each > std::byte{1}; });
  if (wrong != data.bytes.end())
    fail(Kind::bad_value, {}, "expected 0 or 1 for each bool, found {}", std::to_integer<int>(*wrong));
}

void Session::Impl::declare_dims(const Dims& dims) {
  for (const Dim& dim : dims) {
    if (evaluator.top()->find(dim.name).binding == nullptr)
      evaluator.run_entry_statement(tree_of(fmt::format("dim {} = {}", dim.name.text(), dim.size), "<set>"), 0);
    const eval::Binding& binding = *evaluator.top()->find(dim.name).binding;
    const Dim* const known = binding.value.as<Dim>();
    if (!known)
      fail(Diagnostic(Kind::not_a_dim, {}, fmt::format("`{}` is {}", dim.name.text(), describe(binding.value)))
               .related(binding.span, "here"));
    if (known->size != dim.size) {
      fail(Diagnostic(Kind::size_conflict, {},
                      fmt::format("the tensor has {}, the session {}", to_string(dim), to_string(*known)))
               .related(binding.span, "declared here"));
    }
  }
}

/// Makes the tensor that a statement binds or assigns. Its layout is that of the rules, or of the assigned variable.
graph::Value Session::Impl::variable_given(const plan::HostView& data, const ast::Stmt& stmt) {
  if (auto* assign = stmt.as<ast::AssignStmt>()) {
    const eval::HostValue target = evaluator.evaluate(*assign->target, evaluator.top());
    if (const eval::VariablePtr* place = target.as<eval::VariablePtr>();
        place && (*place)->type.dims == data.type.dims) {
      evaluator.meshes.check(stmt.span);
      const graph::Value value = evaluator.builder.constant(data.type, (*place)->stored);
      evaluator.execution()->place(*value.node, data);
      return value;
    }
  }
  const graph::Value value = evaluator.caller.unplaced(data.type, stmt.span);
  evaluator.execution()->place(*value.node, data);
  return value;
}

void Session::Impl::set(const std::string& target, const plan::HostView& data) {
  static const Name kGiven("_");
  check_given(data);
  const bool is_name = is_a_name(target) && target != kGiven.text();
  eval::Scope& top = *evaluator.top();
  const eval::Binding* const there = is_name ? top.find_own(Name(target)) : nullptr;
  const bool assigns = !is_name || (there && there->value.is<eval::VariablePtr>());
  const auto tree = [&]() -> std::shared_ptr<const ast::Program> {
    try {
      return tree_of((assigns ? target + " := " : "let " + target + " = ") + kGiven.str(), "<set>");
    } catch (const UserError&) { return nullptr; }
  }();
  const ast::Stmt* const stmt = tree && tree->body.statements.size() == 1 ? &tree->body.statements[0] : nullptr;
  const auto* const assign = stmt ? stmt->as<ast::AssignStmt>() : nullptr;
  if (!stmt || target == kGiven.text() || (assigns && (!assign || assign->target->span.text().size() != target.size())))
    fail(Kind::bad_value, {}, "expected a name, or what leads to one, such as `net.w`, found {}", quote(target));
  declare_dims(data.type.dims);
  graph::Value value = variable_given(data, *stmt);
  const eval::Binding* const last = top.find_own(kGiven);
  const eval::HostValue before = last ? last->value : eval::HostValue();
  last_value(std::move(value), stmt->span);
  const auto restored = [&] { top.find_own(kGiven)->value = before; };
  try {
    evaluator.run_entry_statement(tree, 0);
    restored();
    evaluator.cuts.cut({}, stmt->span);
  } catch (...) {
    restored();
    throw;
  }
}

void Session::set(const std::string& target, const plan::HostView& data) {
  impl_->change([&] { impl_->set(target, data); });
}

void Session::bind(const std::string& name, eval::HostValue value) {
  if (!is_a_name(name)) fail(Kind::bad_value, {}, "expected a name, found {}", quote(name));
  impl_->change([&] { impl_->evaluator.top()->bind(Name(name), std::move(value), {}); });
}

void Session::declare_dims(const Dims& dims) {
  impl_->change([&] { impl_->declare_dims(dims); });
}

eval::HostValue Session::given(const plan::HostView& data) {
  check_given(data);
  impl_->declare_dims(data.type.dims);
  const graph::Value value = impl_->evaluator.caller.unplaced(data.type, {});
  impl_->evaluator.execution()->place(*value.node, data);
  return value;
}

namespace {

/// Adds the tensors of a value, and those of a list's elements.
void append_tensors(graph::Values& tensors, const eval::HostValue& value) {
  if (auto* list = value.as<eval::ListPtr>())
    for (const eval::HostValue& item : (*list)->items) append_tensors(tensors, item);
  else if (const graph::Value* tensor = tensor_of(value)) tensors.push_back(*tensor);
}

}  // namespace

eval::HostValue Session::call(const eval::HostValue& function, std::vector<eval::HostValue> arguments) {
  eval::HostValue result;
  impl_->change([&] {
    result = impl_->evaluator.calls.call_with(function, std::move(arguments), {});
    graph::Values tensors;
    append_tensors(tensors, result);
    impl_->evaluator.cuts.cut(tensors, {});
  });
  return result;
}

namespace {

Diagnostics check(std::shared_ptr<const SourceFile> source, const eval::Settings& settings) {
  Diagnostics found;
  const auto program = settings.parsed->parse(std::move(source), found);
  if (found.has_errors()) return found;
  check_program(program, settings, found);
  return found.by_place();
}

}  // namespace

Diagnostics Session::check_file(const std::string& path, const eval::Settings& settings) {
  std::shared_ptr<const SourceFile> source;
  Diagnostics found;
  if (!found.attempt([&] { source = SourceFile::read(path); })) return found;
  return check(std::move(source), settings);
}

Diagnostics Session::check_text(const std::string& name, const std::string& text, const eval::Settings& settings) {
  return check(SourceFile::create(name, text), settings);
}

Diagnostics Session::check_here(const std::string& name, const std::string& text) {
  Diagnostics found;
  auto program = std::make_shared<ast::Program>(syntax::parse(SourceFile::create(name, text), found));
  if (found.has_errors()) return found;
  syntax::warn_of_doubts(*program, found);
  impl_->evaluator.interrupt.forget();
  StandIn checker(impl_->evaluator, impl_->settings);
  eval::Evaluator& evaluator = checker.evaluator();
  evaluator.findings.collect_in(found);
  evaluator.meshes.declare_all(*program->facts);
  const eval::Modules::Evaluating here = evaluator.modules.evaluating(name);
  try {
    for (size_t i = 0; i < program->body.statements.size(); ++i) evaluator.run_entry_statement(program, i);
    evaluator.uncalled.check_names(evaluator.names, evaluator.builtins, evaluator.findings);
  } catch (const eval::CheckEnded&) {
  } catch (const UserError& error) { found.add(error.diagnostic()); }
  return found.by_place();
}

std::vector<KnownName> Session::known_names(const std::string& prefix) const {
  return session::known_names(impl_->evaluator, prefix);
}

eval::StoredVariables Session::stored_variables() const { return impl_->evaluator.variables.stored(); }

const std::vector<eval::Unread>& Session::unread() const { return impl_->evaluator.unread.all(); }

std::vector<Axis> Session::axes() const {
  const MeshPtr& mesh = impl_->evaluator.builder.context.mesh;
  return mesh ? mesh->axes() : std::vector<Axis>();
}

std::vector<HeldName> Session::held(const Assumption& assumption) const {
  std::optional<StandIn> planner;
  if (!assumption.is_none())
    planner.emplace(impl_->evaluator, impl_->settings, assumption, plan::ExecutionOptions(), nullptr);
  return held_names(*impl_->evaluator.top());
}

void Session::give_option(const std::string& name, const std::string& text) {
  impl_->settings.set.emplace_back(name, text);
  impl_->evaluator.options.give(name, text);
}

const eval::Settings& Session::settings() const { return impl_->settings; }
const Mesh& Session::mesh() const { return *impl_->evaluator.builder.context.mesh; }
const Layout& Session::layout() const {
  static const Layout kNone;
  const LayoutPtr& layout = impl_->evaluator.builder.context.layout;
  return layout ? *layout : kNone;
}

int64_t Session::undo(int64_t entries) {
  int64_t taken = 0;
  for (; taken < entries && !impl_->done.empty(); ++taken) {
    Impl::Done& last = impl_->done.back();
    last.undo.take_back();
    impl_->evaluator.builder.context = last.context;
    impl_->entries.resize(last.entries);
    impl_->done.pop_back();
  }
  return taken;
}

bool Session::has_older_entries() const { return impl_->has_older; }

void Session::remember_nothing() {
  impl_->remembers = false;
  impl_->entries.clear();
  impl_->done.clear();
}

void Session::keep_last_value() { impl_->keeps_last_value = true; }

void Session::on_warning(std::function<void(const Diagnostic&)> callback) {
  impl_->evaluator.findings.on_warning(std::move(callback));
}
void Session::warn_of_layout() { session::warn_of_layout(impl_->evaluator); }
void Session::have_been_told(const Diagnostics& warnings) { impl_->evaluator.findings.have_been_told(warnings); }
void Session::on_progress(std::function<void(const eval::Progress&)> callback) {
  impl_->evaluator.loops.on_progress(std::move(callback));
}
void Session::on_statement(std::function<void(const eval::StatementReport&)> callback) {
  impl_->on_statement = callback;
  impl_->evaluator.reports.on_statement(callback, impl_->evaluator.execution() != nullptr);
}
void Session::on_cut(std::function<void(Span)> callback) { impl_->evaluator.cuts.on_cut(std::move(callback)); }

}  // namespace mtf::session
