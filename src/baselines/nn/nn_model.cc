#include "baselines/nn/nn_model.h"

#include <algorithm>
#include <cmath>

#include "base/distributions.h"
#include "base/random.h"
#include "base/statistics.h"

namespace flyball {
namespace {

NnScaler fit_scaler(const NnRows& rows) {
  NnScaler scaler;
  for (size_t d = 0; d < rows.dimensions; ++d) {
    std::vector<double> values;
    for (size_t i = 0; i < rows.y.size(); ++i) values.push_back(rows.row(i)[d]);
    const double centre = mean(values);
    double sum = 0;
    for (double value : values) sum += (value - centre) * (value - centre);
    const double deviation = std::sqrt(sum / static_cast<double>(values.size()));
    scaler.centre.push_back(centre);
    scaler.scale.push_back(deviation > 1e-9 * (std::abs(centre) + 1e-9) ? deviation : 1);
  }
  return scaler;
}

MlpRows take(const NnRows& rows, std::span<const size_t> chosen, const NnScaler& scaler,
             bool log_target) {
  MlpRows result;
  std::vector<double> x;
  for (size_t i : chosen) {
    const auto row = rows.row(i);
    x.insert(x.end(), row.begin(), row.end());
    result.y.push_back(static_cast<float>(log_target ? std::log(rows.y[i]) : rows.y[i]));
  }
  result.x = scaler.apply(x);
  return result;
}

double interval(const NnModel& model, const NnRows& rows, std::span<const size_t> held_out) {
  double sum = 0;
  size_t raised = 0;
  for (size_t i : held_out) {
    const double predicted = model.predict(rows.row(i), raised)[0];
    sum += std::pow(std::log(predicted / rows.y[i]), 2);
  }
  const auto n = static_cast<double>(held_out.size());
  return t90_of_second_order(std::max(1.0, n)) * std::sqrt(sum / n) * std::sqrt(1 + 1 / n);
}

}  // namespace

void NnRows::add(std::span<const double> row_values, double value) {
  const auto [entry, added] =
      known_.try_emplace({row_values.begin(), row_values.end()}, known_.size());
  group.push_back(entry->second);
  x.insert(x.end(), row_values.begin(), row_values.end());
  y.push_back(value);
}

std::vector<float> NnScaler::apply(std::span<const double> rows) const {
  std::vector<float> result;
  result.reserve(rows.size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const size_t d = i % centre.size();
    result.push_back(static_cast<float>((rows[i] - centre[d]) / scale[d]));
  }
  return result;
}

std::vector<double> NnModel::predict(std::span<const double> rows, size_t& raised) const {
  std::vector<double> result;
  for (float out : network.predict(scaler.apply(rows))) {
    // Past e^80 there is nothing real, and doubles must stay finite.
    const double value = log_target ? std::exp(std::min(80.0, double{out})) : double{out};
    raised += !(value >= least);
    result.push_back(value >= least ? value : least);
  }
  return result;
}

NnModel fit_nn(const MlpKernel& kernel, const NnRows& rows, const Mlp* base,
               const NnOptions& options, int repeats, uint64_t seed) {
  Random random(mix_seed(seed, 31));
  const auto wanted =
      static_cast<size_t>(std::lround(options.validation * static_cast<double>(rows.groups())));
  const size_t held = std::clamp<size_t>(wanted, 1, rows.groups() - 2);
  std::vector<bool> is_held(rows.groups(), false);
  for (size_t group : random.sample(rows.groups(), held)) is_held[group] = true;
  std::vector<size_t> learned, held_out, all;
  for (size_t i = 0; i < rows.y.size(); ++i) {
    (is_held[rows.group[i]] ? held_out : learned).push_back(i);
    all.push_back(i);
  }

  MlpOptions network = options.network;
  network.seed = seed;
  Mlp start = base ? *base : Mlp(kernel, static_cast<int64_t>(rows.dimensions), network);
  if (base) start.renew_head(seed);
  NnModel model{start, fit_scaler(rows), options.log_target};
  model.least = 0.05 * *std::ranges::min_element(rows.y);
  // Rows that stand more than once already are repeated less.
  model.repeats =
      std::max(1, static_cast<int>(static_cast<size_t>(repeats) * rows.groups() / rows.y.size()));
  const auto data = [&](std::span<const size_t> chosen) {
    MlpRows result = take(rows, chosen, model.scaler, options.log_target);
    result.repeats = model.repeats;
    return result;
  };
  const MlpTraining training = model.network.train(data(learned), data(held_out), network);
  model.half_width = interval(model, rows, held_out);
  if (!options.refit) return model;
  network.epochs = training.best_epoch;
  model.network = std::move(start);
  model.network.train(data(all), {}, network);
  return model;
}

}  // namespace flyball
