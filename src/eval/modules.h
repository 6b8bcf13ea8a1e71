#pragma once
// The files of a program: those that it imports, each evaluated once, and the trees of all of them.
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eval/host_value.h"
#include "support/library_files.h"
#include "syntax/ast.h"

namespace mtf::eval {

class Evaluator;
struct Settings;  // eval/settings.h

class Modules {
 public:
  explicit Modules(Evaluator& evaluator) : evaluator_(evaluator) {}
  ~Modules();
  Modules(const Modules&) = delete;
  Modules& operator=(const Modules&) = delete;

  /// `import nn, "file.mtf" as f`: binds each in `scope`.
  void import(const ast::ImportStmt& stmt, const ScopePtr& scope);
  /// The module of a name or of a file; evaluates it if that has not been done. Fails at `span`.
  ModulePtr module(const std::string& path, bool is_file, Span span);

  /// True if there is a standard module of this name.
  bool is_standard(Name name) const;
  /// What the standard modules declare with documentation: `nn.Dense` and so on. Reads their files, and evaluates none.
  std::vector<std::string> standard_parts() const;
  /// True if a place lies in a file of the standard modules.
  bool in_standard_module(Span span) const;
  /// What the command line writes before the name of an option that is declared now: `module.`, of the module being
  /// imported.
  const std::string& prefix() const { return prefix_; }

  /// The program's own file is evaluated, for as long as this lives: it cannot be imported.
  class [[nodiscard]] Evaluating {
   public:
    ~Evaluating() { files_.pop_back(); }
    Evaluating(const Evaluating&) = delete;
    Evaluating& operator=(const Evaluating&) = delete;

   private:
    friend class Modules;
    using Files = std::vector<std::pair<std::string, Span>>;
    Evaluating(Files& files, const std::string& file, Span import) : files_(files) {
      files_.emplace_back(file, import);
    }
    Files& files_;
  };
  Evaluating evaluating(const std::string& file, Span import = {}) { return Evaluating(under_way_, file, import); }

  /// Keeps a tree for as long as the session: functions and places are in it.
  void keep(std::shared_ptr<const ast::Program> program) { programs_.push_back(std::move(program)); }
  /// True if this tree has been kept.
  bool keeps(const ast::Program& program) const;
  /// All trees that are kept, for as long as what it returns lives.
  std::shared_ptr<const void> all_kept() const {
    return std::make_shared<const std::vector<std::shared_ptr<const ast::Program>>>(programs_);
  }

 private:
  LibraryFiles library() const;
  [[noreturn]] void not_found(const std::string& path, const std::string& file, bool is_file, Span span) const;
  /// Parses a file. What a check finds wrong in its syntax is among the findings, and at `span` it cannot be read.
  std::shared_ptr<const ast::Program> parse(const std::string& path, std::shared_ptr<const SourceFile> file, Span span);
  /// What a module says of meshes, layouts, seeds and precision ends with it.
  void evaluate(const ast::Program& program, const ScopePtr& scope);

  Evaluator& evaluator_;
  std::vector<std::shared_ptr<const ast::Program>> programs_;
  std::map<std::string, ModulePtr> modules_;  ///< by file
  Evaluating::Files under_way_;               ///< each imported by the one before, and where
  std::string prefix_;
};

}  // namespace mtf::eval
