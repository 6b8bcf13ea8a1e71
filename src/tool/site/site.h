#pragma once
// The documentation as a site: pages of HTML that need no server, and no JavaScript but for the search.
//
//   index.html        what mtf is, and where things are
//   tour.html         examples/README.md         language.html   stdlib/LANGUAGE.md
//   errors.html       stdlib/ERRORS.md           prompt.html     stdlib/PROMPT.md
//   planning.html     stdlib/PLANNING.md
//   ranks.html        stdlib/RANKS.md
//   reference.html    the families of operations and the modules, each of which has a page: reference-nn.html
//   commands.html     what `mtf COMMAND --help` prints
//   examples.html     the examples, each of which has a page with what it prints: example-two_layer.html
//   words.html        words of other systems
//   search.html       finds sections; search-index.js has their texts
#include <string>
#include <vector>

#include "tool/shell/generated_file.h"

namespace mtf::tool {

/// Returns the files of the site. `examples`: the folder of the tour and the examples. Runs the examples that do not
/// show their output themselves, each for at most a minute.
std::vector<GeneratedFile> site_files(const std::string& examples);

/// Returns the folder with the examples: the installed one, or that of the source tree in which the program was built.
/// Returns an empty text if there is none.
std::string folder_of_examples();

}  // namespace mtf::tool
