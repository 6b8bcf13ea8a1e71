#include "types/layout.h"

#include <algorithm>
#include <array>
#include <optional>

#include "support/text.h"
#include "types/notation.h"

namespace mtf {
namespace {

constexpr std::array kPathRules{ByPath::kParams, ByPath::kStates, ByPath::kValues};

/// `params "*"`
std::string head_of(const PathRule& rule) { return std::string(word_of(rule.of)) + " " + quote(rule.path); }

/// Reads a layout as a script writes it, or in the command line's notation, entry by entry: the signs of both may stand
/// in one text.
class LayoutReader {
 public:
  explicit LayoutReader(const std::string& text) : text_(text) {}

  Layout read() {
    skip_separators();
    is_braced_ = takes("{");
    while (true) {
      skip_separators();
      if (is_braced_ && takes("}")) break;
      if (at_ == text_.size()) {
        if (is_braced_) throw std::invalid_argument("expected a `}` behind the layout's rules");
        return std::move(layout_);
      }
      if (PathRule* const by_path = head()) rules_by_path(*by_path);
      else rule(layout_.rules);
    }
    skip_separators();
    if (at_ < text_.size())
      throw std::invalid_argument("expected nothing behind the layout, found `" + text_.substr(at_) + "`");
    return std::move(layout_);
  }

 private:
  void skip(const char* letters) { at_ = std::min(text_.find_first_not_of(letters, at_), text_.size()); }
  void skip_separators() {
    skip(kSeparators);
    if (is_braced_ && at_ > 1 && text_.compare(at_ - 2, 2, "..") == 0)
      throw std::invalid_argument("`..` stands in the layout of one value, behind `@`");
  }
  bool takes(std::string_view sign) {
    if (text_.compare(at_, sign.size(), sign) != 0) return false;
    at_ += sign.size();
    return true;
  }
  std::string word() {
    const size_t begin = at_;
    while (at_ < text_.size() && std::string_view(";., \t:+[]{}\"").find(text_[at_]) == std::string_view::npos &&
           text_.compare(at_, 2, "->") != 0)
      ++at_;
    return text_.substr(begin, at_ - begin);
  }

  /// Reads `params "path":`, and returns its rule. Null if there is something else.
  PathRule* head() {
    const std::string_view rest = std::string_view(text_).substr(at_);
    const std::string_view word = rest.substr(0, rest.find_first_of(" \t\""));
    const std::optional<ByPath> of = by_path_with(word);
    if (!of) return nullptr;
    PathRule rule;
    rule.of = *of;
    const size_t open = rest.find_first_not_of(" \t", word.size());
    if (open == std::string_view::npos || rest[open] != '"') return nullptr;
    const size_t close = rest.find('"', open + 1);
    const size_t colon = close == std::string_view::npos ? close : rest.find_first_not_of(" \t", close + 1);
    if (colon == std::string_view::npos || rest[colon] != ':')
      throw std::invalid_argument("expected " + std::string(word) + " \"path\":dim:axis, found `" + std::string(rest) +
                                  "`");
    rule.path = rest.substr(open + 1, close - open - 1);
    at_ += colon + 1;
    for (PathRule& other : layout_.by_path)
      if (other.of == rule.of && other.path == rule.path) return &other;
    return &layout_.by_path.emplace_back(std::move(rule));
  }

  /// `{d_model -> data}`, or one rule, or nothing.
  void rules_by_path(PathRule& by_path) {
    skip(" \t");
    if (!takes("{")) {
      if (at_ < text_.size() && std::string_view(kSeparators).find(text_[at_]) == std::string_view::npos &&
          text_[at_] != '}')
        rule(by_path.rules);
      return;
    }
    while (true) {
      skip_separators();
      if (takes("}")) return;
      if (at_ == text_.size()) throw std::invalid_argument("expected a `}` behind the rules of " + head_of(by_path));
      rule(by_path.rules);
    }
  }

  /// `batch:rows`, `hidden -> [cols, planes]`
  void rule(std::vector<LayoutRule>& rules) {
    const size_t begin = at_;
    const auto refuse = [&] {
      const size_t end = std::min(text_.find_first_of(kSeparators, at_), text_.size());
      throw std::invalid_argument("expected dim:axis, such as batch:rows or batch:rows+cols, found `" +
                                  text_.substr(begin, std::max(end, begin + 1) - begin) + "`");
    };
    LayoutRule rule{Name(word()), {}, {}};
    const size_t behind = at_;
    skip(" \t");
    if (!takes("->") && !takes(":")) {
      at_ = behind;
      refuse();
    }
    if (rule.dim.empty()) refuse();
    skip(" \t");
    const bool is_list = takes("[");
    while (true) {
      if (is_list) skip(" \t");
      const Name axis(word());
      if (axis.empty() && rule.axes.empty()) refuse();
      if (axis.empty())
        throw std::invalid_argument("expected an axis beside each `+`, found `" + text_.substr(begin, at_ - begin) +
                                    "`");
      if (std::find(rule.axes.begin(), rule.axes.end(), axis) != rule.axes.end())
        throw std::invalid_argument("axis `" + axis.str() + "` stands twice in the rule of `" + rule.dim.str() + "`");
      rule.axes.push_back(axis);
      if (!is_list) {
        const size_t end = at_;
        skip(" \t");
        if (takes("+")) {
          skip(" \t");
          continue;
        }
        at_ = end;
        break;
      }
      skip(" \t");
      const bool more = takes(",");
      skip(" \t");
      if (takes("]")) break;
      if (!more) throw std::invalid_argument("expected a `]` behind the axes of `" + rule.dim.str() + "`");
    }
    if (at_ < text_.size() && std::string_view(";., \t}").find(text_[at_]) == std::string_view::npos) refuse();
    for (const LayoutRule& other : rules)
      if (other.dim == rule.dim) throw std::invalid_argument("dim `" + rule.dim.str() + "` stands twice in the layout");
    rules.push_back(std::move(rule));
  }

