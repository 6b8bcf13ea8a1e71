#pragma once
// A stream buffer that hands what is printed to a function of its class.
#include <streambuf>
#include <string_view>

namespace mtf {

class TextSink : public std::streambuf {
 protected:
  /// Takes text as it comes: a letter, a line, or more. What it throws reaches the stream.
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
