#include "kernels/fused_nest.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "kernels/copy.h"
#include "kernels/fused_fold.h"
#include "kernels/fused_tile.h"
#include "kernels/row_reductions.h"
#include "kernels/scratch.h"
#include "support/integers.h"

namespace mtf::kernels {
namespace {

using lanes::Group;
using lanes::kFoldTiles;

constexpr std::int64_t kFlatRow = kLongestRow;  // elements of one row that is joined from several short ones
constexpr std::int64_t kPanelRows = 64;         // rows and columns of a staged panel
constexpr std::int64_t kPanelColumns = 128;
constexpr std::int64_t kPanelBytes = std::max(kFlatRow, kPanelRows* kPanelColumns) * 8 + 64;  // of one stream
constexpr std::int64_t kRowsReduced = 256;  // rows whose results are written together
constexpr std::int64_t kSlotBytes = lanes::kTileBytes;

/// Runs the loop program over one row: contiguous elements, or elements at equal distances.
class RowRunner {
 protected:
  RowRunner(const Nest& nest, Pieces& scratch)
      : nest_(nest),
        code_(*nest.code),
        tile_(code_.tile),
        strip_(lanes::strip_of(code_.group)),
        lane_bytes_(code_.group == Group::kFour ? 4 : 8),
        along_row_(nest.reduces && nest.inner_reduced && !nest.short_rows),
        bare_(bare_reduction(nest)),
        records_(code_.records) {
    const std::int64_t operands = static_cast<std::int64_t>(nest.operands.size());
    const std::int64_t outputs = static_cast<std::int64_t>(nest.outputs.size());
    const std::int64_t streams = operands + outputs;
    width_ = !nest.reduces || along_row_ ? tile_ : std::max(kColumns, kFlatRow);
    const std::int64_t slots = static_cast<std::int64_t>(code_.slot_uses.size());
    scratch.reserve((2 * streams + slots) * kSlotBytes +
                    outputs * (Folds::bytes(code_, width_) + Folds::bytes(code_, tile_)) + 4096);
    for (auto& uses : code_.slot_uses) refer(uses, scratch.take(kSlotBytes), 0);
    operands_.resize(nest.operands.size());
    outputs_.resize(nest.outputs.size());
    for (auto* list : {&operands_, &outputs_}) {
      for (Lane& lane : *list) {
        lane.tail = scratch.take(kSlotBytes);
        std::memset(lane.tail, 0, kSlotBytes);
        lane.splat = scratch.take(kSlotBytes);
      }
    }
    auto take = [&](std::int64_t bytes) { return scratch.take(bytes); };
    std::vector<bool> at_the_end = nest.by_row;
    at_the_end.flip();
    folds_.emplace(code_, at_the_end, nest.output_types, width_, take);
    if (nest.has_by_row()) row_folds_.emplace(code_, nest.by_row, nest.output_types, tile_, take).clear(tile_);
    rows_.resize(static_cast<std::size_t>(streams));
    for (std::int64_t v = 0; v < operands; ++v) {
      if (code_.program.operands[v].kind == OperandKind::kScalar) {
        fill_with_number(code_.group, code_.types[v], nest.scalars[v], operands_[v].tail);
        refer(code_.operand_uses[v], operands_[v].tail, 0);
      }
    }
  }

  struct Lane {
    char* tail = nullptr;   // room for a tile: the end of a row
    char* splat = nullptr;  // a tile that repeats one element
    char* stage = nullptr;  // a panel, once one is copied
    std::int64_t splat_bits = 0;
    bool has_splat = false;
  };
  /// The memory that one row reads or writes.
  struct RowStream {
    char* data = nullptr;
    std::int64_t stride = 0;
    bool staged_iota = false;
  };
  using Bases = std::vector<char*>;

  std::size_t streams() const { return nest_.operands.size() + nest_.outputs.size(); }
  const Stream& stream(std::size_t s) const {
    return s < nest_.operands.size() ? nest_.operands[s] : nest_.outputs[s - nest_.operands.size()];
  }
  bool is_output(std::size_t s) const { return s >= nest_.operands.size(); }
  /// True for the streams that rows access: arrays, iotas, stored outputs.
  bool touches(std::size_t s) const {
    if (!is_output(s)) return stream(s).used;
    return code_.program.outputs[s - nest_.operands.size()].reduction == Reduction::kStore;
  }
  static void advance(const Nest& nest, Bases& bases, int id, std::int64_t by) {
    std::size_t k = 0;
    for (const Stream& s : nest.operands) bases[k++] += by * s.strides[id] * s.element_size;
    for (const Stream& s : nest.outputs) bases[k++] += by * s.strides[id] * s.element_size;
  }

