// A trial that begins now, before anything is known of it, and what live trials have in common.
#pragma once

#include <functional>
#include <string>

#include "device/device.h"
#include "device/power_meter.h"
#include "profile/trials/profiler.h"

namespace flyball {

/// A measurement of this trial on the board of `info`, under its conditions.
Measurement begin_measurement(const ProfilerInfo& info, Trial trial);

/// What live trials are of, as device and meter say it; `board`: whose numbers they are.
ProfilerInfo live_info(const DeviceInfo& board, const Device& device, const PowerMeter& meter,
                       const Presets& presets);
/// What mode a default is that compares with the board as it was: "all cores" where it has no other
/// knob, "the mode as it was", or "the mode nearest to the one before".
std::string default_mode_text(const Settings& settings, const Device& device);
/// A live trial, which `run` makes. Its error is why the trial failed, but for one that `ends` the
/// search.
Result<Measurement> live_trial(const ProfilerInfo& info, Trial trial,
                               const std::function<Status(Measurement&)>& run,
                               const std::function<bool(const Error&)>& ends);
/// Can nothing be measured at all of a program that fails so?
bool ends_trials(const Error& error);

}  // namespace flyball
