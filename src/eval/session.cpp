#include "eval/session.h"

#include <algorithm>
#include <cstring>
#include <sstream>

#include "eval/evaluator.h"
#include "exec/program_record.h"
#include "graph/op.h"
#include "ops/registry.h"
#include "support/text.h"
#include "syntax/parse.h"
#include "types/sharding.h"

namespace mtf {

struct Session::Impl {
  Impl(Settings given, Engine* engine, std::ostream& out) : settings(given), evaluator(std::move(given), engine, out) {}
  Settings settings;
  Evaluator evaluator;
  std::function<void(const StatementReport&)> on_statement;
  int64_t entries = 0;

  /// What a statement may change besides what `undo` takes back.
  struct Before {
    std::vector<Binding> bindings, hoisted;
    Context context;
  };
  std::optional<Before> before_last;  // the last entry
  std::vector<UndoLog> undo_last;     // what takes its statements back
  bool keeps_last_value = false;
  static constexpr size_t kMostUndone = 100;  // statements: they keep old values

  /// A statement of an entry has ended.
  void keep(UndoLog& undo) {
    if (undo_last.size() == kMostUndone) before_last.reset();
    if (before_last) undo_last.push_back(std::move(undo));
    else undo_last.clear();
    undo = UndoLog();
  }

  Before before() const { return {evaluator.top()->bindings, evaluator.top()->hoisted, evaluator.builder.context}; }
  void restore(const Before& before, UndoLog& undo) {
    undo.take_back();
    Scope& top = *evaluator.top();
    top.bindings = before.bindings;
    top.hoisted = before.hoisted;
    top.rearranged();
    evaluator.builder.context = before.context;
  }
  std::vector<StatementReport> run(const std::string& text, const std::string& name, bool keep);
  /// Planned apart: a dry engine of its own sees the session's names, and nothing of it stays but in `record`.
  std::vector<StatementReport> plan_apart(const std::string& text, const std::string& name, std::shared_ptr<ProgramRecord> record);
  void last_value(HostValue value, Span span);
  void describe_binding(StatementReport& report, Name name, const HostValue& value);
};

Session::Session(Settings settings, Engine* engine, std::ostream& out) : impl_(std::make_unique<Impl>(std::move(settings), engine, out)) {}
Session::~Session() = default;

namespace {

Diagnostics sorted(const Diagnostics& found) {
  std::vector<Diagnostic> list = found.list();
  std::stable_sort(list.begin(), list.end(), [](const Diagnostic& a, const Diagnostic& b) {
    if (a.span().file != b.span().file) return false;
    return a.span().begin < b.span().begin;
  });
  Diagnostics result;
  for (Diagnostic& diagnostic : list) result.add(std::move(diagnostic));
  return result;
}

Diagnostics check(std::shared_ptr<const SourceFile> source, const Settings& settings) {
  Diagnostics found;
  auto program = std::make_shared<ast::Program>(parse(std::move(source), found));
  if (found.has_errors()) return found;
  std::ostringstream ignored;
  Evaluator evaluator(settings, nullptr, ignored);
  evaluator.findings.collect_in(found);
  try {
    evaluator.run_program(program);
    evaluator.finish_check();
  } catch (const CheckEnded&) {
  } catch (const UserError& error) {
    found.add(error.diagnostic());
  }
  return sorted(found);
}

}  // namespace

Diagnostics Session::check_file(const std::string& path, const Settings& settings) {
  std::shared_ptr<const SourceFile> source;
  Diagnostics found;
  if (!found.attempt([&] { source = SourceFile::read(path); })) return found;
  return check(std::move(source), settings);
}

Diagnostics Session::check_text(const std::string& name, const std::string& text, const Settings& settings) {
  return check(SourceFile::create(name, text), settings);
}

void Session::interrupt() { impl_->evaluator.interrupt.ask(); }

void Session::run_file(const std::string& path) {
  impl_->evaluator.interrupt.forget();
  impl_->evaluator.run_program(std::make_shared<ast::Program>(parse_or_throw(SourceFile::read(path))));
}

void Session::run_text(const std::string& name, const std::string& text) {
  impl_->evaluator.interrupt.forget();
  impl_->evaluator.run_program(std::make_shared<ast::Program>(parse_or_throw(SourceFile::create(name, text))));
}

void Session::Impl::describe_binding(StatementReport& report, Name name, const HostValue& value) {
  const Value* tensor = tensor_of(value);
  StatementReport::Binding binding;
  binding.name = name.str();
  if (tensor) {
    const Mesh& mesh = *tensor->mesh();
    binding.type = to_string(tensor->type(), tensor->sharding(), mesh);
    binding.bytes = size_of(tensor->element());
    for (size_t i = 0; i < tensor->dims().size(); ++i) binding.bytes *= block_size(tensor->dims()[i].size, tensor->sharding().dims[i], mesh);
  } else if (value.is<None>() || value.is_poison()) {
    return;
  } else {
    binding.type = describe(value);
    if (!value.is_unknown()) binding.value = evaluator.display.text(value);
  }
  report.bindings.push_back(std::move(binding));
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

std::vector<StatementReport> Session::Impl::run(const std::string& text, const std::string& name, bool keep) {
  evaluator.interrupt.forget();
  const std::string entry = name.empty() ? fmt::format("<{}>", ++entries) : name;
  auto program = std::make_shared<ast::Program>(parse_or_throw(SourceFile::create(entry, text), ParseMode::kRepl));
  std::vector<StatementReport> results;
  UndoLog undo;
  const Before at_start = before();
  if (keep) {
    before_last = at_start;
    undo_last.clear();
  }
  const auto undoing = evaluator.undo.into(undo);
  evaluator.blocks.expect_more();
  if (evaluator.engine() != nullptr) evaluator.reports.collect();
  Before at_statement = at_start;
  // A statement that is no bare expression keeps the tree itself, and makes the entry's functions known.
  const auto keep_tree = [&] {
    if (!evaluator.modules.keeps(*program)) evaluator.modules.keep(program);
  };
  try {
    for (size_t i = 0; i < program->body.statements.size(); ++i) {
      const ast::Stmt& stmt = program->body.statements[i];
      at_statement = before();
      if (keep) this->keep(undo);
      evaluator.reports.begin_statement();
      StatementReport report;
      report.span = stmt.span;
      report.text = std::string(stmt.span.text().substr(0, stmt.span.text().find('\n')));
      auto* expression = stmt.as<ast::ExprStmt>();
      if (expression && !stmt.quiet) {
        HostValue value = evaluator.evaluate(*expression->value, evaluator.top());
        if (const Value* tensor = tensor_of(value)) evaluator.cuts.cut({*tensor}, stmt.span);
        else evaluator.cuts.cut({}, stmt.span);
        if (!value.is<None>()) {
          describe_binding(report, Name(), value);
          if (tensor_of(value) && !evaluator.domain.is_abstract()) report.bindings.back().value = evaluator.display.text(value);
          if (keeps_last_value && keep) last_value(std::move(value), stmt.span);
        }
      } else {
        evaluator.run_entry_statement(program, i);
        evaluator.cuts.cut({}, stmt.span);
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
      if (!stmt.quiet) results.push_back(std::move(report));
    }
  } catch (...) {
    keep_tree();
    restore(at_statement, undo);
    throw;
  }
  keep_tree();
  if (keep) this->keep(undo);
  if (!keep) restore(at_start, undo);
  return results;
}

std::vector<StatementReport> Session::execute(const std::string& text, const std::string& name) { return impl_->run(text, name, true); }

std::vector<StatementReport> Session::Impl::plan_apart(const std::string& text, const std::string& name, std::shared_ptr<ProgramRecord> record) {
  EngineOptions options;
  options.dry = true;
  options.record = std::move(record);
  Engine dry(options);
  std::ostringstream ignored;
  Impl planner(settings, &dry, ignored);
  planner.evaluator.stand_in(evaluator);
  std::vector<StatementReport> reports = planner.run(text, name, false);
  evaluator.modules.keep_all_of(planner.evaluator.modules);  // the reports' places are in them
  return reports;
}

std::vector<StatementReport> Session::plan(const std::string& text, const std::string& name) { return impl_->plan_apart(text, name, nullptr); }

std::vector<ScriptCost> Session::costs(const std::string& text, const std::vector<Under>& under, const std::string& name) {
  const std::shared_ptr<ProgramRecord> record = impl_->evaluator.engine()->record();
  MTF_CHECK(record, "the session's programs are not recorded");
  const LayoutCosts costs(record, std::nullopt, record->times());
  impl_->plan_apart(text, name, record);
  std::vector<ScriptCost> found;
  for (const Under& each : under) found.push_back(costs.in(each.mesh, each.rules));
  return found;
}

MeshPtr Session::find_mesh(const std::string& name) const {
  const auto found = impl_->evaluator.top()->find(Name(name));
  auto* mesh = found.binding ? found.binding->value.as<MeshPtr>() : nullptr;
  return mesh ? *mesh : nullptr;
}

LayoutPtr Session::find_layout(const std::string& name) const {
  const auto found = impl_->evaluator.top()->find(Name(name));
  auto* layout = found.binding ? found.binding->value.as<LayoutPtr>() : nullptr;
  return layout ? *layout : nullptr;
}

std::string Session::type_of(const std::string& expression, const std::string& name) {
  auto program = std::make_shared<ast::Program>(parse_or_throw(SourceFile::create(name, expression), ParseMode::kRepl));
  auto* stmt = program->body.statements.size() == 1 ? program->body.statements[0].as<ast::ExprStmt>() : nullptr;
  if (!stmt) fail(Kind::bad_usage, program->body.span, "expected an expression");
  std::ostringstream ignored;
  Impl checker(impl_->settings, nullptr, ignored);
  checker.evaluator.modules.keep(program);
  checker.evaluator.stand_in(impl_->evaluator);
  checker.evaluator.interrupt.forget();
  const Impl::Before before = impl_->before();
  UndoLog undo;
  const auto undoing = checker.evaluator.undo.into(undo);
  std::string result;
  try {
    HostValue value = checker.evaluator.evaluate(*stmt->value, checker.evaluator.top());
    const Value* tensor = tensor_of(value);
    result = tensor ? to_string(tensor->type(), tensor->sharding(), *tensor->mesh()) : describe(value);
  } catch (...) {
    impl_->restore(before, undo);
    throw;
  }
  impl_->restore(before, undo);
  impl_->evaluator.modules.keep(program);  // a function that it made may live on
  return result;
}

HostTensor Session::read(const std::string& expression) {
  auto program = std::make_shared<ast::Program>(parse_or_throw(SourceFile::create("<read>", expression), ParseMode::kRepl));
  auto* stmt = program->body.statements.size() == 1 ? program->body.statements[0].as<ast::ExprStmt>() : nullptr;
  if (!stmt) fail(Kind::bad_usage, program->body.span, "expected an expression");
  Evaluator& evaluator = impl_->evaluator;
  evaluator.interrupt.forget();
  evaluator.modules.keep(program);
  const HostValue value = evaluator.evaluate(*stmt->value, evaluator.top());
  if (const Value* tensor = tensor_of(value)) return evaluator.cuts.fetch(*tensor, stmt->value->span);
  const std::optional<double> number = number_of(value);
  if (!number) fail(Kind::type_mismatch, stmt->value->span, "expected a tensor or a number, found {}", describe(value));
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

bool Session::undo() {
  if (!impl_->before_last) return false;
  for (auto statement = impl_->undo_last.rbegin(); statement != impl_->undo_last.rend(); ++statement) impl_->restore(*impl_->before_last, *statement);
  impl_->before_last.reset();
  impl_->undo_last.clear();
  return true;
}

void Session::keep_last_value() { impl_->keeps_last_value = true; }

void Session::on_progress(std::function<void(const LoopProgress&)> callback) { impl_->evaluator.loops.on_progress(std::move(callback)); }
void Session::on_statement(std::function<void(const StatementReport&)> callback) {
  impl_->on_statement = callback;
  impl_->evaluator.reports.on_statement(callback, impl_->evaluator.engine() != nullptr);
}
void Session::on_cut(std::function<void(Span)> callback) { impl_->evaluator.cuts.on_cut(std::move(callback)); }

}  // namespace mtf
