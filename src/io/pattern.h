// Regular expressions by which tokenizers divide texts into pieces.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>

namespace mtf::io {

/// Thrown for an expression that cannot be read. `what()` says the expected and the found.
struct BadPattern : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// An expression with alternatives, groups, `(?i:…)`, `(?=…)` and `(?!…)`, classes of characters with `\p{…}` of
/// general categories, `\s \d \w` and their opposites, `^`, `$`, and the repetitions `? * + {m,n}`, of which `?` behind
/// them makes lazy and `+` possessive ones. The first alternative that matches is taken. Letters are compared in both
/// cases within
/// `(?i:…)`, if they are those of ASCII.
class Pattern {
 public:
  explicit Pattern(const std::string& expression);
  /// The number of characters that match at `at`; nothing if none do.
  std::optional<std::size_t> match(std::span<const char32_t> text, std::size_t at) const;

  struct Node;

 private:
  std::shared_ptr<const Node> root_;
};

}  // namespace mtf::io
