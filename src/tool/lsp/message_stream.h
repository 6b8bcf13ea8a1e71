#pragma once
// Messages between an editor and a language server: JSON-RPC 2.0 behind a header with its length (Language Server
// Protocol 3.17, "Base Protocol").
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

namespace mtf::tool {

class MessageStream {
 public:
  /// Reads from and writes to these file descriptors.
  MessageStream(int in, int out) : in_(in), out_(out) {}

  /// The text of the next message. Nothing at the end of the input, or where a header is no header.
  std::optional<std::string> read();
  /// Any thread may write. A reader that has gone loses the message.
  void write(std::string_view message);

 private:
  std::optional<std::string> read_header_line();
  bool fill();

  const int in_, out_;
  std::string buffer_;
  std::mutex writing_;
};

}  // namespace mtf::tool
