#pragma once
// The files of a program: imports each file once, and keeps the trees of all files.
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
  /// Returns the module with a name or in a file. Evaluates it at its first import. Fails at `span`.
  ModulePtr module(const std::string& path, bool is_file, Span span);

  /// True if there is a standard module of this name.
  bool is_standard(Name name) const;
  /// Names the documented declarations of the standard modules: `nn.Dense` and so on. Reads their files, but does not
  /// evaluate them.
  std::vector<std::string> standard_parts() const;
  /// True if `span` is in a file of the standard modules.
  bool in_standard_module(Span span) const;
  /// Returns the prefix, on the command line, of options that are declared now: `module.` while a module is imported.
  const std::string& prefix() const { return prefix_; }

  /// Marks the program's own file as under evaluation while it lives, so that it cannot be imported.
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

  /// Keeps a tree as long as the session, because functions and source positions point into it.
  void keep(std::shared_ptr<const ast::Program> program);
  /// True if this tree has been kept.
  bool keeps(const ast::Program& program) const;
  /// Keeps all these trees alive while the returned object lives.
  std::shared_ptr<const void> all_kept() const {
    return std::make_shared<const std::vector<std::shared_ptr<const ast::Program>>>(programs_);
  }

 private:
  LibraryFiles library() const;
  [[noreturn]] void not_found(const std::string& path, const std::string& file, bool is_file, Span span) const;
  /// Parses a file. A check adds the syntax errors to its findings, and then fails at `span`.
  std::shared_ptr<const ast::Program> parse(const std::string& path, std::shared_ptr<const SourceFile> file, Span span);
  /// Evaluates a module. Restores the meshes, layouts, seed and precision at its end.
  void evaluate(const ast::Program& program, const ScopePtr& scope);

  Evaluator& evaluator_;
  std::vector<std::shared_ptr<const ast::Program>> programs_;
  std::map<std::string, ModulePtr> modules_;  ///< by file
  Evaluating::Files under_way_;  ///< each file is imported by the one before; with the position of the import
  std::string prefix_;
};

}  // namespace mtf::eval
