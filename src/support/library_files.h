#pragma once
// The files of the standard library: the modules, the pages that help shows, and the machines that are known by name.
//
// The files are built into the program, so an installed command or an embedding program needs no file. The built-in
// text is the only one: no copy beside the program is searched for, because it could be of another version. An editor
// that opens definitions names a folder instead (`MTF_STDLIB`), whose files then replace the built-in ones.
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "support/source.h"

namespace mtf {

struct BuiltInFile {
  std::string_view name;  ///< `nn.mtf`, `machines/h100.json`
  std::string_view text;
};

/// The files of stdlib/ as they were when the program was built, sorted by name. The build generates the source that
/// defines this function (support/built_in_files.cmake).
std::span<const BuiltInFile> built_in_files();

/// The built-in files, or the files of a folder that replaces them.
class LibraryFiles {
 public:
  /// An empty `folder` means the built-in files.
  explicit LibraryFiles(std::string folder) : folder_(std::move(folder)) {}

  /// The names of the modules, sorted.
  std::vector<std::string> modules() const;
  /// True if there is a file with this name, such as `nn.mtf`.
  bool has(std::string_view name) const;
  /// The path of a file in messages: `<stdlib>/nn.mtf` if it is built in. Such a path is the same on every machine.
  std::string path_of(std::string_view name) const;
  /// True if path_of() returns `path` for some name.
  bool has_path(std::string_view path) const;
  /// Reads the file with this name. Throws UserError if there is none.
  std::shared_ptr<const SourceFile> read(std::string_view name) const;

 private:
  std::string folder_;
};

}  // namespace mtf
