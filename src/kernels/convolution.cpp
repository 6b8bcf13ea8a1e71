#include "kernels/convolution.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "kernels/copy.h"
#include "kernels/matmul_tile.h"
#include "kernels/scratch.h"

namespace mtf {
namespace {

// Every residue of the result's index by the base dilation is an ordinary convolution, with those taps that meet elements of
// the operand there. An ordinary one is a sum of products of matrices, one for each tap: of places and channels of the operand,
// shifted by the tap, with the tap's matrix of the window. For a box of places the operand is copied into a patch, with zeros
// where there is none and the channels of a place side by side, so that the shifted matrices are views of the patch; the window
// is copied into panels of columns. A tile of the result then stays in registers over all taps.

constexpr int kAxes = 1 + kConvolutionDims;      // batch, and dims of space, the last ones
constexpr std::int64_t kBoxPlaces = 512;         // of the result: how often what was copied of the window is used
constexpr std::int64_t kPieceTerms = 576;        // that are added up in registers,
constexpr std::int64_t kLeastPiece = 16;         // but of at least so many channels
constexpr std::int64_t kChannelsTogether = 128;  // of the result, for which a patch is used
constexpr std::int64_t kWindowBytes = 1 << 20;   // of panels that are kept from box to box
constexpr double kConvolutionProgressFlops = 6e7;

std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return a >= 0 ? (a + b - 1) / b : -(-a / b); }
std::int64_t whole_lanes(std::int64_t n, std::int64_t lanes) { return (n + lanes - 1) / lanes * lanes; }

/// One axis of an ordinary convolution: result u and tap v meet in the operand's element origin + u step + v apart, if that is in
/// [begin, end). Its strides are of memory.
struct ConvolutionAxis {
  std::int64_t count = 1, first = 0, result_stride = 0;       ///< results: where the first one is
  std::int64_t taps = 1, first_tap = 0, tap_stride = 0;       ///< the same of the window
  std::int64_t origin = 0, step = 1, apart = 1;
  std::int64_t begin = 0, end = 1, operand_stride = 0;
};
using ConvolutionAxes = std::array<ConvolutionAxis, kAxes>;

/// The ordinary convolutions that a dim consists of: one for each residue of the result's index, or of the input's if that is
/// what is computed.
std::vector<ConvolutionAxis> ordinary(const ConvolutionDim& dim, bool to_input) {
  // Result r, tap t and operand i meet where r * stride + t * dilation + shift = i * base.
  const BlockDim &result = to_input ? dim.input : dim.output, &operand = to_input ? dim.output : dim.input;
  const std::int64_t stride = to_input ? dim.base : dim.stride, base = to_input ? dim.stride : dim.base;
  const std::int64_t dilation = to_input ? -dim.dilation : dim.dilation, shift = to_input ? dim.low : -dim.low;
  const std::int64_t residues = base / std::gcd(stride, base), tap_step = base / std::gcd(dilation, base);
  std::vector<ConvolutionAxis> axes;
  for (std::int64_t r = 0; r < std::min(residues, result.size); ++r) {
    const std::int64_t at = (result.first + r) * stride + shift;
    std::int64_t tap = 0;
    while (tap < tap_step && (at + tap * dilation) % base != 0) ++tap;
    ConvolutionAxis axis;
    axis.count = (result.size - r + residues - 1) / residues;
    axis.first = r * result.stride, axis.result_stride = residues * result.stride;
    axis.taps = tap == tap_step ? 0 : std::max<std::int64_t>(0, ceil_divide(dim.taps - tap, tap_step));
    axis.first_tap = tap * dim.tap_stride, axis.tap_stride = tap_step * dim.tap_stride;
    axis.step = residues * stride / base, axis.apart = tap_step * dilation / base;
    if (axis.taps > 0) axis.origin = (at + tap * dilation) / base - operand.first;
    if (axis.apart < 0) {  // then the taps from the last one on
      const std::int64_t last = std::max<std::int64_t>(0, axis.taps - 1);
      axis.first_tap += last * axis.tap_stride, axis.tap_stride = -axis.tap_stride;
      axis.origin += last * axis.apart, axis.apart = -axis.apart;
    }
    axis.begin = std::max<std::int64_t>(0, -operand.first);
    axis.end = std::max(axis.begin, std::min(operand.size, operand.whole - operand.first));
    axis.operand_stride = operand.stride;
    axes.push_back(axis);
  }
  return axes;
}

struct Box {
  std::array<std::int64_t, kAxes> at{}, size{};
  std::int64_t places() const { return size[0] * size[1] * size[2] * size[3]; }
};

/// The results in boxes of about kBoxPlaces, the last axes whole if they can be.
class Boxes {
 public:
  explicit Boxes(const ConvolutionAxes& axes) {
    std::int64_t room = kBoxPlaces;
    for (int a = kAxes; a-- > 0;) {
      count_[a] = axes[a].count;
      pieces_[a] = ceil_divide(count_[a], std::max<std::int64_t>(1, room));
      room /= std::max<std::int64_t>(1, ceil_divide(count_[a], std::max<std::int64_t>(1, pieces_[a])));
      size_ *= pieces_[a];
    }
  }
  std::int64_t size() const { return size_; }
  Box operator[](std::int64_t index) const {
    Box box;
    for (int a = kAxes; a-- > 0; index /= pieces_[a]) {
      const std::int64_t piece = index % pieces_[a];
      box.at[a] = count_[a] * piece / pieces_[a];
      box.size[a] = count_[a] * (piece + 1) / pieces_[a] - box.at[a];
    }
    return box;
  }

