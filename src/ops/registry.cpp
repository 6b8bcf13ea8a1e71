#include "ops/registry.h"

#include <string>
#include <unordered_map>

#include "ops/call.h"
#include "ops/record.h"
#include "support/diagnostics.h"

namespace mtf::ops {
namespace {

constexpr const graph::Op* kAllOps[] = {
#define MTF_OP(identifier) &identifier,
#include "ops/ops.def"
#undef MTF_OP
};

using Table = std::unordered_map<std::string_view, const graph::Op*>;

Table by_name() {
  Table table;
  for (const graph::Op* op : kAllOps)
    MTF_CHECK(table.emplace(op->name, op).second, "two operations are named {}", op->name);
  return table;
}

Table by_symbol() {
  Table table;
  for (const graph::Op* op : kAllOps)
    if (!op->symbol.empty() && op->name != "neg")
      MTF_CHECK(table.emplace(op->symbol, op).second, "two operations are written {}", op->symbol);
  return table;
}

const graph::Op* look_up(const Table& table, std::string_view key) {
  const auto found = table.find(key);
  return found == table.end() ? nullptr : found->second;
}

}  // namespace

std::span<const graph::Op* const> all_ops() { return kAllOps; }

const graph::Op* find_op(std::string_view name) {
  static const Table table = by_name();
  return look_up(table, name);
}

const graph::Op* find_operator(std::string_view symbol) {
  static const Table table = by_symbol();
  return look_up(table, symbol);
}

const syntax::Signature& signature_of(const graph::Op& op) {
  static const std::unordered_map<const graph::Op*, syntax::Signature> signatures = [] {
    std::unordered_map<const graph::Op*, syntax::Signature> parsed;
    for (const graph::Op* each : kAllOps)
      if (!each->signature.empty()) parsed.emplace(each, each->signature);
    return parsed;
  }();
  const auto found = signatures.find(&op);
  MTF_CHECK(found != signatures.end(), "{} has no signature", op.name);
  return found->second;
}

}  // namespace mtf::ops
