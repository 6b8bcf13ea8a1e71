#pragma once
// Values of scripts as values of the API, and back.
#include "eval/host_library.h"
#include "eval/host_value.h"
#include "mtf/interpreter.h"
#include "session/session.h"

namespace mtf {

/// The view of a tensor that the API takes. Refers to the same elements.
plan::HostView host_view(const TensorView& tensor);
TensorData tensor_data(session::Session::Shown shown);

/// The value with its tensors computed and gathered; `show` makes them so.
ScriptValue api_value(const eval::HostValue& value,
                      const std::function<session::Session::Shown(const graph::Value&)>& show);
/// The value for a script; `place` makes its tensors. Fails (bad_value) for ScriptValue::Kind::kOther.
eval::HostValue script_value(const ScriptValue& value,
                             const std::function<eval::HostValue(const plan::HostView&)>& place);

/// The value of a script for a function of the host.
eval::HostValue host_function_value(const std::string& signature, ScriptFunction function);
/// The value of a script for a stream of batches.
eval::HostValue stream_value(const std::string& name, std::vector<TensorType> types, std::function<NextBatch()> begin);

}  // namespace mtf
