#include "types/mesh.h"

#include <algorithm>
#include <limits>

#include "types/notation.h"
#include "types/text_reader.h"

namespace mtf {

Mesh::Mesh(Name name, std::vector<Axis> axes) : name_(name), axes_(std::move(axes)), strides_(axes_.size()), size_(1) {
  for (size_t i = axes_.size(); i-- > 0;) {
    strides_[i] = size_;
    size_ *= axes_[i].size;
  }
}

int Mesh::find(Name axis) const {
  for (size_t i = 0; i < axes_.size(); ++i)
    if (axes_[i].name == axis) return static_cast<int>(i);
  return -1;
}

Coordinates Mesh::coordinates(int64_t processor) const {
  Coordinates c{};
  for (size_t i = 0; i < axes_.size(); ++i) c[i] = static_cast<int32_t>(processor / strides_[i] % axes_[i].size);
  return c;
}

int64_t Mesh::processor(const Coordinates& coordinates) const {
  int64_t p = 0;
  for (size_t i = 0; i < axes_.size(); ++i) p += coordinates[i] * strides_[i];
  return p;
}

AxisSet Mesh::axes_of_one() const {
  AxisSet axes = 0;
  for (int axis = 0; axis < order(); ++axis)
    if (axis_size(axis) == 1) axes |= axis_bit(axis);
  return axes;
}

int64_t Mesh::group_size(AxisSet axes) const {
  int64_t n = 1;
  for (int i = 0; i < order(); ++i)
    if (axes & axis_bit(i)) n *= axes_[i].size;
  return n;
}

std::vector<int64_t> Mesh::group(int64_t processor, AxisSet axes) const {
  Coordinates c = coordinates(processor);
  std::vector<int64_t> members(1);
  for (int i = 0; i < order(); ++i)
    if (axes & axis_bit(i)) c[i] = 0;
  members[0] = this->processor(c);
  for (int i = 0; i < order(); ++i) {
    if (!(axes & axis_bit(i))) continue;
    std::vector<int64_t> next;
    next.reserve(members.size() * axes_[i].size);
    for (int64_t member : members)
      for (int64_t k = 0; k < axes_[i].size; ++k) next.push_back(member + k * strides_[i]);
    members = std::move(next);
  }
  return members;
}

int64_t Mesh::index_in_group(int64_t processor, AxisSet axes) const {
  Coordinates c = coordinates(processor);
  int64_t place = 0;
  for (int i = 0; i < order(); ++i)
    if (axes & axis_bit(i)) place = place * axes_[i].size + c[i];
  return place;
}

std::vector<Name> Mesh::names_of(AxisSet axes) const {
  std::vector<Name> names;
  for (int i = 0; i < order(); ++i)
    if (axes & axis_bit(i)) names.push_back(axes_[i].name);
  return names;
}

std::string Mesh::axes_to_string(AxisSet axes) const { return axes_text(names_of(axes)); }

std::string axes_text(const std::vector<Name>& axes) {
  std::string text;
  for (const Name axis : axes) text += (text.empty() ? "" : "+") + axis.str();
  return text;
}

std::string to_string(const Mesh& mesh) {
  std::string text = "[";
  for (const Axis& axis : mesh.axes())
    text += (text.size() > 1 ? ", " : "") + axis.name.str() + ": " + std::to_string(axis.size);
  return text + "]";
}

std::string name_and_axes(const Mesh& mesh) { return mesh.name().str() + to_string(mesh); }

std::string MeshesOfText::declared(const MeshPtr& mesh) {
  if (!mesh) return "";
  return "mesh " + mesh->name().str() + (mesh->name().empty() ? "= " : " = ") + to_string(*mesh) + "\n";
}

std::string MeshesOfText::where(const MeshPtr& mesh, const MeshPtr& declared) {
  if (!mesh) return declared ? " on no mesh" : "";
  return declared && same_mesh(mesh, declared) ? "" : " on " + name_and_axes(*mesh);
}

namespace {

/// Reads `[rows: 2, cols: 2]`.
std::vector<Axis> read_axes(TextReader& reader) {
  std::string pairs;
  const Span place = reader.place();
  reader.expect("[");
  while (!reader.take("]")) {
    if (!pairs.empty()) reader.expect(",");
    pairs += std::string(reader.name("the name of an axis")) + ":";
    reader.expect(":");
    pairs += std::to_string(reader.integer(1, std::numeric_limits<int64_t>::max())) + ";";
  }
  try {
    return parse_axes(pairs);
  } catch (const std::invalid_argument& error) { reader.fail_at(place, error.what()); }
}

}  // namespace

MeshPtr MeshesOfText::same(Mesh mesh) {
  for (const MeshPtr& known : meshes_)
    if (known && *known == mesh) return known;
  return meshes_.emplace_back(std::make_shared<const Mesh>(std::move(mesh)));
}

bool MeshesOfText::read_declared(TextReader& reader) {
  if (reader.peek() != "mesh" || reader.peek(1) == ":") return false;
  reader.expect("mesh");
  const Name name = reader.is_name() ? Name(reader.name("a name")) : Name();
  reader.expect("=");
  meshes_[0] = std::make_shared<const Mesh>(name, read_axes(reader));
  reader.expect_end();
  return true;
}

MeshPtr MeshesOfText::read_where(TextReader& reader) {
  if (!reader.take("on")) return meshes_[0];
  if (reader.take_words({"no", "mesh"})) return nullptr;
  const Name name = reader.is_name() ? Name(reader.name("a name")) : Name();
  return same(Mesh(name, read_axes(reader)));
}

MeshPtr MeshesOfText::find_where(TextReader reader) {
  reader.expect("[");
  reader.skip_to_closing();
  reader.expect("]");
  return read_where(reader);
}

std::vector<Axis> parse_axes(const std::string& text) {
  std::vector<Axis> axes;
  for (const auto& [name, value] : parse_pairs(text, "axis", "size, such as rows:2")) {
    size_t used = 0;
    int64_t size = 0;
    try {
      size = std::stoll(value, &used);
    } catch (const std::exception&) {}
    if (used != value.size() || size < 1)
      throw std::invalid_argument("expected the size of axis `" + name +
                                  "` to be a whole number of at least 1, found `" + value + "`");
    for (const Axis& axis : axes)
      if (axis.name.text() == name) throw std::invalid_argument("axis `" + name + "` stands twice in the mesh");
    if (static_cast<int>(axes.size()) == kMaxAxes)
      throw std::invalid_argument("a mesh has at most " + std::to_string(kMaxAxes) + " axes");
    axes.push_back({Name(name), size});
  }
  int64_t processors = 1;
  for (const Axis& axis : axes) {
    if (axis.size > (int64_t{1} << 31) / processors) throw std::invalid_argument("a mesh has at most 2^31 processors");
    processors *= axis.size;
  }
  return axes;
}

}  // namespace mtf
