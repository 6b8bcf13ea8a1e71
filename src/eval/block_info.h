#pragma once
// What the text of a block says about names, computed once for each block.
//
// A name is let go at the end of the last statement that mentions or assigns it. One that a function mentions without
// binding it itself is kept for as long as the block is, since the function may be called from anywhere.
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "syntax/ast.h"

namespace mtf {

using NameSet = std::unordered_set<Name>;

/// One statement: the names that it mentions (reads) anywhere inside, and those that a `:=` inside it assigns.
struct StatementInfo {
  NameSet mentions;
  NameSet assigns;
  bool is_loop = false;
};

struct BlockInfo {
  std::vector<StatementInfo> statements;
  std::vector<std::vector<Name>> expires;  ///< for each statement: names that no later one mentions, assigns or binds
  std::vector<const ast::Expr*> targets;   ///< of every `:=` inside, functions' bodies apart
  NameSet aliases;       ///< bound inside, functions' bodies apart, to what may be a param or state itself
  NameSet bound;         ///< bound inside by `let`, `for` and functions' parameters
  NameSet captured;      ///< mentioned by a function or model inside, which does not bind it
  NameSet mentions;      ///< all of the statements'
  NameSet assigns;
  std::vector<const ast::IndexExpr*> slices;  ///< indices with a labelled range, anywhere inside
  std::vector<const ast::Expr*> calls;        ///< the callees of calls, anywhere inside, functions' bodies apart
  std::vector<const ast::DimStmt*> dims;      ///< `dim` declarations anywhere inside
  NameSet dim_names;     ///< of every `dim` inside, functions included
  NameSet axis_names;    ///< of every `mesh` inside, functions included
  bool mentions_grad = false;
};

/// The facts of a block; kept by the block's address, which lives as long as the program.
class BlockInfos {
 public:
  const BlockInfo& of(const ast::Block& block);

 private:
  std::unordered_map<const ast::Block*, std::unique_ptr<BlockInfo>> infos_;
};

/// The names that an expression mentions.
NameSet mentions_of(const ast::Expr& expr);
/// The names that a pattern binds.
void names_of(const ast::Pattern& pattern, std::vector<ast::Ident>& names);

}  // namespace mtf
