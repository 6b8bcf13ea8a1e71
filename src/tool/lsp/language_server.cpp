#include "tool/lsp/language_server.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <ostream>
#include <set>
#include <thread>

#include "api/records.h"
#include "plan/execution.h"
#include "run/dry_runtime.h"
#include "session/completion.h"
#include "session/session.h"
#include "support/interrupt.h"
#include "support/text.h"
#include "syntax/format.h"
#include "syntax/parse.h"
#include "tool/lsp/answers.h"
#include "tool/lsp/message_stream.h"

namespace mtf::tool {
namespace {

/// How long a text must have stood still before it is planned.
constexpr std::chrono::milliseconds kPauseBeforeCosts{200};

enum ErrorCode {
  kParseError = -32700,
  kInvalidRequest = -32600,
  kMethodNotFound = -32601,
  kInvalidParams = -32602,
  kRequestFailed = -32803,
  kContentModified = -32801
};

/// The answer to a request is an error.
struct Refused {
  ErrorCode code;
  std::string message;
};

/// Names that may stand in a document: those of its last state without errors.
class KnownSession {
 public:
  KnownSession(const DocumentFacts& facts, const eval::Settings& settings)
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
  const session::Session& session() const { return session_; }

 private:
  std::ostream nowhere_;
  run::DryRuntime machine_;
  std::unique_ptr<plan::Runtime> planner_;
  plan::Execution execution_;
  session::Session session_;
};

/// A document that the editor has opened.
struct Document {
  std::string name;  ///< of its file
  std::int64_t version = 0;
  TextDocument text;
  std::int64_t changes = 0;  ///< of text and settings, counted over all documents
  std::int64_t checked = 0;  ///< the changes that the facts are of
  std::shared_ptr<const DocumentFacts> facts;
  std::shared_ptr<const KnownSession> names;
};

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
          {"documentFormattingProvider", true},
          {"inlayHintProvider", true},
          {"codeActionProvider", {{"codeActionKinds", {"quickfix"}}}},
          {"codeLensProvider", LspJson::object()},
          {"renameProvider", {{"prepareProvider", true}}},
          {"completionProvider", {{"triggerCharacters", {".", "[", "{", "\""}}}},
          {"semanticTokensProvider",
           {{"legend", {{"tokenTypes", token_types()}, {"tokenModifiers", LspJson::array()}}}, {"full", true}}},
          {"executeCommandProvider", {{"commands", {"mtf.assume", "mtf.plan", "mtf.report"}}}}};
}

}  // namespace

struct LanguageServer::Impl {
  Impl(int in, int out, const ProgramOptions& program) : stream(in, out), options(program) { settings_of(options, 1); }

  /// A question for a plan.
  struct PlanQuestion {
    LspJson id;
    std::string uri;
    std::int64_t changes;  ///< of the document when it was asked
  };

  // ---- the worker ---------------------------------------------------------------------------------------------------

  void work() {
    std::unique_lock lock(mutex);
    while (!ends) {
      if (!questions_of_plans.empty()) {
        answer_plan(lock);
        continue;
      }
      const auto unchecked = std::find_if(documents.begin(), documents.end(), [](const auto& entry) {
        return entry.second.checked != entry.second.changes;
      });
      if (unchecked == documents.end()) {
        wakes.wait(lock);
        continue;
      }
      const std::string uri = unchecked->first;
      const std::int64_t changes = unchecked->second.changes;
      const std::string name = unchecked->second.name, text = unchecked->second.text.text();
      const eval::Settings settings = settings_of(options, 1);
      until_interrupted(lock, [=, this] { find_out(uri, changes, name, text, settings); });
    }
    lock.unlock();
    if (last.joinable()) last.join();
  }

