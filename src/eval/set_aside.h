#pragma once
// Sets aside, at a prompt, the values of names that the rest of a loaded file does not read.
//
// A run releases such names. A prompt keeps them for the user, but sets their values aside (Handle::set_aside). A value
// that is set aside is computed only when the user asks for it. So loading a file at a prompt computes and communicates
// no more than running it. Only the peak of memory may be higher: at a prompt, a gradient may always come, so more
// history is kept. A list, a model or a param is set aside if only such names hold it.
#include "eval/scope.h"

namespace mtf::eval {

/// Sets aside the values of these names of the outermost scope, which the rest of the file does not read.
void set_aside(Scope& top, const NameSet& names);
/// Ends the setting aside of a binding, because its name was looked up.
void take_up(Binding& binding);

}  // namespace mtf::eval
