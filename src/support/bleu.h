#pragma once
// BLEU as sacrebleu computes it.
#include <string>
#include <vector>

namespace mtf {

/// The BLEU score of a set of translations, with one reference each, from 0 to 100 (Papineni et al., 2002). It is a
/// geometric mean, over lengths of 1 to 4 words, of the share of word sequences that the references have too. A penalty
/// applies to translations that are too short. Words are those of mteval-v13a. A count of 0 counts as 1/2, the next one
/// as 1/4, and so on (sacrebleu's `exp`: Post, 2018). Both lists have the same length.
double bleu(const std::vector<std::string>& translations, const std::vector<std::string>& references);

/// The words of a text by mteval-v13a.
std::vector<std::string> mteval_words(std::string text);

}  // namespace mtf
