#pragma once
// Keys of tables, as bytes. Equal keys have equal parts: each appended part has a length prefix, or all keys of the
// table have the same number of it.
#include <string>
#include <type_traits>

#include "types/dim.h"

namespace mtf {

template <typename T>
void append(std::string& key, const T& value) {
  static_assert(std::is_trivially_copyable_v<T> && std::has_unique_object_representations_v<T>);
  key.append(reinterpret_cast<const char*>(&value), sizeof value);
}

inline void append(std::string& key, Name name) { append(key, name.id()); }

inline void append(std::string& key, const Integers& numbers) {
  append(key, numbers.size());
  for (const int64_t number : numbers) append(key, number);
}

inline void append(std::string& key, const Dim& dim) {
  append(key, dim.name);
  append(key, dim.size);
}

inline void append(std::string& key, const Names& names) {
  append(key, names.size());
  for (Name name : names) append(key, name);
}

inline void append(std::string& key, const Dims& dims) {
  append(key, dims.size());
  for (const Dim& dim : dims) append(key, dim);
}

inline void append(std::string& key, const TensorType& type) {
  append(key, type.element);
  append(key, type.dims);
}

}  // namespace mtf
