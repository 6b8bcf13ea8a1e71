#pragma once
// A fast path for plain numbers: ints, floats and bools of the host, and expressions and function calls that use
// nothing else.
//
// Most host computations of a script are of this kind: indices, rates, conditions. This evaluator needs no scopes for
// calls, no findings, handles or history. It has no effects. So if it meets something other than a number, or an error,
// it gives up, and the general evaluator starts again from the beginning, with full error messages. A function on which
// it gave up is not tried again. A check does not use this evaluator. Neither does an evaluation that records the value
// of each expression.
#include <cstdint>
#include <optional>
#include <vector>

#include "eval/host_value.h"
#include "support/interrupt.h"

namespace mtf::eval {

/// A plain number, or kMore if the fast path has to give up.
struct Plain {
  enum class Kind : uint8_t { kInt, kFloat, kBool, kMore };
  Plain() : kind(Kind::kMore), whole(0) {}                        ///< not a plain number
  Plain(int64_t number) : kind(Kind::kInt), whole(number) {}      // NOLINT: implicit on purpose
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

/// Compute `a op b` for arithmetic operators and comparisons. `integers` fails at `span` (integer_overflow,
/// division_by_zero).
Plain integers(ast::BinaryOp op, int64_t a, int64_t b, Span span);
Plain floats(ast::BinaryOp op, double a, double b);

class PlainNumbers {
 public:
  explicit PlainNumbers(const Interrupt& interrupt) : interrupt_(interrupt) {}

  /// Evaluates an infix operation or a call in `scope`. Returns nothing if it involves anything but plain numbers. An
  /// operation evaluates calls only if `may_call`. Fails as the operators do, or if the user interrupts.
  std::optional<HostValue> operation(const ast::Expr& expr, const ast::BinaryExpr& binary, Scope& scope, bool may_call);
  std::optional<HostValue> call(const ast::CallExpr& call, Scope& scope);
  /// The greatest depth of nested calls.
  static constexpr int kMostCalls = 64;

 private:
  /// The names that an expression sees: first the locals from `first` on, then `limit` bindings of the scope.
  struct Frame {
    Scope& scope;
    size_t limit;
    size_t first;
    int calls;  ///< how many more calls may be nested
  };
  struct Local {
    Name name;
    Plain value = {};
  };
  /// How a block of a function ended.
  enum class End : uint8_t { kNext, kReturned, kMore };

  /// `depth` is the number of levels of subexpressions that may still follow.
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
  std::vector<Local> locals_;  ///< parameters and names of the running calls
};

}  // namespace mtf::eval
