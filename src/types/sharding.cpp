#include "types/sharding.h"

#include <fmt/format.h>

#include "support/integers.h"
#include "support/text.h"
#include "types/text_reader.h"

namespace mtf {

AxisSet Sharding::split() const {
  AxisSet axes = 0;
  for (const AxisList& list : dims) axes |= list.set();
  return axes;
}

AxisSet Sharding::varies() const { return split() | partial; }

bool give_same_blocks(const Sharding& a, const Sharding& b, const Mesh& mesh) {
  const AxisSet ones = mesh.axes_of_one();
  if (!ones || a == b) return a == b;
  const auto same = [&](const AxisList& x, const AxisList& y) { return x.without(ones) == y.without(ones); };
  return ((a.partial ^ b.partial) & ~ones) == 0 &&
         std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), b.dims.end(), same);
}

Interval block_of(int64_t size, const AxisList& axes, const Mesh& mesh, const Coordinates& coordinates) {
  Interval block{0, size};
  for (int axis : axes) {
    int64_t step = ceil_div(block.size(), mesh.axis_size(axis));
    int64_t first = std::min(block.first + coordinates[axis] * step, block.last);
    block = {first, std::min(first + step, block.last)};
  }
  return block;
}

int64_t block_size(int64_t size, const AxisList& axes, const Mesh& mesh) {
  for (int axis : axes) size = ceil_div(size, mesh.axis_size(axis));
  return size;
}

bool splits_evenly(int64_t size, const AxisList& axes, const Mesh& mesh) {
  return size % mesh.group_size(axes.set()) == 0;
}

std::string to_string(const SplitDim& dim, const Mesh* mesh) {
  std::string text = to_string(dim.dim);
  for (int k = 0; k < dim.axes.size(); ++k) {
    const bool is_marked = (dim.marked & axis_bit(dim.axes[k])) != 0;
    const bool was_marked = k > 0 && (dim.marked & axis_bit(dim.axes[k - 1])) != 0;
    text += (k > 0 && is_marked == was_marked ? "+" : is_marked ? "@" : "/") + mesh->axes()[dim.axes[k]].name.str();
  }
  return text;
}

std::string to_string(const TensorType& type, const Sharding& sharding, const Mesh& mesh, AxisSet marked) {
  std::string text = std::string(name(type.element)) + "[";
  for (size_t i = 0; i < type.dims.size(); ++i)
    text += (i ? ", " : "") + to_string(SplitDim{type.dims[i], sharding.dims[i], marked}, &mesh);
  text += "]";
  if (sharding.partial) text += " partial over " + mesh.axes_to_string(sharding.partial);
  return text;
}

namespace {

int read_axis(TextReader& reader, const Mesh* mesh) {
  const Span place = reader.place();
  const Name name(reader.name("the name of an axis"));
  const int axis = mesh ? mesh->find(name) : -1;
  if (axis < 0)
    reader.fail_at(place, "there is no axis {}{}", code(name.text()),
                   mesh ? fmt::format(" in {}", to_string(*mesh)) : ", as there is no mesh");
  return axis;
}

}  // namespace

SplitDim read_split_dim(TextReader& reader, const Mesh* mesh) {
  SplitDim read;
  read.dim.name = reader.dim_name();
  reader.expect("=");
  read.dim.size = reader.integer(0, int64_t{1} << 62);
  bool marked = false;
  while (true) {
    if (reader.peek() == "/" || reader.peek() == "@") marked = reader.peek() == "@";
    else if (reader.peek() != "+" || read.axes.empty()) return read;
    reader.expect(reader.peek());
    const Span place = reader.place();
    const int axis = read_axis(reader, mesh);
    if (read.axes.has(axis)) reader.fail_at(place, "this axis stands twice");
    read.axes.push_back(axis);
    if (marked) read.marked |= axis_bit(axis);
  }
}

std::string axes_text(const AxisList& axes, const Mesh& mesh) {
  std::string text;
  for (int axis : axes) text += (text.empty() ? "" : "+") + mesh.axes()[axis].name.str();
  return text;
}

AxisList read_axes(TextReader& reader, const Mesh* mesh) {
  AxisList axes;
  do {
    const Span place = reader.place();
    const int axis = read_axis(reader, mesh);
    if (axes.has(axis)) reader.fail_at(place, "this axis stands twice");
    axes.push_back(axis);
  } while (reader.take("+"));
  return axes;
}

ElementType read_element_type(TextReader& reader) {
  const std::optional<ElementType> element = parse_element_type(reader.peek());
  if (!element) reader.fail("a type such as `f32[batch=64]`");
  reader.expect(reader.peek());
  return *element;
}

void check_dims(const TextReader& reader, Span place, const std::vector<SplitDim>& dims) {
  AxisSet used = 0;
  Dims seen;
  for (const SplitDim& dim : dims) {
    if (has_dim(seen, dim.dim.name)) reader.fail_at(place, "the dim {} stands twice", code(dim.dim.name.text()));
    if (used & dim.axes.set())
      reader.fail_at(place, "an axis that splits {} splits another dim too", code(dim.dim.name.text()));
    used |= dim.axes.set();
    seen.push_back(dim.dim);
  }
  if (!checked_size(seen)) reader.fail_at(place, "this has more than 2^62 elements");
}

}  // namespace mtf
