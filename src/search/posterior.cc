#include "search/posterior.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "search/trial_chance.h"
#include "space/table_hash.h"

namespace flyball {
namespace {

WorkloadTable measured_table(const History& history, size_t role) {
  const Problem& problem = history.problem();
  const Space& space = problem.candidates->space(role);
  WorkloadTable table = empty_table(problem.roles[role], space);
  // By candidate, not by time: the fit must not depend on the order of the trials.
  for (const auto& [candidate, record] : history.of_role(role))
    for (size_t i = 0; i < record.readings.size(); ++i) {
      const Reading& reading = record.readings[i];
      // A board never reads the same to the last digit twice; a table does, and confirms nothing.
      if (i > 0 && reading.minibatch_ms == record.readings[i - 1].minibatch_ms &&
          reading.power_w == record.readings[i - 1].power_w)
        continue;
      table.add(space.row(candidate), reading.minibatch_ms, reading.power_w);
    }
  return table;
}

std::string key_of(const WorkloadTable& table, size_t role, const SearchOptions& options) {
  std::string key =
      fmt::format("{}\n{}\n{}\n{}", table.title(), table.power_total, role, options.predictor);
  const auto append = [&](const void* data, size_t bytes) {
    key.append(static_cast<const char*>(data), bytes);
  };
  for (const Axis& axis : table.space.axes()) key += "\n" + axis_title(axis);
  append(&options.seed, sizeof options.seed);
  const void* references = role < options.references.size() && options.references[role]
                               ? options.cache->hold(options.references[role])
                               : nullptr;
  append(&references, sizeof references);
  if (table.cost) append(&*table.cost, sizeof(Cost));
  append(&table.batch_size, sizeof table.batch_size);
  const uint64_t prior = table.prior ? content_hash(*table.prior) : 0;
  append(&prior, sizeof prior);
  append(table.space.values().data(), table.space.values().size_bytes());
  append(table.minibatch_ms.data(), table.minibatch_ms.size() * sizeof(double));
  append(table.power_w.data(), table.power_w.size() * sizeof(double));
  return key;
}

/// Of what is predicted of the problem's candidates: the same readings may be of more of them.
std::string key_of_candidates(const Problem& problem, const WorkloadTable& table, size_t role,
                              const SearchOptions& options) {
  return fmt::format("{}\n{}", key_of(table, role, options),
                     options.cache->hold(problem.candidates));
}

PredictionCache::Fitted fit(const WorkloadTable& table, size_t role, const SearchOptions& options) {
  std::unique_ptr<Predictor> predictor = options.make_predictor();
  std::span<const WorkloadTable> references;
  if (role < options.references.size() && options.references[role])
    references = *options.references[role];
  FLYBALL_CHECK(predictor->fit(table, references, {options.seed}));
  return predictor;
}

/// The options' predictor, fitted on the role's readings; the last ones are kept where there is a
/// cache.
std::shared_ptr<const PredictionCache::Fitted> fitted(const WorkloadTable& table, size_t role,
                                                      const SearchOptions& options) {
  const auto compute = [&] { return fit(table, role, options); };
  if (!options.cache) return std::make_shared<const PredictionCache::Fitted>(compute());
  return options.cache->fitted.get(key_of(table, role, options), compute);
}

Error no_predictor() {
  return {Code::unavailable, "there is no predictor", ""};
}

/// Of what was measured: the reading, and no spread.
void take_readings(const History& history, size_t role, Posterior& posterior) {
  for (const auto& [candidate, record] : history.of_role(role)) {
    if (record.failed()) continue;
    const Reading value = record.value();
    posterior.log_ms[candidate] = std::log(value.minibatch_ms);
    posterior.sd_ms[candidate] = 0;
    if (!posterior.has_power() || std::isnan(value.power_w)) continue;
    posterior.log_w[candidate] = std::log(value.power_w);
    posterior.sd_w[candidate] = 0;
  }
}

}  // namespace

std::string prediction_key(const History& history, size_t role, const SearchOptions& options) {
  return key_of_candidates(history.problem(), measured_table(history, role), role, options);
}

std::shared_ptr<const Result<Prediction>> predict_role(const History& history, size_t role,
                                                       const SearchOptions& options) {
  const Space& space = history.problem().candidates->space(role);
  const WorkloadTable table = measured_table(history, role);
  const auto compute = [&]() -> Result<Prediction> {
    const auto predictor = fitted(table, role, options);
    if (!predictor->ok()) return predictor->error();
    return predictor->value()->predict(space);
  };
  if (!options.cache) return std::make_shared<const Result<Prediction>>(compute());
  return options.cache->predictions.get(key_of_candidates(history.problem(), table, role, options),
                                        compute);
}

Result<Draws> draws_of(const History& history, size_t role, std::span<const size_t> candidates,
                       const SearchOptions& options, size_t count) {
  if (!options.make_predictor) return no_predictor();
  const auto predictor = fitted(measured_table(history, role), role, options);
  if (!predictor->ok()) return predictor->error();
  const Space& space = history.problem().candidates->space(role);
  return predictor->value()->draw(space.subset(candidates), count, options.seed + role);
}

Result<Posterior> posterior_of(const History& history, size_t role, const SearchOptions& options) {
  if (!options.make_predictor) return no_predictor();
  const auto shared = predict_role(history, role, options);
  if (!shared->ok()) return shared->error();
  Posterior posterior = posterior_from(shared->value());
  take_readings(history, role, posterior);
  return posterior;
}

Result<Posterior> drawn_posterior_of(const History& history, size_t role,
                                     const SearchOptions& options) {
  if (!options.make_predictor) return no_predictor();
  const WorkloadTable table = measured_table(history, role);
  const auto compute = [&]() -> Result<Posterior> {
    const auto predictor = fitted(table, role, options);
    if (!predictor->ok()) return predictor->error();
    return predictor->value()->posterior(history.problem().candidates->space(role),
                                         options.seed + role);
  };
  FLYBALL_ASSIGN(Posterior posterior,
                 options.cache
                     ? *options.cache->drawn.get(
                           key_of_candidates(history.problem(), table, role, options), compute)
                     : compute());
  take_readings(history, role, posterior);
  return posterior;
}

Result<std::vector<Posterior>> posteriors_of(const History& history, const SearchOptions& options) {
  std::vector<Posterior> posteriors;
  for (size_t role = 0; role < history.problem().roles.size(); ++role) {
    FLYBALL_ASSIGN(Posterior posterior, posterior_of(history, role, options));
    posteriors.push_back(std::move(posterior));
  }
  return posteriors;
}

Readings known_or_predicted(const History& history, const SearchOptions& options) {
  Readings readings = history.readings();
  for (size_t role = 0; role < readings.size(); ++role) {
    const auto posterior = posterior_of(history, role, options);
    if (!posterior.ok()) continue;
    const std::vector<size_t> failures = likely_failures(history, role);
    for (size_t i = 0; i < readings[role].size(); ++i)
      if (!history.find(role, i) && !std::ranges::binary_search(failures, i))
        readings[role][i] = {std::exp(posterior->log_ms[i]),
                             posterior->has_power() ? std::exp(posterior->log_w[i]) : not_measured};
  }
  return readings;
}

}  // namespace flyball
