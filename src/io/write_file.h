// Writing whole files.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace mtf::io {

/// Writes a file so that it is complete afterwards, or unchanged. The parts are written to a partial file
/// (partial_file.h), which replaces the target once it is on the disk. A stream (write_target.h) is written directly.
/// `before_replacing` is called last before the replacement, and an exception leaves the file unchanged. Throws IoError
/// of kind kUnwritable.
void write_file_atomically(const std::string& path, std::span<const std::span<const std::byte>> parts,
                           const std::function<void()>& before_replacing = {});
void write_file_atomically(const std::string& path, std::string_view text,
                           const std::function<void()>& before_replacing = {});

}  // namespace mtf::io
