#include "kernels/convolution.h"

#include <cstring>
#include <stdexcept>
#include <vector>

#include "kernels/convolution_blocks.h"

namespace mtf::kernels {
namespace {

// An ordinary convolution (convolution_axes.h) is a sum of matrix products, one for each tap. The operand's matrix
// (positions × channels) is shifted by the tap, and multiplied by the tap's matrix of the window. For a box of
// positions, the operand is copied into a patch, with zeros at the padding. The channels of a position are contiguous,
// so that the shifted matrices are views of the patch. The window is copied into panels of columns. A tile of the
// result stays in registers over all taps, except taps that only meet padding. So no matrix of all patches is made.
//
// The columns of a tile are channels of the result. Few channels would leave most lanes of a packet empty. Then the
// channels are the rows, and the columns are contiguous elements of the operand. For that, the positions of a patch are
// contiguous.

constexpr double kConvolutionProgressFlops = 6e7;

/// Stores elements of scratch (which may be changed) in the memory order of `from`, as far as its strides tell.
template <class T>
void store(std::span<const std::int64_t> sizes, T* from, std::span<const std::int64_t> from_strides, std::int64_t count,
           ElementType element, void* to, std::span<const std::int64_t> to_strides) {
  if (element == ElementType::kBf16) {
    Bf16* const rounded = reinterpret_cast<Bf16*>(from);
    for (std::int64_t i = 0; i < count; ++i) {
      const T sum = from[i];
      const Bf16 number = mtf::to_bf16(static_cast<float>(sum));
      std::memcpy(static_cast<void*>(rounded + i), &number, sizeof number);
    }
  }
  copy_block(sizes, static_cast<int>(size_of(element)), from, from_strides, to, to_strides);
}

/// One call: an ordinary convolution of one operand, with the window or for its gradient.
template <class T>
class OrdinaryConvolution : ConvolutionBlocks<T> {
  using Base = ConvolutionBlocks<T>;
  using Base::kLanes, Base::kColumns, Base::kRows, Base::axes_, Base::boxes_, Base::by_groups, Base::for_each_position,
      Base::for_each_strip, Base::grain, Base::groups_, Base::in_stretches, Base::ins_, Base::lanes_, Base::load_patch,
      Base::load_window, Base::offset, Base::outs_, Base::piece, Base::pieces_, Base::positions, Base::result_,
      Base::result_panels, Base::result_part, Base::result_runs, Base::run_, Base::run_of_channels, Base::tap_runs,
      Base::taps_, Base::taps_are_merged, Base::use_runs_of_channels, Base::use_runs_of_positions, Base::width_of,
      Base::window_, Base::window_in_panels, Base::window_in_runs, Base::window_part;
  using typename Base::ToTile, typename Base::Steps, typename Base::Lanes, typename Base::Channels,
      typename Base::Stretches, typename Base::Patch, typename Base::Panels;

 public:
  OrdinaryConvolution(const Convolution& c, bool to_input, const ConvolutionAxes& axes)
      : Base(c, to_input, axes), progress_(c.progress) {}

  /// True if there is any product to compute.
  bool computes_some() const { return groups_ * outs_ * taps_ * boxes_.size() != 0; }
  /// Uses positions as lanes if that is faster. It changes no bit.
  void choose_lanes() {
    if (lanes_ == Lanes::kResults) use_runs_of_positions();
  }
  /// True if the results of both are interleaved, as in a gradient with strides. They are then best computed box by
  /// box.
  bool goes_with(const OrdinaryConvolution& other) const {
    return boxes_.size() == other.boxes_.size() && lanes_ == Lanes::kResults && other.lanes_ == Lanes::kResults;
  }
  /// result = operand * window, for interleaved convolutions.
  static void sum_products(std::span<const OrdinaryConvolution> all, Threads& threads) {
    const OrdinaryConvolution& first = all.front();
    const std::int64_t boxes = first.boxes_.size();
    if (boxes == 0) return;
    const Stretches stretches = first.in_stretches(threads, boxes);
    const std::int64_t units = stretches.count() * boxes;
    threads.parallel_for(units, first.grain(first.positions(), units), [&](std::int64_t begin, std::int64_t end) {
      Work work;
      while (begin < end) {  // the boxes of one stretch after another
        const std::int64_t stretch = begin / boxes, last = std::min(end, (stretch + 1) * boxes);
        sum_boxes(all, stretches[stretch], begin % boxes, last - begin, work);
        begin = last;
      }
    });
  }

