// cross_entropy: from logits and labels (or a distribution) to one number for each row.
//
// With m = max(x), l = log sum(exp(x - m)), t the distribution or 1 at the label, e the smoothing and n classes:
//   q    = (1 - e) t + e/n
//   loss = -sum(q log softmax(x)) + z_loss (m + l)² = sum(q) l - sum(q (x - m)) + z_loss (m + l)²
//
// m and l are saved apart, so that a number added to all logits costs no digit. l is small for every offset of the
// logits, and x - m is exact where it matters. The sum m + l would lose digits. In gradients m counts as a constant,
// because any m gives the same loss. If the classes are sharded, three numbers a row are reduced: the maximum, sum(exp)
// and the sum of the picked logits. A distribution adds sum(t).
#include "kernels/kernel_table.h"
#include "ops/blocks.h"
#include "ops/rows.h"
#include "ops/softmax.h"

namespace mtf::ops {
namespace {

/// The attributes of cross_entropy and pick_label. The two `inputs` of cross_entropy are its smoothing and z_loss.
struct CrossEntropyAttributes {
  Name over;
  bool smoothed = false;
  bool z_loss = false;
  static constexpr auto members() {
    return std::array{graph::member<&CrossEntropyAttributes::over>("over"),
                      graph::member<&CrossEntropyAttributes::smoothed>("smoothed"),
                      graph::member<&CrossEntropyAttributes::z_loss>("z_loss")};
  }
};

/// The indices of the dims of the logits in the other tensors.
struct Layout {
  explicit Layout(const graph::Operation& operation)
      : classes(dim_of<CrossEntropyAttributes>(operation)),
        smoothed(operation.attributes.get<CrossEntropyAttributes>().smoothed),
        z_loss(operation.attributes.get<CrossEntropyAttributes>().z_loss),
        in_labels(positions_in(operation.operands[0].dims, operation.operands[1].dims)),
        in_result(positions_in(operation.operands[0].dims, operation.results[0].dims)),
        folded(in_result.size(), false) {
    folded[classes] = true;
  }
  int classes;
  bool smoothed;
  bool z_loss;
  std::vector<int> in_labels, in_result;  ///< for each dim of the logits, or -1
  std::vector<bool> folded;
};

Dim class_dim(const graph::Operation& operation) {
  return operation.operands[0].dims[dim_of<CrossEntropyAttributes>(operation)];
}
Dims rows_without_classes(const graph::Operation& operation) {
  return remaining(operation.operands[0].dims, {class_dim(operation)});
}

graph::Values build_cross_entropy(Call& call) {
  Builder& b = call.builder;
  const graph::Value& logits = call.tensor("logits");
  graph::Value labels = call.tensor("labels");
  const Dim classes = dim_over(call, "logits");
  check_sizes(call, {logits, labels});
  const bool soft = has_dim(labels.dims(), classes.name);
  const ElementType element = row_element(logits.element());
  if (!is_subset(labels.dims(), logits.dims()))
    fail(Diagnostic(Kind::shape_mismatch, call.span_of("labels"),
                    fmt::format("expected dimensions of the logits, {}, with or without `{}`; found {}",
                                to_string(logits.dims()), classes.name.text(), describe(labels))));
  if (!soft && labels.element() != ElementType::kI32)
    fail(Diagnostic(Kind::wrong_element_type, call.span_of("labels"),
                    fmt::format("labels without `{}` are places in it, of type i32; found {}", classes.name.text(),
                                describe(labels)))
             .help(fmt::format("a distribution over the classes has the dimension `{}`", classes.name.text())));
  if (soft) labels = as_element(b, labels, element, call.span);
  const CrossEntropyAttributes attributes{classes.name, call.argument("label_smoothing").given,
                                          call.argument("z_loss").given};
  const graph::Value operand =
      logits.element() == ElementType::kBf16 ? logits : as_element(b, logits, element, call.span);
  return {b.add_node(call.op, {operand, labels}, attributes,
                     {call.number("label_smoothing", 0), call.number("z_loss", 0)})[0]};
}

/// The loss, and for the gradient the maximum and the logarithm of the sum. Logits of bf16 are read as they are, so
/// that no wider copy is kept.
std::vector<TensorType> infer_cross_entropy(const graph::Operation& operation) {
  const TensorType rows{row_element(operation.operands[0].element), rows_without_classes(operation)};
  return {rows, rows, rows};
}

graph::IterationSpace cross_entropy_space(const graph::Operation& operation) {
  return ruled_space(operation, graph::SplitKind::kExpand, {class_dim(operation)});
}

/// sum(q), for labels that are a distribution. It is 1 up to rounding if the distribution is normalised.
graph::Value weight_of(Builder& b, const graph::Operation& operation, const graph::Value& labels) {
  const graph::Value sum = b.sum_to(labels, remaining(labels.dims(), {class_dim(operation)}));
  if (!operation.attributes.get<CrossEntropyAttributes>().smoothed) return sum;
  const double smoothing = operation.inputs[0];
  return b.map(kAdd, b.map(kMul, sum, 1 - smoothing), smoothing);
}

graph::Values expand_cross_entropy(graph::ExpandCall& call) {
  Builder& b = call.builder;
  const graph::Operation& operation = call.operation;
  const graph::Value x = b.cast(call.operands[0], operation.results[0].element);
  const graph::Value& labels = call.operands[1];
  const Dims& rows = operation.results[0].dims;
  const Layout layout(operation);
  const graph::Value max = b.reduce(kMax, x, rows);
  const graph::Value shifted = b.map(kShifted, x, max);
  const graph::Value log_sum = b.map(kLog, b.reduce(kSum, b.map(kExp, shifted), rows));
  const bool soft = is_float(labels.element());
  graph::Value picked = soft
                            ? b.sum_to(b.map(kZeroProduct, shifted, labels), rows)
                            : b.map(kShifted, b.add(kPickLabel, {call.operands[0], labels}, operation.attributes), max);
  if (layout.smoothed) {
    const double smoothing = operation.inputs[0];
    const double spread = smoothing / static_cast<double>(class_dim(operation).size);
    picked =
        b.map(kAdd, b.map(kZeroProduct, picked, 1 - smoothing), b.map(kZeroProduct, b.sum_to(shifted, rows), spread));
  }
  graph::Value loss = b.map(kSub, soft ? b.map(kMul, log_sum, weight_of(b, operation, labels)) : log_sum, picked);
  if (layout.z_loss)
    loss = b.map(kAdd, loss, b.map(kMul, b.map(kSquare, b.map(kAdd, log_sum, max)), operation.inputs[1]));
  return {loss, max, log_sum};
}

/// Writes a fused loop value by value. Operands come first. Steps compute in `element`.
class FusionWriter {
 public:
  explicit FusionWriter(ElementType element) : element_(element) {}
  int array() { return operand(kernels::OperandKind::kArray, element_); }
  int array_of(ElementType element) { return operand(kernels::OperandKind::kArray, element); }
  int scalar() { return operand(kernels::OperandKind::kScalar, element_); }
  /// The array as `element`.
  int widened(int array) {
    return program_.operands[array].type == element_ ? array : step(kernels::LaneOp::kCast, array);
  }
  int step(kernels::LaneOp op, int a, int b = -1) {
    program_.steps.push_back({op, a, b, -1, element_});
    return static_cast<int>(program_.operands.size() + program_.steps.size()) - 1;
  }
  kernels::FusedLoop ending_in(int value, kernels::Reduction reduction) {
    program_.outputs.push_back({value, element_, reduction});
    return kernels::table().compile(program_);
  }