  /// The function that reduces rows, if the loop has no other steps; otherwise an empty one.
  static lanes::RowReduction bare_reduction(const Nest& nest) {
    const ThreadedCode& code = *nest.code;
    if (!code.is_bare_reduction()) return {};
    return lanes::row_reduction(code.group, code.program.outputs[0].reduction, code.program.operands[0].type);
  }

  void refer(const std::vector<ThreadedCode::Use>& uses, char* base, std::int64_t mask) {
    for (const auto& use : uses) (use.second ? records_[use.record].c : records_[use.record].b) = {base, mask};
  }

  void clear(std::int64_t lanes) {
    rows_since_fold_ = tiles_since_fold_ = flat_inner_ = 0;
    folds_->clear(lanes);
  }

  void fold(std::int64_t n) {
    rows_since_fold_ = tiles_since_fold_ = 0;
    folds_->fold(n);
  }

  /// Adds rows of n elements to the lanes. Adds as many at once as are summed between two folds of `lanes` lanes.
  void reduce_columns(const char* data, std::int64_t stride, std::int64_t rows, std::int64_t n, std::int64_t lanes) {
    const std::int64_t bytes = stride * nest_.operands[0].element_size;
    const std::int64_t done = add_to_totals(data, bytes, rows_since_fold_ == 0 ? rows : 0, n, lanes);
    data += done * bytes;
    rows -= done;
    while (rows > 0) {
      const std::int64_t most = std::min(rows, kFoldTiles - rows_since_fold_);
      bare_.across(folds_->lanes(0), data, bytes, most, n);
      data += most * bytes;
      rows -= most;
      if ((rows_since_fold_ += most) == kFoldTiles) fold(lanes);
    }
  }

  /// Adds rows of n elements, `bytes` apart, to the totals of `lanes` lanes, kFoldTiles at once, if the lanes are
  /// empty. Returns the number of added rows. It is 0 for rows so long that they compete for the same sets of L1.
  std::int64_t add_to_totals(const char* data, std::int64_t bytes, std::int64_t rows, std::int64_t n,
                             std::int64_t lanes) {
    constexpr std::int64_t kShort = 2048;
    if (bare_.across_folded == nullptr || bytes > kShort) return 0;
    const std::int64_t whole = rows - rows % kFoldTiles;
    for (std::int64_t r = 0; r < whole; r += kFoldTiles)
      bare_.across_folded(folds_->totals(0, lanes), data + r * bytes, bytes, n);
    return whole;
  }

  /// Adds one row of n elements to the lanes of one tile.
  void reduce_row(const char* data, std::int64_t n) {
    const std::int64_t bytes = tile_ * nest_.operands[0].element_size;
    char* const lanes = folds_->lanes(0);
    const std::int64_t done = add_to_totals(data, bytes, tiles_since_fold_ == 0 ? n / tile_ : 0, tile_, tile_);
    data += done * bytes;
    n -= done * tile_;
    for (; n >= kFoldTiles * tile_; n -= kFoldTiles * tile_, data += kFoldTiles * bytes) {
      bare_.across(lanes, data, bytes, kFoldTiles, tile_);
      fold(tile_);
    }
    bare_.across(lanes, data, bytes, n / tile_, tile_);
    bare_.across(lanes, data + n / tile_ * bytes, 0, 1, n % tile_);
    if ((tiles_since_fold_ += n / tile_ + 1) >= kFoldTiles) fold(tile_);
  }

