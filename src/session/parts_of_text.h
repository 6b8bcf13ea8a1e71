#pragma once
// What each part of a program is, and what it costs, without running it.
#include <memory>
#include <string>
#include <vector>

#include "eval/reports.h"
#include "eval/settings.h"
#include "eval/span_table.h"
#include "support/diagnostics.h"

namespace mtf::plan {
class Runtime;
}

namespace mtf::session {

/// A program that was checked.
struct CheckedText {
  Diagnostics found;                            ///< as Session::check_text() finds them, in the order of their places
  eval::SpanTable parts;                        ///< without costs
  std::shared_ptr<const ast::Program> program;  ///< without the statements that cannot be read
};

/// Checks a program whose file is called `name`. Statements that cannot be read are skipped: the parts of the others
/// are known, as far as they do not depend on skipped ones. Throws UserError if it is interrupted.
CheckedText checked_text(const std::string& name, const std::string& text, const eval::Settings& settings);

/// The same table with the costs of a plan by a planner of `machine` (plan/runtime.h). A program with errors has no
/// costs; none has where `machine` is null.
eval::SpanTable parts_of_text(const std::string& name, const std::string& text, const eval::Settings& settings,
                              const plan::Runtime* machine);

}  // namespace mtf::session
