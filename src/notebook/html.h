#pragma once
// Reports of the prompt as HTML.
#include <string>

#include "session/entry.h"

namespace mtf::notebook {

/// Returns the report: a tensor's elements as a table, and `text`, the report of the prompt, beside it.
std::string html_of(const session::EntryReport& report, const std::string& text);

/// Returns a record of the JSON schema as tables: one for each list of objects, with a row for each object. Columns
/// without content are left out.
std::string html_of_record(const std::string& json);

}  // namespace mtf::notebook