  void run_row(const std::vector<RowStream>& row, std::int64_t n) {
    if (bare_.across != nullptr && along_row_ && row[0].stride == 1) return reduce_row(row[0].data, n);
    const std::int64_t full = n - n % strip_;
    const std::size_t operands = nest_.operands.size();
    for (std::size_t s = 0; s < streams(); ++s) {
      if (touches(s)) point(s, row[s], n);
    }
    for (std::size_t o = 0; o < nest_.outputs.size(); ++o) {
      char* const lanes = nest_.by_row[o] ? row_folds_->lanes(o) : folds_->lanes(o);
      // Along a row, elements that are a tile apart go to one lane.
      const std::int64_t mask = along_row_ || nest_.by_row[o] ? tile_ - 1 : -1;
      if (lanes != nullptr) refer(code_.output_uses[o], lanes + (mask & column_offset_) * lane_bytes_, mask);
    }
    lanes::State state{strip_};
    std::int64_t i = 0;
    while (i < full) {
      const std::int64_t stop = along_row_ ? std::min(full, i + kFoldTiles * tile_) : full;
      strips(state, i, stop);
      if (along_row_ && stop - i == kFoldTiles * tile_) fold(tile_);
      i = stop;
    }
    if (full < n) {
      const std::int64_t rest = n - full;
      for (std::size_t s = 0; s < streams(); ++s) {
        if (!touches(s) || (!is_output(s) && row[s].stride == 0) || (stream(s).iota && !row[s].staged_iota)) continue;
        const int size = row[s].staged_iota ? 4 : stream(s).element_size;
        Lane& lane = s < operands ? operands_[s] : outputs_[s - operands];
        if (s < operands) std::memcpy(lane.tail, row[s].data + full * size, static_cast<std::size_t>(rest * size));
        refer(s < operands ? code_.operand_uses[s] : code_.output_uses[s - operands], lane.tail, 0);
      }
      state.valid = rest;
      strips(state, full, full + 1);
      for (std::size_t s = operands; s < streams(); ++s) {
        if (!touches(s)) continue;
        const int size = stream(s).element_size;
        std::memcpy(row[s].data + full * size, outputs_[s - operands].tail, static_cast<std::size_t>(rest * size));
      }
    }
    if (row_folds_) {
      for (std::size_t o = 0; o < nest_.outputs.size(); ++o) row_folds_->finish_row(o, row[operands + o].data);
      row_folds_->clear(tile_);
    }
    if (nest_.reduces && !nest_.inner_reduced && ++rows_since_fold_ == kFoldTiles) {
      fold(flat_inner_ > 0 ? width_ : columns_);
    } else if (along_row_ && (tiles_since_fold_ += (n % (kFoldTiles * tile_)) / tile_ + 1) >= kFoldTiles) {
      fold(tile_);
    }
  }

  /// Points the records at a row's memory. One element for the whole row becomes a tile of copies.
  void point(std::size_t s, const RowStream& row, std::int64_t) {
    const Stream& st = stream(s);
    if (is_output(s)) return refer(code_.output_uses[s - nest_.operands.size()], row.data, -1);
    const auto& uses = code_.operand_uses[s];
    if (st.iota) {
      const lanes::AnyStep step =
          row.staged_iota ? lanes::load_step(code_.group, ElementType::kI32) : lanes::iota_step(code_.group);
      for (const auto& use : uses) records_[use.record].step = step;
      return refer(uses, row.data, row.staged_iota ? -1 : row.stride);
    }
    if (row.stride == 1) return refer(uses, row.data, -1);
    Lane& lane = operands_[s];
    std::int64_t bits = 0;
    std::memcpy(&bits, row.data, static_cast<std::size_t>(st.element_size));
    if (!lane.has_splat || lane.splat_bits != bits) {
      fill_with_element(st.element_size, bits, tile_, lane.splat);
      lane.has_splat = true;
      lane.splat_bits = bits;
    }
    refer(uses, lane.splat, 0);
  }

  void strips(const lanes::State& state, std::int64_t begin, std::int64_t end) {
    const lanes::Record* first = records_.data();
    if (code_.group == Group::kFour) {
      const auto step = reinterpret_cast<lanes::Step4>(first->step);
      const lanes::F z{};
      for (std::int64_t i = begin; i < end; i += strip_) step(first, &state, i, z, z, z, z, z, z, z, z);
    } else {
      const auto step = reinterpret_cast<lanes::Step8>(first->step);
      const lanes::D z{};
      for (std::int64_t i = begin; i < end; i += strip_) step(first, &state, i, z, z, z, z, z, z, z, z);
    }
#ifdef __AVX__
    // The last step leaves the upper halves of registers in use, which g++ 12 does not expect of this function. Without
    // this, each SSE instruction of the rest of the program would wait for the previous one.
    _mm256_zeroupper();
#endif
  }

