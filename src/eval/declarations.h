#pragma once
// Declarations of dims, meshes, layouts, options and settings, which bind their names in `scope`. Also `use`, `seed`,
// `precision` and `with`, which change the mesh, the layout, the random stream, the precision or a setting.
#include <optional>

#include "eval/abstract.h"
#include "eval/host_value.h"
#include "eval/value_type.h"
#include "syntax/ast.h"

namespace mtf::eval {

class Evaluator;

/// `dim a = 2, b = n`. The command line can set dims at the top of a file.
void declare(Evaluator& evaluator, const ast::DimStmt& stmt, const ScopePtr& scope);
/// `mesh m = [rows: 2]`. The mesh is in force from here on, unless the command line gives one.
void declare(Evaluator& evaluator, const ast::MeshStmt& stmt, const ScopePtr& scope);
/// `layout l = {batch: rows}`. The layout is in force from here on, unless the command line gives one.
void declare(Evaluator& evaluator, const ast::LayoutStmt& stmt, const ScopePtr& scope);
/// `option name = value`, which the command line can set.
void declare(Evaluator& evaluator, const ast::OptionStmt& stmt, const ScopePtr& scope);
/// `setting name = value`. The command line can set it, and `with` can change it.
void declare(Evaluator& evaluator, const ast::SettingStmt& stmt, const ScopePtr& scope);
/// The kinds of value that `use` may name.
enum class Used : uint8_t { kEither, kMesh, kLayout };
/// `use m`, `use [rows: 2]`, `use {batch -> rows}`: puts a mesh or a layout in force from here on.
void use(Evaluator& evaluator, const ast::UseStmt& stmt, const ScopePtr& scope, Used wanted = Used::kEither);
/// Returns the mesh or layout that a `use` would put in force; nothing if it is unknown, or in error.
std::optional<InForce> in_force(Evaluator& evaluator, const ast::UseStmt& stmt, const ScopePtr& scope,
                                Used wanted = Used::kEither);
/// Puts a mesh or layout in force from here on, unless the command line gives one.
void use(Evaluator& evaluator, const InForce& what);
/// `seed 7`: restarts the stream of random numbers.
void set_seed(Evaluator& evaluator, const ast::SeedStmt& stmt, const ScopePtr& scope);
/// `precision bf16`, `precision mixed`.
void set_precision(Evaluator& evaluator, const ast::PrecisionStmt& stmt);

/// `with … { … }`: changes a setting, the mesh, the layout, the precision or the seed for a block and the functions
/// that it calls. Restores the previous state however the block ends.
Flow run_with(Evaluator& evaluator, const ast::WithStmt& stmt, const ScopePtr& scope);

}  // namespace mtf::eval
