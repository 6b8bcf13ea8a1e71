#include "tool/module_docs.h"

#include <algorithm>
#include <filesystem>

#include "eval/builtins.h"
#include "library/library.h"
#include "support/diagnostics.h"
#include "syntax/parse.h"
#include "syntax/print.h"

namespace mtf::tool {
namespace {

std::optional<MemberDoc> member_doc(const ast::Stmt& stmt) {
  if (stmt.doc.empty()) return std::nullopt;
  if (const auto* fn = stmt.as<ast::FnStmt>()) return MemberDoc{fn->name.name.str(), signature(*fn), stmt.doc};
  if (const auto* model = stmt.as<ast::ModelStmt>()) return MemberDoc{model->name.name.str(), signature(*model), stmt.doc};
  if (const auto* option = stmt.as<ast::OptionStmt>()) return MemberDoc{option->name.name.str(), print(stmt), stmt.doc};
  if (const auto* setting = stmt.as<ast::SettingStmt>()) return MemberDoc{setting->name.name.str(), print(stmt), stmt.doc};
  if (const auto* let = stmt.as<ast::LetStmt>()) return MemberDoc{std::get<ast::Ident>(let->pattern->node).name.str(), print(stmt), stmt.doc};
  return std::nullopt;
}

}  // namespace

std::vector<ModuleDoc> read_module_docs(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (entry.path().extension() == ".mtf") files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  std::vector<ModuleDoc> modules;
  for (const auto& file : files) {
    Diagnostics found;
    found.attempt([&] {
      const ast::Program program = parse(SourceFile::read(file.string()), found);
      ModuleDoc module{file.stem().string(), program.doc, {}};
      for (const ast::Stmt& stmt : program.body.statements)
        if (auto member = member_doc(stmt)) module.members.push_back(std::move(*member));
      modules.push_back(std::move(module));
    });
  }
  return modules;
}

std::vector<MemberDoc> builtin_docs() {
  std::vector<MemberDoc> docs;
  for (const BuiltinPtr& builtin : Builtins(&host_library()).functions()) docs.push_back({builtin->name.str(), builtin->signature, builtin->doc});
  std::sort(docs.begin(), docs.end(), [](const MemberDoc& a, const MemberDoc& b) { return a.name < b.name; });
  return docs;
}

}  // namespace mtf::tool