  /// window = Σ over positions of operand * result.
  void sum_positions(Threads& threads) {
    if (groups_ * ins_ * outs_ * taps_ == 0) return;
    if (lanes_ == Lanes::kResults) use_runs_of_channels();
    const Stretches stretches = in_stretches(threads, pieces_);
    const std::int64_t each = pieces_ * stretches.count(),
                       parts = std::clamp<std::int64_t>(ceil_div(2 * threads.size(), each), 1, axes_[most_taps()].taps);
    threads.parallel_for(each * parts, grain(positions(), each * parts), [&](std::int64_t begin, std::int64_t end) {
      Work work;
      for (std::int64_t unit = begin; unit < end; ++unit) {
        with_some_taps(unit % parts, parts)
            .sum_gradient(piece(stretches[unit / parts / pieces_], unit / parts % pieces_), work);
      }
    });
  }

 private:
  struct Work {
    std::vector<std::int64_t> rows, steps;
    std::vector<typename ToTile::Run> runs;
    double flops = 0;
  };

  static void sum_boxes(std::span<const OrdinaryConvolution> all, const Channels& channels, std::int64_t first_box,
                        std::int64_t boxes, Work& work) {
    std::int64_t whole = 0, most = 0;  // elements of all windows, and of one piece
    for (const OrdinaryConvolution& one : all) {
      whole += one.window_size(channels);
      most = std::max(most, one.taps_ * ceil_div(one.ins_, one.pieces_) * one.width_of(channels));
    }
    const bool keeps_window = boxes == 1 || whole * static_cast<std::int64_t>(sizeof(T)) <= kWindowBytes;
    T* const windows = convolution_scratch().window.room<T>(keeps_window ? whole : most);
    for (std::int64_t index = first_box; index < first_box + boxes; ++index) {
      T* window = windows;
      for (const OrdinaryConvolution& one : all) {
        one.sum_box(index, channels, window, keeps_window, !keeps_window || index == first_box, work);
        if (keeps_window) window += one.window_size(channels);
      }
    }
  }
  std::int64_t window_size(const Channels& channels) const { return taps_ * ins_ * width_of(channels); }

  /// Computes one box's results. `window` has room for all of the window if `whole`. It is loaded if `loads`.
  void sum_box(std::int64_t index, const Channels& channels, T* window, bool whole, bool loads, Work& work) const {
    const std::int64_t width = width_of(channels);
    const bool is_dense =
        (channels.outs == 1 || result_.channel == 1) && (channels.groups == 1 || result_.group == channels.outs);
    const bool in_place =
        is_dense && result_.element != ElementType::kBf16 && run_ == kAxes && channels.columns() == width;
    const Box box = boxes_[index];
    const auto result = run_ < kAxes ? result_runs(box, channels) : result_part(box, channels, width);
    const std::int64_t count = box.size[0] * result.dense[0];
    T* const to = in_place ? reinterpret_cast<T*>(result.data) : convolution_scratch().sums.room<T>(count);
    Steps position;
    std::copy_n(in_place ? result.strides.begin() : result.dense.begin(), kAxes, position.begin());
    for (std::int64_t p = 0; p < pieces_; ++p) {
      const Channels some = piece(channels, p);
      T* const panels = window + (whole ? taps_ * some.in * width : 0);
      if (loads) load_window(some, panels);
      const Patch patch = load_patch(box, some);
      if (run_ < kAxes) sum_piece_in_runs(box, patch, some, panels, to, result.dense, p > 0, work);
      else if (by_groups()) sum_piece_by_groups(box, patch, some, panels, to, position, work);
      else sum_piece(box, patch, some, panels, to, position, p > 0, work);
    }
    if (!in_place) store<T>(result.sizes, to, result.dense, count, result_.element, result.data, result.strides);
  }

