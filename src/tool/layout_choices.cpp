#include "tool/layout_choices.h"

#include <charconv>
#include <ostream>

#include "support/diagnostics.h"
#include "tool/launch.h"

namespace mtf::tool {

PlannedScript planned(const Script& script, const Settings& settings, std::shared_ptr<ProgramRecord> record) {
  EngineOptions options;
  options.dry = true;
  options.record = record;
  static std::ostream nowhere(nullptr);
  PlannedScript planned;
  planned.record = std::move(record);
  planned.engine = std::make_unique<Engine>(options);
  planned.session = std::make_unique<Session>(settings, planned.engine.get(), nowhere);
  planned.session->run_text(script.name, script.text);
  return planned;
}

std::optional<PlannedScript> plan_once(const Script& script, const Settings& settings, int& status) {
  const Diagnostics found = Session::check_text(script.name, script.text, settings);
  if (!found.empty()) report(found);
  status = found.has_errors() ? static_cast<int>(found.exit_code()) : 0;
  if (found.has_errors()) return std::nullopt;
  return planned(script, settings, std::make_shared<ProgramRecord>());
}

std::optional<ShortForms> short_forms(const Script& script, const Settings& settings, const ProgramRecord& whole, const MachineModel& machine) {
  constexpr int64_t kFewestLayers = 8;  // with fewer, the whole is no longer
  for (size_t i = 0; i < settings.set.size(); ++i) {
    const std::string& text = settings.set[i].second;
    int64_t layers = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), layers);
    if (error != std::errc() || end != text.data() + text.size() || layers < kFewestLayers) continue;
    auto with = [&](int64_t number) {
      Settings shorter = settings;
      shorter.set[i].second = std::to_string(number);
      return planned(script, shorter, std::make_shared<ProgramRecord>());
    };
    try {
      PlannedScript few = with(RepeatedCosts::kFew), more = with(RepeatedCosts::kMore);
      const RepeatedCosts costs(LayoutCosts(few.record, machine), LayoutCosts(more.record, machine), layers);
      if (costs.stand_for(whole)) return ShortForms{std::move(few), std::move(more), settings.set[i].first, costs};
    } catch (const UserError&) {  // it does not work with so few of what this option counts
    }
  }
  return std::nullopt;
}

int64_t planned_peak(const Script& script, Settings settings, const MeshPtr& mesh, const LayoutPtr& rules) {
  if (mesh) settings.mesh = mesh->axes();
  if (rules) settings.layout = rules->rules;
  return planned(script, settings, nullptr).engine->counters().peak_bytes;
}

std::string estimate_note(const LayoutCosts& costs) {
  return costs.is_estimate() ? "(an estimate: not every turn of the loops was walked, or only the run knows how many there are)\n" : "";
}

MeshPtr mesh_option(const std::string& text) {
  ProgramOptions options;
  options.mesh = text;
  return std::make_shared<const Mesh>(Name("mesh"), *settings_of(options, 1).mesh);
}

LayoutPtr layout_option(const std::string& text) {
  ProgramOptions options;
  options.layout = text;
  return std::make_shared<const Layout>(Layout{Name(), *settings_of(options, 1).layout, {}});
}

MachineModel machine_option(const std::string& file) { return file.empty() ? MachineModel() : parse_machine(read_script(file).text, file); }

}  // namespace mtf::tool
