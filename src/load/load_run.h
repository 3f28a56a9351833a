// A load in real time: requests sent when they are due, over a bounded number of connections.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "device/power_meter.h"
#include "load/answer_reader.h"
#include "load/load_record.h"
#include "load/load_request.h"
#include "load/target.h"
#include "schedule/arrivals.h"

namespace flyball {

struct LoadOptions {
  LoadTarget target;
  LoadRequest request;
  ArrivalSpec arrivals;
  uint64_t seed = 1;
  double duration_s = 10;  ///< counted, after the warm-up
  double warm_up_s = 1;    ///< load that is not counted
  size_t connections = 256;
  double timeout_s = 60;
  AnswerLimits limits{};
  PowerMeter* meter = nullptr;  ///< of the machine that serves; null: not asked for
  std::string power_gap{};      ///< why not
  const std::atomic<bool>* interrupted = nullptr;
  std::function<void(double share)> progress{};  ///< a few times a second
};

struct LoadRun {
  std::vector<LoadRecord> records;  ///< the warm-up's included
  int64_t from_ns = 0;              ///< requests that were due from here on count
  int64_t until_ns = 0;  ///< the end of the duration, of the arrivals, or when it was stopped
  bool stopped = false;  ///< by `interrupted` …
  size_t left_out = 0;   ///< … when these were under way, or waited
  std::map<LoadOutcome, std::string> examples;  ///< of each kind of failure, the first one
  double client_cpu = 0;  ///< share of one core that sending and reading took …
  size_t most_under_way = 0;
  size_t reopened = 0;  ///< connections that the server closed between requests
  bool reached_limit = false;
  std::optional<PowerReading> power;  ///< … and this, to the last answer
  std::string power_gap;
};

/// Errors: no such host, no connection; `interrupted`, before the load counted.
Result<LoadRun> run_load(const LoadOptions& options);

}  // namespace flyball
