#pragma once
// What a session holds, as data: for the tables of a prompt.
#include <cstdint>
#include <string>
#include <vector>

#include "types/sharding.h"

namespace mtf {

class Scope;
struct HostValue;

/// What a name stands for.
struct HeldName {
  enum class Kind { kValue, kDim, kMesh, kLayout, kFunction, kModule };
  Kind kind = Kind::kValue;
  std::string name;
  std::string what;   ///< the type with layout of a tensor, `an instance of Net`, `the dim a=2`
  int64_t size = 0;   ///< of a dim
  int64_t bytes = 0;  ///< of a tensor, of a model's params and states: those of the largest processor
  bool is_tensor = false;
};
/// The bindings of a scope that can still be named, in the order in which they were made.
std::vector<HeldName> held_names(const Scope& scope);

/// A param or state.
struct HeldVariable {
  std::string path;  ///< `blocks[3].attention.wq`
  bool trainable = true;
  std::string type;          ///< with its layout, `f32[io=32, hidden=128/cols]`
  int64_t elements = 0;      ///< of all processors, copies counted once
  int64_t bytes = 0;         ///< of the largest processor
  int64_t own_elements = 0;  ///< of the largest processor
};
/// Those of an instance, of the elements of a list, or of one place; params before states.
std::vector<HeldVariable> held_variables(const HostValue& value);

/// A line of what a value is made of.
struct HeldPart {
  int depth = 0;
  std::string name;  ///< `w`, `[3]`
  std::string what;  ///< as HeldName says it
};
/// The parts of an instance, or of a list that holds more than numbers and strings: params, states and what has some itself,
/// one in another. Where many lie one after the other, some are left out. Nothing for any other value.
std::vector<HeldPart> held_parts(const HostValue& value);

/// What a tensor is and where it lies.
struct LaidOut {
  std::string name;  ///< of a variable of a model: its path from the value that was asked for
  TensorType type;
  Sharding sharding;
  MeshPtr mesh;
};
/// A tensor; of whatever has params, those, in the order of declaration, by what stands behind the value to name them (`w`,
/// `[1].attention.wq`); nothing for any other value.
std::vector<LaidOut> laid_out_in(const HostValue& value);

/// About so many bytes live no longer than the value: those of its tensors, of all processors, copies counted once. Of a
/// value of very many parts some are looked at.
int64_t bytes_kept_by(const HostValue& value);

/// Bytes of a tensor's largest block.
int64_t bytes_of_block(const TensorType& type, const Sharding& sharding, const Mesh& mesh);

}  // namespace mtf
