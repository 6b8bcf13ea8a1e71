#pragma once
// What a statement of the session would cost under layouts that are tried.
#include <memory>
#include <string>

#include "tool/layout_search.h"
#include "tool/repl.h"
#include "tool/what_if.h"

namespace mtf::tool {

/// A statement as if it were entered now, under settings and an assumption: with its programs behind those of all that was
/// entered before, if there is a record. Computes nothing.
Searched entered(Repl& repl, const std::string& statement, const Settings& settings, const Assumption& assumption, std::shared_ptr<ProgramRecord> record);

}  // namespace mtf::tool
