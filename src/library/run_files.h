#pragma once
// The files that a run goes on with: folders of checkpoints, and logs. Rank 0 alone has them; a check only notes what
// is loaded.
//
// A folder of checkpoints belongs to one run, whose mark stands in it as `.mtf-run`:
//
//   a run that has not loaded    finds no checkpoint there, and puts its mark with its first; else it is refused
//   one that has loaded          puts its mark with its next: the checkpoints there are its own
//   another after that           finds a mark that is not its own, and is refused
//
// The mark's file is locked while it is read and written, and again while it is compared and a checkpoint takes its
// place. So of two runs that begin in one folder at once, or go on from one checkpoint, one saves, and the other is
// refused.
//
// A checkpoint says how long each log was, by its place relative to the folder. What stands behind that is of turns
// which are computed again once it is loaded: it goes when the next line is added. A run that wanted to go on and found
// no checkpoint begins anew, and so do its logs in the folder.
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "eval/host_library.h"
#include "io/log_file.h"
#include "support/diagnostics.h"

namespace mtf::library {

/// The file of a checkpoint, and the steps of those in a folder, the latest first; none if there is no such folder.
std::string checkpoint_file(const std::string& folder, int64_t step);
std::vector<int64_t> checkpoint_steps(const std::string& folder);

/// What to do where a folder belongs to another run.
void add_ways_out(Diagnostic& diagnostic);

/// Every function throws IoError.
class RunFiles : public eval::LibraryState {
 public:
  /// Before a checkpoint is saved in a folder. Fails (kOfAnotherRun) where it is another run's. Fails (kUnwritable)
  /// where the run has a later step there, because the latest step is loaded.
  void claim(const std::string& folder, int64_t step);
  /// The same as far as it is known before the run.
  void expect_to_claim(const std::string& folder) const;
  /// Lets a checkpoint take its place with `take_place`, if the folder is still the run's. Of the run's own the `keep`
  /// latest stay; with 0 all do.
  void save(const std::string& folder, int64_t step, int64_t keep, const std::function<void()>& take_place);

  /// A check comes to where a checkpoint of the folder would be loaded.
  void will_load(const std::string& folder);
  /// One has been loaded, when there were those of `steps`; `logs` is what it says of them.
  void loaded(const std::string& folder, const std::vector<int64_t>& steps, const std::string& logs);
  /// There was none.
  void begins_anew(const std::string& folder);

  /// A check or a plan comes to where a file, or a checkpoint in a folder, would be written; without a path to where
  /// any may be.
  void will_write(const std::string& path);
  /// True if it has come to where the file would be written: its content is then another one in the run.
  bool may_be_written(const std::string& path) const;

  /// Adds a line to a log.
  void add_line(const std::string& path, io::LogForm form, const std::string& header, const std::string& line);
  /// What a checkpoint in the folder says of the logs; empty where there are none.
  std::string logs(const std::string& folder) const;

 private:
  using Path = std::filesystem::path;  ///< absolute, without links

  struct Folder {
    std::string mark;         ///< empty: the run has not saved there
    bool is_loaded = false;   ///< the checkpoints that were there are the run's
    std::set<int64_t> steps;  ///< of its checkpoints
  };
  struct Log {
    io::LogMark mark;
    bool is_added_to = false;  ///< in this process: nothing stands behind what is its own
  };

  std::map<Path, Folder> folders_;
  std::set<Path> begun_anew_;
  std::map<Path, Log> logs_;
  std::set<Path> streams_;  ///< that lines have gone to
  std::set<Path> written_;  ///< by the program that is checked or planned, so far
  bool may_write_any_ = false;
};

}  // namespace mtf::library
