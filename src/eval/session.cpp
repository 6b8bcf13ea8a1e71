#include "eval/session.h"

#include <algorithm>
#include <cstring>
#include <sstream>

#include "eval/evaluator.h"
#include "eval/relayout.h"
#include "graph/op.h"
#include "ops/registry.h"
#include "support/text.h"
#include "syntax/parse.h"
#include "types/sharding.h"

namespace mtf {

struct Session::Impl {
  Impl(Settings given, Engine* engine, std::ostream& out) : settings(given), evaluator(std::move(given), engine, out) {
    if (engine != nullptr) engine->heed(evaluator.interrupt);
  }
  Settings settings;
  Evaluator evaluator;
  std::function<void(const StatementReport&)> on_statement;
  int64_t numbered = 0;        // entries that were not given a name
  std::vector<Entry> entries;  // as far as they were carried out

  /// What a statement may change besides what `undo` takes back.
  struct Before {
    std::vector<Binding> bindings, hoisted;
    Context context;
  };
  std::optional<Before> before_last;  // the last entry
  std::vector<UndoLog> undo_last;     // what takes its statements back
  size_t entries_before_last = 0;
  bool keeps_last_value = false;
  static constexpr size_t kMostUndone = 100;  // statements: they keep old values

  /// A statement of an entry has ended.
  void keep(UndoLog& undo) {
    if (undo_last.size() == kMostUndone) before_last.reset();
    if (before_last) undo_last.push_back(std::move(undo));
    else undo_last.clear();
    undo = UndoLog();
  }

