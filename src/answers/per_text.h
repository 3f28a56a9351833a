// What the figures of an answer are per, as a person reads it.
#pragma once

#include <string>

#include "answers/tune_result.h"

namespace flyball {

/// The condition of a trial that counts something else than minibatches: what it counts.
inline constexpr const char* counted_condition = "counted";
/// The condition that says which figure of a load such a trial's time is.
inline constexpr const char* figure_condition = "figure";

/// per_name(), or of a server under load what a trial counts: "request", "token".
std::string per_text(const TuneResult& result);
/// What a trial of this profiler counts instead of minibatches; "" of all but servers.
std::string counted_by(const ProfilerInfo& info);
/// The figure of its load that a server's trials have as their time, such as "ttft"; "" of all
/// others.
std::string served_figure(const ProfilerInfo& info);
/// Is that time one from request to request (or token), so that times power it is the energy of
/// one? A latency is not: requests overlap. Of all but servers it is.
bool tells_energy(const ProfilerInfo& info);
/// "time", or the latency that stands for it.
std::string time_name(const ProfilerInfo& info);

}  // namespace flyball
