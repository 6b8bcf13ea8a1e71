#pragma once
// A program as a tree of statements and expressions: what a generator draws, and what a shrinker takes apart again.
//
// The tree knows nothing of names or rules: whether a smaller tree is still a program is found out by checking it. All
// that it knows of an expression is its type, as text, so that one can stand where another of the same type stood.
#include <optional>
#include <string>
#include <vector>

namespace mtf::properties {

struct Expression {
  std::string text;  ///< `tanh($0)`: `$0` to `$9` stand for the operands
  std::vector<Expression> operands;
  std::string type;  ///< `f32[a, b]`, `number`, `count`; empty: nothing else can stand here
};

struct Statement;
using Statements = std::vector<Statement>;

struct Statement {
  std::string text;  ///< `let x = $0`; the head of a block has no brace: `for k in 0..$0`
  std::vector<Expression> parts;
  std::optional<Statements> body;  ///< between `{` and `}`
  Statements otherwise;            ///< the block behind `else`, if there is one
};

std::string to_string(const Expression& expression);
/// A line each, blocks indented by two spaces a level.
std::string to_string(const Statements& statements, int level = 0);

/// How many statements there are, those in blocks included.
size_t count(const Statements& statements);

/// The simplest expression of a type, or nothing.
std::optional<Expression> constant_of(const std::string& type);

}  // namespace mtf::properties
