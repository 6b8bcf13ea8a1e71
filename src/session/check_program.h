#pragma once
// Checking a program that has been read.
#include <memory>

#include "eval/settings.h"
#include "support/diagnostics.h"

namespace mtf::eval {
class SpanTable;
}

namespace mtf::session {

/// Adds every error and warning to `found`. If `parts` is not null, it gets the types of the parts of the text. Throws
/// UserError if it is interrupted (check_interrupt).
void check_program(const std::shared_ptr<const ast::Program>& program, const eval::Settings& settings,
                   Diagnostics& found, eval::SpanTable* parts = nullptr);

}  // namespace mtf::session
