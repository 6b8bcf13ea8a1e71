#include "library/run_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>

#include "io/io_error.h"
#include "io/write_target.h"
#include "support/text.h"

namespace mtf::library {
namespace {

using Path = std::filesystem::path;

constexpr std::string_view kBegins = "step-", kEnds = ".safetensors", kMarkFile = ".mtf-run";

Path resolved(const std::string& path) {
  std::error_code error;
  Path whole = std::filesystem::weakly_canonical(std::filesystem::absolute(path.empty() ? "." : path), error);
  return error ? Path(path) : whole.has_filename() ? whole : whole.parent_path();
}

/// Returns the step in a file's name, or nothing if the file is no checkpoint.
std::optional<int64_t> step_of(const std::string& file) {
  if (!file.starts_with(kBegins) || !file.ends_with(kEnds) || file.size() <= kBegins.size() + kEnds.size())
    return std::nullopt;
  int64_t step = 0;
  const char *first = file.data() + kBegins.size(), *last = file.data() + file.size() - kEnds.size();
  const auto [end, error] = std::from_chars(first, last, step);
  return error == std::errc() && end == last && step >= 0 ? std::optional(step) : std::nullopt;
}

/// The file of a folder's mark, locked during its lifetime. Makes the folder and the file if they are missing.
class LockedMark {
 public:
  explicit LockedMark(const std::string& folder) : path_((Path(folder) / kMarkFile).string()) {
    std::error_code error;
    std::filesystem::create_directories(folder.empty() ? "." : folder, error);
    if (error) throw io::IoError(io::IoError::Kind::kUnwritable, folder, "cannot be made: " + error.message());
    // The previous holder of the lock may have removed the file: then the new file is locked.
    do {
      file_.reset(open(path_.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0666));
      if (file_.number < 0) fail_of_errno();
      struct stat state {};
      if (fstat(file_.number, &state) != 0) fail_of_errno();
      if (!S_ISREG(state.st_mode)) fail("expected a file");
      while (flock(file_.number, LOCK_EX) != 0)
        if (errno != EINTR) fail_of_errno();
    } while (!is_in_place());
  }
  LockedMark(const LockedMark&) = delete;
  LockedMark& operator=(const LockedMark&) = delete;

  std::string read() const {
    std::array<char, 64> text{};
    const ssize_t size = pread(file_.number, text.data(), text.size(), 0);
    if (size < 0) fail_of_errno();
    const std::string_view all(text.data(), static_cast<size_t>(size));
    return std::string(all.substr(0, all.find('\n')));
  }
  void write(const std::string& mark) const {
    const std::string line = mark + "\n";
    if (ftruncate(file_.number, 0) != 0 ||
        pwrite(file_.number, line.data(), line.size(), 0) != static_cast<ssize_t>(line.size()))
      fail_of_errno();
  }

 private:
  bool is_in_place() const {
    struct stat locked {
    }, there{};
    return fstat(file_.number, &locked) == 0 && stat(path_.c_str(), &there) == 0 && locked.st_dev == there.st_dev &&
           locked.st_ino == there.st_ino;
  }
  [[noreturn]] void fail(const std::string& why) const {
    throw io::IoError(io::IoError::Kind::kUnwritable, path_, why);
  }
  [[noreturn]] void fail_of_errno() const { fail(std::generic_category().message(errno)); }

  /// Closes a descriptor, also where the constructor fails.
  struct Descriptor {
    ~Descriptor() { reset(-1); }
    void reset(int other) {
      if (number >= 0) close(number);
      number = other;
    }
    int number = -1;
  };

