#include "session/help.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "graph/op.h"
#include "ops/registry.h"
#include "support/diagnostics.h"
#include "support/text.h"
#include "syntax/foreign.h"

namespace mtf::session {
namespace {

/// The letters and digits of a name, in lower case.
std::string squashed(std::string_view name) {
  std::string letters;
  for (const char each : lower_case(name))
    if (std::isalnum(static_cast<unsigned char>(each)) != 0) letters += each;
  return letters;
}

HelpTopic topic_of(const std::string& name, const MemberDoc& member) {
  return {HelpTopic::Kind::kFunction, name, member.signature, member.doc};
}

HelpTopic topic_of(const ModuleDoc& module) {
  HelpTopic topic{HelpTopic::Kind::kModule, module.name, fmt::format("module {0}: import {0}", module.name),
                  module.doc};
  topic.members = module.members;
  return topic;
}

/// The title of a kind of diagnostic is its headline; the page is the text.
HelpTopic topic_of_kind(const Page& page) {
  HelpTopic topic{HelpTopic::Kind::kDiagnostic, page.title, page.title, page.text};
  for (const KindRecord& kind : all_kinds())
    if (kind.name == page.title)
      topic.title =
          fmt::format("{}: {} [{}]", kind.severity == Severity::kError ? "error" : "warning", kind.headline, kind.name);
  return topic;
}

/// Calls `visit` with every name as a program writes it, and a function that makes its topic.
template <typename Visit>
void each_name(const std::string& folder, const Visit& visit) {
  for (const graph::Op* op : ops::all_ops())
    if (!op->signature.empty()) visit(std::string(op->name), [&] { return session::topic_of(*op); });
  for (const MemberDoc& builtin : builtin_docs()) visit(builtin.name, [&] { return topic_of(builtin.name, builtin); });
  for (const ModuleDoc& module : read_module_docs(folder)) {
    visit(module.name, [&] { return topic_of(module); });
    for (const MemberDoc& member : module.members)
      visit(module.name + "." + member.name, [&] { return topic_of(module.name + "." + member.name, member); });
  }
}

/// The same for the words that the pages explain.
template <typename Visit>
void each_word(const std::string& folder, const Visit& visit) {
  for (const Page& page : language_pages(folder))
    for (const std::string& word : page.words)
      visit(word, [&] { return HelpTopic{HelpTopic::Kind::kLanguage, word, page.title, page.text}; });
  for (const Page& page : error_pages(folder)) visit(page.title, [&] { return topic_of_kind(page); });
}

}  // namespace

HelpTopic topic_of(const graph::Op& op) {
  HelpTopic topic{HelpTopic::Kind::kOperation, std::string(op.name), std::string(op.signature), std::string(op.doc)};
  topic.no_gradient = op.no_gradient;
  topic.example = op.example;
  return topic;
}

std::vector<HelpTopic> help_on(const std::string& name, const std::string& folder) {
  std::vector<HelpTopic> found;
  const auto look = [&](const std::string& each, const auto& topic) {
    if (each == name) found.push_back(topic());
  };
  each_name(folder, look);
  if (const graph::Op* op = ops::find_operator(name); op != nullptr && found.empty()) found.push_back(topic_of(*op));
  if (found.empty()) each_word(folder, look);
  return found;
}

std::vector<HelpTopic> help_elsewhere(const std::string& name, const std::string& folder) {
  std::vector<HelpTopic> found;
  for (const ModuleDoc& module : read_module_docs(folder))
    for (const MemberDoc& member : module.members)
      if (member.name == name)
        found.push_back(topic_of(member.name, {member.name, module.name + ": " + member.signature, member.doc}));
  for (const graph::Op* op : ops::all_ops())
    if (!op->signature.empty() && op->name.ends_with("." + name)) found.push_back(topic_of(*op));
  for (const syntax::Foreign where :
       {syntax::Foreign::name, syntax::Foreign::part, syntax::Foreign::type, syntax::Foreign::argument}) {
    const std::string help = syntax::foreign_words(where, name);
    if (help.empty()) continue;
    found.push_back({HelpTopic::Kind::kForeign, name, name, help});
    break;
  }
  return found;
}

std::vector<HelpTopic> help_spelled_like(const std::string& name, const std::string& folder) {
  const std::string wanted = squashed(name);
  std::vector<HelpTopic> found;
  if (wanted.empty()) return found;
  const auto look = [&](const std::string& each, const auto& topic) {
    if (squashed(each) == wanted || squashed(each.substr(each.rfind('.') + 1)) == wanted) found.push_back(topic());
  };
  each_name(folder, look);
  if (found.empty()) each_word(folder, look);
  return found;
}

std::vector<HelpTopic> help_mentioning(const std::vector<std::string>& words, const std::string& folder) {
  const auto mentions = [&](const std::string& text) { return mentions_all(text, words); };
  constexpr int kRanks = 3;
  std::vector<HelpTopic> found[kRanks];
  std::set<std::string> seen;  // a page has several words
  const auto look = [&](const std::string&, const auto& make) {
    HelpTopic topic = make();
    const int rank = mentions(topic.name) ? 0 : mentions(topic.title) ? 1 : 2;
    if ((rank < 2 || mentions(topic.doc)) && seen.insert(topic.title).second) found[rank].push_back(std::move(topic));
  };
  each_name(folder, look);
  each_word(folder, look);
  for (const auto& [word, help] : syntax::all_foreign_words())
    if (mentions(word) && seen.insert(word).second) found[0].push_back({HelpTopic::Kind::kForeign, word, word, help});
  for (int rank = 1; rank < kRanks; ++rank) found[0].insert(found[0].end(), found[rank].begin(), found[rank].end());
  return std::move(found[0]);
}

std::vector<std::string> help_names(const std::string& folder) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name, const auto&) { names.push_back(name); };
  each_name(folder, add);
  each_word(folder, add);
  return names;
}

}  // namespace mtf::session
