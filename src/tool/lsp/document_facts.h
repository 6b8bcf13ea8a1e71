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
#include "session/planned.h"
#include "tool/lsp/text_document.h"

namespace mtf::tool {

/// The collectives of one kind over the same axes on a line. Bytes are those that one processor sends.
struct LineTraffic {
  std::string what;  ///< `all_reduce over rows`
  std::int64_t calls = 0;
  std::int64_t least_bytes = 0, most_bytes = 0;  ///< of a call
  std::int64_t wire_bytes = 0;                   ///< of all calls
  bool is_per_iteration = false;                 ///< only the run knows how often the line runs
};

/// The costs of a top-level statement, or of all calls of a function or model and all iterations of an inner loop.
struct StatementFigures {
  std::size_t begin = 0;  ///< where the statement begins, in bytes
  std::int64_t flops = 0;
  std::int64_t collectives = 0;
  std::int64_t wire_bytes = 0;
  std::int64_t iterations = 1;  ///< the number of iterations; 0: only the run knows it
  std::int64_t shown = 1;       ///< the iterations that the figures are of one of
  std::int64_t variants = 1;    ///< iterations differ: the figures are of the most frequent ones
  bool is_inner = false;        ///< the figures are of all that the program does there
};

/// What a state of a document costs.
struct DocumentCosts {
  TextDocument text;  ///< that was planned
  session::Planned costs;
  std::map<std::size_t, std::vector<LineTraffic>> traffic;  ///< by line, from 0
  std::vector<StatementFigures> statements;
};

struct DocumentFacts {
  std::string name;  ///< of the file, as messages and imports have it
  TextDocument text;
  session::CheckedText checked;
  std::shared_ptr<const DocumentCosts> costs;  ///< of this state, or of an earlier one; null: of none
};

/// Checks a state of a document. Throws UserError (interrupted).
std::shared_ptr<DocumentFacts> check_document(const std::string& name, const std::string& text,
                                              const eval::Settings& settings);

/// The same facts with the costs of their state, by a planner of `machine`. A program that cannot be planned has none.
/// Throws UserError (interrupted).
std::shared_ptr<DocumentFacts> with_costs(const DocumentFacts& facts, const eval::Settings& settings,
                                          const plan::Runtime& machine);

}  // namespace mtf::tool
