#pragma once
// What is said to the editor.
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "tool/lsp/message_stream.h"

namespace mtf::tool {

using LspJson = nlohmann::json;

enum LspError {
  kParseError = -32700,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kContentModified = -32801,
  kRequestFailed = -32803
};

/// The answer to a request is an error.
struct Refused {
  LspError code;
  std::string message;
};

/// Any thread may call it after the editor has said what it understands.
class Editor {
 public:
  explicit Editor(MessageStream& stream) : stream_(stream) {}

  /// Reads which requests to ask again the editor understands.
  void understand(const LspJson& capabilities);

  void answer(const LspJson& id, LspJson result) { send({{"id", id}, {"result", std::move(result)}}); }
  /// `result` is JSON already.
  void answer_text(const LspJson& id, const std::string& result);
  void refuse(const LspJson& id, const Refused& why) {
    send({{"id", id}, {"error", {{"code", why.code}, {"message", why.message}}}});
  }
  void notify(const std::string& method, LspJson params) { send({{"method", method}, {"params", std::move(params)}}); }
  void log(const std::string& text) { notify("window/logMessage", {{"type", 1}, {"message", text}}); }
  /// Asks an editor that can to ask for hints and lenses again.
  void refresh();

 private:
  void send(LspJson message);

  MessageStream& stream_;
  std::set<std::string> refreshes_;
};

}  // namespace mtf::tool
