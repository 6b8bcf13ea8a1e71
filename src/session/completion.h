#pragma once
// What could stand at a place of a program's text that is being written.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "session/known_names.h"
#include "types/mesh.h"

namespace mtf::session {

class Session;

/// What could be written there.
struct CouldStand {
  enum class Kind : std::uint8_t {
    kName,    ///< bound, declared, an operation, or a member behind a dot
    kLabel,   ///< of an argument, with its colon
    kModule,  ///< that could be imported, and so what is in one
    kAxis,    ///< of the mesh in force
    kWord,    ///< a reserved one
    kFile,
    kFolder,  ///< with the slash behind it
  };
  Kind kind = Kind::kName;
  std::string text;         ///< as it is written
  KnownName name = {};      ///< of kName: what it is; of what is in a module its signature alone
  std::string detail = {};  ///< of a label its parameter as declared, of a module what its first line says
  Axis axis = {};           ///< of kAxis
};

struct Completion {
  std::size_t begin = 0;  ///< where what was begun begins; it ends at the place
  std::vector<CouldStand> could;
};

/// What the word that ends at byte `at` of a text could become, as its place asks: words, dims (behind `[`, `over:`, in
/// a layout), axes (behind its `->`), labels of what is being called, members behind a dot, modules behind `import`,
/// files in a string.
Completion complete(const Session& session, const std::string& text, std::size_t at);

/// What there is help on that begins so: what can be called, and modules.
std::vector<CouldStand> could_be_explained(const Session& session, const std::string& begun);

/// Files and folders that the path could lead to.
std::vector<CouldStand> files_that_begin(const std::string& path);

}  // namespace mtf::session
