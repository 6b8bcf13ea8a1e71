#pragma once
// The documents that the editor has opened, which the reader and the worker share.
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <ostream>
#include <string>

#include "plan/execution.h"
#include "run/dry_runtime.h"
#include "session/session.h"
#include "support/interrupt.h"
#include "tool/lsp/document_facts.h"
#include "tool/lsp/editor.h"
#include "tool/lsp/text_document.h"
#include "tool/shell/program_options.h"

namespace mtf::tool {

/// Names that may stand in a document: those of a state without errors.
class KnownSession {
 public:
  KnownSession(const DocumentFacts& facts, const eval::Settings& settings);
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
  std::int64_t planned = 0;  ///< the changes that their costs are of
  std::shared_ptr<const DocumentFacts> facts;
  std::shared_ptr<const KnownSession> names;
};

/// A question for a plan, which the worker answers.
struct PlanQuestion {
  LspJson id;
  std::string uri;
  std::int64_t changes;  ///< of the document when it was asked
};

/// All is read and changed under `mutex`.
struct Documents {
  explicit Documents(const ProgramOptions& program) : options(program) { settings_of(options, 1); }

  /// Throws Refused if it is not open.
  Document& at(const std::string& uri);
  /// The same document as it was at some changes; null if it has changed since, or is closed.
  Document* still(const std::string& uri, std::int64_t changes);
  /// A document, or the settings, have changed: what is found out about an earlier state is not wanted.
  void changed(Document& document);
  /// `{"mesh": "rows:2;cols:2", "layout": "batch:rows", "set": {"steps": "10"}}`: what every document is checked and
  /// planned under. null takes a mesh or layout back. The files stay as they are. Throws UserError.
  void assume(const LspJson& what);

  std::mutex mutex;
  std::condition_variable wakes;  ///< the worker
  std::map<std::string, Document> by_uri;
  ProgramOptions options;
  std::int64_t change_count = 0;
  std::deque<PlanQuestion> questions;
  bool end = false;
  Interrupt interrupt;  ///< of the worker's step
};

}  // namespace mtf::tool
