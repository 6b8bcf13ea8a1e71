#pragma once
#include "graph/program.h"
#include "spmd/forms.h"

namespace mtf {

/// Lets what a program wrote no layout for be computed where it is going to lie: the operand of an assignment or of `@`,
/// and the element-wise operations before it, take over the layout that is asked for, if no split is given up and all that
/// read it need no more than these blocks. A parameter that is stored in blocks is then made in blocks, whatever its
/// initial value, and of a gradient of which optimizers read blocks each processor gets its own.
///
/// Of a sum over processors a number may be taken besides, such as a norm: it is then reduced instead of the whole.
///
///     g     a sum over data        g [a/data], reduce_scattered once
///     m     0.9 m + 0.1 g          m [a/data]: they need blocks of g
///     v     0.9 v + 0.1 square(g)  v [a/data]
///     norm  sum(square(g))         of the blocks, then all_reduced: one number
void sink_layouts(Program& program, Forms& forms);

}  // namespace mtf
