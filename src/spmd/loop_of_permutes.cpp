#include "spmd/loop_of_permutes.h"

#include <algorithm>
#include <array>
#include <string>

#include "graph/op.h"
#include "ops/contract.h"
#include "ops/index.h"
#include "ops/interval.h"
#include "ops/loop.h"
#include "ops/ops.h"

namespace mtf::spmd {
namespace {

using graph::Value;
using graph::Values;

/// The value that moves.
enum class Moves : uint8_t { kOperand, kSum };

/// The division of a product. The dim `cut`, of an operand and of either the result or the other operand, has one
/// block for each processor along some axes. The dim `along`, which these axes split, has one part for each.
struct Cut {
  Moves moves = Moves::kOperand;
  size_t operand = 0;  ///< the operand that has the dim `cut`
  Dim cut, along;
  AxisList axes;
  int64_t blocks = 1;
  std::vector<Sharding> operands;  ///< their shardings while the loop runs
  Sharding result;                 ///< the result's sharding while the loop runs
};

/// Returns the axes of a list after `first`, if the list begins with `first`.
std::optional<AxisList> behind(const AxisList& list, const AxisList& first) {
  if (first.size() > list.size() || !std::equal(first.begin(), first.end(), list.begin())) return std::nullopt;
  return list.without(first.set());
}

/// A program under construction.
class Loop {
 public:
  Loop(const graph::LaidOutOperation& product, const Cut& cut, ops::Builder& builder)
      : product_(product), cut_(cut), builder_(builder) {
    builder.context.no_grad = true;
    NewDims dims(product);
    parts_ = dims.named_like(cut.along, cut.blocks), indices_ = dims.named_like(cut.along, cut.along.size / cut.blocks);
    round_ = dims.named_like(cut.cut, cut.blocks), own_ = dims.named_like(cut.cut, cut.blocks);
    inner_ = dims.named_like(cut.cut, cut.cut.size / cut.blocks),
    iterations_ = dims.named_like(cut.cut, cut.blocks - 1);
    is_summed_ = !has_dim(product.results[0].dims, cut.cut.name);
    if (type_.element == ElementType::kBf16 && adds_up()) type_.element = ElementType::kF32;
    type_.dims = cut_up(product.results[0].dims, moves_sum() ? round_ : own_);
  }

  Value add(const Values& operands) {
    const Value one = in_parts(operands[cut_.operand], cut_.operands[cut_.operand], moves_sum() ? own_ : round_);
    const Value other = in_parts(operands[1 - cut_.operand], cut_.operands[1 - cut_.operand], own_);
    const Value sum = moves_sum() ? add_loop_of_sums(one, other) : add_loop_of_blocks(one, other);
    return builder_.reshape(builder_.cast(sum, product_.results[0].element), product_.results[0].dims);
  }

 private:
  bool moves_sum() const { return cut_.moves == Moves::kSum; }
  bool adds_up() const { return moves_sum() || is_summed_; }

  /// Returns dims of the product with `along` in parts. The dim `cut` is either in `blocks` or, without them, one
  /// block.
  Dims cut_up(const Dims& dims, const std::optional<Dim>& blocks) const {
    Dims cut;
    for (const Dim& dim : dims) {
      if (dim.name == cut_.along.name) cut.push_back(parts_), cut.push_back(indices_);
      else if (dim.name != cut_.cut.name) cut.push_back(dim);
      else if (cut.push_back(inner_); blocks) cut.insert(cut.end() - 1, *blocks);
    }
    return cut;
  }
  Sharding cut_up(const Dims& dims, const Sharding& lies, const Dim& blocks) const {
    Sharding cut;
    for (size_t d = 0; d < dims.size(); ++d) {
      AxisList first;
      if (dims[d].name == cut_.along.name || (dims[d].name == cut_.cut.name && blocks.name == round_.name))
        first = cut_.axes;
      if (dims[d].name == cut_.along.name || dims[d].name == cut_.cut.name) cut.dims.push_back(first);
      cut.dims.push_back(lies.dims[d].without(first.set()));
    }
    return cut;
  }
  Value in_parts(const Value& operand, const Sharding& lies, const Dim& blocks) {
    return builder_.laid_out(builder_.reshape(operand, cut_up(operand.dims(), blocks)),
                             {cut_up(operand.dims(), lies, blocks), 0, product_.mesh});
  }

  static Value leaf(ops::Builder& inside, const Value& like) {
    return inside.constant(like.type(), {like.sharding(), like.inherited(), like.mesh()});
  }
  Value number_leaf(ops::Builder& inside) const {
    return inside.constant({ElementType::kI32, {}}, {replicated(0), 0, product_.mesh});
  }

