#pragma once
// What to write instead, in the program's own names, where that follows from the values that were given: changes for
// `help_with` (support/edit.h), none where it does not follow.
#include <string>
#include <vector>

#include "eval/host_value.h"
#include "support/edit.h"

namespace mtf {

/// `einsum("ij,jk->ik", x, w)` by names: `x, w -> [batch, out]`, with a `rename` where a letter stands for two of one size.
std::vector<Edit> einsum_by_names(const Arguments& arguments);

/// A size that stands where a dim is asked for.
struct SizeForDim {
  Span span;         ///< of the number, or of the list of numbers
  HostValue value;   ///< an int, or a list of ints
  std::string name;  ///< what a new dim is called; empty: any name
};
/// The sizes become dims: one of the scope that has the size, or one that is declared before the line. `in_brackets`: all of them
/// are one shape.
std::vector<Edit> dims_for_sizes(const std::vector<SizeForDim>& sizes, const ScopePtr& scope, bool in_brackets);

/// `x + [1, 2, 3]`: the list as a tensor over dims of the other operand that have its sizes.
std::vector<Edit> list_as_tensor(const HostValue& list, Span span, const HostValue& tensor);

/// `"%d of %d" % (3, 4)`, at `whole`, as `"{3} of {4}"`.
std::vector<Edit> percent_format(Span format, Span values, Span whole);

/// A model that stands at `name` for its instance is called, with what is visible under the names of its parameters.
std::vector<Edit> as_instance(const ModelClass& model, Span name, const ScopePtr& scope);

}  // namespace mtf
