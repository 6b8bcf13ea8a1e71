// Leaves of the graph, and operations that change no element.
#include "ops/elementwise.h"

namespace mtf::ops {
namespace {

graph::Values pass(graph::GradientCall& call) { return {call.d_results[0]}; }

graph::Values build_identity(Call& call) { return call.builder.add_node(call.op, tensor_arguments(call)); }

consteval graph::Op identity(graph::Op op) {
  op.infer = infer_same;
  op.space = elementwise_space;
  op.role = graph::Role::kView;
  if (!op.signature.empty()) op.build = build_identity;
  return complete(op);
}

graph::IterationSpace leaf_space(const graph::Operation& operation) { return elementwise_space(operation); }

std::vector<TensorType> cast_result(const graph::Operation& operation) {
  return {{operation.attributes.get<CastAttributes>().to, operation.operands[0].dims}};
}

graph::Values cast_back(graph::GradientCall& g) { return {g.builder.cast(g.d_results[0], g.operands[0].element())}; }

}  // namespace

constexpr graph::Op kCast = complete({
    .name = "cast",
    .signature = "cast(x: tensor, to: element)",
    .family = "Element-wise",
    .doc = "The elements in another type. A float becomes an i32 by dropping what is behind the point (NaN gives 0, "
           "too large a number "
           "the largest i32); a number becomes a bool by `!= 0`. Counts no floating-point operations.",
    .example = "dim n = 3\nprint(cast(tensor([-1.5, 0, 1.5], [n]), i32))\n#> [-1, 0, 1]\n",
    .samples = "x: [a, b] => cast(x, f64)\nx: [a] => cast(x, bf16)\nx: i32[a] in -3..3 => cast(x, bool)\nx: bool[a] => "
               "cast(x, f32)",
    .build = [](Call& call) -> graph::Values {
      const graph::Value& x = call.tensor("x");
      const ElementType element = call.argument("to").element;
      if (x.element() == element) return {call.builder.add(kCopy, {x})};
      return call.builder.add_node(call.op, {x}, CastAttributes{element});
    },
    .attributes = &graph::kFormOf<CastAttributes>,
    .infer = cast_result,
    .space = elementwise_space,
    .lane = kernels::LaneOp::kCast,
    .gradient = cast_back,
});

constexpr graph::Op kCastLike = complete({
    .name = "cast_like",
    .signature = "cast_like(x: tensor, like: tensor)",
    .family = "Element-wise",
    .doc = "`cast` to the element type of another tensor, of which nothing else is read.",
    .example = "dim n = 2\nlet x = tensor([1, 3], [n], i32)\nprint(cast_like(x, zeros([n], f64)) / 2)\n#> [0.5, 1.5]\n",
    .samples = "x: [a, b], y: bf16[a] => cast_like(x, y)\nx: i32[a] in -3..3, y: f64[b] => cast_like(x, y)",
    .build = [](Call& call) -> graph::Values {
      const graph::Value& x = call.tensor("x");
      const ElementType element = call.tensor("like").element();
      return {x.element() == element ? call.builder.add(kCopy, {x}) : call.builder.cast(x, element)};
    },
});

constexpr graph::Op kCastParts = complete({
    .name = "cast_parts",
    .signature = "cast_parts(x: tensor, to: element)",
    .family = "Element-wise",
    .doc =
        "`cast` of floats to a type that is no wider, before processors add up x. Where x is a sum over a split dim, "
        "each processor rounds its part, and the parts are kept and sent in this type. A sum of iterations, which "
        "`scan` carries from zero, stays in parts too. So gradients of parameters take half the memory and half the "
        "bytes under `precision mixed`; layouts then agree to the tolerance of the type.",
    .example = "dim n = 2\nprint(cast_parts(tensor([1, 1.001], [n]), bf16))\n#> [1, 1]\n",
    .samples = "x: [a, b] => cast_parts(x, bf16)\nx: [a] => cast_parts(x, bf16)",
    .build = [](Call& call) -> graph::Values {
      const graph::Value& x = call.tensor("x");
      const ElementType to = call.argument("to").element;
      if (!is_float(x.element()) || !is_float(to) || size_of(to) > size_of(x.element()))
        fail(Diagnostic(Kind::wrong_element_type, call.span_of("to"),
                        fmt::format("`cast_parts` needs floats and a type that is no wider, found {} to {}",
                                    name(x.element()), name(to)))
                 .help("other elements are changed by `cast`"));
      if (x.element() == to) return {call.builder.add(kCopy, {x})};
      return call.builder.add_node(call.op, {x}, CastAttributes{to});
    },
    .attributes = &graph::kFormOf<CastAttributes>,
    .infer = cast_result,
    .space = elementwise_space,
    .lane = kernels::LaneOp::kCast,
    .gradient = cast_back,
    .linear = graph::Linear::kEach,
});

constexpr graph::Op kAsMultiplied = complete({
    .name = "as_multiplied",
    .signature = "as_multiplied(x: tensor)",
    .family = "Element-wise",
    .doc =
        "x in the element type in which products read it: f32 under `precision bf16` and `mixed` as bf16, all else as "
        "it is. What is kept to be multiplied again and again, such as the keys and values of what was read, takes "
        "half the memory so, and its products are the same.",
    .example = "dim n = 2\nprecision bf16\nprint(as_multiplied(tensor([1, 1.001], [n])))\n#> [1, 1]\n",
    .samples = "x: [a, b] => as_multiplied(x)\nx: i32[a] in -3..3 => as_multiplied(x)",
    .build = [](Call& call) -> graph::Values {
      const graph::Value& x = call.tensor("x");
      const ElementType element = multiplied_element(call.builder, x.element());
      return {x.element() == element ? call.builder.add(kCopy, {x}) : call.builder.cast(x, element)};
    },
});

constexpr graph::Op kCopy = identity({
    .name = "copy",
    .signature = "copy(x: tensor)",
    .family = "Element-wise",
    .doc = "The value that x has now: where x is a `param` or `state`, later assignments to it do not change the copy.",
    .example = "model M() { state n: [] = 1 }\nlet m = M()\nlet before = copy(m.n)\nm.n := m.n + 1\nprint(before, "
               "m.n)\n#> 1 2\n",
    .samples = "x: [a, b] => copy(x)",
    .gradient = pass,
    .linear = graph::Linear::kEach,
});

constexpr graph::Op kStopGradient = identity({
    .name = "stop_gradient",
    .signature = "stop_gradient(x: tensor)",
    .family = "Gradients",
    .doc = "x itself, but no gradient goes through it: it is a constant to `grad`.",
    .example = "dim n = 2\nlet x = tensor([3, 4], [n])\nprint(grad(sum(x * stop_gradient(x)), [x])[0])\n#> [3, 4]\n",
    .samples = "x: i32[a, b] in -3..3 => stop_gradient(x)",
    .gradient = zero_gradient,
    .ends_gradients = true,
    .linear = graph::Linear::kEach,
});

constexpr graph::Op kLayout = identity({
    .name = "layout",
    .family = "Layouts",
    .doc = "The operand in a layout that is given instead of decided: `x @ {batch -> rows}`.",
    .gradient = pass,
    .linear = graph::Linear::kEach,
});

constexpr graph::Op kAssign = identity({
    .name = "assign",
    .family = "Layouts",
    .doc = "What a `param` or `state` is from an assignment on; gradients end here.",
    .gradient = zero_gradient,
    .ends_gradients = true,
});

constexpr graph::Op kNumber = complete({
    .name = "number",
    .family = "Leaves",
    .doc = "A number of the host, Node::inputs[0], as a tensor without dims.",
    .attributes = &graph::kFormOf<TypeAttributes>,
    .infer = infer_type,
    .space = leaf_space,
    .role = graph::Role::kNumber,
});

constexpr graph::Op kConstant = complete({
    .name = "constant",
    .family = "Leaves",
    .doc = "A tensor that is computed from the start: a literal, or what a file held.",
    .attributes = &graph::kFormOf<TypeAttributes>,
    .infer = infer_type,
    .space = leaf_space,
    .role = graph::Role::kData,
});

}  // namespace mtf::ops
