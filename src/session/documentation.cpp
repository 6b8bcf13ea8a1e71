#include "session/documentation.h"

#include <algorithm>
#include <optional>

#include "eval/builtins.h"
#include "library/library.h"
#include "support/diagnostics.h"
#include "support/library_files.h"
#include "support/text.h"
#include "syntax/parse.h"
#include "syntax/print.h"
#include "syntax/signature.h"

namespace mtf::session {
namespace {

std::optional<MemberDoc> member_doc(const ast::Stmt& stmt) {
  if (stmt.doc.empty()) return std::nullopt;
  if (const auto* fn = stmt.as<ast::FnStmt>())
    return MemberDoc{fn->name.name.str(), "fn " + fn->signature->text, stmt.doc};
  if (const auto* model = stmt.as<ast::ModelStmt>())
    return MemberDoc{model->name.name.str(), "model " + model->signature->text, stmt.doc};
  if (const auto* option = stmt.as<ast::OptionStmt>())
    return MemberDoc{option->name.name.str(), syntax::print(stmt), stmt.doc};
  if (const auto* setting = stmt.as<ast::SettingStmt>())
    return MemberDoc{setting->name.name.str(), syntax::print(stmt), stmt.doc};
  if (const auto* let = stmt.as<ast::LetStmt>())
    return MemberDoc{std::get<ast::Ident>(let->pattern->node).name.str(), syntax::print(stmt), stmt.doc};
  return std::nullopt;
}

Page begin_page(std::string_view heading) {
  Page page{std::string(heading), {}, {}};
  const std::vector<std::string> parts = split(heading, '`');
  for (std::size_t i = 1; i < parts.size(); i += 2) page.words.push_back(parts[i]);
  if (page.words.empty()) page.words.push_back(page.title);
  return page;
}

}  // namespace

std::vector<ModuleDoc> read_module_docs(const std::string& folder) {
  const LibraryFiles files(folder);
  std::vector<ModuleDoc> modules;
  for (const std::string& name : files.modules()) {
    Diagnostics found;
    found.attempt([&] {
      const ast::Program program = syntax::parse(files.read(name + ".mtf"), found);
      ModuleDoc module{name, program.doc, {}};
      for (const ast::Stmt& stmt : program.body.statements)
        if (auto member = member_doc(stmt)) module.members.push_back(std::move(*member));
      modules.push_back(std::move(module));
    });
  }
  return modules;
}

std::vector<MemberDoc> builtin_docs() {
  std::vector<MemberDoc> docs;
  for (const eval::BuiltinPtr& builtin : eval::Builtins(&library::host_library()).functions())
    docs.push_back({builtin->signature->name.str(), builtin->signature->text, std::string(builtin->doc)});
  std::sort(docs.begin(), docs.end(), [](const MemberDoc& a, const MemberDoc& b) { return a.name < b.name; });
  return docs;
}

std::vector<Page> read_pages(const std::string& folder, std::string_view name) {
  const LibraryFiles files(folder);
  if (!files.has(name)) return {};
  std::vector<Page> pages;
  bool in_program = false;
  const std::shared_ptr<const SourceFile> file = files.read(name);
  for (std::size_t number = 1; number <= file->line_count(); ++number) {
    const std::string line(file->line(number));
    const bool is_mark = line.starts_with("```");
    const std::size_t level = in_program ? 0 : line.find_first_not_of('#');
    if (level == 1) continue;  // the title
    if (level == 2 || level == 3) {
      pages.push_back(begin_page(trim(std::string_view(line).substr(level))));
      continue;
    }
    if (is_mark) in_program = !in_program;
    if (pages.empty() || is_mark) continue;
    std::string& text = pages.back().text;
    const bool goes_on =
        !in_program && !line.empty() && !line.starts_with("- ") && !text.empty() && !text.ends_with("\n\n");
    if (goes_on) text.back() = ' ';  // a paragraph becomes one line, which the caller breaks
    text += (in_program && !line.empty() ? "  " : "") + (goes_on ? std::string(trim(line)) : line) + "\n";
  }
  for (Page& page : pages) page.text = std::string(trim(page.text)) + "\n";
  std::erase_if(pages, [](const Page& page) { return page.text == "\n"; });  // such a heading only groups others
  return pages;
}

std::vector<Page> error_pages(const std::string& folder) { return read_pages(folder, "ERRORS.md"); }
std::vector<Page> language_pages(const std::string& folder) { return read_pages(folder, "LANGUAGE.md"); }

}  // namespace mtf::session
