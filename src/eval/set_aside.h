#pragma once
// Names of a loaded file that nothing in it reads any more: at a prompt they can still be looked at.
//
// A run lets such names go; a prompt keeps them, and sets aside what they hold (Handle::set_aside), so that a file
// costs at a prompt what its run costs: what nothing has needed is computed when somebody asks for it. A list, a model
// or a param is set aside when nothing but such names holds it.
#include "eval/block_info.h"
#include "eval/scope.h"

namespace mtf::eval {

/// Nothing of the file will read these names of the outermost scope.
void set_aside(Scope& top, const NameSet& names);
/// A name has been looked up: what it holds is held as any other.
void take_up(Binding& binding);

}  // namespace mtf::eval
