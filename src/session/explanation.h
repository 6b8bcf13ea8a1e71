#pragma once
// Why a statement communicates, and under which layouts it would send less.
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "session/planned.h"

namespace mtf::session {

class Session;

struct Explanation {
  struct Collective {
    spmd::StatementCost cost;
    std::vector<LayoutRule> rules;  ///< those in force that put its dims where they are
  };
  struct Total {
    int64_t flops = 0, wire_bytes = 0, collectives = 0;
  };
  /// A layout under which as few flops are computed, and fewer bytes sent.
  struct Better {
    Layout layout;
    Total total;
    int64_t held_bytes = 0;  ///< what the session's values would take on each processor
  };
  std::vector<Collective> collectives;
  std::vector<Better> better;  ///< the best first
  Total now;                   ///< where there are collectives
  int64_t held_bytes = 0;      ///< likewise
  plan::Doubts doubts;         ///< why the figures of other layouts are an estimate
  std::vector<std::shared_ptr<const void>> sources;
};

/// Of a statement of a session, under an assumption; at most `most` better layouts, of those in which one axis splits
/// another dim or none. `ends` says that no more are wanted.
Explanation explain_statement(Session& session, const std::string& statement, const std::string& name,
                              const Assumption& assumption, std::size_t most, const std::function<bool()>& ends);

}  // namespace mtf::session