 private:
  int operand(kernels::OperandKind kind, ElementType element) {
    program_.operands.push_back({kind, element, 0});
    return static_cast<int>(program_.operands.size()) - 1;
  }
  ElementType element_;
  kernels::FusionProgram program_;
};

/// The sum of (x - m) t along the classes. A class of probability 0 adds 0.
kernels::FusedLoop product_loop(ElementType of_logits, ElementType element) {
  FusionWriter w(element);
  const int x = w.array_of(of_logits), max = w.array(), t = w.array();
  const int shifted = w.step(kernels::LaneOp::kShifted, w.widened(x), max);
  return w.ending_in(w.step(kernels::LaneOp::kZeroProduct, shifted, t), kernels::Reduction::kSum);
}

/// The sum of x - m along the classes.
kernels::FusedLoop shifted_sum_loop(ElementType of_logits, ElementType element) {
  FusionWriter w(element);
  const int x = w.array_of(of_logits), max = w.array();
  return w.ending_in(w.step(kernels::LaneOp::kShifted, w.widened(x), max), kernels::Reduction::kSum);
}

/// The sum of t along the classes.
kernels::FusedLoop sum_loop(ElementType element) {
  FusionWriter w(element);
  return w.ending_in(w.array(), kernels::Reduction::kSum);
}

/// The loss of rows. `picked` is the picked logit; for a distribution m is already subtracted. `sum` is the sum of all
/// x - m.
kernels::FusedLoop loss_loop(ElementType element, const Layout& layout, bool soft) {
  FusionWriter w(element);
  const int max = w.array(), log_sum = w.array();
  int picked = w.array();
  const int sum = w.array();
  int weight = w.array();
  const int keep = w.scalar(), spread = w.scalar(), smoothing = w.scalar(), z = w.scalar();
  if (!soft) picked = w.step(kernels::LaneOp::kShifted, picked, max);
  if (layout.smoothed)
    picked = w.step(kernels::LaneOp::kAdd, w.step(kernels::LaneOp::kZeroProduct, picked, keep),
                    w.step(kernels::LaneOp::kZeroProduct, sum, spread));
  if (soft && layout.smoothed)
    weight = w.step(kernels::LaneOp::kAdd, w.step(kernels::LaneOp::kMul, weight, keep), smoothing);
  int loss = w.step(kernels::LaneOp::kSub, soft ? w.step(kernels::LaneOp::kMul, log_sum, weight) : log_sum, picked);
  if (layout.z_loss)
    loss = w.step(kernels::LaneOp::kAdd, loss,
                  w.step(kernels::LaneOp::kMul,
                         w.step(kernels::LaneOp::kSquare, w.step(kernels::LaneOp::kAdd, log_sum, max)), z));
  return w.ending_in(loss, kernels::Reduction::kStore);
}

/// For each row, the logit of its label if this block of the classes holds it, else 0.
void pick_labels(graph::KernelCall& call, const Layout& layout) {
  const kernels::Block& x = call.operands[0];
  const kernels::Block& labels = call.operands[1];
  const kernels::Block& picked = call.results[0];
  const kernels::BlockDim& classes = x.dims[layout.classes];
  Walk<3> walk;
  for (size_t d = 0; d < x.dims.size(); ++d) {
    if (layout.folded[d]) continue;
    walk.add(x.dims[d].size, {x.dims[d].stride, layout.in_labels[d] < 0 ? 0 : labels.dims[layout.in_labels[d]].stride,
                              picked.dims[layout.in_result[d]].stride});
  }
  by_element(x.element, [&](auto zero) {
    using T = decltype(zero);
    for_each_position(call.threads, walk, 8, [&](const Walk<3>& at) {
      const int64_t label = labels.as<int32_t>()[at.offset(1)];
      if (label < 0 || label >= classes.whole)
        throw graph::ElementError{fmt::format("expected labels from 0 to {}, found {}", classes.whole - 1, label)};
      const int64_t here = label - classes.first;
      picked.as<Number<T>>()[at.offset(2)] =
          here >= 0 && here < classes.size ? to_number(x.as<T>()[at.offset(0) + here * classes.stride]) : Number<T>{};
    });
  });
}

void pick_label_kernel(graph::KernelCall& call) { pick_labels(call, Layout(call.operation)); }

/// One number for each row, in memory of its own, along the dims of x. The stride is 0 for dims not in `kept`.
class RowMemory {
 public:
  RowMemory(ElementType element, const kernels::Block& x, const std::vector<bool>& kept) : strides_(kept.size(), 0) {
    int64_t count = 1;
    for (size_t d = kept.size(); d-- > 0;) {
      if (!kept[d]) continue;
      strides_[d] = count;
      count *= x.dims[d].size;
    }
    bytes_.resize(static_cast<size_t>(count * size_of(element)));
  }
  kernels::FusionArgument argument() { return kernels::FusionArgument::array(bytes_.data(), strides_); }

