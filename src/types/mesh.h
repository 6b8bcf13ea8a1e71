#pragma once
// Meshes of processors.
//
// A mesh is an n-dimensional array of processors with named axes. Processors are numbered with the last axis fastest.
// An axis is identified by its index in the mesh. An ordered list of axes (AxisList) describes the split of a dim, and
// a set of axes (AxisSet) the group of a collective.
#include <array>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <vector>

#include "support/name.h"

namespace mtf {

class TextReader;  // types/text_reader.h

/// The maximal number of axes of a mesh.
inline constexpr int kMaxAxes = 12;

struct Axis {
  Name name;
  int64_t size = 1;
  bool operator==(const Axis&) const = default;
};

/// A set of axes of one mesh, as a bit mask.
using AxisSet = uint32_t;
inline constexpr AxisSet axis_bit(int axis) { return AxisSet{1} << axis; }

/// An ordered list of different axes of one mesh. The first splits a dim, each next one splits every block again.
class AxisList {
 public:
  AxisList() = default;
  AxisList(std::initializer_list<int> axes) {
    for (int axis : axes) push_back(axis);
  }
  int size() const { return count_; }
  bool empty() const { return count_ == 0; }
  int operator[](int i) const { return axes_[i]; }
  int back() const { return axes_[count_ - 1]; }
  void push_back(int axis) { axes_[count_++] = static_cast<uint8_t>(axis); }
  void pop_back() { axes_[--count_] = 0; }
  const uint8_t* begin() const { return axes_.data(); }
  const uint8_t* end() const { return axes_.data() + count_; }
  AxisSet set() const {
    AxisSet axes = 0;
    for (int i = 0; i < count_; ++i) axes |= axis_bit(axes_[i]);
    return axes;
  }
  bool has(int axis) const { return (set() & axis_bit(axis)) != 0; }
  AxisList without(AxisSet axes) const {
    AxisList rest;
    for (int axis : *this)
      if (!(axes & axis_bit(axis))) rest.push_back(axis);
    return rest;
  }
  bool operator==(const AxisList&) const = default;
  auto operator<=>(const AxisList&) const = default;

 private:
  std::array<uint8_t, kMaxAxes> axes_{};
  uint8_t count_ = 0;
};

/// The index of a processor along each axis.
using Coordinates = std::array<int32_t, kMaxAxes>;

class Mesh {
 public:
  Mesh(Name name, std::vector<Axis> axes);

  Name name() const { return name_; }
  const std::vector<Axis>& axes() const { return axes_; }
  int order() const { return static_cast<int>(axes_.size()); }
  int64_t axis_size(int axis) const { return axes_[axis].size; }
  /// The number of processors.
  int64_t size() const { return size_; }
  /// The index of an axis, or -1.
  int find(Name axis) const;
  Coordinates coordinates(int64_t processor) const;
  int64_t processor(const Coordinates& coordinates) const;
  /// The difference of the numbers of two neighbours along an axis.
  int64_t stride(int axis) const { return strides_[axis]; }
  /// The axes of one processor.
  AxisSet axes_of_one() const;
  /// The number of processors of a group that spans `axes`.
  int64_t group_size(AxisSet axes) const;
  /// The processors in the group of `processor` along `axes`, ascending.
  std::vector<int64_t> group(int64_t processor, AxisSet axes) const;
  /// The index of `processor` in its group along `axes`.
  int64_t index_in_group(int64_t processor, AxisSet axes) const;
  /// The names of axes, in the mesh's order.
  std::vector<Name> names_of(AxisSet axes) const;
  /// `rows` or `rows+cols`, in the mesh's order.
  std::string axes_to_string(AxisSet axes) const;
  bool operator==(const Mesh& other) const { return axes_ == other.axes_ && name_ == other.name_; }

 private:
  Name name_;
  std::vector<Axis> axes_;
  std::vector<int64_t> strides_;
  int64_t size_;
};
using MeshPtr = std::shared_ptr<const Mesh>;

/// True if both are the same mesh, with the same name and axes.
inline bool same_mesh(const MeshPtr& a, const MeshPtr& b) { return a == b || *a == *b; }

/// `[rows: 2, cols: 2]`
std::string to_string(const Mesh& mesh);

/// `grid[rows: 2, cols: 2]`, or `[all: 4]` without a name.
std::string name_and_axes(const Mesh& mesh);

/// The meshes of a program's text. The first line declares the mesh of most values. Values on another mesh name it.
class MeshesOfText {
 public:
  /// The declaration at the beginning of the text, ``mesh grid = [rows: 2, cols: 2]``. Empty for null.
  static std::string declared(const MeshPtr& mesh);
  /// ` on other[all: 4]`. Empty for the declared mesh.
  static std::string where(const MeshPtr& mesh, const MeshPtr& declared);

  /// Reads the declaration, if the line is one.
  bool read_declared(TextReader& reader);
  /// Reads the result of `where`. Null: on no mesh.
  MeshPtr read_where(TextReader& reader);
  /// The mesh that read_where() will return behind the next dims in brackets.
  MeshPtr find_where(TextReader reader);

 private:
  MeshPtr same(Mesh mesh);

  std::vector<MeshPtr> meshes_{nullptr};  ///< the declared one comes first; equal meshes are stored once
};

/// `rows+cols`
std::string axes_text(const std::vector<Name>& axes);

/// Parses Mesh TensorFlow's notation, `rows:2;cols:2`. `;`, `.`, `,` and blanks all separate. Throws
/// std::invalid_argument, whose message states the expected and the found.
std::vector<Axis> parse_axes(const std::string& text);

}  // namespace mtf
