#pragma once
// The list of all operations, from ops.def.
#include <span>
#include <string_view>

namespace mtf::syntax {
struct Signature;  // syntax/signature.h
}
namespace mtf::graph {
struct Op;  // graph/op.h
}

namespace mtf::ops {

/// Every operation in the order of ops.def, including those that scripts cannot call.
std::span<const graph::Op* const> all_ops();

/// The operation with this name, or null.
const graph::Op* find_op(std::string_view name);

/// The operation of an operator of the language (`+`, `//`, `and`), or null. `-` is `sub`; a prefix `-` is `neg`.
const graph::Op* find_operator(std::string_view symbol);

/// The parsed signature of an operation that scripts can call. It is parsed once.
const syntax::Signature& signature_of(const graph::Op& op);

}  // namespace mtf::ops
