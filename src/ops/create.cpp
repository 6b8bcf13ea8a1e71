// Operations that create a tensor: zeros, ones, fill, zeros_like, range, tensor, one_hot.
#include <cmath>

#include "ops/blocks.h"
#include "ops/record.h"
#include "ops/shape.h"
#include "support/text.h"

namespace mtf::ops {
namespace {

/// The attributes of one_hot: the dim of classes that each label becomes, and the element type.
struct OneHotAttributes {
  Dim classes;
  ElementType element;
  static constexpr auto members() {
    return std::array{graph::member<&OneHotAttributes::classes>("classes"),
                      graph::member<&OneHotAttributes::element>("element")};
  }
};

ElementType element_of(const Call& call) {
  const Argument& element = call.argument("element");
  return element.given ? element.element : ElementType::kF32;
}

/// Fails if `element` cannot hold a number exactly: a fraction as i32, anything but 0 and 1 as bool.
void require_fits(double number, ElementType element, Span span) {
  if (std::isnan(number) && is_float(element)) return;
  if (element == ElementType::kI32 && !(number >= INT32_MIN && number <= INT32_MAX && number == std::floor(number)))
    fail(Kind::wrong_element_type, span, "expected integers of 32 bits, found {}", number);
  if (element == ElementType::kBool && number != 0 && number != 1)
    fail(Kind::wrong_element_type, span, "expected 0 or 1 (or false or true) for bool, found {}", number);
}

graph::Values build_filled(Call& call, double number, bool unknown = false) {
  const ElementType element = element_of(call);
  if (!unknown) require_fits(number, element, call.span);
  return {filled(call.builder, number, {element, call.argument("shape").dims})};
}

// ---- tensor ---------------------------------------------------------------------------------------------------------

void tensor_kernel(graph::KernelCall& call) {
  const kernels::Block& to = call.results[0];
  Walk<2> walk;  // through the numbers, and through the block
  int64_t whole = 1, first = 0;
  std::vector<int64_t> strides(to.dims.size());
  for (size_t d = to.dims.size(); d-- > 0;) {
    strides[d] = whole;
    first += to.dims[d].first * whole;
    whole *= to.dims[d].whole;
  }
  MTF_CHECK(whole == static_cast<int64_t>(call.inputs.size()), "{} numbers for {} elements", call.inputs.size(), whole);
  for (size_t d = 0; d < to.dims.size(); ++d) walk.add(to.dims[d].size, {strides[d], to.dims[d].stride});
  by_element(to.element, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t position = 0; position < walk.count(); ++position, walk.next())
      to.as<T>()[walk.offset(1)] = to_element<T>(call.inputs[first + walk.offset(0)]);
  });
}

std::string sizes_text(const std::vector<int64_t>& sizes) {
  std::vector<std::string> parts;
  for (int64_t size : sizes) parts.push_back(std::to_string(size));
  return sizes.empty() ? "one number" : join(parts, " by ") + (sizes.size() == 1 ? " numbers" : "");
}

graph::Values build_tensor(Call& call) {
  const NestedNumbers& nested = call.argument("numbers").nested;
  const Dims& dims = call.argument("shape").dims;
  const ElementType element = element_of(call);
  const Span span = call.span_of("numbers");
  if (nested.sizes.size() != dims.size())
    fail(Diagnostic(Kind::rank_mismatch, span,
                    fmt::format("expected lists nested {} deep for {}, found {}", dims.size(), to_string(dims),
                                sizes_text(nested.sizes)))
             .related(call.span_of("shape"), to_string(dims)));
  for (size_t d = 0; d < dims.size(); ++d)
    if (nested.sizes[d] != dims[d].size)
      fail(Diagnostic(Kind::shape_mismatch, span,
                      fmt::format("expected {} for {}, found {} in {}", dims[d].size, to_string(dims[d]),
                                  nested.sizes[d], sizes_text(nested.sizes)))
               .related(call.span_of("shape"), to_string(dims)));
  for (double number : nested.numbers) require_fits(number, element, span);
  return {call.builder.add(kTensor, {}, TypeAttributes{{element, dims}}, nested.numbers)};
}

// ---- range ----------------------------------------------------------------------------------------------------------

void range_kernel(graph::KernelCall& call) {
  const kernels::BlockDim& dim = call.results[0].dims[0];
  for (int64_t i = 0; i < dim.size; ++i)
    call.results[0].as<int32_t>()[i * dim.stride] = static_cast<int32_t>(dim.first + i);
}

graph::Values build_range(Call& call) {
  const Dim& dim = call.argument("dim").dims[0];
  if (dim.size > INT32_MAX)
    fail(Kind::size_overflow, call.span_of("dim"), "{} is too large to be counted in i32", to_string(dim));
  return {call.builder.range(dim)};
}

