#include "tool/what_if.h"

#include "tool/prompt_options.h"

namespace mtf::tool {

Assumption assumption_of(Session& session, const PromptOptions& options) {
  Assumption assumption;
  if (const auto mesh = options.value("--mesh")) assumption.mesh = mesh_given(session, *mesh);
  if (const auto layout = options.value("--layout")) assumption.layout = layout_given(session, *layout);
  return assumption;
}

std::string option_text(const std::vector<LayoutRule>& rules) {
  std::string text;
  for (const LayoutRule& rule : rules) {
    text += (text.empty() ? "" : ";") + rule.dim.str() + ":";
    for (std::size_t i = 0; i < rule.axes.size(); ++i) text += (i == 0 ? "" : "+") + rule.axes[i].str();
  }
  return text;
}

}  // namespace mtf::tool
