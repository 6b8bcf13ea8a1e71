#pragma once

namespace mtf {

// Where the standard library is, as the build knows it. These stand in a source of their own, because no other source
// then depends on where it was checked out.

/// stdlib/ of the source tree.
const char* stdlib_of_sources();

/// stdlib/ of an installation, from the folder of its executable.
const char* stdlib_of_installation();

}  // namespace mtf