  const std::string path_;
  Descriptor file_;
};

std::string new_mark_of_run() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

[[noreturn]] void fail_of_another(const std::string& folder, const std::string& what) {
  throw io::IoError(io::IoError::Kind::kOfAnotherRun, folder.empty() ? "." : folder, what);
}

/// Fails if the folder has the mark of another run. Writes a removed mark again.
void expect_mark(const LockedMark& mark, const std::string& folder, const std::string& own) {
  const std::string found = mark.read();
  if (found == own) return;
  if (!found.empty()) fail_of_another(folder, "another run has begun to save here");
  mark.write(own);
}

/// Fails if there is a checkpoint.
void expect_none(const std::string& folder) {
  if (const std::vector<int64_t> steps = checkpoint_steps(folder); !steps.empty())
    fail_of_another(folder, fmt::format("another run has saved {} here, up to step {}",
                                        mtf::count_text(static_cast<int64_t>(steps.size()), "checkpoint"), steps[0]));
}

}  // namespace

std::string checkpoint_file(const std::string& folder, int64_t step) {
  return (Path(folder) / fmt::format("{}{:08}{}", kBegins, step, kEnds)).string();
}

std::optional<int64_t> step_in_name(const std::string& path) { return step_of(Path(path).filename().string()); }

std::vector<int64_t> checkpoint_steps(const std::string& folder) {
  std::vector<int64_t> steps;
  const auto add = [&](const std::string& file) {
    const std::optional<int64_t> step = step_of(file);
    if (!step) return;
    const std::string expected = Path(checkpoint_file(folder, *step)).filename().string();
    if (file != expected)
      io::fail_bad_file((Path(folder) / file).string(), "expected the checkpoint of step {} to be called `{}`", *step,
                        expected);
    steps.push_back(*step);
  };
  std::error_code error;
  for (auto at = std::filesystem::directory_iterator(folder.empty() ? "." : folder, error);
       !error && at != std::filesystem::directory_iterator(); at.increment(error))
    add(at->path().filename().string());
  if (error && error != std::errc::no_such_file_or_directory && error != std::errc::not_a_directory)
    throw io::IoError(io::IoError::Kind::kUnreadable, folder, "cannot be listed: " + error.message());
  std::sort(steps.rbegin(), steps.rend());
  return steps;
}

void add_ways_out(Diagnostic& diagnostic) {
  diagnostic
      .help(
          "to go on with that run, load its checkpoint first: `checkpoint.resume(folder, net, opt)`, where a script "
          "has it with `--set resume=true`")
      .help("to begin another, save into another folder, or remove this one");
}

void RunFiles::claim(const std::string& folder, int64_t step) {
  Folder& own = folders_[resolved(folder)];
  if (!own.steps.empty() && step < *own.steps.rbegin())
    throw io::IoError(
        io::IoError::Kind::kUnwritable, folder.empty() ? "." : folder,
        fmt::format("step {} comes behind step {}, which this run has here, and the latest step is what is loaded; "
                    "count on, or save into another folder",
                    step, *own.steps.rbegin()));
  const LockedMark mark(folder);
  if (!own.mark.empty()) return expect_mark(mark, folder, own.mark);
  if (!own.is_loaded) expect_none(folder);
  for (const int64_t there : checkpoint_steps(folder))
    if (own.is_loaded && !own.steps.contains(there))
      fail_of_another(folder, fmt::format("another run has saved step {} here since this one loaded", there));
  own.mark = new_mark_of_run();
  mark.write(own.mark);
}

void RunFiles::expect_to_claim(const std::string& folder) const {
  // An empty name means no folder in most scripts, and the condition around the call may be unknown.
  if (!folder.empty() && !folders_.contains(resolved(folder))) expect_none(folder);
}

void RunFiles::save(const std::string& folder, int64_t step, int64_t keep, const std::function<void()>& take_place) {
  Folder& of_run = folders_[resolved(folder)];
  const LockedMark mark(folder);
  expect_mark(mark, folder, of_run.mark);
  take_place();
  std::set<int64_t>& own = of_run.steps;
  own.insert(step);
  int64_t kept = 0;
  for (const int64_t each : checkpoint_steps(folder)) {
    if (!own.contains(each) || keep <= 0 || ++kept <= keep || each == step) continue;
    std::error_code error;  // a failure only costs disk space
    std::filesystem::remove(checkpoint_file(folder, each), error);
    own.erase(each);
  }
}

void RunFiles::will_load(const std::string& folder) { folders_[resolved(folder)].is_loaded = true; }

void RunFiles::loaded(const std::string& folder, const std::vector<int64_t>& steps, const std::string& logs) {
  will_load(folder);
  folders_[resolved(folder)].steps.insert(steps.begin(), steps.end());
  const auto all = nlohmann::json::parse(logs, nullptr, false);
  if (!all.is_object()) return;
  for (const auto& [name, mark] : all.items()) {
    const bool is_mark =
        mark.is_array() && mark.size() == 2 && mark[0].is_number_unsigned() && mark[1].is_number_unsigned();
    if (is_mark)
      logs_[resolved((Path(folder) / name).string())] = {{mark[0].get<std::uint64_t>(), mark[1].get<std::uint64_t>()}};
  }
}

void RunFiles::begins_anew(const std::string& folder) {
  will_load(folder);
  begun_anew_.insert(resolved(folder));
}

void RunFiles::will_write(const std::string& path) {
  if (path.empty()) may_write_any_ = true;
  else written_.insert(std::filesystem::absolute(path).lexically_normal());
}

bool RunFiles::may_be_written(const std::string& path) const {
  return may_write_any_ || written_.contains(std::filesystem::absolute(path).lexically_normal());
}

std::string RunFiles::add_line(const std::string& path, io::LogForm form, const std::string& header,
                               const std::string& line) {
  const Path whole = resolved(path);
  if (find_write_target(path, io::WriteFailure(path)).is_stream) {
    add_log_line(path, form, header, line, streams_.insert(whole).second);
    return "";
  }
  const auto [at, is_new] = logs_.try_emplace(whole);
  Log& log = at->second;
  const bool is_first = !log.is_added_to;
  const bool is_said = std::any_of(begun_anew_.begin(), begun_anew_.end(), [&](const Path& folder) {
    return std::mismatch(folder.begin(), folder.end(), whole.begin(), whole.end()).first == folder.end();
  });
  std::string aside;
  try {
    if (is_first && is_new && is_said) {
      io::set_log_aside(path);
    } else if (is_first && is_new && io::has_log(path, form, header)) {
      expect_own_log(path);
      aside = io::set_log_aside(path);
    } else if (is_first && !is_new) {
      cut_log(path, log.mark);
    }
  } catch (...) {
    if (is_new) logs_.erase(whole);
    throw;
  }
  add_log_line(path, form, header, line, is_first);
  log.is_added_to = true;
  return aside;
}

void RunFiles::add_event(const std::string& folder, int64_t step,
                         const std::vector<std::pair<std::string, double>>& numbers) {
  std::unique_ptr<io::EventFile>& file = event_files_[resolved(folder)];
  if (!file) file = std::make_unique<io::EventFile>(folder);
  file->add(step, numbers);
}

void RunFiles::expect_own_log(const std::string& path) const {
  const std::string folder = Path(path).parent_path().string();
  const std::vector<int64_t> steps = checkpoint_steps(folder.empty() ? "." : folder);
  if (steps.empty()) return;
  const auto found = folders_.find(resolved(folder.empty() ? "." : folder));
  if (found != folders_.end() && (found->second.is_loaded || !found->second.mark.empty())) return;
  fail_of_another(path, fmt::format("another run logs here, which has saved {} beside it, up to step {}",
                                    count_text(static_cast<int64_t>(steps.size()), "checkpoint"), steps[0]));
}

std::string RunFiles::logs(const std::string& folder) const {
  const Path whole = resolved(folder);
  nlohmann::json all = nlohmann::json::object();
  for (const auto& [path, log] : logs_) {
    const std::optional<io::LogMark> mark = log.is_added_to ? io::mark_log(path.string()) : log.mark;
    const std::string name = path.lexically_proximate(whole).string();
    if (mark && !first_invalid_utf8(name)) all[name] = {mark->size, mark->hash};
  }
  return all.empty() ? "" : all.dump();
}

}  // namespace mtf::library
