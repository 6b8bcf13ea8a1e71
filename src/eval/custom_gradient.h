#pragma once
// Functions with gradients that the program itself defines, and a check of gradients by finite differences.
#include <string_view>

#include "eval/host_library.h"

namespace mtf::eval {

inline constexpr std::string_view kCustomGradientDoc =
    "The function `f` with a gradient of its own. `backward` gets the arguments of a call, its result, and the "
    "gradient "
    "of its result; it returns the gradient of the argument, or the tuple of those of several tensor arguments (`none` "
    "for one that has none). Only the arguments have gradients: no gradient goes to what `f` reads besides. A second "
    "gradient goes through what `backward` computes.";
inline constexpr std::string_view kCheckGradientDoc =
    "How far the gradient of `f` at `x` is from differences: the largest |gradient - difference|, divided by the "
    "largest of 1 and the magnitudes of both. `f` gives a number or a tensor, which is summed with weights that differ "
    "from element to element; `x` is a tensor or a list of them. `places` elements of each tensor are compared, spread "
    "over it. Of f64 the result is about 1e-9 where the gradient is right, of f32 about 1e-3.";

HostValue custom_gradient(Caller& caller, const Bound& call);
HostValue check_gradient(Caller& caller, const Bound& call);

}  // namespace mtf::eval
