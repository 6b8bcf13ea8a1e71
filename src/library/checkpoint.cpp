// Checkpoints: the implementation of the standard module `checkpoint`.
//
// A checkpoint is one safetensors file. It has every param and state of the saved models, whole, under its path; the
// metadata has the names of its dims and the position of the random stream. Each rank writes and reads its own blocks,
// so another mesh and layout can read the checkpoint. run_files.h says which run owns a folder, and what happens to
// logs.
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <unordered_set>

#include "eval/doubtful.h"
#include "eval/variables_below.h"
#include "io/element_sum.h"
#include "io/io_error.h"
#include "io/positioned_file.h"
#include "io/safetensors.h"
#include "kernels/level.h"
#include "library/files.h"
#include "library/functions.h"
#include "library/run_files.h"
#include "plan/execution.h"
#include "plan/runtime.h"
#include "support/printable.h"
#include "support/text.h"

namespace mtf::library {
namespace {

/// Dims in a file have plain names.
std::string dims_text(const Dims& dims) {
  std::vector<std::string> names;
  for (const Dim& dim : dims) names.push_back(dim.name.plain().str());
  return mtf::join(names, ", ");
}

/// The dims of variables as a file has them. A variable whose layers are in chunks (`stacked` with `chunks:`) has all
/// layers along one dim in a file, in the same order. So the file fits any number of chunks.
class DimsInFile {
 public:
  /// `params`: those of the model and of its optimizer. States have the dims of their params.
  explicit DimsInFile(const std::vector<eval::VariablePtr>& params) {
    for (const eval::VariablePtr& param : params) {
      const Dims& dims = param->type.dims;
      if (dims.size() >= param->declared_dims.size() + 2 && dims[0].name == dims[1].name.followed_by("'"))
        in_chunks_.push_back(dims);
    }
  }

  Dims of(const eval::Variable& variable) const {
    Dims dims = variable.type.dims;
    if (std::find(in_chunks_.begin(), in_chunks_.end(), dims) == in_chunks_.end()) return dims;
    dims[1].size *= dims[0].size;
    dims.erase(dims.begin());
    return dims;
  }

