#include "types/layout.h"

#include <algorithm>
#include <optional>

#include "support/text.h"
#include "types/notation.h"

namespace mtf {
namespace {

std::string_view word_of(const StoredRule& rule) { return rule.trainable ? "params" : "states"; }

/// `params "*"`
std::string head_of(const StoredRule& rule) { return std::string(word_of(rule)) + " " + quote(rule.path); }

/// Reads the entries of the command line's notation, one after the other.
class LayoutReader {
 public:
  explicit LayoutReader(const std::string& text) : text_(text) {}

  Layout read() {
    while (true) {
      at_ = std::min(text_.find_first_not_of(kSeparators, at_), text_.size());
      if (at_ == text_.size()) return std::move(layout_);
      if (StoredRule* const stored = head()) {
        if (const std::string rule = word(); !rule.empty()) add(stored->rules, rule);
      } else {
        add(layout_.rules, word());
      }
    }
  }

 private:
  std::string word() {
    const size_t begin = at_;
    at_ = std::min(text_.find_first_of(kSeparators, at_), text_.size());
    return text_.substr(begin, at_ - begin);
  }

  /// Behind `params "path":`, what that speaks of; null where something else begins.
  StoredRule* head() {
    const std::string_view rest = std::string_view(text_).substr(at_);
    StoredRule rule;
    if (rest.starts_with("states")) rule.trainable = false;
    else if (!rest.starts_with("params")) return nullptr;
    const size_t open = rest.find_first_not_of(" \t", word_of(rule).size());
    if (open == std::string_view::npos || rest[open] != '"') return nullptr;
    const size_t close = rest.find('"', open + 1);
    if (close == std::string_view::npos || close + 1 == rest.size() || rest[close + 1] != ':')
      throw std::invalid_argument("expected " + std::string(word_of(rule)) + " \"path\":dim:axis, found `" +
                                  std::string(rest) + "`");
    rule.path = rest.substr(open + 1, close - open - 1);
    at_ += close + 2;
    for (StoredRule& other : layout_.stored)
      if (other.trainable == rule.trainable && other.path == rule.path) return &other;
    return &layout_.stored.emplace_back(std::move(rule));
  }

  static void add(std::vector<LayoutRule>& rules, const std::string& entry) {
    const auto [dim, value] = parse_pairs(entry, "dim", "axis, such as batch:rows or batch:rows+cols").front();
    LayoutRule rule{Name(dim), {}, {}};
    size_t at = 0;
    while (at <= value.size()) {
      size_t end = std::min(value.find('+', at), value.size());
      if (end == at) throw std::invalid_argument("expected an axis beside each `+`, found `" + dim + ":" + value + "`");
      const Name axis(value.substr(at, end - at));
      if (std::find(rule.axes.begin(), rule.axes.end(), axis) != rule.axes.end())
        throw std::invalid_argument("axis `" + axis.str() + "` stands twice in the rule of `" + dim + "`");
      rule.axes.push_back(axis);
      at = end + 1;
    }
    for (const LayoutRule& other : rules)
      if (other.dim == rule.dim) throw std::invalid_argument("dim `" + dim + "` stands twice in the layout");
    rules.push_back(std::move(rule));
  }

  const std::string& text_;
  size_t at_ = 0;
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

const StoredRule* Layout::find_stored(bool trainable, std::string_view path) const {
  for (auto rule = stored.rbegin(); rule != stored.rend(); ++rule)
    if (rule->trainable == trainable && matches(path, rule->path)) return &*rule;
  return nullptr;
}

void Layout::each_rule(const std::function<void(const LayoutRule&)>& visit) const {
  for (const LayoutRule& rule : rules) visit(rule);
  for (const StoredRule& of : stored)
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
         std::equal(a.stored.begin(), a.stored.end(), b.stored.begin(), b.stored.end(),
                    [](const StoredRule& one, const StoredRule& other) { return to_string(one) == to_string(other); });
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

std::string to_string(const StoredRule& rule) { return head_of(rule) + ": {" + to_string(rule.rules) + "}"; }

std::string to_string(const Layout& layout) {
  std::string text = to_string(layout.rules);
  for (const StoredRule& rule : layout.stored) text += (text.empty() ? "" : ", ") + to_string(rule);
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
  for (const StoredRule& rule : layout.stored) {
    add(head_of(rule) + ":", rule.rules);
    if (rule.rules.empty()) entries.push_back(head_of(rule) + ":");
  }
  return join(entries, ";");
}

}  // namespace mtf
