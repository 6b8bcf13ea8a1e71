#include "io/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

#include "io/text.h"
#include "io/unicode.h"

namespace mtf::io {
namespace {

/// Some characters: a range, characters of some categories, or white space.
struct CharacterSet {
  char32_t first = 1, last = 0;
  std::uint32_t categories = 0;
  bool spaces = false;
  bool is_opposite = false;

  bool has(char32_t c) const {
    const bool found = (c >= first && c <= last) || (categories != 0 && (categories >> category_of(c) & 1U) != 0) ||
                       (spaces && is_white_space(c));
    return found != is_opposite;
  }
};

constexpr std::size_t kUnlimited = std::numeric_limits<std::size_t>::max();
constexpr std::size_t kMostRepetitions = 1000;
constexpr int kMostNestedGroups = 100;
constexpr std::size_t kMostGroups = 10'000;  // of one repetition, as each takes some of the stack

std::uint32_t bits_of(std::initializer_list<Category> categories) {
  std::uint32_t bits = 0;
  for (const Category category : categories) bits |= 1U << category;
  return bits;
}

std::uint32_t categories_named(const std::string& name) {
  const std::pair<std::string_view, std::uint32_t> known[] = {
      {"L", bits_of({kLu, kLl, kLt, kLm, kLo})},
      {"Lu", bits_of({kLu})},
      {"Ll", bits_of({kLl})},
      {"Lt", bits_of({kLt})},
      {"Lm", bits_of({kLm})},
      {"Lo", bits_of({kLo})},
      {"M", bits_of({kMn, kMc, kMe})},
      {"Mn", bits_of({kMn})},
      {"Mc", bits_of({kMc})},
      {"Me", bits_of({kMe})},
      {"N", bits_of({kNd, kNl, kNo})},
      {"Nd", bits_of({kNd})},
      {"Nl", bits_of({kNl})},
      {"No", bits_of({kNo})},
      {"P", bits_of({kP, kPc})},
      {"Pc", bits_of({kPc})},
      {"S", bits_of({kS})},
      {"Z", bits_of({kZ})},
      {"C", bits_of({kC})},
  };
  for (const auto& [word, bits] : known)
    if (word == name) return bits;
  throw BadPattern(fmt::format("expected a general category such as L, Lu, N or P in \\p{{…}}, found `{}`", name));
}

/// What is to match behind a node: called with the place.
class Behind {
 public:
  template <typename F>
  Behind(const F& f)  // NOLINT: it stands for any function, for the time of a call
      : object_(&f), call_([](const void* object, std::size_t at) { return (*static_cast<const F*>(object))(at); }) {}
  bool operator()(std::size_t at) const { return call_(object_, at); }

 private:
  const void* object_;
  bool (*call_)(const void*, std::size_t);
};

}  // namespace

struct Pattern::Node {
  enum class Kind { kSet, kSequence, kEither, kRepeat, kAhead, kNotAhead, kBegin, kEnd };
  enum class Greed { kGreedy, kLazy, kPossessive };
  Kind kind = Kind::kSequence;
  std::vector<CharacterSet> sets = {};  ///< of kSet: a character of any of them
  bool is_opposite = false;             ///< of kSet: a character of none
  std::vector<Node> parts = {};
  std::size_t least = 1, most = 1;  ///< of kRepeat
  Greed greed = Greed::kGreedy;

  bool has(char32_t c) const {
    return std::any_of(sets.begin(), sets.end(), [&](const CharacterSet& set) { return set.has(c); }) != is_opposite;
  }
};

namespace {

using PatternNode = Pattern::Node;

class PatternParser {
 public:
  explicit PatternParser(const std::string& text) : text_(code_points(text)) {}

  PatternNode parse() {
    PatternNode all = alternatives();
    if (at_ < text_.size()) fail("`)` without `(`");
    return all;
  }

 private:
  [[noreturn]] void fail(const std::string& found) const {
    throw BadPattern(fmt::format("expected a regular expression, found {} at its character {}", found, at_ + 1));
  }
  bool ends() const { return at_ == text_.size(); }
  bool passes(char32_t c) {
    const bool is_here = !ends() && text_[at_] == c;
    at_ += is_here ? 1 : 0;
    return is_here;
  }
  bool passes(std::string_view word) {
    for (std::size_t i = 0; i < word.size(); ++i)
      if (at_ + i >= text_.size() || text_[at_ + i] != static_cast<char32_t>(word[i])) return false;
    at_ += word.size();
    return true;
  }

  PatternNode alternatives() {
    if (++depth_ > kMostNestedGroups) fail("groups that are nested too deeply");
    std::vector<PatternNode> ways;
    do ways.push_back(sequence());
    while (passes(U'|'));
    --depth_;
    if (ways.size() == 1) return std::move(ways[0]);
    return {.kind = PatternNode::Kind::kEither, .parts = std::move(ways)};
  }

  PatternNode sequence() {
    PatternNode all;
    while (!ends() && text_[at_] != U'|' && text_[at_] != U')') all.parts.push_back(repeated(atom()));
    return all;
  }

