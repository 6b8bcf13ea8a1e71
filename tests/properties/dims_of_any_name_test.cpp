// A user's dim may have the name of any dim that an operation or library function declares, and of any of its
// arguments. The test calls every operation, and every function and model of the library that declares dims, with such
// dims. It takes the example of the operation, and golden scripts, and renames their dims to each of these names in
// iteration. So a new function is covered as soon as a script calls it, and fails here until then.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <ostream>
#include <regex>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "../execution_on.h"
#include "../places.h"
#include "graph/op.h"
#include "library/library.h"
#include "ops/registry.h"
#include "script.h"
#include "scripts.h"
#include "session/session.h"
#include "support/diagnostics.h"
#include "support/library_files.h"
#include "syntax/parse.h"
#include "syntax/signature.h"
#include "syntax/walk.h"

namespace mtf::properties {
namespace {

using NameTexts = std::set<std::string>;

/// The names in a text, with their positions.
class MentionedNames : public ast::Walk {
 public:
  std::map<std::string, std::vector<Span>> places;  ///< of each name that is bound, looked up, or in a rule
  NameTexts bound, dims, attributes,
      labels_beside_dims;  ///< the last: arguments of operations that take dims as labels
  NameTexts members;       ///< `nn.Dense`

  void statement(const ast::Stmt& stmt) override {
    if (const auto* of_dims = stmt.as<ast::DimStmt>())
      for (const ast::DimStmt::Item& item : of_dims->items) dims.insert(item.name.name.str());
    if (const auto* fn = stmt.as<ast::FnStmt>()) functions_.insert(fn->name.name.str());
    if (const auto* model = stmt.as<ast::ModelStmt>()) functions_.insert(model->name.name.str());
    if (const auto* layout = stmt.as<ast::LayoutStmt>())
      for (const ast::LayoutRule& rule : layout->layout.rules) {
        const ast::Ident dim = ast::without_primes(rule.dim);
        places[dim.name.str()].push_back(dim.span);
      }
    Walk::statement(stmt);
  }
  void expr(const ast::Expr& expr) override {
    if (const auto* call = expr.as<ast::CallExpr>()) labels_of(*call);
    if (const auto* attribute = expr.as<ast::AttributeExpr>()) {
      attributes.insert(attribute->attribute.name.str());
      if (const auto* module = attribute->object->as<ast::NameExpr>())
        members.insert(module->name.str() + "." + attribute->attribute.name.str());
    }
    Walk::expr(expr);
  }

 protected:
  void name(Name name, Span span) override { places[name.str()].push_back(span); }
  void bind(const ast::Ident& ident) override {
    bound.insert(ident.name.str());
    places[ident.name.str()].push_back(ident.span);
  }

 private:
  /// A label of an operation that takes dims as labels is a dim. A label of a function of the script is a parameter.
  /// Other labels stay.
  void labels_of(const ast::CallExpr& call) {
    const auto* callee = call.callee->as<ast::NameExpr>();
    if (callee == nullptr) return;
    const graph::Op* const op = ops::find_op(callee->name.text());
    const syntax::Signature* const signature =
        op != nullptr && !op->signature.empty() ? &ops::signature_of(*op) : nullptr;
    for (const ast::Argument& argument : call.arguments) {
      if (!argument.label) continue;
      const ast::Ident label = ast::without_primes(*argument.label);
      const bool takes_dims = signature != nullptr && signature->labels != syntax::LabelKind::kNone;
      const bool is_argument = signature != nullptr && signature->place_of(label.name) < signature->parameters.size();
      if (takes_dims && is_argument) labels_beside_dims.insert(label.name.str());
      if ((takes_dims && !is_argument) || functions_.contains(callee->name.str()))
        places[label.name.str()].push_back(label.span);
    }
  }

