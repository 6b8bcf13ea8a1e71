// Tokenizers of Hugging Face, in files that the tests make. Ids and texts follow from the definition of each part.
#include "io/hugging_face.h"

#include <nlohmann/json.hpp>

#include "data_file_test.h"
#include "io/text.h"

namespace mtf::io {
namespace {

using Ids = std::vector<std::int32_t>;
using OrderedFile = nlohmann::ordered_json;

/// The character that GPT-2 writes for a byte.
std::string written_byte(int byte) {
  int others = 0;
  for (int b = 0; b <= byte; ++b) {
    const bool is_printable = (b >= 33 && b <= 126) || (b >= 161 && b <= 172) || b >= 174;
    if (b == byte) return utf8(is_printable ? static_cast<char32_t>(b) : static_cast<char32_t>(256 + others));
    others += is_printable ? 0 : 1;
  }
  return "";
}

OrderedFile tokenizer_json() {
  OrderedFile vocabulary = OrderedFile::object();
  for (int i = 0; i < 256; ++i) vocabulary[written_byte(i)] = i;
  // Ġ is a space.
  for (const char* token : {"he", "ll", "hell", "hello", "Ġw", "or", "Ġwor", "ld", "Ġworld", "xyz"})
    vocabulary[token] = vocabulary.size();
  return {{"version", "1.0"},
          {"added_tokens",
           {{{"id", 266},
             {"content", "<|end|>"},
             {"special", true},
             {"lstrip", false},
             {"rstrip", false},
             {"single_word", false}},
            {{"id", 267},
             {"content", "<sep>"},
             {"special", false},
             {"lstrip", true},
             {"rstrip", false},
             {"single_word", false}}}},
          {"normalizer", nullptr},
          {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"trim_offsets", true}}},
          {"post_processor", nullptr},
          {"decoder", {{"type", "ByteLevel"}}},
          {"model",
           {{"type", "BPE"},
            {"dropout", nullptr},
            {"unk_token", nullptr},
            {"continuing_subword_prefix", ""},
            {"end_of_word_suffix", ""},
            {"fuse_unk", false},
            {"vocab", vocabulary},
            {"merges", {"h e", "l l", "he ll", "hell o", "Ġ w", "o r", "Ġw or", "l d", "Ġwor ld"}}}}};
}

TEST(HuggingFace, MergesAreMadeInTheirOrder) {
  const TokenizerPtr tokenizer = load_tokenizer(tokenizer_json().dump(), "file");
  EXPECT_EQ(tokenizer->vocab(), 268);
  EXPECT_EQ(tokenizer->encode("hello world"), (Ids{259, 264}));
  // `xyz` is a token that no merge makes.
  EXPECT_EQ(tokenizer->encode("xyz"), (Ids{'x', 'y', 'z'}));
  EXPECT_EQ(tokenizer->encode("he<|end|>  <sep>ll"), (Ids{256, 266, 267, 257}));
  EXPECT_EQ(tokenizer->decode(Ids{259, 266, 267, 264}), "hello<sep> world");
  for (const std::string text : {"hello  world\n\n \t x", "", "It'S 12345 ½ żółw! \xe6\x97\xa5 ", "\xff\xc3 bytes\x80"})
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text);
  const TokenizerPtr loaded = load_tokenizer(tokenizer->save(), "file");
  EXPECT_EQ(loaded->encode("hello<|end|>"), tokenizer->encode("hello<|end|>"));
}

TEST(HuggingFace, Llama3HasAPatternAndTakesTokensAsTheyAre) {
  OrderedFile file = tokenizer_json();
  file["model"]["ignore_merges"] = true;
  for (auto& merge : file["model"]["merges"]) {
    const std::string both = merge;
    merge = {both.substr(0, both.find(' ')), both.substr(both.find(' ') + 1)};
  }
  file["pre_tokenizer"] = {{"type", "Sequence"},
                           {"pretokenizers",
                            {{{"type", "Split"},
                              {"pattern", {{"Regex", "\\p{L}+|\\p{N}{1,3}| "}}},
                              {"behavior", "Isolated"},
                              {"invert", false}},
                             {{"type", "ByteLevel"}, {"add_prefix_space", false}, {"use_regex", false}}}}};
  const TokenizerPtr tokenizer = load_tokenizer(file.dump(), "file");
  EXPECT_EQ(tokenizer->encode("xyz"), (Ids{265}));
  // The pattern gives the space alone, so that ` world` is no piece.
  EXPECT_EQ(tokenizer->encode("hello world"), (Ids{259, ' ', 'w', 261, 263}));
  file["pre_tokenizer"]["pretokenizers"][0]["behavior"] = "Removed";
  file["pre_tokenizer"]["pretokenizers"][0]["invert"] = true;
  EXPECT_EQ(load_tokenizer(file.dump(), "file")->encode("he!"), (Ids{256}));
}

