#pragma once
// Statements that declare what tensors are made of and laid out on, which bind their names in `scope`, and `with`,
// which brings such into force for a block.
#include <optional>

#include "eval/block_info.h"
#include "eval/host_value.h"
#include "eval/value_type.h"
#include "syntax/ast.h"

namespace mtf::eval {

class Evaluator;

/// `dim a = 2, b = n`. Those at the top of a file can be set from the command line.
void declare(Evaluator& evaluator, const ast::DimStmt& stmt, const ScopePtr& scope);
/// `mesh m = [rows: 2]`, which is in force from here on, unless the command line gives one.
void declare(Evaluator& evaluator, const ast::MeshStmt& stmt, const ScopePtr& scope);
/// `layout l = {batch: rows}`, likewise.
void declare(Evaluator& evaluator, const ast::LayoutStmt& stmt, const ScopePtr& scope);
/// `option name = value`, which the command line can set.
void declare(Evaluator& evaluator, const ast::OptionStmt& stmt, const ScopePtr& scope);
/// `setting name = value`, likewise, which `with` changes.
void declare(Evaluator& evaluator, const ast::SettingStmt& stmt, const ScopePtr& scope);
/// What `use` may name.
enum class Used : uint8_t { kEither, kMesh, kLayout };
/// `use m`, `use [rows: 2]`, `use {batch -> rows}`: a mesh or a layout is in force from here on.
void use(Evaluator& evaluator, const ast::UseStmt& stmt, const ScopePtr& scope, Used wanted = Used::kEither);
/// What that would bring into force; nothing where it is not known, or in error.
std::optional<InForce> in_force(Evaluator& evaluator, const ast::UseStmt& stmt, const ScopePtr& scope,
                                Used wanted = Used::kEither);
/// It is in force from here on, unless the command line gives one.
void use(Evaluator& evaluator, const InForce& what);
/// `seed 7`: the stream of random numbers begins anew.
void set_seed(Evaluator& evaluator, const ast::SeedStmt& stmt, const ScopePtr& scope);
/// `precision bf16`, `precision mixed`.
void set_precision(Evaluator& evaluator, const ast::PrecisionStmt& stmt);

/// `with … { … }`: a setting, the mesh, the layout, the precision or the seed in force while a block runs, in what it
/// calls too. What was before is put back however the block is left.
Flow run_with(Evaluator& evaluator, const ast::WithStmt& stmt, const ScopePtr& scope);

}  // namespace mtf::eval
