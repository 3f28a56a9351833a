#include "evaluate/linear_eval.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/json.h"
#include "base/statistics.h"

namespace flyball {
namespace {

// What the study's text says: its modes, and how many of its 40 predictions are how good.
constexpr const char* chosen_modes = "efij";
constexpr size_t subset_size = 4;
constexpr size_t published_under_10 = 31;
// The text does not print the energy's coefficients: these give its predictions back to 1 %
// (offset; cores; MHz of CPU, GPU and memory).
constexpr std::array recovered_energy = {-166.0, -1.416e-2, 1.832e-4, 4.802e-3, 2.968e-4};

using Modes = std::vector<size_t>;

double error_pct(double predicted, double observed) {
  return 100 * std::abs(predicted / observed - 1);
}

// Mean of those that are known.
double known_mean(const std::vector<LinearRow>& rows, LinearFigure LinearRow::*figure,
                  double LinearFigure::*value) {
  std::vector<double> known;
  for (const LinearRow& row : rows)
    if (!std::isnan(row.*figure.*value)) known.push_back(row.*figure.*value);
  return known.empty() ? not_known : mean(known);
}

LinearFit fit_time(const LinearStudyNetwork& network, const Modes& modes,
                   double LinearStudyEpoch::*seconds) {
  std::vector<double> x, y;
  for (const size_t mode : modes) {
    const LinearStudyEpoch& epoch = network.epochs[mode];
    x.insert(x.end(), epoch.settings.begin(), epoch.settings.end());
    y.push_back(epoch.*seconds);
  }
  return fit_linear(x, network.epochs.front().settings.size(), y);
}

double rmse_s(const LinearStudyNetwork& network, const Modes& modes) {
  const LinearFit fit = fit_time(network, modes, &LinearStudyEpoch::stages_s);
  std::vector<double> squares;
  for (const LinearStudyEpoch& epoch : network.epochs)
    squares.push_back(std::pow(fit.at(epoch.settings) - epoch.stages_s, 2));
  return std::sqrt(mean(squares));
}

std::string letters(const LinearStudyNetwork& network, const Modes& modes) {
  std::string text;
  for (const size_t mode : modes) text += network.epochs[mode].mode;
  return text;
}

// Every choice of four modes, best first.
std::vector<LinearSubset> all_subsets(const LinearStudy& study) {
  const size_t count = study.networks.front().epochs.size();
  std::vector<bool> taken(count);
  std::fill_n(taken.begin(), std::min(subset_size, count), true);
  std::vector<LinearSubset> subsets;
  do {
    Modes modes;
    for (size_t i = 0; i < count; ++i)
      if (taken[i]) modes.push_back(i);
    LinearSubset subset{letters(study.networks.front(), modes), 0};
    for (const LinearStudyNetwork& network : study.networks)
      if (!network.ab_initio()) subset.rmse_s += rmse_s(network, modes);
    subsets.push_back(std::move(subset));
  } while (std::prev_permutation(taken.begin(), taken.end()));
  std::ranges::stable_sort(subsets, {}, &LinearSubset::rmse_s);
  return subsets;
}

// One fit for all networks, on what was observed.
EnergyFit fit_all_energy(const LinearStudy& study) {
  std::vector<double> x, time, energy;
  for (const LinearStudyNetwork& network : study.networks) {
    if (network.ab_initio()) continue;
    for (const LinearStudyEpoch& epoch : network.epochs) {
      x.insert(x.end(), epoch.settings.begin(), epoch.settings.end());
      time.push_back(epoch.stages_s);
      energy.push_back(epoch.energy_mwh);
    }
  }
  return fit_energy(x, study.axes.size(), time, energy);
}

Result<Modes> modes_of(const LinearStudyNetwork& network, const std::string& names) {
  Modes modes;
  for (const char name : names) {
    const auto found =
        std::ranges::find(network.epochs, std::string(1, name), &LinearStudyEpoch::mode);
    if (found == network.epochs.end())
      return Error{Code::corrupt, fmt::format("the study has no mode '{}'", name),
                   "its predictors are fitted on modes e, f, i and j"};
    modes.push_back(static_cast<size_t>(found - network.epochs.begin()));
  }
  return modes;
}

LinearNetwork predict_network(const LinearStudyNetwork& network, const Modes& modes,
                              const EnergyFit& energy) {
  LinearNetwork predicted{network.workload, network.ab_initio(), {}};
  const LinearFit time = fit_time(network, modes, &LinearStudyEpoch::e2e_s);
  for (const LinearStudyEpoch& epoch : network.epochs) {
    const double seconds = time.at(epoch.settings), mwh = energy.at(epoch.settings, seconds);
    predicted.rows.push_back(
        {epoch.mode,
         {epoch.e2e_s, seconds, error_pct(seconds, epoch.e2e_s), epoch.time_error_pct},
         {epoch.energy_mwh, mwh, error_pct(mwh, epoch.energy_mwh), epoch.energy_error_pct}});
  }
  const auto& rows = predicted.rows;
  predicted.time_error_pct = known_mean(rows, &LinearRow::time, &LinearFigure::error_pct);
  predicted.published_time_error_pct =
      known_mean(rows, &LinearRow::time, &LinearFigure::published_error_pct);
  predicted.energy_error_pct = known_mean(rows, &LinearRow::energy, &LinearFigure::error_pct);
  predicted.published_energy_error_pct =
      known_mean(rows, &LinearRow::energy, &LinearFigure::published_error_pct);
  return predicted;
}

void count_errors(LinearReport& report) {
  for (const LinearNetwork& network : report.networks)
    for (const LinearRow& row : network.rows) {
      ++report.predictions;
      report.under_10_pct += row.time.error_pct < 10;
      const std::string name = network.workload + " " + row.mode;
      if (row.time.error_pct >= 15) report.over_15_pct.push_back(name);
      if (row.time.published_error_pct >= 15) report.published_over_15_pct.push_back(name);
    }
  report.published_under_10_pct = published_under_10;
}

Json figure_json(const LinearFigure& figure) {
  return {{"observed", or_null(figure.observed)},
          {"predicted", figure.predicted},
          {"error_pct", or_null(figure.error_pct)},
          {"published_error_pct", or_null(figure.published_error_pct)}};
}

Json network_json(const LinearNetwork& network) {
  Json rows = Json::array();
  for (const LinearRow& row : network.rows)
    rows.push_back({{"mode", row.mode},
                    {"time_s", figure_json(row.time)},
                    {"energy_mwh", figure_json(row.energy)}});
  return {{"workload", network.workload},
          {"ab_initio", network.ab_initio},
          {"rows", rows},
          {"time_error_pct", or_null(network.time_error_pct)},
          {"published_time_error_pct", or_null(network.published_time_error_pct)},
          {"energy_error_pct", or_null(network.energy_error_pct)},
          {"published_energy_error_pct", or_null(network.published_energy_error_pct)}};
}

}  // namespace

Result<LinearReport> evaluate_linear(const LinearStudy& study) {
  LinearReport report;
  report.fitted = chosen_modes;
  FLYBALL_ASSIGN(const Modes modes, modes_of(study.networks.front(), chosen_modes));
  const EnergyFit energy = fit_all_energy(study);
  for (const LinearStudyNetwork& network : study.networks)
    report.networks.push_back(predict_network(network, modes, energy));
  count_errors(report);
  report.subsets = all_subsets(study);
  report.energy.push_back({"", energy.offset, recovered_energy[0]});
  for (size_t i = 0; i < study.axes.size(); ++i)
    report.energy.push_back({study.axes[i], energy.coefficients[i], recovered_energy[i + 1]});
  return report;
}

Json to_json(const LinearReport& report, size_t most_subsets) {
  Json networks = Json::array(), subsets = Json::array(), energy = Json::array();
  for (const LinearNetwork& network : report.networks) networks.push_back(network_json(network));
  for (size_t i = 0; i < std::min(most_subsets, report.subsets.size()); ++i)
    subsets.push_back({{"modes", report.subsets[i].modes}, {"rmse_s", report.subsets[i].rmse_s}});
  for (const LinearCoefficient& one : report.energy)
    energy.push_back(
        {{"axis", text_or_null(one.axis)}, {"value", one.value}, {"recovered", one.recovered}});
  return {{"fitted", report.fitted},
          {"networks", networks},
          {"predictions", report.predictions},
          {"under_10_pct", report.under_10_pct},
          {"published_under_10_pct", report.published_under_10_pct},
          {"over_15_pct", report.over_15_pct},
          {"published_over_15_pct", report.published_over_15_pct},
          {"subsets", subsets},
          {"all_subsets", report.subsets.size()},
          {"energy_coefficients", energy}};
}

}  // namespace flyball