  const Nest& nest_;
  const ThreadedCode& code_;
  const std::int64_t tile_, strip_;
  const int lane_bytes_;
  const bool along_row_;  // outputs reduce a whole row to one element
  const lanes::RowReduction bare_;
  std::vector<lanes::Record> records_;
  std::vector<Lane> operands_, outputs_;
  std::vector<RowStream> rows_;
  std::optional<Folds> folds_, row_folds_;
  std::int64_t width_ = 0;
  std::int64_t columns_ = 0;  // columns that are accumulated together, in whole tiles
  std::int64_t column_offset_ = 0;
  std::int64_t flat_inner_ = 0;
  std::int64_t flat_lanes_ = 0;  // lanes of several short rows
  std::int64_t rows_since_fold_ = 0;
  std::int64_t tiles_since_fold_ = 0;
};

/// Walks the dims of a nest, and runs its rows where they are, or from panels that it copies.
class Walker : RowRunner {
 public:
  Walker(const Nest& nest, Pieces& scratch, Pieces& panels) : RowRunner(nest, scratch), panels_(panels) {}

  void run() {
    std::vector<char*> bases;
    for (const Stream& s : nest_.operands) bases.push_back(s.base);
    for (const Stream& s : nest_.outputs) bases.push_back(s.base);
    walk_kept(0, bases);
  }

 private:
  void walk_kept(std::size_t depth, Bases& bases) {
    const std::size_t count = nest_.kept.size();
    const bool inner_kept = !nest_.inner_reduced;
    const std::size_t outer = count - (inner_kept ? (nest_.reduces || count < 2 ? 1 : 2) : nest_.short_rows ? 1 : 0);
    if (depth + 1 >= count && nest_.inner_reduced && nest_.reduced.size() == 1 && is_bare(nest_.reduced[0]))
      return reduce_rows_of(count == 0 ? NestDim{1, kMaxNestDims - 1} : nest_.kept[depth], nest_.reduced[0], bases);
    if (depth < outer) {
      const NestDim& dim = nest_.kept[depth];
      for (std::int64_t k = 0; k < dim.size; ++k) {
        walk_kept(depth + 1, bases);
        advance(nest_, bases, dim.id, 1);
      }
      advance(nest_, bases, dim.id, -dim.size);
      return;
    }
    if (nest_.short_rows) {
      reduce_short_rows(nest_.kept.back(), nest_.reduced[0], bases);
    } else if (!nest_.reduces) {
      const NestDim rows = count < 2 ? NestDim{1, kMaxNestDims - 1} : nest_.kept[count - 2];
      panel(rows, nest_.kept[count - 1], bases);
    } else if (inner_kept) {
      const NestDim inner = nest_.kept.back();
      for (std::int64_t first = 0, columns = 0; first < inner.size; first += columns) {
        columns = columns_together(inner, inner.size - first);
        columns_ = round_up(columns, tile_);
        clear(columns < tile_ ? width_ : columns_);  // shorter rows may be joined (panel)
        walk_reduced(0, {columns, inner.id}, bases);
        for (std::size_t o = 0; o < nest_.outputs.size(); ++o) {
          const Stream& output = nest_.outputs[o];
          // Joined short rows leave several partial results for each column.
          folds_->finish_columns(o, columns, flat_inner_ > 0 ? flat_lanes_ : columns, bases[nest_.operands.size() + o],
                                 output.strides[inner.id] * output.element_size);
        }
        advance(nest_, bases, inner.id, columns);
      }
      advance(nest_, bases, inner.id, -inner.size);
    } else {
      clear(width_);
      walk_reduced(0, nest_.reduced.back(), bases);
      for (std::size_t o = 0; o < nest_.outputs.size(); ++o) folds_->finish_row(o, bases[nest_.operands.size() + o]);
    }
  }

  /// The number of columns that are reduced together. A bare reduction takes several times kColumns, in longer runs.
  std::int64_t columns_together(const NestDim& inner, std::int64_t remaining) const {
    if (row_folds_) return std::min(kLongestRow, remaining);
    if (!is_bare(inner) || remaining < kColumns) return std::min(kColumns, remaining);
    return std::min(width_ / kColumns, remaining / kColumns) * kColumns;
  }

