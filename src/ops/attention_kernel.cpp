// Attention on blocks with any order of dims. The batch positions are computed as matrices, one after the other.
//
// The operands' blocks may hold different intervals of the memory. The kernel uses the positions that all of them hold.
// If there is a window, these are the positions that the block's queries can see.
//
// Mirrored queries are computed chunk by chunk, each with the positions that its queries see.
//
// Batch positions that share keys and values (heads that k and v lack) form one task. The task lays out keys and values
// for tiles once, and adds their gradients in a fixed order. If few batch positions have keys and values of their own,
// the backward pass divides their queries into several tasks, and adds the tasks' gradients in a fixed order
// afterwards. The number of tasks depends on the shapes alone, so no bit depends on the number of threads.
#include <array>
#include <memory>

#include "kernels/kernel_table.h"
#include "ops/attention.h"
#include "ops/blocks.h"
#include "support/integers.h"

namespace mtf::ops {
namespace {

/// kDraw has no memory. It numbers the scores' elements in the gathered tensor.
enum Part : size_t {
  kQ,
  kK,
  kV,
  kBias,
  kMask,
  kSegment,
  kSegments,
  kOut,
  kLogSum,
  kDelta,
  kDOut,
  kDQ,
  kDK,
  kDV,
  kDraw,
  kParts
};

kernels::Drop drop_of(std::span<const kernels::Block> numbers) {
  const auto number = [&](size_t k) { return *numbers[k].as<double>(); };
  return {{static_cast<uint64_t>(static_cast<int64_t>(number(0))), static_cast<uint64_t>(number(1))}, number(2)};
}

class AttentionBlocks {
 public:
  AttentionBlocks(graph::KernelCall& call, bool backward) : call_(call), parts_(call.operation), backward_(backward) {
    const std::vector<kernels::BlockDim>& q = call.operands[0].dims;
    for (const kernels::BlockDim& dim : q) sizes_.push_back(dim.size);
    length_ = parts_.length_position, features_ = parts_.features_position, memory_ = static_cast<int64_t>(q.size()),
    values_ = memory_ + 1;
    std::vector<int64_t> of_q(q.size()), of_out, of_rows;
    for (size_t d = 0; d < q.size(); ++d) {
      of_q[d] = static_cast<int64_t>(d);
      of_out.push_back(of_q[d] == features_ ? values_ : of_q[d]);
      if (of_q[d] != features_) of_rows.push_back(of_q[d]);
    }
    sizes_.resize(q.size() + 2);
    held_ = {0, parts_.memory.size};
    set(kQ, call.operands[0], of_q);
    const std::vector<int64_t> of_k = labels_of(1), of_v = labels_of(2);
    set(kK, call.operands[1], of_k);
    set(kV, call.operands[2], of_v);
    size_t next = 3;
    if (parts_.bias) set(kBias, call.operands[next], labels_of(next)), ++next;
    if (parts_.mask) set(kMask, call.operands[next], labels_of(next)), ++next;
    if (parts_.segments)
      for (const Part part : {kSegment, kSegments}) set(part, call.operands[next], labels_of(next)), ++next;
    if (parts_.offset) ++next;
    if (parts_.drops) next += 3;
    if (backward) {
      set(kLogSum, call.operands[next], of_rows);
      set(kDelta, call.operands[next + 1], of_rows);
      set(kDOut, call.operands[next + 2], of_out);
      set(kDQ, call.results[0], of_q);
      set(kDK, call.results[1], of_k);
      set(kDV, call.results[2], of_v);
    } else {
      set(kOut, call.results[0], of_out);
      set(kLogSum, call.results[1], of_rows);
    }
    held_.last = std::max(held_.first, held_.last);
    sizes_[memory_] = held_.size();
    if (parts_.drops) number_draws(q);
    find_chunks(q[length_]);
    for (int64_t label = 0; label < memory_; ++label) {
      if (label == length_ || label == features_) continue;
      std::array<int64_t, kParts> strides;
      for (size_t part = 0; part < kParts; ++part) strides[part] = stride(part, label);
      if (parts_.drops) strides[kDraw] = strides_[kDraw][label];
      const bool shared = std::find(of_k.begin(), of_k.end(), label) != of_k.end();
      (shared ? memories_ : queries_).add(sizes_[label], strides);
    }
  }

  void run() {
    count_flops();
    if (backward_) run_backward();
    else
      for (const Chunk& chunk : chunks_) run_forward(chunk);
  }

 private:
  using Positions = Walk<kParts>;

