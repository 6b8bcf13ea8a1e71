// Builds a nest from sizes and strides, and divides it among threads.
#include <algorithm>
#include <bit>
#include <optional>
#include <stdexcept>

#include "kernels/fused_fold.h"
#include "kernels/fused_nest.h"
#include "support/integers.h"

namespace mtf::kernels {
namespace {

constexpr std::int64_t kParallelElements = 32768;  // the minimal share of a thread
constexpr std::int64_t kChunkElements = 65536;     // of one large reduction
constexpr std::int64_t kMaxChunks = 64;
constexpr std::int64_t kMaxChunkedCells = 2048;
constexpr std::int64_t kLeastRow = 1024;      // elements of a row that is divided into chunks
constexpr std::int64_t kShortestRow = 8;      // elements of a row that is reduced together with others
constexpr std::int64_t kLeastChange = 16384;  // elements of an array of which only changes are computed
constexpr std::int64_t kLeastSlice = 64;      // elements that one condition decides about

struct Run {
  const ThreadedCode& code;
  std::span<const std::int64_t> sizes;
  std::span<const std::size_t> walked;  ///< dims of more than one element; a stream has a stride for each
  std::span<const FusionArgument> operands;
  std::span<const FusionArgument> outputs;
  Threads& threads;
  std::uint64_t by_row = 0;  ///< bits of the dims that outputs by row reduce; 0: none
};

/// The walked dims that a reduced output reduces, as bits.
std::uint64_t reduced_dims(const FusionArgument& output, std::span<const std::size_t> walked) {
  std::uint64_t result = 0;
  for (std::size_t k = 0; k < walked.size(); ++k) {
    if (output.strides[walked[k]] == 0) result |= std::uint64_t{1} << k;
  }
  return result;
}

Stream make_stream(const Run& run, const FusionArgument& argument, ElementType type) {
  Stream stream;
  if (argument.strides.size() != run.sizes.size())
    throw std::invalid_argument("fused loop: an array needs a stride for each dim");
  stream.base = static_cast<char*>(argument.data);
  stream.element_size = static_cast<int>(size_of(type));
  stream.used = true;
  for (std::size_t k = 0; k < run.walked.size(); ++k) stream.strides[k] = argument.strides[run.walked[k]];
  return stream;
}

/// Joins neighbouring dims of one list that every stream walks as one dim.
void collapse(std::vector<NestDim>& dims, Nest& nest) {
  auto one_run = [](const Stream& s, const NestDim& outer, const NestDim& inner) {
    return !s.used || s.strides[outer.id] == s.strides[inner.id] * inner.size;
  };
  for (std::size_t k = dims.size(); k-- > 1;) {
    const NestDim outer = dims[k - 1], inner = dims[k];
    bool together = true;
    for (const Stream& s : nest.operands) together = together && one_run(s, outer, inner);
    for (const Stream& s : nest.outputs) together = together && one_run(s, outer, inner);
    if (!together) continue;
    dims[k - 1] = {outer.size * inner.size, inner.id};
    dims.erase(dims.begin() + static_cast<std::ptrdiff_t>(k));
  }
}

constexpr std::int64_t kLongEnough = 128;  // elements of a run that counts as arbitrarily long

/// A score of the contiguous reads and writes if `dim` is innermost, in bytes an element. Short rows of a stream count
/// as one run if the next row (along `across`, the enclosing dim) is adjacent. The result of a bare reduction does not
/// count, because it stays in registers.
double run_score(const Nest& nest, const NestDim& dim, const NestDim& across) {
  const bool is_bare = nest.code->is_bare_reduction();
  double score = 0;
  for (const auto* list : {&nest.operands, &nest.outputs}) {
    for (const Stream& s : *list) {
      if (!s.used || s.iota || (is_bare && list == &nest.outputs)) continue;
      const std::int64_t stride = std::abs(s.strides[dim.id]);
      const double weight = s.element_size * (list == &nest.outputs ? 2.0 : 1.0);
      const bool goes_on = stride == 1 && s.strides[across.id] == dim.size;
      const std::int64_t length = goes_on ? dim.size * across.size : dim.size;
      const double part = stride == 1 ? 1 : stride == 0 ? 0.5 : 0;
      score += part * weight * static_cast<double>(std::min(length, kLongEnough));
    }
  }
  return score;
}

std::int64_t reach(const Nest& nest, const NestDim& dim) {
  std::int64_t result = 0;
  for (const Stream& s : nest.outputs) result = std::max(result, s.used ? std::abs(s.strides[dim.id]) * 4 : 0);
  for (const Stream& s : nest.operands) result = std::max(result, s.used && !s.iota ? std::abs(s.strides[dim.id]) : 0);
  return result;
}

/// True if the reduced dim is short and contiguous, so that its rows can be joined to one row.
bool has_short_rows(const Nest& nest, const std::vector<NestDim>& kept, const std::vector<NestDim>& reduced) {
  if (kept.empty() || reduced.size() != 1 || nest.has_by_row()) return false;
  const NestDim dim = reduced[0];
  auto irregular = [&](const Stream& s) { return s.used && s.strides[dim.id] != 0 && s.strides[dim.id] != 1; };
  return dim.size >= kShortestRow && dim.size <= nest.code->tile &&
         std::none_of(nest.operands.begin(), nest.operands.end(), irregular);
}

void order_dims(Nest& nest) {
  std::vector<NestDim> kept = std::move(nest.kept), reduced = std::move(nest.reduced);
  auto outermost_first = [&](const NestDim& a, const NestDim& b) { return reach(nest, a) > reach(nest, b); };
  std::stable_sort(kept.begin(), kept.end(), outermost_first);
  std::stable_sort(reduced.begin(), reduced.end(), outermost_first);
  collapse(kept, nest);
  collapse(reduced, nest);
  nest.short_rows = has_short_rows(nest, kept, reduced);
  // The dim whose short rows Walker::panel joins along an inner dim: the last reduced dim around a dim that is kept or,
  // without reductions, the last of the other dims.
  const auto around = [&](const std::vector<NestDim>& dims, std::size_t inner) -> NestDim {
    if (!reduced.empty() && &dims == &kept) return reduced.back();
    if (!reduced.empty() || dims.size() < 2) return {1, kMaxNestDims - 1};
    return inner + 1 < dims.size() ? dims.back() : dims[dims.size() - 2];
  };
  double best = -1;
  std::vector<NestDim>* list = nullptr;
  std::size_t position = 0;
  for (auto* dims : {&kept, &reduced}) {
    if (nest.short_rows && dims == &kept) continue;
    for (std::size_t k = 0; k < dims->size(); ++k) {
      const double score = run_score(nest, (*dims)[k], around(*dims, k));
      if (score >= best) best = score, list = dims, position = k;
    }
  }
  if (list != nullptr)
    std::rotate(list->begin() + static_cast<std::ptrdiff_t>(position),
                list->begin() + static_cast<std::ptrdiff_t>(position) + 1, list->end());
  nest.inner_reduced = list == &reduced;
  nest.kept = std::move(kept);
  nest.reduced = std::move(reduced);
  if (!nest.inner_reduced && nest.kept.empty()) nest.kept.push_back({1, kMaxNestDims - 1});
}

std::int64_t product(const std::vector<NestDim>& dims) {
  std::int64_t result = 1;
  for (const NestDim& dim : dims) result *= dim.size;
  return result;
}
std::size_t largest(const std::vector<NestDim>& dims) {
  return static_cast<std::size_t>(
      std::max_element(dims.begin(), dims.end(), [](const NestDim& a, const NestDim& b) { return a.size < b.size; }) -
      dims.begin());
}

/// The part [begin, end) of a dim of one of the lists.
Nest part_of(const Nest& nest, bool reduced, std::size_t position, std::int64_t begin, std::int64_t end) {
  Nest part = nest;
  NestDim& dim = (reduced ? part.reduced : part.kept)[position];
  dim.size = end - begin;
  for (auto* list : {&part.operands, &part.outputs}) {
    for (Stream& s : *list) {
      if (s.used) s.base += begin * s.strides[dim.id] * s.element_size;
    }
  }
  return part;
}

/// The dim along which a reduction is divided, and the number of chunks. It depends on the sizes only.
struct Cut {
  std::size_t position = 0;  ///< of the reduced dims
  std::int64_t chunks = 1;
};

/// If there are few results of many elements, divides the dim that gives most chunks, without short rows. Does not
/// divide reduced rows if there are enough of them for all threads, so that memory is read in order.
Cut cut_of(const Nest& nest, std::int64_t kept, std::int64_t total) {
  Cut cut;
  const std::int64_t few = nest.inner_reduced ? kMaxChunks - 1 : kMaxChunkedCells;
  if (!nest.reduces || total < 2 * kChunkElements || kept > few) return cut;
  for (std::size_t position = 0; position < nest.reduced.size(); ++position) {
    const bool cuts_rows = nest.inner_reduced && position + 1 == nest.reduced.size();
    const std::int64_t size = nest.reduced[position].size, most = cuts_rows ? size / kLeastRow : size;
    if (most > cut.chunks) cut = {position, most};
  }
  cut.chunks = std::min({cut.chunks, kMaxChunks, total / kChunkElements});
  return cut;
}

/// Runs the chunks and joins their results in order.
void run_chunks(const Nest& nest, const Cut& cut, Threads& threads) {
  const std::size_t position = cut.position;
  const std::int64_t size = nest.reduced[position].size, wanted = cut.chunks;
  const std::int64_t step = ceil_div(size, wanted);
  const std::int64_t chunks = ceil_div(size, step);
  const std::int64_t cells = product(nest.kept);
  const std::size_t outputs = nest.outputs.size();
  std::vector<std::vector<char>> parts(outputs);
  std::vector<ElementType> types(outputs);
  Nest chunked = nest;
  for (std::size_t o = 0; o < outputs; ++o) {
    const FusionOutput& output = nest.code->program.outputs[o];
    if (output.reduction == Reduction::kStore || nest.by_row[o]) continue;
    const ElementType type = nest.output_types[o];
    types[o] = !is_float(type)                       ? type
               : output.reduction == Reduction::kSum ? ElementType::kF64
               : type == ElementType::kBf16          ? ElementType::kF32
                                                     : type;
    chunked.output_types[o] = types[o];
    parts[o].resize(static_cast<std::size_t>(chunks * cells * size_of(types[o])));
    Stream& stream = chunked.outputs[o];
    stream.element_size = static_cast<int>(size_of(types[o]));
    stream.strides.fill(0);
    std::int64_t stride = 1;
    for (std::size_t k = nest.kept.size(); k-- > 0;) {
      stream.strides[nest.kept[k].id] = stride;
      stride *= nest.kept[k].size;
    }
  }
  threads.parallel_for(chunks, 1, [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t c = first; c < last; ++c) {
      Nest part = part_of(chunked, true, position, c * step, std::min(size, (c + 1) * step));
      for (std::size_t o = 0; o < outputs; ++o) {
        if (!parts[o].empty()) part.outputs[o].base = parts[o].data() + c * cells * size_of(types[o]);
      }
      run_nest(part);
    }
  });
  for (std::size_t o = 0; o < outputs; ++o) {
    if (parts[o].empty()) continue;
    const std::int64_t bytes = size_of(types[o]);
    for (std::int64_t c = 1; c < chunks; ++c)
      join_elements(nest.code->program.outputs[o].reduction, types[o], cells, parts[o].data(),
                    parts[o].data() + c * cells * bytes);
    for (std::int64_t cell = 0; cell < cells; ++cell) {
      std::int64_t rest = cell, offset = 0;
      for (std::size_t k = nest.kept.size(); k-- > 0;) {
        offset += rest % nest.kept[k].size * nest.outputs[o].strides[nest.kept[k].id];
        rest /= nest.kept[k].size;
      }
      const std::int64_t size = nest.outputs[o].element_size;
      write_cells(types[o], nest.output_types[o], parts[o].data() + cell * bytes, 1,
                  nest.outputs[o].base + offset * size, size);
    }
  }
}

void run_divided(const Nest& nest, Threads& threads) {
  const std::int64_t kept = product(nest.kept), total = kept * product(nest.reduced);
  if (const Cut cut = cut_of(nest, kept, total); cut.chunks > 1) return run_chunks(nest, cut, threads);
  if (threads.size() == 1 || total < 2 * kParallelElements || nest.kept.empty() || nest.has_by_row())
    return run_nest(nest);
  std::size_t position = 0;  // the outermost dim with a share for every thread, else the largest
  if (nest.kept[0].size < threads.size() * 4) position = largest(nest.kept);
  const std::int64_t size = nest.kept[position].size;
  const bool inner = nest.reduces && !nest.inner_reduced && position + 1 == nest.kept.size();
  const std::int64_t unit = inner ? kColumns : 1, units = ceil_div(size, unit);
  const std::int64_t grain = std::max<std::int64_t>(1, kParallelElements / std::max<std::int64_t>(1, total / units));
  threads.parallel_for(units, grain, [&](std::int64_t begin, std::int64_t end) {
    run_nest(part_of(nest, false, position, begin * unit, std::min(size, end * unit)));
  });
}

/// True if the nest's rows can have outputs by row: each is contiguous, neither short nor long.
bool has_whole_rows(const Nest& nest) {
  if (nest.inner_reduced || nest.kept.size() != 1) return false;
  const NestDim inner = nest.kept[0];
  auto irregular = [&](const Stream& s) {
    return s.used && !s.iota && s.strides[inner.id] != 0 && s.strides[inner.id] != 1;
  };
  return inner.size >= nest.code->tile && inner.size <= kLongestRow &&
         std::none_of(nest.operands.begin(), nest.operands.end(), irregular) &&
         std::none_of(nest.outputs.begin(), nest.outputs.end(), irregular);
}

/// The one dim along which the conditions vary. Nothing if there are several or none.
std::optional<std::size_t> dim_of_conditions(const FusionProgram& conditions, const Run& run) {
  std::uint64_t dims = 0;
  auto add = [&](int value) {
    if (value < 0 || value >= static_cast<int>(conditions.operands.size())) return;
    const FusionOperand& operand = conditions.operands[static_cast<std::size_t>(value)];
    for (std::size_t dim : run.walked) {
      const bool varies = operand.kind == OperandKind::kIota ? static_cast<std::size_t>(operand.dim) == dim
                          : operand.kind == OperandKind::kArray
                              ? run.operands[static_cast<std::size_t>(value)].strides[dim] != 0
                              : false;
      if (varies) dims |= std::uint64_t{1} << dim;
    }
  };
  for (const FusionStep& step : conditions.steps)
    for (int value : {step.a, step.b, step.c}) add(value);
  for (const FusionOutput& output : conditions.outputs) add(output.value);
  if (std::popcount(dims) != 1) return {};
  return static_cast<std::size_t>(std::countr_zero(dims));
}

/// True if each output has the memory of the array that it copies where its condition does not hold.
bool keeps_what_stands_there(const Run& run) {
  for (std::size_t o = 0; o < run.outputs.size(); ++o) {
    const FusionArgument& kept =
        run.operands[static_cast<std::size_t>(run.code.step_of(run.code.program.outputs[o])->c)];
    auto same = [&](std::size_t dim) { return kept.strides[dim] == run.outputs[o].strides[dim]; };
    if (kept.data != run.outputs[o].data || !std::all_of(run.walked.begin(), run.walked.end(), same)) return false;
  }
  return true;
}

/// The part of a loop to compute: intervals of the walked dim with the index `position`.
struct Changes {
  std::size_t position = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> parts;
};

/// For a loop that overwrites the array that it otherwise keeps: finds the elements that change. (For instance, a
/// decoding step puts one position into a cache.) These are the elements at which a condition holds. Returns nothing,
/// and all is computed, if the conditions depend on several dims or if more than half of the elements change.
std::optional<Changes> changes_of(const Run& run) {
  if (!run.code.conditions) return {};
  std::int64_t total = 1;
  for (std::size_t dim : run.walked) total *= run.sizes[dim];
  if (total < kLeastChange || !keeps_what_stands_there(run)) return {};
  const std::optional<std::size_t> along = dim_of_conditions(run.code.conditions->program(), run);
  if (!along || total / run.sizes[*along] < kLeastSlice) return {};

  std::vector<std::int64_t> sizes(run.sizes.size(), 1), strides(run.sizes.size(), 0);
  const std::int64_t size = sizes[*along] = run.sizes[*along];
  strides[*along] = 1;
  std::vector<std::vector<char>> holds(run.outputs.size(), std::vector<char>(static_cast<std::size_t>(size)));
  std::vector<FusionArgument> stored;
  for (std::vector<char>& each : holds) stored.push_back(FusionArgument::array(each.data(), strides));
  run.code.conditions->run(sizes, run.operands, stored, run.threads);

  Changes changes{static_cast<std::size_t>(std::ranges::find(run.walked, *along) - run.walked.begin()), {}};
  std::int64_t changed = 0;
  for (std::int64_t k = 0; k < size; ++k) {
    if (std::ranges::none_of(holds, [&](const auto& each) { return each[static_cast<std::size_t>(k)] != 0; })) continue;
    ++changed;
    if (!changes.parts.empty() && changes.parts.back().second == k) ++changes.parts.back().second;
    else changes.parts.emplace_back(k, k + 1);
  }
  if (changed > size / 2) return {};
  return changes;
}

/// Runs a program whose reduced outputs all reduce the same dims, except those by row. Returns false, and does nothing,
/// if the outputs by row cannot be computed in this way.
bool run_uniform(const Run& run) {
  const FusionProgram& program = run.code.program;
  Nest nest;
  nest.code = &run.code;
  nest.scalars = run.operands;
  for (std::size_t v = 0; v < program.operands.size(); ++v) {
    const FusionOperand& operand = program.operands[v];
    Stream stream;
    if (operand.kind == OperandKind::kArray) {
      stream = make_stream(run, run.operands[v], operand.type);
    } else if (operand.kind == OperandKind::kIota) {
      stream.iota = stream.used = true;
      stream.element_size = 1;
      stream.base = reinterpret_cast<char*>(static_cast<std::intptr_t>(run.operands[v].integer));
      if (operand.dim < 0 || operand.dim >= static_cast<int>(run.sizes.size()))
        throw std::invalid_argument("fused loop: an iota's dim");
      for (std::size_t k = 0; k < run.walked.size(); ++k)
        stream.strides[k] = run.walked[k] == static_cast<std::size_t>(operand.dim);
    }
    nest.operands.push_back(stream);
  }
  std::array<bool, kMaxNestDims> is_reduced{};
  for (std::size_t o = 0; o < program.outputs.size(); ++o) {
    nest.outputs.push_back(make_stream(run, run.outputs[o], program.outputs[o].type));
    nest.output_types.push_back(program.outputs[o].type);
    const bool reduces = program.outputs[o].reduction != Reduction::kStore;
    nest.by_row.push_back(reduces && run.by_row != 0 && reduced_dims(run.outputs[o], run.walked) == run.by_row);
    if (!reduces || nest.by_row[o]) continue;
    nest.reduces = true;
    for (std::size_t k = 0; k < run.walked.size(); ++k)
      is_reduced[k] = is_reduced[k] || nest.outputs[o].strides[k] == 0;
  }
  std::vector<NestDim> kept, reduced;
  bool empty = false;
  for (std::size_t k = 0; k < run.walked.size(); ++k) {
    const std::int64_t size = run.sizes[run.walked[k]];
    (is_reduced[k] ? reduced : kept).push_back({size, static_cast<int>(k)});
    empty = empty || size == 0;
  }
  if (empty) {
    // There is nothing to compute. Reduced outputs get identities.
    const std::int64_t cells = product(kept);
    for (std::size_t o = 0; o < program.outputs.size(); ++o) {
      if (program.outputs[o].reduction == Reduction::kStore) continue;
      for (std::int64_t cell = 0; cell < cells; ++cell) {
        std::int64_t rest = cell, offset = 0;
        for (const NestDim& dim : kept) {
          offset += rest % dim.size * nest.outputs[o].strides[dim.id];
          rest /= dim.size;
        }
        write_identity(program.outputs[o].reduction, nest.output_types[o],
                       nest.outputs[o].base + offset * nest.outputs[o].element_size);
      }
    }
    return true;
  }
  nest.kept = std::move(kept);
  nest.reduced = std::move(reduced);
  if (const std::optional<Changes> changes = changes_of(run)) {
    for (const auto& [first, last] : changes->parts) {
      Nest part = part_of(nest, false, changes->position, first, last);
      order_dims(part);
      run_divided(part, run.threads);
    }
    return true;
  }
  order_dims(nest);
  if (run.by_row != 0 && !has_whole_rows(nest)) return false;
  run_divided(nest, run.threads);
  return true;
}

}  // namespace

