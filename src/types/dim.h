#pragma once
// Named dimensions and the types of tensors.
//
// A dim is a name and a size. A tensor's shape is an ordered list of dims with different names. Dims are matched by
// name. So their order matters only for printing, reshape and random numbers. A dim that a function or model declares
// for itself has an own name (support/name.h), which matches no other dim. So two dims that a script calls `half` may
// occur in one tensor. Layouts and files use plain names.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "kernels/element_type.h"
#include "support/name.h"

namespace mtf {

class TextReader;  // types/text_reader.h

/// A named tensor dimension.
struct Dim {
  Name name;
  int64_t size = 0;
  bool operator==(const Dim&) const = default;
};

/// The dims of a tensor in declared order, outermost first.
using Dims = std::vector<Dim>;

/// One number for each of several dims: strides, first positions.
using Integers = std::vector<int64_t>;

/// Names of dims whose sizes are known from the context.
using Names = std::vector<Name>;
Names names_of(const Dims& dims);

/// The index of the dim called `name`, or -1.
int find_dim(const Dims& dims, Name name);
inline bool has_dim(const Dims& dims, Name name) { return find_dim(dims, name) >= 0; }

/// True if both hold the same dims (names and sizes) in any order.
bool same_set(const Dims& a, const Dims& b);

/// True if every dim of `inner` (name and size) is one of `outer`.
bool is_subset(const Dims& inner, const Dims& outer);

/// The number of elements; nothing if it does not fit in 62 bits.
std::optional<int64_t> checked_size(const Dims& dims);

/// The number of elements of dims whose product is known to fit.
int64_t size_of(const Dims& dims);

/// A tensor's element type and shape, without its sharding.
struct TensorType {
  ElementType element = ElementType::kF32;
  Dims dims;
  bool operator==(const TensorType&) const = default;
};

/// The same dims with names for people: `half`, or `rotary::half` if there are two dims called `half`.
Dims settled(Dims dims);

// Texts in which own names still have to be settled (support/own_names.h).

/// `batch=64`
std::string to_string(const Dim& dim);
/// `[batch=64, io=32]`
std::string to_string(const Dims& dims);
/// `f32[batch=64, io=32]`
std::string to_string(const TensorType& type);

/// The order in which a tensor's dims are stored in memory: their indices, outermost first.
using StorageOrder = std::vector<int8_t>;
/// The declared order.
StorageOrder written_order(size_t dims);
/// ` stored [io, batch]`. Empty for the declared order, or none.
std::string stored_text(const StorageOrder& order, const Dims& dims);
/// Reads such a list of names.
StorageOrder read_stored(TextReader& reader, const Dims& dims);

}  // namespace mtf