 private:
  std::array<std::int64_t, kAxes> count_{}, pieces_{};
  std::int64_t size_ = 1;
};

/// A tensor whose elements lie by axes and channels.
struct ChannelsInMemory {
  ElementType element;
  char* data;
  std::int64_t channel, group;  ///< strides
};

/// A thread's memory, from call to call.
struct ConvolutionScratch {
  Scratch patch, window, sums, stored;
};
ConvolutionScratch& convolution_scratch() {
  thread_local ConvolutionScratch scratch;
  return scratch;
}

template <class T>
T* elements(Scratch& scratch, std::int64_t count) { return static_cast<T*>(scratch.at_least(count * static_cast<std::int64_t>(sizeof(T)))); }

/// `count` elements at `to` which `fill` writes as `element`, at the pointer that it is given.
template <class T, class Fill>
void load(ElementType element, std::int64_t count, T* to, Fill fill) {
  if (element != ElementType::kBf16) return fill(static_cast<void*>(to));
  Bf16* const stored = elements<Bf16>(convolution_scratch().stored, count);
  fill(static_cast<void*>(stored));
  for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(to_float(stored[i]));
}

/// Stores elements of scratch, which it may change, in their order in `from` as far as their strides tell.
template <class T>
void store(std::span<const std::int64_t> sizes, T* from, std::span<const std::int64_t> from_strides, std::int64_t count, ElementType element, void* to,
           std::span<const std::int64_t> to_strides) {
  if (element == ElementType::kBf16) {
    Bf16* const rounded = reinterpret_cast<Bf16*>(from);
    for (std::int64_t i = 0; i < count; ++i) {
      const T sum = from[i];
      const Bf16 number = to_bf16(static_cast<float>(sum));
      std::memcpy(static_cast<void*>(rounded + i), &number, sizeof number);
    }
  }
  copy_block(sizes, static_cast<int>(size_of(element)), from, from_strides, to, to_strides);
}

/// What one call computes: ordinary convolutions of one operand, with the window or to its gradient.
template <class T>
class OrdinaryConvolution {
 public:
  OrdinaryConvolution(const Convolution& c, bool to_input, const ConvolutionAxes& axes)
      : axes_(axes),
        groups_(c.groups),
        ins_(to_input ? c.outputs : c.inputs),
        outs_(to_input ? c.inputs : c.outputs),
        operand_(in_memory(to_input ? c.output : c.input, ins_)),
        result_(in_memory(to_input ? c.input : c.output, outs_)),
        window_{c.window.element, static_cast<char*>(c.window.data), 0, c.outputs * c.window.output_stride},
        window_in_(to_input ? c.window.output_stride : c.window.input_stride),
        window_out_(to_input ? c.window.input_stride : c.window.output_stride),
        boxes_(axes),
        progress_(c.progress) {
    std::int64_t all_taps = 1;
    for (const ConvolutionDim& dim : c.dims) all_taps *= dim.taps;
    taps_ = 1;
    for (const ConvolutionAxis& axis : axes_) taps_ *= axis.taps;
    const std::int64_t most = std::max(kLeastPiece, kPieceTerms / std::max<std::int64_t>(1, all_taps) / kLeastPiece * kLeastPiece);
    pieces_ = std::max<std::int64_t>(1, ceil_divide(ins_, most));
  }

