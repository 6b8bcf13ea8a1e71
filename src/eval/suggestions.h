#pragma once
// Suggested edits for wrong arguments and operands, in the program's own names (for `help_with`, support/edit.h). A
// function returns no edits if the values do not determine them.
#include <string>
#include <vector>

#include "eval/host_value.h"
#include "support/edit.h"

namespace mtf::syntax {
struct Parameter;  // syntax/signature.h
}

namespace mtf::eval {

struct Bound;  // eval/binding.h

/// Suggests a correction of an argument whose kind does not fit its parameter; empty if there is none.
Help help_with_argument(const Bound& call, const syntax::Parameter& wanted, const GivenArgument& item);

/// For `x + [1, 2, 3]`: makes the list a tensor, over dims of `tensor` that have the list's sizes.
std::vector<Edit> list_as_tensor(const HostValue& list, Span span, const HostValue& tensor);

/// Rewrites `"%d of %d" % (3, 4)`, at `whole`, as `"{3} of {4}"`.
std::vector<Edit> percent_format(Span format, Span values, Span whole);

/// For a model at `name` where an instance is needed: adds a call. Its arguments are the visible names that equal the
/// model's parameters.
std::vector<Edit> as_instance(const ModelClass& model, Span name, const ScopePtr& scope);

}  // namespace mtf::eval
