#include "eval/value_type.h"

#include "eval/host_value.h"

namespace mtf {

ValueType type_of(const HostValue& value) {
  using Kind = ValueType::Kind;
  if (const Value* tensor = tensor_of(value)) return {Kind::kTensor, LaidOut{tensor->type(), tensor->sharding(), tensor->mesh()}};
  ValueType type{.words = describe(value)};
  if (auto* dim = value.as<Dim>()) {
    type.kind = Kind::kDim;
    type.what = *dim;
  } else if (auto* mesh = value.as<MeshPtr>()) {
    type.kind = Kind::kMesh;
    type.what = *mesh;
  } else if (auto* layout = value.as<LayoutPtr>()) {
    type.kind = Kind::kLayout;
    type.what = *layout;
  } else if (value.is<FunctionPtr>() || value.is<ModelClassPtr>()) {
    type.kind = Kind::kFunction;
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

}  // namespace mtf
