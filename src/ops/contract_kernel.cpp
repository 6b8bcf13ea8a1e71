// An einsum of one or two operands on blocks with any order of dims.
//
// Each dim is one of:
//   *batch*    in both operands and the result
//   *row*      in the first operand and the result
//   *column*   in the second operand and the result
//   *inner*    in both operands, and summed
//   *lone*     in one operand, and summed
//
// Dims of a kind that are adjacent in memory in all arrays are joined. The rest is a product of matrices, for each
// position of the batch dims:
//
//   result[batch, row, column] = Σ over inner of first[batch, row, inner] · second[batch, inner, column]
//
// Rows or columns that are not adjacent become batch dims, along which the other operand is repeated. Inner dims that
// are not adjacent are made so by a copy. Lone dims are summed first. Those of bf16 are summed in f32, and the product
// is then one of f32, so that no sum is rounded.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "kernels/kernel_table.h"
#include "kernels/scratch.h"
#include "ops/blocks.h"
#include "ops/contract.h"

namespace mtf::ops {
namespace {

/// An array with a stride for each label; 0 if the array lacks the label.
struct Array {
  ElementType element = ElementType::kF32;
  void* data = nullptr;
  std::vector<int64_t> strides;
  std::vector<bool> has;
};

using Arguments = std::vector<kernels::FusionArgument>;

class Contraction {
 public:
  explicit Contraction(graph::KernelCall& call) : call_(call) {
    const graph::Operation& operation = call.operation;
    skips_zeros_ = operation.attributes.get<EinsumAttributes>().skips_zeros;
    are_integers_ = operation.attributes.get<EinsumAttributes>().product == Product::kIntegers;
    bf16_product_ = operation.attributes.get<EinsumAttributes>().product == Product::kAsBf16 &&
                    call.operands[0].element == ElementType::kF32;
    const Names labels = einsum_labels(operation);
    sizes_.assign(labels.size(), 1);
    for (size_t k = 0; k < call.operands.size(); ++k)
      arrays_.push_back(array_of(call.operands[k], operation.operands[k].dims, labels));
    result_ = array_of(call.results[0], operation.results[0].dims, labels);
  }

  void run() {
    int64_t points = 1;
    for (int64_t size : sizes_) points *= size;
    call_.flops += 2 * points;
    if (arrays_.size() == 1) return fold(arrays_[0], result_);
    if (points == 0) {  // an empty block contributes 0 to every sum
      const double zero = 0;
      return kernels::table().fill_block(loop_sizes(result_, result_), static_cast<int>(size_of(result_.element)),
                                         &zero, result_.data, result_.strides);
    }
    if (are_integers_) check_exact(points);
    const Array written = result_;
    const std::vector<size_t> lone = lone_labels();
    if (!lone.empty() && (bf16_product_ || arrays_[0].element == ElementType::kBf16)) {
      for (Array& array : arrays_) array = in_f32(array);
      bf16_product_ = false;
      if (written.element == ElementType::kBf16) result_ = dense(written.has, ElementType::kF32, written);
    } else {
      for (Array& array : arrays_) sum_lone_dims(array);
    }
    for (size_t label : lone) sizes_[label] = 1;
    multiply();
    if (result_.element != written.element) round(result_, written);
  }

 private:
  void multiply() {
    const int64_t rows = size_of_kind(true, false, true), columns = size_of_kind(false, true, true),
                  inner = size_of_kind(true, true, false);
    // A factor that is not finite makes its term and the result not finite. So it is enough to check the smaller of
    // operands and result.
    const bool looks_at_result = skips_zeros_ && count(result_) <= count(arrays_[0]) + count(arrays_[1]);
    if (skips_zeros_ && !looks_at_result && !(is_finite(arrays_[0]) && is_finite(arrays_[1])))
      return multiply_nonzeros();
    const std::vector<Array> operands = arrays_;
    if (inner == 1 || (rows == 1 && columns == 1)) multiply_elements(inner > 1);
    else multiply_matrices();
    if (!looks_at_result || is_finite(result_)) return;
    arrays_ = operands;
    multiply_nonzeros();
  }