  const std::string& text_;
  size_t at_ = 0;
  bool is_braced_ = false;
  Layout layout_;
};

}  // namespace

const LayoutRule* Layout::find(Name dim) const {
  if (rules.empty()) return nullptr;
  const Name plain = dim.plain();
  for (const LayoutRule& rule : rules)
    if (rule.dim == dim || rule.dim == plain) return &rule;
  return nullptr;
}

std::string_view word_of(ByPath of) {
  switch (of) {
    case ByPath::kParams: return "params";
    case ByPath::kStates: return "states";
    case ByPath::kValues: return "values";
  }
  return {};
}

std::optional<ByPath> by_path_with(std::string_view word) {
  for (const ByPath of : kPathRules)
    if (word == word_of(of)) return of;
  return std::nullopt;
}

const PathRule* Layout::find(ByPath of, std::string_view path) const {
  for (auto rule = by_path.rbegin(); rule != by_path.rend(); ++rule)
    if (rule->of == of && matches(path, rule->path)) return &*rule;
  return nullptr;
}

bool Layout::lays_out_results() const {
  return std::any_of(by_path.begin(), by_path.end(), [](const PathRule& rule) { return rule.of == ByPath::kValues; });
}

bool Layout::stores_by_path() const {
  return std::any_of(by_path.begin(), by_path.end(), [](const PathRule& rule) { return rule.of != ByPath::kValues; });
}

void Layout::each_rule(const std::function<void(const LayoutRule&)>& visit) const {
  for (const LayoutRule& rule : rules) visit(rule);
  for (const PathRule& of : by_path)
    for (const LayoutRule& rule : of.rules) visit(rule);
}

bool same_rules(const std::vector<LayoutRule>& a, const std::vector<LayoutRule>& b) {
  return a.size() == b.size() && std::all_of(a.begin(), a.end(), [&](const LayoutRule& rule) {
           return std::any_of(b.begin(), b.end(), [&](const LayoutRule& other) {
             return rule.dim == other.dim && rule.axes == other.axes;
           });
         });
}

bool same_rules(const Layout& a, const Layout& b) {
  return same_rules(a.rules, b.rules) &&
         std::equal(a.by_path.begin(), a.by_path.end(), b.by_path.begin(), b.by_path.end(),
                    [](const PathRule& one, const PathRule& other) { return to_string(one) == to_string(other); });
}

std::string to_string(const std::vector<LayoutRule>& rules) {
  std::string text;
  for (const LayoutRule& rule : rules) {
    text += (text.empty() ? "" : ", ") + rule.dim.str() + " -> ";
    std::string axes;
    for (Name axis : rule.axes) axes += (axes.empty() ? "" : ", ") + axis.str();
    text += rule.axes.size() == 1 ? axes : "[" + axes + "]";
  }
  return text;
}

std::string to_string(const PathRule& rule) { return head_of(rule) + ": {" + to_string(rule.rules) + "}"; }

std::string to_string(const Layout& layout) {
  std::string text = to_string(layout.rules);
  for (const PathRule& rule : layout.by_path) text += (text.empty() ? "" : ", ") + to_string(rule);
  return "{" + text + "}";
}

Layout parse_layout(const std::string& text) { return LayoutReader(text).read(); }

std::string notation(const Layout& layout) {
  std::vector<std::string> entries;
  auto add = [&](const std::string& head, const std::vector<LayoutRule>& rules) {
    for (const LayoutRule& rule : rules) {
      std::string axes;
      for (Name axis : rule.axes) axes += (axes.empty() ? "" : "+") + axis.str();
      entries.push_back(head + rule.dim.str() + ":" + axes);
    }
  };
  add("", layout.rules);
  for (const PathRule& rule : layout.by_path) {
    add(head_of(rule) + ":", rule.rules);
    if (rule.rules.empty()) entries.push_back(head_of(rule) + ":");
  }
  return join(entries, ";");
}

}  // namespace mtf