  /// The label of a dim is its index in q. The memory has the next label, and the dim of values the one after.
  std::vector<int64_t> labels_of(size_t operand) const {
    std::vector<int64_t> labels;
    for (const Dim& dim : call_.operation.operands[operand].dims)
      labels.push_back(dim.name == parts_.over ? memory_
                       : operand == 2 && dim.name == parts_.values
                           ? values_
                           : find_dim(call_.operation.operands[0].dims, dim.name));
    return labels;
  }
  void set(size_t part, const kernels::Block& block, std::span<const int64_t> labels) {
    blocks_[part] = &block;
    strides_[part].assign(sizes_.size(), 0);
    for (size_t d = 0; d < labels.size(); ++d) {
      const kernels::BlockDim& dim = block.dims[d];
      strides_[part][labels[d]] = dim.stride;
      sizes_[labels[d]] = dim.size;
      if (labels[d] == memory_) {
        firsts_[part] = dim.first;
        held_ = {std::max(held_.first, dim.first), std::min(held_.last, dim.first + dim.size)};
      }
    }
  }
  /// Queries of the block that have consecutive positions, from `first` on.
  struct Chunk {
    int64_t row, rows, first;
  };
  void find_chunks(const kernels::BlockDim& along) {
    if (!parts_.mirrored || along.size == 0) {
      chunks_.push_back({0, along.size, along.first});
      return;
    }
    const Mirrors mirrors = mirrors_of(call_.operation);
    for (int64_t row = 0; row < along.size;) {
      const int64_t place = along.first + row, rows = std::min(along.size - row, mirrors.size - place % mirrors.size);
      chunks_.push_back({row, rows, place + mirrors.shift(place)});
      row += rows;
    }
  }
  /// The strides of the scores as a gathered row-major tensor, and the number of this block's first element.
  void number_draws(const std::vector<kernels::BlockDim>& q) {
    strides_[kDraw].assign(sizes_.size(), 0);
    int64_t step = parts_.memory.size;
    first_draw_ = held_.first;
    for (int64_t label = memory_; label-- > 0;) {
      if (label == features_) continue;
      strides_[kDraw][label] = step;
      if (label != length_) first_draw_ += q[label].first * step;
      step *= q[label].whole;
    }
  }
  int64_t stride(size_t part, int64_t label) const { return blocks_[part] && label >= 0 ? strides_[part][label] : 0; }

  /// The address and strides of a part at one batch position. `column` -1: the part has one column only.
  kernels::StridedMatrix position(size_t part, int64_t row, int64_t column, const Positions& memory,
                                  const Positions& queries, int64_t first_row = 0) const {
    if (!blocks_[part]) return {};
    const kernels::Block& block = *blocks_[part];
    const int64_t offset = memory.offset(static_cast<int>(part)) + queries.offset(static_cast<int>(part)) +
                           (held_.first - firsts_[part]) * strides_[part][memory_] +
                           first_row * strides_[part][length_];
    char* const data = block.as<char>() + offset * size_of(block.element);
    return {block.element, data, stride(part, row), stride(part, column)};
  }

  kernels::AttentionQueries queries(const Chunk& chunk, const Positions& memory, const Positions& at) const {
    kernels::AttentionQueries made;
    made.q = position(kQ, length_, features_, memory, at, chunk.row);
    made.out = position(kOut, length_, values_, memory, at, chunk.row);
    made.log_sum = position(kLogSum, length_, -1, memory, at, chunk.row);
    made.bias = position(kBias, length_, memory_, memory, at, chunk.row);
    made.mask = position(kMask, length_, memory_, memory, at, chunk.row);
    made.segment = position(kSegment, length_, -1, memory, at, chunk.row);
    made.segments = position(kSegments, -1, memory_, memory, at);
    made.d_out = position(kDOut, length_, values_, memory, at, chunk.row);
    made.delta = position(kDelta, length_, -1, memory, at, chunk.row);
    made.d_q = position(kDQ, length_, features_, memory, at, chunk.row);
    made.first_draw = static_cast<uint64_t>(first_draw_ + memory.offset(kDraw) + at.offset(kDraw) +
                                            (parts_.drops ? chunk.first * strides_[kDraw][length_] : 0));
    return made;
  }

  kernels::AttentionRule rule(const Chunk& chunk) const {
    kernels::AttentionRule rule{.queries = chunk.rows,
                                .memory = sizes_[memory_],
                                .features = sizes_[features_],
                                .values = sizes_[values_],
                                .first_query = chunk.first,
                                .first_key = held_.first,
                                .scale = call_.inputs[0],
                                .sight = {},
                                .bf16_product = parts_.bf16_product,
                                .drop = {}};
    const double offset = parts_.offset ? *call_.operands[parts_.position_of_offset()].as<double>() : 0;
    rule.sight = {parts_.causal, parts_.windowed ? static_cast<int64_t>(call_.inputs[1]) : 0,
                  chunk.first + static_cast<int64_t>(offset) - held_.first};
    if (parts_.drops) rule.drop = {drop_of(call_.operands.subspan(parts_.first_of_drop())), strides_[kDraw][length_]};
    return rule;
  }

