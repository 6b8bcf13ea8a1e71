// Writing whole files.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace mtf {

/// Writes a file that is then there whole, or as it was before: the parts go one after the other into a new file of the
/// same folder, under a name that nobody can foresee, which takes the file's place when it is on the disk.
///
/// A link is followed: the file that it points to is replaced. A file that exists must be writable, and keeps its mode
/// and, where that is allowed, its owner; a new one is made as any other (0666 without the umask). What is no regular
/// file (a device, a pipe) is written to instead of replaced; a pipe is waited for. `before_replacing` is called when
/// everything else is done; what it throws leaves the file as it was. Throws IoError of kind kUnwritable.
void write_file_atomically(const std::string& path, std::span<const std::span<const std::byte>> parts,
                           const std::function<void()>& before_replacing = {});
void write_file_atomically(const std::string& path, std::string_view text,
                           const std::function<void()>& before_replacing = {});

}  // namespace mtf
