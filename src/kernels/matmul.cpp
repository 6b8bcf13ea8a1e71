#include "kernels/matmul.h"

#include <algorithm>
#include <stdexcept>
#include <thread>
#include <vector>

#include "kernels/copy.h"
#include "kernels/matmul_product.h"

namespace mtf {
namespace {

constexpr double kProgressFlops = 6e7;       // half a millisecond or more
constexpr std::int64_t kDepth = 256;         // of a panel: what Eigen packs at once, so nothing is packed twice for it
constexpr double kThreadFlops = 1e6;         // a thread's least share
constexpr std::int64_t kPanel = 96;          // least rows or columns of a panel

struct Offsets {
  std::int64_t a = 0, b = 0, c = 0;
};

Offsets offsets_of(const Matmul& p, std::int64_t index) {
  Offsets result;
  for (std::size_t d = p.batch.size(); d-- > 0;) {
    const std::int64_t i = index % p.batch[d];
    index /= p.batch[d];
    result.a += i * p.a.batch_strides[d];
    result.b += i * p.b.batch_strides[d];
    result.c += i * p.c.batch_strides[d];
  }
  return result;
}

template <class T>
bool usable(const Matrix<T>& x, std::int64_t rows, std::int64_t columns) {
  return x.row == 1 || x.column == 1 || rows == 1 || columns == 1;
}

float widen(float x) { return x; }
float widen(Bf16 x) { return to_float(x); }

/// The matrix as T in one of the orders Eigen takes: as it is, or packed into scratch. Rounds to
/// bf16 if asked.
template <class T, class S>
Matrix<const T> prepare(Matrix<const S> x, std::int64_t rows, std::int64_t columns, bool round, std::vector<T>& scratch) {
  if constexpr (std::is_same_v<T, S>) {
    if (!round && usable(x, rows, columns)) return x;
  }
  const bool by_columns = std::abs(x.row) < std::abs(x.column);
  const Matrix<const T> packed{nullptr, by_columns ? 1 : columns, by_columns ? rows : 1};
  scratch.resize(static_cast<std::size_t>(rows * columns));
  if constexpr (std::is_same_v<T, S>) {
    if (!round) {
      copy_matrix(rows, columns, sizeof(T), x.data, x.row, x.column, scratch.data(), packed.row, packed.column);
      return {scratch.data(), packed.row, packed.column};
    }
  }
  if constexpr (std::is_same_v<T, float>) {
    const std::int64_t outer = by_columns ? columns : rows, inner = by_columns ? rows : columns;
    const std::int64_t outer_stride = by_columns ? x.column : x.row, inner_stride = by_columns ? x.row : x.column;
    for (std::int64_t o = 0; o < outer; ++o) {
      const S* from = x.data + o * outer_stride;
      float* to = scratch.data() + o * inner;
      for (std::int64_t i = 0; i < inner; ++i) {
        const float value = widen(from[i * inner_stride]);
        to[i] = round ? to_float(to_bf16(value)) : value;
      }
    }
  }
  return {scratch.data(), packed.row, packed.column};
}

/// T: what is computed in; S: the operands in memory; R: the result in memory.
template <class T, class S, class R>
class Product {
 public:
  explicit Product(const Matmul& p) : p_(p), caller_(std::this_thread::get_id()) {}

  void run(Threads& threads) {
    std::int64_t count = 1;
    for (std::int64_t size : p_.batch) count *= size;
    if (count == 0 || p_.m == 0 || p_.n == 0) return;
    const double each = 2.0 * static_cast<double>(p_.m) * static_cast<double>(p_.n) * static_cast<double>(std::max<std::int64_t>(1, p_.k));
    const double total = each * static_cast<double>(count);
    if (threads.size() == 1 || total < 2 * kThreadFlops) return some(0, count);
    if (count >= 2 * threads.size()) {
      threads.parallel_for(count, static_cast<std::int64_t>(kThreadFlops / each) + 1,
                           [&](std::int64_t begin, std::int64_t end) { some(begin, end); });
      return;
    }
    const bool by_rows = p_.m >= p_.n;
    const std::int64_t whole = by_rows ? p_.m : p_.n, units = (whole + 15) / 16;
    for (std::int64_t index = 0; index < count; ++index) {
      prepare_operands(index, shared_);
      threads.parallel_for(units, 1, [&](std::int64_t begin, std::int64_t end) {
        piece(shared_, by_rows, begin * 16, std::min(whole, end * 16));
      });
    }
  }

 private:
  struct Work {
    std::vector<T> a_scratch, b_scratch, c_scratch;
    Matrix<const T> a{}, b{};
    Matrix<R> c{};
  };