 private:
  std::vector<Dims> in_chunks_;
};

/// Returns the params of models, with those of the last model, an optimizer.
std::vector<eval::VariablePtr> params_of(const std::vector<eval::HostValue>& models) {
  std::vector<eval::VariablePtr> params;
  for (const eval::HostValue& model : models)
    for (const bool trainable : {true, false})
      for (const eval::VariablePtr& variable : variables_below(model, trainable)) params.push_back(variable);
  return params;
}

constexpr std::string_view kOptimizer = "optimizer.";
constexpr const char* kParamsOfOptimizer = "optimizer params";

/// The variables of a checkpoint by their names in the file, each once. The first model's variables have their paths as
/// names; those of the others have `optimizer.` before the path. For an optimizer alone only its states count, because
/// its params belong to the model.
using VariablesByPath = std::map<std::string, eval::VariablePtr>;

VariablesByPath variables_of(const std::vector<eval::HostValue>& models, Span span) {
  VariablesByPath variables;
  std::unordered_set<const eval::Variable*> seen;
  for (size_t i = 0; i < models.size(); ++i) {
    for (const bool trainable : {true, false}) {
      if (i > 0 && trainable && models[0].as<eval::None>()) continue;
      for (const eval::VariablePtr& variable : variables_below(models[i], trainable)) {
        if (!seen.insert(variable.get()).second) continue;
        const std::string name = (i == 0 ? "" : std::string(kOptimizer)) + variable->path;
        if (!variables.emplace(name, variable).second)
          fail(Kind::bad_value, span, "two variables would have the name `{}` in the file", name);
      }
    }
  }
  return variables;
}

/// The paths of an optimizer's params, in its order, which is that of the lists in which it keeps its states.
std::string params_of_optimizer(const std::vector<eval::HostValue>& models) {
  std::vector<std::string> paths;
  for (const eval::VariablePtr& variable : variables_below(models[1], true)) paths.push_back(variable->path);
  return mtf::join(paths, " ");
}

/// Writes tensors under their names, each rank what it holds. The header comes last, with the checksums of what all
/// ranks have written; then rank 0 lets the file take its place, with `place` if that is given.
void write_tensors(eval::Caller& caller, const std::string& path, const std::map<std::string, graph::Value>& tensors,
                   std::map<std::string, std::string> metadata, Span span, const std::map<std::string, Dims>& dims = {},
                   const std::function<void(const std::function<void()>&)>& place = {}) {
  io::SafetensorsHeader header;
  header.metadata = std::move(metadata);
  header.metadata["format"] = "mtf";
  header.metadata["kernels"] = kernels::level_in_use();
  for (const auto& [name, value] : tensors) {
    const auto in_file = dims.find(name);
    const Dims& stored = in_file == dims.end() ? value.dims() : in_file->second;
    header.tensors[name] = {io::safetensors_type(value.element()), sizes_of(stored), 0, 0};
    header.metadata["dims:" + name] = dims_text(stored);
    set_sum(header, name, 0);
  }
  lay_out_safetensors(header);
  plan::Runtime& runtime = caller.runtime();
  std::optional<io::FileInTheMaking> made;
  on_rank_0(caller, span, [&] { made.emplace(path, header.file_size); });
  const std::string partial = runtime.broadcast(made ? made->name() : std::string(), span);
  std::vector<uint64_t> sums;
  on_every_rank(caller, span, [&] {
    const io::PositionedFile file = io::PositionedFile::to_write(partial);
    for (const auto& [name, value] : tensors)
      sums.push_back(caller.execution().store(value, file, header.tensors.at(name).begin));
    file.synchronize();
  });
  sums = runtime.added_up(std::move(sums), span);
  on_rank_0(caller, span, [&] {
    size_t i = 0;
    for (const auto& [name, value] : tensors) set_sum(header, name, sums[i++]);
    const std::string begins = lay_out_safetensors(header);
    made->write(0, std::as_bytes(std::span(begins)));
    const auto take_place = [&] { made->take_place(); };
    if (place) place(take_place);
    else take_place();
  });
}

/// save_checkpoint(folder, models, step, keep).
eval::HostValue save_checkpoint(eval::Caller& caller, const eval::Bound& call) {
  if (call.value(1).is_unknown()) return eval::None{};
  const VariablesByPath variables = variables_of(call.list(1), call.span(1));
  const auto step = call.integer(2), keep = call.integer(3);
  std::map<std::string, graph::Value> tensors;
  graph::Values values;
  const DimsInFile in_file(params_of(call.list(1)));
  std::map<std::string, Dims> dims;
  for (const auto& [name, variable] : variables) {
    values.push_back(tensors[name] = variable->current.value());
    dims[name] = in_file.of(*variable);
  }
  caller.cut(values, call.span());
  RunFiles& files = caller.state<RunFiles>();
  if (caller.runs_next() && !call.value(0).is_unknown()) {
    on_rank_0(caller, call.span(), [&] { files.expect_to_claim(call.text(0)); });
  }
  if (caller.is_abstract()) {
    note_written(caller, call.value(0));
    return eval::None{};
  }
  if (*step < 0) fail(Kind::bad_value, call.span(2), "expected a step of 0 or more, found {}", *step);

  const std::string& folder = call.text(0);
  const eval::RandomStream stream = caller.random_stream();
  std::map<std::string, std::string> metadata = {{"step", std::to_string(*step)},
                                                 {"seed", fmt::format("{}", stream.seed)},
                                                 {"random_calls", fmt::format("{}", stream.calls)}};
  std::string logs;
  on_rank_0(caller, call.span(), [&] {
    files.claim(folder, *step);
    logs = files.logs(folder);
  });
  logs = caller.runtime().broadcast(logs, call.span());
  if (!logs.empty()) metadata["logs"] = logs;
  if (!call.list(1)[1].as<eval::None>()) metadata[kParamsOfOptimizer] = params_of_optimizer(call.list(1));
  write_tensors(caller, checkpoint_file(folder, *step), tensors, metadata, call.span(), dims,
                [&](const std::function<void()>& take_place) { files.save(folder, *step, *keep, take_place); });
  return eval::None{};
}

/// write_safetensors(path, names, tensors).
eval::HostValue write_safetensors(eval::Caller& caller, const eval::Bound& call) {
  expect_to_write(caller, call, io::FileKind::kSafetensors);
  if (call.any_unknown()) return eval::None{};
  const auto &names = call.list(1), &values = call.list(2);
  if (names.size() != values.size())
    fail(Kind::bad_value, call.span(2), "expected {} tensors, as many as names, found {}", names.size(), values.size());
  std::map<std::string, graph::Value> tensors;
  graph::Values needed;
  for (size_t i = 0; i < names.size(); ++i) {
    auto* name = names[i].as<eval::Text>();
    if (!name) fail(Kind::type_mismatch, call.span(1), "expected names as strings, found {} in it", describe(names[i]));
    needed.push_back(caller.convert.to_tensor(values[i], call.span(2)));
    if (first_invalid_utf8(**name))
      fail(Kind::bad_value, call.span(1), "expected names in UTF-8, found `{}`", printable(**name));
    if (!tensors.emplace(**name, needed.back()).second)
      fail(Kind::bad_value, call.span(1), "the name `{}` stands twice", **name);
  }
  caller.cut(needed, call.span());
  if (!caller.is_abstract()) write_tensors(caller, call.text(0), tensors, {}, call.span());
  return eval::None{};
}

/// Returns the integer of `key` in the metadata, which must be from `least` to `most`.
int64_t number_in(const io::SafetensorsHeader& header, const std::string& key, int64_t least, int64_t most,
                  const std::string& path) {
  const auto found = header.metadata.find(key);
  if (found == header.metadata.end())
    io::fail_bad_file(path, "expected a checkpoint, whose metadata says its `{}`", key);
  const std::string& text = found->second;
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < least || number > most)
    io::fail_bad_file(path, "expected an integer from {} to {} as its `{}`, found `{}`", least, most, key,
                      printable(text));
  return number;
}

/// Returns the step of the metadata, which must be the step of the file's name.
int64_t step_in(const io::SafetensorsHeader& header, const std::string& path) {
  const int64_t step = number_in(header, "step", 0, INT64_MAX, path);
  if (const auto named = step_in_name(path); named && *named != step)
    io::fail_bad_file(path, "its name says step {}, and its metadata step {}", *named, step);
  return step;
}

/// The parts of a checkpoint to load: the model, its optimizer, or both.
struct Wanted {
  bool model = true, optimizer = true;
  bool has(const std::string& name) const { return name.starts_with(kOptimizer) ? optimizer : model; }
};

/// The tensors of a file that hold the value of a variable. Most variables have a tensor of their own name. If layers
/// were saved in a list, a variable of stacked layers has a tensor for each layer. If layers were saved stacked, a
/// variable of a list's layer is a part of one tensor.
struct Source {
  std::vector<std::string> names;
  std::optional<int64_t> part;  ///< of a list's layer: which one of all
  bool is_own = false;          ///< in the tensor of its name
};

/// As many layers as a variable with these dims in a file has if it is of stacked ones.
int64_t layers_of(const Dims& dims) { return dims.empty() ? 0 : dims[0].size; }

/// Finds the tensors that hold the values of variables.
class Sources {
 public:
  /// `params` are those of the optimizer that is loaded, in its order.
  Sources(const io::SafetensorsHeader& header, std::vector<eval::VariablePtr> params, const DimsInFile& in_file)
      : header_(header), params_(std::move(params)), in_file_(in_file) {
    const auto stored = header.metadata.find(kParamsOfOptimizer);
    if (stored == header.metadata.end()) return;
    int64_t index = 0;
    for (const std::string_view path : mtf::split(stored->second, ' ')) stored_params_.emplace(path, index++);
  }

