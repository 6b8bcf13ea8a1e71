// Checkpoints: what stands behind the standard module `checkpoint`.
//
// A checkpoint is one safetensors file: every param and state of the models that are saved, whole, under its path, with
// the names of its dims and the position of the random stream in the metadata. Ranks write and read the blocks that they
// hold, so what was written under one mesh and layout is read under any other.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <unordered_set>

#include "eval/data.h"
#include "eval/places.h"
#include "io/io_error.h"
#include "io/positioned_file.h"
#include "io/safetensors.h"
#include "support/text.h"

namespace mtf {
namespace {

constexpr std::string_view kBegins = "step-", kEnds = ".safetensors";

/// The step that a file's name says; nothing if it is no checkpoint's.
std::optional<int64_t> step_of(const std::string& file) {
  if (!file.starts_with(kBegins) || !file.ends_with(kEnds) || file.size() <= kBegins.size() + kEnds.size()) return std::nullopt;
  int64_t step = 0;
  const char *first = file.data() + kBegins.size(), *last = file.data() + file.size() - kEnds.size();
  const auto [end, error] = std::from_chars(first, last, step);
  return error == std::errc() && end == last ? std::optional(step) : std::nullopt;
}

std::string file_of(const std::string& folder, int64_t step) { return (std::filesystem::path(folder) / fmt::format("{}{:08}{}", kBegins, step, kEnds)).string(); }

/// The steps of the checkpoints of a folder, the latest first; none if there is no such folder.
std::vector<int64_t> steps_in(const std::string& folder) {
  std::vector<int64_t> steps;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error))
    if (const auto step = step_of(entry.path().filename().string())) steps.push_back(*step);
  if (error && error != std::errc::no_such_file_or_directory) throw IoError(IoError::Kind::kUnreadable, folder, "cannot be listed: " + error.message());
  std::sort(steps.rbegin(), steps.rend());
  return steps;
}

std::string dims_text(const Dims& dims) {
  std::vector<std::string> names;
  for (const Dim& dim : dims) names.push_back(dim.name.str());
  return join(names, ", ");
}

/// The variables of a checkpoint by the names that they have there: those of the first model under their paths, those of
/// the others after `optimizer.`, each once.
using Variables = std::map<std::string, PlacePtr>;

Variables variables_of(const GivenArgument& models) {
  auto* list = models.value.as<ListPtr>();
  if (!list) fail(Kind::type_mismatch, models.span, "expected a list of models, found {}", describe(models.value));
  Variables variables;
  std::unordered_set<const Place*> seen;
  for (size_t i = 0; i < (*list)->items.size(); ++i) {
    for (const bool trainable : {true, false}) {
      for (const PlacePtr& place : places_of((*list)->items[i], trainable)) {
        if (!seen.insert(place.get()).second) continue;
        const std::string name = (i == 0 ? "" : "optimizer.") + place->path;
        if (!variables.emplace(name, place).second) fail(Kind::bad_value, models.span, "two variables would have the name `{}` in the file", name);
      }
    }
  }
  return variables;
}

/// Writes tensors under their names, each rank what it holds; `then` is called on rank 0 when the file is there.
void write_tensors(Evaluator& evaluator, const std::string& path, const std::map<std::string, Value>& tensors, std::map<std::string, std::string> metadata, Span span,
                   const std::function<void()>& then = {}) {
  SafetensorsHeader header;
  header.metadata = std::move(metadata);
  header.metadata["format"] = "mtf";
  for (const auto& [name, value] : tensors) {
    header.tensors[name] = {safetensors_type(value.element()), sizes_of(value.dims()), 0, 0};
    header.metadata["dims:" + name] = dims_text(value.dims());
  }
  const std::string begins = lay_out_safetensors(header);
  Engine& engine = *evaluator.engine();
  std::optional<FileInTheMaking> made;
  on_rank_0(evaluator, span, [&] {
    made.emplace(path, header.file_size);
    made->file().write(0, std::as_bytes(std::span(begins)));
  });
  const std::string partial = engine.broadcast(made ? made->file().path() : std::string(), span);
  on_every_rank(evaluator, span, [&] {
    const PositionedFile file = PositionedFile::to_write(partial);
    for (const auto& [name, value] : tensors) engine.store(value, file, header.tensors.at(name).begin);
    file.synchronize();
  });
  on_rank_0(evaluator, span, [&] {
    made->take_place();
    if (then) then();
  });
}