  /// result = operand * window.
  void sum_products(Threads& threads) const {
    if (outs_ == 0 || boxes_.size() == 0) return;
    std::int64_t together = kChannelsTogether;
    const auto units = [&] { return groups_ * ceil_divide(outs_, together) * boxes_.size(); };
    while (together > kColumns && units() < 2 * threads.size()) together /= 2;
    const std::int64_t stretches = ceil_divide(outs_, together);
    threads.parallel_for(units(), grain(boxes_[0].places() * std::min(together, outs_) * ins_ * taps_), [&](std::int64_t begin, std::int64_t end) {
      Work work;
      while (begin < end) {  // the boxes of one stretch of channels after another
        const std::int64_t stretch = begin / boxes_.size(), last = std::min(end, (stretch + 1) * boxes_.size());
        const std::int64_t group = stretch / stretches, out = stretch % stretches * together;
        sum_boxes(group, out, std::min(together, outs_ - out), begin % boxes_.size(), last - begin, work);
        begin = last;
      }
    });
  }

  /// window = Σ over places of operand * result.
  void sum_places(Threads& threads) const {
    if (ins_ == 0 || outs_ == 0 || taps_ == 0) return;
    std::int64_t together = kChannelsTogether, parts = 1;
    const auto units = [&] { return groups_ * pieces_ * ceil_divide(outs_, together) * parts; };
    while (together > kColumns && units() < 2 * threads.size()) together /= 2;
    if (units() < 2 * threads.size()) parts = std::min(axes_[most_taps()].taps, ceil_divide(2 * threads.size(), units()));
    const std::int64_t stretches = ceil_divide(outs_, together);
    const std::int64_t places = axes_[0].count * axes_[1].count * axes_[2].count * axes_[3].count;
    threads.parallel_for(units(), grain(places * std::min(together, outs_) * ins_ * taps_ / (pieces_ * parts)), [&](std::int64_t begin, std::int64_t end) {
      Work work;
      for (std::int64_t unit = begin; unit < end; ++unit) {
        const std::int64_t part = unit % parts, piece = unit / parts % pieces_, stretch = unit / parts / pieces_;
        const std::int64_t group = stretch / stretches, out = stretch % stretches * together;
        with_some_taps(part, parts).sum_gradient(group, piece, out, std::min(together, outs_ - out), work);
      }
    });
  }

 private:
  using ToTile = Tile<T>;
  static constexpr std::int64_t kLanes = ToTile::kLanes, kColumns = ToTile::kColumns, kRows = ToTile::kRows;
  using Steps = std::array<std::int64_t, kAxes>;

