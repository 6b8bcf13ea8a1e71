#pragma once
// What the text of a block says about names, computed once for each block.
//
// At a cut, live is a name that a later statement mentions. A name that a function mentions without binding it itself
// is live for as long as the block is, since the function may be called from anywhere.
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
  std::unordered_map<Name, size_t> last_mention;
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