  Array array_of(const kernels::Block& block, const Dims& dims, const Names& labels) {
    Array array{block.element, block.data, std::vector<int64_t>(sizes_.size(), 0),
                std::vector<bool>(sizes_.size(), false)};
    for (size_t d = 0; d < dims.size(); ++d) {
      const auto label = static_cast<size_t>(std::find(labels.begin(), labels.end(), dims[d].name) - labels.begin());
      array.strides[label] = block.dims[d].stride;
      array.has[label] = true;
      sizes_[label] = block.dims[d].size;
    }
    return array;
  }

  bool is_kind(size_t label, bool first, bool second, bool result) const {
    return arrays_[0].has[label] == first && arrays_[1].has[label] == second && result_.has[label] == result;
  }

  int64_t size_of_kind(bool first, bool second, bool result) const {
    int64_t size = 1;
    for (size_t label = 0; label < sizes_.size(); ++label)
      if (is_kind(label, first, second, result)) size *= sizes_[label];
    return size;
  }

  /// A dense array of some labels, outermost first in the storage order of `like`.
  Array dense(const std::vector<bool>& labels, ElementType element, const Array& like) {
    Array array{element, nullptr, std::vector<int64_t>(sizes_.size(), 0), labels};
    std::vector<size_t> order;
    for (size_t label = 0; label < labels.size(); ++label)
      if (labels[label]) order.push_back(label);
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return like.strides[a] < like.strides[b]; });
    int64_t count = 1;
    for (size_t label : order) {
      array.strides[label] = count;
      count *= sizes_[label];
    }
    scratch_.emplace_back(count * size_of(element));
    array.data = scratch_.back().data();
    return array;
  }

  /// Sets `to` to the sum of `from` over the labels that `to` lacks.
  void fold(const Array& from, const Array& to) {
    kernels::FusionProgram program;
    program.operands.push_back({kernels::OperandKind::kArray, from.element, 0});
    program.outputs.push_back({0, to.element, kernels::Reduction::kSum});
    kernels::table()
        .compile(std::move(program))
        .run(loop_sizes(from, to), Arguments{argument(from)}, Arguments{argument(to)}, call_.threads);
  }

  kernels::FusionArgument argument(const Array& array) const {
    return kernels::FusionArgument::array(array.data, array.strides);
  }

  /// The sizes of the labels, with 1 for labels that neither array has.
  std::vector<int64_t> loop_sizes(const Array& a, const Array& b) const {
    std::vector<int64_t> sizes = sizes_;
    for (size_t label = 0; label < sizes.size(); ++label)
      if (!a.has[label] && !b.has[label]) sizes[label] = 1;
    return sizes;
  }

  bool is_lone(size_t label) const { return arrays_[0].has[label] != arrays_[1].has[label] && !result_.has[label]; }
  std::vector<size_t> lone_labels() const {
    std::vector<size_t> labels;
    for (size_t label = 0; label < sizes_.size(); ++label)
      if (is_lone(label)) labels.push_back(label);
    return labels;
  }
  /// The labels of an array without lone dims.
  std::vector<bool> kept_of(const Array& array) const {
    std::vector<bool> kept = array.has;
    for (size_t label = 0; label < kept.size(); ++label)
      if (is_lone(label)) kept[label] = false;
    return kept;
  }

  void sum_lone_dims(Array& array) {
    const std::vector<bool> kept = kept_of(array);
    if (kept == array.has) return;
    const Array summed = dense(kept, array.element, array);
    fold(array, summed);
    array = summed;
  }