  /// A range of taps of an axis.
  struct Taps {
    std::int64_t begin = 0, end = 0;
    bool operator==(const Taps&) const = default;
  };
  using BoxTaps = std::array<Taps, kAxes>;
  /// The taps that some of `rows` positions from `first` on `along` an axis need. The other taps meet only padding.
  BoxTaps taps_inside(const Box& box, int along, const Steps& first, std::int64_t rows) const {
    BoxTaps taps;
    for (int a = 0; a < kAxes; ++a) {
      const ConvolutionAxis& axis = axes_[a];
      const std::int64_t low = axis.origin + (box.at[a] + first[a]) * axis.step,
                         high = low + (a == along ? rows - 1 : 0) * axis.step;
      taps[a] = {0, axis.taps};
      if (low < axis.begin)
        taps[a].begin = std::clamp<std::int64_t>(ceil_div(axis.begin - high, axis.apart), 0, axis.taps);
      if (high + (axis.taps - 1) * axis.apart >= axis.end)
        taps[a].end = std::clamp<std::int64_t>(ceil_div(axis.end - low, axis.apart), taps[a].begin, axis.taps);
    }
    return taps;
  }
  /// Finds the elements that a tile sums for some taps, in their order, as runs of steps. Returns the steps of a run.
  std::int64_t tile_runs(const Patch& patch, const BoxTaps& taps, std::vector<typename ToTile::Run>& runs) const {
    const bool merged = patch.apart[kAxes - 1] == patch.length;  // neighbouring taps of the last axis
    const auto& [s, t, u, v] = taps;
    const std::int64_t together = merged ? v.end - v.begin : 1;
    runs.clear();
    if (together == 0) return 0;
    for (std::int64_t at0 = s.begin; at0 < s.end; ++at0)
      for (std::int64_t at1 = t.begin; at1 < t.end; ++at1)
        for (std::int64_t at2 = u.begin; at2 < u.end; ++at2)
          for (std::int64_t at3 = v.begin; at3 < v.end; at3 += together)
            runs.push_back(
                {offset({at0, at1, at2, at3}, patch.apart),
                 (((at0 * axes_[1].taps + at1) * axes_[2].taps + at2) * axes_[3].taps + at3) * patch.length});
    return together * patch.length;
  }

  /// to (+)= patch * panels, in tiles of positions along the axis with the highest tiles. Leaves out taps that none of
  /// a tile's positions needs. (If one of them needs a tap, the others add zeros, which changes no sum if the window is
  /// finite.)
  void sum_piece(const Box& box, const Patch& patch, const Channels& channels, const T* panels, T* to,
                 const Steps& position, bool accumulate, Work& work) const {
    typename ToTile::Operands tile{};
    tile.a_k = 1;
    tile.accumulate = accumulate;
    BoxTaps taps{};
    for (std::int64_t column = 0; column < channels.outs; column += kColumns) {
      const std::int64_t width = round_up(std::min(kColumns, channels.outs - column), kLanes);
      tile.b = panels + column * taps_ * channels.ins, tile.b_k = width;
      for_each_strip(box, kRows, [&](int along, const Steps& first, std::int64_t rows) {
        const BoxTaps inside = taps_inside(box, along, first, rows);
        if (inside != taps) {
          taps = inside;
          tile.k = tile_runs(patch, taps, work.runs);
          tile.runs = work.runs;
        }
        tile.a = patch.data + offset(first, patch.step), tile.a_row = patch.step[along];
        tile.c = to + column + offset(first, position), tile.c_row = position[along];
        ToTile::function(static_cast<int>(rows), static_cast<int>(width / kLanes), false)(tile);
      });
      report(work, box.positions() * width * taps_ * channels.ins);
    }
  }
  void sum_piece_by_groups(const Box& box, const Patch& patch, const Channels& channels, const T* panel, T* to,
                           const Steps& position, Work& work) const {
    const std::int64_t width = width_of(channels);
    tap_runs(patch, width, work.steps);
    work.rows.resize(LaneSums<T>::kRows);
    for (std::int64_t lane = 0; lane < width; lane += kLanes) {
      for_each_strip(box, LaneSums<T>::kRows, [&](int along, const Steps& first, std::int64_t rows) {
        for (std::int64_t r = 0; r < rows; ++r) work.rows[static_cast<std::size_t>(r)] = r * patch.step[along];
        LaneSums<T>{std::span(work.rows).first(static_cast<std::size_t>(rows)),
                    work.steps,
                    patch.data + offset(first, patch.step) + lane,
                    panel + lane,
                    width,
                    to + offset(first, position) + lane,
                    position[along],
                    false}
            .run();
      });
    }
    report(work, box.positions() * width * taps_ * channels.ins);
  }

