#include "tool/lsp/language_server.h"

#include <functional>
#include <map>
#include <thread>

#include "session/completion.h"
#include "support/text.h"
#include "syntax/format.h"
#include "syntax/parse.h"
#include "tool/lsp/answers.h"
#include "tool/lsp/documents.h"
#include "tool/lsp/editor.h"
#include "tool/lsp/structure.h"
#include "tool/lsp/worker.h"

namespace mtf::tool {
namespace {

int completion_kind(const session::CouldStand& could) {
  enum {
    kFunction = 3,
    kVariable = 6,
    kClass = 7,
    kModule = 9,
    kKeyword = 14,
    kFile = 17,
    kFolder = 19,
    kValue = 12,
    kField = 5
  };
  using Kind = session::CouldStand::Kind;
  switch (could.kind) {
    case Kind::kLabel: return kField;
    case Kind::kModule: return kModule;
    case Kind::kAxis: return kValue;
    case Kind::kWord: return kKeyword;
    case Kind::kFile: return kFile;
    case Kind::kFolder: return kFolder;
    case Kind::kName: break;
  }
  if (could.name.type.kind == eval::ValueType::Kind::kModel) return kClass;
  if (could.name.type.kind == eval::ValueType::Kind::kModule) return kModule;
  return could.name.type.is_callable() ? kFunction : kVariable;
}

std::string detail_of(const session::CouldStand& could) {
  if (!could.detail.empty()) return could.detail;
  if (!could.name.signature.text.empty()) return could.name.signature.text;
  return could.kind == session::CouldStand::Kind::kName ? to_string(could.name.type) : std::string();
}

bool is_name(const std::string& text) {
  const auto tokens = syntax::tokenize(SourceFile::create("<name>", text));
  return tokens.size() == 1 && tokens.front().kind == syntax::TokenClass::kName && tokens.front().span.text() == text;
}

LspJson capabilities() {
  return {{"positionEncoding", "utf-16"},
          {"textDocumentSync", {{"openClose", true}, {"change", 2}}},
          {"hoverProvider", true},
          {"definitionProvider", true},
          {"referencesProvider", true},
          {"documentHighlightProvider", true},
          {"documentSymbolProvider", true},
          {"foldingRangeProvider", true},
          {"selectionRangeProvider", true},
          {"callHierarchyProvider", true},
          {"documentFormattingProvider", true},
          {"inlayHintProvider", true},
          {"codeActionProvider", {{"codeActionKinds", {"quickfix", "refactor"}}}},
          {"codeLensProvider", LspJson::object()},
          {"renameProvider", {{"prepareProvider", true}}},
          {"completionProvider", {{"triggerCharacters", {".", "[", "{", "\""}}}},
          {"signatureHelpProvider", {{"triggerCharacters", {"(", ","}}}},
          {"semanticTokensProvider",
           {{"legend", {{"tokenTypes", token_types()}, {"tokenModifiers", LspJson::array()}}}, {"full", true}}},
          {"executeCommandProvider", {{"commands", {"mtf.assume", "mtf.plan", "mtf.report"}}}}};
}

}  // namespace

struct LanguageServer::Impl {
  Impl(int in, int out, const ProgramOptions& program) : stream(in, out), editor(stream), documents(program) {}

  void take(const std::string& text) {
    const LspJson message = LspJson::parse(text, nullptr, false);
    if (message.is_discarded() || !message.is_object())
      return editor.refuse(nullptr, {kParseError, "this is no JSON object"});
    if (!message.contains("method")) return;  // an answer
    const bool asks = message.contains("id");
    const LspJson params = message.value("params", LspJson::object());
    const auto refuse = [&](const Refused& why) {
      if (asks) editor.refuse(message["id"], why);
    };
    try {
      if (asks && is_for_a_plan(message, params)) return;
      LspJson answer = handle(message.at("method").get<std::string>(), params, asks);
      if (asks) editor.answer(message["id"], std::move(answer));
    } catch (const Refused& refused) { refuse(refused); } catch (const LspJson::exception& error) {
      refuse({kInvalidParams, error.what()});
    } catch (const UserError& error) { refuse({kRequestFailed, error.what()}); }
  }

  /// Leaves the command `mtf.plan`, whose argument is the URI of a document, to the worker. Returns false for another.
  bool is_for_a_plan(const LspJson& message, const LspJson& params) {
    if (message["method"] != "workspace/executeCommand" || params.value("command", "") != "mtf.plan") return false;
    const std::lock_guard lock(documents.mutex);
    const std::string uri = params.at("arguments").at(0);
    documents.questions.push_back({message["id"], uri, documents.at(uri).changes});
    documents.wakes.notify_all();
    return true;
  }