void ThreadedCode::run(std::span<const std::int64_t> sizes, std::span<const FusionArgument> operands,
                       std::span<const FusionArgument> outputs, Threads& threads) const {
  std::vector<std::size_t> walked;
  for (std::size_t d = 0; d < sizes.size(); ++d) {
    if (sizes[d] != 1) walked.push_back(d);
  }
  if (walked.size() >= kMaxNestDims) throw std::invalid_argument("fused loop: too many dims");
  if (operands.size() != program.operands.size() || outputs.size() != program.outputs.size()) {
    throw std::invalid_argument("fused loop: one argument for each operand and output");
  }
  std::vector<std::uint64_t> patterns(outputs.size());
  std::vector<std::uint64_t> distinct;
  for (std::size_t o = 0; o < outputs.size(); ++o) {
    if (program.outputs[o].reduction == Reduction::kStore) continue;
    if (outputs[o].strides.size() != sizes.size()) throw std::invalid_argument("fused loop: an output's strides");
    patterns[o] = reduced_dims(outputs[o], walked);
    if (std::find(distinct.begin(), distinct.end(), patterns[o]) == distinct.end()) distinct.push_back(patterns[o]);
  }
  Run run{*this, sizes, walked, operands, outputs, threads};
  if (distinct.size() < 2) {
    run_uniform(run);
    return;
  }
  // Sums over the rows and over the columns of one matrix take one pass.
  const bool empty = std::find(sizes.begin(), sizes.end(), 0) != sizes.end();
  const std::uint64_t all = (std::uint64_t{1} << walked.size()) - 1;
  if (distinct.size() == 2 && !empty && distinct[0] == (all & ~distinct[1])) {
    for (std::uint64_t by_row : distinct) {
      run.by_row = by_row;
      if (by_row != 0 && by_row != all && run_uniform(run)) return;
    }
  }
  // Other outputs that reduce different dims take one pass each. Stores, which may be in place, are in the last pass.
  for (std::uint64_t pattern : distinct) {
    FusionProgram part = program;
    part.outputs.clear();
    std::vector<FusionArgument> part_outputs;
    for (std::size_t o = 0; o < outputs.size(); ++o) {
      const bool store = program.outputs[o].reduction == Reduction::kStore;
      if (store ? pattern != distinct.back() : patterns[o] != pattern) continue;
      part.outputs.push_back(program.outputs[o]);
      part_outputs.push_back(outputs[o]);
    }
    compile(std::move(part)).run(sizes, operands, part_outputs, threads);
  }
}

}  // namespace mtf::kernels