  /// The same, with runs of positions as columns and the result's channels as rows, which result_runs lays out.
  void sum_piece_in_runs(const Box& box, const Patch& patch, const Channels& channels, const T* panel, T* to,
                         const std::array<std::int64_t, kAxes + 2>& dense, bool accumulate, Work& work) const {
    tap_runs(patch, 1, work.steps);
    const std::int64_t width = dense[kAxes + 1];
    FewRows<T> sums{work.steps, channels.ins, panel, channels.outs, nullptr, patch.channel, nullptr, width, accumulate};
    Box firsts = box;
    std::fill(firsts.size.begin() + run_, firsts.size.end(), 1);
    for_each_position(firsts, [&](const Steps& first) {
      sums.b = patch.data + offset(first, patch.step);
      sums.c = to;
      for (int a = 0; a < run_; ++a) sums.c += first[a] * dense[a];
      sums.run(channels.outs, width / kLanes);
    });
    report(work, box.positions() * channels.outs * taps_ * channels.ins);
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

  /// Sums the window's gradient. Sums stay in scratch between boxes.
  void sum_gradient(const Channels& channels, Work& work) const {
    const std::int64_t steps = taps_ * channels.ins, width = width_of(channels);
    ConvolutionScratch& scratch = convolution_scratch();
    const bool in_runs = lanes_ == Lanes::kOperand;
    const auto part = window_part(channels, in_runs ? window_in_runs(channels) : window_in_panels(channels, width));
    const std::int64_t count = part.sizes[0] * part.dense[0];
    T* const sums = scratch.sums.room<T>(count);
    std::fill_n(sums, count, T(0));
    for (std::int64_t index = 0; index < boxes_.size(); ++index) {
      const Box box = boxes_[index];
      const Patch patch = load_patch(box, channels);
      const Panels panels = result_panels(box, channels);
      if (in_runs) add_box_in_runs(box, patch, channels, panels, sums, work);
      else if (by_groups()) add_box_by_groups(box, patch, channels, panels.data, sums, work);
      else add_box(box, patch, channels, panels, sums, work);
      report(work, box.positions() * width * steps);
    }
    store<T>(part.sizes, sums, part.dense, count, window_.element, part.data, part.strides);
  }

  /// sums += patchᵀ * panels, in tiles of the operand's channels, joined with neighbouring taps if contiguous.
  void add_box(const Box& box, const Patch& patch, const Channels& channels, const Panels& panels, T* sums,
               Work& work) const {
    const std::int64_t length = tap_runs(patch, 0, work.rows), strips = ceil_div(length, kRows),
                       width = width_of(channels);
    place_runs(box, patch, kAxes - 1, work.steps);
    work.runs.clear();
    for (const std::int64_t run : work.steps)
      work.runs.push_back({run, static_cast<std::int64_t>(work.runs.size()) * box.size[kAxes - 1]});
    typename ToTile::Operands tile{};
    tile.runs = work.runs;
    tile.k = box.size[kAxes - 1];
    tile.a_row = 1, tile.a_k = patch.step[kAxes - 1];
    tile.c_row = width;
    tile.accumulate = true;
    for (std::int64_t column = 0; column < channels.outs; column += kColumns) {
      const std::int64_t columns = round_up(std::min(kColumns, channels.outs - column), kLanes);
      tile.b = panels.data + column * panels.column, tile.b_k = panels.step != 0 ? panels.step : columns;
      T* to = sums + column;
      for (const std::int64_t run : work.rows) {
        for (std::int64_t strip = 0; strip < strips; ++strip) {
          const std::int64_t first = length * strip / strips, rows = length * (strip + 1) / strips - first;
          tile.a = patch.data + run + first;
          tile.c = to + first * width;
          ToTile::function(static_cast<int>(rows), static_cast<int>(columns / kLanes), true)(tile);
        }
        to += length * width;
      }
    }
  }
  void add_box_by_groups(const Box& box, const Patch& patch, const Channels& channels, const T* panel, T* sums,
                         Work& work) const {
    const std::int64_t width = width_of(channels);
    tap_runs(patch, width, work.rows);
    place_runs(box, patch, kAxes, work.steps);
    const std::span<const std::int64_t> all = work.rows;
    for (std::size_t first = 0; first < all.size(); first += LaneSums<T>::kRows) {
      const auto rows = all.subspan(first, std::min<std::size_t>(LaneSums<T>::kRows, all.size() - first));
      for (std::int64_t lane = 0; lane < width; lane += kLanes)
        LaneSums<T>{rows,         work.steps, patch.data + lane,
                    panel + lane, width,      sums + static_cast<std::int64_t>(first) * width + lane,
                    width,        true}
            .run();
    }
  }

  /// The same, with runs of the operand's channels and of taps as columns, and the result's channels as rows.
  void add_box_in_runs(const Box& box, const Patch& patch, const Channels& channels, const Panels& panels, T* sums,
                       Work& work) const {
    const std::int64_t width = round_up(run_of_channels(channels.ins), kLanes);
    tap_runs(patch, taps_are_merged() ? 0 : patch.length, work.rows);
    place_runs(box, patch, kAxes - 1, work.steps);
    FewRows<T> tile{work.steps, box.size[kAxes - 1],   panels.data, panels.step != 0 ? panels.step : channels.outs,
                    nullptr,    patch.step[kAxes - 1], sums,        width,
                    true};
    for (const std::int64_t run : work.rows) {
      tile.b = patch.data + run;
      tile.run(channels.outs, width / kLanes);
      tile.c += channels.outs * width;
    }
  }

  /// The addresses in the patch of a box's positions. Of the axes from `kept` on, takes only the first position.
  static void place_runs(const Box& box, const Patch& patch, int kept, std::vector<std::int64_t>& runs) {
    Box rest = box;
    for (int a = kept; a < kAxes; ++a) rest.size[a] = 1;
    runs.clear();
    for_each_position(rest, [&](const Steps& at) { runs.push_back(offset(at, patch.step)); });
  }

  void report(Work& work, std::int64_t products) const {
    if (!progress_) return;
    work.flops += 2.0 * static_cast<double>(products);
    if (work.flops < kConvolutionProgressFlops) return;
    work.flops = 0;
    progress_();
  }
  const std::function<void()>& progress_;
};

/// Calls fn with a zero of the type that is computed in.
template <class Fn>
void by_computed_type(const Convolution& c, Fn fn) {
  if (c.dims.empty() || c.dims.size() > kConvolutionDims)
    throw std::invalid_argument("convolutions have one to three dims");
  int wide = 0, narrow = 0;
  for (const ElementType element : {c.input.element, c.output.element, c.window.element}) {
    wide += element == ElementType::kF64;
    narrow += element == ElementType::kF32 || element == ElementType::kBf16;
  }
  if (wide == 3) return fn(double{});
  if (narrow == 3) return fn(float{});
  throw std::invalid_argument("convolutions are of f64, or of f32 and bf16");
}

void fill_with_zeros(ElementType element, void* data, std::vector<std::int64_t> sizes,
                     std::vector<std::int64_t> strides) {
  const double zero = 0;
  fill_block(sizes, static_cast<int>(size_of(element)), &zero, data, strides);
}

void convolve_to(const Convolution& c, bool to_input, Threads& threads) {
  by_computed_type(c, [&]<class T>(T) {
    // Results that no tap reaches belong to ordinary convolutions without taps.
    bool all_are_reached = true;
    for_each_ordinary(c, to_input, [&](const ConvolutionAxes& axes) {
      for (const ConvolutionAxis& axis : axes) all_are_reached = all_are_reached && axis.taps > 0;
    });
    const ConvolutionTensor& result = to_input ? c.input : c.output;
    if (!all_are_reached) {
      std::vector<std::int64_t> sizes{c.batch, c.groups, to_input ? c.inputs : c.outputs},
          strides{result.batch_stride, result.group_stride, result.channel_stride};
      for (const ConvolutionDim& dim : c.dims) {
        sizes.push_back(to_input ? dim.input.size : dim.output.size);
        strides.push_back(to_input ? dim.input.stride : dim.output.stride);
      }
      fill_with_zeros(result.element, result.data, sizes, strides);
    }
    std::vector<OrdinaryConvolution<T>> all;
    for_each_ordinary(c, to_input, [&](const ConvolutionAxes& axes) {
      OrdinaryConvolution<T> one(c, to_input, axes);
      if (!one.computes_some()) return;
      one.choose_lanes();
      if (!all.empty() && !all.back().goes_with(one)) OrdinaryConvolution<T>::sum_products(all, threads), all.clear();
      all.push_back(one);
    });
    if (!all.empty()) OrdinaryConvolution<T>::sum_products(all, threads);
  });
}

}  // namespace

void convolve(const Convolution& convolution, Threads& threads) { convolve_to(convolution, false, threads); }
void convolve_input_gradient(const Convolution& convolution, Threads& threads) {
  convolve_to(convolution, true, threads);
}

void convolve_window_gradient(const Convolution& c, Threads& threads) {
  by_computed_type(c, [&]<class T>(T) {
    // Taps that meet no element of the input belong to no ordinary convolution.
    std::vector<std::int64_t> sizes{c.groups, c.inputs, c.outputs},
        strides{c.window.group_stride, c.window.input_stride, c.window.output_stride};
    for (const ConvolutionDim& dim : c.dims) sizes.push_back(dim.taps), strides.push_back(dim.tap_stride);
    fill_with_zeros(c.window.element, c.window.data, sizes, strides);
    for_each_ordinary(
        c, false, [&](const ConvolutionAxes& axes) { OrdinaryConvolution<T>(c, false, axes).sum_positions(threads); });
  });
}

}  // namespace mtf::kernels
