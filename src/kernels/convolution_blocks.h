// The operands of an ordinary convolution in blocks: how its work is divided, and copies of the parts that are
// multiplied (internal to convolution.cpp).
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>
#include <vector>

#include "kernels/convolution_axes.h"
#include "kernels/convolution_sums.h"
#include "kernels/copy.h"
#include "kernels/matmul_tile.h"
#include "kernels/scratch.h"
#include "support/integers.h"

namespace mtf::kernels {

constexpr std::int64_t kBoxPositions = 512;      // of the result: how often a copy of the window is used
constexpr std::int64_t kRunPositions = 1024;     // the same if positions are columns and the window is small,
constexpr std::int64_t kRunElements = 1 << 16;   // unless the patch then has more elements
constexpr std::int64_t kPieceTerms = 576;        // terms that are summed in registers,
constexpr std::int64_t kLeastPiece = 16;         // but of at least this number of channels
constexpr std::int64_t kChannelsTogether = 128;  // channels of the result that use one patch
constexpr std::int64_t kFewTerms = 128;          // results of one position: no more do not pay for a copy
constexpr std::int64_t kWindowBytes = 1 << 20;   // of panels that are kept for all boxes

/// A tensor whose elements are addressed by axes and channels.
struct ChannelsInMemory {
  ElementType element;
  char* data;
  std::int64_t channel, group;  ///< strides
};

/// A thread's memory, kept between calls.
struct ConvolutionScratch {
  Scratch patch, window, sums, stored;
};
inline ConvolutionScratch& convolution_scratch() {
  thread_local ConvolutionScratch scratch;
  return scratch;
}

/// Loads `count` elements to `to`. `fill` writes them as `element` to the pointer that it gets.
template <class T, class Fill>
void load(ElementType element, std::int64_t count, T* to, Fill fill) {
  if (element != ElementType::kBf16) return fill(static_cast<void*>(to));
  Bf16* const stored = convolution_scratch().stored.room<Bf16>(count);
  fill(static_cast<void*>(stored));
  for (std::int64_t i = 0; i < count; ++i) to[i] = static_cast<T>(to_float(stored[i]));
}

/// One ordinary convolution of one operand: its channels and boxes, and its operands in scratch.
template <class T>
class ConvolutionBlocks {
 protected:
 public:
  ConvolutionBlocks(const Convolution& c, bool to_input, const ConvolutionAxes& axes)
      : axes_(axes),
        groups_(c.groups),
        ins_(to_input ? c.outputs : c.inputs),
        outs_(to_input ? c.inputs : c.outputs),
        operand_(in_memory(to_input ? c.output : c.input)),
        result_(in_memory(to_input ? c.input : c.output)),
        window_{c.window.element, static_cast<char*>(c.window.data), 0, c.window.group_stride},
        window_in_(to_input ? c.window.output_stride : c.window.input_stride),
        window_out_(to_input ? c.window.input_stride : c.window.output_stride),
        boxes_(axes, kBoxPositions) {
    std::int64_t all_taps = 1;
    for (const ConvolutionDim& dim : c.dims) all_taps *= dim.taps;
    taps_ = 1;
    for (const ConvolutionAxis& axis : axes_) taps_ *= axis.taps;
    const std::int64_t most =
        std::max(kLeastPiece, kPieceTerms / std::max<std::int64_t>(1, all_taps) / kLeastPiece * kLeastPiece);
    pieces_ = std::max<std::int64_t>(1, ceil_div(ins_, most));
    if (groups_ > 1 && outs_ <= kLanes / 2 && pieces_ == 1) lanes_ = Lanes::kGroups;
  }

  using ToTile = Tile<T, false, true>;
  static constexpr std::int64_t kLanes = ToTile::kLanes, kColumns = ToTile::kColumns, kRows = ToTile::kRows;
  using Steps = std::array<std::int64_t, kAxes>;

