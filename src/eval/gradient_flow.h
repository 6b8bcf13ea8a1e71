#pragma once
// How the values of a text's names come to `grad`, as far as the text alone says it.
//
// The names of a statement are taken as they are written, whichever binding they mean. What a function of the statement
// does inside is not looked at: a name that the function mentions is captured (BlockInfo::captured).
#include <vector>

#include "eval/block_info.h"

namespace mtf::eval {

/// The names that stand in an expression or a function.
struct NamesRead {
  NameSet values;  ///< all of them
  /// Those that may be called, or hold something that may be: `nn.relu` of `nn.relu(x)`, and nothing of the callee of
  /// `grad(loss, targets)`, which gives tensors.
  NameSet code;
};

/// One way that values take.
struct GradientFlow {
  enum class Kind : uint8_t {
    kBinds,    ///< the value of `from` is bound to the names `to`
    kAssigns,  ///< is assigned to the name in `to`
    kCalls,    ///< `from` are the arguments of a call
    kLeaves,   ///< `from` is differentiated, returned, or assigned to a part: nobody knows where its value comes
  };
  Kind kind;
  NameSet to = {};
  NamesRead from = {};
  Name callee = {};  ///< of kCalls: `f`, or `nn.relu`; empty if it is no name
};

/// Those of a statement, of the blocks and calls inside too.
std::vector<GradientFlow> gradient_flows(const ast::Stmt& stmt);

}  // namespace mtf::eval
