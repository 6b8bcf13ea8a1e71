#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mtf {

// 1024 → "1,024"; -1234567 → "-1,234,567".
std::string thousands(std::int64_t number);

// Binary units with one decimal: 512 → "512 B", 4096 → "4.0 KiB", up to EiB.
std::string bytes_text(std::int64_t bytes);

// count_text(1, "value") → "1 value", count_text(1024, "value") → "1,024 values". `plural` is needed if it is not the
// singular with an s.
std::string count_text(std::int64_t count, std::string_view singular, std::string_view plural = {});

// The number to be printed: a NaN loses its sign, which depends on the way it was computed.
double without_sign_of_nan(double number);

std::string join(const std::vector<std::string>& parts, std::string_view separator);

// {"a", "b", "c"} → "a, b or c" with word "or".
std::string join_words(const std::vector<std::string>& parts, std::string_view word);

// A string literal of the language: quotes, and escapes where necessary (braces doubled).
std::string quote(std::string_view text);

// "`batch`": a word of the program as messages show it.
std::string code(std::string_view text);

std::string_view trim(std::string_view text);

// ASCII letters in lower case.
std::string lower_case(std::string_view text);

// True if the text has each of the words, in any case.
bool mentions_all(std::string_view text, const std::vector<std::string>& words);

std::vector<std::string> split(std::string_view text, char separator);

// True if a text matches the pattern, in which `*` stands for any text.
bool matches(std::string_view text, std::string_view pattern);

// The candidate with the smallest edit distance to `name`, if it is near enough: at most a third of the letters, but at
// least one. A swap of neighbours is one edit. The first candidate wins a tie. A name that differs only in case is
// always near.
std::optional<std::string> suggest(std::string_view name, const std::vector<std::string>& candidates);

// "did you mean `batch`?", or an empty string if nothing is near.
std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates);

// The number of code points. A byte outside any code point counts as one.
std::size_t count_code_points(std::string_view text);

// The offset of the first byte of invalid UTF-8. Overlong forms, surrogates and code points above U+10FFFF are invalid.
std::optional<std::size_t> first_invalid_utf8(std::string_view text);

// A file's path as the path of a URI: a byte that is not a letter, a digit or one of `-._~/` is written as %XX.
std::string uri_path(std::string_view path);

}  // namespace mtf