  /// What is multiplied of the operand for a box: result u and tap v of an axis meet at data + u step + v apart.
  struct Patch {
    const T* data = nullptr;
    Steps step{}, apart{};
  };
  struct Work {
    std::vector<std::int64_t> runs;
    double flops = 0;
  };

  static ChannelsInMemory in_memory(const ConvolutionTensor& tensor, std::int64_t channels) {
    return {tensor.element, static_cast<char*>(tensor.data), tensor.channel_stride, channels * tensor.channel_stride};
  }
  static std::int64_t grain(std::int64_t products) { return 500000 / std::max<std::int64_t>(1, products) + 1; }
  std::int64_t in_begin(std::int64_t piece) const { return ins_ * piece / pieces_; }

  /// `channels` of the operand from `channel` on (of all groups), for a box.
  Patch load_patch(const Box& box, std::int64_t channel, std::int64_t channels) const {
    Patch patch;
    std::array<std::int64_t, kAxes + 1> sizes, from, to;
    Steps length, low, unit;
    std::int64_t count = channels, offset = channel * operand_.channel, inner = 0;
    bool is_whole = true;
    for (int a = kAxes; a-- > 0;) {
      const ConvolutionAxis& axis = axes_[a];
      unit[a] = axis.taps == 1 ? axis.step : box.size[a] == 1 ? axis.apart : std::gcd(axis.step, axis.apart);
      length[a] = ((box.size[a] - 1) * axis.step + (axis.taps - 1) * axis.apart) / unit[a] + 1;
      const std::int64_t first = axis.origin + box.at[a] * axis.step;
      low[a] = std::clamp<std::int64_t>(ceil_divide(axis.begin - first, unit[a]), 0, length[a]);
      const std::int64_t high = std::clamp<std::int64_t>(ceil_divide(axis.end - first, unit[a]), low[a], length[a]);
      sizes[a] = high - low[a];
      is_whole = is_whole && sizes[a] == length[a];
      from[a] = unit[a] * axis.operand_stride;
      to[a] = count;
      offset += (first + low[a] * unit[a]) * axis.operand_stride;
      inner += low[a] * count;
      count *= length[a];
    }
    sizes[kAxes] = channels, from[kAxes] = operand_.channel, to[kAxes] = 1;
    // Where each element is used once, it is read where it is.
    const bool in_place = is_whole && taps_ == 1 && operand_.channel == 1 && operand_.element != ElementType::kBf16;
    for (int a = 0; a < kAxes; ++a) {
      const std::int64_t apart = in_place ? from[a] : to[a];
      patch.step[a] = axes_[a].step / unit[a] * apart;
      patch.apart[a] = axes_[a].apart / unit[a] * apart;
    }
    if (in_place) {
      patch.data = reinterpret_cast<const T*>(operand_.data) + offset;
      return patch;
    }
    T* const data = elements<T>(convolution_scratch().patch, count);
    const std::int64_t bytes = size_of(operand_.element);
    load(operand_.element, count, data, [&](void* into) {
      char* const target = static_cast<char*>(into);
      if (!is_whole) std::memset(target, 0, static_cast<std::size_t>(count * bytes));
      copy_block(sizes, static_cast<int>(bytes), operand_.data + offset * bytes, from, target + inner * bytes, to);
    });
    patch.data = data;
    return patch;
  }

  /// Where the elements begin that the taps read for one place, in the order of the taps; `length` of them lie together.
  std::int64_t tap_runs(const Patch& patch, std::int64_t channels, std::vector<std::int64_t>& runs) const {
    const bool merged = patch.apart[kAxes - 1] == channels;  // neighbouring taps of the last axis
    std::array<std::int64_t, kAxes> taps;
    for (int a = 0; a < kAxes; ++a) taps[a] = merged && a == kAxes - 1 ? 1 : axes_[a].taps;
    runs.clear();
    for (std::int64_t s = 0; s < taps[0]; ++s)
      for (std::int64_t t = 0; t < taps[1]; ++t)
        for (std::int64_t u = 0; u < taps[2]; ++u)
          for (std::int64_t v = 0; v < taps[3]; ++v) runs.push_back(s * patch.apart[0] + t * patch.apart[1] + u * patch.apart[2] + v * patch.apart[3]);
    return merged ? axes_[kAxes - 1].taps * channels : channels;
  }