  /// Runs `step` on a thread of its own until it ends or is interrupted. An interrupted step of a large program frees
  /// much memory, and does so while the next step runs.
  void until_interrupted(std::unique_lock<std::mutex>& lock, const std::function<void()>& step) {
    interrupt = Interrupt();
    const auto has_ended = std::make_shared<bool>(false);
    std::thread thread([this, step, has_ended, own = interrupt] {
      {
        const HeedsInterrupt heeds(own, {});
        step();
      }
      const std::lock_guard ending(mutex);
      *has_ended = true;
      wakes.notify_all();
    });
    wakes.wait(lock, [&] { return *has_ended || interrupt.is_wanted(); });
    std::swap(last, thread);
    lock.unlock();
    if (thread.joinable()) thread.join();
    lock.lock();
  }

  /// Answers the first question for a plan, with the JSON of the reference. An edit interrupts it; after an edit of
  /// another document it is asked again.
  void answer_plan(std::unique_lock<std::mutex>& lock) {
    const PlanQuestion question = questions_of_plans.front();
    questions_of_plans.pop_front();
    const auto found = documents.find(question.uri);
    if (found == documents.end() || found->second.changes != question.changes) return refuse_old(question);
    const std::string name = found->second.name, text = found->second.text.text();
    const eval::Settings settings = settings_of(options, 1);
    until_interrupted(lock, [=, this] {
      try {
        session::Session::check_text(name, text, settings).throw_first();
        stream.write(fmt::format(R"({{"jsonrpc":"2.0","id":{},"result":{}}})", question.id.dump(),
                                 to_json(plan_of_program(name, text, settings, run::DryRuntime(), {}))));
      } catch (const UserError& error) {
        const std::lock_guard asking(mutex);
        if (error.diagnostic().kind() == Kind::interrupted) questions_of_plans.push_back(question);
        else send({{"id", question.id}, {"error", {{"code", kRequestFailed}, {"message", error.what()}}}});
      }
      wakes.notify_all();
    });
  }
  void refuse_old(const PlanQuestion& question) {
    send({{"id", question.id}, {"error", {{"code", kContentModified}, {"message", "the document has changed"}}}});
  }

  /// Checks and plans one state of a document. An edit interrupts it.
  void find_out(const std::string& uri, std::int64_t changes, const std::string& name, const std::string& text,
                const eval::Settings& settings) {
    try {
      std::shared_ptr<const DocumentFacts> facts = check_document(name, text, settings);
      if (!keep(uri, changes, facts, nullptr)) return;
      if (!stands_still(uri, changes) || facts->checked.found.has_errors()) return;
      const auto names = std::make_shared<const KnownSession>(*facts, settings);
      const run::DryRuntime machine;
      facts = with_costs(*facts, settings, machine);
      keep(uri, changes, facts, names);
      refresh("workspace/inlayHint/refresh");
      refresh("workspace/codeLens/refresh");
    } catch (const UserError& error) {
      if (error.diagnostic().kind() != Kind::interrupted) return give_up(uri, changes, error.what());
      const std::lock_guard lock(mutex);  // an edit of another document leaves this one to do
      if (const auto found = documents.find(uri); found != documents.end() && found->second.changes == changes)
        found->second.checked = 0;
    } catch (const std::exception& error) { give_up(uri, changes, error.what()); }
  }

  /// A state that fails is not tried again before the next edit.
  void give_up(const std::string& uri, std::int64_t changes, const std::string& why) {
    log(why);
    const std::lock_guard lock(mutex);
    if (const auto found = documents.find(uri); found != documents.end() && found->second.changes == changes)
      found->second.checked = changes;
  }

  /// Keeps facts of a document that has not changed since, and shows what is wrong. Returns false if it has changed.
  bool keep(const std::string& uri, std::int64_t changes, std::shared_ptr<const DocumentFacts> facts,
            std::shared_ptr<const KnownSession> names) {  // they end as what they replace, without the lock
    const std::lock_guard lock(mutex);
    const auto found = documents.find(uri);
    if (found == documents.end() || found->second.changes != changes) return false;
    Document& document = found->second;
    const bool is_new = document.checked != changes;
    document.facts.swap(facts);
    if (names) document.names.swap(names);
    document.checked = changes;
    if (is_new)
      notify("textDocument/publishDiagnostics",
             {{"uri", uri}, {"version", document.version}, {"diagnostics", diagnostics_in(*document.facts)}});
    return true;
  }

