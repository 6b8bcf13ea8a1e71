// Writing whole files.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace mtf::io {

/// Writes a file that is then there whole, or as it was before: the parts go one after the other into a partial file
/// (partial_file.h), which takes its place when it is on the disk. A stream (write_target.h) is written to; a pipe is
/// waited for. `before_replacing` is called when everything else is done; what it throws leaves the file as it was.
/// Throws IoError of kind kUnwritable.
void write_file_atomically(const std::string& path, std::span<const std::span<const std::byte>> parts,
                           const std::function<void()>& before_replacing = {});
void write_file_atomically(const std::string& path, std::string_view text,
                           const std::function<void()>& before_replacing = {});

}  // namespace mtf::io
