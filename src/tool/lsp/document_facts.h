#pragma once
// The facts about one state of a document: its faults, the types of its parts, and the costs of its lines.
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "eval/settings.h"
#include "plan/runtime.h"
#include "session/parts_of_text.h"
#include "support/interrupt.h"
#include "tool/lsp/text_document.h"

namespace mtf::tool {

/// What one processor sends for a line: collectives of one kind over the same axes.
struct LineTraffic {
  std::string what;  ///< `all_reduce over rows`
  std::int64_t calls = 0;
  std::int64_t wire_bytes = 0;
};

struct StatementFigures {
  std::size_t begin = 0;  ///< where the statement begins, in bytes
  std::int64_t flops = 0;
  std::int64_t collectives = 0;
  std::int64_t wire_bytes = 0;
  std::int64_t turns = 1;  ///< the figures are of one iteration of so many; 0: nobody knows how many
};

struct DocumentFacts {
  std::string name;  ///< of the file, as messages and imports have it
  TextDocument text;
  session::CheckedText checked;

  bool has_costs = false;
  std::map<std::size_t, std::vector<LineTraffic>> traffic;  ///< by line, from 0
  std::vector<StatementFigures> statements;
};

/// Checks a state of a document. Throws UserError (interrupted).
std::shared_ptr<DocumentFacts> check_document(const std::string& name, const std::string& text,
                                              const eval::Settings& settings, const Interrupt& interrupt);

/// The same facts with costs, by a planner of `machine`. A program that cannot be planned keeps none. Throws UserError
/// (interrupted).
std::shared_ptr<DocumentFacts> with_costs(const DocumentFacts& facts, const eval::Settings& settings,
                                          const plan::Runtime& machine, const Interrupt& interrupt);

}  // namespace mtf::tool
