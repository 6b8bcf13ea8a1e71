// The kinds of files that programs write.
#pragma once

#include <string>

namespace mtf::io {

/// kTokens are numbers without a header; kText is a text, but no script.
enum class FileKind { kNpy, kSafetensors, kTokenizer, kTokens, kText };

/// Throws IoError of kind kUnwritable if there is a file of another kind at a path. So a file that a program names by
/// mistake is not replaced. A new file, an empty one, a device and a pipe may be written.
void expect_replaceable(const std::string& path, FileKind kind);

}  // namespace mtf::io
