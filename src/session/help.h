#pragma once
// What there is help on: operations, functions, standard modules and what is in them, words and signs of the language,
// kinds of errors, words of other languages. What a name of a session is, Session::what_is says.
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
    kFunction,  ///< of the language, or of a module
    kModule,
    kLanguage,    ///< a word or a sign
    kDiagnostic,  ///< a kind of error or warning
    kForeign,     ///< a word of another language
  };
  Kind kind = Kind::kFunction;
  std::string name;                     ///< as it is asked for: `nn.Dense`
  std::string title;                    ///< a signature, a module's or an error's first line, a heading
  std::string doc;                      ///< paragraphs, each a line; what is indented keeps its lines
  std::string no_gradient = {};         ///< of an operation: why it has none; empty if it has
  std::string example = {};             ///< a program
  std::vector<MemberDoc> members = {};  ///< of a module
};
HelpTopic topic_of(const graph::Op& op);

/// All that is called so; nothing if nothing is. `folder`: see documentation.h.
std::vector<HelpTopic> help_on(const std::string& name, const std::string& folder);
/// What is called so behind the name of a module, or in another language.
std::vector<HelpTopic> help_elsewhere(const std::string& name, const std::string& folder);
/// Everything that help_on() knows.
std::vector<std::string> help_names(const std::string& folder);

}  // namespace mtf::session
