#pragma once
// A statement of an entry, evaluated as a prompt does it: by the session, or by what stands in for it.
#include <memory>
#include <optional>

#include "eval/host_value.h"
#include "session/entry.h"
#include "syntax/ast.h"

namespace mtf {

class Evaluator;

/// A statement begins, of which `report` will tell.
void begin_statement(Evaluator& evaluator, EntryReport& report, Span span);
/// Evaluates a statement of an entry, after which nothing is pending. Says what it has bound, and what it cost. Gives the value of
/// a bare expression that has one and is reported.
std::optional<HostValue> run_entered(Evaluator& evaluator, const std::shared_ptr<const ast::Program>& program, size_t index, EntryReport& report);
/// Says that a name stands for a value now; nothing of no value.
void add_binding(EntryReport& report, Evaluator& evaluator, Name name, const HostValue& value);
/// Says what the statement under way cost.
void add_costs(EntryReport& report, const Evaluator& evaluator);
/// Warns of axes that the layout in force names and the mesh in force lacks.
void warn_of_layout(Evaluator& evaluator);

}  // namespace mtf
