#pragma once
// The type of a host value as data, for code that displays a session or a program.
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "support/source.h"
#include "types/layout.h"
#include "types/sharding.h"

namespace mtf::eval {

struct HostValue;

/// A tensor's type and layout.
struct LaidOut {
  TensorType type;
  Sharding sharding;
  MeshPtr mesh;
  /// Ignores the names of the meshes.
  bool operator==(const LaidOut& other) const {
    return type == other.type && sharding == other.sharding && mesh->axes() == other.mesh->axes();
  }
};
/// The elements and the bytes of the tensor's largest block.
int64_t elements_of_block(const LaidOut& tensor);
int64_t bytes_of_block(const LaidOut& tensor);
/// `f32[batch=64/rows]`
std::string to_string(const LaidOut& tensor);

struct ValueType {
  enum class Kind : std::uint8_t {
    kTensor,  ///< a param or state too
    kDim,
    kMesh,
    kLayout,
    kFunction,   ///< of a script
    kModel,      ///< a call of it makes an instance
    kOperation,  ///< an operation or a builtin function of the language
    kModule,     ///< imported, or of the language
    kInstance,   ///< of a model
    kOther,      ///< a number, a string, a list …
  };
  Kind kind = Kind::kOther;
  std::variant<std::monostate, LaidOut, Dim, MeshPtr, LayoutPtr> what = {};  ///< for the first four kinds
  std::string words = {};  ///< the description in messages: `an instance of Net`, `the int 6`; empty for a tensor

  const LaidOut* tensor() const { return std::get_if<LaidOut>(&what); }
  const Dim* dim() const { return std::get_if<Dim>(&what); }
  const Mesh* mesh() const { return kind == Kind::kMesh ? std::get<MeshPtr>(what).get() : nullptr; }
  const Layout* layout() const { return kind == Kind::kLayout ? std::get<LayoutPtr>(what).get() : nullptr; }
  bool is_callable() const { return kind == Kind::kFunction || kind == Kind::kModel || kind == Kind::kOperation; }
  /// True if the two are displayed alike.
  bool operator==(const ValueType& other) const {
    return kind == other.kind && words == other.words && (!tensor() || *tensor() == *other.tensor());
  }
};
ValueType type_of(const HostValue& value);

/// Returns a tensor's type and layout; for other values, their description.
std::string to_string(const ValueType& type);

/// A mesh or a layout that a program can use.
struct InForce {
  std::variant<MeshPtr, LayoutPtr> what;
  Span span = {};  ///< where the program asks for it
};

}  // namespace mtf::eval
