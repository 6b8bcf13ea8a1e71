#include "places.h"

namespace mtf {

const std::string& source_folder() {
  static const std::string folder = MTF_SOURCE_DIR;
  return folder;
}

const std::string& build_folder() {
  static const std::string folder = MTF_BINARY_DIR;
  return folder;
}

const std::string& stdlib_folder() {
  static const std::string folder = source_folder() + "/stdlib";
  return folder;
}

}  // namespace mtf
