#pragma once
// What each part of a program's text is, for whoever shows a program: an editor, a listing.
//
// A check fills it with the type and layout of every expression that it evaluates and every name that it binds, and
// with where the names that are looked up were bound; a plan, with what each statement and expression costs. A place
// that is evaluated more than once may have several types: a function's that is called with several. What is not
// evaluated, a branch that is not taken, a function that nothing calls, is not here.
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "eval/host_value.h"
#include "eval/reports.h"
#include "eval/value_type.h"
#include "support/source.h"
#include "syntax/ast.h"

namespace mtf::eval {

struct SpanInfo {
  Span span;
  std::vector<ValueType> types;  ///< of the values that it has had; those met first, at most kMostTypes
  Span definition;               ///< of a name: where it is bound
  bool binds = false;            ///< it is itself where a name is bound
  bool is_literal = false;       ///< a number or a string, as it is written
  /// What a processor does there, by a plan: an expression's own work, without that of its parts; a statement's in all.
  /// Nowhere else, and not before there was a plan.
  bool has_cost = false;
  int64_t flops = 0;
  int64_t collectives = 0;  ///< how many
  int64_t bytes = 0;        ///< that they move
};

class SpanTable {
 public:
  static constexpr size_t kMostTypes = 4;

  /// An expression has this value.
  void expression(const ast::Expr& expr, const HostValue& value);
  /// A name stands at `span`, and was bound at `definition`.
  void use(Span span, Span definition);
  /// A name is bound at `span` to this value.
  void binding(Span span, const HostValue& value);
  /// A statement has been evaluated: what else than a value it has bound in the scope (dims, functions, modules).
  void declared(const ast::Stmt& stmt, Scope& scope);
  /// A statement has been planned: what it costs, and its expressions.
  void cost(const StatementReport& report);

  /// Why some of the costs are an estimate; nothing if none is.
  const plan::Doubts& doubts() const { return doubts_; }

  /// Everything known of a file, by the name with which it was checked: from its beginning, what is outside first.
  std::vector<SpanInfo> of(const std::string& file) const;
  /// The smallest part around a byte of a file; null if nothing is known there.
  const SpanInfo* at(const std::string& file, size_t offset) const;

 private:
  using Place = std::pair<std::uint32_t, std::int64_t>;  ///< beginning, minus the end: outer ones first
  SpanInfo* info(Span span);
  void add_type(SpanInfo& info, const HostValue& value);
  void add_cost(Span span, int64_t flops, int64_t collectives, int64_t bytes);

  std::map<std::string, std::map<Place, SpanInfo>> files_;
  std::set<std::shared_ptr<const SourceFile>> kept_;  ///< spans point into them
  plan::Doubts doubts_;
};

}  // namespace mtf::eval