TEST(HuggingFace, ASpaceBeforeATextIsAdded) {
  OrderedFile file = tokenizer_json();
  file["pre_tokenizer"]["add_prefix_space"] = true;
  const TokenizerPtr tokenizer = load_tokenizer(file.dump(), "file");
  EXPECT_EQ(tokenizer->encode("world"), (Ids{264}));
  EXPECT_EQ(tokenizer->encode(" world"), (Ids{264}));
  file["pre_tokenizer"] = {
      {"type", "Sequence"},
      {"pretokenizers", {{{"type", "Digits"}, {"individual_digits", true}}, file["pre_tokenizer"]}}};
  EXPECT_EQ(load_tokenizer(file.dump(), "file")->encode(" 12"), (Ids{' ', ' ', '1', ' ', '2'}));
}

/// As Llama 2 and Mistral have it: spaces are signs, and the bytes of unknown characters have tokens.
OrderedFile spaces_as_signs() {
  OrderedFile vocabulary = OrderedFile::object();
  for (const char* token : {"<unk>", "<s>", "</s>"}) vocabulary[token] = vocabulary.size();
  for (int i = 0; i < 256; ++i) vocabulary[fmt::format("<0x{:02X}>", i)] = 3 + i;
  for (const char* token : {"▁", "h", "e", "l", "o", "▁h", "el", "lo", "▁hel", "▁hello"})
    vocabulary[token] = vocabulary.size();
  const auto special = [](int id, const char* content) {
    return OrderedFile{{"id", id}, {"content", content}, {"normalized", false}, {"special", true}};
  };
  return {{"added_tokens", {special(0, "<unk>"), special(1, "<s>"), special(2, "</s>")}},
          {"normalizer",
           {{"type", "Sequence"},
            {"normalizers",
             {{{"type", "Prepend"}, {"prepend", "▁"}},
              {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "▁"}}}}}},
          {"pre_tokenizer", nullptr},
          {"decoder",
           {{"type", "Sequence"},
            {"decoders",
             {{{"type", "Replace"}, {"pattern", {{"String", "▁"}}}, {"content", " "}},
              {{"type", "ByteFallback"}},
              {{"type", "Fuse"}},
              {{"type", "Strip"}, {"content", " "}, {"start", 1}, {"stop", 0}}}}}},
          {"model",
           {{"type", "BPE"},
            {"unk_token", "<unk>"},
            {"fuse_unk", true},
            {"byte_fallback", true},
            {"vocab", vocabulary},
            {"merges", {"▁ h", "e l", "l o", "▁h el", "▁hel lo"}}}}};
}

/// The tokens behind the 256 bytes begin at 259: ▁ h e l o ▁h el lo ▁hel ▁hello.
TEST(HuggingFace, Llama2HasSignsForSpacesAndTokensForBytes) {
  const TokenizerPtr tokenizer = load_tokenizer(spaces_as_signs().dump(), "file");
  EXPECT_EQ(tokenizer->vocab(), 269);
  EXPECT_EQ(tokenizer->encode("hello hello"), (Ids{268, 268}));
  EXPECT_EQ(tokenizer->encode("hell"), (Ids{267, 262}));
  // Two bytes of é; an é of two characters is not composed.
  EXPECT_EQ(tokenizer->encode("hello é"), (Ids{268, 259, 3 + 0xc3, 3 + 0xa9}));
  EXPECT_EQ(tokenizer->encode("\n"), (Ids{259, 3 + '\n'}));
  // A sign stands before each text between tokens that stand for themselves.
  EXPECT_EQ(tokenizer->encode("<s>hello</s> hello"), (Ids{1, 268, 2, 259, 268}));
  EXPECT_EQ(tokenizer->encode(""), Ids{});
  for (const std::string text : {"hello", "hello é\n 日 x", "  two  spaces ", ""})
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(text)), text);
  EXPECT_EQ(tokenizer->decode(Ids{1, 268, 3 + 0xc3, 268, 2}), "hello\xef\xbf\xbd hello") << "half a character";
  EXPECT_EQ(load_tokenizer(tokenizer->save(), "file")->encode("hello é"), tokenizer->encode("hello é"));
}

