#include "eval/value_type.h"

#include "eval/host_value.h"
#include "support/own_names.h"
#include "types/saturating.h"

namespace mtf::eval {

int64_t elements_of_block(const LaidOut& tensor) {
  int64_t elements = 1;
  for (size_t i = 0; i < tensor.type.dims.size(); ++i)
    elements =
        saturating_multiply(elements, block_size(tensor.type.dims[i].size, tensor.sharding.dims[i], *tensor.mesh));
  return elements;
}

int64_t bytes_of_block(const LaidOut& tensor) {
  return saturating_multiply(elements_of_block(tensor), size_of(tensor.type.element));
}

std::string to_string(const LaidOut& tensor) { return settled(to_string(tensor.type, tensor.sharding, *tensor.mesh)); }

ValueType type_of(const HostValue& value) {
  using Kind = ValueType::Kind;
  if (const graph::Value* tensor = tensor_of(value))
    return {Kind::kTensor, LaidOut{tensor->type(), tensor->sharding(), tensor->mesh()}};
  ValueType type{.words = settled(describe(value))};
  if (auto* dim = value.as<Dim>()) {
    type.kind = Kind::kDim;
    type.what = *dim;
  } else if (auto* mesh = value.as<MeshPtr>()) {
    type.kind = Kind::kMesh;
    type.what = *mesh;
  } else if (auto* layout = value.as<LayoutPtr>()) {
    type.kind = Kind::kLayout;
    type.what = *layout;
  } else if (value.is<FunctionPtr>()) {
    type.kind = Kind::kFunction;
  } else if (value.is<ModelClassPtr>()) {
    type.kind = Kind::kModel;
  } else if (value.is<OperationPtr>() || value.is<BuiltinPtr>()) {
    type.kind = Kind::kOperation;
  } else if (value.is<ModulePtr>()) {
    type.kind = Kind::kModule;
  } else if (value.is<InstancePtr>()) {
    type.kind = Kind::kInstance;
  }
  return type;
}

std::string to_string(const ValueType& type) {
  const LaidOut* const tensor = type.tensor();
  return tensor ? to_string(*tensor) : type.words;
}

}  // namespace mtf::eval