  NameTexts functions_;
};

ast::Program parsed_script(const std::string& text) {
  return syntax::parse_or_throw(SourceFile::create("script.mtf", text));
}

MentionedNames mentions_of(const ast::Program& program) {
  MentionedNames mentions;
  mentions.block(program.body);
  return mentions;
}

std::string text_renamed(const std::string& text, const MentionedNames& mentions,
                         const std::map<std::string, std::string>& names) {
  std::map<std::uint32_t, std::pair<Span, std::string>> edits;
  for (const auto& [from, to] : names)
    if (const auto at = mentions.places.find(from); at != mentions.places.end())
      for (const Span& span : at->second) edits[span.begin] = {span, to};
  std::string result = text;
  for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)
    result.replace(edit->first, edit->second.first.end - edit->first, edit->second.second);
  return result;
}

/// The output of a script, or the reason why it is refused.
struct ScriptAnswer {
  std::string out, error;
};

/// `computes`: runs the script; otherwise only checks it, without output.
ScriptAnswer answer_of(const std::string& text, bool computes) {
  eval::Settings settings = settings_at({""});
  settings.stdlib = stdlib_folder();
  settings.library = &library::host_library();
  std::ostringstream out;
  try {
    session::Session::check_text("script.mtf", text, settings).throw_first();
    if (!computes) return {};
    ExecutionOn<run::MpiRuntime> execution(run::MpiRuntimeOptions{.threads = 1});
    session::Session(settings, &execution, out).run_text("script.mtf", text);
  } catch (const UserError& error) { return {out.str(), error.what()}; }
  return {out.str(), ""};
}

/// Replaces each printed dim, `half=2`, by its size alone.
std::string without_dims(const std::string& text) {
  static const std::regex dim("[A-Za-z_][A-Za-z_0-9.:']*=(?=[0-9])");
  return std::regex_replace(text, dim, "=");
}

/// A script whose dims have names that nothing else has.
struct NamedScript {
  std::string text;
  MentionedNames mentions;
  std::vector<std::string> dims;
  bool computes = false;
  ScriptAnswer answer;
};

std::string fresh_dim(std::size_t dim) { return "zq" + std::to_string(dim); }

/// Some scripts do not run with such dims either: a string or a file has the names of the dims.
NamedScript script_of(const std::string& text, bool computes) {
  NamedScript script{text, {}, {}, computes, {}};
  const ast::Program program = parsed_script(text);
  std::map<std::string, std::string> names;
  MentionedNames before = mentions_of(program);
  for (const ast::Stmt& stmt : program.body.statements)
    if (const auto* dims = stmt.as<ast::DimStmt>())
      for (const ast::DimStmt::Item& item : dims->items)
        if (!before.attributes.contains(item.name.name.str()))
          names.emplace(item.name.name.str(), fresh_dim(names.size()));
  script.text = text_renamed(text, before, names);
  script.mentions = mentions_of(parsed_script(script.text));
  for (const auto& [dim, name] : names) script.dims.push_back(name);
  script.answer = answer_of(script.text, computes);
  return script;
}

bool may_be_a_dim(const std::string& name, const MentionedNames& script) {
  const auto& words = syntax::reserved_words();
  const bool is_free = !script.places.contains(name) || script.bound.contains(name);  // no operation in the script
  return is_free && std::find(words.begin(), words.end(), name) == words.end() &&
         !script.labels_beside_dims.contains(name) && !script.attributes.contains(name);
}

/// Runs the script with each of its dims renamed to each of the names in turn.
void expect_any_name(const NamedScript& script, const NameTexts& own, const std::string& title) {
  std::vector<std::string> names;
  for (const std::string& name : own)
    if (may_be_a_dim(name, script.mentions)) names.push_back(name);
  if (names.empty()) return;
  const std::size_t iterations = std::max(names.size(), script.dims.size());
  for (std::size_t iteration = 0; iteration < iterations; ++iteration) {
    std::map<std::string, std::string> to;
    for (std::size_t d = 0; d < script.dims.size(); ++d) {
      const std::size_t at = (d + iteration) % iterations;
      if (at >= names.size()) continue;
      to[script.dims[d]] = names[at];
      if (script.mentions.bound.contains(names[at])) to[names[at]] = names[at] + "_was";
    }
    const std::string text = text_renamed(script.text, script.mentions, to);
    const ScriptAnswer answer = answer_of(text, script.computes);
    EXPECT_EQ(answer.error, "") << title << "\n" << text;
    if (!answer.error.empty()) continue;
    EXPECT_EQ(without_dims(answer.out), without_dims(script.answer.out)) << title << "\n" << text;
  }
}

// ---- the library ----------------------------------------------------------------------------------------------------

struct LibraryFunction {
  NameTexts dims, parameters;  ///< declared by its text
  NameTexts calls;             ///< `nn.Dense`
};

/// Returns the functions by name and module: `nn.Dense`.
std::map<std::string, LibraryFunction> library_functions() {
  const LibraryFiles library(stdlib_folder());
  std::map<std::string, LibraryFunction> functions;
  for (const std::string& module : library.modules()) {
    const ast::Program program = syntax::parse_or_throw(library.read(module + ".mtf"));
    for (const ast::Stmt& stmt : program.body.statements) {
      const auto* fn = stmt.as<ast::FnStmt>();
      const auto* model = stmt.as<ast::ModelStmt>();
      if (fn == nullptr && model == nullptr) continue;
      MentionedNames mentions;
      mentions.statement(stmt);
      LibraryFunction& function = functions[module + "." + (fn ? fn->name : model->name).name.str()];
      function.dims = mentions.dims;
      for (const ast::Parameter& parameter : fn ? fn->parameters : model->parameters)
        function.parameters.insert(parameter.name.name.str());
      function.calls = mentions.members;
      for (const auto& [name, places] : mentions.places) function.calls.insert(module + "." + name);
    }
  }
  return functions;
}

struct OwnNames {
  NameTexts dims, names;  ///< `names` also has the parameters
  NameTexts functions;    ///< these functions, and all functions that they call
};

/// Returns the dims that these functions and their callees declare, and the parameters of the functions themselves.
OwnNames own_names(const std::map<std::string, LibraryFunction>& functions, const NameTexts& called) {
  OwnNames own;
  std::vector<std::string> open(called.begin(), called.end());
  NameTexts seen(called.begin(), called.end());
  while (!open.empty()) {
    const auto at = functions.find(open.back());
    open.pop_back();
    if (at == functions.end()) continue;
    own.functions.insert(at->first);
    own.dims.insert(at->second.dims.begin(), at->second.dims.end());
    own.names.insert(at->second.dims.begin(), at->second.dims.end());
    if (called.contains(at->first)) own.names.insert(at->second.parameters.begin(), at->second.parameters.end());
    for (const std::string& other : at->second.calls)
      if (seen.insert(other).second) open.push_back(other);
  }
  return own;
}

bool declares_none(const std::map<std::string, LibraryFunction>& functions, const std::string& name) {
  const NameTexts all = own_names(functions, {name}).functions;
  return std::all_of(all.begin(), all.end(), [&](const auto& each) { return functions.at(each).dims.empty(); });
}

/// True if only the mesh, layout and ranks of the script's header matter.
bool stands_alone(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (line.starts_with("#:") && line.find("meshes") == std::string::npos &&
        line.find("layouts") == std::string::npos && line.find("ranks") == std::string::npos)
      return false;
  return true;
}

/// True if a label of this name always means the argument, in a call that does not give the argument by position. An
/// int may be the size or the stride of a window.
bool is_always_argument(const syntax::Signature& signature, const syntax::Parameter& parameter) {
  return signature.labels == syntax::LabelKind::kInt && parameter.kind == syntax::ParameterKind::kInts;
}

TEST(DimsOfAnyName, GoThroughEveryOperation) {
  for (const graph::Op* op : ops::all_ops()) {
    if (op->signature.empty()) continue;
    NameTexts own;
    for (const syntax::Parameter& parameter : ops::signature_of(*op).parameters)
      if (!is_always_argument(ops::signature_of(*op), parameter)) own.insert(parameter.name.str());
    const NamedScript script = script_of(std::string(op->example) + "\n", true);
    EXPECT_EQ(script.answer.error, "") << op->name;
    expect_any_name(script, own, std::string(op->name));
  }
}

/// Longer scripts take too long to run. They are only checked, which also refuses a name.
constexpr std::size_t kFewBytes = 600;

TEST(DimsOfAnyName, GoThroughEveryFunctionOfTheLibrary) {
  const std::map<std::string, LibraryFunction> functions = library_functions();
  std::vector<std::pair<std::size_t, std::string>> paths;  // the shortest first
  for (const std::string& path : scripts()) paths.emplace_back(text_of(path).size(), path);
  std::sort(paths.begin(), paths.end());
  NameTexts covered;
  std::map<std::string, std::string> refused;  // the reasons why scripts with a call of the function are left out
  for (const auto& [size, path] : paths) {
    const std::string text = text_of(path);
    if (text.find("import ") == std::string::npos || !stands_alone(text) ||
        path.find("/examples/") != std::string::npos)
      continue;
    NameTexts called;
    for (const std::string& name : mentions_of(parsed_script(text)).members)
      if (functions.contains(name) && !covered.contains(name)) called.insert(name);
    if (called.empty()) continue;
    const NamedScript script = script_of(text, size < kFewBytes);
    for (const std::string& name : called)
      if (!script.answer.error.empty()) refused[name] += path + "\n" + script.answer.error;
    if (!script.answer.error.empty()) continue;
    const OwnNames own = own_names(functions, called);
    covered.insert(own.functions.begin(), own.functions.end());
    expect_any_name(script, script.computes ? own.names : own.dims, path);
  }
  for (const auto& [name, function] : functions)
    EXPECT_TRUE(declares_none(functions, name) || covered.contains(name) ||
                function.parameters.contains("path"))  // of a file
        << "no script of a few lines calls " << name << "\n"
        << refused[name];
}

}  // namespace
}  // namespace mtf::properties
