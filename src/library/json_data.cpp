// data.json: the values of a JSON file.
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>

#include "eval/scope.h"
#include "io/json_object.h"
#include "library/files.h"
#include "library/functions.h"
#include "support/diagnostics.h"

namespace mtf::library {
namespace {

using Json = nlohmann::json;

eval::HostValue value_of_json(const std::shared_ptr<const Json>& file, const Json& json);

/// A JSON object as a value. Its names are attributes. `get` reads a name that may be missing, or that is no
/// identifier. A part called `get` or `names` is read by `get` as well.
class JsonObject : public eval::Object, public std::enable_shared_from_this<JsonObject> {
 public:
  /// `json` is a part of `file`, or null if a check does not find the file.
  JsonObject(std::shared_ptr<const Json> file, const Json* json) : file_(std::move(file)), json_(json) {}
  std::string_view kind() const override { return "a JSON object"; }
  std::string print() const override { return json_ ? json_->dump() : "a JSON object"; }
  std::optional<int64_t> length() const override { return json_ ? static_cast<int64_t>(json_->size()) : -1; }

  std::vector<std::string> attributes() const override {
    std::vector<std::string> names = {"get", "names"};
    if (json_)
      for (const auto& [name, part] : json_->items())
        if (name != "get" && name != "names") names.push_back(name);
    return names;
  }

  std::optional<eval::HostValue> attribute(Name name) override {
    if (name.text() == "names") return names();
    static const syntax::Signature kGet = "get(name: string, default) -> value";
    if (name.text() == "get") {
      return eval::host_function(
          kGet, "", eval::Effects::kNone, [self = shared_from_this()](eval::Caller&, const eval::Bound& call) {
            if (!self->json_) return unknown(eval::UnknownKind::kAny);
            const auto part = self->json_->find(call.text(0));
            return part == self->json_->end() ? call.value(1) : value_of_json(self->file_, *part);
          });
    }
    if (!json_) return unknown(eval::UnknownKind::kAny);
    const auto part = json_->find(name.text());
    return part == json_->end() ? std::nullopt : std::optional(value_of_json(file_, *part));
  }

 private:
  eval::HostValue names() const {
    if (!json_) return unknown(eval::UnknownKind::kAny);
    std::vector<eval::HostValue> names;
    for (const auto& [name, part] : json_->items()) names.push_back(eval::make_text(name));
    return eval::make_list(std::move(names));
  }

  std::shared_ptr<const Json> file_;
  const Json* json_;
};

/// Returns a part of a file as a value: `none`, a bool, a number, a string, a list or an object. A whole number beyond
/// 64 bits becomes a float.
eval::HostValue value_of_json(const std::shared_ptr<const Json>& file, const Json& json) {
  switch (json.type()) {
    case Json::value_t::boolean: return json.get<bool>();
    case Json::value_t::number_integer: return json.get<int64_t>();
    case Json::value_t::number_unsigned:
      if (json.get<uint64_t>() <= static_cast<uint64_t>(INT64_MAX)) return json.get<int64_t>();
      return json.get<double>();
    case Json::value_t::number_float: return json.get<double>();
    case Json::value_t::string: return eval::make_text(json.get<std::string>());
    case Json::value_t::array: {
      std::vector<eval::HostValue> items;
      for (const Json& item : json) items.push_back(value_of_json(file, item));
      return eval::make_list(std::move(items));
    }
    case Json::value_t::object: return eval::ObjectPtr(std::make_shared<JsonObject>(file, &json));
    default: return eval::None{};
  }
}

/// json(path): the values of a file. Its numbers fix shapes, so a check reads it too.
eval::HostValue json(eval::Caller& caller, const eval::Bound& call) {
  const std::string& path = call.text(0);
  const auto parsed = [&](const std::string& text) { return io::parse_json(text, path, "the file"); };
  const auto text = shared_content(caller, path, call.span(), parsed);
  if (!text) return eval::ObjectPtr(std::make_shared<JsonObject>(nullptr, nullptr));
  const auto file = std::make_shared<const Json>(parsed(*text));
  return value_of_json(file, *file);
}

}  // namespace

std::vector<eval::HostFunction> json_functions() {
  return {{"json(path: string) -> value", "", eval::Effects::kReads, json}};
}

}  // namespace mtf::library
