// Operations that change the dims of a tensor: reshape, rename, broadcast.
#include <numeric>

#include "ops/shape.h"

#include "ops/blocks.h"
#include "ops/record.h"
#include "support/text.h"

namespace mtf::ops {
namespace {

Span arrow_span(const Call& call) { return call.arrow_span.is_known() ? call.arrow_span : call.span; }

// ---- reshape --------------------------------------------------------------------------------------------------------

/// Dims of the operand and of the result that hold the same elements: [from, from_end) and [to, to_end). Groups are
/// minimal. A dim of size 1 without a counterpart is in no group.
struct Group {
  int from, from_end, to, to_end;
};

std::vector<Group> groups_of(const Dims& from, const Dims& to) {
  std::vector<Group> groups;
  const int m = static_cast<int>(from.size()), n = static_cast<int>(to.size());
  for (int i = 0, j = 0; i < m && j < n;) {
    if (from[i].size == 0 || to[j].size == 0) return {};
    if (from[i].size == 1 && to[j].size != 1) {
      ++i;
      continue;
    }
    if (to[j].size == 1 && from[i].size != 1) {
      ++j;
      continue;
    }
    Group group{i, i + 1, j, j + 1};
    for (int64_t a = from[i].size, b = to[j].size; a != b;) {
      if (a < b) {
        if (group.from_end == m) return groups;
        a *= from[group.from_end++].size;
      } else {
        if (group.to_end == n) return groups;
        b *= to[group.to_end++].size;
      }
    }
    groups.push_back(group);
    i = group.from_end;
    j = group.to_end;
  }
  return groups;
}

int64_t product(const Dims& dims, int first, int last) {
  int64_t size = 1;
  for (int i = first; i < last; ++i) size *= dims[i].size;
  return size;
}

graph::IterationSpace reshape_space(const graph::Operation& operation) {
  graph::IterationSpace space;
  const Dims& from = operation.operands[0].dims;
  const Dims& to = operation.results[0].dims;
  for (const Group& group : groups_of(from, to)) {
    graph::IterationDim dim;
    dim.operands = {static_cast<int8_t>(group.from)};
    dim.results = {static_cast<int8_t>(group.to)};
    if (group.from_end - group.from > 1 || group.to_end - group.to > 1) {
      dim.kind = graph::SplitKind::kFactors;
      dim.operand_granule = product(from, group.from + 1, group.from_end);
      dim.result_granule = product(to, group.to + 1, group.to_end);
    }
    space.dims.push_back(dim);
  }
  return space;
}

/// Two blocks with the same elements in row-major order, as one box with two sets of strides. There is none if the
/// sizes have no common factors, as for [2, 3] and [3, 2].
struct CommonBox {
  std::vector<Run> box;
  kernels::Block from, to;
};
std::optional<CommonBox> common_box(const kernels::Block& from, const kernels::Block& to) {
  CommonBox common{{}, {from.element, from.data, {}}, {to.element, to.data, {}}};
  int i = static_cast<int>(from.dims.size()) - 1, j = static_cast<int>(to.dims.size()) - 1;
  int64_t a = 1, b = 1, a_stride = 1, b_stride = 1;  // the remainders of the current dims
  while (true) {
    while (a == 1 && i >= 0) {
      a = from.dims[i].size;
      a_stride = from.dims[i--].stride;
    }
    while (b == 1 && j >= 0) {
      b = to.dims[j].size;
      b_stride = to.dims[j--].stride;
    }
    if (a == 1 && b == 1) return common;
    const int64_t part = std::min(a, b);
    if (part == 1 || a % part != 0 || b % part != 0) return std::nullopt;
    common.from.dims.push_back({0, part, part, a_stride});
    common.to.dims.push_back({0, part, part, b_stride});
    a /= part;
    b /= part;
    a_stride *= part;
    b_stride *= part;
  }
}

kernels::Block row_major(const kernels::Block& like, void* data) {
  kernels::Block block = like;
  block.data = data;
  int64_t stride = 1;
  for (size_t d = block.dims.size(); d-- > 0;) {
    block.dims[d].stride = stride;
    stride *= block.dims[d].size;
  }
  return block;
}

void reshape_kernel(graph::KernelCall& call) {
  const kernels::Block& from = call.operands[0];
  const kernels::Block& to = call.results[0];
  MTF_CHECK(from.size() == to.size(), "a block of {} elements reshaped to one of {}", from.size(), to.size());
  if (to.size() == 0) return;
  if (const auto common = common_box(from, to)) {
    copy_all(call.threads, common->from, common->to, in_order(common->to.dims.size()));
    return;
  }
  std::vector<std::byte> buffer(static_cast<size_t>(from.size() * size_of(from.element)));
  const kernels::Block packed = row_major(from, buffer.data());
  copy_all(call.threads, from, packed, in_order(from.dims.size()));
  copy_all(call.threads, row_major({from.element, buffer.data(), to.dims}, buffer.data()), to,
           in_order(to.dims.size()));
}

/// Fails because `to` has another number of elements than `of` (x, or some of its dims).
[[noreturn]] void fail_of_size(const graph::Value& x, int64_t expected, const std::string& of, const Dims& to,
                               Span span) {
  const auto size = checked_size(to);
  const std::string found = size ? fmt::format("{} in {}", thousands(*size), to_string(to)) : to_string(to);
  fail(Diagnostic(Kind::size_mismatch, span,
                  fmt::format("expected {} as in {}, found {}", count_text(expected, "element"), of, found))
           .related(x.operation().span, to_string(x.type())));
}

/// Fails unless the new dims of a group have as many elements as the old ones, and each dim is in one group only.
void check_group(const graph::Value& x, const DimGroup& group, const Dims& taken) {
  for (const Dim& dim : group.from) {
    position_of(x, dim, group.span);
    if (has_dim(taken, dim.name)) fail(Kind::dim_twice, group.span, "`{}` stands twice", dim.name.text());
  }
  if (group.from.empty()) fail(Kind::type_mismatch, group.span, "expected dimensions of {}, found []", describe(x));
  if (checked_size(group.to) != size_of(group.from))
    fail_of_size(x, size_of(group.from), to_string(group.from), group.to, group.span);
}

/// Replaces each group of dims, in the position of the group's first dim in the tensor. The other dims stay.
graph::Values build_regrouped(Call& call, const graph::Value& x) {
  Dims taken, before, after;
  for (const DimGroup& group : call.groups) {
    check_group(x, group, taken);
    taken.insert(taken.end(), group.from.begin(), group.from.end());
  }
  const auto append = [&](const Dims& from, const Dims& to, Span span) {
    before.insert(before.end(), from.begin(), from.end());
    for (const Dim& dim : to) {
      if (has_dim(after, dim.name)) fail(Kind::dim_twice, span, "the result has `{}` already", dim.name.text());
      after.push_back(dim);
    }
  };
  for (const Dim& dim : x.dims()) {
    const auto group = std::find_if(call.groups.begin(), call.groups.end(),
                                    [&](const DimGroup& each) { return has_dim(each.from, dim.name); });
    if (group == call.groups.end()) append({dim}, {dim}, call.span);
    else if (!has_dim(before, dim.name)) append(group->from, group->to, group->span);
  }
  const graph::Value ordered = before == x.dims() ? x : call.builder.broadcast(x, before);
  return {own_value(call.builder, call.builder.reshape(ordered, after), x)};
}

graph::Values build_reshape(Call& call) {
  const graph::Value& x = call.tensor("x");
  if (!call.groups.empty()) return build_regrouped(call, x);
  const Dims& dims = *call.arrow;
  if (checked_size(dims) != size_of(x.dims()))
    fail_of_size(x, size_of(x.dims()), to_string(x.type()), dims, arrow_span(call));
  return {own_value(call.builder, call.builder.reshape(x, dims), x)};
}

// ---- rename ---------------------------------------------------------------------------------------------------------

graph::IterationSpace same_positions(const graph::Operation& operation) {
  graph::IterationSpace space;
  for (size_t d = 0; d < operation.results[0].dims.size(); ++d)
    space.dims.push_back({.operands = {static_cast<int8_t>(d)}, .results = {static_cast<int8_t>(d)}});
  return space;
}

std::vector<TensorType> infer_rename(const graph::Operation& operation) {
  TensorType type = operation.operands[0];
  const Names& names = operation.attributes.get<RenameAttributes>().result;
  MTF_CHECK(names.size() == type.dims.size(), "{} names for {}", names.size(), to_string(type));
  for (size_t d = 0; d < names.size(); ++d) type.dims[d].name = names[d];
  return {type};
}

graph::Values build_rename(Call& call) {
  const graph::Value& x = call.tensor("x");
  Dims dims = x.dims();
  std::vector<bool> renamed(dims.size());
  for (const auto& [from, to] : call.pairs) {
    const int position = position_of(x, from, arrow_span(call));
    if (renamed[position]) fail(Kind::duplicate_argument, arrow_span(call), "`{}` is renamed twice", from.name.text());
    renamed[position] = true;
    if (from.size != to.size)
      fail(Kind::size_mismatch, arrow_span(call), "`{}` has {}, expected {} as `{}` has in {}", to.name.text(), to.size,
           x.dims()[position].size, from.name.text(), to_string(x.type()));
    dims[position] = to;
  }
  return {own_value(call.builder, call.builder.rename(x, dims), x)};
}

// ---- broadcast ------------------------------------------------------------------------------------------------------

void broadcast_kernel(graph::KernelCall& call) {
  copy_all(call.threads, call.operands[0], call.results[0],
           positions_in(call.operation.results[0].dims, call.operation.operands[0].dims));
}

graph::Values build_broadcast(Call& call) {
  const graph::Value& x = call.tensor("x");
  const Dims& dims = *call.arrow;
  for (const Dim& dim : x.dims()) {
    const int position = find_dim(dims, dim.name);
    if (position >= 0 && dims[position] == dim) continue;
    Diagnostic error(position < 0 ? Kind::shape_mismatch : Kind::size_conflict, arrow_span(call),
                     position < 0 ? fmt::format("expected every dimension of {}, found none called `{}`", describe(x),
                                                dim.name.text())
                                  : fmt::format("expected {} as in {}, found {}", to_string(dim), to_string(x.type()),
                                                to_string(dims[position])));
    if (position < 0) error.help(fmt::format("add `{0}` to the shape, or fold it: sum(x, over: {0})", dim.name.text()));
    fail(error);
  }
  return {own_value(call.builder, call.builder.broadcast(x, dims), x)};
}

}  // namespace

int position_of(const graph::Value& x, const Dim& dim, Span span) {
  const int position = find_dim(x.dims(), dim.name);
  if (position >= 0) return position;
  std::vector<std::string> names;
  for (const Dim& other : x.dims()) names.push_back(other.name.str());
  fail(Diagnostic(Kind::unknown_dim, span,
                  fmt::format("expected a dimension of {}, found `{}`", describe(x), dim.name.text()))
           .help(did_you_mean(span, dim.name.text(), names)));
}

bool is_zero(const graph::Operation& operation) {
  return operation.op == &kBroadcast && operation.attributes.get<BroadcastAttributes>().always_zero;
}

constexpr graph::Op kReshape = complete(
    {.name = "reshape",
     .signature = "reshape(x: tensor -> shape or groups)",
     .family = "Shapes",
     .doc =
         "The same elements under other dimensions: merges and splits dimensions, in the order written, the last one "
         "running fastest. The sizes must multiply to the same. Instead of the whole shape, groups say what takes the "
         "place of some dimensions, wherever they stand, and the others stay: `reshape(x, features -> [parts, half])`, "
         "`reshape(x, [down, across] -> patch)`.",
     .example = "dim a = 2, b = 3, ab = 6\n"
                "let x = tensor([[1, 2, 3], [4, 5, 6]], [a, b])\n"
                "print(reshape(x -> [ab]))\n"
                "#> [1, 2, 3, 4, 5, 6]\n"
                "print(reshape(x, [b, a] -> ab))\n"
                "#> [1, 4, 2, 5, 3, 6]\n",
     .samples = "dim bc = b * c; x: [a, b, c] => reshape(x -> [a, bc])\n"
                "dim bc = b * c; x: [bc, a] => reshape(x -> [b, c, a])\n"
                "x: [a, b] => reshape(x -> [b, a])\n"
                "dim ca = c * a, b1 = size(b), one = 1; x: [a, b, c] => reshape(x, [c, a] -> ca, b -> [b1, one])",
     .build = build_reshape,
     .attributes = &graph::kFormOf<ReshapeAttributes>,
     .infer = [](const graph::Operation& operation) -> std::vector<TensorType> {
       return {{operation.operands[0].element, operation.attributes.get<ReshapeAttributes>().result}};
     },
     .space = reshape_space,
     .kernel = reshape_kernel,
     .gradient = [](graph::GradientCall& call) -> graph::Values {
       return {call.builder.reshape(call.d_results[0], call.operands[0].dims())};
     },
     .role = graph::Role::kReshape,
     .linear = graph::Linear::kEach});

constexpr graph::Op kRename = complete(
    {.name = "rename",
     .signature = "rename(x: tensor -> pairs)",
     .family = "Shapes",
     .doc =
         "The same tensor with other names for some of its dimensions, all changed at once; the sizes stay. The layout "
         "follows the new names.",
     .example = "dim a = 2, b = 2\n"
                "let x = tensor([[1, 2], [3, 4]], [a, b])\n"
                "print(einsum(x, rename(x, a -> b, b -> a) -> [a, b]))\n"
                "#> [[1, 6], [6, 16]]\n",
     .samples = "dim c2 = size(b); x: [a, b] => rename(x, b -> c2)\n"
                "dim a2 = size(a), b2 = size(b); x: [a, b] => rename(x, a -> a2, b -> b2)",
     .build = build_rename,
     .attributes = &graph::kFormOf<RenameAttributes>,
     .infer = infer_rename,
     .space = same_positions,
     .kernel =
         [](graph::KernelCall& call) {
           copy_all(call.threads, call.operands[0], call.results[0], in_order(call.results[0].dims.size()));
         },
     .gradient = [](graph::GradientCall& call) -> graph::Values {
       return {call.builder.rename(call.d_results[0], call.operands[0].dims())};
     },
     .role = graph::Role::kView,
     .linear = graph::Linear::kEach});

constexpr graph::Op kBroadcast = complete(
    {.name = "broadcast",
     .signature = "broadcast(x: tensor -> shape)",
     .family = "Shapes",
     .doc =
         "Repeats a tensor along the dimensions that it lacks, and puts its dimensions in the order written. The shape "
         "has every dimension of the tensor.",
     .example = "dim a = 2, b = 3\n"
                "print(broadcast(tensor([1, 2, 3], [b]) -> [a, b]))\n"
                "#> [[1, 2, 3], [1, 2, 3]]\n",
     .samples = "x: [b] => broadcast(x -> [a, b])\n"
                "x: [a, b] => broadcast(x -> [b, c, a])",
     .build = build_broadcast,
     .attributes = &graph::kFormOf<BroadcastAttributes>,
     .infer = [](const graph::Operation& operation) -> std::vector<TensorType> {
       return {{operation.operands[0].element, operation.attributes.get<BroadcastAttributes>().result}};
     },
     .space = elementwise_space,
     .kernel = broadcast_kernel,
     .gradient = [](graph::GradientCall& call) -> graph::Values {
       return {call.builder.sum_to(call.d_results[0], call.operands[0].dims())};
     },
     .role = graph::Role::kRepeat,
     .linear = graph::Linear::kEach});

}  // namespace mtf::ops
