// Options that are a duration, a power or an energy. Each takes a unit (base/units.h), and what
// fails is refused where the command line is read, with the option's name.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>

#include "base/units.h"

namespace flyball::cli {

/// What a value may be, both ends included, in the SI unit.
struct Bounds {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  std::string words = "";  ///< how they are said: "100ms to 1h"
};

/// More than zero of this unit.
Bounds above_zero(const std::string& unit);

/// `take` is called with each value that is given.
CLI::Option* add_duration(CLI::App& command, const std::string& name,
                          std::function<void(Seconds)> take, const std::string& help,
                          const Bounds& bounds = {});
CLI::Option* add_power(CLI::App& command, const std::string& name, std::function<void(Watts)> take,
                       const std::string& help, const Bounds& bounds = {});
CLI::Option* add_energy(CLI::App& command, const std::string& name,
                        std::function<void(Joules)> take, const std::string& help,
                        const Bounds& bounds = {});
/// At least one byte.
CLI::Option* add_size(CLI::App& command, const std::string& name,
                      std::function<void(uint64_t bytes)> take, const std::string& help);
/// The same for an option that takes several durations.
CLI::Option* add_durations(CLI::App& command, const std::string& name,
                           std::function<void(Seconds)> take, const std::string& help);
/// Several powers, each more than zero.
CLI::Option* add_powers(CLI::App& command, const std::string& name, std::function<void(Watts)> take,
                        const std::string& help);

/// `--trial-time`, 100 ms to 1 h; else usual_trial_s.
CLI::Option* add_trial_time(CLI::App& command, std::optional<double>& seconds);
inline constexpr double usual_trial_s = 10;
/// `--interval` between samples, 1 ms to 1 h.
void add_interval(CLI::App& command, Seconds& interval, const std::string& help);

}  // namespace flyball::cli
