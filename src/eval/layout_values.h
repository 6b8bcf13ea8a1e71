#pragma once
// Layouts that are written where they are used: after `@`, and of a `param`.
#include "eval/host_value.h"
#include "syntax/ast.h"

namespace mtf {

/// What `ref` asks of a tensor of a type. Fails at a rule that names no dim of it. Null if that depends on poison or on
/// what is unknown.
std::shared_ptr<const AskedLayout> asked_by(Evaluator& evaluator, const ast::LayoutRef& ref, const TensorType& type, const ScopePtr& scope);

}  // namespace mtf