  void prepare_operands(std::int64_t index, Work& work) const {
    const Offsets at = offsets_of(p_, index);
    const Matrix<const S> a{static_cast<const S*>(p_.a.data) + at.a, p_.a.row_stride, p_.a.column_stride};
    const Matrix<const S> b{static_cast<const S*>(p_.b.data) + at.b, p_.b.row_stride, p_.b.column_stride};
    work.a = prepare<T, S>(a, p_.m, p_.k, p_.bf16_product, work.a_scratch);
    work.b = prepare<T, S>(b, p_.k, p_.n, p_.bf16_product, work.b_scratch);
    work.c = {static_cast<R*>(p_.c.data) + at.c, p_.c.row_stride, p_.c.column_stride};
  }

  void some(std::int64_t begin, std::int64_t end) const {
    Work work;
    for (std::int64_t index = begin; index < end; ++index) {
      prepare_operands(index, work);
      piece(work, p_.m >= p_.n, 0, std::max(p_.m, p_.n));
    }
  }

  /// Rows or columns [begin, end) of one product, in panels where progress is wanted.
  void piece(const Work& work, bool by_rows, std::int64_t begin, std::int64_t end) const {
    const bool reports = p_.progress && std::this_thread::get_id() == caller_;
    std::int64_t depth = p_.k, step = end - begin;
    if (reports) {
      if (std::is_same_v<T, R>) depth = std::min(depth, kDepth);
      const double per_line = 2.0 * static_cast<double>(by_rows ? p_.n : p_.m) * static_cast<double>(std::max<std::int64_t>(1, depth));
      step = std::max(kPanel, static_cast<std::int64_t>(std::min(kProgressFlops / per_line, 1e9)) / 16 * 16);
    }
    std::int64_t first = 0;
    do {
      const std::int64_t deep = std::min(depth, p_.k - first);
      for (std::int64_t at = begin; at < end; at += step) {
        const std::int64_t lines = std::min(step, end - at);
        Matrix<const T> a = work.a, b = work.b;
        Matrix<R> c = work.c;
        a.data += first * a.column + (by_rows ? at * a.row : 0);
        b.data += first * b.row + (by_rows ? 0 : at * b.column);
        c.data += at * (by_rows ? c.row : c.column);
        product(by_rows ? lines : p_.m, by_rows ? p_.n : lines, deep, a, b, c, p_.accumulate || first > 0);
        if (reports) p_.progress();
      }
      first += depth;
    } while (first < p_.k);
  }

  void product(std::int64_t m, std::int64_t n, std::int64_t k, const Matrix<const T>& a, const Matrix<const T>& b,
               const Matrix<R>& c, bool accumulate) const {
    if constexpr (std::is_same_v<T, R>) {
      if (k == 0) return accumulate ? void() : clear(m, n, c);
      if (usable(c, m, n)) return multiply<T>(m, n, k, a, b, c, accumulate);
    }
    // Into scratch, then where it belongs.
    std::vector<T> scratch(static_cast<std::size_t>(m * n));
    const Matrix<T> whole{scratch.data(), n, 1};
    if (k > 0) multiply<T>(m, n, k, a, b, whole, false);
    for (std::int64_t i = 0; i < m; ++i) {
      for (std::int64_t j = 0; j < n; ++j) {
        R& target = c.data[i * c.row + j * c.column];
        T value = scratch[static_cast<std::size_t>(i * n + j)];
        if constexpr (std::is_same_v<R, Bf16>) {
          target = to_bf16(accumulate ? to_float(target) + value : value);
        } else if constexpr (std::is_integral_v<T>) {
          target = static_cast<T>(static_cast<std::uint32_t>(accumulate ? target : 0) + static_cast<std::uint32_t>(value));
        } else {
          target = accumulate ? target + value : value;
        }
      }
    }
  }

  void clear(std::int64_t m, std::int64_t n, const Matrix<R>& c) const {
    const std::int64_t sizes[] = {m, n}, strides[] = {c.row, c.column};
    const R zero{};
    fill_block(sizes, sizeof(R), &zero, c.data, strides);
  }

  const Matmul& p_;
  std::thread::id caller_;
  Work shared_;
};

}  // namespace

void matmul(const Matmul& p, Threads& threads) {
  if (p.a.batch_strides.size() != p.batch.size() || p.b.batch_strides.size() != p.batch.size() ||
      p.c.batch_strides.size() != p.batch.size()) {
    throw std::invalid_argument("matmul: a stride for each batch dim");
  }
  const bool same = p.result_type == p.operand_type;
  switch (p.operand_type) {
    case ElementType::kF32:
      if (same) return Product<float, float, float>(p).run(threads);
      break;
    case ElementType::kF64:
      if (same) return Product<double, double, double>(p).run(threads);
      break;
    case ElementType::kI32:
      if (same) return Product<std::int32_t, std::int32_t, std::int32_t>(p).run(threads);
      break;
    case ElementType::kBf16:
      if (same) return Product<float, Bf16, Bf16>(p).run(threads);
      if (p.result_type == ElementType::kF32) return Product<float, Bf16, float>(p).run(threads);
      break;
    default: break;
  }
  throw std::invalid_argument("matmul: no product of these element types");
}

}  // namespace mtf
