#pragma once
// The search for a mesh and a layout as `mtf search` and `:search` make it: of a script, or of a statement of a session.
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "cost/search.h"
#include "eval/reports.h"
#include "eval/settings.h"

namespace mtf::tool {

/// What is searched, planned under some settings.
struct Searched {
  std::shared_ptr<ProgramRecord> record;
  ProgramRecord::Before before = {};  ///< what had been recorded before what is costed began
  int64_t peak_bytes = 0;
  std::vector<StatementReport> reports = {};  ///< of a statement at the prompt
  std::shared_ptr<void> source;               ///< what the record's errors point into
};
/// Plans it anew; without `record` for its peak alone. Throws UserError.
using Planner = std::function<Searched(const Settings& settings, std::shared_ptr<ProgramRecord> record)>;

struct SearchRequest {
  SearchQuestion question;  ///< but for the names of axes, the peak and the short forms, which follow from the planner
  MachineModel machine;
  int axes = 2;                          ///< the most that a mesh may have
  std::function<void()> poll = nullptr;  ///< called every few hundredths of a second; what it throws ends the search
  std::size_t width = 0;                 ///< of what is said of it; 0: as wide as it is
};

/// `--processors N`. Throws UserError of kind bad_option_value.
int64_t number_of_processors(const std::string& text);
/// `--memory 16GiB`: bytes. Throws UserError of kind bad_option_value.
int64_t bytes_option(const std::string& text);

/// Shows how far a search is, every tenth of a second from the first second on, by `show`.
std::function<void(const SearchProgress&)> shown_progress(std::function<void(const std::string&)> show);

/// Plans what is searched under `settings`, and searches; where a number among the options in `settings` is how many layers
/// there are, with short forms of it. Says what was found. Throws UserError where nothing was.
std::string search_layouts(const Planner& plan, const Settings& settings, SearchRequest request);

}  // namespace mtf::tool
