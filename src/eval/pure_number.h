#pragma once
// Expressions that are numbers and nothing else: of which a loop's turn may be given the value while it is replayed
// (eval/replay.h), as evaluating them has no effect, adds nothing to the graph and may be done at any time before.
#include <vector>

#include "eval/host_value.h"
#include "syntax/ast.h"

namespace mtf::eval {

class Builtins;

/// Evaluated in `scope`, where `numbers` stand for numbers, it is a number, computed from numbers: by operators, `if`,
/// operations on numbers, pure functions of the host, and functions of scripts that consist of these, as
/// `optim.cosine`. True as long as the names that it and those functions mention stand for what they do now, or for
/// other numbers.
bool is_pure_number(const ast::Expr& expr, const ScopePtr& scope, std::vector<Name> numbers, Builtins& builtins);

}  // namespace mtf::eval