  std::unique_ptr<kernels::Attention> make_attention(const Chunk& chunk) const {
    const bool wide = call_.operands[0].element == ElementType::kF64;
    return kernels::table().attention(wide ? ElementType::kF64 : ElementType::kF32, rule(chunk));
  }

  std::vector<std::unique_ptr<kernels::Attention>> make_attentions() const {
    std::vector<std::unique_ptr<kernels::Attention>> made;
    for (const Chunk& chunk : chunks_) made.push_back(make_attention(chunk));
    return made;
  }

  /// The tiles of queries that share keys and values.
  int64_t units(const Chunk& chunk) const { return queries_.count() * tiles(chunk); }
  int64_t tiles(const Chunk& chunk) const { return kernels::Attention::query_tiles(rule(chunk)); }

  /// Computes the unit of the chunk with this index, for the keys and values at `memory`.
  void unit(kernels::Attention& attention, const Chunk& chunk, const Positions& memory, Positions& at,
            int64_t index) const {
    if (call_.progress) call_.progress();
    at.seek(index / tiles(chunk));
    const int64_t tile = index % tiles(chunk);
    if (backward_) attention.backward(queries(chunk, memory, at), tile);
    else attention.forward(queries(chunk, memory, at), tile);
  }

  void load(kernels::Attention& attention, const Positions& memory) const {
    attention.load(position(kK, memory_, features_, memory, queries_), position(kV, memory_, values_, memory, queries_),
                   backward_);
  }

  /// Each task is one unit.
  void run_forward(const Chunk& chunk) {
    const int64_t all = units(chunk);
    call_.threads.parallel_for(memories_.count() * all, 1, [&](int64_t begin, int64_t end) {
      const std::unique_ptr<kernels::Attention> attention = make_attention(chunk);
      Positions memory = memories_, at = queries_;
      int64_t loaded = -1;
      for (int64_t task = begin; task < end; ++task) {
        if (const int64_t wanted = task / all; wanted != loaded) {
          memory.seek(wanted);
          load(*attention, memory);
          loaded = wanted;
        }
        unit(*attention, chunk, memory, at, task % all);
      }
    });
  }

  /// Computes one of `parts` parts of the units of every chunk, for the keys and values at `memory`. Each chunk has an
  /// attention of its own.
  void run_part(std::span<const std::unique_ptr<kernels::Attention>> attentions, const Positions& memory, Positions& at,
                int64_t part, int64_t parts) const {
    for (size_t c = 0; c < chunks_.size(); ++c) {
      const int64_t all = units(chunks_[c]);
      load(*attentions[c], memory);
      for (int64_t index = all * part / parts; index < all * (part + 1) / parts; ++index)
        unit(*attentions[c], chunks_[c], memory, at, index);
    }
  }

  /// Each task holds some of the units that share keys and values, so that there are kTasks tasks or more.
  void run_backward() {
    constexpr int64_t kTasks = 8;
    if (memories_.count() == 0) return;
    const int64_t most = std::max<int64_t>(1, units(chunks_.front()));
    const int64_t parts = std::clamp(ceil_div(kTasks, memories_.count()), int64_t{1}, most);
    std::vector<kernels::AttentionGradients> done(parts > 1 ? memories_.count() * parts
                                                            : 0);  // until they are added up
    const std::unique_ptr<kernels::Attention> adder = make_attention(chunks_.front());
    const auto store = [&](const Positions& memory, const kernels::AttentionGradients& sums) {
      adder->store(sums, position(kDK, memory_, features_, memory, queries_),
                   position(kDV, memory_, values_, memory, queries_));
    };
    call_.threads.parallel_for(memories_.count() * parts, 1, [&](int64_t begin, int64_t end) {
      const std::vector<std::unique_ptr<kernels::Attention>> attentions = make_attentions();
      Positions memory = memories_, at = queries_;
      for (int64_t task = begin; task < end; ++task) {
        memory.seek(task / parts);
        run_part(attentions, memory, at, task % parts, parts);
        if (parts == 1 && attentions.size() == 1) {
          store(memory, attentions[0]->gradients());
          continue;
        }
        kernels::AttentionGradients sums = attentions[0]->take_gradients();
        for (size_t c = 1; c < attentions.size(); ++c) adder->add(attentions[c]->gradients(), sums);
        if (parts == 1) store(memory, sums);
        else done[task] = std::move(sums);
      }
    });
    Positions memory = memories_;
    for (int64_t m = 0; parts > 1 && m < memories_.count(); ++m) {
      for (int64_t part = 1; part < parts; ++part) adder->add(done[m * parts + part], done[m * parts]);
      memory.seek(m);
      store(memory, done[m * parts]);
    }
  }