/// save_checkpoint(folder, models, step, keep).
HostValue save_checkpoint(Evaluator& evaluator, Arguments& arguments) {
  auto given = match_arguments(arguments, {"folder", "models", "step", "keep"}, "save_checkpoint(folder, models, step, keep)");
  if (given[1]->value.is_unknown()) return None{};
  const Variables variables = variables_of(*given[1]);
  const auto step = evaluator.convert.to_int(given[2]->value, given[2]->span, "a step");
  const auto keep = evaluator.convert.to_int(given[3]->value, given[3]->span, "how many to keep");
  std::map<std::string, Value> tensors;
  Values values;
  for (const auto& [name, place] : variables) values.push_back(tensors[name] = place->current.value());
  evaluator.cuts.cut(values, arguments.span);
  if (evaluator.domain.is_abstract()) return None{};
  if (*step < 0) fail(Kind::bad_value, given[2]->span, "expected a step of 0 or more, found {}", *step);

  const std::string folder = string_of(*given[0], "a folder");
  const Context& context = evaluator.builder.context;
  const std::map<std::string, std::string> metadata = {
      {"step", std::to_string(*step)}, {"seed", fmt::format("{}", context.seed)}, {"random_calls", fmt::format("{}", context.random_calls)}};
  write_tensors(evaluator, file_of(folder, *step), tensors, metadata, arguments.span, [&] {
    const std::vector<int64_t> steps = steps_in(folder);
    for (size_t i = 0; *keep > 0 && i < steps.size(); ++i)
      if (i >= static_cast<size_t>(*keep) && steps[i] != *step) std::filesystem::remove(file_of(folder, steps[i]));
  });
  return None{};
}

/// write_safetensors(path, names, tensors).
HostValue write_safetensors(Evaluator& evaluator, Arguments& arguments) {
  auto given = match_arguments(arguments, {"path", "names", "tensors"}, "write_safetensors(path, names, tensors)");
  for (auto* argument : given)
    if (argument->value.is_unknown()) return None{};
  const std::string path = string_of(*given[0]);
  auto *names = given[1]->value.as<ListPtr>(), *values = given[2]->value.as<ListPtr>();
  for (int i : {1, 2})
    if (!given[i]->value.is<ListPtr>()) fail(Kind::type_mismatch, given[i]->span, "expected a list, found {}", describe(given[i]->value));
  if ((*names)->items.size() != (*values)->items.size()) {
    fail(Kind::bad_value, given[2]->span, "expected {} tensors, as many as names, found {}", (*names)->items.size(), (*values)->items.size());
  }
  std::map<std::string, Value> tensors;
  Values needed;
  for (size_t i = 0; i < (*names)->items.size(); ++i) {
    auto* name = (*names)->items[i].as<Text>();
    if (!name) fail(Kind::type_mismatch, given[1]->span, "expected names as strings, found {} in it", describe((*names)->items[i]));
    needed.push_back(evaluator.convert.to_tensor((*values)->items[i], given[2]->span));
    if (!tensors.emplace(**name, needed.back()).second) fail(Kind::bad_value, given[1]->span, "the name `{}` stands twice", **name);
  }
  evaluator.cuts.cut(needed, arguments.span);
  if (!evaluator.domain.is_abstract()) write_tensors(evaluator, path, tensors, {}, arguments.span);
  return None{};
}

/// The number that the metadata says.
double number_in(const SafetensorsHeader& header, const std::string& key, const std::string& path) {
  const auto found = header.metadata.find(key);
  double number = 0;
  const std::string text = found == header.metadata.end() ? "" : found->second;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) fail_bad_file(path, "expected a checkpoint, whose metadata says its `{}`", key);
  return number;
}

/// Fails unless the tensors of a checkpoint are those variables.
void compare(const SafetensorsHeader& header, const Variables& variables, const std::string& path, Span span) {
  auto differs = [&](const std::string& what) { fail(Kind::file_shape_mismatch, span, "{}: {}", path, what); };
  for (const auto& [name, place] : variables) {
    const auto found = header.tensors.find(name);
    if (found == header.tensors.end()) {
      std::vector<std::string> names;
      for (const auto& [other, tensor] : header.tensors) names.push_back(other);
      fail(Diagnostic(Kind::file_shape_mismatch, span, fmt::format("{}: expected {} `{}`, which is not there", path, to_string(place->type), name))
               .related(place->span, "declared here")
               .help(did_you_mean(name, names)));
    }
    const auto dims = header.metadata.find("dims:" + name);
    const std::string stored = dims == header.metadata.end() ? dims_text(place->type.dims) : dims->second;
    if (found->second.sizes != sizes_of(place->type.dims) || found->second.type != safetensors_type(place->type.element) || stored != dims_text(place->type.dims)) {
      fail(Diagnostic(Kind::file_shape_mismatch, span,
                      fmt::format("{}: expected {} for `{}`, found {} of {} for [{}]", path, to_string(place->type), name, found->second.type, to_text(found->second.sizes), stored))
               .related(place->span, "declared here"));
    }
  }
  for (const auto& [name, tensor] : header.tensors)
    if (!variables.contains(name)) differs(fmt::format("no variable is called `{}`, which it has", name));
}

