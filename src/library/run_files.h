#pragma once
// The files with which a run continues: folders of checkpoints, and logs. Only rank 0 has them. A check only notes the
// loads.
//
// A folder of checkpoints belongs to one run. The mark of the run is in the file `.mtf-run`:
//
//   a run that has not loaded    finds no checkpoint there, and puts its mark with its first; else it is refused
//   one that has loaded          puts its mark with its next: the checkpoints there are its own
//   another after that           finds a mark that is not its own, and is refused
//
// The file of the mark is locked while it is read and written. It is locked again while it is compared and a checkpoint
// gets its final name. So if two runs begin in one folder at once, or continue from the same checkpoint, one saves and
// the other is refused.
//
// A checkpoint has the length of each log, whose path is relative to the folder. Lines behind that length belong to
// iterations that are computed again after the checkpoint is loaded. So the next added line removes them. If a run
// tries to continue and finds no checkpoint, it begins anew, and its logs in the folder do so too: the old logs get
// other names.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "eval/host_library.h"
#include "io/event_file.h"
#include "io/log_file.h"
#include "support/diagnostics.h"

namespace mtf::library {

/// The file of a checkpoint, and the steps of the checkpoints in a folder, the latest first; none if there is no such
/// folder. Throws IoError for a file with a step in its name that is not the name of that step's checkpoint.
std::string checkpoint_file(const std::string& folder, int64_t step);
std::vector<int64_t> checkpoint_steps(const std::string& folder);
/// The step that the name of a checkpoint's file says.
std::optional<int64_t> step_in_name(const std::string& path);

/// Adds the ways out if a folder belongs to another run.
void add_ways_out(Diagnostic& diagnostic);

/// Every function throws IoError.
class RunFiles : public eval::LibraryState {
 public:
  /// Prepares to save a checkpoint in a folder. Fails with kOfAnotherRun if the folder belongs to another run. Fails
  /// with kUnwritable if the run has a later step there, because a load takes the latest step.
  void claim(const std::string& folder, int64_t step);
  /// Does the same as far as a check or a plan can know.
  void expect_to_claim(const std::string& folder) const;
  /// Calls `take_place`, which gives a checkpoint its final name, if the folder still belongs to the run. Keeps the
  /// `keep` latest checkpoints of the run; with 0 it keeps all.
  void save(const std::string& folder, int64_t step, int64_t keep, const std::function<void()>& take_place);

  /// Notes in a check that a checkpoint of the folder would be loaded here.
  void will_load(const std::string& folder);
  /// Notes that a checkpoint was loaded from a folder with checkpoints of `steps`. `logs` is the text of the checkpoint
  /// about the logs.
  void loaded(const std::string& folder, const std::vector<int64_t>& steps, const std::string& logs);
  /// Notes that the folder had no checkpoint.
  void begins_anew(const std::string& folder);

  /// Notes in a check or a plan that a file, or a checkpoint in a folder, would be written here. Without a path it may
  /// be any file.
  void will_write(const std::string& path);
  /// True if a file may have been written before: the run then reads another content.
  bool may_be_written(const std::string& path) const;

  /// Adds a line to a log. A log of an earlier run, which this run does not continue, gets another name first, which is
  /// returned. Fails with kOfAnotherRun if it has checkpoints beside it, as its run may be continued.
  std::string add_line(const std::string& path, io::LogForm form, const std::string& header, const std::string& line);
  /// Adds numbers of a step to an event file in a folder (io/event_file.h), which is made at the first call.
  void add_event(const std::string& folder, int64_t step, const std::vector<std::pair<std::string, double>>& numbers);
  /// Returns the text of a checkpoint in the folder about the logs; empty if there are none.
  std::string logs(const std::string& folder) const;

 private:
  /// Fails with kOfAnotherRun if a log lies beside the checkpoints of another run.
  void expect_own_log(const std::string& path) const;

  using Path = std::filesystem::path;  ///< absolute, without links

  struct Folder {
    std::string mark;         ///< empty: the run has not saved there
    bool is_loaded = false;   ///< the earlier checkpoints there belong to the run
    std::set<int64_t> steps;  ///< of the run's own checkpoints
  };
  struct Log {
    io::LogMark mark;
    bool is_added_to = false;  ///< in this process: the file ends with the run's own lines
  };

  std::map<Path, Folder> folders_;
  std::set<Path> begun_anew_;
  std::map<Path, Log> logs_;
  std::map<Path, std::unique_ptr<io::EventFile>> event_files_;  ///< by folder
  std::set<Path> streams_;                                      ///< devices and pipes that have received lines
  std::set<Path> written_;                                      ///< by the checked or planned program so far
  bool may_write_any_ = false;
};

}  // namespace mtf::library
