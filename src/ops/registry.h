#pragma once
// The list of all operations, from ops.def.
#include <span>
#include <string_view>

namespace mtf {

struct Op;         // graph/op.h
struct Signature;  // syntax/signature.h

/// Every operation, in the order of ops.def; also those that scripts cannot call.
std::span<const Op* const> all_ops();

/// The operation of this name, or null.
const Op* find_op(std::string_view name);

/// The operation that an operator of the language calls (`+`, `//`, `and`), or null. A prefix `-` is `neg`, not `sub`.
const Op* find_operator(std::string_view symbol);

/// The signature of an operation that scripts can call; parsed once.
const Signature& signature_of(const Op& op);

}  // namespace mtf
