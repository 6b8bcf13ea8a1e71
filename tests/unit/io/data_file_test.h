// For tests of reading and writing files: compressed files, and the errors for wrong files.
#pragma once

#include <zlib.h>

#include <string>

#include "../file_test.h"
#include "io/io_error.h"

namespace mtf::io {

class DataFileTest : public FileTest {
 protected:
  std::string write_gz(const std::string& name, const std::string& content) const {
    gzFile file = gzopen(path(name).c_str(), "wb");
    gzwrite(file, content.data(), static_cast<unsigned>(content.size()));
    gzclose(file);
    return path(name);
  }
};

/// Returns the message of the IoError that `action` throws. Fails the test if it throws none.
template <typename Action>
std::string message_of(Action action) {
  try {
    action();
  } catch (const IoError& error) { return error.message; }
  ADD_FAILURE() << "expected an IoError";
  return "";
}

}  // namespace mtf::io
