#include "tool/layout_choices.h"

#include <ostream>

#include "run/dry_runtime.h"
#include "support/diagnostics.h"
#include "tool/launch.h"

namespace mtf::tool {

PlannedScript planned(const Script& script, const Settings& settings, std::shared_ptr<ProgramRecord> record) {
  static std::ostream nowhere(nullptr);
  PlannedScript planned;
  planned.record = std::move(record);
  planned.runtime = std::make_unique<DryRuntime>();
  planned.execution = std::make_unique<Execution>(*planned.runtime, ExecutionOptions{.record = planned.record});
  planned.session = std::make_unique<Session>(settings, planned.execution.get(), nowhere);
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

int64_t planned_peak(const Script& script, Settings settings, const MeshPtr& mesh, const LayoutPtr& rules) {
  if (mesh) settings.mesh = mesh->axes();
  if (rules) settings.layout = rules->rules;
  return planned(script, settings, nullptr).execution->counters().peak_bytes;
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
