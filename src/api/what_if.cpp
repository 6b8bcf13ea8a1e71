#include "api/what_if.h"

#include <utility>

namespace mtf {
namespace {

Settings assumed(Settings settings, const Assumption& assumption) {
  if (assumption.mesh) settings.mesh = assumption.mesh;
  if (assumption.layout) settings.layout = assumption.layout;
  return settings;
}

}  // namespace

WhatIf::WhatIf(const Session& of, Settings settings, const Assumption& assumption,
               std::shared_ptr<ProgramRecord> record)
    : execution_(runtime_, {.record = std::move(record)}),
      session_(assumed(std::move(settings), assumption), &execution_, nowhere_) {
  session_.stand_in(of);
}

}  // namespace mtf
