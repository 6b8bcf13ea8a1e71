#pragma once
// What to write instead, in the program's own names, where that follows from the values that were given: changes for
// `help_with` (support/edit.h), none where it does not follow.
#include <string>
#include <vector>

#include "eval/host_value.h"
#include "support/edit.h"

namespace mtf::syntax {
struct Parameter;  // syntax/signature.h
}

namespace mtf::eval {

struct Bound;  // eval/binding.h

/// What to do about an argument that is not of its parameter's kind; nothing where that does not follow.
Help help_with_argument(const Bound& call, const syntax::Parameter& wanted, const GivenArgument& item);

/// `x + [1, 2, 3]`: the list as a tensor over dims of the other operand that have its sizes.
std::vector<Edit> list_as_tensor(const HostValue& list, Span span, const HostValue& tensor);

/// `"%d of %d" % (3, 4)`, at `whole`, as `"{3} of {4}"`.
std::vector<Edit> percent_format(Span format, Span values, Span whole);

/// A model that stands at `name` for its instance is called, with what is visible under the names of its parameters.
std::vector<Edit> as_instance(const ModelClass& model, Span name, const ScopePtr& scope);

}  // namespace mtf::eval
