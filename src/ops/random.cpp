// Random numbers are functions of the seed, the number of random operations evaluated since `seed`, and the element's
// index in the gathered tensor with its dims in declared order. The bits are the same under every layout and number of
// processors.
//
//   operation                    dims           inputs
//   random.uniform               the result's   seed, call, low, high
//   random.normal                the result's   seed, call, mean, deviation
//   random.truncated_normal      the result's   seed, call, mean, deviation
//   random.integers              the result's   seed, call, low, high
#include "kernels/kernel_table.h"
#include "ops/blocks.h"
#include "ops/record.h"
#include "ops/shape.h"

namespace mtf::ops {
namespace {

kernels::RandomCall random_call(const graph::KernelCall& call) {
  return {static_cast<uint64_t>(static_cast<int64_t>(call.inputs[0])), static_cast<uint64_t>(call.inputs[1])};
}

std::vector<kernels::RandomDim> random_dims(const kernels::Block& block) {
  std::vector<kernels::RandomDim> dims;
  for (const kernels::BlockDim& dim : block.dims) dims.push_back({dim.first, dim.size, dim.whole, dim.stride});
  return dims;
}

template <auto kernels::KernelTable::*kFill>
void real_kernel(graph::KernelCall& call) {
  const kernels::Block& to = call.results[0];
  if (to.size() != 0)
    (kernels::table().*kFill)(random_call(call), random_dims(to), to.element, to.data, call.inputs[2], call.inputs[3],
                              call.threads);
}

void integers_kernel(graph::KernelCall& call) {
  const kernels::Block& to = call.results[0];
  if (to.size() == 0) return;
  kernels::table().fill_integers(random_call(call), random_dims(to), to.data, static_cast<int64_t>(call.inputs[2]),
                                 static_cast<int64_t>(call.inputs[3]), call.threads);
}

/// Adds a node of the next random call.
graph::Value draw(Builder& builder, const graph::Op& op, const TensorType& type, double first, double second) {
  const double call = builder.context.random_calls++;
  return builder.add_node(op, {}, TypeAttributes{type}, {builder.context.seed, call, first, second})[0];
}

/// `first` and `second` name the parameters of the distribution. The caller has checked the known numbers.
graph::Values build_real(Call& call, std::string_view first, double first_default, std::string_view second,
                         double second_default) {
  const Argument& element = call.argument("element");
  const TensorType type{element.given ? element.element : ElementType::kF32, call.argument("shape").dims};
  if (!is_float(type.element))
    fail(Diagnostic(Kind::wrong_element_type, call.span_of("element"),
                    fmt::format("expected f32, f64 or bf16, found {}", name(type.element)))
             .help("random.integers(shape, low, high) makes i32"));
  return {draw(call.builder, call.op, type, call.number(first, first_default), call.number(second, second_default))};
}

graph::Values build_uniform(Call& call) {
  const double low = call.number("low", 0), high = call.number("high", 1);
  const bool known = !call.argument("low").unknown && !call.argument("high").unknown;
  if (known && !(low <= high))
    fail(Kind::bad_value, call.span_of(call.argument("high").given ? "high" : "low"),
         "expected `low` below `high`, found {} and {}", low, high);
  return build_real(call, "low", 0, "high", 1);
}
graph::Values build_normal(Call& call) {
  const double deviation = call.number("stddev", 1);
  if (!call.argument("stddev").unknown && !(deviation >= 0))
    fail(Kind::bad_value, call.span_of("stddev"), "expected a deviation of 0 or more, found {}", deviation);
  return build_real(call, "mean", 0, "stddev", 1);
}

graph::Values build_integers(Call& call) {
  const double low = call.number("low", 0), high = call.number("high", 0);
  const bool known = !call.argument("low").unknown && !call.argument("high").unknown;
  if (known && (low < INT32_MIN || high > static_cast<double>(INT32_MAX) + 1))
    fail(Kind::bad_value, call.span, "expected bounds that fit in i32, found {} and {}", low, high);
  if (known && low >= high)
    fail(Kind::bad_value, call.span_of("high"), "expected more than `low`, which is {}, found {}", low, high);
  return {draw(call.builder, call.op, {ElementType::kI32, call.argument("shape").dims}, low, high)};
}

/// Kept elements are scaled by 1 / (1 - rate), so that the mean does not change.
graph::Values build_dropout(Call& call) {
  Builder& builder = call.builder;
  const double rate = call.number("rate", 0.1);
  if (!call.argument("rate").unknown && !(rate >= 0 && rate <= 1))
    fail(Kind::bad_value, call.span_of("rate"), "expected the part to drop, from 0 to 1, found {}", rate);
  const graph::Value x = builder.cast(call.tensor("x"), real_element(call.tensor("x").element()));
  const graph::Value numbers = made_like(builder, x, [&] {
    return draw(builder, kRandomUniform, {ElementType::kF32, x.dims()}, 0, 1);
  });
  const graph::Value kept = builder.map(kGe, numbers, rate);
  return {builder.where(kept, builder.map(kMul, x, rate < 1 ? 1 / (1 - rate) : 0), builder.number(0, x.element()))};
}

/// The largest of the logits after independent Gumbel noise is added to each (Gumbel, 1954).
graph::Values build_categorical(Call& call) {
  Builder& b = call.builder;
  const ElementType element = real_element(call.tensor("logits").element());
  const graph::Value logits =
      b.cast(call.tensor("logits"), element == ElementType::kBf16 ? ElementType::kF32 : element);
  const int dim = position_of(logits, dim_over(call, "logits"), call.span_of("over"));
  const graph::Value numbers = made_like(b, logits, [&] {
    return draw(b, kRandomUniform, {logits.element(), logits.dims()}, 0, 1);
  });
  const graph::Value exponential = b.map(kNeg, b.map(kLog, numbers));
  return {b.add(kArgmax, {b.map(kSub, logits, b.map(kLog, exponential))}, OverAttributes{logits.dims()[dim].name})};
}

consteval graph::Op random(graph::Op op) {
  op.family = "Random numbers";
  op.attributes = &graph::kFormOf<TypeAttributes>;
  op.infer = infer_type;
  op.space = elementwise_space;
  op.random_call = 1;
  op.no_gradient = "random numbers depend on the seed, the number of the call and the place alone";
  return complete(op);
}

}  // namespace

constexpr graph::Op kRandomUniform =
    random({.name = "random.uniform",
            .signature = "random.uniform(shape: shape, low: number = 0, high: number = 1, element: element = f32)",
            .doc = "Random numbers, each as likely, from `low` up to but without `high`; of bf16 rounded down.",
            .example = "dim a = 1000\n"
                       "let x = random.uniform([a], low: 2, high: 4)\n"
                       "print(all(x >= 2), all(x < 4))\n"
                       "#> true true\n",
            .samples = "=> random.uniform([a, b])\n"
                       "=> random.uniform([a, b], low: -3, high: 5, f64)",
            .build = build_uniform,
            .kernel = real_kernel<&kernels::KernelTable::fill_uniform>});

constexpr graph::Op kRandomNormal =
    random({.name = "random.normal",
            .signature = "random.normal(shape: shape, mean: number = 0, stddev: number = 1, element: element = f32)",
            .doc = "Random numbers of a normal distribution.",
            .example = "dim a = 10000\n"
                       "let x = random.normal([a], mean: 3, stddev: 2)\n"
                       "print(abs(mean(x) - 3) < 0.1)\n"
                       "#> true\n",
            .samples = "=> random.normal([a, b])\n"
                       "=> random.normal([a, b], mean: 1, stddev: 2, bf16)",
            .build = build_normal,
            .kernel = real_kernel<&kernels::KernelTable::fill_normal>});

constexpr graph::Op kRandomTruncatedNormal = random(
    {.name = "random.truncated_normal",
     .signature = "random.truncated_normal(shape: shape, mean: number = 0, stddev: number = 1, element: element = f32)",
     .doc = "Random numbers of a normal distribution, but only within two standard deviations of the mean.",
     .example = "dim a = 10000\n"
                "let x = random.truncated_normal([a], stddev: 0.5)\n"
                "print(all(abs(x) <= 1))\n"
                "#> true\n",
     .samples = "=> random.truncated_normal([a, b])",
     .build = build_normal,
     .kernel = real_kernel<&kernels::KernelTable::fill_truncated_normal>});

constexpr graph::Op kRandomIntegers =
    random({.name = "random.integers",
            .signature = "random.integers(shape: shape, low: int, high: int)",
            .doc = "Random integers (i32), each as likely, from `low` up to but without `high`.",
            .example = "dim a = 1000\n"
                       "let x = random.integers([a], 0, 10)\n"
                       "print(min(x), max(x))\n"
                       "#> 0 9\n",
            .samples = "=> random.integers([a, b], -3, 5)",
            .build = build_integers,
            .kernel = integers_kernel});

constexpr graph::Op kDropout = complete({.name = "dropout",
                                         .signature = "dropout(x: tensor, rate: number = 0.1)",
                                         .family = "Random numbers",
                                         .doc = "Sets a random part of the elements to 0, each with probability "
                                                "`rate`, and divides the others by 1 - rate. Counts as one "
                                                "random operation; integers become f32.",
                                         .example = "dim a = 10000\n"
                                                    "let x = dropout(ones([a]), rate: 0.5)\n"
                                                    "print(all((x == 0) or (x == 2)))\n"
                                                    "#> true\n",
                                         .samples = "x: [a, b] => dropout(x, rate: 0.5)",
                                         .build = build_dropout});

constexpr graph::Op kRandomCategorical = complete(
    {.name = "random.categorical",
     .signature = "random.categorical(logits: tensor, over: dim = the only one)",
     .family = "Random numbers",
     .doc = "A random place (i32) along a dimension for each row, with the probabilities softmax(logits); a "
            "logit of minus infinity is never taken. Counts as one random operation.",
     .example = "dim a = 10000, classes = 3\n"
                "let x = random.categorical(broadcast(log(tensor([1, 0, 3], [classes])) -> [a, classes]), over: "
                "classes)\n"
                "print(max(abs(mean(one_hot(x, classes), over: a) - tensor([0.25, 0, 0.75], [classes]))) < "
                "0.02)\n"
                "#> true\n",
     .samples = "x: [a, b] => random.categorical(x, over: b)",
     .build = build_categorical});

}  // namespace mtf::ops