  /// The strides of the window's taps, channels of the operand and of the result, where the first of them is, and their sizes.
  struct WindowPart {
    std::array<std::int64_t, kAxes + 2> sizes, strides;
    char* data;
  };
  WindowPart window_part(std::int64_t group, std::int64_t in, std::int64_t ins, std::int64_t out, std::int64_t outs) const {
    WindowPart part;
    std::int64_t offset = group * window_.group + in * window_in_ + out * window_out_;
    for (int a = 0; a < kAxes; ++a) {
      part.sizes[a] = axes_[a].taps, part.strides[a] = axes_[a].tap_stride;
      offset += axes_[a].first_tap;
    }
    part.sizes[kAxes] = ins, part.strides[kAxes] = window_in_;
    part.sizes[kAxes + 1] = outs, part.strides[kAxes + 1] = window_out_;
    part.data = window_.data + offset * size_of(window_.element);
    return part;
  }
  /// The strides of [taps, channels, columns], where a step lies `width` from the next.
  std::array<std::int64_t, kAxes + 2> panel_strides(std::int64_t channels, std::int64_t width) const {
    std::array<std::int64_t, kAxes + 2> strides;
    std::int64_t stride = width * channels;
    for (int a = kAxes; a-- > 0; stride *= axes_[a].taps) strides[a] = stride;
    strides[kAxes] = width, strides[kAxes + 1] = 1;
    return strides;
  }

  /// A box of the result's channels, where it begins, and its strides there and in scratch with `width` for the channels.
  struct ResultPart {
    std::array<std::int64_t, kAxes + 1> sizes, strides, dense;
    char* data;
  };
  ResultPart result_part(const Box& box, std::int64_t group, std::int64_t out, std::int64_t outs, std::int64_t width) const {
    ResultPart part;
    std::int64_t offset = group * result_.group + out * result_.channel, dense = width;
    for (int a = kAxes; a-- > 0; dense *= box.size[a]) {
      offset += axes_[a].first + box.at[a] * axes_[a].result_stride;
      part.sizes[a] = box.size[a], part.strides[a] = axes_[a].result_stride, part.dense[a] = dense;
    }
    part.sizes[kAxes] = outs, part.strides[kAxes] = result_.channel, part.dense[kAxes] = 1;
    part.data = result_.data + offset * size_of(result_.element);
    return part;
  }

  /// Panels of up to kColumns columns, one behind the other, each [taps, channels, columns rounded up to lanes].
  void load_window(std::int64_t group, std::int64_t in, std::int64_t ins, std::int64_t out, std::int64_t outs, T* to) const {
    const std::int64_t steps = taps_ * ins, bytes = size_of(window_.element);
    for (std::int64_t column = 0; column < outs; column += kColumns) {
      const std::int64_t columns = std::min(kColumns, outs - column), width = whole_lanes(columns, kLanes);
      const WindowPart part = window_part(group, in, ins, out + column, columns);
      load(window_.element, steps * width, to + column * steps, [&](void* into) {
        if (columns < width) std::memset(into, 0, static_cast<std::size_t>(steps * width * bytes));
        copy_block(part.sizes, static_cast<int>(bytes), part.data, part.strides, into, panel_strides(ins, width));
      });
    }
  }

