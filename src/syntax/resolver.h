#pragma once
// The resolver says what the names in a text mean, as far as the text alone tells. It walks each tree once, behind the
// parser, and leaves its facts in the nodes: `Program::facts`, `Block::facts`, and `FunctionText::facts`.
//
// A function captures a name that it reads or assigns and that nothing inside it has bound before. Such a name is
// looked up in the scopes around the function.
//
// The facts hold for every evaluation. The binding of a captured name is no such fact. At a prompt a later entry may
// declare it, and an undo may remove it. A check goes on behind a statement that failed before it bound its names. So a
// name has no index of its binding here, but keeps the index that the evaluation found (Slot).
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "syntax/ast.h"
#include "syntax/walk.h"

namespace mtf::ast {

using NameSet = std::unordered_set<Name>;

struct BlockFacts {
  std::span<const Stmt> statements;  // of the block
  // For each statement: the names that it reads anywhere inside; of a function inside, those that it captures.
  std::vector<NameSet> statement_mentions;
  // For each statement: the names that no later statement mentions, assigns or binds.
  std::vector<std::vector<Name>> expires;
  bool only_chooses = false;         // it has only `return`s, and `if`s with such blocks
  bool declares_functions = false;   // one of its own statements declares a function or a model
  std::vector<const Expr*> targets;  // of every `:=` inside, except in functions
  NameSet aliases;                   // bound inside, except in functions, to a value that may be a variable itself
  NameSet bound;                     // bound anywhere inside, parameters of functions too
  NameSet captured;                  // by a function or model inside
  NameSet assigned_parts;            // w in `net.w := …`, anywhere inside
  NameSet assigns;  // assigned themselves anywhere inside: x in `x := …`, but not net in `net.w := …`
  std::vector<const IndexExpr*> slices;  // indices with a labelled range, anywhere inside
  std::vector<const Expr*> calls;        // the callees of calls, anywhere inside, except in functions
  std::vector<const DimStmt*> dims;      // `dim` declarations anywhere inside, except in functions

  // The names of all `statement_mentions`.
  NameSet mentions() const;
  bool mentions(Name name) const;
};

// A scope of the text: the parameters of a function, the pattern of a loop, or a block.
struct TextScope {
  std::size_t outer = 0;       // index of the scope around it
  std::size_t outer_seen = 0;  // how many names of `outer` it sees
  std::vector<Name> names;     // in the order of binding; those of functions and models come first
};

// A captured name where it is read. Labels of arguments, `..` and targets of `:=` are left out.
struct CapturedRead {
  Name name;
  Span span;
  const Ident* part = nullptr;  // w in `name.w`
  std::size_t scope = 0;        // where it is read: a scope of the text,
  std::size_t seen = 0;         // and how many of its names are bound there
};

struct FunctionFacts {
  NameSet captured;                                      // the names that it reads or assigns, and captures
  NameSet assigns;                                       // the names, and the names of parts, that it assigns
  std::vector<CapturedRead> reads;                       // in the order of evaluation
  std::vector<const ModelStmt*> models;                  // itself if it is a model, and those inside it
  std::shared_ptr<const std::vector<TextScope>> scopes;  // of the whole program
  std::size_t outermost = 0;                             // its own first scope

  // The names that the function has bound where it reads a captured one.
  std::vector<Name> bound_at(const CapturedRead& read) const;
};

// The declarations of a program, at any depth.
struct ProgramFacts {
  NameSet dims, axes;   // of every `dim` and every `mesh`
  NameSet other_parts;  // names that models bind to values which are no instances, or may be none
  std::unordered_map<Name, NameSet> made_parts;  // names that models bind to `M(…)`, and M
  NameSet models, not_models;                    // declared names
};

// Fills the facts of a tree. Fails (nesting_too_deep) if too little stack remains.
void resolve(const Program& program);

// The names that an expression reads.
NameSet mentions_of(const Expr& expr);
// Returns the first name of a target of `:=`: `net` for `net.layers[2].w`. Empty if there is none.
Name base_name(const Expr& target);

// The facts of a program, its functions and its blocks, a line each, in the order of the text.
std::string text_of_facts(const Program& program);

}  // namespace mtf::ast
