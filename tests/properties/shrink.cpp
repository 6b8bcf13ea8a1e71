#include "shrink.h"

#include <cstdlib>
#include <optional>

namespace mtf::properties {
namespace {

/// Numbers the positions of possible edits, and makes the wanted edit.
class Edit {
 public:
  explicit Edit(size_t wanted) : left_(wanted) {}
  /// True at the wanted position.
  bool here() { return !done_ && left_-- == 0 && (done_ = true); }
  bool done() const { return done_; }

 private:
  size_t left_;
  bool done_ = false;
};

using EditKind = void (*)(Statements&, Edit&);

/// Calls `each` for every list of statements, the outermost first.
template <typename Each>
void for_each_block(Statements& statements, const Edit& edit, const Each& each) {
  each(statements);
  for (size_t i = 0; i < statements.size() && !edit.done(); ++i) {
    if (statements[i].body) for_each_block(*statements[i].body, edit, each);
    if (!statements[i].otherwise.empty() && !edit.done()) for_each_block(statements[i].otherwise, edit, each);
  }
}

template <size_t length>
void leave_out(Statements& statements, Edit& edit) {
  for_each_block(statements, edit, [&](Statements& block) {
    for (size_t i = 0; i + length <= block.size() && !edit.done(); ++i)
      if (edit.here())
        block.erase(block.begin() + static_cast<std::ptrdiff_t>(i),
                    block.begin() + static_cast<std::ptrdiff_t>(i + length));
  });
}

/// Replaces a statement by the statements of its block.
void take_apart(Statements& statements, Edit& edit) {
  for_each_block(statements, edit, [&](Statements& block) {
    for (size_t i = 0; i < block.size() && !edit.done(); ++i) {
      if (!block[i].body) continue;
      auto replace = [&](const Statements& inside) {
        block.erase(block.begin() + static_cast<std::ptrdiff_t>(i));
        block.insert(block.begin() + static_cast<std::ptrdiff_t>(i), inside.begin(), inside.end());
      };
      if (edit.here()) replace(Statements(*block[i].body));
      else if (!block[i].otherwise.empty() && edit.here()) replace(Statements(block[i].otherwise));
      else if (!block[i].otherwise.empty() && edit.here()) block[i].otherwise.clear();
    }
  });
}

void simplify(Expression& expression, Edit& edit) {
  const std::optional<Expression> constant = constant_of(expression.type);
  if (constant && constant->text != expression.text && std::atoi(expression.text.c_str()) != 1 && edit.here()) {
    expression = *constant;
    return;
  }
  for (size_t i = 0; i < expression.operands.size() && !edit.done(); ++i) {
    if (!expression.type.empty() && expression.operands[i].type == expression.type && edit.here()) {
      expression = Expression(expression.operands[i]);
      return;
    }
    simplify(expression.operands[i], edit);
  }
}

void simplify_expressions(Statements& statements, Edit& edit) {
  for_each_block(statements, edit, [&](Statements& block) {
    for (Statement& statement : block)
      for (Expression& part : statement.parts)
        if (!edit.done()) simplify(part, edit);
  });
}

/// Reduces sizes of dims and numbers of iterations by one.
void make_less(Statements& statements, Edit& edit) {
  for_each_block(statements, edit, [&](Statements& block) {
    for (Statement& statement : block)
      for (Expression& part : statement.parts) {
        const int value = part.operands.empty() ? std::atoi(part.text.c_str()) : 0;
        const bool counts = statement.text.starts_with("dim ") || part.type == "count";
        if (counts && value > 1 && edit.here()) part.text = std::to_string(value - 1);
      }
  });
}

}  // namespace

Statements smallest_tree(Statements statements, const std::function<bool(const Statements&)>& fails, int most) {
  const EditKind kinds[] = {leave_out<8>, leave_out<4>,         leave_out<2>, leave_out<1>,
                            take_apart,   simplify_expressions, make_less};
  for (bool changed = true; changed;) {
    changed = false;
    for (const EditKind kind : kinds) {
      for (size_t n = 0;;) {
        Statements smaller = statements;
        Edit edit(n);
        kind(smaller, edit);
        if (!edit.done()) break;
        if (--most < 0) return statements;
        if (fails(smaller)) {
          statements = std::move(smaller);
          changed = true;
        } else {
          ++n;
        }
      }
    }
  }
  return statements;
}

}  // namespace mtf::properties