  LspJson handle(const std::string& method, const LspJson& params, bool asks) {
    if (method == "exit" || method == "shutdown") {
      (method == "exit" ? has_exited : has_shut_down) = true;
      return nullptr;
    }
    const std::lock_guard lock(documents.mutex);
    if (const auto handler = handlers().find(method); handler != handlers().end())
      return (this->*handler->second)(params);
    if (!asks || method.starts_with("$/")) return nullptr;
    throw Refused{kMethodNotFound, fmt::format("there is no method {}", method)};
  }

  using Handler = LspJson (Impl::*)(const LspJson&);
  static const std::map<std::string, Handler>& handlers();

  LspJson initialize(const LspJson& params) {
    editor.understand(params.value("capabilities", LspJson::object()));
    if (params.contains("initializationOptions")) documents.assume(params["initializationOptions"]);
    return {{"capabilities", capabilities()}, {"serverInfo", {{"name", "mtf"}}}};
  }

  // ---- documents ----------------------------------------------------------------------------------------------------

  static std::string uri_in(const LspJson& params) { return params.at("textDocument").at("uri"); }
  Document& document(const LspJson& params) { return documents.at(uri_in(params)); }

  LspJson open(const LspJson& params) {
    const LspJson& opened = params.at("textDocument");
    Document& document = documents.by_uri[uri_in(params)];
    document = {};
    document.name = path_of_uri(uri_in(params));
    document.version = opened.value("version", 0);
    document.text = TextDocument(opened.at("text"));
    documents.changed(document);
    return nullptr;
  }

  LspJson change(const LspJson& params) {
    Document& edited = document(params);
    edited.version = params.at("textDocument").value("version", std::int64_t{0});
    for (const LspJson& edit : params.at("contentChanges")) {
      if (!edit.contains("range")) edited.text = TextDocument(edit.at("text"));
      else
        edited.text.replace(edited.text.offset(position_of(edit["range"].at("start"))),
                            edited.text.offset(position_of(edit["range"].at("end"))), edit.at("text"));
    }
    documents.changed(edited);
    return nullptr;
  }

  LspJson close(const LspJson& params) {
    const std::string uri = uri_in(params);
    if (documents.by_uri.erase(uri) == 0) return nullptr;
    documents.interrupt.ask();
    documents.wakes.notify_all();
    editor.notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", LspJson::array()}});
    return nullptr;
  }

  LspJson configure(const LspJson& params) {
    const LspJson settings = params.value("settings", LspJson::object());
    if (settings.is_object() && settings.contains("mtf")) documents.assume(settings["mtf"]);
    return nullptr;
  }

  // ---- questions ----------------------------------------------------------------------------------------------------

  /// The answer from a document's facts; null as long as there are none.
  LspJson from_facts(const LspJson& params, const std::function<LspJson(const Known&)>& answer) {
    return from_facts(uri_in(params), answer);
  }
  LspJson from_facts(const std::string& uri, const std::function<LspJson(const Known&)>& answer) {
    const Document& asked = documents.at(uri);
    if (!asked.facts) return nullptr;
    const std::string library = standard_library();
    return answer({uri, asked.text, *asked.facts, library, EarlierText(asked.facts->text.text(), asked.text.text()),
                   asked.planned != asked.changes});
  }
  std::size_t offset_in(const LspJson& params) {
    return document(params).text.offset(position_of(params.at("position")));
  }

  LspJson hover(const LspJson& params) {
    return from_facts(params, [&](const Known& known) { return hover_at(known, offset_in(params)); });
  }
  LspJson definition(const LspJson& params) {
    return from_facts(params, [&](const Known& known) { return definition_of(known, offset_in(params)); });
  }
  LspJson references(const LspJson& params) {
    return from_facts(params, [&](const Known& known) {
      LspJson locations = LspJson::array();
      const bool with_definition = params.value("/context/includeDeclaration"_json_pointer, true);
      for (LspJson& range : references_to(known, offset_in(params), with_definition))
        locations.push_back({{"uri", known.uri}, {"range", std::move(range)}});
      return locations;
    });
  }
  LspJson highlights(const LspJson& params) {
    return from_facts(params, [&](const Known& known) {
      LspJson list = LspJson::array();
      for (LspJson& range : references_to(known, offset_in(params), true))
        list.push_back({{"range", std::move(range)}});
      return list;
    });
  }
  LspJson symbols(const LspJson& params) { return from_facts(params, symbols_in); }
  LspJson folding(const LspJson& params) { return from_facts(params, folding_ranges); }
  LspJson lenses(const LspJson& params) { return from_facts(params, code_lenses); }
  LspJson tokens(const LspJson& params) { return from_facts(params, semantic_tokens); }
  LspJson hints(const LspJson& params) {
    return from_facts(params, [&](const Known& known) {
      return inlay_hints(known, known.now.offset(position_of(params.at("range").at("start"))),
                         known.now.offset(position_of(params.at("range").at("end"))));
    });
  }

