#pragma once
// The topics of help: operations, functions, standard modules and their members, words and signs of the language, kinds
// of errors, words of other languages. Session::what_is describes a name of a session.
#include <cstdint>
#include <string>
#include <vector>

#include "session/documentation.h"

namespace mtf::graph {
struct Op;  // graph/op.h
}

namespace mtf::session {

struct HelpTopic {
  enum class Kind : std::uint8_t {
    kOperation,
    kFunction,  ///< of the language or of a module
    kModule,
    kLanguage,    ///< a word or a sign
    kDiagnostic,  ///< a kind of error or warning
    kForeign,     ///< a word of another language
  };
  Kind kind = Kind::kFunction;
  std::string name;                     ///< the name in questions: `nn.Dense`
  std::string title;                    ///< a signature, the first line of a module or error, or a heading
  std::string doc;                      ///< each paragraph is one line; indented text keeps its lines
  std::string no_gradient = {};         ///< of an operation without a gradient: the reason
  std::string example = {};             ///< a program
  std::vector<MemberDoc> members = {};  ///< of a module
};
HelpTopic topic_of(const graph::Op& op);

/// Returns all topics with this name. `folder`: see documentation.h.
std::vector<HelpTopic> help_on(const std::string& name, const std::string& folder);
/// Returns the topics with this name after a module's name, or in another language.
std::vector<HelpTopic> help_elsewhere(const std::string& name, const std::string& folder);
/// Returns the topics whose names differ from this one in case, blanks and underscores alone, with or without the name
/// of a module: `batch norm` is nn.BatchNorm.
std::vector<HelpTopic> help_spelled_like(const std::string& name, const std::string& folder);
/// Returns the topics that mention each of the words, in any case: first those with it in their names, then in their
/// titles, then in their texts.
std::vector<HelpTopic> help_mentioning(const std::vector<std::string>& words, const std::string& folder);
/// Returns every name that help_on() knows.
std::vector<std::string> help_names(const std::string& folder);

}  // namespace mtf::session
