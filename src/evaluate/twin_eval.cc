#include "evaluate/twin_eval.h"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <set>

#include "base/json.h"
#include "base/statistics.h"
#include "predict/contradicted.h"

namespace flyball {
namespace {

constexpr int minibatches = 40;  ///< that the medians of the tables are of

struct Errors {
  std::vector<double> time, power;  ///< percent, with their signs

  void add(double t, double p) {
    time.push_back(t);
    if (std::isfinite(p)) power.push_back(p);
  }
  TwinEvalRow row(const std::string& name) const {
    const auto sizes = [](std::vector<double> values) {
      for (double& value : values) value = std::abs(value);
      return values;
    };
    const auto of = [](const std::vector<double>& values, auto figure) {
      return values.empty() ? std::nan("") : figure(values);
    };
    const auto mean_of = [](const auto& values) { return mean(values); };
    const auto median_of = [](const auto& values) { return median(values); };
    return {name,
            time.size(),
            of(sizes(time), mean_of),
            of(sizes(power), mean_of),
            of(sizes(time), median_of),
            of(sizes(power), median_of),
            of(time, mean_of),
            of(power, mean_of)};
  }
};

/// Rows whose power lies 6 % below, or whose time lies 30 % off what the rows around let expect.
std::set<size_t> contradicted(const WorkloadTable& table) {
  std::set<size_t> rows;
  for (const size_t row : suspicious_power(table)) rows.insert(row);
  for (const size_t row : suspicious_time(table, 0.3)) rows.insert(row);
  return rows;
}

}  // namespace

Result<TwinCase> twin_case(const WorkloadTable& table) {
  FLYBALL_ASSIGN(TwinWorkload workload, known_twin_workload(table.workload, table.phase));
  return TwinCase{std::move(workload), &table};
}

Result<TwinReport> evaluate_twin(std::span<const WorkloadTable> tables,
                                 const std::map<std::string, double>& set) {
  Errors all, sound;
  std::vector<std::pair<std::string, Errors>> by_table;
  std::map<double, Errors> by_batch;
  TwinReport report;
  for (const WorkloadTable& table : tables) {
    FLYBALL_ASSIGN(TwinBoard board, find_twin_board(table.device));
    for (const auto& [name, value] : set)
      FLYBALL_CHECK(set_twin_constant(board.constants, name, value));
    FLYBALL_ASSIGN(const TwinCase one, twin_case(table));
    FLYBALL_ASSIGN(const TwinNetwork network,
                   make_twin_network(one.workload.layers, one.workload.half_precision));
    if (report.calibrated.empty()) report.calibrated = board.calibrated;
    if (!set.empty()) report.calibrated = "not as they are: constants were given for this once";
    report.targets.push_back(table.title());
    Errors of_table;
    TwinWorkload at_hand = one.workload;
    keep_requests_at_hand(at_hand, table.space.axes());
    const std::set<size_t> doubtful = contradicted(table);
    for (size_t row = 0; row < table.size(); ++row) {
      const TwinConfiguration configuration = twin_configuration(table, row);
      // A simulated trial tells means, of requests at hand; papers measured medians.
      const bool trial = table.known(row) == Provenance::simulated;
      const auto read = twin_reading(board, network, trial ? at_hand : one.workload, configuration,
                                     minibatches, table.has_power() ? table.power_total : "");
      if (!read) return read.error().within(table.title());
      const double time_ms = trial ? read->mean_ms : read->minibatch_ms;
      const double time = 100 * (time_ms / table.minibatch_ms[row] - 1);
      const double power = 100 * (read->power_w / table.power_w[row] - 1);
      all.add(time, power);
      of_table.add(time, power);
      by_batch[configuration.batch_size].add(time, power);
      if (!doubtful.contains(row)) sound.add(time, power);
    }
    by_table.emplace_back(table.title(), std::move(of_table));
  }
  if (all.time.empty())
    return Error{Code::invalid_argument, "there are no rows to judge the twin on", ""};
  report.rows.push_back(all.row("all"));
  if (by_table.size() > 1)
    for (const auto& [title, errors] : by_table) report.rows.push_back(errors.row(title));
  for (const auto& [batch, errors] : by_batch)
    report.rows.push_back(errors.row(fmt::format("batch_size {:g}", batch)));
  report.rows.push_back(sound.row("uncontradicted"));
  return report;
}

Json to_json(const TwinReport& report) {
  Json rows = Json::array();
  for (const TwinEvalRow& row : report.rows)
    rows.push_back({{"part", row.rows},
                    {"configurations", row.configurations},
                    {"time_mape", row.time_mape},
                    {"power_mape", row.power_mape},
                    {"time_mdape", row.time_mdape},
                    {"power_mdape", row.power_mdape},
                    {"time_bias", row.time_bias},
                    {"power_bias", row.power_bias}});
  return {{"targets", report.targets},
          {"provenance", provenance_name(Provenance::simulated)},
          {"calibrated", report.calibrated.empty() ? Json() : Json(report.calibrated)},
          {"rows", rows}};
}

}  // namespace flyball
