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

/// Every operation, in the order of ops.def; also those that scripts cannot call.
std::span<const graph::Op* const> all_ops();

/// The operation of this name, or null.
const graph::Op* find_op(std::string_view name);

/// The operation that an operator of the language calls (`+`, `//`, `and`), or null. A prefix `-` is `neg`, not `sub`.
const graph::Op* find_operator(std::string_view symbol);

/// The signature of an operation that scripts can call; parsed once.
const syntax::Signature& signature_of(const graph::Op& op);

}  // namespace mtf::ops