  bool stands_still(const std::string& uri, std::int64_t changes) {
    std::unique_lock lock(mutex);
    return !wakes.wait_for(lock, kPauseBeforeCosts, [&] {
      const auto found = documents.find(uri);
      return ends || found == documents.end() || found->second.changes != changes;
    });
  }

  /// A document, or the settings, have changed: what is found out about an earlier state is not wanted.
  void changed(Document& document) {
    document.changes = ++change_count;
    interrupt.ask();
    wakes.notify_all();
  }

  // ---- messages -----------------------------------------------------------------------------------------------------

  void send(LspJson message) {
    message["jsonrpc"] = "2.0";
    stream.write(message.dump(-1, ' ', false, LspJson::error_handler_t::replace));
  }
  void notify(const std::string& method, LspJson params) { send({{"method", method}, {"params", std::move(params)}}); }
  void log(const std::string& text) { notify("window/logMessage", {{"type", 1}, {"message", text}}); }
  /// Asks an editor that can to ask again.
  void refresh(const std::string& method) {
    if (refreshes.contains(method)) send({{"id", fmt::format("mtf-{}", ++request_count)}, {"method", method}});
  }

  void take(const std::string& text) {
    const LspJson message = LspJson::parse(text, nullptr, false);
    if (message.is_discarded() || !message.is_object())
      return send({{"id", nullptr}, {"error", {{"code", kParseError}, {"message", "this is no JSON object"}}}});
    if (!message.contains("method")) return;  // an answer
    const bool asks = message.contains("id");
    const LspJson params = message.value("params", LspJson::object());
    try {
      if (asks && is_for_a_plan(message, params)) return;
      LspJson answer = handle(message.at("method").get<std::string>(), params, asks);
      if (asks) send({{"id", message["id"]}, {"result", std::move(answer)}});
    } catch (const Refused& refused) {
      if (asks) send({{"id", message["id"]}, {"error", {{"code", refused.code}, {"message", refused.message}}}});
    } catch (const LspJson::exception& error) {
      if (asks) send({{"id", message["id"]}, {"error", {{"code", kInvalidParams}, {"message", error.what()}}}});
    } catch (const UserError& error) {
      if (asks) send({{"id", message["id"]}, {"error", {{"code", kRequestFailed}, {"message", error.what()}}}});
    }
  }

  /// Leaves the command `mtf.plan`, whose argument is the URI of a document, to the worker. Returns false for another.
  bool is_for_a_plan(const LspJson& message, const LspJson& params) {
    if (message["method"] != "workspace/executeCommand" || params.value("command", "") != "mtf.plan") return false;
    const std::lock_guard lock(mutex);
    const std::string uri = params.at("arguments").at(0);
    const auto found = documents.find(uri);
    if (found == documents.end()) throw Refused{kInvalidParams, "this document is not open"};
    questions_of_plans.push_back({message["id"], uri, found->second.changes});
    wakes.notify_all();
    return true;
  }

  LspJson handle(const std::string& method, const LspJson& params, bool asks) {
    if (method == "initialize") return initialize(params);
    if (method == "exit" || method == "shutdown") {
      (method == "exit" ? has_exited : has_shut_down) = true;
      return nullptr;
    }
    if (const auto change = changes_of_documents().find(method); change != changes_of_documents().end()) {
      const std::lock_guard lock(mutex);
      (this->*change->second)(params);
      return nullptr;
    }
    const auto question = questions().find(method);
    if (question == questions().end()) {
      if (!asks || method.starts_with("$/")) return nullptr;
      throw Refused{kMethodNotFound, fmt::format("there is no method {}", method)};
    }
    const std::lock_guard lock(mutex);
    return (this->*question->second)(params);
  }