// ---- one_hot --------------------------------------------------------------------------------------------------------

void one_hot_kernel(graph::KernelCall& call) {
  const kernels::Block& labels = call.operands[0];
  const kernels::Block& to = call.results[0];
  const kernels::BlockDim& classes = to.dims.back();
  fill(to, 0);
  Walk<2> walk;
  for (size_t d = 0; d < labels.dims.size(); ++d)
    walk.add(labels.dims[d].size, {labels.dims[d].stride, to.dims[d].stride});
  by_element(to.element, [&](auto zero) {
    using T = decltype(zero);
    for_each_position(call.threads, walk, 1, [&](const Walk<2>& at) {
      const int64_t label = labels.as<int32_t>()[at.offset(0)];
      if (label < 0 || label >= classes.whole)
        throw graph::ElementError{fmt::format("expected a label from 0 to {} for {}, found {}", classes.whole - 1,
                                              to_string(call.operation.results[0].dims.back()), label)};
      const int64_t position = label - classes.first;
      if (position >= 0 && position < classes.size)
        to.as<T>()[at.offset(1) + position * classes.stride] = to_element<T>(1);
    });
  });
}

graph::Values build_one_hot(Call& call) {
  const graph::Value& labels = call.tensor("labels");
  check_element(call, "labels", ElementType::kI32, "cast the labels: cast(x, i32)");
  const Dim& classes = call.argument("classes").dims[0];
  if (has_dim(labels.dims(), classes.name))
    fail(Kind::dim_twice, call.span_of("classes"), "expected a dimension that {} lacks, found `{}`",
         to_string(labels.type()), classes.name.text());
  return {call.builder.add(kOneHot, {labels}, OneHotAttributes{classes, element_of(call)})};
}

graph::Values build_triangle(Call& call) {
  Builder& b = call.builder;
  const Dim &rows = call.argument("rows").dims[0], &columns = call.argument("columns").dims[0];
  if (rows.name == columns.name)
    fail(Diagnostic(Kind::dim_twice, call.span_of("columns"),
                    fmt::format("expected another dimension than the rows', found `{}` again", columns.name.text()))
             .help(fmt::format("`{}'` is a dim of the same size", columns.name.text())));
  const graph::Value last = b.map(kAdd, b.range(rows), call.number("offset", 0));
  return {b.map(kGe, last, b.range(columns))};
}

}  // namespace

graph::Value own_value(Builder& builder, const graph::Value& result, const graph::Value& x) {
  return result == x ? builder.add(kCopy, {x}) : result;
}

graph::Value filled(Builder& builder, double number, const TensorType& type) {
  return builder.add(kBroadcast, {builder.number(number, type.element)}, BroadcastAttributes{.result = type.dims});
}

graph::Value zeros(Builder& builder, const TensorType& type) {
  return builder.add(kBroadcast, {builder.number(0, type.element)},
                     BroadcastAttributes{.result = type.dims, .always_zero = true});
}

graph::Value made_like(Builder& builder, const graph::Value& like, const std::function<graph::Value()>& make) {
  struct Restore {
    Builder& builder;
    MeshPtr mesh;
    LayoutPtr layout;
    ~Restore() {
      builder.context.mesh = mesh;
      builder.context.layout = layout;
    }
  } restore{builder, builder.context.mesh, builder.context.layout};
  builder.context.mesh = like.mesh();
  builder.context.layout = nullptr;
  return builder.laid_like(make(), like);
}

constexpr graph::Op kZeros = complete({.name = "zeros",
                                       .signature = "zeros(shape: shape, element: element = f32)",
                                       .family = "Making tensors",
                                       .doc = "A tensor of zeros.",
                                       .example = "dim a = 3\nprint(zeros([a]))\n#> [0, 0, 0]\n",
                                       .samples = "=> zeros([a, b])",
                                       .build = [](Call& call) -> graph::Values {
                                         return {zeros(call.builder, {element_of(call), call.argument("shape").dims})};
                                       }});

constexpr graph::Op kOnes = complete({.name = "ones",
                                      .signature = "ones(shape: shape, element: element = f32)",
                                      .family = "Making tensors",
                                      .doc = "A tensor of ones.",
                                      .example = "dim a = 3\nprint(ones([a], i32))\n#> [1, 1, 1]\n",
                                      .samples = "=> ones([a, b])",
                                      .build = [](Call& call) -> graph::Values { return build_filled(call, 1); }});