  LspJson actions(const LspJson& params) {
    return from_facts(params, [&](const Known& known) {
      const std::size_t begin = known.now.offset(position_of(params.at("range").at("start"))),
                        end = known.now.offset(position_of(params.at("range").at("end")));
      LspJson found = quick_fixes(known, begin, end);
      for (LspJson& choice : other_meshes(known, begin, end, documents.options)) found.push_back(std::move(choice));
      return found;
    });
  }

  LspJson format(const LspJson& params) {
    const TextDocument& text = document(params).text;
    const std::string formatted = syntax::format(SourceFile::create(document(params).name, text.text()));
    if (formatted == text.text()) return LspJson::array();
    return LspJson::array({{{"range", range_of(text, 0, text.text().size())}, {"newText", formatted}}});
  }

  /// The range of the name at a position of which all places are known, or an error.
  LspJson prepare_rename(const LspJson& params) {
    const EditorPosition at = position_of(params.at("position"));
    for (const LspJson& range : ranges_of_name(params))
      if (position_of(range["start"]) <= at && at <= position_of(range["end"])) return range;
    throw Refused{kRequestFailed, "no name that this document binds stands here"};
  }
  LspJson rename(const LspJson& params) {
    const std::string name = params.at("newName");
    if (!is_name(name)) throw Refused{kInvalidParams, fmt::format("`{}` is no name", name)};
    LspJson edits = LspJson::array();
    for (LspJson& range : ranges_of_name(params)) edits.push_back({{"range", std::move(range)}, {"newText", name}});
    if (edits.empty()) throw Refused{kRequestFailed, "no name that this document binds stands here"};
    expect_right(document(params), edits);
    return {{"changes", {{params["textDocument"]["uri"].get<std::string>(), std::move(edits)}}}};
  }
  /// Edits of a right document must leave it right: a new name may be taken, or stand for something else somewhere.
  void expect_right(const Document& renamed, const LspJson& edits) {
    TextDocument text = renamed.text;
    for (auto edit = edits.rbegin(); edit != edits.rend(); ++edit)  // the last first: offsets before it stay
      text.replace(renamed.text.offset(position_of((*edit)["range"]["start"])),
                   renamed.text.offset(position_of((*edit)["range"]["end"])), (*edit)["newText"]);
    const Diagnostics found =
        session::Session::check_text(renamed.name, text.text(), settings_of(documents.options, 1));
    if (found.has_errors()) throw Refused{kRequestFailed, "the document would be wrong then:\n" + found.render(1)};
  }
  /// All places of the name at a position, if this document binds it and has not changed since it was checked.
  LspJson ranges_of_name(const LspJson& params) {
    const LspJson ranges = from_facts(params, [&](const Known& known) -> LspJson {
      if (known.facts.text.text() != known.now.text() || known.facts.checked.found.has_errors()) return nullptr;
      const LspJson binding = definition_of(known, offset_in(params));
      if (binding.is_null() || binding["uri"] != known.uri) return LspJson::array();
      return references_to(known, offset_in(params), true);
    });
    if (ranges.is_null())
      throw Refused{kRequestFailed, "a document with errors, or that is being checked, is not changed"};
    return ranges;
  }

  LspJson selections(const LspJson& params) {
    return from_facts(params, [&](const Known& known) {
      LspJson list = LspJson::array();
      for (const LspJson& position : params.at("positions"))
        list.push_back(selection_range(known, known.now.offset(position_of(position))));
      return list;
    });
  }

  LspJson prepare_calls(const LspJson& params) {
    return from_facts(params, [&](const Known& known) { return callables_at(known, offset_in(params)); });
  }
  /// `find` of the item of a call hierarchy.
  LspJson calls(const LspJson& params, LspJson (*find)(const Known&, std::size_t)) {
    const LspJson& item = params.at("item");
    return from_facts(item.at("uri").get<std::string>(), [&](const Known& known) {
      return find(known, known.now.offset(position_of(item.at("selectionRange").at("start"))));
    });
  }
  LspJson incoming_calls(const LspJson& params) { return calls(params, callers_of); }
  LspJson outgoing_calls(const LspJson& params) { return calls(params, called_by); }

  /// Before the first state without errors, the language's own names are known.
  const session::Session& names_in(const Document& document) {
    if (!document.names && !own_names)
      own_names = std::make_shared<const KnownSession>(DocumentFacts(), settings_of({}, 1));
    return (document.names ? *document.names : *own_names).session();
  }

