#pragma once
// The names that the text of a block mentions, binds and assigns. Computed once for each block.
//
// The analysis takes names as they are written, and does not resolve them to bindings. A name that a function mentions
// without binding it is live as long as the block, because the function may be called from anywhere.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "syntax/ast.h"
#include "syntax/walk.h"

namespace mtf::eval {

using NameSet = std::unordered_set<Name>;

/// How a statement or a block ends. kElsewhere: every branch behind an unknown condition has ended in its own manner.
/// Each end has been noted where it happened, and nothing continues from here.
enum class Flow : uint8_t { kNext, kReturn, kBreak, kContinue, kElsewhere };

struct BlockInfo {
  const ast::Block* block = nullptr;
  std::vector<NameSet> statement_mentions;  ///< for each statement: the names that it reads anywhere inside
  /// For each statement: the names that no later statement mentions, assigns or binds.
  std::vector<std::vector<Name>> expires;
  bool only_chooses = false;              ///< it has only `return`s, and `if`s with such blocks
  bool declares_functions = false;        ///< one of its own statements declares a function or a model
  std::vector<const ast::Expr*> targets;  ///< of every `:=` inside, except in functions
  NameSet aliases;         ///< bound inside, except in functions, to a value that may be a param or state itself
  NameSet bound;           ///< bound anywhere inside, parameters of functions too
  NameSet captured;        ///< mentioned or assigned, but not bound, by a function or model inside
  NameSet mentions;        ///< the names of all `statement_mentions`
  NameSet assigned_parts;  ///< w in `net.w := …`, anywhere inside
  NameSet assigns;         ///< assigned themselves anywhere inside: x in `x := …`, but not net in `net.w := …`
  std::vector<const ast::IndexExpr*> slices;  ///< indices with a labelled range, anywhere inside
  std::vector<const ast::Expr*> calls;        ///< the callees of calls, anywhere inside, except in functions
  std::vector<const ast::DimStmt*> dims;      ///< `dim` declarations anywhere inside
  NameSet dim_names;                          ///< of every `dim` inside, functions included
  NameSet axis_names;                         ///< of every `mesh` inside, functions included
};

/// The facts of each block, by the address of the block, which lives as long as the program.
class BlockInfos {
 public:
  /// True if no model of the blocks so far binds this name to a value, other than a param or state, that an assignment
  /// may replace by a tensor. An assignment to such a part of an instance keeps no history: the new value is a leaf.
  bool is_variable(Name part) const;
  /// Returns the facts of a block. A function's block may be asked for only after the block that declares the function.
  const BlockInfo& of(const ast::Block& block) {
    Recent& recent = recent_[(reinterpret_cast<uintptr_t>(&block) / alignof(ast::Block)) % recent_.size()];
    if (recent.block != &block) recent = {&block, &found(block)};
    return *recent.info;
  }

 private:
  friend class NameWalk;
  const BlockInfo& found(const ast::Block& block);

  /// A cache of the facts that were last asked for, by block address: a loop asks for the same few blocks again and
  /// again.
  struct Recent {
    const ast::Block* block = nullptr;
    const BlockInfo* info = nullptr;
  };
  std::array<Recent, 64> recent_;
  std::unordered_map<const ast::Block*, std::unique_ptr<BlockInfo>> infos_;
  NameSet other_parts_;  ///< names that models bind to values which are no instances, or may be none
  std::unordered_map<Name, NameSet> made_parts_;  ///< names that models bind to `M(…)`, and M
  NameSet models_, not_models_;                   ///< declared names
  /// For the block of a function: the annotation of the function's result. A `return` reads the names in it.
  std::unordered_map<const ast::Block*, const std::optional<ast::Annotation>*> results_;
};

/// The names that an expression mentions.
NameSet mentions_of(const ast::Expr& expr);
/// The names that a function or model mentions or assigns.
NameSet names_in(const ast::FunctionText& text);
/// The names, and the names of parts, that a function or model assigns.
NameSet assigned_in(const ast::FunctionText& text);
/// Returns the first name of a target of `:=`: `net` for `net.layers[2].w`. Empty if there is none.
Name base_name(const ast::Expr& target);

}  // namespace mtf::eval