  std::size_t number() {
    std::size_t value = 0;
    const std::size_t begin = at_;
    for (; !ends() && text_[at_] >= U'0' && text_[at_] <= U'9'; ++at_) {
      value = value * 10 + (text_[at_] - U'0');
      if (value > kMostRepetitions) fail("more than 1000 repetitions");
    }
    if (at_ == begin) fail("no number of repetitions");
    return value;
  }

  PatternNode repeated(PatternNode what) {
    while (true) {
      std::size_t least = 0, most = kUnlimited;
      if (passes(U'?')) {
        most = 1;
      } else if (passes(U'+')) {
        least = 1;
      } else if (passes(U'{')) {
        least = most = number();
        if (passes(U',')) most = !ends() && text_[at_] == U'}' ? kUnlimited : number();
        if (!passes(U'}') || most < least) fail("no `}` behind numbers of repetitions that rise");
      } else if (!passes(U'*')) {
        return what;
      }
      const auto greed = passes(U'?')   ? PatternNode::Greed::kLazy
                         : passes(U'+') ? PatternNode::Greed::kPossessive
                                        : PatternNode::Greed::kGreedy;
      PatternNode all{.kind = PatternNode::Kind::kRepeat, .least = least, .most = most, .greed = greed};
      all.parts.push_back(std::move(what));
      what = std::move(all);
    }
  }

  PatternNode group() {
    auto kind = PatternNode::Kind::kSequence;
    const bool outer = ignores_case_;
    if (passes("?!")) {
      kind = PatternNode::Kind::kNotAhead;
    } else if (passes("?=")) {
      kind = PatternNode::Kind::kAhead;
    } else if (passes("?i:")) {
      ignores_case_ = true;
    } else if (!passes("?:") && !ends() && text_[at_] == U'?') {
      fail("a group of another kind than `(?:`, `(?i:`, `(?=` and `(?!`");
    }
    PatternNode all{.kind = kind};
    all.parts.push_back(alternatives());
    if (!passes(U')')) fail("no `)` behind a group");
    ignores_case_ = outer;
    return all;
  }

  PatternNode atom() {
    if (passes(U'(')) return group();
    if (passes(U'[')) return set_in_brackets();
    if (passes(U'^')) return {.kind = PatternNode::Kind::kBegin};
    if (passes(U'$')) return {.kind = PatternNode::Kind::kEnd};
    PatternNode one{.kind = PatternNode::Kind::kSet};
    if (passes(U'.')) {
      one.sets = {{.first = U'\n', .last = U'\n'}};
      one.is_opposite = true;
    } else if (passes(U'\\')) {
      add(one.sets, escaped());
    } else if (text_[at_] == U'*' || text_[at_] == U'+' || text_[at_] == U'?' || text_[at_] == U'{') {
      fail("nothing that is repeated");
    } else {
      add(one.sets, {.first = text_[at_], .last = text_[at_]});
      ++at_;
    }
    return one;
  }

  /// Adds a set, and the other cases of its letters.
  void add(std::vector<CharacterSet>& sets, const CharacterSet& set) const {
    sets.push_back(set);
    if (!ignores_case_ || set.first > set.last) return;
    for (char32_t c = U'a'; c <= U'z'; ++c) {
      const char32_t upper = c - U'a' + U'A';
      if (!set.has(c) && !set.has(upper)) continue;
      sets.push_back({.first = c, .last = c});
      sets.push_back({.first = upper, .last = upper});
      // The long s, and the sign of kelvin.
      if (c == U's') sets.push_back({.first = 0x17f, .last = 0x17f});
      if (c == U'k') sets.push_back({.first = 0x212a, .last = 0x212a});
    }
  }