  /// Where the file has the variable of this name, or nothing.
  std::optional<Source> find(const std::string& name, int64_t layers) const {
    if (header_.tensors.contains(name)) {
      if (!is_state(name)) return Source{{name}, std::nullopt, true};
      // States stand in the order of the params: the file may have another param at the same place.
      const std::optional<Source> of_param = source_of_param(name);
      if (!of_param || of_param->is_own) return Source{{name}, std::nullopt, true};
    }
    if (is_state(name)) return source_of_state(name);
    return source(name, layers, [&](const std::string& other) { return header_.tensors.contains(other); });
  }

 private:
  static bool is_state(const std::string& name) {
    return name.starts_with(kOptimizer) && name.find('[') != std::string::npos;
  }

  /// `blocks.w` in `blocks[0].w`, `blocks[1].w`, …; `blocks[1].w` in `blocks.w`.
  template <typename Has>
  static std::optional<Source> source(const std::string& name, int64_t layers, const Has& has) {
    for (size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
      const auto of_layer = [&](int64_t i) { return name.substr(0, dot) + fmt::format("[{}]", i) + name.substr(dot); };
      Source found;
      for (int64_t i = 0; i < layers && has(of_layer(i)); ++i) found.names.push_back(of_layer(i));
      if (!found.names.empty() && std::ssize(found.names) == layers) return found;
    }
    for (size_t open = name.find('['); open != std::string::npos; open = name.find('[', open + 1)) {
      const size_t close = name.find(']', open);
      std::string of_all = name.substr(0, open) + name.substr(close + 1);
      if (!has(of_all)) continue;
      return Source{{std::move(of_all)}, std::stoll(name.substr(open + 1, close - open - 1)), false};
    }
    return std::nullopt;
  }