TEST(HuggingFace, UnknownCharactersSideBySideMayBeOneToken) {
  OrderedFile file = spaces_as_signs();
  file["model"]["byte_fallback"] = false;
  EXPECT_EQ(load_tokenizer(file.dump(), "file")->encode("heéüo"), (Ids{264, 261, 0, 263}));
  file["model"]["fuse_unk"] = false;
  EXPECT_EQ(load_tokenizer(file.dump(), "file")->encode("heéüo"), (Ids{264, 261, 0, 0, 263}));
  file["model"]["unk_token"] = nullptr;
  EXPECT_THROW(load_tokenizer(file.dump(), "file")->encode("heéüo"), CannotEncode);
}

TEST(HuggingFace, ASignMayStandBeforeTheFirstTextAlone) {
  OrderedFile file = spaces_as_signs();
  file["normalizer"] = nullptr;
  const auto encode = [&](const char* scheme, bool divides, const std::string& text) {
    file["pre_tokenizer"] = {
        {"type", "Metaspace"}, {"replacement", "▁"}, {"prepend_scheme", scheme}, {"split", divides}};
    return load_tokenizer(file.dump(), "file")->encode(text);
  };
  EXPECT_EQ(encode("first", false, "hello<s>hello"), (Ids{268, 1, 260, 265, 266}));
  EXPECT_EQ(encode("always", false, "hello<s>hello"), (Ids{268, 1, 268}));
  EXPECT_EQ(encode("never", true, "hello hello"), (Ids{260, 265, 266, 268}));
  EXPECT_EQ(encode("always", true, " hello"), (Ids{268}));
  // With the sign at the ends of tokens, only a piece that reaches over the sign can have it.
  file["model"]["vocab"]["o▁"] = 269;
  file["model"]["merges"].insert(file["model"]["merges"].begin(), "o ▁");
  EXPECT_EQ(encode("never", false, "o o"), (Ids{269, 263}));
  EXPECT_EQ(encode("never", true, "o o"), (Ids{263, 259, 263}));
  file["decoder"] = {{"type", "Metaspace"}, {"replacement", "▁"}, {"add_prefix_space", true}};
  EXPECT_EQ(load_tokenizer(file.dump(), "file")->decode(Ids{268, 268}), "hello hello");
  file["decoder"]["add_prefix_space"] = false;
  EXPECT_EQ(load_tokenizer(file.dump(), "file")->decode(Ids{268, 268}), " hello hello");
  file["decoder"] = nullptr;
  EXPECT_EQ(load_tokenizer(file.dump(), "file")->decode(Ids{268, 1, 261}), "▁hello e");
}

TEST(HuggingFace, TextIsNormalized) {
  OrderedFile file = tokenizer_json();
  const auto normal = [&](const OrderedFile& normalizer, const std::string& text) {
    file["normalizer"] = normalizer;
    const TokenizerPtr tokenizer = load_tokenizer(file.dump(), "file");
    return tokenizer->decode(tokenizer->encode(text));
  };
  EXPECT_EQ(normal({{"type", "NFC"}}, "e\u0301 \ufb01"), "\u00e9 \ufb01");
  EXPECT_EQ(normal({{"type", "NFD"}}, "\u00e9 \ufb01"), "e\u0301 \ufb01");
  EXPECT_EQ(normal({{"type", "NFKC"}}, "e\u0301 \ufb01 ²"), "\u00e9 fi 2");
  EXPECT_EQ(normal({{"type", "NFKD"}}, "\u00e9 \ufb01"), "e\u0301 fi");
  EXPECT_EQ(normal({{"type", "NFC"}}, "e\u0301\xff e\u0301"), "\u00e9\xff \u00e9") << "other bytes stay";
  EXPECT_EQ(normal({{"type", "Lowercase"}}, "ÀŻΣİ x"), "àżσi\u0307 x");
  EXPECT_EQ(normal({{"type", "StripAccents"}}, "e\u0301 \u00e9"), "e \u00e9");
  EXPECT_EQ(normal({{"type", "Strip"}, {"strip_left", true}, {"strip_right", false}}, "\u3000 a "), "a ");
  EXPECT_EQ(normal({{"type", "Strip"}}, "\t a b\u00a0\n"), "a b");
  EXPECT_EQ(normal({{"type", "Replace"}, {"pattern", {{"Regex", " {2,}"}}}, {"content", " "}}, "a   b c"), "a b c");
  EXPECT_EQ(normal({{"type", "Sequence"}, {"normalizers", OrderedFile::array()}}, "É"), "É");
  EXPECT_EQ(normal({{"type", "BertNormalizer"}, {"lowercase", true}}, "Caf\u00c9\x01\t日"), "cafe  日 ");
  EXPECT_EQ(normal({{"type", "BertNormalizer"}, {"lowercase", true}, {"strip_accents", false}}, "\u00c9"), "\u00e9");
  // `AB`, in base64, as a table with the size 16706: it is cut off.
  file["normalizer"] = {{"type", "Precompiled"}, {"precompiled_charsmap", "QUIAAA=="}};
  EXPECT_MENTIONS(message_of([&] { load_tokenizer(file.dump(), "file"); }), "expected a table of replaced characters");
}

