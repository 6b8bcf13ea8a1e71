#include "syntax/token_window.h"

#include <algorithm>

namespace mtf::syntax {
namespace {

constexpr std::size_t kTokensOfPart = 2000;

}  // namespace

TokenWindow::TokenWindow(const TokenList& list, const SourceFile& file, const Offsets& offsets)
    : list_(list), file_(file), offsets_(offsets), tokens_(1, antlr4::CommonToken(antlr4::Token::EOF)) {}

// The index behind a top-level statement that ends its line. Statements on one line stay together.
std::size_t TokenWindow::end_of_part() const {
  const std::size_t last = list_.tokens.size() - 1;
  for (std::size_t i = std::min(begin_ + kTokensOfPart, last); i < last; ++i) {
    if (list_.block_depth[i] > 0 || list_.tokens[i].type != MtfLexer::NEWLINE) continue;
    const std::string_view text = offsets_.span(list_.tokens[i].begin, list_.tokens[i].end).text();
    if (text.starts_with('\n') || text.starts_with('\r')) return i + 1;
  }
  return last;
}

bool TokenWindow::next() {
  const std::size_t last = list_.tokens.size() - 1;
  if (begun_ && end_ == last) return false;
  begun_ = true;
  begin_ = place_ = end_;
  end_ = end_of_part();
  tokens_.clear();
  tokens_.reserve(end_ - begin_ + 1);
  for (std::size_t i = begin_; i <= end_; ++i) {
    const LexedToken& token = list_.tokens[i];
    antlr4::CommonToken& made = tokens_.emplace_back(i < end_ ? token.type : antlr4::Token::EOF);
    made.setStartIndex(token.begin);
    made.setStopIndex(std::size_t{token.end} - 1);
    made.setTokenIndex(i);
  }
  return true;
}

antlr4::Token* TokenWindow::LT(ssize_t k) {
  if (k == 0) return nullptr;
  const auto offset = static_cast<std::size_t>(k > 0 ? k - 1 : k);  // -1 is the previous token
  const std::size_t index = place_ + offset;
  if (k < 0 && (place_ < static_cast<std::size_t>(-k) || index < begin_)) return nullptr;
  return get(index);
}

antlr4::Token* TokenWindow::get(std::size_t index) const { return &tokens_[std::clamp(index, begin_, end_) - begin_]; }

}  // namespace mtf::syntax
