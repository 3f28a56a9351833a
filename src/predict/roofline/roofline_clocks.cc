#include "predict/roofline/roofline_clocks.h"

#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "predict/nnls.h"

namespace flyball {
ClockRoofs ClockRoofs::fit(const std::vector<Axis>& board, const std::vector<RoofRow>& rows) {
  ClockRoofs roofs;
  for (size_t d = 0; d < board.size(); ++d) {
    double low = 1e300, high = 0;
    for (const RoofRow& row : rows) {
      low = std::min(low, row.mode[d]);
      high = std::max(high, row.mode[d]);
    }
    if (!(low > 0 && high > low)) continue;
    if (board[d].name == axis::cpu_cores) roofs.cores_ = static_cast<int>(roofs.varying_.size());
    if (board[d].name == axis::cpu_mhz) roofs.cpu_ = static_cast<int>(roofs.varying_.size());
    roofs.varying_.push_back(d);
    roofs.top_.push_back(high);
  }
  roofs.fit_time(rows);
  roofs.fit_power(rows);
  return roofs;
}

std::vector<double> ClockRoofs::inverse_terms(const std::vector<double>& mode) const {
  std::vector<double> terms = {1};
  for (size_t v = 0; v < varying_.size(); ++v) terms.push_back(top_[v] / mode[varying_[v]]);
  if (cores_ >= 0 && cpu_ >= 0)
    terms.push_back(terms[static_cast<size_t>(cores_) + 1] * terms[static_cast<size_t>(cpu_) + 1]);
  return terms;
}

std::vector<double> ClockRoofs::direct_terms(const std::vector<double>& mode) const {
  std::vector<double> terms = {1};
  for (size_t v = 0; v < varying_.size(); ++v) terms.push_back(mode[varying_[v]] / top_[v]);
  return terms;
}

void ClockRoofs::fit_time(const std::vector<RoofRow>& rows) {
  std::vector<double> intensities;
  for (const RoofRow& row : rows) intensities.push_back(row.sample.flop / row.sample.bytes);
  const auto [lowest, highest] = std::ranges::minmax_element(intensities);
  const bool one = rows.empty() || *highest < *lowest * (1 + 1e-6);
  const double middle = median(intensities);
  std::vector<bool> memory_bound(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) memory_bound[i] = !one && intensities[i] < middle;
  for (int round = 0; round < 20; ++round) {
    std::vector<double> features[2], times[2];
    for (size_t i = 0; i < rows.size(); ++i) {
      const RoofSample& s = rows[i].sample;
      const bool memory = memory_bound[i];
      for (double term : inverse_terms(rows[i].mode))
        features[memory].push_back(term * (memory ? s.bytes : s.flop));
      times[memory].push_back(s.time_s);
    }
    const size_t terms = inverse_terms(rows.front().mode).size();
    tau_flop_ = relative_nnls(features[0], terms, times[0]);
    tau_mem_ = relative_nnls(features[1], terms, times[1]);
    if (one) return;
    bool settled = true;
    for (size_t i = 0; i < rows.size(); ++i) {
      const RoofSample& s = rows[i].sample;
      const auto inverse = inverse_terms(rows[i].mode);
      const bool memory = s.bytes * dot(tau_mem_, inverse) > s.flop * dot(tau_flop_, inverse);
      settled = settled && memory == memory_bound[i];
      memory_bound[i] = memory;
    }
    if (settled) return;
  }
}

std::vector<double> ClockRoofs::power_features(const std::vector<double>& mode, double flop,
                                               double bytes, double time_s) const {
  const auto direct = direct_terms(mode);
  std::vector<double> features = direct;
  if (cores_ >= 0 && cpu_ >= 0)
    features.push_back(direct[static_cast<size_t>(cores_) + 1] *
                       direct[static_cast<size_t>(cpu_) + 1]);
  for (const double rate : {flop / time_s / flop_scale_, bytes / time_s / byte_scale_})
    for (double term : direct) features.push_back(rate * term);
  return features;
}

void ClockRoofs::fit_power(const std::vector<RoofRow>& rows) {
  for (const RoofRow& row : rows) {
    flop_scale_ = std::max(flop_scale_, row.sample.flop / row.sample.time_s);
    byte_scale_ = std::max(byte_scale_, row.sample.bytes / row.sample.time_s);
  }
  std::vector<double> features, powers;
  size_t columns = 1;
  for (const RoofRow& row : rows) {
    const RoofSample& s = row.sample;
    if (!std::isfinite(s.energy_j)) continue;
    const auto of_row = power_features(row.mode, s.flop, s.bytes, s.time_s);
    columns = of_row.size();
    features.insert(features.end(), of_row.begin(), of_row.end());
    powers.push_back(s.energy_j / s.time_s);
  }
  power_ = relative_nnls(features, columns, powers);
}

double ClockRoofs::time_s(const std::vector<double>& mode, double flop, double bytes) const {
  const auto inverse = inverse_terms(mode);
  return std::max(flop * dot(tau_flop_, inverse), bytes * dot(tau_mem_, inverse));
}

double ClockRoofs::power_w(const std::vector<double>& mode, double flop, double bytes,
                           double time_s) const {
  return dot(power_, power_features(mode, flop, bytes, time_s));
}

}  // namespace flyball
