#include "predict/gp/moments.h"

#include <algorithm>
#include <cmath>

#include "base/distributions.h"

namespace flyball {

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
