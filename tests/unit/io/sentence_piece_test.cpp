// Models of SentencePiece, in files that the tests make.
#include "io/sentence_piece.h"

#include <cstring>
#include <map>

#include "data_file_test.h"

namespace mtf::io {
namespace {

using PieceIds = std::vector<std::int32_t>;
enum PieceKind { kNormal = 1, kUnknown = 2, kControl = 3, kUserDefined = 4, kUnused = 5, kByte = 6 };

std::string number(std::uint64_t value) {
  std::string bytes;
  for (; value >= 0x80; value >>= 7) bytes += static_cast<char>(value | 0x80);
  return bytes + static_cast<char>(value);
}
std::string bytes_field(int field, const std::string& bytes) {
  return number(static_cast<std::uint64_t>(field) << 3 | 2) + number(bytes.size()) + bytes;
}
std::string number_field(int field, std::uint64_t value) {
  return number(static_cast<std::uint64_t>(field) << 3) + number(value);
}

struct ModelPiece {
  std::string text;
  float score = 0;
  int kind = kNormal;
};

std::string piece_message(const ModelPiece& piece) {
  std::string score(4, '\0');
  std::memcpy(score.data(), &piece.score, 4);
  return bytes_field(1, bytes_field(1, piece.text) + number(2 << 3 | 5) + score +
                            number_field(3, static_cast<std::uint64_t>(piece.kind)));
}

enum class ModelKind { kUnigram = 1, kBpe = 2 };

struct ModelFile {
  ModelKind kind = ModelKind::kUnigram;
  std::vector<ModelPiece> pieces = {};
  bool has_bytes = false, begins_with_space = true, drops_spaces = true;
  std::string replacements = {};

