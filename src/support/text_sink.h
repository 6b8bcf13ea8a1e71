#pragma once
// A stream buffer that passes its output to a virtual function.
#include <streambuf>
#include <string_view>

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

}  // namespace mtf