  /// Holds tensors set aside: only to be had again.
  Before before() const {
    Before before{evaluator.top()->bindings, evaluator.top()->hoisted, evaluator.builder.context};
    for (Binding& binding : before.bindings)
      if (Handle* const handle = std::get_if<Handle>(&binding.value.data)) handle->set_aside();
    return before;
  }
  void restore(const Before& before, UndoLog& undo) {
    undo.take_back();
    Scope& top = *evaluator.top();
    top.bindings = before.bindings;
    for (Binding& binding : top.bindings)
      if (Handle* const handle = std::get_if<Handle>(&binding.value.data); handle && !binding.is_aside) handle->take_up();
    top.hoisted = before.hoisted;
    top.rearranged();
    evaluator.builder.context = before.context;
  }
  /// How an entry is carried out.
  struct Way {
    bool keeps = true;     // what it does stays
    bool is_file = false;  // it is one program, and reports nothing
    bool without_loops = false;
    bool moves = false;  // what is held is moved to the layout in force
  };
  std::vector<StatementReport> run(const std::string& text, const std::string& name, Way way);
  bool run_statement(const std::shared_ptr<const ast::Program>& program, size_t index, Way way, StatementReport& report);
  bool run_at_prompt(const std::shared_ptr<const ast::Program>& program, size_t index, Way way, StatementReport& report);
  std::optional<UserError> kept_turns(const UserError& error);
  /// Evaluates an expression without computing, shows its value to `see`, and leaves everything as it was.
  void look(const std::string& text, const std::string& name, const std::function<void(const HostValue&)>& see);
  void last_value(HostValue value, Span span);
  void describe_binding(StatementReport& report, Name name, const HostValue& value) {
    if (auto binding = binding_of(name, value, evaluator.display)) report.bindings.push_back(std::move(*binding));
  }
};

Session::Session(Settings settings, Engine* engine, std::ostream& out) : impl_(std::make_unique<Impl>(std::move(settings), engine, out)) {}
Session::~Session() = default;

void Session::interrupt() { impl_->evaluator.interrupt.ask(); }

void Session::run_file(const std::string& path) {
  impl_->evaluator.interrupt.forget();
  impl_->evaluator.run_program(std::make_shared<ast::Program>(parse_or_throw(SourceFile::read(path))));
}

void Session::run_text(const std::string& name, const std::string& text) {
  impl_->evaluator.interrupt.forget();
  impl_->evaluator.run_program(std::make_shared<ast::Program>(parse_or_throw(SourceFile::create(name, text))));
}

// Binds it to `_`, in place of the one before.
void Session::Impl::last_value(HostValue value, Span span) {
  static const Name kLast("_");
  Scope& top = *evaluator.top();
  if (Binding* const bound = top.find_own(kLast)) {
    bound->value = std::move(value);
    bound->span = span;
  } else {
    top.bind(kLast, std::move(value), span);
  }
}

/// A statement at the prompt, with what it is said to have bound and cost. True if it is a bare expression with a value.
bool Session::Impl::run_at_prompt(const std::shared_ptr<const ast::Program>& program, size_t index, Way way, StatementReport& report) {
  const ast::Stmt& stmt = program->body.statements[index];
  auto* expression = stmt.as<ast::ExprStmt>();
  bool has_value = false;
  if (expression && !stmt.quiet) {
    HostValue value = evaluator.evaluate(*expression->value, evaluator.top());
    if (const Value* tensor = tensor_of(value)) evaluator.cuts.cut({*tensor}, stmt.span);
    else evaluator.cuts.cut({}, stmt.span);
    has_value = !value.is<None>();
    if (has_value) {
      describe_binding(report, Name(), value);
      if (const Value* tensor = tensor_of(value); tensor && !evaluator.domain.is_abstract()) {
        report.bindings.back().value = evaluator.display.text(value);
        report.bindings.back().tensor = std::make_shared<HostTensor>(evaluator.cuts.fetch(*tensor, stmt.span));
      }
      if (keeps_last_value && way.keeps) last_value(std::move(value), stmt.span);
    }
  } else {
    evaluator.run_entry_statement(program, index);
    std::vector<std::pair<std::string, HostValue>> moved;
    if (way.moves) {
      evaluator.cuts.cut({}, stmt.span);  // what was pending is no part of moving
      evaluator.reports.begin_statement();
      moved = move_to_layout(evaluator, stmt.span);
    }
    evaluator.cuts.cut({}, stmt.span);
    for (const auto& [name, value] : moved) describe_binding(report, Name(name), value);
    std::vector<ast::Ident> names;
    if (auto* let = stmt.as<ast::LetStmt>()) names_of(*let->pattern, names);
    if (auto* assign = stmt.as<ast::AssignStmt>()) {
      if (auto* name = assign->target->as<ast::NameExpr>()) names.push_back({name->name, assign->target->span});
    }
    if (!stmt.quiet) {
      for (const ast::Ident& ident : names) {
        if (Binding* binding = evaluator.top()->find_own(ident.name)) describe_binding(report, ident.name, binding->value);
      }
    }
  }
  for (const StatementReport& part : evaluator.reports.list()) {
    report.costs.insert(report.costs.end(), part.costs.begin(), part.costs.end());
    add_times(report.counters, part.counters, std::max<int64_t>(part.turns, 1));
    if (part.turns == 0) report.turns = 0;
  }
  if (on_statement) on_statement(report);
  return has_value;
}

bool Session::Impl::run_statement(const std::shared_ptr<const ast::Program>& program, size_t index, Way way, StatementReport& report) {
  const ast::Stmt& stmt = program->body.statements[index];
  evaluator.reports.begin_statement();
  evaluator.undo.begin_statement();
  report.span = stmt.span;
  report.text = std::string(stmt.span.text().substr(0, stmt.span.text().find('\n')));
  if (!way.is_file) return run_at_prompt(program, index, way, report);
  if (way.without_loops && (stmt.as<ast::ForStmt>() || stmt.as<ast::WhileStmt>())) return false;
  evaluator.run_entry_statement(program, index);
  return false;
}

/// Of a loop that was interrupted, what its ended turns have done stays. What is said then; nothing if nothing stays.
std::optional<UserError> Session::Impl::kept_turns(const UserError& error) {
  const int64_t turns = evaluator.undo.turns();
  if (error.diagnostic().kind() != Kind::interrupted || turns == 0) return std::nullopt;
  evaluator.undo.take_back_turn();
  Diagnostic said = error.diagnostic();
  return UserError(std::move(said).note(fmt::format("what {} of the loop {} done is kept; `:undo` takes it back", count_text(turns, "ended turn"), turns == 1 ? "has" : "have")));
}

std::vector<StatementReport> Session::Impl::run(const std::string& text, const std::string& name, Way way) {
  evaluator.interrupt.forget();
  Entry entry{name.empty() ? fmt::format("<{}>", ++numbered) : name, {}, way.is_file, way.without_loops, way.moves, {}};
  auto program = std::make_shared<ast::Program>(parse_or_throw(SourceFile::create(entry.name, text), way.is_file ? ParseMode::kScript : ParseMode::kRepl));
  std::vector<StatementReport> results;
  UndoLog undo;
  const Before at_start = before();
  if (way.keeps) {
    before_last = at_start;
    undo_last.clear();
    entries_before_last = entries.size();
  }
  const auto undoing = evaluator.undo.into(undo);
  evaluator.blocks.expect_more();
  if (evaluator.engine() != nullptr && !way.is_file) evaluator.reports.collect();
  // A statement that is no bare expression keeps the tree itself, and makes the entry's functions known.
  const auto end = [&] {
    if (way.is_file) evaluator.end_file(*program);
    if (!evaluator.modules.keeps(*program)) evaluator.modules.keep(program);
    if (!way.keeps || entry.has_value.empty()) return;
    entry.text = text.substr(0, program->body.statements[entry.has_value.size() - 1].span.end);
    entries.push_back(std::move(entry));
  };
  for (size_t i = 0; i < program->body.statements.size(); ++i) {
    if (way.is_file && i > 0) evaluator.end_file_statement(*program, i - 1);
    const ast::Stmt& stmt = program->body.statements[i];
    const Before at_statement = before();
    if (way.keeps) keep(undo);
    try {
      StatementReport report;
      entry.has_value.push_back(run_statement(program, i, way, report));
      if (!stmt.quiet) results.push_back(std::move(report));
    } catch (const UserError& error) {
      if (const std::optional<UserError> said = way.keeps ? kept_turns(error) : std::nullopt) {
        keep(undo);
        entry.has_value.push_back(false);
        end();
        throw UserError(*said);
      }
      end();
      restore(at_statement, undo);
      throw;
    } catch (...) {
      end();
      restore(at_statement, undo);
      throw;
    }
  }
  end();
  if (way.keeps) keep(undo);
  else restore(at_start, undo);
  return results;
}

std::vector<StatementReport> Session::execute(const std::string& text, const std::string& name) { return impl_->run(text, name, {}); }

void Session::load(const std::string& text, const std::string& name, bool without_loops) {
  impl_->run(text, name, {.is_file = true, .without_loops = without_loops});
}

std::vector<StatementReport> Session::use(const std::string& text, const std::string& name) { return impl_->run(text, name, {.moves = true}); }

const std::vector<Entry>& Session::entries() const { return impl_->entries; }

std::vector<StatementReport> Session::plan(const std::string& text, const std::string& name) {
  // Planned apart: a dry engine of its own sees the session's names, and nothing of it stays.
  EngineOptions options;
  options.dry = true;
  Engine dry(options);
  std::ostringstream ignored;
  Impl planner(impl_->settings, &dry, ignored);
  planner.evaluator.stand_in(impl_->evaluator);
  std::vector<StatementReport> reports = planner.run(text, name, {.keeps = false});
  impl_->evaluator.modules.keep_all_of(planner.evaluator.modules);  // the reports' places are in them
  return reports;
}

namespace {

/// The one expression that a text is.
const ast::Expr& expression_of(const ast::Program& program) {
  auto* stmt = program.body.statements.size() == 1 ? program.body.statements[0].as<ast::ExprStmt>() : nullptr;
  if (!stmt) fail(Kind::bad_usage, program.body.span, "expected an expression");
  return *stmt->value;
}

}  // namespace

void Session::Impl::look(const std::string& text, const std::string& name, const std::function<void(const HostValue&)>& see) {
  auto program = std::make_shared<ast::Program>(parse_or_throw(SourceFile::create(name, text), ParseMode::kRepl));
  const ast::Expr& expression = expression_of(*program);
  std::ostringstream ignored;
  Impl checker(settings, nullptr, ignored);
  checker.evaluator.modules.keep(program);
  checker.evaluator.stand_in(evaluator);
  checker.evaluator.interrupt.forget();
  const Before before = this->before();
  UndoLog undo;
  const auto undoing = checker.evaluator.undo.into(undo);
  try {
    see(checker.evaluator.evaluate(expression, checker.evaluator.top()));
  } catch (...) {
    restore(before, undo);
    throw;
  }
  restore(before, undo);
  evaluator.modules.keep(program);  // a function that it made may live on
}

std::string Session::type_of(const std::string& expression, const std::string& name) {
  std::string result;
  impl_->look(expression, name, [&](const HostValue& value) {
    const Value* tensor = tensor_of(value);
    result = tensor ? to_string(tensor->type(), tensor->sharding(), *tensor->mesh()) : describe(value);
  });
  return result;
}

std::vector<LaidOut> Session::lies(const std::string& expression) {
  std::vector<LaidOut> result;
  impl_->look(expression, "<" + expression + ">", [&](const HostValue& value) {
    result = laid_out_in(value);
    if (result.empty()) fail(Kind::type_mismatch, {}, "{}: expected a tensor or a model, found {}", expression, describe(value));
  });
  return result;
}

std::vector<HeldVariable> Session::variables(const std::string& expression, const std::string& name) {
  std::vector<HeldVariable> result;
  impl_->look(expression, name, [&](const HostValue& value) { result = held_variables(value); });
  return result;
}

HostTensor Session::read(const std::string& expression, const std::string& name) {
  auto program = std::make_shared<ast::Program>(parse_or_throw(SourceFile::create(name, expression), ParseMode::kRepl));
  const ast::Expr& asked = expression_of(*program);
  Evaluator& evaluator = impl_->evaluator;
  evaluator.interrupt.forget();
  evaluator.modules.keep(program);
  const HostValue value = evaluator.evaluate(asked, evaluator.top());
  if (const Value* tensor = tensor_of(value)) return evaluator.cuts.fetch(*tensor, asked.span);
  const std::optional<double> number = number_of(value);
  if (!number) fail(Kind::type_mismatch, asked.span, "expected a tensor or a number, found {}", describe(value));
  HostTensor host;
  host.type.element = ElementType::kF64;
  host.bytes.resize(sizeof *number);
  std::memcpy(host.bytes.data(), &*number, sizeof *number);
  return host;
}

std::vector<KnownName> Session::known_names(const std::string& prefix) const { return mtf::known_names(impl_->evaluator, prefix); }

StoredVariables Session::stored_variables() const { return impl_->evaluator.variables.stored(); }

std::vector<Axis> Session::axes() const {
  const MeshPtr& mesh = impl_->evaluator.builder.context.mesh;
  return mesh ? mesh->axes() : std::vector<Axis>();
}

std::vector<HeldName> Session::held() const { return held_names(*impl_->evaluator.top()); }

void Session::give_option(const std::string& name, const std::string& text) {
  impl_->settings.set.emplace_back(name, text);
  impl_->evaluator.options.give(name, text);
}

const Settings& Session::settings() const { return impl_->settings; }
const Mesh& Session::mesh() const { return *impl_->evaluator.builder.context.mesh; }
const Layout& Session::layout() const {
  static const Layout kNone;
  const LayoutPtr& layout = impl_->evaluator.builder.context.layout;
  return layout ? *layout : kNone;
}

bool Session::undo() {
  if (!impl_->before_last) return false;
  for (auto statement = impl_->undo_last.rbegin(); statement != impl_->undo_last.rend(); ++statement) impl_->restore(*impl_->before_last, *statement);
  impl_->before_last.reset();
  impl_->undo_last.clear();
  impl_->entries.resize(impl_->entries_before_last);
  return true;
}

void Session::keep_last_value() { impl_->keeps_last_value = true; }

void Session::on_progress(std::function<void(const Progress&)> callback) { impl_->evaluator.loops.on_progress(std::move(callback)); }
void Session::on_statement(std::function<void(const StatementReport&)> callback) {
  impl_->on_statement = callback;
  impl_->evaluator.reports.on_statement(callback, impl_->evaluator.engine() != nullptr);
}
void Session::on_cut(std::function<void(Span)> callback) { impl_->evaluator.cuts.on_cut(std::move(callback)); }

}  // namespace mtf
