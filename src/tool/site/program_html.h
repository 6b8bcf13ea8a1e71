#pragma once
// Programs as HTML: coloured, with the type of each name for who points at it, and links to the reference.
#include <map>
#include <string>

namespace mtf::tool {

/// The addresses of the names that the site explains: `relu`, `nn.Dense`, `axis_used_twice`.
using KnownAddresses = std::map<std::string, std::string>;

/// Returns the HTML of a program. Checks it, and shows the types that the check finds. `file` is the name of the
/// program's file, if it has one. Names in `known` that the program does not declare are links.
std::string program_html(const std::string& file, const std::string& text, const KnownAddresses& known);

}  // namespace mtf::tool
