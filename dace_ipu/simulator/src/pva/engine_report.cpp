// Engine::getReport: here, and not in libpoplar, which must not need libpva.
#include <poplar/Engine.hpp>
#include <pva/pva.hpp>

// What was not executed counts no cycles, so that there is nothing to leave out without `reportExecution`.
pva::Report poplar::Engine::getReport(bool) const {
  const auto profile = std::make_shared<const ProfileValue>(getProfile());
  return {profile, *profile};
}