  /// True if rows along a dim are reduced by one function: they are contiguous, and there are no other steps.
  bool is_bare(const NestDim& inner) const {
    return bare_.across != nullptr && nest_.operands[0].strides[inner.id] == 1;
  }

  /// Reduces each row to one element.
  void reduce_rows_of(const NestDim& rows, const NestDim& inner, const Bases& bases) const {
    const Stream &operand = nest_.operands[0], &output = nest_.outputs[0];
    const std::int64_t stride = operand.strides[rows.id] * operand.element_size,
                       step = output.strides[rows.id] * output.element_size;
    const ElementType type = code_.program.operands[0].type,
                      lane = type == ElementType::kBf16 ? ElementType::kF32 : type,
                      result = bare_.folds(inner.size, tile_) ? ElementType::kF64 : lane;
    alignas(64) std::array<char, kRowsReduced * sizeof(double)> results;
    for (std::int64_t r = 0; r < rows.size; r += kRowsReduced) {
      const std::int64_t count = std::min(kRowsReduced, rows.size - r);
      bare_.along(bases[0] + r * stride, stride, count, inner.size, results.data());
      write_cells(result, nest_.output_types[0], results.data(), count, bases[1] + r * step, step);
    }
  }

  /// Reduces short rows, as many together as scratch holds.
  void reduce_short_rows(NestDim rows, NestDim inner, Bases& bases) {
    const std::int64_t most = kFlatRow / inner.size;
    for (std::int64_t r = 0; r < rows.size; r += most) {
      const std::int64_t height = std::min(most, rows.size - r);
      clear(width_);
      staged(rows, inner, r, height, 0, inner.size, true, bases, rows_);
      for (std::size_t o = 0; o < nest_.outputs.size(); ++o) {
        const Stream& output = nest_.outputs[o];
        const std::int64_t step = output.strides[rows.id] * output.element_size;
        folds_->finish_rows(o, height, inner.size, bases[nest_.operands.size() + o] + r * step, step);
      }
    }
  }

  void walk_reduced(std::size_t depth, NestDim inner, Bases& bases) {
    const std::size_t count = nest_.reduced.size() - (nest_.inner_reduced ? 1 : 0);
    if (count == 0) return panel({1, kMaxNestDims - 1}, inner, bases);
    if (depth + 1 == count) return panel(nest_.reduced[depth], inner, bases);
    const NestDim& dim = nest_.reduced[depth];
    for (std::int64_t k = 0; k < dim.size; ++k) {
      walk_reduced(depth + 1, inner, bases);
      advance(nest_, bases, dim.id, 1);
    }
    advance(nest_, bases, dim.id, -dim.size);
  }

  /// Walks rows × inner, directly or through scratch.
  void panel(NestDim rows, NestDim inner, Bases& bases) {
    const bool short_rows = inner.size < tile_ && rows.size > 1;
    bool irregular = false;
    for (std::size_t s = 0; s < streams(); ++s) {
      const std::int64_t stride = stream(s).strides[inner.id];
      if (touches(s) && !stream(s).iota && stride != 0 && stride != 1) irregular = true;
    }
    std::vector<RowStream>& row = rows_;
    if (!short_rows && !irregular) {
      if (!along_row_ && is_bare(inner))
        return reduce_columns(bases[0], nest_.operands[0].strides[rows.id], rows.size, inner.size, columns_);
      for (std::int64_t r = 0; r < rows.size; ++r) {
        for (std::size_t s = 0; s < streams(); ++s) {
          const Stream& st = stream(s);
          row[s] = {bases[s] + r * st.strides[rows.id] * st.element_size, st.strides[inner.id], false};
        }
        run_row(row, inner.size);
      }
      return;
    }
    // Joins short rows in multiples of 16, so that the following ones also begin at a cache line.
    std::int64_t together = std::max<std::int64_t>(1, kFlatRow / inner.size);
    if (!nest_.reduces && together > 16) together -= together % 16;
    const std::int64_t height = std::min(rows.size, short_rows ? together : kPanelRows);
    const std::int64_t length = short_rows ? inner.size : kPanelColumns;
    if (short_rows) {
      flat_inner_ = nest_.reduces && !nest_.inner_reduced ? inner.size : 0;
      flat_lanes_ = height * inner.size;
    }
    std::int64_t done = 0;  // rows
    if (flat_inner_ > 0 && is_bare(inner) && nest_.operands[0].strides[rows.id] == inner.size) {
      const std::int64_t flat = height * inner.size, whole = rows.size / height;
      reduce_columns(bases[0], flat, whole, flat, width_);
      done = whole * height;
    }
    for (std::int64_t c = 0; c < inner.size; c += length) {
      const std::int64_t columns = std::min(length, inner.size - c);
      // Accumulators follow the columns within the row.
      column_offset_ = c;
      for (std::int64_t r = done; r < rows.size; r += height) {
        staged(rows, inner, r, std::min(height, rows.size - r), c, columns, short_rows, bases, row);
      }
    }
    column_offset_ = 0;
  }

