#pragma once
// What a value is, as data: for whoever shows a session or a program, and has to tell a tensor from a list.
#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "support/source.h"
#include "types/layout.h"
#include "types/sharding.h"

namespace mtf::eval {

struct HostValue;

/// A tensor's type, and where it lies.
struct LaidOut {
  TensorType type;
  Sharding sharding;
  MeshPtr mesh;
  /// Of meshes that are called differently only, they are the same.
  bool operator==(const LaidOut& other) const {
    return type == other.type && sharding == other.sharding && mesh->axes() == other.mesh->axes();
  }
};
/// Of its largest block.
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
    kModel,      ///< which is called to make an instance
    kOperation,  ///< of the language, or a function of it
    kModule,     ///< imported, or of the language
    kInstance,   ///< of a model
    kOther,      ///< a number, a string, a list …
  };
  Kind kind = Kind::kOther;
  std::variant<std::monostate, LaidOut, Dim, MeshPtr, LayoutPtr> what = {};  ///< of the first four kinds
  std::string words = {};  ///< as messages name it: `an instance of Net`, `the int 6`; of a tensor nothing

  const LaidOut* tensor() const { return std::get_if<LaidOut>(&what); }
  const Dim* dim() const { return std::get_if<Dim>(&what); }
  const Mesh* mesh() const { return kind == Kind::kMesh ? std::get<MeshPtr>(what).get() : nullptr; }
  const Layout* layout() const { return kind == Kind::kLayout ? std::get<LayoutPtr>(what).get() : nullptr; }
  bool is_callable() const { return kind == Kind::kFunction || kind == Kind::kModel || kind == Kind::kOperation; }
  /// They are shown alike.
  bool operator==(const ValueType& other) const {
    return kind == other.kind && words == other.words && (!tensor() || *tensor() == *other.tensor());
  }
};
ValueType type_of(const HostValue& value);

/// Of a tensor its type and layout, else the words.
std::string to_string(const ValueType& type);

/// A mesh or a layout that can be brought into force.
struct InForce {
  std::variant<MeshPtr, LayoutPtr> what;
  Span span = {};  ///< where it is asked for
};

}  // namespace mtf::eval
