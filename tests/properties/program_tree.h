#pragma once
// A program as a tree of statements and expressions. Generators draw trees, and the shrinker reduces them.
//
// The tree knows no names or rules: a check decides whether a smaller tree is still a program. The tree only knows the
// type of an expression, as text, so that an expression can replace another one of the same type.
#include <optional>
#include <string>
#include <vector>

namespace mtf::properties {

struct Expression {
  std::string text;  ///< `tanh($0)`: `$0` to `$9` stand for the operands
  std::vector<Expression> operands;
  std::string type;  ///< `f32[a, b]`, `number`, `count`; empty: nothing can replace it
};

struct Statement;
using Statements = std::vector<Statement>;

struct Statement {
  std::string text;  ///< `let x = $0`; the head of a block has no brace: `for k in 0..$0`
  std::vector<Expression> parts;
  std::optional<Statements> body;  ///< between `{` and `}`
  Statements otherwise;            ///< the block after `else`, if there is one
};

std::string to_string(const Expression& expression);
/// Returns one line for each statement; blocks are indented by two spaces per level.
std::string to_string(const Statements& statements, int level = 0);

/// Counts statements, including those in blocks.
size_t count(const Statements& statements);

/// Returns the simplest expression of a type, or nothing.
std::optional<Expression> constant_of(const std::string& type);

}  // namespace mtf::properties
