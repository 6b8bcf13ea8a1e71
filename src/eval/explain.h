#pragma once
// What each part of a program is, and what it costs, without running it.
#include <string>

#include "eval/settings.h"
#include "eval/span_table.h"

namespace mtf {

/// Of a program in error what a check can tell; `name` is that of its file in the table. With `costs` a right program is
/// planned too.
SpanTable explain(const std::string& name, const std::string& text, const Settings& settings, bool costs);

}  // namespace mtf
