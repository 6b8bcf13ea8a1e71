// Programs, and the modules that they import.
#include <algorithm>
#include <filesystem>

#include "eval/evaluator.h"
#include "eval/name_check.h"
#include "support/text.h"

#ifndef MTF_STDLIB_DIR
#define MTF_STDLIB_DIR "stdlib"
#endif

namespace mtf {
namespace {

/// Files importing one another deeper than this are refused: each is read and run inside the one before.
constexpr size_t kMaxImports = 200;

}  // namespace

Evaluator::Evaluator(Settings given, Engine* engine, std::ostream& output) : settings(std::move(given)), out(output), engine_(engine) {
  top = own_top_ = std::make_shared<Scope>(nullptr, 0, 0);
  builder.table = std::make_shared<ValueTable>();
  if (engine_ && engine_->is_reference()) builder.on_add = [this](Node& node) { engine_->evaluate(node); };
  builder.context.mesh = std::make_shared<const Mesh>(Name(), std::vector<Axis>{{Name("all"), settings.ranks}});
  if (settings.mesh) builder.context.mesh = std::make_shared<const Mesh>(Name("mesh"), *settings.mesh);
  if (settings.layout) builder.context.layout.rules = *settings.layout;
  register_builtins();
}

Evaluator::~Evaluator() {
  own_top_->release();
  if (native) native->release();
  for (const auto& [file, module] : modules_) module->scope->release();
}

std::string Evaluator::module_file(const std::string& name) const {
  std::string folder = settings.stdlib.empty() ? MTF_STDLIB_DIR : settings.stdlib;
  return folder + "/" + name + ".mtf";
}

void Evaluator::run_program(std::shared_ptr<ast::Program> program) {
  programs.push_back(program);
  hoist(program->body, top);
  const BlockInfo& info = infos.of(program->body);
  dim_names_.insert(info.dim_names.begin(), info.dim_names.end());
  axis_names_.insert(info.axis_names.begin(), info.axis_names.end());
  importing_.emplace_back(program->file->name(), Span{});
  PopLast pop_import(importing_);
  frames.push_back({&info, 0, top, activation, false});
  PopLast pop(frames);
  for (size_t i = 0; i < program->body.statements.size(); ++i) {
    frames.back().statement = i;
    const ast::Stmt& stmt = program->body.statements[i];
    reports.clear();
    run_statement(stmt, top);
    end_statement(info, i, *top, false);
    if (on_statement) {
      if (reports.empty()) reports.emplace_back();  // it computed nothing, but may have printed
      for (StatementReport& report : reports) {
        report.span = stmt.span;
        std::string_view text = stmt.span.text();
        report.text = std::string(text.substr(0, text.find('\n')));
        on_statement(report);
      }
    }
  }
  reports.clear();
}

void Evaluator::run_statement(const std::shared_ptr<ast::Program>& program, size_t index) {
  if (programs.empty() || programs.back() != program) {
    programs.push_back(program);
    hoist(program->body, top);
  }
  frames.push_back({&infos.of(program->body), index, top, activation, true});
  PopLast pop(frames);
  run_statement(program->body.statements[index], top);
}

std::string Evaluator::help_with_name(Name name, const std::vector<std::string>& visible) const {
  std::error_code ignored;
  if (std::filesystem::exists(module_file(name.str()), ignored)) return fmt::format("`import {}` makes the standard module known", name.text());
  return did_you_mean(name.text(), visible);
}

void Evaluator::import(const ast::ImportStmt& stmt, const ScopePtr& scope) {
  std::optional<UserError> first;
  for (const auto& item : stmt.items) {
    try {
      Restore restore(module_prefix_);
      module_prefix_ += item.bound.name.str() + ".";
      ModulePtr module = import_module(item.path, item.is_file, item.span);
      scope->bind(item.bound.name, module, item.bound.span);
    } catch (const UserError& error) {
      scope->bind(item.bound.name, Poison{}, item.bound.span);
      if (!diagnostics) throw;
      if (first) add_diagnostic(*first);
      first = error;
    }
  }
  if (first) throw UserError(*first);
}

ModulePtr Evaluator::import_module(const std::string& path, bool is_file, Span span) {
  if (!is_file && path == "random") return *builtins.at(Name("random")).as<ModulePtr>();  // it needs no import
  std::string file = is_file ? path : module_file(path);
  if (is_file && !path.empty() && path[0] != '/' && span.file) {
    auto folder = std::filesystem::path(span.file->name()).parent_path();
    file = (folder / path).lexically_normal().string();
  }
  for (const auto& [other, place] : importing_) {
    if (other != file) continue;
    Diagnostic diagnostic(Kind::import_cycle, span, fmt::format("`{}` is being imported already", path));
    if (place.is_known()) diagnostic.related(place, "here");
    fail(std::move(diagnostic));
  }
  if (auto known = modules_.find(file); known != modules_.end()) return known->second;
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) {
    std::vector<std::string> names;
    if (!is_file) {
      for (const auto& entry : std::filesystem::directory_iterator(std::filesystem::path(file).parent_path(), ignored)) {
        if (entry.path().extension() == ".mtf") names.push_back(entry.path().stem().string());
      }
      std::sort(names.begin(), names.end());
    }
    std::string help = is_file ? "" : did_you_mean(path, names);
    if (help.empty() && !names.empty()) help = "the standard modules are " + join(names, ", ");
    fail(Diagnostic(Kind::import_not_found, span, is_file ? fmt::format("there is no file {}", file) : fmt::format("there is no standard module `{}`", path)).help(help));
  }
  if (importing_.size() >= kMaxImports) fail(Kind::nesting_too_deep, span, "a file is imported inside {} others", kMaxImports);
  auto source = SourceFile::read(file);
  Diagnostics found;
  auto program = std::make_shared<ast::Program>(parse(source, found));
  if (found.has_errors()) {
    if (diagnostics) {
      for (const Diagnostic& diagnostic : found.list()) diagnostics->add(diagnostic);
      fail(Kind::syntax_error, span, "`{}` cannot be read", path);
    }
    found.throw_first();
  }
  programs.push_back(program);
  auto module = std::make_shared<Module>();
  module->name = is_file ? Name(std::filesystem::path(file).stem().string()) : Name(path);
  module->path = file;
  module->doc = program->doc;
  module->scope = std::make_shared<Scope>(is_file ? nullptr : native, 0, 0);
  if (!is_file) module->scope->parent_limit = ~size_t{0};
  const BlockInfo& info = infos.of(program->body);
  dim_names_.insert(info.dim_names.begin(), info.dim_names.end());
  axis_names_.insert(info.axis_names.begin(), info.axis_names.end());

