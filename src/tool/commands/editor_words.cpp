#include "tool/commands/editor_words.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "graph/op.h"
#include "kernels/element_type.h"
#include "ops/registry.h"
#include "session/documentation.h"
#include "support/diagnostics.h"
#include "support/source.h"
#include "support/text.h"
#include "syntax/parse.h"
#include "tool/golden/golden_file.h"
#include "tool/shell/program_options.h"

namespace mtf::tool {
namespace {

// The reserved words, except element types, that begin no statement.
const std::map<std::string_view, std::string> kOtherWords = {
    {"as", "operators"},  {"in", "operators"},   {"and", "operators"},   {"or", "operators"},
    {"not", "operators"}, {"true", "constants"}, {"false", "constants"}, {"none", "constants"}};

std::string list_of(std::string_view reserved) {
  if (parse_element_type(reserved)) return "types";
  const auto other = kOtherWords.find(reserved);
  return other == kOtherWords.end() ? "statements" : other->second;
}

std::string alternatives(const std::vector<std::string>& words) {
  std::string out;
  for (const std::string& word : words) {
    if (!out.empty()) out += '|';
    for (const char c : word) out += c == '.' ? std::string("\\\\.") : std::string(1, c);
  }
  return out;
}

std::string json_line(const std::string& line, const std::vector<std::string>& words) {
  const std::size_t begin = line.find("(?:"), end = line.find(')', begin);
  MTF_CHECK(begin != std::string::npos && end != std::string::npos, "no (?: … ) in {}", line);
  return line.substr(0, begin + 3) + alternatives(words) + line.substr(end);
}

std::string vim_line(const std::string& line, const std::vector<std::string>& words) {
  std::istringstream parts(line);
  std::string syntax, keyword, group;
  parts >> syntax >> keyword >> group;
  MTF_CHECK(syntax == "syntax" && keyword == "keyword", "no `syntax keyword` in {}", line);
  std::vector<std::string> plain;  // a keyword of vim has no dot
  std::copy_if(words.begin(), words.end(), std::back_inserter(plain),
               [](const std::string& word) { return word.find('.') == std::string::npos; });
  return fmt::format("syntax keyword {} {}", group, join(plain, " "));
}

std::string emacs_line(const std::string& line, const std::vector<std::string>& words) {
  const std::size_t begin = line.find("'("), end = line.rfind("))");
  MTF_CHECK(begin != std::string::npos && end != std::string::npos, "no '( … ) in {}", line);
  std::string quoted;
  for (const std::string& word : words) quoted += (quoted.empty() ? "\"" : " \"") + word + "\"";
  return line.substr(0, begin + 2) + quoted + line.substr(end);
}

std::string line_with_words(const std::string& path, const std::string& line, const std::vector<std::string>& words) {
  if (path.ends_with(".vim")) return vim_line(line, words);
  return path.ends_with(".el") ? emacs_line(line, words) : json_line(line, words);
}

}  // namespace

WordLists editor_words() {
  WordLists words;
  for (const std::string_view word : syntax::reserved_words()) words[list_of(word)].emplace_back(word);
  const auto& reserved = syntax::reserved_words();
  for (const graph::Op* op : ops::all_ops())
    if (!op->signature.empty() && std::find(reserved.begin(), reserved.end(), op->name) == reserved.end())
      words["operations"].emplace_back(op->name);
  for (const session::MemberDoc& builtin : session::builtin_docs()) words["functions"].push_back(builtin.name);
  for (const session::ModuleDoc& module : session::read_module_docs(standard_library()))
    words["modules"].push_back(module.name);
  words["modules"].emplace_back("random");  // its members are operations
  for (auto& [key, list] : words) {
    std::sort(list.begin(), list.end());
    list.erase(std::unique(list.begin(), list.end()), list.end());
  }
  return words;
}

std::string with_words(std::string_view text, const std::string& path, const WordLists& words) {
  constexpr std::string_view kMark = "words: ";
  std::string out, key;
  for (std::string line : printed_lines(text)) {
    if (!key.empty()) {
      const auto list = words.find(key);
      MTF_CHECK(list != words.end(), "{} asks for the words {}", path, key);
      line = line_with_words(path, line, list->second);
      key.clear();
    } else if (const std::size_t mark = line.find(kMark); mark != std::string::npos) {
      const std::size_t begin = mark + kMark.size();
      key = line.substr(begin, line.find_first_not_of("abcdefghijklmnopqrstuvwxyz", begin) - begin);
    }
    out += line + "\n";
  }
  return out;
}

std::vector<GeneratedFile> editor_files(const std::string& folder, const WordLists& words) {
  std::vector<GeneratedFile> files;
  std::error_code error;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error)) {
    const std::string extension = entry.path().extension().string();
    if (extension != ".vim" && extension != ".json" && extension != ".el") continue;
    const std::string path = entry.path().lexically_relative(folder).string();
    files.push_back({path, with_words(SourceFile::read(entry.path().string())->text(), path, words)});
  }
  if (files.empty())
    fail(Diagnostic(Kind::file_not_found, {}, fmt::format("{} has no .vim, .json or .el files", folder))
             .help("give the folder `editors` of the source tree"));
  std::sort(files.begin(), files.end(), [](const GeneratedFile& a, const GeneratedFile& b) { return a.path < b.path; });
  return files;
}

}  // namespace mtf::tool