  /// A copy in f32, summed over lone dims. f32 numbers that are multiplied as bf16 are rounded to bf16 first.
  Array in_f32(const Array& array) {
    const std::vector<bool> kept = kept_of(array);
    const Array wide = dense(kept, ElementType::kF32, array);
    kernels::FusionProgram program;
    program.operands.push_back({kernels::OperandKind::kArray, array.element, 0});
    if (bf16_product_) program.steps.push_back({kernels::LaneOp::kCast, 0, -1, -1, ElementType::kBf16});
    const int number = static_cast<int>(program.steps.size());
    program.steps.push_back({kernels::LaneOp::kCast, number, -1, -1, ElementType::kF32});
    const bool is_sum = kept != array.has;
    program.outputs.push_back(
        {number + 1, ElementType::kF32, is_sum ? kernels::Reduction::kSum : kernels::Reduction::kStore});
    kernels::table()
        .compile(std::move(program))
        .run(loop_sizes(array, wide), Arguments{argument(array)}, Arguments{argument(wide)}, call_.threads);
    return wide;
  }

  /// Throws if f64 cannot hold the sum of `points` products exactly. Sums of integers below 2^53 are exact.
  void check_exact(int64_t points) const {
    int64_t results = 1;
    for (size_t label = 0; label < sizes_.size(); ++label)
      if (result_.has[label]) results *= sizes_[label];
    double most = static_cast<double>(points / results);
    for (const Array& array : arrays_) {
      double largest = 0;
      const std::vector<int64_t> once(sizes_.size(), 0);
      kernels::FusionProgram program;
      program.operands.push_back({kernels::OperandKind::kArray, ElementType::kF64, 0});
      program.steps.push_back({kernels::LaneOp::kAbs, 0});
      program.outputs.push_back({1, ElementType::kF64, kernels::Reduction::kMax});
      kernels::table()
          .compile(std::move(program))
          .run(loop_sizes(array, array), Arguments{argument(array)},
               Arguments{kernels::FusionArgument::array(&largest, once)}, call_.threads);
      most *= largest;
    }
    if (most > 0x1p53)
      throw graph::ElementError{"products of integers may add up to more than 2^53, up to which sums are exact",
                                Kind::integer_overflow};
  }

  void round(const Array& from, const Array& to) {
    kernels::FusionProgram program;
    program.operands.push_back({kernels::OperandKind::kArray, ElementType::kF32, 0});
    program.steps.push_back({kernels::LaneOp::kCast, 0, -1, -1, ElementType::kBf16});
    program.outputs.push_back({1, ElementType::kBf16, kernels::Reduction::kStore});
    kernels::table()
        .compile(std::move(program))
        .run(loop_sizes(to, to), Arguments{argument(from)}, Arguments{argument(to)}, call_.threads);
  }

  /// Multiplies elements, and sums over the inner dims if they have more than one position. Used if a side of the
  /// matrices has size 1.
  void multiply_elements(bool is_sum) {
    const bool narrow = arrays_[0].element == ElementType::kBf16;
    const ElementType wide = narrow ? ElementType::kF32 : arrays_[0].element;
    kernels::FusionProgram program;
    Arguments operands;
    for (const Array& array : arrays_) {
      program.operands.push_back({kernels::OperandKind::kArray, array.element, 0});
      operands.push_back(argument(array));
    }
    if (!is_sum) {
      program.operands.push_back({kernels::OperandKind::kScalar, wide, 0});
      operands.push_back(kernels::FusionArgument::scalar(0));
    }
    int values = static_cast<int>(operands.size());
    const auto step = [&](kernels::LaneOp op, int a, int b, ElementType type) {
      program.steps.push_back({op, a, b, -1, type});
      return values++;
    };
    int factors[2] = {0, 1};
    for (int& factor : factors) {
      if (bf16_product_) factor = step(kernels::LaneOp::kCast, factor, -1, ElementType::kBf16);
      if (bf16_product_ || narrow) factor = step(kernels::LaneOp::kCast, factor, -1, ElementType::kF32);
    }
    int product = step(kernels::LaneOp::kMul, factors[0], factors[1], wide);
    if (!is_sum) product = step(kernels::LaneOp::kAdd, product, 2, wide);  // adds 0: a sum of -0 is 0
    const bool rounded = narrow && result_.element == ElementType::kBf16;
    if (rounded && !is_sum) product = step(kernels::LaneOp::kCast, product, -1, ElementType::kBf16);
    Array target = result_;
    if (rounded && is_sum) target = dense(result_.has, ElementType::kF32, result_);
    program.outputs.push_back(
        {product, target.element, is_sum ? kernels::Reduction::kSum : kernels::Reduction::kStore});
    kernels::table().compile(std::move(program)).run(sizes_, operands, Arguments{argument(target)}, call_.threads);
    if (rounded && is_sum) round(target, result_);
  }

