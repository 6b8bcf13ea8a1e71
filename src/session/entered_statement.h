#pragma once
// The evaluation of one statement of an entry, as at a prompt: by the session, or by its stand-in.
#include <memory>
#include <optional>

#include "eval/host_value.h"
#include "session/entry.h"
#include "syntax/ast.h"

namespace mtf::eval {
class Evaluator;
}

namespace mtf::session {

/// Begins a statement, and the `report` on it.
void begin_statement(eval::Evaluator& evaluator, EntryReport& report, Span span);
/// Evaluates a statement of an entry; afterwards no computation is pending. Reports its bindings and its cost. Returns
/// the value of a bare expression that has one and is reported.
std::optional<eval::HostValue> run_entered(eval::Evaluator& evaluator,
                                           const std::shared_ptr<const ast::Program>& program, size_t index,
                                           EntryReport& report);
/// Reports that a name is now bound to a value. Ignores `none`.
void add_binding(EntryReport& report, eval::Evaluator& evaluator, Name name, const eval::HostValue& value);
/// Reports the cost of the current statement.
void add_costs(EntryReport& report, const eval::Evaluator& evaluator);
/// Warns of axes that the current layout names and the current mesh lacks.
void warn_of_layout(eval::Evaluator& evaluator);

}  // namespace mtf::session
