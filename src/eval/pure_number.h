#pragma once
// Pure number expressions. Evaluating one has no effect and adds nothing to the graph, so it can be evaluated earlier.
// A replayed loop iteration gets the values of such expressions as inputs (eval/replay.h).
#include <vector>

#include "eval/host_value.h"
#include "syntax/ast.h"

namespace mtf::eval {

class Builtins;

/// True if `expr`, evaluated in `scope`, is a number that is computed only from numbers. Names in `numbers` count as
/// numbers. The computation may use operators, `if`, operations on numbers, and host functions without effects. It may
/// also call script functions that use only these (`optim.cosine`, for instance). The answer stays valid while each
/// name that `expr` and these functions mention keeps its value, or changes from one number to another.
bool is_pure_number(const ast::Expr& expr, const ScopePtr& scope, std::vector<Name> numbers, Builtins& builtins);

}  // namespace mtf::eval