  std::string text() const {
    std::string all;
    for (const ModelPiece& piece : pieces) all += piece_message(piece);
    all += bytes_field(2, number_field(3, static_cast<std::uint64_t>(kind)) + number_field(35, has_bytes ? 1 : 0));
    std::string normalizing = bytes_field(1, "name") + bytes_field(2, replacements);
    normalizing += number_field(3, begins_with_space ? 1 : 0) + number_field(4, drops_spaces ? 1 : 0);
    return all + bytes_field(3, normalizing);
  }
  TokenizerPtr tokenizer() const { return load_tokenizer(text(), "file"); }
};

// ▁ is a space.
const std::vector<ModelPiece> kUnigramPieces{{"<unk>", 0, kUnknown},
                                             {"<s>", 0, kControl},
                                             {"▁a", -1},
                                             {"b", -2},
                                             {"▁ab", -2.5},
                                             {"c", -1},
                                             {"▁", -3},
                                             {"bc", -1.5}};

TEST(Unigram, TheLikeliestPiecesAreTaken) {
  const TokenizerPtr tokenizer = ModelFile{.pieces = kUnigramPieces}.tokenizer();
  EXPECT_EQ(tokenizer->vocab(), 8);
  // ▁a bc has -2.5, ▁ab c has -3.5.
  EXPECT_EQ(tokenizer->encode("abc"), (PieceIds{2, 7}));
  EXPECT_EQ(tokenizer->encode("ab"), (PieceIds{4}));
  EXPECT_EQ(tokenizer->decode(PieceIds{1, 2, 7, 4, 1}), "abc ab");
  EXPECT_EQ(tokenizer->encode(""), PieceIds{});
}

TEST(Unigram, UnknownCharactersSideBySideAreOneToken) {
  const TokenizerPtr tokenizer = ModelFile{.pieces = kUnigramPieces}.tokenizer();
  EXPECT_EQ(tokenizer->encode("xyb"), (PieceIds{6, 0, 3}));
  EXPECT_EQ(tokenizer->decode(PieceIds{6, 0, 3}), " \xe2\x81\x87 b");
  EXPECT_EQ(tokenizer->encode("\xff"), (PieceIds{6, 0}));
}

TEST(Unigram, SpacesAreDroppedOrKeptAsTheModelSays) {
  ModelFile file{.pieces = kUnigramPieces};
  EXPECT_EQ(file.tokenizer()->encode("  a  b "), (PieceIds{2, 6, 3}));
  EXPECT_EQ(file.tokenizer()->encode("   "), PieceIds{});
  file.drops_spaces = false;
  EXPECT_EQ(file.tokenizer()->encode("a  b "), (PieceIds{2, 6, 6, 3, 6}));
  EXPECT_EQ(file.tokenizer()->decode(PieceIds{2, 6, 6, 3, 6}), "a  b ");
  file.begins_with_space = false;
  EXPECT_EQ(file.tokenizer()->encode("b a"), (PieceIds{3, 2}));
}

std::vector<ModelPiece> with_bytes(std::vector<ModelPiece> pieces) {
  for (int byte = 0; byte < 256; ++byte) pieces.push_back({fmt::format("<0x{:02X}>", byte), 0, kByte});
  return pieces;
}

TEST(Unigram, BytesStandForUnknownCharacters) {
  const ModelFile file{.pieces = with_bytes(kUnigramPieces), .has_bytes = true, .drops_spaces = false};
  const TokenizerPtr tokenizer = file.tokenizer();
  EXPECT_EQ(tokenizer->encode("bé"), (PieceIds{6, 3, 8 + 0xc3, 8 + 0xa9}));
  for (const std::string text : {"żółw a  b", "日本\nabc", "", " x "})
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text);
  // A piece of a byte is none of the text that names it. Bytes that are no character are shown as one that is none.
  EXPECT_EQ(tokenizer->encode("<0x41>").size(), 7u);
  EXPECT_EQ(tokenizer->decode(PieceIds{8 + 0xc3, 3}),
            "\xef\xbf\xbd"
            "b");
}

TEST(Unigram, WhatTheUserDefinedIsTakenAsItIs) {
  std::vector<ModelPiece> pieces = kUnigramPieces;
  pieces.push_back({"xyz", 0, kUserDefined});
  pieces.push_back({"cc", 5, kUnused});
  const TokenizerPtr tokenizer = ModelFile{.pieces = pieces}.tokenizer();
  EXPECT_EQ(tokenizer->encode("xyzxyzb"), (PieceIds{6, 8, 8, 3}));
  EXPECT_EQ(tokenizer->encode("bcc"), (PieceIds{6, 7, 5}));
}

TEST(SentenceBpe, ThePairWithTheLargestScoreIsJoinedFirst) {
  ModelFile file{
      .kind = ModelKind::kBpe,
      .pieces = {{"<unk>", 0, kUnknown}, {"ba", -0.5}, {"ab", -1}, {"▁ab", -2}, {"a", -10}, {"b", -11}, {"▁", -12}}};
  // ba is joined before ab, and nothing joins with it.
  EXPECT_EQ(file.tokenizer()->encode("abab"), (PieceIds{6, 4, 1, 5}));
  EXPECT_EQ(file.tokenizer()->encode("ab"), (PieceIds{3}));
  EXPECT_EQ(file.tokenizer()->encode("xy"), (PieceIds{6, 0}));
  EXPECT_EQ(file.tokenizer()->decode(PieceIds{3, 3, 1}), "ab abba");
  // What is joined with an unused piece on the way is used, the piece itself is divided again.
  file.pieces[2].kind = kUnused;
  EXPECT_EQ(file.tokenizer()->encode("ab"), (PieceIds{3}));
  EXPECT_EQ(file.tokenizer()->encode("xab"), (PieceIds{6, 0, 4, 5}));
}

TEST(SentenceBpe, OfALongRunTakesLittleTime) {
  const ModelFile file{.kind = ModelKind::kBpe,
                       .pieces = {{"<unk>", 0, kUnknown}, {"aa", -1}, {"aaaa", -2}, {"a", -3}, {"▁", -4}}};
  EXPECT_EQ(file.tokenizer()->encode(std::string(1 << 18, 'a')).size(), (1u << 16) + 1);
}

/// A table that replaces texts, as a double array: the children of the n-th node begin at 256 (n + 1).
std::string table_of(const std::map<std::string, std::string>& replaced) {
  std::vector<std::uint32_t> nodes(256 * 16);
  std::map<std::string, std::uint32_t> bases{{"", 256}};
  std::string texts;
  nodes[0] = 256U << 10;
  for (const auto& [from, to] : replaced) {
    for (std::size_t i = 0; i < from.size(); ++i) {
      const std::uint32_t label = static_cast<unsigned char>(from[i]);
      const std::uint32_t place = bases.at(from.substr(0, i)) ^ label;
      const std::uint32_t base =
          bases.try_emplace(from.substr(0, i + 1), 256 * (static_cast<std::uint32_t>(bases.size()) + 1)).first->second;
      nodes[place] = (nodes[place] & 256U) | (place ^ base) << 10 | label;
      if (i + 1 == from.size()) {
        nodes[place] |= 256U;
        nodes[base] = 0x80000000U | static_cast<std::uint32_t>(texts.size());
      }
    }
    texts += to + '\0';
  }
  const auto size = static_cast<std::uint32_t>(nodes.size() * 4);
  std::string table(4 + size, '\0');
  std::memcpy(table.data(), &size, 4);
  std::memcpy(table.data() + 4, nodes.data(), size);
  return table + texts;
}

TEST(SentencePiece, TextIsNormalizedByTheTableOfTheModel) {
  ModelFile file{.pieces = kUnigramPieces,
                 .replacements = table_of({{"A", "a"}, {"\xef\xac\x81", "bc"}, {"\t", " "}, {"AA", "c"}})};
  EXPECT_EQ(file.tokenizer()->encode("A\xef\xac\x81"), (PieceIds{2, 7}));
  EXPECT_EQ(file.tokenizer()->encode("a\t\tb"), (PieceIds{2, 6, 3}));
  EXPECT_EQ(file.tokenizer()->encode("AAA"), (PieceIds{6, 5, 0}));  // the longest: AA, A
  file.replacements = "abc";
  EXPECT_MENTIONS(message_of([&] { file.tokenizer(); }),
                  "expected a table of replaced characters with its size, found 3 bytes");
}

TEST(SentencePiece, ThatIsSavedIsTheSame) {
  const ModelFile file{.pieces = kUnigramPieces};
  EXPECT_EQ(file.tokenizer()->save(), file.text());
}

TEST(SentencePiece, ThatIsDamagedIsRefused) {
  const auto wrong = [](std::vector<ModelPiece> pieces, bool has_bytes = false) {
    return message_of([&] { ModelFile{.pieces = std::move(pieces), .has_bytes = has_bytes}.tokenizer(); });
  };
  EXPECT_EQ(wrong({{"a", -1}}), "expected an unknown piece, found none among 1");
  EXPECT_EQ(wrong({{"<unk>", 0, kUnknown}, {"<u>", 0, kUnknown}}), "expected one unknown piece, found pieces 0 and 1");
  EXPECT_EQ(wrong({{"<unk>", 0, kUnknown}, {"a", -1}, {"a", -2}}), "piece 2: `a` stands twice");
  EXPECT_EQ(wrong({{"<unk>", 0, kUnknown}, {"a", 0, kByte}}), "piece 1: expected a byte as <0x41>, found `a`");
  EXPECT_EQ(wrong(kUnigramPieces, true), "expected a piece for each byte, found none for <0x00>");
  EXPECT_MENTIONS(wrong({{"<unk>", 0, 7}}), "piece 0: expected a kind from 1 to 6, found 7");
  EXPECT_MENTIONS(wrong({{"", 0}}), "piece 0: expected a text, found none");
  EXPECT_MENTIONS(wrong({{"a", NAN}}), "piece 0: expected a finite score, found nan");
  EXPECT_MENTIONS(
      message_of([] { ModelFile{.kind = static_cast<ModelKind>(3), .pieces = kUnigramPieces}.tokenizer(); }),
      "expected a model of the kind 1 (unigram) or 2 (BPE), found 3");
}

TEST(SentencePiece, NoPartOfAFileIsTakenForTheWhole) {
  const std::string whole = ModelFile{.pieces = with_bytes(kUnigramPieces), .has_bytes = true}.text();
  int refused = 0;
  for (std::size_t size = 1; size < whole.size(); size += 7) {
    try {
      load_tokenizer(whole.substr(0, size), "file");
    } catch (const IoError& error) {
      ++refused;
      EXPECT_EQ(error.kind, IoError::Kind::kBadFile);
    }
  }
  // A file that ends between two parts may be whole: the parts are optional.
  EXPECT_GT(refused, static_cast<int>(whole.size() / 7) * 3 / 4);
  EXPECT_MENTIONS(message_of([&] { load_tokenizer(whole.substr(0, 25), "file"); }),
                  "expected a model of SentencePiece: ");
}

}  // namespace
}  // namespace mtf::io
