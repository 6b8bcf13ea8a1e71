// The safetensors format (Hugging Face, 2022): the length of a header in 8 bytes, the header as JSON, then the tensors,
// row-major and little-endian, one after another.
//
// Nothing here trusts a file: its header must be small, say each thing once, and its tensors must lie side by side from
// the header's end to the file's. Files that are written here also have checksums in their metadata, which other
// readers pass over: `checksum` of what the header says, and for each tensor `sum:NAME` of its bytes
// (io/element_sum.h). What has them is compared with them.
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
  std::uint64_t begin = 0;  ///< where its bytes lie, from the file's beginning
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

/// How the format writes an element type.
std::string safetensors_type(ElementType type);

/// The bytes with which a file of these tensors begins, and where each of them then lies (`begin`, `end`, `file_size`
/// and the header's own checksum are filled in). The same for the same header, and as long for other checksums.
std::string lay_out_safetensors(SafetensorsHeader& header);

/// Notes the checksum of a tensor's bytes.
void set_sum(SafetensorsHeader& header, const std::string& name, std::uint64_t sum);
/// Throws IoError if the header notes another one.
void expect_sum(const SafetensorsHeader& header, const std::string& path, const std::string& name, std::uint64_t sum);

/// The numbers of one of its tensors; F16 become f32, integers i32. Throws IoError for a type that has no element type
/// here, for an I64 that i32 cannot hold, where its checksum is another, and where it takes more than `most_memory`
/// bytes.
ElementArray read_safetensor(const std::string& path, const SafetensorsHeader& header, const std::string& name,
                             std::uint64_t most_memory);
/// The element type that read_safetensor gives. Throws IoError if there is none.
ElementType element_type_of(const std::string& path, const FileTensor& tensor);

}  // namespace mtf::io
