#pragma once
// Completion: the words that fit at a position of a program while it is being written.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "session/known_names.h"
#include "types/mesh.h"

namespace mtf::session {

class Session;

/// A word that fits at the position.
struct CouldStand {
  enum class Kind : std::uint8_t {
    kName,    ///< a binding, a declaration, an operation, or a member after a dot
    kLabel,   ///< of an argument, with its colon
    kModule,  ///< an importable module, or a member of one
    kAxis,    ///< of the mesh in force
    kWord,    ///< a reserved word
    kFile,
    kFolder,  ///< with a slash at its end
  };
  Kind kind = Kind::kName;
  std::string text;         ///< as it is written
  KnownName name = {};      ///< of kName; for a member of a module only the signature is known
  std::string detail = {};  ///< of a label: the parameter as declared; of a module: its first line
  Axis axis = {};           ///< of kAxis
};

struct Completion {
  std::size_t begin = 0;  ///< start of the unfinished word, which ends at the position
  std::vector<CouldStand> could;
};

/// Returns completions of the word that ends at byte `at` of a text. The context chooses the kind: words, dims (after
/// `[`, after `over:`, in a layout), axes (after a layout's `->`), labels of the called function, members after a dot,
/// modules after `import`, or files in a string.
Completion complete(const Session& session, const std::string& text, std::size_t at);

/// A call whose arguments are being written.
struct OpenCall {
  KnownName called;
  std::optional<std::size_t> parameter;  ///< that the argument at the position is for, if that is known
};
/// Returns the innermost call around byte `at` of a text whose callable is known.
std::optional<OpenCall> open_call(const Session& session, const std::string& text, std::size_t at);

/// Returns the callables and modules with help whose names begin with `begun`.
std::vector<CouldStand> could_be_explained(const Session& session, const std::string& begun);

/// Returns the files and folders whose paths begin with `path`.
std::vector<CouldStand> files_that_begin(const std::string& path);

}  // namespace mtf::session
