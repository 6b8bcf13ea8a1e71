#pragma once
// Layouts that are written where they are used: after `@`, and of a `param`.
#include "eval/host_value.h"
#include "syntax/ast.h"

namespace mtf {

/// How a tensor of a type is split that is asked to lie as `ref` says, on the mesh in force. `present` is how it is split
/// now: what a literal that ends in `..` does not mention stays so. Fails at `span`, or at a rule that names no dim of it.
Sharding sharding_of_reference(Evaluator& evaluator, const ast::LayoutRef& ref, const TensorType& type, const Sharding& present,
                               const ScopePtr& scope, Span span);

}  // namespace mtf
