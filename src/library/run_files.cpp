#include "library/run_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <random>

#include "io/io_error.h"
#include "io/write_file.h"
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

/// The step that a file's name says; nothing if it is no checkpoint's.
std::optional<int64_t> step_of(const std::string& file) {
  if (!file.starts_with(kBegins) || !file.ends_with(kEnds) || file.size() <= kBegins.size() + kEnds.size())
    return std::nullopt;
  int64_t step = 0;
  const char *first = file.data() + kBegins.size(), *last = file.data() + file.size() - kEnds.size();
  const auto [end, error] = std::from_chars(first, last, step);
  return error == std::errc() && end == last && step >= 0 ? std::optional(step) : std::nullopt;
}

std::string mark_in(const std::string& folder) {
  std::string mark;
  std::ifstream(Path(folder) / kMarkFile) >> mark;
  return mark;
}

std::string new_mark_of_run() {
  std::random_device random;
  return fmt::format("{:08x}{:08x}", random(), random());
}

[[noreturn]] void fail_of_another(const std::string& folder, const std::string& what) {
  throw io::IoError(io::IoError::Kind::kOfAnotherRun, folder.empty() ? "." : folder, what);
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

std::vector<int64_t> checkpoint_steps(const std::string& folder) {
  std::vector<int64_t> steps;
  std::error_code error;
  for (auto at = std::filesystem::directory_iterator(folder.empty() ? "." : folder, error);
       !error && at != std::filesystem::directory_iterator(); at.increment(error))
    if (const auto step = step_of(at->path().filename().string())) steps.push_back(*step);
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

void RunFiles::claim(const std::string& folder) {
  Folder& own = folders_[resolved(folder)];
  if (!own.mark.empty()) {
    if (const std::string mark = mark_in(folder); mark != own.mark && !mark.empty())
      fail_of_another(folder, "another run has begun to save here");
    return;
  }
  if (!own.is_loaded) expect_none(folder);
  own.mark = new_mark_of_run();
  std::error_code error;
  std::filesystem::create_directories(folder.empty() ? "." : folder, error);
  if (error) throw io::IoError(io::IoError::Kind::kUnwritable, folder, "cannot be made: " + error.message());
  io::write_file_atomically((Path(folder) / kMarkFile).string(), own.mark + "\n");
}

void RunFiles::expect_to_claim(const std::string& folder) const {
  // Without a name it stands for no folder in most scripts, and the condition around it may be unknown.
  if (!folder.empty() && !folders_.contains(resolved(folder))) expect_none(folder);
}

void RunFiles::saved(const std::string& folder, int64_t step, int64_t keep) {
  std::set<int64_t>& own = folders_[resolved(folder)].steps;
  own.insert(step);
  int64_t kept = 0;
  for (const int64_t each : checkpoint_steps(folder)) {
    if (!own.contains(each) || keep <= 0 || ++kept <= keep || each == step) continue;
    std::error_code error;  // it costs room, no more
    std::filesystem::remove(checkpoint_file(folder, each), error);
    own.erase(each);
  }
}

void RunFiles::will_load(const std::string& folder) { folders_[resolved(folder)].is_loaded = true; }

void RunFiles::loaded(const std::string& folder, const std::string& logs) {
  will_load(folder);
  for (const int64_t step : checkpoint_steps(folder)) folders_[resolved(folder)].steps.insert(step);
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

void RunFiles::add_line(const std::string& path, io::LogForm form, const std::string& header, const std::string& line) {
  const Path whole = resolved(path);
  if (find_write_target(path, io::WriteFailure(path)).is_stream)
    return add_log_line(path, form, header, line, streams_.insert(whole).second);
  const auto [at, is_new] = logs_.try_emplace(whole);
  Log& log = at->second;
  const bool is_first = !log.is_added_to;
  const bool is_left =
      is_new && std::any_of(begun_anew_.begin(), begun_anew_.end(), [&](const Path& folder) {
        return std::mismatch(folder.begin(), folder.end(), whole.begin(), whole.end()).first == folder.end();
      });
  if (is_first && (!is_new || is_left)) cut_log(path, log.mark);
  add_log_line(path, form, header, line, is_first);
  log.is_added_to = true;
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
