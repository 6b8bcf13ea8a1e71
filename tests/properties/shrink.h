#pragma once
// Makes a failing program small: removes statements, dissolves blocks and simplifies expressions while it still fails.
#include <functional>

#include "program_tree.h"

namespace mtf::properties {

/// Returns the smallest tree found for which `fails` holds, as it must for `statements`. Calls `fails` at most `most`
/// times. A tree that is no longer a program does not fail in the wanted way.
Statements smallest_tree(Statements statements, const std::function<bool(const Statements&)>& fails, int most);

}  // namespace mtf::properties
