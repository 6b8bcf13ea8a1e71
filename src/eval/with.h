#pragma once
// `with … { … }`: a setting, the mesh, the layout, the precision or the seed in force while a block runs, in what it calls
// too. What was before is put back however the block is left.
#include "eval/evaluator.h"

namespace mtf {

Flow run_with(Evaluator& evaluator, const ast::WithStmt& stmt, const ScopePtr& scope);

}  // namespace mtf
