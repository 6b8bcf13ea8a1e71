#include "cost/machine.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "ops/registry.h"
#include "spmd/collectives.h"
#include "spmd/pipeline.h"
#include "support/diagnostics.h"
#include "support/library_files.h"
#include "support/source.h"
#include "support/text.h"

namespace mtf::cost {
namespace {

using Json = nlohmann::ordered_json;

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  [[noreturn]] void fail_at(const std::string& what) const { fail(Kind::bad_file_format, {}, "{}: {}", file_, what); }

  /// Calls `take(name, value)` for each member. Fails if `take` returns false for a member.
  template <typename Take>
  void members(const Json& object, const std::string& where, Take take) const {
    if (!object.is_object()) fail_at(fmt::format("expected an object as {}, found {}", where, object.dump()));
    for (const auto& [name, value] : object.items())
      if (!take(name, value)) fail_at(fmt::format("{} has no `{}`", where, name));
  }

  double positive(const std::string& name, const Json& value) const {
    if (!value.is_number() || !(value.get<double>() > 0))
      fail_at(fmt::format("expected a number above 0 for `{}`, found {}", name, value.dump()));
    return value.get<double>();
  }

  double slowdown(const std::string& name, const Json& value) const {
    if (!value.is_number() || !(value.get<double>() >= 1))
      fail_at(fmt::format("expected a number from 1 on for `{}`, found {}", name, value.dump()));
    return value.get<double>();
  }

  double part(const std::string& name, const Json& value) const {
    if (!value.is_number() || !(value.get<double>() >= 0 && value.get<double>() <= 1))
      fail_at(fmt::format("expected a number from 0 to 1 for `{}`, found {}", name, value.dump()));
    return value.get<double>();
  }

  Rates rates(const std::string& where, const Json& value) const {
    Rates rates;
    members(value, where, [&](const std::string& element, const Json& rate) {
      const std::optional<ElementType> type = parse_element_type(element);
      if (type) rates[*type] = positive(element, rate);
      return type.has_value();
    });
    if (rates.empty()) fail_at(where + " names no element type");
    return rates;
  }

  int64_t count(const std::string& name, const Json& value) const {
    const double number = positive(name, value);
    if (number != std::floor(number) || number > 1e6)
      fail_at(fmt::format("expected a whole number up to 1,000,000 for `{}`, found {}", name, value.dump()));
    return static_cast<int64_t>(number);
  }

  bool link(const std::string& name, const Json& value, Link& link) const {
    if (name == "latency") link.latency = positive(name, value);
    else if (name == "bandwidth") link.bandwidth = positive(name, value);
    else return false;
    return true;
  }

 private:
  const std::string& file_;
};

}  // namespace

double MachineModel::rate(const Rates& rates, ElementType element) {
  auto at = rates.find(element);
  if (at == rates.end()) at = rates.find(ElementType::kF32);
  return at == rates.end() ? rates.begin()->second : at->second;
}

std::optional<double> MachineModel::rate_of(const std::string& operation, const std::string& kind,
                                            ElementType element) const {
  for (const std::string& name : {operation, kind})
    if (const auto at = rates.find(name); at != rates.end()) return rate(at->second, element);
  return std::nullopt;
}

Link MachineModel::over(const Mesh& mesh, AxisSet set, spmd::CollectiveKind kind) const {
  const auto special = collectives.find(kind);
  const Link& usual = special == collectives.end() ? link : special->second;
  Link slowest{0, std::numeric_limits<double>::infinity()};
  // The processors of a group, and those of them in one node. `stride` is the distance of neighbours along the axis.
  const auto processors = [&](int axis) { return spmd::processors_along(mesh, axis); };
  int64_t group = 1, together = 1, stride = 1;
  for (int axis = 0; axis < mesh.order(); ++axis) stride *= processors(axis);
  for (int axis = 0; axis < mesh.order(); ++axis) {
    stride /= processors(axis);
    if (!(set & axis_bit(axis))) continue;
    group *= mesh.axis_size(axis);
    together *= std::clamp<int64_t>(node / stride, 1, mesh.axis_size(axis));
    const auto at = axes.find(mesh.axes()[axis].name.str());
    const Link& each = at == axes.end() ? usual : at->second;
    slowest.latency = std::max(slowest.latency, each.latency);
    slowest.bandwidth = std::min(slowest.bandwidth, each.bandwidth);
  }
  return node == 0 || group == together ? slowest : between_nodes(slowest, kind, group, together);
}

