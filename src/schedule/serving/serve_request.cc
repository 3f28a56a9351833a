#include "schedule/serving/serve_request.h"

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
  if (!promote) return {};
  if (checkpoints.empty())
    return Error{Code::invalid_argument, "--promote serves what checkpoints hold",
                 "leave --no-checkpoint out"};
  for (const std::string& name : infer)
    if (std::ranges::find(train, name) != train.end()) return {};
  return Error{Code::invalid_argument, "--promote: no network is both served and trained",
               "name the same network with --infer and --train"};
}

std::filesystem::path ServeRequest::checkpoint_of(const std::string& workload) const {
  return checkpoints.empty() ? checkpoints : checkpoints / (workload + ".ckpt");
}

}  // namespace flyball
