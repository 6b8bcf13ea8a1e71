#pragma once
// A statement of an entry, evaluated as a prompt does it: by the session, or by what stands in for it.
#include <memory>
#include <optional>

#include "eval/host_value.h"
#include "session/entry.h"
#include "syntax/ast.h"

namespace mtf::eval {
class Evaluator;
}

namespace mtf::session {

/// A statement begins, of which `report` will tell.
void begin_statement(eval::Evaluator& evaluator, EntryReport& report, Span span);
/// Evaluates a statement of an entry, after which nothing is pending. Says what it has bound, and what it cost. Gives
/// the value of a bare expression that has one and is reported.
std::optional<eval::HostValue> run_entered(eval::Evaluator& evaluator,
                                           const std::shared_ptr<const ast::Program>& program, size_t index,
                                           EntryReport& report);
/// Says that a name stands for a value now; nothing of no value.
void add_binding(EntryReport& report, eval::Evaluator& evaluator, Name name, const eval::HostValue& value);
/// Says what the statement under way cost.
void add_costs(EntryReport& report, const eval::Evaluator& evaluator);
/// Warns of axes that the layout in force names and the mesh in force lacks.
void warn_of_layout(eval::Evaluator& evaluator);

}  // namespace mtf::session
