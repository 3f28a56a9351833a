#include "schedule/serving/serve_request.h"

#include <fmt/format.h>

#include <algorithm>

namespace flyball {

std::vector<double> ServeRequest::planned_rates_hz() const {
  std::vector<double> rates_hz;
  for (const ArrivalSpec& spec : arrivals) rates_hz.push_back(spec.first_rate_hz());
  return rates_hz;
}

bool ServeRequest::rates_known() const {
  return std::ranges::all_of(planned_rates_hz(), [](double rate_hz) { return rate_hz > 0; });
}

Status ServeRequest::check() const {
  if (!checkpoints.empty() && train.size() == 2 && train[0] == train[1])
    return Error{Code::invalid_argument, fmt::format("{} is trained twice", train[0]),
                 "one file would keep both: train it once, or give --no-checkpoint"};
  if (!promote) return {};
  if (checkpoints.empty())
    return Error{Code::invalid_argument, "--promote serves what checkpoints hold",
                 "leave --no-checkpoint out"};
  for (const std::string& name : infer)
    if (std::ranges::find(train, name) != train.end()) return {};
  return Error{Code::invalid_argument, "--promote: no network is both served and trained",
               "name the same network with --infer and --train"};
}

std::filesystem::path ServeRequest::checkpoint_of(const std::string& workload,
                                                  const std::string& key) const {
  if (checkpoints.empty()) return {};
  return checkpoints / (workload + (shared_checkpoints ? "-" + key : "") + ".ckpt");
}

}  // namespace flyball