constexpr graph::Op kFill =
    complete({.name = "fill",
              .signature = "fill(shape: shape, value: number, element: element = f32)",
              .family = "Making tensors",
              .doc = "A tensor with one number everywhere.",
              .example = "dim a = 2, b = 2\nprint(fill([a, b], 2.5))\n#> [[2.5, 2.5], [2.5, 2.5]]\n",
              .samples = "=> fill([a, b], 2.5)",
              .build = [](Call& call) -> graph::Values {
                return build_filled(call, call.argument("value").number, call.argument("value").unknown);
              }});

constexpr graph::Op kZerosLike = complete(
    {.name = "zeros_like",
     .signature = "zeros_like(x: tensor)",
     .family = "Making tensors",
     .doc =
         "Zeros with the dimensions, the element type and the layout of `x`, such as the state that an optimizer keeps "
         "for a parameter.",
     .example = "dim a = 2\nprint(zeros_like(tensor([3, 4], [a])))\n#> [0, 0]\n",
     .samples = "x: [a, b] => zeros_like(x)",
     .build = [](Call& call) -> graph::Values {
       const graph::Value& x = call.tensor("x");
       return {made_like(call.builder, x, [&] { return zeros(call.builder, x.type()); })};
     }});

constexpr graph::Op kRange =
    complete({.name = "range",
              .signature = "range(dim: dim)",
              .family = "Making tensors",
              .doc = "0, 1, 2, … along a dimension, as i32.",
              .example = "dim a = 4\nprint(range(a))\n#> [0, 1, 2, 3]\n",
              .samples = "=> range(a)",
              .build = build_range,
              .attributes = &graph::kFormOf<RangeAttributes>,
              .infer = [](const graph::Operation& operation) -> std::vector<TensorType> {
                return {{ElementType::kI32, {operation.attributes.get<RangeAttributes>().dim}}};
              },
              .space = elementwise_space,
              .kernel = range_kernel,
              .no_gradient = "a range depends on nothing"});

constexpr graph::Op kTensor =
    complete({.name = "tensor",
              .signature = "tensor(numbers: nested, shape: shape, element: element = f32)",
              .family = "Making tensors",
              .doc = "The numbers of nested lists, a level for each dimension of the shape. As i32 they must be "
                     "integers, as bool 0 or 1.",
              .example = "dim a = 2, b = 3\n"
                         "print(tensor([[1, 2, 3], [4, 5, 6]], [a, b]))\n"
                         "#> [[1, 2, 3], [4, 5, 6]]\n",
              .samples = "dim two = 2, three = 3; => tensor([[1, 2, 3], [4, 5, 6]], [two, three])",
              .build = build_tensor,
              .attributes = &graph::kFormOf<TypeAttributes>,
              .infer = infer_type,
              .space = elementwise_space,
              .kernel = tensor_kernel,
              .no_gradient = "numbers written in the program depend on nothing"});

constexpr graph::Op kOneHot = complete({.name = "one_hot",
                                        .signature = "one_hot(labels: tensor, classes: dim, element: element = f32)",
                                        .family = "Making tensors",
                                        .doc = "For each label (i32) a row of `classes`, the last dimension of the "
                                               "result: 1 at the label's place, 0 elsewhere. "
                                               "A label outside the classes ends the run with an error.",
                                        .example = "dim a = 2, classes = 3\n"
                                                   "print(one_hot(tensor([2, 0], [a], i32), classes))\n"
                                                   "#> [[0, 0, 1], [1, 0, 0]]\n",
                                        .samples = "dim classes = 4; i: i32[a] in 0..4 => one_hot(i, classes)\n"
                                                   "dim classes = 4; i: i32[a, b] in 0..4 => one_hot(i, classes, i32)",
                                        .build = build_one_hot,
                                        .attributes = &graph::kFormOf<OneHotAttributes>,
                                        .infer = [](const graph::Operation& operation) -> std::vector<TensorType> {
                                          const OneHotAttributes& made = operation.attributes.get<OneHotAttributes>();
                                          Dims dims = operation.operands[0].dims;
                                          dims.push_back(made.classes);
                                          return {{made.element, dims}};
                                        },
                                        .space = elementwise_space,
                                        .kernel = one_hot_kernel,
                                        .no_gradient = "a place in a row does not change with a label's size"});

constexpr graph::Op kTriangle = complete(
    {.name = "triangle",
     .signature = "triangle(rows: dim, columns: dim, offset: int = 0)",
     .family = "Making tensors",
     .doc = "A mask (bool) that is true on and below the diagonal: where the column is at most the row plus `offset`. "
            "`not triangle(a, b, offset: -1)` is true on and above it.",
     .example = "dim a = 3\nprint(triangle(a, a'))\n#> [[true, false, false], [true, true, false], [true, true, "
                "true]]\n",
     .samples = "=> triangle(a, b)\n=> triangle(a, b, offset: -1)",
     .build = build_triangle});

}  // namespace mtf::ops
