#pragma once
// Facts about each part of a program's text, for editors and listings.
//
// A check enters the type and layout of every expression that it evaluates and of every name that it binds. For each
// name that it looks up, it enters where the name was bound. A plan enters the costs of statements and expressions. A
// part that is evaluated more than once may have several types, for instance in a function that is called with several
// types. Parts that are not evaluated have no entry: branches not taken, functions that nothing calls.
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "eval/reports.h"
#include "eval/value_type.h"
#include "support/source.h"
#include "syntax/ast.h"

namespace mtf::eval {

class Scope;
struct HostValue;

struct SpanInfo {
  Span span;
  std::vector<ValueType> types;  ///< of its values: the first kMostTypes different ones
  Span definition;               ///< of a name: where it is bound
  bool binds = false;            ///< the span itself binds a name
  bool is_literal = false;       ///< a number or string literal
  /// True if a plan has entered costs, which are those of one processor. An expression's costs exclude those of its
  /// parts. A statement's costs are the total. Other spans have no costs.
  bool has_cost = false;
  int64_t flops = 0;
  int64_t collectives = 0;  ///< their number
  int64_t bytes = 0;        ///< that the collectives move
};

class SpanTable {
 public:
  static constexpr size_t kMostTypes = 4;

  /// Enters the value of an expression.
  void expression(const ast::Expr& expr, const HostValue& value);
  /// Enters a use of a name at `span`. The name was bound at `definition`.
  void use(Span span, Span definition);
  /// Enters the binding of a name to this value at `span`.
  void binding(Span span, const HostValue& value);
  /// Enters the names that a statement has declared in the scope (dims, functions, modules), except those of a `let`.
  void declared(const ast::Stmt& stmt, Scope& scope);
  /// Enters the costs of a planned statement and of its expressions.
  void cost(const StatementReport& report);

  /// Why some of the costs are an estimate; nothing if none is.
  const plan::Doubts& doubts() const { return doubts_; }

  /// Returns all entries of a file in the order of the text, outer spans before inner ones. `file` is the name with
  /// which the file was checked.
  std::vector<SpanInfo> of(const std::string& file) const;
  /// Returns the entry of the smallest span around a byte of a file; null if there is none.
  const SpanInfo* at(const std::string& file, size_t offset) const;

 private:
  using Range = std::pair<std::uint32_t, std::int64_t>;  ///< begin and negated end: sorts outer spans first
  SpanInfo* info(Span span);
  void add_type(SpanInfo& info, const HostValue& value);
  void add_cost(Span span, int64_t flops, int64_t collectives, int64_t bytes);

  std::map<std::string, std::map<Range, SpanInfo>> files_;
  std::set<std::shared_ptr<const SourceFile>> kept_;  ///< the spans point into these files
  plan::Doubts doubts_;
};

}  // namespace mtf::eval
