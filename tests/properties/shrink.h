#pragma once
// Makes a failing program small: takes statements out, blocks apart and expressions down as long as it still fails.
#include <functional>

#include "program_tree.h"

namespace mtf::properties {

/// The smallest tree found for which `fails` holds, as it must for `statements`. `fails` is asked at most `most` times;
/// a tree that is no program any more simply does not fail in the way that is looked for.
Statements smallest_tree(Statements statements, const std::function<bool(const Statements&)>& fails, int most);

}  // namespace mtf::properties
