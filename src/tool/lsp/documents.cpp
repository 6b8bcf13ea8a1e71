#include "tool/lsp/documents.h"

#include <utility>

namespace mtf::tool {

KnownSession::KnownSession(const DocumentFacts& facts, const eval::Settings& settings)
    : nowhere_(nullptr),
      planner_(machine_.planner(false)),
      execution_(*planner_, {}),
      session_(settings, &execution_, nowhere_) {
  try {
    session_.load(facts.text.text(), facts.name, true);
  } catch (const UserError& error) {  // what stands before the error is known
    if (error.diagnostic().kind() == Kind::interrupted) throw;
  }
}

Document& Documents::at(const std::string& uri) {
  const auto found = by_uri.find(uri);
  if (found == by_uri.end()) throw Refused{kInvalidParams, "this document is not open"};
  return found->second;
}

Document* Documents::still(const std::string& uri, std::int64_t changes) {
  const auto found = by_uri.find(uri);
  return found == by_uri.end() || found->second.changes != changes ? nullptr : &found->second;
}

void Documents::changed(Document& document) {
  document.changes = ++change_count;
  interrupt.ask();
  wakes.notify_all();
}

void Documents::assume(const LspJson& what) {
  if (!what.is_object()) return;
  ProgramOptions assumed = options;
  for (const auto& [name, option] : {std::pair{"mesh", &assumed.mesh}, std::pair{"layout", &assumed.layout}}) {
    if (!what.contains(name)) continue;
    if (what[name].is_null()) option->reset();
    else *option = what[name].get<std::string>();
  }
  if (what.contains("set")) {
    assumed.set.clear();
    for (const auto& [name, value] : what["set"].items())
      assumed.set.push_back(name + "=" + (value.is_string() ? value.get<std::string>() : value.dump()));
  }
  settings_of(assumed, 1);  // throws UserError
  options = assumed;
  for (auto& [uri, document] : by_uri) changed(document);
}

}  // namespace mtf::tool
