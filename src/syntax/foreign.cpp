#include "syntax/foreign.h"

#include "support/text.h"

namespace mtf {
namespace {

struct Words {
  Foreign where;
  std::string_view words;
  std::string_view help;
};

constexpr Words kTable[] = {
#define MTF_FOREIGN(where, form, help) {Foreign::where, form, help},
#include "syntax/foreign.def"
#undef MTF_FOREIGN
};

bool has_word(std::string_view list, std::string_view word) {
  for (const std::string& one : split(list, ' '))
    if (one == word) return true;
  return false;
}

}  // namespace

std::string foreign_help(Foreign where, std::string_view word) {
  for (const Words& entry : kTable)
    if (entry.where == where && has_word(entry.words, word)) return std::string(entry.help);
  return {};
}

}  // namespace mtf
