#pragma once
// BLEU, as sacrebleu computes it.
#include <string>
#include <vector>

namespace mtf {

/// BLEU of translations against one reference each, over all of them together, from 0 to 100 (Papineni et al., 2002):
/// the geometric mean of the parts of 1 to 4 words in a row that the references have too, times a penalty for being
/// shorter. Words are cut as mteval-v13a does; a count of 0 counts as 1/2, the next one as 1/4, and so on (sacrebleu's
/// `exp`: Post, 2018). Both have as many elements.
double bleu(const std::vector<std::string>& translations, const std::vector<std::string>& references);

/// The words of a text by mteval-v13a.
std::vector<std::string> mteval_words(std::string text);

}  // namespace mtf
