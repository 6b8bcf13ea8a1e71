#pragma once
// Plain numbers: ints, floats and bools of the host, and expressions and calls of functions that consist of nothing
// else.
//
// Most of what a script computes for itself is of that kind: places, rates, conditions. It is evaluated here as what it
// is, without a scope for a call, without findings, handles and history, since it can have no effect: where anything
// turns out to be more than a number, or is an error, nothing has happened, and the evaluator begins anew, in its own
// way. A function that was more once is not tried again.
#include <cstdint>
#include <optional>
#include <vector>

#include "eval/host_value.h"
#include "support/interrupt.h"

namespace mtf::eval {

/// One of them, or word that there is more.
struct Plain {
  enum class Kind : uint8_t { kInt, kFloat, kBool, kMore };
  Plain() : kind(Kind::kMore), whole(0) {}                        ///< no plain number, but more
  Plain(int64_t number) : kind(Kind::kInt), whole(number) {}      // NOLINT: each is one
  Plain(double number) : kind(Kind::kFloat), fraction(number) {}  // NOLINT
  Plain(bool is) : kind(Kind::kBool), truth(is) {}                // NOLINT

  HostValue value() const {
    switch (kind) {
      case Kind::kInt: return whole;
      case Kind::kFloat: return fraction;
      default: return truth;
    }
  }
  explicit operator bool() const { return kind != Kind::kMore; }
  double number() const { return kind == Kind::kInt ? static_cast<double>(whole) : fraction; }

  Kind kind;
  union {
    int64_t whole;
    double fraction;
    bool truth;
  };
};

/// `a op b`, of arithmetic and comparisons. Fails at `span` (integer_overflow, division_by_zero).
Plain integers(ast::BinaryOp op, int64_t a, int64_t b, Span span);
Plain floats(ast::BinaryOp op, double a, double b);

class PlainNumbers {
 public:
  explicit PlainNumbers(const Interrupt& interrupt) : interrupt_(interrupt) {}

  /// The value of an operation or a call in `scope`, if plain numbers are all there is to it. An operation tries calls
  /// if it `may_call`. Fails as the operators do, or if it is interrupted.
  std::optional<HostValue> operation(const ast::Expr& expr, const ast::BinaryExpr& binary, Scope& scope, bool may_call);
  std::optional<HostValue> call(const ast::CallExpr& call, Scope& scope);
  /// So deep calls may be in one another.
  static constexpr int kMostCalls = 64;

 private:
  /// Where an expression stands: what it sees of a scope, and before that the locals from `first` on.
  struct Frame {
    Scope& scope;
    size_t limit;
    size_t first;
    int calls;  ///< that may still be in one another
  };
  struct Local {
    Name name;
    Plain value = {};
  };
  /// What a block of a function has come to.
  enum class End : uint8_t { kNext, kReturned, kMore };

  /// `depth`: of expressions that may still be in one another.
  Plain number(const ast::Expr& expr, const Frame& frame, int depth);
  Plain operation(const ast::Expr& expr, const ast::BinaryExpr& binary, const Frame& frame, int depth);
  Plain name(Name name, const Frame& frame);
  Plain item(const ast::IndexExpr& index, const Frame& frame, int depth);
  Plain branch(const ast::IfExpr& branches, const Frame& frame, int depth);
  Plain call(const ast::CallExpr& call, const Frame& frame, int depth);
  Plain body(const Function& function, const Frame& frame);
  std::optional<bool> condition(const ast::Expr& expr, const Frame& frame, int depth);
  End run(const ast::Block& block, const Frame& frame, Plain& result);

  const Interrupt& interrupt_;
  std::vector<Local> locals_;  ///< parameters and names of the calls under way
};

}  // namespace mtf::eval