  /// The meaning of the lanes of a packet.
  enum class Lanes : std::uint8_t {
    kResults,  ///< channels of the result, of one group
    kGroups,   ///< channels of the result, of groups with few channels
    kOperand,  ///< contiguous elements of the operand, for few channels of the result
  };

  /// Some channels. Either they are of one group, as rows and columns of products. Or they are all channels of some
  /// small groups, as lanes. Then each of a position's `ins` lines of the patch has, for each channel of the result,
  /// the operand's channel that it reads.
  struct Channels {
    std::int64_t group = 0, groups = 1, in = 0, ins = 0, out = 0, outs = 0;
    std::int64_t columns() const { return groups * outs; }
  };

  /// The channels of the result in stretches. For each stretch the operand is copied again.
  struct Stretches {
    const ConvolutionBlocks& all;
    std::int64_t together;  ///< channels, or groups if these are lanes
    std::int64_t of_group() const { return all.by_groups() ? 1 : ceil_div(all.outs_, together); }
    std::int64_t count() const { return all.by_groups() ? ceil_div(all.groups_, together) : all.groups_ * of_group(); }
    Channels operator[](std::int64_t index) const {
      if (all.by_groups())
        return {index * together, std::min(together, all.groups_ - index * together), 0, all.ins_, 0, all.outs_};
      const std::int64_t out = index % of_group() * together;
      return {index / of_group(), 1, 0, all.ins_, out, std::min(together, all.outs_ - out)};
    }
  };
  /// Chooses long stretches, but enough of them for all threads. Each stretch is combined with `others` pieces of work.
  Stretches in_stretches(const Threads& threads, std::int64_t others) const {
    const std::int64_t most =
        by_groups() ? std::max(kChannelsTogether / std::max<std::int64_t>(1, ins_), kLanes) / outs_ : kChannelsTogether;
    Stretches result{*this, most};
    while (result.together > (by_groups() ? kLanes / outs_ : kColumns) && result.count() * others < 2 * threads.size())
      result.together /= 2;
    return result;
  }
  /// Makes positions the lanes, in runs along the last axes, if that takes less time. It changes no bit.
  void use_runs_of_positions() {
    if (outs_ > FewRows<T>::kRows || (taps_ == 1 && operand_.channel == 1)) return;  // it is read in place
    const std::int64_t ins = std::max<std::int64_t>(1, ceil_div(ins_, pieces_));
    const Boxes boxes(axes_, std::clamp(kRunElements / ins, kBoxPositions, kRunPositions));
    const Box box = boxes.largest();
    const auto [unit, length] = beneath(box);
    std::int64_t least = box.positions(), runs = box.positions(), last = 0, apart = 1;
    for (int a = kAxes; a-- > 1;) {
      if (box.size[a] > 1 && axes_[a].step != unit[a]) break;  // neighbouring positions are not contiguous
      last += (box.size[a] - 1) * apart, apart *= length[a], runs /= box.size[a];
      const std::int64_t time = runs * FewRows<T>::time(outs_, ceil_div(last + 1, kLanes));
      if (time < least) least = time, run_ = a;
    }
    if (run_ < kAxes) lanes_ = Lanes::kOperand, boxes_ = boxes;
  }
  /// The same with the operand's channels and neighbouring taps of the last axis as lanes.
  void use_runs_of_channels() {
    const std::int64_t length = run_of_channels(ceil_div(ins_, pieces_));
    if (outs_ <= FewRows<T>::kRows && FewRows<T>::time(outs_, ceil_div(length, kLanes)) < length)
      lanes_ = Lanes::kOperand;
  }
  /// True if neighbouring taps of the last axis are contiguous in a patch of any box.
  bool taps_are_merged() const {
    const ConvolutionAxis& axis = axes_[kAxes - 1];
    return axis.taps == 1 || axis.count == 1 || axis.step % axis.apart == 0;
  }
  std::int64_t run_of_channels(std::int64_t channels) const {
    return taps_are_merged() ? axes_[kAxes - 1].taps * channels : channels;
  }
  Channels piece(Channels channels, std::int64_t index) const {
    channels.in = ins_ * index / pieces_, channels.ins = ins_ * (index + 1) / pieces_ - channels.in;
    return channels;
  }

