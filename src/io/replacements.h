// A table of replaced texts, as SentencePiece stores it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace mtf::io {

/// Replaces the longest texts that a table names. The table is a trie as a double array (Aoe, 1989). A node has 32
/// bits:
/// - the lowest eight are the byte by which it is reached;
/// - bit 8 says that a text ends there;
/// - the bits from 10 on lead to its children; with bit 9 they are shifted by eight more.
class Replacements {
 public:
  /// `table`: the size of the trie, the trie, and the texts that replace others. Empty: nothing is replaced. Throws
  /// IoError, which names `path`.
  Replacements(std::string_view table, const std::string& path);

  /// The number of bytes that are replaced at the beginning of a text, and what replaces them.
  std::pair<std::size_t, std::string_view> find(std::string_view text) const;

 private:
  std::vector<std::uint32_t> nodes_;
  std::string texts_;
};

}  // namespace mtf::io