  Value add_loop_of_blocks(const Value& moving, const Value& other) {
    const Value start = builder_.zeros(type_, {cut_up(product_.results[0].dims, cut_.result, own_), 0, product_.mesh});
    ops::Builder iteration = inside_of(builder_);
    ops::IterationGraph loop;
    loop.first_node = graph::new_node_id();
    loop.carried = {leaf(iteration, start), leaf(iteration, moving)};
    loop.placed = {number_leaf(iteration)};
    loop.next = {with_block(iteration, loop.carried[0], loop.carried[1], other, loop.placed[0]),
                 ops::shift(iteration, loop.carried[1], find_dim(moving.dims(), round_.name), -1, true)};
    const Values last =
        add_scan(builder_, {.over = iterations_}, loop, {start, moving}, {builder_.range(iterations_)}).carried;
    return with_block(builder_, last[0], last[1], other,
                      builder_.operand(static_cast<double>(iterations_.size), ElementType::kI32));
  }
  /// Returns the sum after one iteration adds the product of its block.
  Value with_block(ops::Builder& builder, const Value& sum, const Value& block, const Value& other,
                   const Value& iteration) const {
    const Value which = block_of(builder, builder.map(ops::kAdd, builder.range(parts_), iteration));
    const Value mine = builder.rename_where_it_lies(block, with(block.dims(), round_, parts_));
    const Value its =
        has_dim(other.dims(), own_.name) ? ops::gather(builder, other, which, own_, other.element()) : other;
    const Value product = multiply(builder, mine, its, cut_up(product_.results[0].dims, std::nullopt));
    if (is_summed_) return builder.laid_like(builder.map(ops::kAdd, sum, product), sum);
    const ops::PositionAttributes at{own_, find_dim(sum.dims(), own_.name)};
    return builder.laid_like(builder.add(ops::kAddAtEach, {sum, product, which}, at), sum);
  }

  Value add_loop_of_sums(const Value& all, const Value& other) {
    const Value start = part_of_sum(builder_, all, other, builder_.operand(0, ElementType::kI32));
    ops::Builder iteration = inside_of(builder_);
    ops::IterationGraph loop;
    loop.first_node = graph::new_node_id();
    loop.carried = {leaf(iteration, start)};
    loop.placed = {number_leaf(iteration)};
    const Value number = iteration.map(ops::kAdd, loop.placed[0], 1);
    const Value sum = ops::shift(iteration, loop.carried[0], find_dim(type_.dims, round_.name), 1, true);
    loop.next = {iteration.laid_like(iteration.map(ops::kAdd, sum, part_of_sum(iteration, all, other, number)),
                                     loop.carried[0])};
    return add_scan(builder_, {.over = iterations_}, loop, {start}, {builder_.range(iterations_)}).carried[0];
  }
  /// Returns each processor's contribution, in an iteration, to its present block.
  Value part_of_sum(ops::Builder& builder, const Value& all, const Value& other, const Value& iteration) const {
    const auto last = static_cast<double>(cut_.blocks - 1);
    const Value which =
        block_of(builder, builder.map(ops::kSub, builder.map(ops::kAdd, builder.range(parts_), last), iteration));
    const Value mine = ops::gather(builder, all, which, own_, all.element());
    const Value product = multiply(builder, mine, other, cut_up(product_.results[0].dims, parts_));
    return builder.rename_where_it_lies(product, type_.dims);
  }

  Value block_of(ops::Builder& builder, const Value& number) const {
    return builder.map(ops::kMod, number, static_cast<double>(cut_.blocks));
  }
  static Dims with(Dims dims, const Dim& was, const Dim& now) {
    dims[static_cast<size_t>(find_dim(dims, was.name))] = now;
    return dims;
  }
  Value multiply(ops::Builder& builder, const Value& one, const Value& other, const Dims& result) const {
    auto attributes = product_.attributes.get<ops::EinsumAttributes>();
    if (type_.element != product_.results[0].element) attributes.product = ops::Product::kWide;
    attributes.result = names_of(result);
    Values operands{one, other};
    if (cut_.operand == 1) std::swap(operands[0], operands[1]);
    return builder.add(ops::kEinsum, std::move(operands), std::move(attributes));
  }

  const graph::LaidOutOperation& product_;
  const Cut& cut_;
  ops::Builder& builder_;
  Dim parts_, indices_;      ///< of `along`
  Dim round_, own_, inner_;  ///< for the dim `cut`: blocks that move, blocks that stay, elements of a block
  Dim iterations_;
  bool is_summed_ = false;                 ///< the result lacks the dim `cut`
  TensorType type_ = product_.results[0];  ///< the sum, in blocks
};

/// Finds the possible divisions of a product.
class Finder {
 public:
  Finder(const graph::LaidOutOperation& product, const std::vector<ExpandedOperand>& operands,
         const LocalProgram& whole, int64_t most_whole)
      : product_(product), operands_(operands), most_whole_(most_whole) {
    const auto compute = std::find_if(whole.instructions.begin(), whole.instructions.end(),
                                      [](const Instruction& one) { return one.kind == InstructionKind::kCompute; });
    if (compute == whole.instructions.end() || compute->operands.size() != 2 || compute->results.size() != 1) return;
    values_ = {&whole.values[compute->operands[0]], &whole.values[compute->operands[1]]};
    result_ = &whole.values[compute->results[0]];
  }