  /// The operand's elements for a box. Result u and tap v of an axis meet at data + u step + v apart. There `length`
  /// elements are contiguous. Channels are `channel` apart.
  struct Patch {
    const T* data = nullptr;
    std::int64_t length = 0, channel = 1;
    Steps step{}, apart{};
  };

  static ChannelsInMemory in_memory(const ConvolutionTensor& tensor) {
    return {tensor.element, static_cast<char*>(tensor.data), tensor.channel_stride, tensor.group_stride};
  }
  std::int64_t positions() const { return axes_[0].count * axes_[1].count * axes_[2].count * axes_[3].count; }
  std::int64_t grain(std::int64_t positions, std::int64_t units) const {
    return 500000 / std::max<std::int64_t>(1, positions * groups_ * ins_ * outs_ * taps_ / units) + 1;
  }
  bool by_groups() const { return lanes_ == Lanes::kGroups; }
  /// The number of columns of a row of the window, or of the result, in scratch.
  std::int64_t width_of(const Channels& channels) const {
    return lanes_ == Lanes::kOperand ? channels.outs : round_up(channels.columns(), kLanes);
  }
  /// The number of columns of a panel.
  std::int64_t panel(const Channels& channels) const { return by_groups() ? width_of(channels) : kColumns; }
  Channels columns(Channels channels, std::int64_t first, std::int64_t count) const {
    if (!by_groups()) channels.out += first, channels.outs = count;
    return channels;
  }

  /// The operand's elements along each axis that the taps of a box read: `length` of them, `unit` apart.
  struct Beneath {
    Steps unit, length;
  };
  Beneath beneath(const Box& box) const {
    Beneath result;
    for (int a = 0; a < kAxes; ++a) {
      const ConvolutionAxis& axis = axes_[a];
      std::int64_t& unit = result.unit[a];
      unit = axis.taps == 1 ? axis.step : box.size[a] == 1 ? axis.apart : std::gcd(axis.step, axis.apart);
      result.length[a] = ((box.size[a] - 1) * axis.step + (axis.taps - 1) * axis.apart) / unit + 1;
    }
    return result;
  }

