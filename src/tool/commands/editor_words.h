#pragma once
// The words that editors colour, from the lexer and the registry, in the editors' own files.
//
// A line of such a file that contains `words: KEY` stands above a line with words of that kind, which are replaced:
// between `(?:` and `)` in a .json file, behind `syntax keyword GROUP` in a .vim file. Keys: statements, operators,
// constants, types, operations, functions, modules.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tool/shell/generated_file.h"

namespace mtf::tool {

using WordLists = std::map<std::string, std::vector<std::string>>;

/// Those of this version of the language.
WordLists editor_words();

/// The text with the words of each marked line replaced. A key that is not in `words` is a bug of ours.
std::string with_words(std::string_view text, const std::string& path, const WordLists& words);

/// The files below `folder` that hold word lists, as they should be.
std::vector<GeneratedFile> editor_files(const std::string& folder, const WordLists& words);

}  // namespace mtf::tool