  /// Calls fn(position) for each position of the labels that are set in `runs`. `position` has an index for each label.
  template <class Fn>
  void each_position(const std::vector<bool>& runs, Fn fn) const {
    std::vector<int64_t> position(sizes_.size(), 0);
    while (true) {
      fn(position);
      size_t label = sizes_.size();
      while (label-- > 0) {
        if (!runs[label]) continue;
        if (++position[label] < sizes_[label]) break;
        position[label] = 0;
      }
      if (label == static_cast<size_t>(-1)) return;
    }
  }

  template <class T>
  static T& element(const Array& array, const std::vector<int64_t>& position) {
    int64_t offset = 0;
    for (size_t label = 0; label < position.size(); ++label) offset += position[label] * array.strides[label];
    return static_cast<T*>(array.data)[offset];
  }

  /// True if all elements are finite. The maximum of x - x is then 0, otherwise NaN.
  bool is_finite(const Array& array) const {
    const ElementType wide = array.element == ElementType::kBf16 ? ElementType::kF32 : array.element;
    kernels::FusionProgram program;
    program.operands.push_back({kernels::OperandKind::kArray, array.element, 0});
    int value = 0;
    if (wide != array.element) {
      program.steps.push_back({kernels::LaneOp::kCast, 0, -1, -1, wide});
      value = 1;
    }
    program.steps.push_back({kernels::LaneOp::kSub, value, value, -1, wide});
    program.outputs.push_back({value + 1, wide, kernels::Reduction::kMax});
    double greatest = 0;  // large enough for an element of either type
    const std::vector<int64_t> nowhere(sizes_.size(), 0);
    kernels::table()
        .compile(std::move(program))
        .run(loop_sizes(array, array), Arguments{argument(array)},
             Arguments{kernels::FusionArgument::array(&greatest, nowhere)}, call_.threads);
    if (wide == ElementType::kF64) return !std::isnan(greatest);
    float narrow;
    std::memcpy(&narrow, &greatest, sizeof narrow);
    return !std::isnan(narrow);
  }

  /// Computes the product term by term, without terms that have a factor of 0.
  void multiply_nonzeros() {
    std::vector<bool> summed(sizes_.size());
    for (size_t label = 0; label < sizes_.size(); ++label) summed[label] = !result_.has[label];
    by_element(arrays_[0].element, [&](auto zero) {
      using T = decltype(zero);
      const auto factor = [&](const Array& array, const std::vector<int64_t>& position) {
        const double number = static_cast<double>(to_number(element<T>(array, position)));
        return bf16_product_ ? static_cast<double>(to_float(to_bf16(static_cast<float>(number)))) : number;
      };
      each_position(result_.has, [&](const std::vector<int64_t>& kept) {
        double sum = 0;
        each_position(summed, [&](std::vector<int64_t> position) {
          for (size_t label = 0; label < position.size(); ++label) position[label] += kept[label];
          const double first = factor(arrays_[0], position), second = factor(arrays_[1], position);
          if (first != 0 && second != 0) sum += first * second;
        });
        by_element(result_.element, [&](auto of_result) {
          using R = decltype(of_result);
          element<R>(result_, kept) = from_number<R>(static_cast<Number<R>>(sum));
        });
      });
    });
  }

  /// Joined dims: one size, and one stride in each array.
  struct Group {
    int64_t size = 1;
    std::array<int64_t, 3> strides{};  ///< first, second, result
  };