/// The five ways as the documentation of Split has them.
TEST(HuggingFace, MatchesDivideATextInFiveWays) {
  OrderedFile file = tokenizer_json();
  file["model"] = {{"type", "WordLevel"}, {"unk_token", "?"}, {"vocab", OrderedFile::object()}};
  for (const char* token :
       {"?", "the", "-", "final", "countdown", "the-", "final-", "-final", "-countdown", "--", "--countdown"})
    file["model"]["vocab"][token] = file["model"]["vocab"].size();
  file["decoder"] = nullptr;
  const auto divided = [&](const char* behavior, bool is_inverted = false) {
    file["pre_tokenizer"] = {
        {"type", "Split"}, {"pattern", {{"String", "-"}}}, {"behavior", behavior}, {"invert", is_inverted}};
    const TokenizerPtr tokenizer = load_tokenizer(file.dump(), "file");
    return tokenizer->decode(tokenizer->encode("the-final--countdown"));
  };
  EXPECT_EQ(divided("Removed"), "the final countdown");
  EXPECT_EQ(divided("Isolated"), "the - final - - countdown");
  EXPECT_EQ(divided("MergedWithPrevious"), "the- final- - countdown");
  EXPECT_EQ(divided("MergedWithNext"), "the -final - -countdown");
  EXPECT_EQ(divided("Contiguous"), "the - final -- countdown");
  EXPECT_EQ(divided("Removed", true), "- - -");
  EXPECT_MENTIONS(message_of([&] { divided("Kept"); }), "`behavior`: expected Isolated, Removed,");
}

TEST(HuggingFace, T5TakesTheLikeliestPieces) {
  OrderedFile file = tokenizer_json();
  file["added_tokens"] = OrderedFile::array({{{"id", 0}, {"content", "</s>"}, {"special", true}}});
  file["pre_tokenizer"] = {
      {"type", "Sequence"},
      {"pretokenizers",
       {{{"type", "WhitespaceSplit"}}, {{"type", "Metaspace"}, {"replacement", "▁"}, {"add_prefix_space", true}}}}};
  file["decoder"] = {{"type", "Metaspace"}, {"replacement", "▁"}, {"add_prefix_space", true}};
  file["model"] = {{"type", "Unigram"}, {"unk_id", 1}};
  file["model"]["vocab"] = OrderedFile::parse(
      R"([["</s>", 0], ["<unk>", 0], ["▁", -3], ["a", -2], ["b", -2], ["▁a", -2.5], ["ab", -3], ["▁ab", -5.75]])");
  const TokenizerPtr tokenizer = load_tokenizer(file.dump(), "file");
  // ▁a + b has -4.5, ▁ + ab has -6, and ▁ab -5.75.
  EXPECT_EQ(tokenizer->encode("ab  ab\n"), (Ids{5, 4, 5, 4}));
  // ▁a + ab has -5.5, ▁a + a + b has -6.5.
  EXPECT_EQ(tokenizer->encode("aab"), (Ids{5, 6}));
  EXPECT_EQ(tokenizer->encode("axyb</s>"), (Ids{5, 1, 4, 0})) << "what is unknown side by side is one token";
  EXPECT_EQ(tokenizer->decode(Ids{5, 4, 7, 6, 0}), "ab abab");
  file["model"]["unk_id"] = nullptr;
  EXPECT_THROW(load_tokenizer(file.dump(), "file")->encode("x"), CannotEncode);
  file["model"]["unk_id"] = 8;
  EXPECT_EQ(message_of([&] { load_tokenizer(file.dump(), "file"); }),
            "`model.unk_id`: expected an id of 8 tokens, found 8");
  file["model"]["vocab"][3][0] = "▁";
  EXPECT_EQ(message_of([&] { load_tokenizer(file.dump(), "file"); }), "`model.vocab`, 3: `▁` stands twice");
  file["model"]["vocab"][3] = OrderedFile::array({"a"});
  EXPECT_EQ(message_of([&] { load_tokenizer(file.dump(), "file"); }),
            "`model.vocab`, 3: expected a text and its score, found [\"a\"]");
}