Link MachineModel::between_nodes(const Link& inside, spmd::CollectiveKind kind, int64_t group, int64_t together) const {
  const auto n = static_cast<double>(group), k = static_cast<double>(together);
  Link link{std::max(inside.latency, between.latency), between.bandwidth};
  switch (kind) {
    case spmd::CollectiveKind::kPermute: break;
    case spmd::CollectiveKind::kAllToAll:
      link.bandwidth = (n - 1) / ((n - k) / between.bandwidth + (k - 1) / inside.bandwidth);
      break;
    case spmd::CollectiveKind::kAllReduce:
    case spmd::CollectiveKind::kReduceScatter:
    case spmd::CollectiveKind::kAllGather:
      // A ring goes through all processors of a node before it leaves the node; each processor begins a ring of its
      // own.
      link.bandwidth = std::min(inside.bandwidth, k * between.bandwidth);
  }
  return link;
}

MachineModel parse_machine(const std::string& text, const std::string& file) {
  const Reader read(file);
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) read.fail_at("this is no JSON");
  MachineModel machine;
  if (json.is_object() && json.contains("like") && json["like"].is_string())
    machine = read_machine(json["like"].get<std::string>());
  machine.name = file;
  const Json *axes = nullptr, *collectives = nullptr;
  std::map<std::string, const Json*> later;
  read.members(json, "a machine", [&](const std::string& name, const Json& value) {
    if (name == "like" && value.is_string()) return true;
    if (name == "name" && value.is_string()) machine.name = value.get<std::string>();
    else if (name == "memory_bandwidth") machine.memory_bandwidth = read.positive(name, value);
    else if (name == "cache") machine.cache = read.positive(name, value);
    else if (name == "cache_bandwidth") machine.cache_bandwidth = read.positive(name, value);
    else if (name == "narrow") machine.narrow = read.positive(name, value);
    else if (name == "ramp") machine.ramp = read.positive(name, value);
    else if (name == "unaligned") machine.unaligned = read.slowdown(name, value);
    else if (name == "step") machine.step = read.positive(name, value);
    else if (name == "host") machine.host = read.positive(name, value);
    else if (name == "overlap") machine.overlap = read.part(name, value);
    else if (name == "fuses" && value.is_boolean()) machine.fuses = value.get<bool>();
    else if (name == "stores_scores" && value.is_boolean()) machine.stores_scores = value.get<bool>();
    else if (name == "node") machine.node = read.count(name, value);
    else if (name == "peak") machine.peak = read.rates("`peak`", value);
    else if (name == "between" || name == "sources") later[name] = &value;
    else if (name == "memory") machine.memory = static_cast<int64_t>(std::min(read.positive(name, value), 9e18));
    else if (name == "axes") axes = &value;
    else if (name == "collectives") collectives = &value;
    else if (name == "flops") machine.flops = read.rates("`flops`", value);
    else if (name == "rates") {
      read.members(value, "`rates`", [&](const std::string& kind, const Json& rates) {
        if (kind != "elementwise" && kind != "reduction" && kind != "moving" && !ops::find_op(kind)) return false;
        machine.rates[kind] = read.rates(code(kind), rates);
        return true;
      });
    } else return read.link(name, value, machine.link);
    return true;
  });
  if (machine.node == 0 || later["between"]) machine.between = machine.link;
  if (later["between"])
    read.members(*later["between"], "`between`",
                 [&](const std::string& name, const Json& value) { return read.link(name, value, machine.between); });
  if (later["sources"])
    read.members(*later["sources"], "`sources`", [&](const std::string& name, const Json& value) {
      if (!json.contains(name)) read.fail_at(fmt::format("`sources` has {}, which the file has not", code(name)));
      machine.sources[name] = value.is_string() ? value.get<std::string>() : value.dump();
      return true;
    });
  const auto links = [&](const Json* of, const std::string& what,
                         const std::function<Link*(const std::string&)>& place) {
    if (!of) return;
    read.members(*of, what, [&](const std::string& each, const Json& value) {
      Link* const link = place(each);
      if (!link) return false;
      *link = machine.link;
      read.members(value, code(each),
                   [&](const std::string& name, const Json& number) { return read.link(name, number, *link); });
      return true;
    });
  };
  links(collectives, "`collectives`", [&](const std::string& each) -> Link* {
    for (int kind = 0; kind < spmd::kCollectiveKinds; ++kind)
      if (name(static_cast<spmd::CollectiveKind>(kind)) == each)
        return &machine.collectives[static_cast<spmd::CollectiveKind>(kind)];
    return nullptr;
  });
  links(axes, "`axes`", [&](const std::string& each) { return &machine.axes[each]; });
  return machine;
}