  void sum_boxes(std::int64_t group, std::int64_t out, std::int64_t outs, std::int64_t first_box, std::int64_t boxes, Work& work) const {
    const std::int64_t width = whole_lanes(outs, kLanes), steps = taps_ * ins_;
    const bool in_place = result_.channel == 1 && result_.element != ElementType::kBf16 && outs == width;
    const bool keeps_window = boxes == 1 || steps * width * static_cast<std::int64_t>(sizeof(T)) <= kWindowBytes;
    T* const window = elements<T>(convolution_scratch().window, (keeps_window ? steps : taps_ * ceil_divide(ins_, pieces_)) * width);
    for (std::int64_t index = first_box; index < first_box + boxes; ++index) {
      const Box box = boxes_[index];
      const ResultPart result = result_part(box, group, out, outs, width);
      const std::int64_t count = box.places() * width;
      T* const to = in_place ? reinterpret_cast<T*>(result.data) : elements<T>(convolution_scratch().sums, count);
      Steps place;
      std::copy_n(in_place ? result.strides.begin() : result.dense.begin(), kAxes, place.begin());
      for (std::int64_t piece = 0; piece < pieces_; ++piece) {
        const std::int64_t in = in_begin(piece), ins = in_begin(piece + 1) - in;
        T* const panels = window + (keeps_window ? taps_ * in * width : 0);
        if (!keeps_window || index == first_box) load_window(group, in, ins, out, outs, panels);
        const Patch patch = taps_ > 0 ? load_patch(box, group * ins_ + in, ins) : Patch{};
        sum_box(box, patch, ins, panels, outs, to, place, piece > 0, work);
      }
      if (!in_place) store<T>(result.sizes, to, result.dense, count, result_.element, result.data, result.strides);
    }
  }

  /// to (+)= patch * panels, in tiles of places along the axis in which they are highest.
  void sum_box(const Box& box, const Patch& patch, std::int64_t ins, const T* panels, std::int64_t outs, T* to, const Steps& place, bool accumulate, Work& work) const {
    int along = kAxes - 1;
    const auto strips = [&](int a) { return ceil_divide(box.size[a], kRows); };
    for (int a = kAxes; a-- > 0;)
      if (box.size[a] * strips(along) > box.size[along] * strips(a)) along = a;
    typename ToTile::Operands tile{};
    tile.k = tap_runs(patch, ins, work.runs);
    tile.runs = work.runs;
    tile.a_row = patch.step[along], tile.a_k = 1;
    tile.c_row = place[along];
    tile.accumulate = accumulate;
    Box rest = box;  // without the axis of the tiles
    rest.size[along] = 1;
    for (std::int64_t column = 0; column < outs; column += kColumns) {
      const std::int64_t width = whole_lanes(std::min(kColumns, outs - column), kLanes);
      tile.b = panels + column * taps_ * ins, tile.b_k = width;
      for_each_place(rest, [&](const Steps& at) {
        for (std::int64_t strip = 0; strip < strips(along); ++strip) {
          Steps first = at;
          first[along] = box.size[along] * strip / strips(along);
          const std::int64_t rows = box.size[along] * (strip + 1) / strips(along) - first[along];
          tile.a = patch.data + offset(first, patch.step);
          tile.c = to + column + offset(first, place);
          ToTile::function(static_cast<int>(rows), static_cast<int>(width / kLanes), false)(tile);
        }
      });
      report(work, box.places() * width * taps_ * ins);
    }
  }

  int most_taps() const {
    int most = 0;
    for (int a = 1; a < kAxes; ++a)
      if (axes_[a].taps > axes_[most].taps) most = a;
    return most;
  }
  OrdinaryConvolution with_some_taps(std::int64_t part, std::int64_t parts) const {
    OrdinaryConvolution some = *this;
    ConvolutionAxis& axis = some.axes_[most_taps()];
    const std::int64_t begin = axis.taps * part / parts, end = axis.taps * (part + 1) / parts;
    some.taps_ = taps_ / axis.taps * (end - begin);
    axis.taps = end - begin;
    axis.first_tap += begin * axis.tap_stride;
    axis.origin += begin * axis.apart;
    return some;
  }

