#pragma once
// Files that a script writes: `write(path, text)`, and the module `logs`, which adds lines to one.
//
// One rank writes, and every rank says what was wrong. A check and a plan write nothing; a plan still reads the numbers of
// tensors, as the run does.
#include "eval/host_value.h"

namespace mtf {

/// write(path, text).
HostValue write_text(Evaluator& evaluator, Arguments& arguments);

}  // namespace mtf