  using Handler = LspJson (Impl::*)(const LspJson&);
  using Change = void (Impl::*)(const LspJson&);
  static const std::map<std::string, Change>& changes_of_documents();
  static const std::map<std::string, Handler>& questions();

  LspJson initialize(const LspJson& params) {
    const std::lock_guard lock(mutex);
    const LspJson& workspace = params.value("/capabilities/workspace"_json_pointer, LspJson::object());
    for (const auto& [capability, method] :
         {std::pair{"inlayHint", "workspace/inlayHint/refresh"}, std::pair{"codeLens", "workspace/codeLens/refresh"}})
      if (workspace.contains(capability) && workspace[capability].value("refreshSupport", false))
        refreshes.insert(method);
    if (params.contains("initializationOptions")) assume(params["initializationOptions"]);
    return {{"capabilities", capabilities()}, {"serverInfo", {{"name", "mtf"}}}};
  }

  // ---- documents ----------------------------------------------------------------------------------------------------

  Document& document(const LspJson& params) {
    const auto found = documents.find(params.at("textDocument").at("uri").get<std::string>());
    if (found == documents.end()) throw Refused{kInvalidParams, "this document is not open"};
    return found->second;
  }

  void open(const LspJson& params) {
    const LspJson& opened = params.at("textDocument");
    const std::string uri = opened.at("uri");
    Document& document = documents[uri];
    document = {};
    document.name = path_of_uri(uri);
    document.version = opened.value("version", 0);
    document.text = TextDocument(opened.at("text"));
    changed(document);
  }

  void change(const LspJson& params) {
    Document& edited = document(params);
    edited.version = params.at("textDocument").value("version", std::int64_t{0});
    for (const LspJson& edit : params.at("contentChanges")) {
      if (!edit.contains("range")) edited.text = TextDocument(edit.at("text"));
      else
        edited.text.replace(edited.text.offset(position_of(edit["range"].at("start"))),
                            edited.text.offset(position_of(edit["range"].at("end"))), edit.at("text"));
    }
    changed(edited);
  }

  void close(const LspJson& params) {
    const std::string uri = params.at("textDocument").at("uri");
    if (documents.erase(uri) == 0) return;
    interrupt.ask();
    notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", LspJson::array()}});
  }

  void configure(const LspJson& params) {
    const LspJson settings = params.value("settings", LspJson::object());
    if (settings.is_object() && settings.contains("mtf")) assume(settings["mtf"]);
  }

  /// `{"mesh": "rows:2;cols:2", "layout": "batch:rows", "set": {"steps": "10"}}`: what every document is checked and
  /// planned under. null takes a mesh or layout back. The files stay as they are.
  void assume(const LspJson& what) {
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
    for (auto& [uri, document] : documents) changed(document);
  }

  // ---- questions ----------------------------------------------------------------------------------------------------

