// What slowed the machine down: heat, power supply, board.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "telemetry/sampling/trace.h"

namespace flyball {

/// What throttled between two times: heat, power supply, board; from sensors that tell it
/// (SensorInfo::throttling). Empty where all of them say that nothing did; nothing where none
/// tells, or one was not read there and no other one has seen anything.
std::optional<std::vector<std::string>> throttling_between(const std::vector<Trace>& traces,
                                                           int64_t begin_ns, int64_t end_ns);

/// The same of stretches that follow one another.
class ThrottlingSum {
 public:
  void add(const std::optional<std::vector<std::string>>& stretch);
  /// Nothing before the first stretch, or where one is not known and no other has throttled.
  std::optional<std::vector<std::string>> told() const;

 private:
  std::vector<std::string> reasons_;
  bool any_ = false, all_known_ = true;
};

}  // namespace flyball
