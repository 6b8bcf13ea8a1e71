#pragma once
// What the text of a block says about names, computed once for each block.
//
// Names are taken as they are written, whichever binding they mean. A name that a function mentions without binding it
// itself is needed for as long as the block is, since the function may be called from anywhere.
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

/// How a statement or a block ends. kElsewhere: where only the run knows which way is taken, every way has ended, each
/// in its own manner, and has been written down where it ended; nothing goes on from here.
enum class Flow : uint8_t { kNext, kReturn, kBreak, kContinue, kElsewhere };

struct BlockInfo {
  const ast::Block* block = nullptr;
  std::vector<NameSet> statement_mentions;  ///< for each statement: the names that it reads anywhere inside
  /// For each statement: names that no later one mentions, assigns or binds.
  std::vector<std::vector<Name>> expires;
  bool declares_functions = false;        ///< one of its own statements declares a function or a model
  std::vector<const ast::Expr*> targets;  ///< of every `:=` inside, functions' bodies apart
  NameSet aliases;             ///< bound inside, functions' bodies apart, to what may be a param or state itself
  NameSet bound;               ///< bound anywhere inside, parameters of functions too
  NameSet captured;            ///< mentioned or assigned by a function or model inside, which does not bind it
  NameSet mentions;            ///< all of the statements'
  bool assigns_parts = false;  ///< some `net.w := …` stands anywhere inside
  NameSet assigns;  ///< that are assigned themselves anywhere inside: x of `x := …`, not net of `net.w := …`
  std::vector<const ast::IndexExpr*> slices;  ///< indices with a labelled range, anywhere inside
  std::vector<const ast::Expr*> calls;        ///< the callees of calls, anywhere inside, functions' bodies apart
  std::vector<const ast::DimStmt*> dims;      ///< `dim` declarations anywhere inside
  NameSet dim_names;                          ///< of every `dim` inside, functions included
  NameSet axis_names;                         ///< of every `mesh` inside, functions included
};

/// The facts of a block; kept by the block's address, which lives as long as the program.
class BlockInfos {
 public:
  /// A function's block is asked for after the block that declares the function.
  const BlockInfo& of(const ast::Block& block) {
    Recent& recent = recent_[(reinterpret_cast<uintptr_t>(&block) / alignof(ast::Block)) % recent_.size()];
    if (recent.block != &block) recent = {&block, &found(block)};
    return *recent.info;
  }

 private:
  friend class NameWalk;
  const BlockInfo& found(const ast::Block& block);

  /// The facts that were last asked for, by the blocks' addresses: a loop asks for those of a few blocks over and over.
  struct Recent {
    const ast::Block* block = nullptr;
    const BlockInfo* info = nullptr;
  };
  std::array<Recent, 64> recent_;
  std::unordered_map<const ast::Block*, std::unique_ptr<BlockInfo>> infos_;
  /// Of the blocks of functions: the annotation of the function's result, whose names a `return` reads.
  std::unordered_map<const ast::Block*, const std::optional<ast::Annotation>*> results_;
};

/// The names that an expression mentions.
NameSet mentions_of(const ast::Expr& expr);
/// The names that a function or model mentions or assigns.
NameSet names_in(const ast::FunctionText& text);
/// The names, and the names of parts, that a function or model assigns.
NameSet assigned_in(const ast::FunctionText& text);
/// The name that a target of `:=` is a part of: `net` of `net.layers[2].w`; empty if there is none.
Name base_name(const ast::Expr& target);

}  // namespace mtf::eval
