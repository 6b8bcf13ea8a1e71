#include "spmd/halos.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "graph/op.h"
#include "spmd/collectives.h"
#include "types/saturating.h"

namespace mtf::spmd {
namespace {

/// Returns the dim along which an operation is a window of its operand, and the map of this dim.
std::optional<std::pair<int, graph::AccessMap>> window_of(const graph::LaidOutOperation& node) {
  if (node.op->role != graph::Role::kWindow) return std::nullopt;
  std::optional<std::pair<int, graph::AccessMap>> found;
  for (const graph::IterationDim& dim : node.space().dims) {
    if (dim.operands[0] < 0 || dim.operands[0] != dim.results[0]) return std::nullopt;
    if (dim.is_free()) continue;
    if (dim.kind != graph::SplitKind::kFree || found || dim.maps[0].reversed) return std::nullopt;
    found = {dim.operands[0], dim.maps[0]};
  }
  return found;
}

/// Returns the interval that covers both, or nothing if a single interval cannot.
std::optional<graph::AccessMap> joined(const graph::AccessMap& a, const graph::AccessMap& b) {
  if (a.stride != b.stride || a.from != b.from || a.to != b.to || a.wrap != b.wrap || a.base_dilation != 1 ||
      b.base_dilation != 1)
    return std::nullopt;
  graph::AccessMap both = a;
  both.offset = std::min(a.offset, b.offset);
  both.window = std::max(a.offset + a.extent(), b.offset + b.extent()) - both.offset;
  both.dilation = 1;
  return both;
}

/// True if a block's own positions are among the positions that it needs.
bool has_own(const graph::AccessMap& map) {
  return map.from == map.to && map.stride == 1 && map.base_dilation == 1 && map.offset <= 0 &&
         map.offset + map.extent() >= 1;
}

LocalDim with_halo(const LocalDim& dim, const graph::AccessMap& map) { return {dim.dim, dim.axes, true, map}; }

template <typename Sides>
bool contains(const Sides& outer, const Sides& inner) {
  return std::all_of(inner.begin(), inner.end(),
                     [&](const auto& side) { return std::find(outer.begin(), outer.end(), side) != outer.end(); });
}

/// A count of exchanges and of the elements that they send.
struct Exchanged {
  int64_t elements = 0, count = 0;

  /// Counts an exchange that gives dim `side.first` of a value the halo `side.second`.
  template <typename Side>
  void add(const LocalValue& from, const Side& side) {
    LocalValue to = from;
    to.dims[side.first] = with_halo(from.dims[side.first], side.second);
    const int64_t sent = most_sent(InstructionKind::kExchange, from, to, from.dims[side.first].axes.set()).elements;
    elements = mtf::saturating_add(elements, sent);
    count += sent > 0;
  }
};

}  // namespace

Halos::Halos(const graph::Program& program) {
  windows_.resize(program.operations.size());
  std::map<std::tuple<graph::ProgramValue, int32_t, const Mesh*>, int> tensor_of;
  for (size_t i = 0; i < program.operations.size(); ++i) {
    const graph::ProgramOperation& entry = program.operations[i];
    const auto found = window_of(*entry.operation);
    if (!found) continue;
    Window& window = windows_[i];
    std::tie(window.dim, window.map) = *found;
    const graph::ProgramValue operand = program.operands_of(entry)[0];
    if (!operand.is_input() && program.operations[operand.source].replica == entry.replica &&
        windows_[operand.source].tensor >= 0 &&
        same_mesh(program.operations[operand.source].operation->mesh, entry.operation->mesh)) {
      bool twice = false;
      for (int j = operand.source; j >= 0; j = windows_[j].inner) twice = twice || windows_[j].dim == window.dim;
      if (!twice) window.inner = operand.source;
    }
    if (window.inner >= 0) {
      window.tensor = windows_[window.inner].tensor;
    } else {
      auto [at, fresh] = tensor_of.try_emplace({operand, entry.replica, entry.operation->mesh.get()},
                                               static_cast<int>(tensors_.size()));
      if (fresh) tensors_.emplace_back();
      window.tensor = at->second;
    }
    tensors_[window.tensor].windows.push_back(static_cast<int>(i));
  }
}

/// Sets the halo that each window along `dim` shares. Groups the windows by their offsets, with as many in a group as
/// may share a halo.
void Halos::share_sides(Tensor& tensor, const LocalValue& value, int dim) {
  const LocalDim& own = value.dims[dim];
  std::vector<int> along;
  for (int i : tensor.windows)
    if (windows_[i].dim == dim) along.push_back(i);
  std::stable_sort(along.begin(), along.end(),
                   [&](int a, int b) { return windows_[a].map.offset < windows_[b].map.offset; });
  const auto sent = [&](const graph::AccessMap& map) { return most_sent(own, with_halo(own, map), *value.mesh); };
  std::vector<std::pair<graph::AccessMap, std::vector<int>>> groups;
  for (int i : along) {
    const graph::AccessMap& map = windows_[i].map;
    const auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& group) {
      const std::optional<graph::AccessMap> both = joined(group.first, map);
      return both && (*both == group.first || sent(*both) <= mtf::saturating_add(sent(group.first), sent(map)));
    });
    if (group == groups.end()) groups.push_back({map, {i}});
    else group->first = *joined(group->first, map), group->second.push_back(i);
  }
  for (const auto& [map, members] : groups)
    for (int i : members) windows_[i].box = {{dim, map}};
}

