#include "tool/lsp/editor.h"

#include <fmt/format.h>

#include <utility>

namespace mtf::tool {

void Editor::understand(const LspJson& capabilities) {
  const LspJson& workspace = capabilities.value("workspace", LspJson::object());
  for (const char* capability : {"inlayHint", "codeLens"})
    if (workspace.contains(capability) && workspace[capability].value("refreshSupport", false))
      refreshes_.insert(fmt::format("workspace/{}/refresh", capability));
}

void Editor::answer_text(const LspJson& id, const std::string& result) {
  stream_.write(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{}}})", id.dump(), result));
}

void Editor::refresh() {
  for (const std::string& method : refreshes_) send({{"id", "mtf-" + method}, {"method", method}});
}

void Editor::send(LspJson message) {
  message["jsonrpc"] = "2.0";
  stream_.write(message.dump(-1, ' ', false, LspJson::error_handler_t::replace));
}

}  // namespace mtf::tool