  void sum_gradient(std::int64_t group, std::int64_t piece, std::int64_t out, std::int64_t outs, Work& work) const {
    const std::int64_t in = in_begin(piece), ins = in_begin(piece + 1) - in, steps = taps_ * ins, width = whole_lanes(outs, kLanes);
    ConvolutionScratch& scratch = convolution_scratch();
    T* const sums = elements<T>(scratch.sums, steps * width);
    std::fill_n(sums, steps * width, T(0));
    std::vector<std::int64_t> rows;
    for (std::int64_t index = 0; index < boxes_.size(); ++index) {
      const Box box = boxes_[index];
      const Patch patch = load_patch(box, group * ins_ + in, ins);
      T* const panels = elements<T>(scratch.window, box.places() * width);
      load_result(box, group, out, outs, panels);
      const std::int64_t length = tap_runs(patch, ins, rows), strips = ceil_divide(length, kRows);
      typename ToTile::Operands tile{};
      tile.k = box.size[kAxes - 1];
      tile.a_row = 1, tile.a_k = patch.step[kAxes - 1];
      tile.c_row = width;
      tile.accumulate = true;
      Box rest = box;
      rest.size[kAxes - 1] = 1;
      work.runs.clear();
      for_each_place(rest, [&](const Steps& at) { work.runs.push_back(offset(at, patch.step)); });
      tile.runs = work.runs;
      for (std::int64_t column = 0; column < outs; column += kColumns) {
        const std::int64_t columns = whole_lanes(std::min(kColumns, outs - column), kLanes);
        tile.b = panels + column * box.places(), tile.b_k = columns;
        for (std::int64_t run = 0; run < std::ssize(rows); ++run) {
          for (std::int64_t strip = 0; strip < strips; ++strip) {
            const std::int64_t first = length * strip / strips, last = length * (strip + 1) / strips;
            tile.a = patch.data + rows[static_cast<std::size_t>(run)] + first;
            tile.c = sums + (run * length + first) * width + column;
            ToTile::function(static_cast<int>(last - first), static_cast<int>(columns / kLanes), true)(tile);
          }
        }
        report(work, box.places() * columns * steps);
      }
    }
    const WindowPart part = window_part(group, in, ins, out, outs);
    store<T>(part.sizes, sums, panel_strides(ins, width), steps * width, window_.element, part.data, part.strides);
  }

  /// Panels of up to kColumns channels of the result, one behind the other, each [places of the box, channels rounded up to lanes].
  void load_result(const Box& box, std::int64_t group, std::int64_t out, std::int64_t outs, T* to) const {
    const std::int64_t bytes = size_of(result_.element);
    for (std::int64_t column = 0; column < outs; column += kColumns) {
      const std::int64_t columns = std::min(kColumns, outs - column), width = whole_lanes(columns, kLanes);
      const ResultPart part = result_part(box, group, out + column, columns, width);
      load(result_.element, box.places() * width, to + column * box.places(), [&](void* into) {
        if (columns < width) std::memset(into, 0, static_cast<std::size_t>(box.places() * width * bytes));
        copy_block(part.sizes, static_cast<int>(bytes), part.data, part.strides, into, part.dense);
      });
    }
  }

  void report(Work& work, std::int64_t products) const {
    if (!progress_) return;
    work.flops += 2.0 * static_cast<double>(products);
    if (work.flops < kConvolutionProgressFlops) return;
    work.flops = 0;
    progress_();
  }

  template <class Fn>
  static void for_each_place(const Box& box, Fn fn) {
    Steps at;
    for (at[0] = 0; at[0] < box.size[0]; ++at[0])
      for (at[1] = 0; at[1] < box.size[1]; ++at[1])
        for (at[2] = 0; at[2] < box.size[2]; ++at[2])
          for (at[3] = 0; at[3] < box.size[3]; ++at[3]) fn(at);
  }
  static std::int64_t offset(const Steps& at, const Steps& step) { return at[0] * step[0] + at[1] * step[1] + at[2] * step[2] + at[3] * step[3]; }