TEST(HuggingFace, BertTakesTheLongestPieces) {
  OrderedFile file = tokenizer_json();
  file["added_tokens"] = OrderedFile::array({{{"id", 1}, {"content", "[SEP]"}, {"special", true}}});
  file["normalizer"] = {{"type", "BertNormalizer"}, {"lowercase", true}};
  file["pre_tokenizer"] = {{"type", "BertPreTokenizer"}};
  file["decoder"] = {{"type", "WordPiece"}, {"prefix", "##"}, {"cleanup", true}};
  file["model"] = {{"type", "WordPiece"},
                   {"unk_token", "[UNK]"},
                   {"continuing_subword_prefix", "##"},
                   {"max_input_chars_per_word", 6},
                   {"vocab", {{"[UNK]", 0}, {"[SEP]", 1}, {"un", 2}, {"##aff", 3}, {"##a", 4}, {".", 5}, {"una", 6}}}};
  const TokenizerPtr tokenizer = load_tokenizer(file.dump(), "file");
  EXPECT_EQ(tokenizer->encode("Ünaff. unaa[SEP]"), (Ids{0, 5, 6, 4, 1})) << "una, and then no piece";
  EXPECT_EQ(tokenizer->encode("unaaaaa un"), (Ids{0, 2})) << "a word of seven characters";
  EXPECT_EQ(tokenizer->decode(Ids{2, 3, 5, 1, 2}), "unaff. un");
}

TEST(HuggingFace, ClipEndsWordsWithASign) {
  OrderedFile file = tokenizer_json();
  file["added_tokens"] = nullptr;
  file["pre_tokenizer"] = {{"type", "Whitespace"}};
  file["decoder"] = {{"type", "BPEDecoder"}, {"suffix", "</w>"}};
  file["model"] = {{"type", "BPE"},
                   {"end_of_word_suffix", "</w>"},
                   {"vocab", {{"a", 0}, {"b", 1}, {"a</w>", 2}, {"b</w>", 3}, {"ab</w>", 4}, {"!</w>", 5}}},
                   {"merges", {"a b</w>"}}};
  const TokenizerPtr tokenizer = load_tokenizer(file.dump(), "file");
  EXPECT_EQ(tokenizer->encode("ab aba!"), (Ids{4, 0, 1, 2, 5}));
  EXPECT_EQ(tokenizer->decode(Ids{4, 0, 1, 2, 5}), "ab aba !");
}

TEST(HuggingFace, AddedTokensAreFoundAsTheySay) {
  OrderedFile file = tokenizer_json();
  file["normalizer"] = {{"type", "Lowercase"}};
  file["added_tokens"] = OrderedFile::array();
  const auto add = [&](int id, const char* content, const char* key, bool value) {
    OrderedFile token = {{"id", id}, {"content", content}, {"special", false}, {"normalized", false}};
    token[key] = value;
    file["added_tokens"].push_back(token);
  };
  add(266, "END", "normalized", true);
  add(267, "STOP", "normalized", false);
  add(268, "cat", "single_word", true);
  add(269, "ca", "normalized", false);
  add(270, "|", "rstrip", true);
  const TokenizerPtr tokenizer = load_tokenizer(file.dump(), "file");
  EXPECT_EQ(tokenizer->encode("endEND"), (Ids{266, 266})) << "found in the normalized text";
  EXPECT_EQ(tokenizer->encode("STOPx"), (Ids{267, 'x'}));
  EXPECT_EQ(tokenizer->encode("sTOP"), (Ids{'s', 't', 'o', 'p'}));
  EXPECT_EQ(tokenizer->encode("(cat)"), (Ids{'(', 268, ')'}));
  EXPECT_EQ(tokenizer->encode("xcat"), (Ids{'x', 'c', 'a', 't'})) << "the longest is no word, and none is taken";
  EXPECT_EQ(tokenizer->encode("|  x"), (Ids{270, 'x'}));
}

