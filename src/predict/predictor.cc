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

void to_log(const Estimates& estimates, std::vector<double>& centre, std::vector<double>& spread) {
  for (size_t i = 0; i < estimates.mean.size(); ++i) {
    centre.push_back(std::log(estimates.mean[i]));
    spread.push_back(log_spread(estimates, i));
  }
}

}  // namespace

Result<Draws> Predictor::draw(const Space& space, size_t count, uint64_t seed) const {
  FLYBALL_ASSIGN(const Prediction told, predict(space));
  return Draws{count, shifted(told.minibatch_ms, count, Random(mix_seed(seed, 1))),
               shifted(told.power_w, count, Random(mix_seed(seed, 2)))};
}

Posterior posterior_from(const Prediction& told) {
  Posterior posterior;
  to_log(told.minibatch_ms, posterior.log_ms, posterior.sd_ms);
  to_log(told.power_w, posterior.log_w, posterior.sd_w);
  return posterior;
}

Result<Posterior> Predictor::posterior(const Space& space, uint64_t /*seed*/) const {
  FLYBALL_ASSIGN(const Prediction told, predict(space));
  return posterior_from(told);
}

}  // namespace flyball
