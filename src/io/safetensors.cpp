#include "io/safetensors.h"

#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "io/element_sum.h"
#include "io/io_error.h"
#include "io/json_object.h"
#include "io/positioned_file.h"

namespace mtf::io {
namespace {

using Json = nlohmann::json;

constexpr std::uint64_t kMostHeader = 100'000'000;  // the limit of the format's own reader
constexpr std::size_t kAlignment = 64;

struct Type {
  const char* code;
  std::int64_t size;
  std::optional<ElementType> element;  ///< the element type of the result
};

constexpr Type kTypes[] = {
    {"BOOL", 1, ElementType::kBool}, {"I8", 1, ElementType::kI32},  {"U8", 1, ElementType::kI32},
    {"I16", 2, ElementType::kI32},   {"U16", 2, std::nullopt},      {"F16", 2, ElementType::kF32},
    {"BF16", 2, ElementType::kBf16}, {"I32", 4, ElementType::kI32}, {"U32", 4, std::nullopt},
    {"F32", 4, ElementType::kF32},   {"F64", 8, ElementType::kF64}, {"I64", 8, ElementType::kI32},
    {"U64", 8, std::nullopt},        {"F8_E4M3", 1, std::nullopt},  {"F8_E5M2", 1, std::nullopt},
};

const Type* type_of(const std::string& code) {
  const auto found =
      std::find_if(std::begin(kTypes), std::end(kTypes), [&](const Type& type) { return code == type.code; });
  return found == std::end(kTypes) ? nullptr : found;
}

std::uint64_t unsigned_of(const Json& value, const std::string& path, const std::string& what) {
  if (!value.is_number_unsigned())
    fail_bad_file(path, "{}: expected a whole number, found {}", what, excerpt_of(value));
  return value.get<std::uint64_t>();
}

FileTensor tensor_of(const Json& json, const std::string& path, const std::string& name) {
  const std::string what = "tensor `" + printable(name) + "`";
  auto part = [&](const char* key, Json::value_t type) -> const Json& {
    const auto found = json.is_object() ? json.find(key) : json.end();
    if (!json.is_object() || found == json.end() || found->type() != type)
      fail_bad_file(path, "{} lacks `{}`", what, key);
    return *found;
  };
  FileTensor tensor;
  tensor.type = part("dtype", Json::value_t::string).get<std::string>();
  const Type* type = type_of(tensor.type);
  if (type == nullptr) fail_bad_file(path, "{}: the type {} is not known", what, printable(tensor.type));
  std::uint64_t bytes = static_cast<std::uint64_t>(type->size);
  for (const Json& size : part("shape", Json::value_t::array)) {
    const std::uint64_t number = unsigned_of(size, path, what);
    if (number > INT64_MAX || __builtin_mul_overflow(bytes, number, &bytes))
      fail_bad_file(path, "{} is too large", what);
    tensor.sizes.push_back(static_cast<std::int64_t>(number));
  }
  const Json& offsets = part("data_offsets", Json::value_t::array);
  if (offsets.size() != 2) fail_bad_file(path, "{}: expected two offsets, found {}", what, offsets.size());
  tensor.begin = unsigned_of(offsets[0], path, what);
  tensor.end = unsigned_of(offsets[1], path, what);
  if (tensor.end < tensor.begin || tensor.end - tensor.begin != bytes) {
    fail_bad_file(path, "{}: {} of {} take {} bytes, its offsets are {} and {}", what, tensor.type,
                  to_text(tensor.sizes), bytes, tensor.begin, tensor.end);
  }
  return tensor;
}

constexpr const char* kChecksum = "checksum";

std::string digits(std::uint64_t sum) { return fmt::format("{:016x}", sum); }

/// The checksum of a header's contents, independent of their form. It leaves out the tensors' positions, which are
/// verified anyway.
std::string checksum_of(const SafetensorsHeader& header) {
  std::string text;
  auto say = [&](std::string_view word) { text += fmt::format("{} {}\n", word.size(), word); };
  for (const auto& [key, value] : header.metadata) {
    if (key == kChecksum) continue;
    say(key);
    say(value);
  }
  for (const auto& [name, tensor] : header.tensors) {
    say(name);
    say(tensor.type);
    say(to_text(tensor.sizes));
  }
  return digits(XXH3_64bits(text.data(), text.size()));
}

/// The reason of a wrong checksum, for messages.
constexpr std::string_view kDamaged = "the file was damaged, or changed by a program that kept the checksum";

template <typename From, typename To, typename Convert>
std::vector<std::byte> converted(const std::vector<std::byte>& bytes, const Convert& convert) {
  const std::size_t count = bytes.size() / sizeof(From);
  std::vector<std::byte> result(count * sizeof(To));
  for (std::size_t i = 0; i < count; ++i) {
    From from;
    std::memcpy(&from, bytes.data() + i * sizeof(From), sizeof from);
    const To to = convert(from);
    std::memcpy(result.data() + i * sizeof(To), &to, sizeof to);
  }
  return result;
}

}  // namespace

bool is_safetensors_index(const std::string& path) { return path.ends_with(".json"); }

std::map<std::string, std::string> read_safetensors_index(const std::string& path) {
  const PositionedFile file = PositionedFile::to_read(path);
  if (file.size() > kMostHeader) fail_bad_file(path, "expected an index of at most {} bytes", kMostHeader);
  std::string text(file.size(), '\0');
  file.read(0, std::as_writable_bytes(std::span(text)));
  const Json whole = parse_object(text, path, "the index");
  const auto map = whole.find("weight_map");
  if (map == whole.end() || !map->is_object())
    fail_bad_file(path, "expected an index, whose `weight_map` says the file of each tensor");
  const std::string folder = path.substr(0, path.find_last_of('/') + 1);
  std::map<std::string, std::string> files;
  for (const auto& [name, value] : map->items()) {
    if (!value.is_string() || value.get<std::string>().find('/') != std::string::npos)
      fail_bad_file(path, "tensor `{}`: expected a file beside the index, found {}", printable(name),
                    excerpt_of(value));
    files[name] = folder + value.get<std::string>();
  }
  return files;
}

SafetensorsHeader read_safetensors_header(const std::string& path) {
  const PositionedFile file = PositionedFile::to_read(path);
  SafetensorsHeader header;
  header.file_size = file.size();
  std::uint64_t length = 0;
  if (header.file_size < sizeof length)
    fail_bad_file(path, "expected a safetensors file, found {} bytes", header.file_size);
  file.read(0, std::as_writable_bytes(std::span(&length, 1)));
  if (length > kMostHeader || length > header.file_size - sizeof length) {
    fail_bad_file(path,
                  "expected a safetensors file, whose first 8 bytes are the length of its header, found the length {}",
                  length);
  }
  std::string text(length, '\0');
  file.read(sizeof length, std::as_writable_bytes(std::span(text)));
  const std::uint64_t data = sizeof length + length;

  const Json whole = parse_object(text, path, "its header");
  for (const auto& [name, json] : whole.items()) {
    if (name == "__metadata__") {
      if (!json.is_object()) fail_bad_file(path, "its metadata is no object");
      for (const auto& [key, value] : json.items()) {
        if (!value.is_string()) fail_bad_file(path, "its metadata `{}` is no string", printable(key));
        header.metadata[key] = value.get<std::string>();
      }
      continue;
    }
    FileTensor tensor = tensor_of(json, path, name);
    if (tensor.end > header.file_size - data) fail_bad_file(path, "tensor `{}` ends after the file", printable(name));
    tensor.begin += data;
    tensor.end += data;
    header.tensors.emplace(name, std::move(tensor));
  }
  std::vector<std::pair<std::uint64_t, std::uint64_t>> places;
  for (const auto& [name, tensor] : header.tensors) places.emplace_back(tensor.begin, tensor.end);
  std::sort(places.begin(), places.end());
  std::uint64_t end = data;
  for (const auto& [begin, its_end] : places) {
    if (begin != end) fail_bad_file(path, "its tensors {}", begin < end ? "overlap" : "leave a gap");
    end = its_end;
  }
  if (end != header.file_size) fail_bad_file(path, "{} bytes follow its last tensor", header.file_size - end);
  const auto noted = header.metadata.find(kChecksum);
  if (noted != header.metadata.end() && noted->second != checksum_of(header))
    fail_bad_file(path, "its header has another checksum than it says: {}", kDamaged);
  return header;
}

std::string safetensors_type(ElementType type) {
  switch (type) {
    case ElementType::kBool: return "BOOL";
    case ElementType::kI32: return "I32";
    case ElementType::kBf16: return "BF16";
    case ElementType::kF32: return "F32";
    case ElementType::kF64: return "F64";
  }
  return "";
}

void set_sum(SafetensorsHeader& header, const std::string& name, std::uint64_t sum) {
  header.metadata["sum:" + name] = digits(sum);
}

void expect_sum(const SafetensorsHeader& header, const std::string& path, const std::string& name, std::uint64_t sum) {
  const auto noted = header.metadata.find("sum:" + name);
  if (noted != header.metadata.end() && noted->second != digits(sum))
    fail_bad_file(path, "tensor `{}` has another checksum than the header says: {}", printable(name), kDamaged);
}

std::string lay_out_safetensors(SafetensorsHeader& header) {
  header.metadata[kChecksum] = checksum_of(header);
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  json["__metadata__"] = header.metadata;
  std::uint64_t end = 0;
  for (auto& [name, tensor] : header.tensors) {
    std::uint64_t bytes = static_cast<std::uint64_t>(type_of(tensor.type)->size);
    for (const std::int64_t size : tensor.sizes) bytes *= static_cast<std::uint64_t>(size);
    tensor.begin = end;
    tensor.end = end + bytes;
    end = tensor.end;
    json[name] = {{"dtype", tensor.type}, {"shape", tensor.sizes}, {"data_offsets", {tensor.begin, tensor.end}}};
  }
  std::string text = json.dump(-1, ' ', true, nlohmann::ordered_json::error_handler_t::replace);
  std::uint64_t length = text.size() + sizeof length;
  text.append((kAlignment - length % kAlignment) % kAlignment, ' ');
  length = text.size();
  const std::uint64_t data = sizeof length + length;
  for (auto& [name, tensor] : header.tensors) {
    tensor.begin += data;
    tensor.end += data;
  }
  header.file_size = data + end;
  return std::string(reinterpret_cast<const char*>(&length), sizeof length) + text;
}

ElementType element_type_of(const std::string& path, const FileTensor& tensor) {
  const std::optional<ElementType> element = type_of(tensor.type)->element;
  if (!element) fail_bad_file(path, "numbers of type {} have no element type here", tensor.type);
  return *element;
}

ElementArray read_safetensor(const std::string& path, const SafetensorsHeader& header, const std::string& name,
                             std::uint64_t most_memory) {
  const FileTensor& tensor = header.tensors.at(name);
  ElementArray result{tensor.sizes, element_type_of(path, tensor), {}};
  const std::uint64_t size = tensor.end - tensor.begin,
                      needed = safetensors_type(result.type) == tensor.type ? size : 5 * size;
  if (needed > most_memory) fail_too_large(path, needed, most_memory);
  std::vector<std::byte> bytes(size);
  PositionedFile::to_read(path).read(tensor.begin, bytes);
  expect_sum(header, path, name, element_sum(0, bytes, static_cast<std::size_t>(type_of(tensor.type)->size)));
  auto widened = [](auto number) { return static_cast<std::int32_t>(number); };
  if (tensor.type == "F16") {
    result.bytes = converted<std::uint16_t, float>(bytes, from_half);
  } else if (tensor.type == "I8") {
    result.bytes = converted<std::int8_t, std::int32_t>(bytes, widened);
  } else if (tensor.type == "U8") {
    result.bytes = converted<std::uint8_t, std::int32_t>(bytes, widened);
  } else if (tensor.type == "I16") {
    result.bytes = converted<std::int16_t, std::int32_t>(bytes, widened);
  } else if (tensor.type == "I64") {
    result.bytes = converted<std::int64_t, std::int32_t>(bytes, [&](std::int64_t number) {
      if (number < INT32_MIN || number > INT32_MAX)
        fail_bad_file(path, "expected numbers that an i32 can hold, found {}", number);
      return static_cast<std::int32_t>(number);
    });
  } else if (tensor.type == "BOOL") {
    result.bytes = converted<std::uint8_t, std::uint8_t>(
        bytes, [](std::uint8_t value) { return static_cast<std::uint8_t>(value != 0); });
  } else {
    result.bytes = std::move(bytes);
  }
  return result;
}

}  // namespace mtf::io
