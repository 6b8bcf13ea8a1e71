// The safetensors format (Hugging Face, 2022): the length of a header in 8 bytes, the header as JSON, then the tensors,
// row-major and little-endian, one after another.
//
// Files are not trusted: the header must be small and have no repeated keys. The tensors must be adjacent, from the
// header's end to the file's. Files that mtf writes also have checksums in their metadata, which other readers ignore:
// `checksum` for the header, and `sum:NAME` for the bytes of each tensor (io/element_sum.h). If a file has checksums,
// they are verified.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "io/array.h"

namespace mtf::io {

/// One tensor of a file.
struct FileTensor {
  std::string type;  ///< as the format writes it: "F32", "BF16", "I64"
  std::vector<std::int64_t> sizes;
  std::uint64_t begin = 0;  ///< the offset of its bytes in the file
  std::uint64_t end = 0;
};

struct SafetensorsHeader {
  std::map<std::string, FileTensor> tensors;
  std::map<std::string, std::string> metadata;
  std::uint64_t file_size = 0;
};

/// True if a path is that of an index: a JSON file that says in which file each of a model's tensors is.
bool is_safetensors_index(const std::string& path);
/// The file of each tensor by the tensor's name, as an index says it: beside the index. Throws IoError if the index is
/// malformed, or names a file of another folder.
std::map<std::string, std::string> read_safetensors_index(const std::string& path);

/// The header of a file. Throws IoError if it is malformed, is not what the file holds or has another checksum.
SafetensorsHeader read_safetensors_header(const std::string& path);

/// The format's name for an element type.
std::string safetensors_type(ElementType type);

/// Returns the first bytes of a file with these tensors. Sets the position of each tensor (`begin`, `end`), the
/// `file_size` and the header's own checksum. The result is the same for the same header, and its length does not
/// depend on the checksums.
std::string lay_out_safetensors(SafetensorsHeader& header);

/// Stores the checksum of a tensor's bytes in the header.
void set_sum(SafetensorsHeader& header, const std::string& name, std::uint64_t sum);
/// Throws IoError if the header has a different checksum for the tensor.
void expect_sum(const SafetensorsHeader& header, const std::string& path, const std::string& name, std::uint64_t sum);

/// Reads the numbers of one tensor. F16 becomes f32, integers become i32. Throws IoError for a type without an element
/// type, for an I64 that i32 cannot hold, for a wrong checksum, and if it takes more than `most_memory` bytes.
ElementArray read_safetensor(const std::string& path, const SafetensorsHeader& header, const std::string& name,
                             std::uint64_t most_memory);
/// The element type of the result of read_safetensor. Throws IoError if there is none.
ElementType element_type_of(const std::string& path, const FileTensor& tensor);

}  // namespace mtf::io
