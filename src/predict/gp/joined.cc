#include "predict/gp/joined.h"

#include <algorithm>
#include <cmath>

#include "base/distributions.h"

namespace flyball {

void join(Vector& mean, Vector& variance, const Estimates& cost) {
  for (Index i = 0; i < mean.size(); ++i) {
    const auto k = static_cast<size_t>(i);
    if (!(cost.mean[k] > 0)) continue;
    const double told = std::log(cost.mean[k]);
    const double other = std::pow(std::log(cost.hi90[k] / cost.mean[k]) / z90, 2);
    const double weight = other / (variance[i] + other), apart = mean[i] - told;
    mean[i] = weight * mean[i] + (1 - weight) * told;
    variance[i] = weight * variance[i] + weight * (1 - weight) * apart * apart;
  }
}

void Moments::add(const Vector& mean, const Vector& variance) {
  if (count_ == 0) first_ = mean;
  const Vector off = mean - first_;
  sum_ += off;
  squares_ += off.cwiseAbs2();
  within_ += variance;
  ++count_;
}

std::vector<double> Moments::mean() const {
  const Vector mean = first_ + sum_ / count_;
  return {mean.begin(), mean.end()};
}

std::vector<double> Moments::sd() const {
  const Eigen::ArrayXd between = squares_.array() - sum_.array().square() / count_;
  const Vector sd = (within_.array() / count_ + between.max(0) / std::max(1.0, count_ - 1)).sqrt();
  return {sd.begin(), sd.end()};
}

Estimates estimates(const Vector& mean, const Vector& variance) {
  Estimates result;
  for (Index i = 0; i < mean.size(); ++i) {
    const double reach = z90 * std::sqrt(variance[i]);
    result.mean.push_back(std::exp(mean[i]));
    result.lo90.push_back(std::exp(mean[i] - reach));
    result.hi90.push_back(std::exp(mean[i] + reach));
  }
  return result;
}

void append(Estimates& all, const Estimates& part) {
  all.mean.insert(all.mean.end(), part.mean.begin(), part.mean.end());
  all.lo90.insert(all.lo90.end(), part.lo90.begin(), part.lo90.end());
  all.hi90.insert(all.hi90.end(), part.hi90.begin(), part.hi90.end());
}

}  // namespace flyball
