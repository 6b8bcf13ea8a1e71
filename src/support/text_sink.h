#pragma once
// Stream buffers that pass their output on: to a virtual function, or in lines to a function.
#include <functional>
#include <streambuf>
#include <string>
#include <string_view>
#include <utility>

namespace mtf {

class TextSink : public std::streambuf {
 protected:
  /// Takes a piece of text: a letter, a line, or more. An exception reaches the stream.
  virtual void take(std::string_view text) = 0;

 private:
  int overflow(int letter) final {
    const char one = static_cast<char>(letter);
    take({&one, 1});
    return letter;
  }
  std::streamsize xsputn(const char* text, std::streamsize size) final {
    take({text, static_cast<std::size_t>(size)});
    return size;
  }
};

/// Passes output to a function, one or more lines at a time. A flush passes an unfinished line.
class LineSink : public TextSink {
 public:
  explicit LineSink(std::function<void(std::string_view)> to) : to_(std::move(to)) {}

 private:
  void take(std::string_view text) override {
    line_ += text;
    if (line_.ends_with('\n')) sync();
  }
  int sync() override {
    if (!line_.empty()) to_(std::exchange(line_, {}));
    return 0;
  }
  std::function<void(std::string_view)> to_;
  std::string line_;
};

}  // namespace mtf
