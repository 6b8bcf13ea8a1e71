#pragma once
// The words that editors colour, from the lexer and the registry, for the editors' own files.
//
// In such a file a line with `words: KEY` precedes a line with words of that kind. The words are replaced between `(?:`
// and `)` in a .json file, and after `syntax keyword GROUP` in a .vim file. Keys: statements, operators, constants,
// types, operations, functions, modules.
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "tool/shell/generated_file.h"

namespace mtf::tool {

using WordLists = std::map<std::string, std::vector<std::string>>;

/// Returns the words of this version of the language.
WordLists editor_words();

/// Returns the text with the words of each marked line replaced. A key that `words` lacks is a bug of mtf.
std::string with_words(std::string_view text, const std::string& path, const WordLists& words);

/// Returns the files below `folder` that have word lists, with current words.
std::vector<GeneratedFile> editor_files(const std::string& folder, const WordLists& words);

}  // namespace mtf::tool
