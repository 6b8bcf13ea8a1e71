#pragma once

#include <string>
#include <vector>

namespace mtf::test {

// Programs that use every form of the language. Each is parsed, printed, and parsed again.
const std::vector<std::string>& snippets();

}  // namespace mtf::test
