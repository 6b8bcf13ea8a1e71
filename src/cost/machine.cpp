#include "cost/machine.h"

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>

#include "support/diagnostics.h"
#include "support/text.h"

namespace mtf {
namespace {

using Json = nlohmann::ordered_json;

class Reader {
 public:
  explicit Reader(const std::string& file) : file_(file) {}

  [[noreturn]] void fail_at(const std::string& what) const { fail(Kind::bad_file_format, {}, "{}: {}", file_, what); }

  /// Calls `take(name, value)` for each member; what it does not take is an error.
  template <typename Take>
  void members(const Json& object, const std::string& where, Take take) const {
    if (!object.is_object()) fail_at(fmt::format("expected an object as {}, found {}", where, object.dump()));
    for (const auto& [name, value] : object.items())
      if (!take(name, value)) fail_at(fmt::format("{} has no `{}`", where, name));
  }

  double positive(const std::string& name, const Json& value) const {
    if (!value.is_number() || !(value.get<double>() > 0)) fail_at(fmt::format("expected a number above 0 for `{}`, found {}", name, value.dump()));
    return value.get<double>();
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

double Machine::flops_of(ElementType element) const {
  auto at = flops.find(element);
  if (at == flops.end()) at = flops.find(ElementType::kF32);
  return at == flops.end() ? flops.begin()->second : at->second;
}

Link Machine::over(const Mesh& mesh, AxisSet set) const {
  Link slowest{0, std::numeric_limits<double>::infinity()};
  for (int axis = 0; axis < mesh.order(); ++axis) {
    if (!(set & axis_bit(axis))) continue;
    const auto at = axes.find(mesh.axes()[axis].name.str());
    const Link& each = at == axes.end() ? link : at->second;
    slowest.latency = std::max(slowest.latency, each.latency);
    slowest.bandwidth = std::min(slowest.bandwidth, each.bandwidth);
  }
  return slowest;
}

Machine parse_machine(const std::string& text, const std::string& file) {
  const Reader read(file);
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) read.fail_at("this is no JSON");
  Machine machine;
  machine.name = file;
  const Json* axes = nullptr;
  read.members(json, "a machine", [&](const std::string& name, const Json& value) {
    if (name == "name" && value.is_string()) machine.name = value.get<std::string>();
    else if (name == "memory_bandwidth") machine.memory_bandwidth = read.positive(name, value);
    else if (name == "step") machine.step = read.positive(name, value);
    else if (name == "memory") machine.memory = static_cast<int64_t>(read.positive(name, value));
    else if (name == "axes") axes = &value;
    else if (name == "flops") {
      machine.flops.clear();
      read.members(value, "`flops`", [&](const std::string& element, const Json& rate) {
        const std::optional<ElementType> type = parse_element_type(element);
        if (type) machine.flops[*type] = read.positive(element, rate);
        return type.has_value();
      });
      if (machine.flops.empty()) read.fail_at("`flops` names no element type");
    } else return read.link(name, value, machine.link);
    return true;
  });
  if (axes) {
    read.members(*axes, "`axes`", [&](const std::string& axis, const Json& value) {
      Link& link = machine.axes[axis] = machine.link;
      read.members(value, code(axis), [&](const std::string& name, const Json& number) { return read.link(name, number, link); });
      return true;
    });
  }
  return machine;
}

std::string to_json(const Machine& machine) {
  Json json;
  json["name"] = machine.name;
  for (const auto& [element, rate] : machine.flops) json["flops"][std::string(name(element))] = rate;
  json["memory_bandwidth"] = machine.memory_bandwidth;
  json["step"] = machine.step;
  if (machine.memory) json["memory"] = *machine.memory;
  json["latency"] = machine.link.latency;
  json["bandwidth"] = machine.link.bandwidth;
  for (const auto& [axis, link] : machine.axes) json["axes"][axis] = {{"latency", link.latency}, {"bandwidth", link.bandwidth}};
  return json.dump(2) + "\n";
}

}  // namespace mtf