  // What it says of meshes, layouts, seeds and precision ends with it.
  const Context before = builder.context;
  Restore restore_uncertain(uncertain);
  uncertain = 0;
  importing_.emplace_back(file, span);
  PopLast pop(importing_);
  std::vector<Activation> outer;
  outer.swap(activations);
  Restore restore_activation(activation);
  activation = ++last_activation;
  try {
    run_block(program->body, module->scope, true);
  } catch (...) {
    outer.swap(activations);
    builder.context = before;
    throw;
  }
  outer.swap(activations);
  builder.context = before;
  modules_[file] = module;
  return module;
}

void Evaluator::finish_check() {
  for (size_t i = 0; i < declared_functions_.size(); ++i) {
    const FunctionPtr function = declared_functions_[i];
    if (entered_.count(function->parameters)) continue;
    entered_.insert(function->parameters);
    check_names(function);
  }
  for (size_t i = 0; i < declared_models_.size(); ++i) {
    const ModelClassPtr model = declared_models_[i];
    if (entered_.count(model->declaration)) continue;
    entered_.insert(model->declaration);
    NameCheck check(*this, model->scope);
    check.model(*model->declaration);
  }
  for (const auto& [name, value] : settings.set) {
    if (std::find(settable_.begin(), settable_.end(), name) != settable_.end()) continue;
    std::string help = did_you_mean(name, settable_);
    if (help.empty() && !settable_.empty()) help = "it has " + join(settable_, ", ");
    diagnostics->add(Diagnostic(Kind::unknown_option, {}, fmt::format("--set {}={}", name, value)).help(help));
  }
  check_placement();
  warn_layouts();
}

void Evaluator::check_placement() {
  if (settings.placement.empty() || placement_fits_ || unplaced_mesh_.empty()) return;
  const std::string wrong = fmt::format("--placement \"{}\": expected every processor of the mesh {}, found {}", fmt::join(settings.placement, ","),
                                        unplaced_mesh_, count_text(static_cast<int64_t>(settings.placement.size()), "number"));
  diagnostics->add(Diagnostic(Kind::bad_option_value, {}, wrong)
                       .help("give as many numbers as the mesh has processors"));
}

void Evaluator::check_names(const FunctionPtr& function) {
  NameCheck check(*this, function->scope);
  check.function(*function);
}

void Evaluator::warn_layouts() {
  std::vector<std::string> names;
  for (Name name : dim_names_) names.push_back(name.str());
  std::sort(names.begin(), names.end());
  for (const LayoutRule& rule : settings.layout.value_or(std::vector<LayoutRule>())) {
    if (dim_names_.count(rule.dim)) continue;
    diagnostics->add(Diagnostic(Kind::layout_dim_unused, {}, fmt::format("--layout: there is no dim `{}`", rule.dim.text()))
                         .help(did_you_mean(rule.dim.text(), names)));
  }
  for (const LayoutPtr& layout : declared_layouts_) {
    for (const LayoutRule& rule : layout->rules) {
      if (dim_names_.count(rule.dim)) continue;
      diagnostics->add(Diagnostic(Kind::layout_dim_unused, rule.span, fmt::format("there is no dim `{}`", rule.dim.text()))
                           .help(did_you_mean(rule.dim.text(), names)));
    }
  }
}

}  // namespace mtf