  CharacterSet escaped() {
    if (ends()) fail("no character behind `\\`");
    const char32_t c = text_[at_++];
    switch (c) {
      case U's': return {.spaces = true};
      case U'S': return {.spaces = true, .is_opposite = true};
      case U'd': return {.categories = bits_of({kNd})};
      case U'D': return {.categories = bits_of({kNd}), .is_opposite = true};
      case U'w': return {.categories = bits_of({kLu, kLl, kLt, kLm, kLo, kMn, kMc, kMe, kNd, kPc})};
      case U'W':
        return {.categories = bits_of({kLu, kLl, kLt, kLm, kLo, kMn, kMc, kMe, kNd, kPc}), .is_opposite = true};
      case U'p': return category(false);
      case U'P': return category(true);
      case U'n': return {.first = U'\n', .last = U'\n'};
      case U'r': return {.first = U'\r', .last = U'\r'};
      case U't': return {.first = U'\t', .last = U'\t'};
      case U'f': return {.first = U'\f', .last = U'\f'};
      case U'v': return {.first = U'\v', .last = U'\v'};
      default: break;
    }
    if ((c >= U'0' && c <= U'9') || (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z')) {
      --at_;
      fail(fmt::format("`\\{}`, which is not known,", utf8(c)));
    }
    return {.first = c, .last = c};
  }

  CharacterSet category(bool is_opposite) {
    std::string name;
    if (passes(U'{')) {
      while (!ends() && text_[at_] != U'}') name += utf8(text_[at_++]);
      if (!passes(U'}')) fail("no `}` behind `\\p{`");
    } else if (!ends()) {
      name = utf8(text_[at_++]);
    }
    if (name.starts_with('^')) {
      is_opposite = !is_opposite;
      name.erase(0, 1);
    }
    return {.categories = categories_named(name), .is_opposite = is_opposite};
  }

  PatternNode set_in_brackets() {
    PatternNode set{.kind = PatternNode::Kind::kSet};
    set.is_opposite = passes(U'^');
    for (bool is_first = true;; is_first = false) {
      if (ends()) fail("no `]` behind a set of characters");
      if (!is_first && passes(U']')) return set;
      CharacterSet next;
      if (passes(U'\\')) {
        next = escaped();
      } else {
        if (text_[at_] == U'[') fail("a set within a set");
        next.first = next.last = text_[at_++];
      }
      const bool is_range =
          next.first == next.last && at_ + 1 < text_.size() && text_[at_] == U'-' && text_[at_ + 1] != U']';
      if (is_range) {
        ++at_;
        CharacterSet last{.first = text_[at_], .last = text_[at_]};
        ++at_;
        if (last.first == U'\\') last = escaped();
        if (last.first != last.last || last.first < next.first) fail("a range whose end is not behind its beginning");
        next.last = last.last;
      }
      add(set.sets, next);
    }
  }

  const std::vector<char32_t> text_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool ignores_case_ = false;
};

class PatternMatcher {
 public:
  explicit PatternMatcher(std::span<const char32_t> text) : text_(text) {}

  bool match(const PatternNode& node, std::size_t at, const Behind& behind) const {
    using Kind = PatternNode::Kind;
    switch (node.kind) {
      case Kind::kSet: return at < text_.size() && node.has(text_[at]) && behind(at + 1);
      case Kind::kSequence: return parts(node, 0, at, behind);
      case Kind::kEither:
        return std::any_of(node.parts.begin(), node.parts.end(),
                           [&](const PatternNode& way) { return match(way, at, behind); });
      case Kind::kRepeat: return node.parts[0].kind == Kind::kSet ? run(node, at, behind) : again(node, 0, at, behind);
      case Kind::kAhead: return match(node.parts[0], at, [](std::size_t) { return true; }) && behind(at);
      case Kind::kNotAhead: return !match(node.parts[0], at, [](std::size_t) { return true; }) && behind(at);
      case Kind::kBegin: return at == 0 && behind(at);
      case Kind::kEnd: return at == text_.size() && behind(at);
    }
    return false;
  }

 private:
  bool parts(const PatternNode& node, std::size_t i, std::size_t at, const Behind& behind) const {
    if (i == node.parts.size()) return behind(at);
    if (i + 1 == node.parts.size()) return match(node.parts[i], at, behind);
    return match(node.parts[i], at, [&](std::size_t next) { return parts(node, i + 1, next, behind); });
  }

  /// Repeats a set. Its length is found without recursion, because a run of letters may be long.
  bool run(const PatternNode& node, std::size_t at, const Behind& behind) const {
    const PatternNode& set = node.parts[0];
    if (node.greed == PatternNode::Greed::kLazy) {
      for (std::size_t n = 0;; ++n) {
        if (n >= node.least && behind(at + n)) return true;
        if (n == node.most || at + n == text_.size() || !set.has(text_[at + n])) return false;
      }
    }
    std::size_t n = 0;
    while (n < node.most && at + n < text_.size() && set.has(text_[at + n])) ++n;
    if (n < node.least) return false;
    if (node.greed == PatternNode::Greed::kPossessive) return behind(at + n);
    for (;; --n) {
      if (behind(at + n)) return true;
      if (n == node.least) return false;
    }
  }

  /// Repeats a group that has been repeated `done` times.
  bool again(const PatternNode& node, std::size_t done, std::size_t at, const Behind& behind) const {
    if (node.greed == PatternNode::Greed::kPossessive) {
      std::size_t end = at;
      PatternNode greedy = node;
      greedy.greed = PatternNode::Greed::kGreedy;
      return again(greedy, done, at, [&](std::size_t to) { return (end = to, true); }) && behind(end);
    }
    const auto more = [&] {
      return done < std::min(node.most, kMostGroups) && match(node.parts[0], at, [&](std::size_t next) {
               return next > at && again(node, done + 1, next, behind);
             });
    };
    const bool may_end = done >= node.least;
    if (node.greed == PatternNode::Greed::kLazy) return (may_end && behind(at)) || more();
    return more() || (may_end && behind(at));
  }

  std::span<const char32_t> text_;
};

}  // namespace

Pattern::Pattern(const std::string& expression)
    : root_(std::make_shared<const Node>(PatternParser(expression).parse())) {}

std::optional<std::size_t> Pattern::match(std::span<const char32_t> text, std::size_t at) const {
  std::optional<std::size_t> end;
  PatternMatcher(text).match(*root_, at, [&](std::size_t to) { return (end = to, true); });
  if (!end) return std::nullopt;
  return *end - at;
}

}  // namespace mtf::io
