// data.npy: tensors of NumPy's files.
#include "io/idx.h"
#include "io/npy.h"
#include "library/files.h"
#include "library/functions.h"

namespace mtf::library {
namespace {

/// data.npy(path, dims): a tensor with the element type of the file's numbers.
eval::HostValue npy(eval::Caller& caller, const eval::Bound& call) {
  const std::string& path = call.text(0);
  io::ArrayHeader header;
  io::ElementArray data;
  const bool found = !may_be_written(caller, path) && on_rank_0(caller, call.span(), [&] {
    header = io::read_npy_header(path);
    if (caller.is_abstract()) return;
    const std::uint64_t memory = memory_for_data(caller);
    data = to_element_array(io::read_npy(path, memory), path, memory);
  });
  if (!found) return unknown(eval::UnknownKind::kAny);
  if (caller.is_abstract()) data = {std::move(header.sizes), element_type_for(header.type), {}};
  else share_array(caller, data, call.span());
  return constant_of(caller, std::move(data), call[1], path, call.span());
}

/// data.sizes(path): the sizes that a file's header says, outermost first.
eval::HostValue sizes_of_file(eval::Caller& caller, const eval::Bound& call) {
  const std::string& path = call.text(0);
  if (may_be_written(caller, path)) return unknown(eval::UnknownKind::kAny);
  io::ArrayHeader header;
  const bool is_npy = path.ends_with(".npy");
  const auto read = [&] { header = is_npy ? io::read_npy_header(path) : io::read_idx_header(path); };
  if (caller.is_abstract()) {
    if (!on_rank_0(caller, call.span(), read)) return unknown(eval::UnknownKind::kAny);
  } else {
    on_every_rank(caller, call.span(), read);
  }
  std::vector<eval::HostValue> sizes;
  for (const auto size : header.sizes) sizes.emplace_back(static_cast<int64_t>(size));
  return make_list(std::move(sizes));
}

/// data.save_npy(path, x): its numbers, in the order of its dims.
eval::HostValue save_npy(eval::Caller& caller, const eval::Bound& call) {
  expect_to_write(caller, call, io::FileKind::kNpy);
  if (call.any_unknown()) return eval::None{};
  const std::string& path = call.text(0);
  graph::Value x = caller.convert.to_tensor(call.value(1), call.span(1));
  if (caller.is_abstract()) {
    caller.cut({x}, call.span());
    return eval::None{};
  }
  plan::HostTensor tensor = caller.fetch(x, call.span());
  const std::vector<int64_t> sizes = sizes_of(tensor.type.dims);
  on_rank_0(caller, call.span(), [&] { io::write_npy(path, sizes, tensor.type.element, tensor.bytes); });
  return eval::None{};
}

}  // namespace

std::vector<eval::HostFunction> array_functions() {
  return {
      {"npy(path: string, dims: shape) -> value", "", eval::Effects::kReads, npy},
      {"sizes(path: string) -> list", "", eval::Effects::kReads, sizes_of_file},
      {"save_npy(path: string, x: tensor)", "", eval::Effects::kWrites, save_npy, true},
  };
}

}  // namespace mtf::library
