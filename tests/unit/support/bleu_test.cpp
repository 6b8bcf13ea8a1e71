#include "support/bleu.h"

#include <gtest/gtest.h>

#include <cmath>

namespace mtf {
namespace {

using Words = std::vector<std::string>;

TEST(Bleu, WordsAreCutAsMtevalDoes) {
  EXPECT_EQ(
      mteval_words("Hello, world! It's 3.5% of 1,000 (or 1990-91)."),
      (Words{"Hello", ",", "world", "!", "It's", "3.5", "%", "of", "1,000", "(", "or", "1990", "-", "91", ")", "."}));
  EXPECT_EQ(mteval_words("a &quot;b&quot; &amp; c..."), (Words{"a", "\"", "b", "\"", "&", "c", ".", ".", "."}));
}

TEST(Bleu, OfTheReferencesThemselvesIs100) {
  EXPECT_NEAR(bleu({"the cat is on the mat", "so it is"}, {"the cat is on the mat", "so it is"}), 100, 1e-9);
}

// 6 words of 7 ("the" of the two in the reference counts twice), 3 pairs of 6, 1 triple of 5, no four: 1/2 of 4.
TEST(Bleu, CountsWhatTheReferenceHasAsOftenAsItHasIt) {
  EXPECT_NEAR(bleu({"the cat the cat on the mat"}, {"the cat is on the mat"}),
              100 * std::pow(5.0 / 7 * 3.0 / 6 * 1.0 / 5 * 0.5 / 4, 0.25), 1e-9);
}

TEST(Bleu, ShorterTranslationsArePenalized) {
  EXPECT_NEAR(bleu({"the cat is on"}, {"the cat is on the mat"}), 100 * std::exp(1 - 6.0 / 4), 1e-9);
}

TEST(Bleu, NothingInCommonIs0) {
  EXPECT_EQ(bleu({"a b c d e"}, {"f g h i j"}), 0);
  EXPECT_EQ(bleu({"a b"}, {"a b"}), 0);  // no three words
}

}  // namespace
}  // namespace mtf