void Halos::decide(Tensor& tensor, const LocalValue& value) {
  if (tensor.windows.size() < 2) return;
  for (size_t d = 0; d < value.dims.size(); ++d)
    if (!value.dims[d].axes.empty()) share_sides(tensor, value, static_cast<int>(d));
  Exchanged apart, together;
  std::vector<Box> boxes;
  for (int i : tensor.windows) {
    Window& window = windows_[i];
    if (!window.box.empty()) apart.add(value, Side{window.dim, window.map});
    if (window.inner >= 0)
      window.box.insert(window.box.end(), windows_[window.inner].box.begin(), windows_[window.inner].box.end());
    std::sort(window.box.begin(), window.box.end(), [](const Side& a, const Side& b) { return a.first < b.first; });
    if (std::find(boxes.begin(), boxes.end(), window.box) == boxes.end()) boxes.push_back(window.box);
  }
  for (const Box& box : boxes)
    if (std::none_of(boxes.begin(), boxes.end(),
                     [&](const Box& other) { return other.size() > box.size() && contains(other, box); }))
      tensor.largest.push_back(box);
  std::vector<Box> made;
  for (const Box& box : boxes) {
    if (part_of(tensor, box)) continue;
    LocalValue from = value;
    for (size_t n = 0; n < box.size(); ++n) {
      const Box sides(box.begin(), box.begin() + static_cast<std::ptrdiff_t>(n) + 1);
      if (std::find(made.begin(), made.end(), sides) == made.end()) {
        together.add(from, box[n]);
        made.push_back(sides);
      }
      from.dims[box[n].first] = with_halo(value.dims[box[n].first], box[n].second);
    }
  }
  tensor.together = std::tie(together.elements, together.count) < std::tie(apart.elements, apart.count);
}

/// Returns the largest box from which a box can be cut without communication; null if exchanges make the box.
const Halos::Box* Halos::part_of(const Tensor& tensor, const Box& box) {
  const Box* found = nullptr;
  for (const Box& largest : tensor.largest) {
    if (!contains(largest, box)) continue;
    if (std::equal(box.begin(), box.end(), largest.begin())) return nullptr;  // made on the way to that box
    if (std::all_of(largest.begin(), largest.end(),
                    [&](const Side& side) { return contains(box, Box{side}) || has_own(side.second); }))
      found = &largest;
  }
  return found;
}

int Halos::block_of_tensor(Tensor& tensor, const Box& box, LocalBuilder& local, const Lowering& of) {
  if (box.empty()) return tensor.local;
  for (const Made& made : tensor.made)
    if (made.window < 0 && made.box == box) return made.value;
  int value = -1;
  if (const Box* largest = part_of(tensor, box)) {
    const int whole = block_of_tensor(tensor, *largest, local, of);
    LocalValue part = local[whole];
    for (const Side& side : *largest)
      if (!contains(box, Box{side})) part.dims[side.first] = local[tensor.local].dims[side.first];
    value = local.collective(InstructionKind::kSlice, of.node, whole, std::move(part), 0, kernels::Reduction::kSum,
                             nullptr);
  } else {
    const auto& [dim, map] = box.back();
    const int inner = block_of_tensor(tensor, Box(box.begin(), box.end() - 1), local, of);
    value = fetch(local, of, inner, dim, map, local[tensor.local].dims[dim].axes);
  }
  tensor.made.push_back({-1, box, value});
  return value;
}

/// Returns a block of the result of window `window` (-1: of the tensor), computed from the tensor's larger block
/// `box`.
int Halos::block(Tensor& tensor, int window, const Box& box, LocalBuilder& local, const Lowering& of) {
  if (window < 0) return block_of_tensor(tensor, box, local, of);
  for (const Made& made : tensor.made)
    if (made.window == window && made.box == box) return made.value;
  const Window& here = windows_[window];
  const int operand = block(tensor, here.inner, box, local, of);
  LocalValue result = local[operand];
  result.name = here.name;
  result.dims[here.dim] = {here.node->results[0].dims[here.dim], result.dims[here.dim].axes, false, {}};
  const int value = local.add(std::move(result));
  local.compute(here.node, {operand}, {value});
  tensor.made.push_back({window, box, value});
  passes_over_windows_ = true;
  return value;
}

bool Halos::shares_halo(int index, const LocalBuilder& local, const Lowering& of, int operand) {
  Window& window = windows_[index];
  if (window.tensor < 0) return false;
  window.node = of.node;
  window.name = of.name;
  Tensor& tensor = tensors_[window.tensor];
  const LocalValue& value = local[operand];
  if (value.partial || of.split.operands[0].dims != of.split.results[0].dims) return false;
  if (window.inner < 0 && tensor.local < 0) {
    tensor.local = operand;
    decide(tensor, value);
  }
  if (!tensor.together) return false;
  if (window.inner < 0) return operand == tensor.local;
  const std::vector<LocalDim>& dims = local[tensor.local].dims;
  return std::equal(dims.begin(), dims.end(), value.dims.begin(),
                    [](const LocalDim& a, const LocalDim& b) { return a.axes == b.axes; });
}

int Halos::fetched(int index, LocalBuilder& local, const Lowering& of, int operand) {
  const Window& window = windows_[index];
  if (window.inner >= 0 && window.box == windows_[window.inner].box) return operand;
  return block(tensors_[window.tensor], window.inner, window.box, local, of);
}

}  // namespace mtf::spmd