  /// The source of the param of a state `optimizer.first[3].value`.
  std::optional<Source> source_of_param(const std::string& name) const {
    const size_t open = name.find('['), close = name.find(']', open);
    const size_t index = std::stoull(name.substr(open + 1, close - open - 1));
    if (index >= params_.size() || stored_params_.empty()) return std::nullopt;
    const std::string& param = params_[index]->path;
    const auto stored = stored_params_.find(param);
    if (stored != stored_params_.end())
      return Source{{param}, std::nullopt, stored->second == static_cast<int64_t>(index)};
    return source(param, layers_of(in_file_.of(*params_[index])),
                  [&](const std::string& other) { return stored_params_.contains(other); });
  }

  std::optional<Source> source_of_state(const std::string& name) const {
    std::optional<Source> found = source_of_param(name);
    if (!found) return std::nullopt;
    const size_t open = name.find('['), close = name.find(']', open);
    for (std::string& param : found->names) {
      param = name.substr(0, open + 1) + fmt::format("{}", stored_params_.at(param)) + name.substr(close);
      if (!header_.tensors.contains(param)) return std::nullopt;
    }
    return found;
  }

  const io::SafetensorsHeader& header_;
  std::vector<eval::VariablePtr> params_;
  const DimsInFile& in_file_;
  std::map<std::string, int64_t, std::less<>> stored_params_;  ///< the positions of the file's params in its order
};

/// True if tensors of layers in a list have the shape of a variable without its first dim, or that of a layer has the
/// variable's behind one that is the layers'. A state that has no dim of layers is the same in both.
bool fits(const Source& source, const io::SafetensorsHeader& header, const eval::Variable& variable, const Dims& dims) {
  const std::vector<int64_t> sizes = sizes_of(dims);
  for (const std::string& name : source.names) {
    const io::FileTensor& tensor = header.tensors.at(name);
    if (tensor.type != io::safetensors_type(variable.type.element)) return false;
    if (tensor.sizes == sizes) continue;
    const std::vector<int64_t>& longer = source.part ? tensor.sizes : sizes;
    const std::vector<int64_t>& shorter = source.part ? sizes : tensor.sizes;
    if (longer.empty() || !std::equal(longer.begin() + 1, longer.end(), shorter.begin(), shorter.end())) return false;
    if (source.part && *source.part >= longer[0]) return false;
  }
  return true;
}

/// The bytes of a variable whose layers the file has otherwise. `sums` gets what they add to the tensors' checksums.
std::vector<std::byte> converted(const Source& source, const io::SafetensorsHeader& header,
                                 const eval::Variable& variable, const Dims& dims, const io::PositionedFile& file,
                                 std::map<std::string, uint64_t>& sums) {
  const auto element = static_cast<size_t>(size_of(variable.type.element));
  std::vector<std::byte> bytes;
  for (const std::string& name : source.names) {
    const io::FileTensor& tensor = header.tensors.at(name);
    const bool is_part = source.part && tensor.sizes != sizes_of(dims);
    const uint64_t layers = is_part ? static_cast<uint64_t>(tensor.sizes[0]) : 1;
    const uint64_t size = (tensor.end - tensor.begin) / layers;
    const uint64_t from = is_part ? static_cast<uint64_t>(*source.part) * size : 0;
    std::vector<std::byte> read(size);
    file.read(tensor.begin + from, read);
    sums[name] += io::element_sum(from, read, element);
    if (tensor.sizes == sizes_of(dims)) bytes = std::move(read);
    else bytes.insert(bytes.end(), read.begin(), read.end());
  }
  return bytes;
}

/// Fails unless the tensors of a checkpoint that are wanted are those variables. Returns whether they are all that it
/// has.
bool compare(const io::SafetensorsHeader& header, const VariablesByPath& variables, const Sources& sources,
             const DimsInFile& in_file, Wanted wanted, const std::string& path, Span span) {
  std::unordered_set<std::string> used;
  auto differs = [&](const std::string& what) {
    fail(Kind::file_shape_mismatch, span, "{}: {}", printable(path), what);
  };
  for (const auto& [name, variable] : variables) {
    const Dims expected = in_file.of(*variable);
    const std::optional<Source> source = sources.find(name, layers_of(expected));
    if (source) used.insert(source->names.begin(), source->names.end());
    if (source && !source->is_own && fits(*source, header, *variable, expected)) continue;
    const auto found = header.tensors.find(name);
    if (found == header.tensors.end()) {
      std::vector<std::string> names;
      for (const auto& [other, tensor] : header.tensors) names.push_back(other);
      fail(Diagnostic(Kind::file_shape_mismatch, span,
                      fmt::format("{}: expected {} `{}`, which is not there", printable(path),
                                  to_string(variable->type), name))
               .related(variable->span, "declared here")
               .help(printable(did_you_mean(name, names))));
    }
    const auto dims = header.metadata.find("dims:" + name);
    const std::string stored = dims == header.metadata.end() ? dims_text(expected) : dims->second;
    if (found->second.sizes != sizes_of(expected) ||
        found->second.type != io::safetensors_type(variable->type.element) || stored != dims_text(expected)) {
      fail(Diagnostic(Kind::file_shape_mismatch, span,
                      fmt::format("{}: expected {} for `{}`, found {} of {} for [{}]", printable(path),
                                  to_string(variable->type), name, found->second.type, io::to_text(found->second.sizes),
                                  printable(stored)))
               .related(variable->span, "declared here"));
    }
  }
  bool is_all = true;
  for (const auto& [name, tensor] : header.tensors) {
    if (used.contains(name)) continue;
    if (wanted.has(name)) differs(fmt::format("no variable is called `{}`, which it has", printable(name)));
    is_all = false;
  }
  return is_all;
}

/// True if a file is a checkpoint, and its tensors have the checksums of its header.
bool is_whole(const std::string& path) {
  try {
    const io::SafetensorsHeader header = io::read_safetensors_header(path);
    step_in(header, path);
    for (const auto& [name, tensor] : header.tensors) io::read_safetensor(path, header, name, UINT64_MAX);
    return true;
  } catch (const io::IoError&) { return false; }
}

/// Reads the latest checkpoint of a folder with `read`. The error for a damaged one names the latest undamaged
/// checkpoint.
void read_latest(const std::string& folder, const std::function<void()>& read) {
  try {
    read();
  } catch (const UserError& error) {
    Diagnostic diagnostic = error.diagnostic();
    const std::vector<int64_t> steps = checkpoint_steps(folder);
    if (diagnostic.kind() != Kind::bad_file_format || steps.empty()) throw;
    const auto whole = std::find_if(steps.begin() + 1, steps.end(),
                                    [&](int64_t step) { return is_whole(checkpoint_file(folder, step)); });
    if (whole == steps.end()) throw;
    diagnostic.help(fmt::format("{} is whole: a run goes on from it once the damaged one is away",
                                printable(checkpoint_file(folder, *whole))));
    fail(std::move(diagnostic));
  }
}

/// load_checkpoint(folder, models, whole): the step of the latest checkpoint, or none. Unless `whole`, a model that is
/// `none` leaves out its part of the checkpoint. The run then does not continue the run that saved the checkpoint.
eval::HostValue load_checkpoint(eval::Caller& caller, const eval::Bound& call) {
  const std::string& folder = call.text(0);
  const VariablesByPath variables = variables_of(call.list(1), call.span(1));
  const Span span = call.span();
  const bool whole = *call.value(2).as<bool>();
  const auto is_wanted = [&](size_t model) { return whole || !call.list(1)[model].as<eval::None>(); };
  const Wanted wanted{is_wanted(0), is_wanted(1)};
  RunFiles& files = caller.state<RunFiles>();
  if (caller.is_check()) {
    files.will_load(folder);
    return unknown(eval::UnknownKind::kInt);
  }

  std::string path;
  std::vector<int64_t> steps;
  on_rank_0(caller, span, [&] {
    steps = checkpoint_steps(folder);
    if (!steps.empty()) path = checkpoint_file(folder, steps[0]);
    else if (!caller.is_abstract()) files.begins_anew(folder);
  });
  if (!caller.is_abstract()) path = caller.runtime().broadcast(path, span);
  if (path.empty()) {
    if (caller.is_abstract() && files.may_be_written(folder)) caller.parts.doubts.uncounted(span);
    return eval::None{};
  }
  io::SafetensorsHeader header;
  bool goes_on = false;
  int64_t step = 0, seed = 0, random_calls = 0;
  std::vector<graph::Value> loaded;
  read_latest(folder, [&] {
    on_every_rank(caller, span, [&] { header = io::read_safetensors_header(path); });
    const DimsInFile in_file(params_of(call.list(1)));
    const Sources sources(header, variables_below(call.list(1)[1], true), in_file);
    goes_on = compare(header, variables, sources, in_file, wanted, path, span);
    on_every_rank(caller, span, [&] {
      constexpr int64_t kMostOfDouble = int64_t{1} << 53;
      step = step_in(header, path);
      seed = number_in(header, "seed", -kMostOfDouble, kMostOfDouble, path);
      random_calls = number_in(header, "random_calls", 0, kMostOfDouble, path);
    });
    std::vector<std::string> own;
    std::vector<uint64_t> sums;
    on_every_rank(caller, span, [&] {
      const io::PositionedFile file = io::PositionedFile::to_read(path);
      std::map<std::string, uint64_t> sums_of_converted;
      for (const auto& [name, variable] : variables) {
        loaded.push_back(caller.unplaced_as(*variable, span));
        const Source source = *sources.find(name, layers_of(in_file.of(*variable)));
        if (source.is_own) {
          own.push_back(name);
          sums.push_back(caller.execution().load(*loaded.back().node, file, header.tensors.at(name).begin));
        } else {
          const plan::HostTensor tensor{
              variable->type, converted(source, header, *variable, in_file.of(*variable), file, sums_of_converted)};
          caller.execution().place(*loaded.back().node, tensor);
        }
      }
      for (const auto& [name, sum] : sums_of_converted) expect_sum(header, path, name, sum);
    });
    if (!caller.is_abstract()) {
      sums = caller.runtime().added_up(std::move(sums), span);
      on_rank_0(caller, span, [&] {
        for (size_t at = 0; at < own.size(); ++at) expect_sum(header, path, own[at], sums[at]);
        if (!goes_on) return;
        const auto logs = header.metadata.find("logs");
        files.loaded(folder, steps, logs == header.metadata.end() ? "" : logs->second);
      });
    }
  });
  size_t i = 0;
  for (const auto& [name, variable] : variables) caller.assign(variable, loaded[i++], span);
  if (goes_on) caller.set_random_stream({static_cast<double>(seed), static_cast<double>(random_calls)});
  return step;
}

/// Fails because a file, or an index, has no tensor of this name. `named` has the names that it has.
template <typename T>
[[noreturn]] void fail_no_tensor(const std::string& path, const std::string& name,
                                 const std::map<std::string, T>& named) {
  std::vector<std::string> names;
  for (const auto& [other, ignored] : named) names.push_back(other);
  const std::string help = did_you_mean(name, names);
  io::fail_bad_file(path, "it has no tensor `{}`{}{}", printable(name), help.empty() ? "" : "; ", printable(help));
}

/// The file that has a tensor: `path` itself, or the one that it says as an index.
std::string file_of_tensor(const std::string& path, const std::string& name) {
  if (!io::is_safetensors_index(path)) return path;
  const std::map<std::string, std::string> files = io::read_safetensors_index(path);
  const auto found = files.find(name);
  if (found == files.end()) fail_no_tensor(path, name, files);
  return found->second;
}

/// safetensor(path, name, dims): one tensor of a file, or of the file that an index names.
eval::HostValue safetensor(eval::Caller& caller, const eval::Bound& call) {
  const std::string &path = call.text(0), &name = call.text(1);
  io::ElementArray data;
  const bool found = !may_be_written(caller, path) && on_rank_0(caller, call.span(), [&] {
    const std::string file = file_of_tensor(path, name);
    const io::SafetensorsHeader header = io::read_safetensors_header(file);
    const auto tensor = header.tensors.find(name);
    if (tensor == header.tensors.end()) fail_no_tensor(file, name, header.tensors);
    if (caller.is_abstract()) data = {tensor->second.sizes, element_type_of(file, tensor->second), {}};
    else data = read_safetensor(file, header, name, memory_for_data(caller));
  });
  if (!found) return unknown(eval::UnknownKind::kAny);
  if (!caller.is_abstract()) share_array(caller, data, call.span());
  return constant_of(caller, std::move(data), call[2], path, call.span());
}

/// safetensor_names(path): a list of the names of the tensors of a file or an index, in alphabetical order.
eval::HostValue safetensor_names(eval::Caller& caller, const eval::Bound& call) {
  if (caller.is_check()) return unknown(eval::UnknownKind::kAny);
  const std::string& path = call.text(0);
  std::vector<eval::HostValue> names;
  on_every_rank(caller, call.span(), [&] {
    if (io::is_safetensors_index(path)) {
      for (const auto& [name, file] : io::read_safetensors_index(path)) names.push_back(eval::make_text(name));
    } else {
      for (const auto& [name, tensor] : io::read_safetensors_header(path).tensors)
        names.push_back(eval::make_text(name));
    }
  });
  return make_list(std::move(names));
}

}  // namespace

std::vector<eval::HostFunction> checkpoint_functions() {
  return {
      {"save_checkpoint(folder: string, models: list, step: int, keep: int)", "", eval::Effects::kWrites,
       save_checkpoint, true},
      {"load_checkpoint(folder: string, models: list, whole: bool) -> int", "",
       eval::Effects::kReads | eval::Effects::kWrites | eval::Effects::kRandom, load_checkpoint},
      {"write_safetensors(path: string, names: list, tensors: list)", "", eval::Effects::kWrites, write_safetensors,
       true},
      {"safetensor(path: string, name: string, dims: shape) -> value", "", eval::Effects::kReads, safetensor},
      {"safetensor_names(path: string) -> list", "", eval::Effects::kReads, safetensor_names},
  };
}

}  // namespace mtf::library