  /// The rows of the comparison of segments: the positions in their dims, apart from the memory.
  int64_t compared_rows() const {
    int64_t rows = parts_.segments ? 1 : 0;
    for (int64_t label = 0; parts_.segments && label < memory_; ++label)
      if (has_label(parts_.position_of_mask(), label) || has_label(parts_.position_of_mask() + 1, label))
        rows *= sizes_[label];
    return rows;
  }
  bool has_label(size_t operand, int64_t label) const {
    const std::vector<int64_t> labels = labels_of(operand);
    return std::find(labels.begin(), labels.end(), label) != labels.end();
  }

  /// Counts the flops of the expansion in attention_graph.cpp.
  void count_flops() {
    const int64_t rows = memories_.count() * queries_.count() * sizes_[length_];
    const int64_t seen =
        parts_.windowed ? counted_positions(parts_, call_.inputs[1], parts_.memory.size) : sizes_[memory_];
    const int64_t scores = rows * seen;
    const int64_t d = sizes_[features_], values = sizes_[values_];
    const int64_t changes =
        (parts_.bias ? 1 : 0) + (parts_.mask || parts_.segments ? 1 : 0) + (parts_.by_position() ? 1 : 0);
    call_.flops += rows * d + scores * (2 * d + changes) + compared_rows() * seen;
    const int64_t drops = parts_.drops ? 1 : 0;
    if (backward_) call_.flops += scores * (4 + 2 * drops + 4 * values + 4 * d) + rows * d;
    else call_.flops += scores * (4 + drops + 2 * values) + rows * (values + 4);
  }

  graph::KernelCall& call_;
  const AttentionParts parts_;
  const bool backward_;
  int64_t length_ = 0, features_ = 0, memory_ = 0, values_ = 0;  ///< labels
  std::vector<int64_t> sizes_;                                   ///< of each label
  std::array<const kernels::Block*, kParts> blocks_{};
  std::array<std::vector<int64_t>, kParts> strides_;
  std::array<int64_t, kParts> firsts_{};  ///< for each part: its first memory position
  Interval held_;                         ///< memory positions that all parts hold
  int64_t first_draw_ = 0;                ///< of the first query at position 0
  std::vector<Chunk> chunks_;
  Positions memories_;  ///< batch positions with keys and values of their own
  Positions queries_;   ///< batch positions that share them
};

}  // namespace

int64_t counted_positions(const AttentionParts& parts, double window, int64_t memory) {
  if (!parts.windowed) return memory;
  return std::min(memory,
                  static_cast<int64_t>(std::min(window, 0x1p40)) * (parts.causal ? 1 : 2) - (parts.causal ? 0 : 1));
}

void attention_kernel(graph::KernelCall& call) { AttentionBlocks(call, false).run(); }

void attention_gradient_kernel(graph::KernelCall& call) { AttentionBlocks(call, true).run(); }

void attention_kept_kernel(graph::KernelCall& call) {
  const kernels::Block& to = call.results[0];
  const kernels::Drop drop = drop_of(call.operands);
  const kernels::BlockDim& row = to.dims.back();
  Walk<2> rows;  // through the numbering of the gathered tensor, and through the block
  std::vector<int64_t> steps(to.dims.size(), 1);
  uint64_t first = static_cast<uint64_t>(row.first);
  for (size_t d = to.dims.size() - 1; d-- > 0;) {
    steps[d] = steps[d + 1] * to.dims[d + 1].whole;
    first += static_cast<uint64_t>(to.dims[d].first * steps[d]);
  }
  for (size_t d = 0; d + 1 < to.dims.size(); ++d) rows.add(to.dims[d].size, {steps[d], to.dims[d].stride});
  const auto run = [&]<class T>(T) {
    for_each_position(call.threads, rows, row.size, [&](const Walk<2>& at) {
      std::vector<T> kept(static_cast<size_t>(row.size));
      kernels::table().fill_kept(kElementOf<T>, drop, first + static_cast<uint64_t>(at.offset(0)), row.size,
                                 kept.data());
      for (int64_t j = 0; j < row.size; ++j) to.as<T>()[at.offset(1) + j * row.stride] = kept[static_cast<size_t>(j)];
    });
  };
  if (to.element == ElementType::kF64) run(double{});
  else run(float{});
}

}  // namespace mtf::ops