  ConvolutionAxes axes_;
  std::int64_t groups_, ins_, outs_;
  ChannelsInMemory operand_, result_, window_;
  std::int64_t window_in_, window_out_;
  Boxes boxes_;
  const std::function<void()>& progress_;
  std::int64_t taps_ = 0, pieces_ = 0;
};

/// Calls fn with the axes of each ordinary convolution that a convolution consists of.
template <class Fn>
void for_each_ordinary(const Convolution& c, bool to_input, Fn fn) {
  const ConvolutionTensor &result = to_input ? c.input : c.output, &operand = to_input ? c.output : c.input;
  std::array<std::vector<ConvolutionAxis>, kAxes> axes;
  axes.fill({ConvolutionAxis{}});
  axes[0][0] = {.count = c.batch, .result_stride = result.batch_stride, .end = c.batch, .operand_stride = operand.batch_stride};
  const std::size_t before = kAxes - c.dims.size();
  for (std::size_t d = 0; d < c.dims.size(); ++d) axes[before + d] = ordinary(c.dims[d], to_input);
  for (const ConvolutionAxis& s : axes[0])
    for (const ConvolutionAxis& t : axes[1])
      for (const ConvolutionAxis& u : axes[2])
        for (const ConvolutionAxis& v : axes[3]) fn(ConvolutionAxes{s, t, u, v});
}

/// Calls fn with a zero of the type that is computed in.
template <class Fn>
void by_computed_type(const Convolution& c, Fn fn) {
  if (c.dims.empty() || c.dims.size() > kConvolutionDims) throw std::invalid_argument("convolutions have one to three dims");
  int wide = 0, narrow = 0;
  for (const ElementType element : {c.input.element, c.output.element, c.window.element}) {
    wide += element == ElementType::kF64;
    narrow += element == ElementType::kF32 || element == ElementType::kBf16;
  }
  if (wide == 3) return fn(double{});
  if (narrow == 3) return fn(float{});
  throw std::invalid_argument("convolutions are of f64, or of f32 and bf16");
}

void convolve_to(const Convolution& c, bool to_input, Threads& threads) {
  by_computed_type(c, [&]<class T>(T) {
    for_each_ordinary(c, to_input, [&](const ConvolutionAxes& axes) { OrdinaryConvolution<T>(c, to_input, axes).sum_products(threads); });
  });
}

}  // namespace

std::int64_t convolved_size(const ConvolutionDim& dim, std::int64_t input, std::int64_t high) {
  const std::int64_t reach = (dim.taps - 1) * dim.dilation + 1, size = (input > 0 ? (input - 1) * dim.base + 1 : 0) + dim.low + high;
  return size < reach ? 0 : (size - reach) / dim.stride + 1;
}

void convolve(const Convolution& convolution, Threads& threads) { convolve_to(convolution, false, threads); }
void convolve_input_gradient(const Convolution& convolution, Threads& threads) { convolve_to(convolution, true, threads); }

void convolve_window_gradient(const Convolution& c, Threads& threads) {
  by_computed_type(c, [&]<class T>(T) {
    // Taps that meet no element of the input are in no ordinary convolution.
    std::vector<std::int64_t> sizes{c.inputs, c.groups * c.outputs}, strides{c.window.input_stride, c.window.output_stride};
    for (const ConvolutionDim& dim : c.dims) sizes.push_back(dim.taps), strides.push_back(dim.tap_stride);
    const double zero = 0;
    fill_block(sizes, static_cast<int>(size_of(c.window.element)), &zero, c.window.data, strides);
    for_each_ordinary(c, false, [&](const ConvolutionAxes& axes) { OrdinaryConvolution<T>(c, false, axes).sum_places(threads); });
  });
}

}  // namespace mtf
