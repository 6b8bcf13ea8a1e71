#pragma once
// What the text of a block says about names, computed once for each block.
//
// At a cut, live is a name that a later statement mentions. A name that a function mentions without binding it itself
// is live for as long as the block is, since the function may be called from anywhere.
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "syntax/ast.h"
#include "syntax/walk.h"

namespace mtf {

using NameSet = std::unordered_set<Name>;

/// What evaluating a text does, the bodies of functions and models that it declares apart: those run when they are called.
/// Names are taken as they are written, whichever binding they mean.
struct NameUse {
  NameSet reads;
  NameSet assigns;               ///< the first name of each `:=`'s target: net of `net.w := …`, p of `p := …`, xs of `xs[0] := …`
  bool assigns_unnamed = false;  ///< a target begins with no name: `f().w := …`
  std::vector<const ast::Expr*> callees;  ///< what is called: a NameExpr, an AttributeExpr, or anything else
  bool mentions_grad = false;
  std::vector<ast::FunctionText> functions;  ///< those that it declares, not inside one another
};

/// One statement: the names that it mentions (reads) anywhere inside, those that a `:=` inside it assigns, and those that
/// it binds in its block.
struct StatementInfo {
  NameSet mentions;
  NameSet assigns;
  NameSet binds;
  bool is_loop = false;
  bool mentions_grad = false;    ///< also in the functions inside
  NameUse own;
};

struct BlockInfo {
  std::vector<StatementInfo> statements;
  std::unordered_map<Name, size_t> last_mention;
  std::vector<std::vector<Name>> expires;  ///< for each statement: names that no later one mentions, assigns or binds
  std::vector<const ast::Expr*> targets;   ///< of every `:=` inside, functions' bodies apart
  NameSet aliases;       ///< bound inside, functions' bodies apart, to what may be a param or state itself
  NameSet bound;         ///< bound anywhere inside, parameters of functions too
  /// The last statement that reads or assigns a name, in blocks and functions inside too. A `return` reads what the
  /// annotation of its function's result names.
  std::unordered_map<Name, size_t> last_use;
  NameSet captured;      ///< mentioned or assigned by a function or model inside, which does not bind it
  NameSet mentions;      ///< all of the statements'
  NameSet assigns;
  NameUse own;           ///< of all of the statements
  std::vector<const ast::IndexExpr*> slices;  ///< indices with a labelled range, anywhere inside
  std::vector<const ast::Expr*> calls;        ///< the callees of calls, anywhere inside, functions' bodies apart
  std::vector<const ast::DimStmt*> dims;      ///< `dim` declarations anywhere inside
  NameSet dim_names;     ///< of every `dim` inside, functions included
  NameSet axis_names;    ///< of every `mesh` inside, functions included
  bool mentions_grad = false;  ///< also in the functions inside
};

/// The facts of a block; kept by the block's address, which lives as long as the program.
class BlockInfos {
 public:
  /// A function's block is asked for after the block that declares the function.
  const BlockInfo& of(const ast::Block& block);
  /// What a call does: of the body, of the parameters' defaults and of what annotations name.
  const NameUse& of(const ast::FunctionText& function);

 private:
  friend class NameWalk;
  std::unordered_map<const ast::Block*, std::unique_ptr<BlockInfo>> infos_;
  std::unordered_map<const void*, std::unique_ptr<NameUse>> functions_;  ///< by the parameters' address
  /// Of the blocks of functions: the annotation of the function's result.
  std::unordered_map<const ast::Block*, const std::optional<ast::Annotation>*> results_;
};

/// The names that an expression mentions.
NameSet mentions_of(const ast::Expr& expr);
using ast::names_of;

}  // namespace mtf