  /// The answer from a document's facts; null as long as there are none.
  LspJson from_facts(const LspJson& params, const std::function<LspJson(const Known&)>& answer) {
    Document& asked = document(params);
    if (!asked.facts) return nullptr;
    const std::string uri = params.at("textDocument").at("uri");
    const std::string library = standard_library();
    return answer({uri, asked.text, *asked.facts, library, EarlierText(asked.facts->text.text(), asked.text.text())});
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
      return quick_fixes(known, known.now.offset(position_of(params.at("range").at("start"))),
                         known.now.offset(position_of(params.at("range").at("end"))));
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
    const Diagnostics found = session::Session::check_text(renamed.name, text.text(), settings_of(options, 1));
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

  LspJson completion(const LspJson& params) {
    const Document& asked = document(params);
    // Before the first state without errors, the language's own names are known.
    if (!asked.names && !own_names)
      own_names = std::make_shared<const KnownSession>(DocumentFacts(), settings_of({}, 1));
    const KnownSession& names = asked.names ? *asked.names : *own_names;
    const std::size_t at = offset_in(params);
    const session::Completion found = session::complete(names.session(), asked.text.text(), at);
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

  /// `mtf.assume` has the argument of assume(). `mtf.report` has the URI of a document, and answers as report_on().
  LspJson execute(const LspJson& params) {
    const std::string command = params.at("command");
    const LspJson& argument = params.at("arguments").at(0);
    if (command == "mtf.report") return report(argument.get<std::string>());
    if (command != "mtf.assume") throw Refused{kInvalidParams, fmt::format("there is no command {}", quote(command))};
    assume(argument);
    return nullptr;
  }
  LspJson report(const std::string& uri) {
    const auto found = documents.find(uri);
    if (found == documents.end()) throw Refused{kInvalidParams, "this document is not open"};
    const Document& asked = found->second;
    if (!asked.facts || asked.checked != asked.changes) return nullptr;
    if (asked.facts->checked.found.has_errors())
      throw Refused{kRequestFailed, "there is no report of a document with errors"};
    return report_on(*asked.facts);
  }

  MessageStream stream;
  ProgramOptions options;

  std::thread last;  ///< the worker's step before this one, which may still free memory

  std::mutex mutex;  ///< of all that follows
  std::condition_variable wakes;
  std::map<std::string, Document> documents;      ///< by URI
  std::shared_ptr<const KnownSession> own_names;  ///< of the language; null until they are asked for
  std::set<std::string> refreshes;                ///< requests to ask again that the editor understands
  std::int64_t change_count = 0, request_count = 0;
  std::deque<PlanQuestion> questions_of_plans;  ///< which the worker answers
  bool ends = false, has_shut_down = false, has_exited = false;
  Interrupt interrupt;  ///< of the worker's step
};

const std::map<std::string, LanguageServer::Impl::Change>& LanguageServer::Impl::changes_of_documents() {
  static const std::map<std::string, Change> changes = {{"textDocument/didOpen", &Impl::open},
                                                        {"textDocument/didChange", &Impl::change},
                                                        {"textDocument/didClose", &Impl::close},
                                                        {"workspace/didChangeConfiguration", &Impl::configure}};
  return changes;
}

const std::map<std::string, LanguageServer::Impl::Handler>& LanguageServer::Impl::questions() {
  static const std::map<std::string, Handler> handlers = {{"textDocument/hover", &Impl::hover},
                                                          {"textDocument/definition", &Impl::definition},
                                                          {"textDocument/references", &Impl::references},
                                                          {"textDocument/documentHighlight", &Impl::highlights},
                                                          {"textDocument/documentSymbol", &Impl::symbols},
                                                          {"textDocument/foldingRange", &Impl::folding},
                                                          {"textDocument/codeLens", &Impl::lenses},
                                                          {"textDocument/semanticTokens/full", &Impl::tokens},
                                                          {"textDocument/inlayHint", &Impl::hints},
                                                          {"textDocument/codeAction", &Impl::actions},
                                                          {"textDocument/formatting", &Impl::format},
                                                          {"textDocument/prepareRename", &Impl::prepare_rename},
                                                          {"textDocument/rename", &Impl::rename},
                                                          {"textDocument/completion", &Impl::completion},
                                                          {"workspace/executeCommand", &Impl::execute}};
  return handlers;
}

LanguageServer::LanguageServer(int in, int out, const ProgramOptions& options)
    : impl_(std::make_unique<Impl>(in, out, options)) {}
LanguageServer::~LanguageServer() = default;

int LanguageServer::run() {
  std::thread worker([this] { impl_->work(); });
  while (!impl_->has_exited) {
    const auto message = impl_->stream.read();
    if (!message) break;
    impl_->take(*message);
  }
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->ends = true;
    impl_->interrupt.ask();
  }
  impl_->wakes.notify_all();
  worker.join();
  return impl_->has_shut_down ? 0 : 1;
}

}  // namespace mtf::tool
