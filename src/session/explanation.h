#pragma once
// The reasons of a statement's communication, and the layouts under which it would send less.
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "session/planned.h"

namespace mtf::session {

class Session;

struct Explanation {
  struct Collective {
    spmd::StatementCost cost;
    std::vector<LayoutRule> rules;  ///< the rules in force that gave its dims their layout
  };
  struct Total {
    int64_t flops = 0, wire_bytes = 0, collectives = 0;
  };
  /// A layout with at most as many flops and with fewer sent bytes.
  struct Better {
    Layout layout;
    Total total;
    int64_t held_bytes = 0;  ///< the bytes of the session's values on each processor under this layout
  };
  std::vector<Collective> collectives;
  std::vector<Better> better;            ///< best first
  Total now;                             ///< the present cost; set if there are collectives
  int64_t held_bytes = 0;                ///< likewise, at present
  plan::Rematerialized again;            ///< what is computed again to fit
  std::optional<plan::PeakMemory> peak;  ///< of a plan
  plan::Doubts doubts;                   ///< why the numbers for other layouts are estimates
  std::vector<std::shared_ptr<const void>> sources;
};

/// Explains a statement of a session, under an assumption. Tries the layouts in which one axis splits another dim, one
/// more dim or no dim, and returns at most `most` better ones. An interrupt of the session stops trying them.
Explanation explain_statement(Session& session, const std::string& statement, const std::string& name,
                              const Assumption& assumption, std::size_t most);

}  // namespace mtf::session
