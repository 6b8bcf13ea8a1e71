#pragma once

namespace mtf {

// A visitor of a std::variant, made of one function for each type. A missing type does not compile.
template <typename... Functions>
struct Overloaded : Functions... {
  using Functions::operator()...;
};
template <typename... Functions>
Overloaded(Functions...) -> Overloaded<Functions...>;  // clang 14 needs this guide

}  // namespace mtf
