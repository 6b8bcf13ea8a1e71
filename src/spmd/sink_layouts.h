#pragma once
#include "graph/program.h"
#include "spmd/forms.h"

namespace mtf {

/// Lets what a program wrote no layout for be computed where it is going to lie: the operand of an assignment or of `@`,
/// and the element-wise operations before it, take over the layout that is asked for, if nothing else reads them and no
/// split is given up. A parameter that is stored in blocks is then made in blocks, whatever its initial value.
void sink_layouts(Program& program, Forms& forms);

}  // namespace mtf