TEST(HuggingFace, ThatIsDamagedIsRefused) {
  const auto wrong = [](const std::string& pointer, const OrderedFile& value) {
    OrderedFile file = tokenizer_json();
    file[OrderedFile::json_pointer(pointer)] = value;
    return message_of([&] { load_tokenizer(file.dump(), "file"); });
  };
  EXPECT_EQ(wrong("/model/type", "Other"), "`model.type`: expected BPE, Unigram, WordPiece or WordLevel, found Other");
  EXPECT_MENTIONS(wrong("/model/dropout", 0.1), "expected no `dropout` in `model`");
  EXPECT_MENTIONS(wrong("/model/unk_token", "<none>"), "`model.unk_token`: expected tokens of `model.vocab`");
  EXPECT_MENTIONS(wrong("/normalizer", {{"type", "Nmt"}}), "`normalizer`: expected NFC, NFD,");
  EXPECT_MENTIONS(wrong("/normalizer", {{"type", "Sequence"}, {"normalizers", {{{"type", "NFC"}}, {{"type", "Nmt"}}}}}),
                  "`normalizer`, 1: expected NFC, NFD,");
  EXPECT_EQ(wrong("/normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", "!"}}),
            "`normalizer`, `precompiled_charsmap`: expected a text in base64, found another");
  EXPECT_MENTIONS(wrong("/decoder/type", "CTC"), "`decoder`: expected ByteLevel, Metaspace, Replace,");
  EXPECT_MENTIONS(wrong("/decoder", {{"type", "Metaspace"}, {"replacement", "ab"}}),
                  "`decoder`, `replacement`: expected one character");
  EXPECT_MENTIONS(wrong("/pre_tokenizer", {{"type", "Metaspace"}, {"prepend_scheme", "last"}}),
                  "`prepend_scheme`: expected always, first or never, found last");
  EXPECT_EQ(wrong("/model/merges/2", "he x"), "`model.merges`, 2: expected tokens of `model.vocab`, found `hex`");
  EXPECT_EQ(wrong("/model/merges/2", "hell"),
            "`model.merges`, 2: expected two tokens with a space between them, found \"hell\"");
  EXPECT_EQ(wrong("/model/merges/2", 7), "`model.merges`, 2: expected two tokens, found 7");
  EXPECT_EQ(wrong("/model/vocab/he", 97), "`model.vocab`: `a` and `he` have one id, 97");
  EXPECT_MENTIONS(wrong("/model/vocab/he", -1), "`model.vocab`, `he`: expected an id from 0 to");
  EXPECT_MENTIONS(wrong("/model/vocab/he", 1e9), "`model.vocab`, `he`: expected an id from 0 to");
  EXPECT_EQ(wrong("/model/vocab", "a"), "`model.vocab`: expected an object, found \"a\"");
  EXPECT_MENTIONS(wrong("/pre_tokenizer/type", "UnicodeScripts"),
                  "`pre_tokenizer`: expected ByteLevel, Split, Digits, Metaspace,");
  EXPECT_EQ(wrong("/added_tokens/1/content", "<|end|>"), "`added_tokens`, 1: `<|end|>` stands twice");
  EXPECT_EQ(wrong("/added_tokens/1/content", ""), "`added_tokens`, 1, `content`: expected a text, found none");
  EXPECT_EQ(
      wrong("/pre_tokenizer", {{"type", "Split"}, {"pattern", {{"Regex", "(a"}}}, {"behavior", "Isolated"}}),
      "`pre_tokenizer`, `pattern`: expected a regular expression, found no `)` behind a group at its character 3");
  OrderedFile file = tokenizer_json();
  file["model"].erase("vocab");
  EXPECT_EQ(message_of([&] { load_tokenizer(file.dump(), "file"); }), "expected `vocab` in `model`, found none");
  const std::string whole = tokenizer_json().dump();
  EXPECT_MENTIONS(message_of([&] { load_tokenizer(whole.substr(0, 700), "file"); }), "expected a tokenizer as JSON");
}

}  // namespace
}  // namespace mtf::io