  /// Returns the division that saves most.
  std::optional<Cut> find() const {
    if (!result_) return std::nullopt;
    std::optional<Cut> best;
    int64_t most = most_whole_;
    for (size_t k = 0; k < 2; ++k)
      if (largest_bytes(*values_[k]) > most)
        if (std::optional<Cut> cut = cut_of_operand(k)) best = std::move(cut), most = largest_bytes(*values_[k]);
    if (largest_bytes(*result_) > most)
      if (std::optional<Cut> cut = cut_of_sum()) best = std::move(cut);
    return best;
  }

 private:
  const Dims& dims(size_t operand) const { return product_.operands[operand].dims; }
  const Dims& result_dims() const { return product_.results[0].dims; }
  bool divides(const AxisList& axes, const Dim& dim) const {
    return dim.size % product_.mesh->group_size(axes.set()) == 0;
  }
  /// True if the axes are the first ones that split this dim.
  static bool split(const Sharding& lies, const Dims& dims, const Dim& dim, const AxisList& axes) {
    const int at = find_dim(dims, dim.name);
    return at >= 0 && behind(lies.dims[static_cast<size_t>(at)], axes);
  }
  Cut cut(Moves moves, size_t operand, const Dim& cut, const Dim& along, const AxisList& axes) const {
    return {moves,
            operand,
            cut,
            along,
            axes,
            product_.mesh->group_size(axes.set()),
            {values_[0]->sharding(), values_[1]->sharding()},
            result_->sharding()};
  }

  std::optional<Cut> cut_of_operand(size_t k) const {
    const size_t other = 1 - k;
    if (result_->partial) return std::nullopt;
    for (size_t d = 0; d < dims(k).size(); ++d) {
      const AxisList& axes = operands_[k].sharding.dims[d];
      const bool is_gathered = !(values_[k]->sharding().split() & axes.set());
      if (product_.mesh->group_size(axes.set()) == 1 || !is_gathered || !divides(axes, dims(k)[d])) continue;
      for (const Dim& along : dims(other)) {
        if (has_dim(dims(k), along.name) || !divides(axes, along) ||
            !split(values_[other]->sharding(), dims(other), along, axes) ||
            !split(result_->sharding(), result_dims(), along, axes))
          continue;
        Cut found = cut(Moves::kOperand, k, dims(k)[d], along, axes);
        // If the other operand is also gathered along this dim, each iteration fetches only the part that it needs.
        if (const int same = find_dim(dims(other), dims(k)[d].name);
            same >= 0 && largest_bytes(*values_[other]) > most_whole_) {
          // An axis splits one dim at a time: the dim `along` while the loop runs.
          const auto at = static_cast<size_t>(same);
          Sharding& lies = found.operands[other];
          lies.dims[at] = {};
          const AxisList& stored = operands_[other].sharding.dims[at];
          lies.dims[at] = stored.set() & lies.split() ? values_[other]->sharding().dims[at] : stored;
        }
        return found;
      }
    }
    return std::nullopt;
  }

  std::optional<Cut> cut_of_sum() const {
    for (size_t d = 0; d < result_dims().size(); ++d) {
      const Dim& dim = result_dims()[d];
      const AxisList& axes = product_.shardings[0].dims[d];
      if (axes.set() != result_->partial || product_.mesh->group_size(axes.set()) == 1 || !divides(axes, dim) ||
          !result_->sharding().dims[d].empty() || has_dim(dims(0), dim.name) == has_dim(dims(1), dim.name))
        continue;
      for (const Dim& along : dims(0)) {
        if (has_dim(result_dims(), along.name) || !divides(axes, along) ||
            !split(values_[0]->sharding(), dims(0), along, axes) ||
            !split(values_[1]->sharding(), dims(1), along, axes))
          continue;
        Cut found = cut(Moves::kSum, has_dim(dims(0), dim.name) ? 0 : 1, dim, along, axes);
        found.result = product_.shardings[0];
        return found;
      }
    }
    return std::nullopt;
  }

  const graph::LaidOutOperation& product_;
  const std::vector<ExpandedOperand>& operands_;
  const int64_t most_whole_;
  std::array<const LocalValue*, 2> values_{};  ///< in the shardings in which the product reads them
  const LocalValue* result_ = nullptr;         ///< in the sharding in which the product makes it
};

}  // namespace

std::optional<graph::Program> loop_of_permutes(const graph::OperationRef& product,
                                               const std::vector<ExpandedOperand>& operands,
                                               const LoweringOptions& options) {
  const LocalProgram whole = split_alone(product, operands, options);
  const std::optional<Cut> cut = Finder(*product, operands, whole, options.most_whole).find();
  if (!cut) return std::nullopt;
  return stand_in_for(*product, operands, [&](ops::Builder& builder, const Values& given) {
    return Values{Loop(*product, *cut, builder).add(given)};
  });
}

}  // namespace mtf::spmd