std::string to_json(const MachineModel& machine) {
  const auto rates = [](const Rates& of) {
    Json json;
    for (const auto& [element, rate] : of) json[std::string(name(element))] = rate;
    return json;
  };
  const auto link = [](const Link& of) { return Json{{"latency", of.latency}, {"bandwidth", of.bandwidth}}; };
  Json json;
  json["name"] = machine.name;
  json["flops"] = rates(machine.flops);
  for (const auto& [kind, of] : machine.rates) json["rates"][kind] = rates(of);
  if (machine.narrow > 0) json["narrow"] = machine.narrow;
  if (machine.ramp > 0) json["ramp"] = machine.ramp;
  if (machine.unaligned > 1) json["unaligned"] = machine.unaligned;
  json["memory_bandwidth"] = machine.memory_bandwidth;
  if (machine.cache > 0) json["cache"] = machine.cache;
  if (machine.cache_bandwidth > 0) json["cache_bandwidth"] = machine.cache_bandwidth;
  json["step"] = machine.step;
  if (machine.host > 0) json["host"] = machine.host;
  if (machine.overlap > 0) json["overlap"] = machine.overlap;
  if (!machine.fuses) json["fuses"] = false;
  if (machine.stores_scores) json["stores_scores"] = true;
  if (machine.memory) json["memory"] = *machine.memory;
  json["latency"] = machine.link.latency;
  json["bandwidth"] = machine.link.bandwidth;
  if (machine.node > 0) json["node"] = machine.node, json["between"] = link(machine.between);
  if (!machine.peak.empty()) json["peak"] = rates(machine.peak);
  for (const auto& [kind, of] : machine.collectives) json["collectives"][std::string(name(kind))] = link(of);
  for (const auto& [axis, of] : machine.axes) json["axes"][axis] = link(of);
  for (const auto& [part, source] : machine.sources) json["sources"][part] = source;
  return json.dump(2) + "\n";
}

namespace {

std::string file_of(const std::string& name) { return "machines/" + name + ".json"; }

}  // namespace

std::vector<std::string> known_machines() {
  std::vector<std::string> names;
  for (const BuiltInFile& file : built_in_files())
    if (std::string_view name = file.name; name.starts_with("machines/")) {
      name.remove_prefix(std::string_view("machines/").size());
      names.emplace_back(name.substr(0, name.find('.')));
    }
  return names;
}

std::optional<std::string> known_machine_text(const std::string& name) {
  const LibraryFiles files("");
  return files.has(file_of(name)) ? std::optional(files.read(file_of(name))->text()) : std::nullopt;
}

MachineModel read_machine(const std::string& name) {
  if (const std::optional<std::string> known = known_machine_text(name)) return parse_machine(*known, name);
  if (!std::filesystem::exists(name) && name.find_first_of("./") == std::string::npos)
    fail(Diagnostic(Kind::file_not_found, {}, fmt::format("there is neither a file nor a machine {}", quote(name)))
             .help("the machines that are known: " + join(known_machines(), ", ")));
  return parse_machine(SourceFile::read(name)->text(), name);
}

}  // namespace mtf::cost
