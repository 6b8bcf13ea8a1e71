#include "cost/machine.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "ops/registry.h"
#include "spmd/collectives.h"
#include "support/diagnostics.h"
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
  for (int axis = 0; axis < mesh.order(); ++axis) {
    if (!(set & axis_bit(axis))) continue;
    const auto at = axes.find(mesh.axes()[axis].name.str());
    const Link& each = at == axes.end() ? usual : at->second;
    slowest.latency = std::max(slowest.latency, each.latency);
    slowest.bandwidth = std::min(slowest.bandwidth, each.bandwidth);
  }
  return slowest;
}

MachineModel parse_machine(const std::string& text, const std::string& file) {
  const Reader read(file);
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) read.fail_at("this is no JSON");
  MachineModel machine;
  machine.name = file;
  const Json *axes = nullptr, *collectives = nullptr;
  read.members(json, "a machine", [&](const std::string& name, const Json& value) {
    if (name == "name" && value.is_string()) machine.name = value.get<std::string>();
    else if (name == "memory_bandwidth") machine.memory_bandwidth = read.positive(name, value);
    else if (name == "cache") machine.cache = read.positive(name, value);
    else if (name == "cache_bandwidth") machine.cache_bandwidth = read.positive(name, value);
    else if (name == "narrow") machine.narrow = read.positive(name, value);
    else if (name == "step") machine.step = read.positive(name, value);
    else if (name == "overlap") machine.overlap = read.part(name, value);
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
  json["memory_bandwidth"] = machine.memory_bandwidth;
  if (machine.cache > 0) json["cache"] = machine.cache;
  if (machine.cache_bandwidth > 0) json["cache_bandwidth"] = machine.cache_bandwidth;
  json["step"] = machine.step;
  if (machine.overlap > 0) json["overlap"] = machine.overlap;
  if (machine.memory) json["memory"] = *machine.memory;
  json["latency"] = machine.link.latency;
  json["bandwidth"] = machine.link.bandwidth;
  for (const auto& [kind, of] : machine.collectives) json["collectives"][std::string(name(kind))] = link(of);
  for (const auto& [axis, of] : machine.axes) json["axes"][axis] = link(of);
  return json.dump(2) + "\n";
}

}  // namespace mtf::cost