/// load_checkpoint(folder, models): the step of the latest one, or none.
HostValue load_checkpoint(Evaluator& evaluator, Arguments& arguments) {
  auto given = match_arguments(arguments, {"folder", "models"}, "load_checkpoint(folder, models)");
  if (given[0]->value.is_unknown() || given[1]->value.is_unknown()) return unknown(UnknownKind::kInt);
  const std::string folder = string_of(*given[0], "a folder");
  const Variables variables = variables_of(*given[1]);
  const Span span = arguments.span;
  if (evaluator.domain.is_check()) return unknown(UnknownKind::kInt);

  std::string path;
  on_rank_0(evaluator, span, [&] {
    const std::vector<int64_t> steps = steps_in(folder);
    if (!steps.empty()) path = file_of(folder, steps[0]);
  });
  if (!evaluator.domain.is_abstract()) path = evaluator.engine()->broadcast(path, span);
  if (path.empty()) return None{};
  SafetensorsHeader header;
  on_every_rank(evaluator, span, [&] { header = read_safetensors_header(path); });
  compare(header, variables, path, span);
  double step = 0, seed = 0, random_calls = 0;
  on_every_rank(evaluator, span, [&] {
    step = number_in(header, "step", path);
    seed = number_in(header, "seed", path);
    random_calls = number_in(header, "random_calls", path);
  });
  std::vector<Value> loaded;
  on_every_rank(evaluator, span, [&] {
    const PositionedFile file = PositionedFile::to_read(path);
    for (const auto& [name, place] : variables) {
      evaluator.builder.span = span;
      loaded.push_back(evaluator.builder.constant(place->type, place->stored));
      evaluator.engine()->load(*loaded.back().node, file, header.tensors.at(name).begin);
    }
  });
  size_t i = 0;
  for (const auto& [name, place] : variables) evaluator.variables.assign(place, Handle(loaded[i++]), span, span);
  evaluator.builder.context.seed = seed;
  evaluator.builder.context.random_calls = random_calls;
  return static_cast<int64_t>(step);
}

/// safetensor(path, name, dims): one tensor of a file.
HostValue safetensor(Evaluator& evaluator, Arguments& arguments) {
  auto given = match_arguments(arguments, {"path", "name", "dims"}, "safetensor(path, name, dims)");
  for (auto* argument : given)
    if (argument->value.is_unknown()) return unknown(UnknownKind::kAny);
  const std::string path = string_of(*given[0], "the path of a file"), name = string_of(*given[1], "a name");
  ElementArray data;
  const bool found = on_rank_0(evaluator, arguments.span, [&] {
    const SafetensorsHeader header = read_safetensors_header(path);
    const auto tensor = header.tensors.find(name);
    if (tensor == header.tensors.end()) {
      std::vector<std::string> names;
      for (const auto& [other, ignored] : header.tensors) names.push_back(other);
      const std::string help = did_you_mean(name, names);
      fail_bad_file(path, "it has no tensor `{}`{}{}", printable(name), help.empty() ? "" : "; ", printable(help));
    }
    if (evaluator.domain.is_abstract()) data = {tensor->second.sizes, element_type_of(path, tensor->second), {}};
    else data = read_safetensor(path, tensor->second, memory_for_data(evaluator));
  });
  if (!found) return unknown(UnknownKind::kAny);
  if (!evaluator.domain.is_abstract()) share_array(evaluator, data, arguments.span);
  return constant_of(evaluator, std::move(data), *given[2], path, arguments.span);
}

/// safetensor_names(path): a list of the names of a file's tensors, in alphabetical order.
HostValue safetensor_names(Evaluator& evaluator, Arguments& arguments) {
  auto given = match_arguments(arguments, {"path"}, "safetensor_names(path)");
  if (given[0]->value.is_unknown() || evaluator.domain.is_check()) return unknown(UnknownKind::kAny);
  const std::string path = string_of(*given[0], "the path of a file");
  std::vector<HostValue> names;
  SafetensorsHeader header;
  on_every_rank(evaluator, arguments.span, [&] { header = read_safetensors_header(path); });
  for (const auto& [name, tensor] : header.tensors) names.push_back(make_text(name));
  return make_list(std::move(names));
}

}  // namespace

void register_checkpoint(Scope& scope) {
  add_builtin(scope, "save_checkpoint", "save_checkpoint(folder, models, step, keep)", save_checkpoint);
  add_builtin(scope, "load_checkpoint", "load_checkpoint(folder, models)", load_checkpoint);
  add_builtin(scope, "write_safetensors", "write_safetensors(path, names, tensors)", write_safetensors);
  add_builtin(scope, "safetensor", "safetensor(path, name, dims)", safetensor);
  add_builtin(scope, "safetensor_names", "safetensor_names(path)", safetensor_names);
}

}  // namespace mtf
