// Event files of TensorBoard: numbers over steps.
//
// A file is a sequence of records (TFRecord): the length, its checksum, the bytes of an event, their checksum. An event
// is a message of protocol buffers. Only the fields that numbers need are written: wall_time, step, file_version,
// summary with tags and simple_values, and session_log.
#pragma once

#include <cstdint>
#include <fstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mtf::io {

class EventFile {
 public:
  /// Makes the folder, and a new file in it with a name that TensorBoard finds. Throws IoError.
  explicit EventFile(const std::string& folder);

  /// Adds numbers of one step. The first call tells TensorBoard to forget what earlier files of the folder say of this
  /// step and later ones: a run that continues from a checkpoint, and another run, begin there anew.
  void add(std::int64_t step, const std::vector<std::pair<std::string, double>>& numbers);

  const std::string& path() const { return path_; }

 private:
  void add_record(const std::string& event);

  std::string path_;
  std::ofstream file_;
  bool has_begun_ = false;
};

/// Returns the checksum CRC-32C (Castagnoli) of bytes, rotated and shifted as TFRecord masks it.
std::uint32_t masked_crc32c(std::string_view bytes);

}  // namespace mtf::io
