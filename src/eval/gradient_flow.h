#pragma once
// The paths on which the values of names reach `grad`, as far as the text alone shows them.
//
// The analysis takes names as they are written, and does not resolve them to bindings. It does not look into the
// functions of a statement: a name that a function mentions is captured (BlockFacts::captured).
#include <vector>

#include "eval/host_value.h"

namespace mtf::eval {

/// The names in an expression or a function.
struct NamesRead {
  NameSet values;  ///< all of them
  /// The names that may be called, or that hold a function: `nn.relu` in `nn.relu(x)`. Excludes the callee in
  /// `grad(loss, targets)`, which returns tensors.
  NameSet code;
};

/// One path of values.
struct GradientFlow {
  enum class Kind : uint8_t {
    kBinds,    ///< the value of `from` is bound to the names `to`
    kAssigns,  ///< the value of `from` is assigned to the name in `to`
    kCalls,    ///< `from` are the arguments of a call
    kStores,   ///< the value of `from` is assigned to a part of an instance, the name in `to`
    kLeaves,   ///< `from` is differentiated, or returned: the destination of its value is unknown
  };
  Kind kind;
  NameSet to = {};
  NamesRead from = {};
  Name callee = {};  ///< of kCalls: `f`, or `nn.relu`; empty if the callee is not a name
};

/// Returns the paths of a statement, including the blocks and calls inside.
std::vector<GradientFlow> gradient_flows(const ast::Stmt& stmt);

}  // namespace mtf::eval
