#include "eval/modules.h"

#include <algorithm>
#include <filesystem>

#include "eval/evaluator.h"
#include "support/text.h"
#include "syntax/foreign.h"
#include "syntax/parse.h"

namespace mtf::eval {
namespace {

/// The limit for nested imports: each file is read and run inside the import of the file before.
constexpr size_t kMaxImports = 200;

}  // namespace

Modules::~Modules() {
  for (const auto& [file, module] : modules_) module->scope->release();
}

bool Modules::keeps(const ast::Program& program) const {
  return std::any_of(programs_.rbegin(), programs_.rend(), [&](const auto& kept) { return kept.get() == &program; });
}

LibraryFiles Modules::library() const { return LibraryFiles(evaluator_.settings.stdlib); }

bool Modules::is_standard(Name name) const { return library().has(name.str() + ".mtf"); }

std::vector<std::string> Modules::standard_parts() const {
  std::vector<std::string> parts;
  for (const std::string& module : library().modules()) {
    bool is_documented = false;
    for (const std::string& line : split(library().read(module + ".mtf")->text(), '\n')) {
      for (const std::string_view word : {"fn ", "model "})
        if (is_documented && line.starts_with(word))
          parts.push_back(module + "." + line.substr(word.size(), line.find('(') - word.size()));
      is_documented = line.starts_with("##");
    }
  }
  return parts;
}

bool Modules::in_standard_module(Span span) const { return span.is_known() && library().has_path(span.file->name()); }

void Modules::import(const ast::ImportStmt& stmt, const ScopePtr& scope) {
  std::optional<UserError> first;
  for (const auto& item : stmt.items) {
    try {
      Restore inside(prefix_, prefix_ + item.bound.name.str() + ".");
      ModulePtr imported = module(item.path, item.is_file, item.span);
      scope->bind(item.bound.name, imported, item.bound.span);
    } catch (const UserError& error) {
      scope->bind(item.bound.name, Poison{}, item.bound.span);
      if (!evaluator_.findings.collects()) throw;
      if (first) evaluator_.calls.report(*first);
      first = error;
    }
  }
  if (first) throw UserError(*first);
}

ModulePtr Modules::module(const std::string& path, bool is_file, Span span) {
  if (!is_file && path == "random")
    return *evaluator_.builtins.find(Name("random"))->as<ModulePtr>();  // needs no import
  const std::string standard_file = path + ".mtf";
  std::string file = is_file ? path : library().path_of(standard_file);
  if (is_file && !path.empty() && path[0] != '/' && span.file) {
    auto folder = std::filesystem::path(span.file->name()).parent_path();
    file = (folder / path).lexically_normal().string();
  }
  for (const auto& [other, place] : under_way_) {
    if (other != file) continue;
    Diagnostic diagnostic(Kind::import_cycle, span, fmt::format("`{}` is being imported already", path));
    if (place.is_known()) diagnostic.related(place, "here");
    fail(std::move(diagnostic));
  }
  if (auto known = modules_.find(file); known != modules_.end()) return known->second;
  std::error_code ignored;
  if (is_file ? !std::filesystem::exists(file, ignored) : !library().has(standard_file))
    not_found(path, file, is_file, span);
  if (under_way_.size() >= kMaxImports)
    fail(Kind::nesting_too_deep, span, "a file is imported inside {} others", kMaxImports);
  const std::shared_ptr<const ast::Program> program =
      parse(path, is_file ? SourceFile::read(file) : library().read(standard_file), span);
  auto module = std::make_shared<Module>();
  module->name = is_file ? Name(std::filesystem::path(file).stem().string()) : Name(path);
  module->path = file;
  module->doc = program->doc;
  module->scope = std::make_shared<Scope>(is_file ? nullptr : evaluator_.builtins.of_standard_modules(), 0, 0);
  if (is_file) module->scope->is_of_the_program_of(*evaluator_.builtins.of_standard_modules());
  else module->scope->parent_limit = ~size_t{0};
  const Evaluating here = evaluating(file, span);
  evaluate(*program, module->scope);
  modules_[file] = module;
  return module;
}

void Modules::not_found(const std::string& path, const std::string& file, bool is_file, Span span) const {
  if (is_file) fail(Diagnostic(Kind::import_not_found, span, fmt::format("there is no file {}", file)).help(""));
  const std::vector<std::string> names = library().modules();
  Help help = foreign_help(syntax::Foreign::module, span, path);
  if (help.empty()) help = mtf::did_you_mean(span, path, names);
  if (help.empty() && !names.empty()) help = "the standard modules are " + mtf::join(names, ", ");
  fail(Diagnostic(Kind::import_not_found, span, fmt::format("there is no standard module `{}`", path)).help(help));
}

std::shared_ptr<const ast::Program> Modules::parse(const std::string& path, std::shared_ptr<const SourceFile> file,
                                                   Span span) {
  Diagnostics found;
  auto program = evaluator_.settings.parsed->parse(std::move(file), found);
  if (found.has_errors()) {
    if (!evaluator_.findings.collects()) found.throw_first();
    for (const Diagnostic& diagnostic : found.list()) evaluator_.findings.report(diagnostic);
    fail(Kind::syntax_error, span, "`{}` cannot be read", path);
  }
  keep(program);
  return program;
}

void Modules::keep(std::shared_ptr<const ast::Program> program) {
  evaluator_.blocks.know(*program->facts);
  programs_.push_back(std::move(program));
}

void Modules::evaluate(const ast::Program& program, const ScopePtr& scope) {
  evaluator_.meshes.declare_all(*program.facts);
  Restore context(evaluator_.builder.context);
  const AbstractDomain::Part part(evaluator_.domain);
  evaluator_.domain.begins_anew();
  const auto calls = evaluator_.calls.set_aside();
  evaluator_.run_block(program.body, scope, true);
}

}  // namespace mtf::eval