  Patch load_patch(const Box& box, const Channels& channels) const {
    constexpr int kSizes = kAxes + 3;
    const auto [unit, length] = beneath(box);
    Patch patch;
    patch.channel = by_groups() ? width_of(channels) : 1;
    patch.length = run_ < kAxes ? 1 : channels.ins * patch.channel;
    std::array<std::int64_t, kSizes> sizes, from, to;
    std::int64_t count = patch.length, offset = channels.group * operand_.group + channels.in * operand_.channel,
                 inner = 0, together = patch.length;
    bool is_whole = true;
    for (int a = kAxes; a-- > 0;) {
      const ConvolutionAxis& axis = axes_[a];
      const std::int64_t first = axis.origin + box.at[a] * axis.step;
      const std::int64_t low = std::clamp<std::int64_t>(ceil_div(axis.begin - first, unit[a]), 0, length[a]),
                         high = std::clamp<std::int64_t>(ceil_div(axis.end - first, unit[a]), low, length[a]);
      sizes[a] = high - low;
      is_whole = is_whole && sizes[a] == length[a];
      from[a] = unit[a] * axis.operand_stride;
      to[a] = count;
      offset += (first + low * unit[a]) * axis.operand_stride;
      inner += low * count;
      count *= length[a];
      if (a == run_) {
        together = count;
        patch.channel = round_up(count, kLanes) | kLanes;  // odd, or channels would share cache lines
        count = patch.channel * channels.ins;
      }
    }
    sizes[kAxes] = channels.ins, from[kAxes] = operand_.channel, to[kAxes] = patch.channel;
    sizes[kAxes + 1] = channels.groups, from[kAxes + 1] = operand_.group, to[kAxes + 1] = channels.outs;
    sizes[kAxes + 2] = by_groups() ? channels.outs : 1, from[kAxes + 2] = 0, to[kAxes + 2] = 1;
    // If each element is used only once, it is read in place.
    bool in_place = is_whole && !by_groups() && taps_ == 1 && operand_.element != ElementType::kBf16;
    if (run_ == kAxes) in_place = in_place && operand_.channel == 1;
    for (int a = run_; a < kAxes; ++a) in_place = in_place && (sizes[a] == 1 || from[a] == to[a]);
    if (lanes_ == Lanes::kOperand) in_place = in_place && together % kLanes == 0;  // packets do not exceed the elements
    for (int a = 0; a < kAxes; ++a) {
      const std::int64_t apart = in_place ? from[a] : to[a];
      patch.step[a] = axes_[a].step / unit[a] * apart;
      patch.apart[a] = axes_[a].apart / unit[a] * apart;
    }
    if (in_place) {
      patch.data = reinterpret_cast<const T*>(operand_.data) + offset;
      patch.channel = operand_.channel;
      return patch;
    }
    if (lanes_ == Lanes::kOperand) count += kLanes, is_whole = false;
    if (by_groups()) is_whole = is_whole && channels.columns() == width_of(channels);
    T* const data = convolution_scratch().patch.room<T>(count);
    const std::int64_t bytes = size_of(operand_.element);
    load(operand_.element, count, data, [&](void* into) {
      char* const target = static_cast<char*>(into);
      if (!is_whole) std::memset(target, 0, static_cast<std::size_t>(count * bytes));
      const bool has_some = std::find(sizes.begin(), sizes.end(), 0) == sizes.end();
      if (has_some)
        copy_block(sizes, static_cast<int>(bytes), operand_.data + offset * bytes, from, target + inner * bytes, to);
    });
    patch.data = data;
    return patch;
  }

  /// Finds the elements that the taps read for one position, in the order of the taps, as the beginnings of contiguous
  /// runs. Returns the length of a run. If `most` is not 0, runs have that length.
  std::int64_t tap_runs(const Patch& patch, std::int64_t most, std::vector<std::int64_t>& runs) const {
    const bool merged = patch.apart[kAxes - 1] == patch.length;  // neighbouring taps of the last axis
    const std::int64_t length = merged ? axes_[kAxes - 1].taps * patch.length : patch.length,
                       run = most == 0 ? length : most;
    const std::int64_t last = merged ? 1 : axes_[kAxes - 1].taps;
    const Steps& apart = patch.apart;
    runs.clear();
    for (std::int64_t s = 0; s < axes_[0].taps; ++s)
      for (std::int64_t t = 0; t < axes_[1].taps; ++t)
        for (std::int64_t u = 0; u < axes_[2].taps; ++u)
          for (std::int64_t v = 0; v < last; ++v)
            for (std::int64_t begin = 0; begin < length; begin += run)
              runs.push_back(s * apart[0] + t * apart[1] + u * apart[2] + v * apart[3] + begin);
    return run;
  }

