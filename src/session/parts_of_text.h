#pragma once
// What each part of a program is, and what it costs, without running it.
#include <string>

#include "eval/settings.h"
#include "eval/span_table.h"

namespace mtf::plan {
class Runtime;
}

namespace mtf::session {

/// Of a program in error what a check can tell; `name` is that of its file in the table. A right program is planned
/// too, by a planner of `machine` (plan/runtime.h); not if that is null.
eval::SpanTable parts_of_text(const std::string& name, const std::string& text, const eval::Settings& settings,
                              const plan::Runtime* machine);

}  // namespace mtf::session
