#include "support/built_places.h"

namespace mtf {

const char* stdlib_of_sources() { return MTF_STDLIB_DIR; }

const char* stdlib_of_installation() { return MTF_INSTALLED_STDLIB; }

}  // namespace mtf