  /// The labels of a kind, outermost first, joined if they are adjacent in all arrays.
  std::vector<Group> groups(bool first, bool second, bool result) const {
    std::vector<Group> list;
    for (size_t label = 0; label < sizes_.size(); ++label)
      if (is_kind(label, first, second, result) && sizes_[label] != 1)
        list.push_back({sizes_[label], {arrays_[0].strides[label], arrays_[1].strides[label], result_.strides[label]}});
    const size_t leading = first ? 0 : 1;
    std::stable_sort(list.begin(), list.end(),
                     [&](const Group& a, const Group& b) { return a.strides[leading] > b.strides[leading]; });
    std::vector<Group> joined;
    for (const Group& group : list) {
      bool together = !joined.empty();
      for (int k = 0; together && k < 3; ++k) together = joined.back().strides[k] == group.strides[k] * group.size;
      if (together) joined.back() = {joined.back().size * group.size, group.strides};
      else joined.push_back(group);
    }
    return joined;
  }

  /// Copies an operand so that its inner dims are adjacent, innermost, and in the order that they have in `like`.
  void pack_inner(Array& array, const Array& like) {
    Array order = like;
    for (size_t label = 0; label < sizes_.size(); ++label) {
      if (is_kind(label, true, true, false)) continue;
      order.strides[label] = array.strides[label] + (int64_t{1} << 40);  // outside the inner dims, order kept
    }
    Array packed = dense(array.has, array.element, order);
    kernels::table().copy_block(loop_sizes(array, array), static_cast<int>(size_of(array.element)), array.data,
                                array.strides, packed.data, packed.strides);
    array = packed;
  }

  void multiply_matrices() {
    if (groups(true, true, false).size() > 1) {  // copy the smaller operand, and the larger if necessary
      const bool first_is_smaller = count(arrays_[0]) < count(arrays_[1]);
      Array& smaller = arrays_[first_is_smaller ? 0 : 1];
      Array& larger = arrays_[first_is_smaller ? 1 : 0];
      pack_inner(smaller, larger);
      if (groups(true, true, false).size() > 1) pack_inner(larger, smaller);
    }
    std::vector<Group> batch = groups(true, true, true);
    const Group rows = largest(groups(true, false, true), batch);
    const Group columns = largest(groups(false, true, true), batch);
    const Group inner = largest(groups(true, true, false), batch);

    std::vector<int64_t> sizes;
    std::array<std::vector<int64_t>, 3> strides;
    for (const Group& group : batch) {
      sizes.push_back(group.size);
      for (int k = 0; k < 3; ++k) strides[k].push_back(group.strides[k]);
    }
    kernels::Matmul product;
    product.operand_type = arrays_[0].element;
    product.result_type = result_.element;
    product.bf16_product = bf16_product_;
    product.m = rows.size;
    product.n = columns.size;
    product.k = inner.size;
    product.batch = sizes;
    product.a = {arrays_[0].data, rows.strides[0], inner.strides[0], strides[0]};
    product.b = {arrays_[1].data, inner.strides[1], columns.strides[1], strides[1]};
    product.c = {result_.data, rows.strides[2], columns.strides[2], strides[2]};
    product.progress = call_.progress;
    kernels::table().matmul(product, call_.threads);
  }

  /// Takes the largest group as a side of the matrices. The others become batch dims.
  static Group largest(const std::vector<Group>& list, std::vector<Group>& batch) {
    if (list.empty()) return {};
    const auto most =
        std::max_element(list.begin(), list.end(), [](const Group& a, const Group& b) { return a.size < b.size; });
    for (auto group = list.begin(); group != list.end(); ++group)
      if (group != most) batch.push_back(*group);
    return *most;
  }

  int64_t count(const Array& array) const {
    int64_t n = 1;
    for (size_t label = 0; label < sizes_.size(); ++label)
      if (array.has[label]) n *= sizes_[label];
    return n;
  }

  graph::KernelCall& call_;
  bool bf16_product_ = false, skips_zeros_ = false, are_integers_ = false;
  std::vector<int64_t> sizes_;  ///< of each label
  std::vector<Array> arrays_;
  Array result_;
  std::vector<kernels::Scratch> scratch_;  // for operands that are copied
};

}  // namespace

void contract_kernel(graph::KernelCall& call) { Contraction(call).run(); }

}  // namespace mtf::ops