  /// Some channels of a tensor in memory and in dense scratch.
  template <int kDims>
  struct Part {
    std::array<std::int64_t, kDims> sizes, strides, dense;
    char* data;
    std::int64_t dense_first = 0;  ///< the position in scratch of the element at `data`
  };
  /// The strides of the window's dims in dense scratch: taps, the operand's channels, groups, the result's channels.
  using WindowSteps = std::array<std::int64_t, kAxes + 3>;
  WindowSteps window_in_panels(const Channels& channels, std::int64_t width) const {
    WindowSteps dense;
    dense[kAxes + 2] = 1, dense[kAxes + 1] = channels.outs, dense[kAxes] = width;
    std::int64_t count = width * channels.ins;
    for (int a = kAxes; a-- > 0; count *= axes_[a].taps) dense[a] = count;
    return dense;
  }
  /// The strides of runs of contiguous elements of the operand, rounded up to lanes, one for each channel of the
  /// result.
  WindowSteps window_in_runs(const Channels& channels) const {
    WindowSteps dense;
    const std::int64_t width = round_up(run_of_channels(channels.ins), kLanes);
    dense[kAxes + 2] = width, dense[kAxes + 1] = 0, dense[kAxes] = 1;
    std::int64_t count = width * channels.outs;
    for (int a = kAxes; a-- > 0;) {
      if (a == kAxes - 1 && taps_are_merged()) dense[a] = channels.ins;
      else dense[a] = count, count *= axes_[a].taps;
    }
    return dense;
  }
  Part<kAxes + 3> window_part(const Channels& channels, const WindowSteps& dense) const {
    Part<kAxes + 3> part;
    part.dense = dense;
    std::int64_t offset = channels.group * window_.group + channels.in * window_in_ + channels.out * window_out_;
    for (int a = kAxes; a-- > 0;) {
      part.sizes[a] = axes_[a].taps, part.strides[a] = axes_[a].tap_stride;
      offset += axes_[a].first_tap;
      if (part.strides[a] < 0) {  // in the order of memory
        offset += (axes_[a].taps - 1) * part.strides[a], part.dense_first += (axes_[a].taps - 1) * dense[a];
        part.strides[a] = -part.strides[a], part.dense[a] = -dense[a];
      }
    }
    part.sizes[kAxes] = channels.ins, part.strides[kAxes] = window_in_;
    part.sizes[kAxes + 1] = channels.groups, part.strides[kAxes + 1] = window_.group;
    part.sizes[kAxes + 2] = channels.outs, part.strides[kAxes + 2] = window_out_;
    part.data = window_.data + offset * size_of(window_.element);
    return part;
  }
  /// The result's part [positions of the box, channels]. Dense positions are `width` apart.
  Part<kAxes + 2> result_part(const Box& box, const Channels& channels, std::int64_t width) const {
    Part<kAxes + 2> part;
    std::int64_t offset = channels.group * result_.group + channels.out * result_.channel, dense = width;
    for (int a = kAxes; a-- > 0; dense *= box.size[a]) {
      offset += axes_[a].first + box.at[a] * axes_[a].result_stride;
      part.sizes[a] = box.size[a], part.strides[a] = axes_[a].result_stride, part.dense[a] = dense;
    }
    part.sizes[kAxes] = channels.groups, part.strides[kAxes] = result_.group, part.dense[kAxes] = channels.outs;
    part.sizes[kAxes + 1] = channels.outs, part.strides[kAxes + 1] = result_.channel, part.dense[kAxes + 1] = 1;
    part.data = result_.data + offset * size_of(result_.element);
    return part;
  }

  /// The same in runs of positions, one for each channel. They are spaced as in the patch, and rounded up to lanes.
  Part<kAxes + 2> result_runs(const Box& box, const Channels& channels) const {
    Part<kAxes + 2> part = result_part(box, channels, 0);
    const auto [unit, length] = beneath(box);
    std::int64_t dense = 1, last = 0;
    for (int a = kAxes; a-- > run_; dense *= length[a]) part.dense[a] = dense, last += (box.size[a] - 1) * dense;
    part.dense[kAxes + 1] = round_up(last + 1, kLanes);
    dense = channels.outs * part.dense[kAxes + 1];
    for (int a = run_; a-- > 0; dense *= box.size[a]) part.dense[a] = dense;
    return part;
  }