 private:
  std::vector<int64_t> strides_;
  std::vector<std::byte> bytes_;
};

void cross_entropy_kernel(graph::KernelCall& call) {
  using Arguments = std::vector<kernels::FusionArgument>;
  const kernels::Block& x = call.operands[0];
  const kernels::Block& labels = call.operands[1];
  const Layout layout(call.operation);
  const ElementType element = call.results[0].element;
  const bool soft = is_float(labels.element);
  const double smoothing = call.inputs[0];
  const RowArray logits = rows_read(x);
  const RowArray targets = row_results(labels, layout.in_labels);
  const RowArray losses = row_results(call.results[0], layout.in_result);
  const RowArray max = row_results(call.results[1], layout.in_result);
  const RowArray log_sum = row_results(call.results[2], layout.in_result);
  const auto argument = [](const RowArray& array) { return kernels::FusionArgument::array(array.data, array.strides); };
  std::vector<int64_t> sizes, rows, target_sizes;
  std::vector<bool> kept, target_kept;
  for (size_t d = 0; d < x.dims.size(); ++d) {
    const bool in_labels = layout.in_labels[d] >= 0;
    sizes.push_back(x.dims[d].size);
    rows.push_back(layout.folded[d] ? 1 : x.dims[d].size);
    target_sizes.push_back(in_labels ? x.dims[d].size : 1);
    kept.push_back(layout.smoothed && !layout.folded[d]);
    target_kept.push_back(soft && in_labels && !layout.folded[d]);
  }
  for_each_rows(x, layout.folded, {logits, max, log_sum},
                [&](const kernels::Rows& part, std::span<const RowPointer> at) {
                  kernels::table().log_sum_rows(x.element, part, at[0].in(), at[1].out(), at[2].out(), call.threads);
                });
  if (soft)
    product_loop(x.element, element)
        .run(sizes, Arguments{argument(logits), argument(max), argument(targets)}, Arguments{argument(losses)},
             call.threads);
  else pick_labels(call, layout);
  RowMemory sums(element, x, kept), weights(element, x, target_kept);
  if (layout.smoothed)
    shifted_sum_loop(x.element, element)
        .run(sizes, Arguments{argument(logits), argument(max)}, Arguments{sums.argument()}, call.threads);
  if (soft)
    sum_loop(element).run(target_sizes, Arguments{argument(targets)}, Arguments{weights.argument()}, call.threads);
  const double spread = smoothing / static_cast<double>(x.dims[layout.classes].whole);
  loss_loop(element, layout, soft)
      .run(rows,
           Arguments{argument(max), argument(log_sum), argument(losses), sums.argument(), weights.argument(),
                     kernels::FusionArgument::scalar(1 - smoothing), kernels::FusionArgument::scalar(spread),
                     kernels::FusionArgument::scalar(smoothing), kernels::FusionArgument::scalar(call.inputs[1])},
           Arguments{argument(losses)}, call.threads);
  const int64_t n = x.size(), o = row_count(x, layout.folded), t = labels.size();
  call.flops +=
      4 * n + 3 * o + (soft ? 2 * n + t : 0) + (layout.smoothed ? n + 3 * o : 0) + (layout.z_loss ? 4 * o : 0);
  if (soft && layout.smoothed && t > 0) call.flops += 2 * (t / x.dims[layout.classes].size);
}

/// The positions of the class dim, sharded like the logits.
graph::Value class_positions(Builder& b, const graph::Operation& operation, const graph::Value& x) {
  return b.split_like(b.range(class_dim(operation)), x);
}

/// dx = softmax(x) (d sum(q) + 2 z (m + l) d + d_l) - d q. For a distribution, dt = -(1 - e) d log softmax(x).
graph::Values cross_entropy_gradient(graph::GradientCall& call) {
  Builder& b = call.builder;
  const graph::Operation& operation = call.operation;
  const Layout layout(operation);
  const graph::Value& max = call.results[1];
  const graph::Value& labels = call.operands[1];
  const graph::Value x = b.cast(call.operands[0], max.element());
  const graph::Value& log_sum = call.results[2];
  const graph::Value& d = call.d_results[0];
  const double smoothing = operation.inputs[0];
  const double z = operation.inputs[1];
  const bool soft = is_float(labels.element());
  const graph::Value log_softmax = b.map(kSub, b.map(kShifted, x, max), log_sum);
  graph::Values gradients(2);
  if (call.wants(0)) {
    graph::Value weight;
    if (d) weight = soft ? b.map(kZeroTimes, d, weight_of(b, operation, labels)) : d;
    if (d && layout.z_loss) {
      const graph::Value slope = b.map(kMul, b.map(kAdd, log_sum, max), 2 * z);
      weight = b.map(kAdd, weight, b.map(kZeroTimes, d, slope));
    }
    if (const graph::Value& d_log_sum = call.d_results[2]) weight = weight ? b.map(kAdd, weight, d_log_sum) : d_log_sum;
    if (weight) gradients[0] = b.map(kZeroProduct, b.map(kExp, log_softmax), weight);
    if (d) {
      const graph::Value kept = layout.smoothed ? b.map(kMul, d, 1 - smoothing) : d;
      const graph::Value target =
          soft ? b.map(kZeroProduct, labels, kept)
               : b.where(b.map(kEq, labels, class_positions(b, operation, x)), kept, b.number(0, d.element()));
      gradients[0] = b.map(kSub, gradients[0], target);
      if (layout.smoothed)
        gradients[0] =
            b.map(kSub, gradients[0], b.map(kMul, d, smoothing / static_cast<double>(class_dim(operation).size)));
    }
  }
  if (call.wants(1) && d) {
    const graph::Value part = b.map(kZeroProduct, log_softmax, b.map(kMul, d, layout.smoothed ? smoothing - 1 : -1.0));
    gradients[1] = sum_to_operand(b, part, labels);
  }
  return gradients;
}

}  // namespace

constexpr graph::Op kCrossEntropy = complete({
    .name = "cross_entropy",
    .signature =
        "cross_entropy(logits: tensor, labels: tensor, over: dim, label_smoothing: number = 0, z_loss: number = 0)",
    .family = "Neural networks",
    .doc = "The cross-entropy between softmax(logits) along the dim `over` and `labels`, one number for each label. "
           "Labels are places in "
           "that dim, of type i32, or a distribution that has it and sums to 1. Smoothing spreads that part of the "
           "distribution over "
           "all classes; `z_loss` adds so much of the square of logsumexp(logits).",
    .example =
        "dim n = 3\nlet label = fill([], 2, i32)\nprint(cross_entropy(range(n) + 1, label, over: n))\n#> 0.407606\n",
    .samples =
        "x: [a, b], i: i32[a] in 0..3 => cross_entropy(x, i, over: b)\n"
        "x: [a, b, c], i: i32[a, c] in 0..3 => cross_entropy(x, i, over: b, label_smoothing: 0.1, z_loss: 0.01)\n"
        "x: [a, b], t: [a, b] in 0..1 => cross_entropy(x, t, over: b)\n"
        "x: [a, b], t: [b] in 0..1 => cross_entropy(x, t, over: b, label_smoothing: 0.2)",
    .build = build_cross_entropy,
    .attributes = &graph::kFormOf<CrossEntropyAttributes>,
    .infer = infer_cross_entropy,
    .space = cross_entropy_space,
    .kernel = cross_entropy_kernel,
    .expand = expand_cross_entropy,
    .work = graph::Work::kExpansion,
    .gradient = cross_entropy_gradient,
    .saved_results = 2,
});

constexpr graph::Op kPickLabel = complete({
    .name = "pick_label",
    .family = "Neural networks",
    .doc = "For each row the logit of its label; where the classes are split, a sum of which one processor has the "
           "only part.",
    .attributes = &graph::kFormOf<CrossEntropyAttributes>,
    .infer = [](const graph::Operation& operation) -> std::vector<TensorType> {
      return {{row_element(operation.operands[0].element), rows_without_classes(operation)}};
    },
    .space = [](const graph::Operation& operation) -> graph::IterationSpace {
      return ruled_space(operation, graph::SplitKind::kReduce, {class_dim(operation)});
    },
    .kernel = pick_label_kernel,
    .no_gradient = "it is part of cross_entropy, which has its own",
});

}  // namespace mtf::ops
