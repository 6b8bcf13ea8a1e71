// data.npy: tensors of NumPy's files.
#include "io/npy.h"
#include "library/files.h"
#include "library/functions.h"

namespace mtf {
namespace {

/// data.npy(path, dims): a tensor of the element type that the file's numbers become.
HostValue npy(Caller& caller, Arguments& arguments) {
  auto given = match_arguments(arguments, {"path", "dims"}, "npy(path, dims)");
  for (auto* argument : given) {
    if (argument->value.is_unknown()) return unknown(UnknownKind::kAny);
  }
  const std::string path = string_of(*given[0]);
  ArrayHeader header;
  ElementArray data;
  const bool found = on_rank_0(caller, arguments.span, [&] {
    header = read_npy_header(path);
    if (caller.is_abstract()) return;
    const std::uint64_t memory = memory_for_data(caller);
    data = to_element_array(read_npy(path, memory), path, memory);
  });
  if (!found) return unknown(UnknownKind::kAny);
  if (caller.is_abstract()) data = {std::move(header.sizes), element_type_for(header.type), {}};
  else share_array(caller, data, arguments.span);
  return constant_of(caller, std::move(data), *given[1], path, arguments.span);
}

/// data.save_npy(path, x): its numbers, in the order of its dims.
HostValue save_npy(Caller& caller, Arguments& arguments) {
  auto given = match_arguments(arguments, {"path", "x"}, "save_npy(path, x)");
  if (given[0]->value.is_unknown() || given[1]->value.is_unknown()) return None{};
  const std::string path = string_of(*given[0]);
  Value x = caller.convert.to_tensor(given[1]->value, given[1]->span);
  if (caller.is_abstract()) {
    caller.cut({x}, arguments.span);
    return None{};
  }
  HostTensor tensor = caller.fetch(x, arguments.span);
  const std::vector<int64_t> sizes = sizes_of(tensor.type.dims);
  on_rank_0(caller, arguments.span, [&] { write_npy(path, sizes, tensor.type.element, tensor.bytes); });
  return None{};
}

}  // namespace

std::vector<HostFunction> array_functions() {
  return {
      {"npy", "npy(path, dims)", "", npy},
      {"save_npy", "save_npy(path, x)", "", save_npy},
  };
}

}  // namespace mtf