  /// Loads consecutive panels of columns, each [steps, columns rounded up to lanes]. part_of(channels, width) is the
  /// content of a panel.
  template <class PartOf>
  void load_panels(const Channels& channels, ElementType element, std::int64_t steps, T* to, PartOf part_of) const {
    const std::int64_t bytes = size_of(element);
    for (std::int64_t column = 0; column < channels.columns(); column += panel(channels)) {
      const Channels some = columns(channels, column, std::min(panel(channels), channels.columns() - column));
      const std::int64_t width = width_of(some);
      const auto part = part_of(some, width);
      load(element, steps * width, to + column * steps, [&](void* into) {
        if (some.columns() < width) std::memset(into, 0, static_cast<std::size_t>(steps * width * bytes));
        copy_block(part.sizes, static_cast<int>(bytes), part.data, part.strides,
                   static_cast<char*>(into) + part.dense_first * bytes, part.dense);
      });
    }
  }
  void load_window(const Channels& channels, T* to) const {
    load_panels(channels, window_.element, taps_ * channels.ins, to, [&](const Channels& some, std::int64_t width) {
      return window_part(some, window_in_panels(some, width));
    });
  }
  /// The result of a box. Column c of position p is at data + c column + p step, for c a multiple of kColumns. A step
  /// of 0 means the columns of a panel.
  struct Panels {
    const T* data;
    std::int64_t column, step;
  };
  Panels result_panels(const Box& box, const Channels& channels) const {
    const auto part = result_part(box, channels, width_of(channels));
    const bool is_panel = width_of(channels) <= kColumns && part.strides[kAxes - 1] == width_of(channels);
    bool in_place = !by_groups() && (is_panel || taps_ * channels.ins <= kFewTerms) && result_.channel == 1 &&
                    result_.element != ElementType::kBf16 && channels.columns() == width_of(channels);
    std::int64_t next = part.strides[kAxes - 1] * part.sizes[kAxes - 1];
    for (int a = kAxes - 1; a-- > 0;) {  // the positions have equal distances
      if (part.sizes[a] == 1) continue;
      in_place = in_place && part.strides[a] == next;
      next = part.strides[a] * part.sizes[a];
    }
    if (in_place) return {reinterpret_cast<const T*>(part.data), 1, part.strides[kAxes - 1]};
    T* const panels = convolution_scratch().window.room<T>(box.positions() * width_of(channels));
    load_panels(channels, result_.element, box.positions(), panels,
                [&](const Channels& some, std::int64_t width) { return result_part(box, some, width); });
    return {panels, box.positions(), 0};
  }

  /// Calls fn(axis, first position, count) for strips of up to `most` positions, along the axis with the longest
  /// strips. Together they cover the box.
  template <class Fn>
  static void for_each_strip(const Box& box, std::int64_t most, Fn fn) {
    const auto strips = [&](int a) { return ceil_div(box.size[a], most); };
    int along = kAxes - 1;
    for (int a = kAxes; a-- > 0;)
      if (box.size[a] * strips(along) > box.size[along] * strips(a)) along = a;
    const std::int64_t count = strips(along);
    Box rest = box;
    rest.size[along] = 1;
    for_each_position(rest, [&](Steps at) {
      for (std::int64_t strip = 0; strip < count; ++strip) {
        at[along] = box.size[along] * strip / count;
        fn(along, at, box.size[along] * (strip + 1) / count - at[along]);
      }
    });
  }
  template <class Fn>
  static void for_each_position(const Box& box, Fn fn) {
    Steps at;
    for (at[0] = 0; at[0] < box.size[0]; ++at[0])
      for (at[1] = 0; at[1] < box.size[1]; ++at[1])
        for (at[2] = 0; at[2] < box.size[2]; ++at[2])
          for (at[3] = 0; at[3] < box.size[3]; ++at[3]) fn(at);
  }
  static std::int64_t offset(const Steps& at, const Steps& step) {
    return at[0] * step[0] + at[1] * step[1] + at[2] * step[2] + at[3] * step[3];
  }

  ConvolutionAxes axes_;
  std::int64_t groups_, ins_, outs_;  ///< channels of a group
  ChannelsInMemory operand_, result_, window_;
  std::int64_t window_in_, window_out_;
  Boxes boxes_;
  std::int64_t taps_ = 0, pieces_ = 0;
  Lanes lanes_ = Lanes::kResults;
  int run_ = kAxes;  ///< the first axis of the runs of positions that are lanes; kAxes: none
};

}  // namespace mtf::kernels