  LspJson signature_help(const LspJson& params) {
    const auto call = session::open_call(names_in(document(params)), document(params).text.text(), offset_in(params));
    if (!call) return nullptr;
    LspJson parameters = LspJson::array();
    for (const syntax::Parameter& each : call->called.signature.parameters)
      parameters.push_back({{"label", each.text}});
    LspJson signature{{"label", call->called.signature.text}, {"parameters", std::move(parameters)}};
    if (!call->called.doc.empty()) signature["documentation"] = call->called.doc;
    LspJson help{{"signatures", LspJson::array({std::move(signature)})}, {"activeSignature", 0}};
    // A number behind the last parameter highlights none.
    help["activeParameter"] = call->parameter.value_or(call->called.signature.parameters.size());
    return help;
  }

  LspJson completion(const LspJson& params) {
    const Document& asked = document(params);
    const std::size_t at = offset_in(params);
    const session::Completion found = session::complete(names_in(asked), asked.text.text(), at);
    LspJson items = LspJson::array();
    for (const session::CouldStand& could : found.could) {
      LspJson item{{"label", could.text},
                   {"kind", completion_kind(could)},
                   {"textEdit", {{"range", range_of(asked.text, found.begin, at)}, {"newText", could.text}}}};
      if (const std::string detail = detail_of(could); !detail.empty()) item["detail"] = detail;
      if (!could.name.doc.empty()) item["documentation"] = could.name.doc;
      items.push_back(std::move(item));
    }
    return items;
  }

  /// `mtf.assume` has the argument of Documents::assume(). `mtf.report` has the URI of a document, and answers as
  /// report_on().
  LspJson execute(const LspJson& params) {
    const std::string command = params.at("command");
    const LspJson& argument = params.at("arguments").at(0);
    if (command == "mtf.report") return report(argument.get<std::string>());
    if (command != "mtf.assume") throw Refused{kInvalidParams, fmt::format("there is no command {}", quote(command))};
    documents.assume(argument);
    return nullptr;
  }
  LspJson report(const std::string& uri) {
    const Document& asked = documents.at(uri);
    if (!asked.facts || asked.checked != asked.changes) return nullptr;
    if (asked.facts->checked.found.has_errors())
      throw Refused{kRequestFailed, "there is no report of a document with errors"};
    return report_on(*asked.facts);
  }

  MessageStream stream;
  Editor editor;
  Documents documents;
  std::shared_ptr<const KnownSession> own_names;  ///< of the language; null until they are asked for
  bool has_shut_down = false, has_exited = false;
};

const std::map<std::string, LanguageServer::Impl::Handler>& LanguageServer::Impl::handlers() {
  static const std::map<std::string, Handler> handlers = {{"initialize", &Impl::initialize},
                                                          {"textDocument/didOpen", &Impl::open},
                                                          {"textDocument/didChange", &Impl::change},
                                                          {"textDocument/didClose", &Impl::close},
                                                          {"workspace/didChangeConfiguration", &Impl::configure},
                                                          {"textDocument/hover", &Impl::hover},
                                                          {"textDocument/definition", &Impl::definition},
                                                          {"textDocument/references", &Impl::references},
                                                          {"textDocument/documentHighlight", &Impl::highlights},
                                                          {"textDocument/documentSymbol", &Impl::symbols},
                                                          {"textDocument/foldingRange", &Impl::folding},
                                                          {"textDocument/selectionRange", &Impl::selections},
                                                          {"textDocument/prepareCallHierarchy", &Impl::prepare_calls},
                                                          {"callHierarchy/incomingCalls", &Impl::incoming_calls},
                                                          {"callHierarchy/outgoingCalls", &Impl::outgoing_calls},
                                                          {"textDocument/codeLens", &Impl::lenses},
                                                          {"textDocument/semanticTokens/full", &Impl::tokens},
                                                          {"textDocument/inlayHint", &Impl::hints},
                                                          {"textDocument/codeAction", &Impl::actions},
                                                          {"textDocument/formatting", &Impl::format},
                                                          {"textDocument/prepareRename", &Impl::prepare_rename},
                                                          {"textDocument/rename", &Impl::rename},
                                                          {"textDocument/completion", &Impl::completion},
                                                          {"textDocument/signatureHelp", &Impl::signature_help},
                                                          {"workspace/executeCommand", &Impl::execute}};
  return handlers;
}

LanguageServer::LanguageServer(int in, int out, const ProgramOptions& options)
    : impl_(std::make_unique<Impl>(in, out, options)) {}
LanguageServer::~LanguageServer() = default;

int LanguageServer::run() {
  Documents& documents = impl_->documents;
  Worker worker(documents, impl_->editor);
  std::thread thread([&] { worker.work(); });
  while (!impl_->has_exited) {
    const auto message = impl_->stream.read();
    if (!message) break;
    impl_->take(*message);
  }
  {
    const std::lock_guard lock(documents.mutex);
    documents.end = true;
    documents.interrupt.ask();
  }
  documents.wakes.notify_all();
  thread.join();
  return impl_->has_shut_down ? 0 : 1;
}

}  // namespace mtf::tool
