#include "predict/predictor.h"

#include <cmath>

#include "base/random.h"
#include "predict/interval.h"

namespace flyball {
namespace {

std::vector<float> shifted(const Estimates& estimates, size_t count, Random random) {
  std::vector<double> normals(count);
  for (double& value : normals) value = random.normal();
  std::vector<float> logs;
  logs.reserve(estimates.mean.size() * count);
  for (size_t i = 0; i < estimates.mean.size(); ++i) {
    const double centre = std::log(estimates.mean[i]), sd = log_spread(estimates, i);
    for (double normal : normals) logs.push_back(static_cast<float>(centre + sd * normal));
  }
  return logs;
}

void add_logs(const Estimates& estimates, std::vector<float>& centre, std::vector<float>& sd) {
  for (size_t i = 0; i < estimates.mean.size(); ++i) {
    centre.push_back(static_cast<float>(std::log(estimates.mean[i])));
    sd.push_back(static_cast<float>(log_spread(estimates, i)));
  }
}

}  // namespace

Result<Draws> Predictor::draw(const Space& space, size_t count, uint64_t seed) const {
  FLYBALL_ASSIGN(const Prediction told, predict(space));
  return Draws{count, shifted(told.minibatch_ms, count, Random(mix_seed(seed, 1))),
               shifted(told.power_w, count, Random(mix_seed(seed, 2)))};
}

Result<Worlds> Predictor::worlds(const Space& space, size_t /*count*/, uint64_t /*seed*/) const {
  FLYBALL_ASSIGN(const Prediction told, predict(space));
  Worlds one{1, {}, {}, {}, {}};
  add_logs(told.minibatch_ms, one.log_ms, one.sd_ms);
  add_logs(told.power_w, one.log_w, one.sd_w);
  return one;
}

}  // namespace flyball