  /// The stream's room for a panel. Few nests copy panels, so the memory is taken when one does.
  char* panel_of(Lane& lane) {
    if (!has_panels_) panels_.reserve(static_cast<std::int64_t>(streams()) * round_up(kPanelBytes, 64));
    has_panels_ = true;
    if (lane.stage == nullptr) lane.stage = panels_.take(kPanelBytes);
    return lane.stage;
  }

  void staged(NestDim rows, NestDim inner, std::int64_t r0, std::int64_t height, std::int64_t c0, std::int64_t columns,
              bool flat, Bases& bases, std::vector<RowStream>& row) {
    const std::size_t n = streams();
    std::vector<char>& copied = copied_;
    copied.assign(n, 0);
    for (std::size_t s = 0; s < n; ++s) {
      const Stream& st = stream(s);
      const std::int64_t across = st.strides[rows.id], along = st.strides[inner.id];
      char* from = bases[s] + (r0 * across + c0 * along) * st.element_size;
      row[s] = {from, along, false};
      if (!touches(s)) continue;
      const bool constant = across == 0 && along == 0;
      const bool dense = st.iota ? across == along * columns : along == 1 && across == columns;
      if (flat ? constant || dense || (height == 1 && (along == 1 || along == 0 || st.iota))
               : st.iota || along == 0 || along == 1) {
        continue;
      }
      copied[s] = 1;
      Lane& lane = is_output(s) ? outputs_[s - nest_.operands.size()] : operands_[s];
      row[s] = {panel_of(lane), 1, st.iota};
      if (is_output(s)) continue;
      if (st.iota) {
        auto* numbers = reinterpret_cast<std::int32_t*>(lane.stage);
        const auto first = static_cast<std::uint32_t>(reinterpret_cast<std::intptr_t>(from));
        for (std::int64_t r = 0; r < height; ++r) {
          for (std::int64_t c = 0; c < columns; ++c) {
            numbers[r * columns + c] = static_cast<std::int32_t>(first + static_cast<std::uint32_t>(r * across) +
                                                                 static_cast<std::uint32_t>(c * along));
          }
        }
      } else {
        copy_matrix(height, columns, st.element_size, from, across, along, lane.stage, columns, 1);
      }
    }
    if (flat) {
      run_row(row, height * columns);
    } else {
      for (std::int64_t r = 0; r < height; ++r) {
        run_row(row, columns);
        for (std::size_t s = 0; s < n; ++s) {
          const Stream& st = stream(s);
          row[s].data += copied[s] ? columns * (st.iota ? 4 : st.element_size) : st.strides[rows.id] * st.element_size;
        }
      }
    }
    for (std::size_t s = nest_.operands.size(); s < n; ++s) {
      if (!copied[s]) continue;
      const Stream& st = stream(s);
      const std::int64_t across = st.strides[rows.id], along = st.strides[inner.id];
      copy_matrix(height, columns, st.element_size, outputs_[s - nest_.operands.size()].stage, columns, 1,
                  bases[s] + (r0 * across + c0 * along) * st.element_size, across, along);
    }
  }

  Pieces& panels_;
  bool has_panels_ = false;
  std::vector<char> copied_;
};

}  // namespace

void run_nest(const Nest& nest) {
  thread_local Pieces scratch;
  thread_local Pieces panels;
  Walker(nest, scratch, panels).run();
}

}  // namespace mtf::kernels
