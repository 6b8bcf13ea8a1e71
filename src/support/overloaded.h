#pragma once

namespace mtf {

// One visitor of a std::variant, made of a function for each of its types: a type that is left out does not compile.
template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;  // which clang 14 does not find itself

}  // namespace mtf
