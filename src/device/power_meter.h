// Power of a live trial: from when it has settled, over sensor updates that are really new.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "space/measurement.h"

namespace flyball {

class PowerMeter {
 public:
  virtual ~PowerMeter() = default;
  /// Which total it measures; "" when there is none.
  virtual std::string total() const = 0;
  /// Why power is not available, with the remedy; "" when it is.
  virtual std::string gap() const = 0;
  /// A trial begins: forget what was before. Errors: sampling does not start.
  virtual Status begin() = 0;
  /// Has power settled since begin()? Always true without a sensor.
  virtual bool settled() = 0;
  /// The counted window begins now.
  virtual void count() = 0;
  /// Distinct sensor updates in the counted window; as many as wanted without a sensor.
  virtual int updates() = 0;
  /// The power of the counted window so far; the next one is counted from here on.
  virtual Result<PowerReading> lap() = 0;
  /// Ends the trial and gives the power of the counted window.
  virtual Result<PowerReading> end() = 0;
  /// What slowed the machine down since count(), in all laps, after end(); empty when nothing did,
  /// and nothing where no sensor has told.
  virtual std::optional<std::vector<std::string>> throttling() const { return {}; }
};

/// Distinct updates that a trial's power needs.
inline constexpr int power_updates_wanted = 10;

/// The machine's own sensors for a network that computes on `compute` (total_where()), or
/// make_no_power() where none measures a total. `gpu`: the identifier of the only GPU that counts.
std::unique_ptr<PowerMeter> open_power_meter(const std::filesystem::path& root = "/",
                                             const std::string& compute = "cpu",
                                             const std::string& gpu = "");

/// A machine without a power sensor.
std::unique_ptr<PowerMeter> make_no_power(const std::string& gap);

/// What asks for power is refused where there is a gap (PowerMeter::gap()).
Status check_power(const std::string& gap);

}  // namespace flyball
