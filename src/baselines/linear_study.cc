#include "baselines/linear_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/statistics.h"
#include "base/text.h"
#include "space/axis.h"

namespace flyball {
namespace {

class Rows {
 public:
  explicit Rows(const Csv& csv) : csv_(csv) {}

  Result<LinearStudyEpoch> epoch(size_t row, const std::vector<std::string>& axes) const {
    LinearStudyEpoch epoch;
    FLYBALL_ASSIGN(epoch.mode, text(row, "mode"));
    for (const std::string& axis : axes) {
      FLYBALL_ASSIGN(const double value, number(row, axis, false));
      epoch.settings.push_back(value);
    }
    FLYBALL_ASSIGN(epoch.e2e_s, number(row, "e2e_s", false));
    FLYBALL_ASSIGN(epoch.stages_s, number(row, "stages_s", true));
    FLYBALL_ASSIGN(epoch.energy_mwh, number(row, "energy_mwh", true));
    FLYBALL_ASSIGN(epoch.time_error_pct, number(row, "time_error_pct", true));
    FLYBALL_ASSIGN(epoch.energy_error_pct, number(row, "energy_error_pct", true));
    return epoch;
  }

  Result<std::string> text(size_t row, const std::string& title) const {
    FLYBALL_ASSIGN(const size_t at, column(title));
    return csv_.rows[row][at];
  }

 private:
  Result<size_t> column(const std::string& title) const {
    if (const auto found = csv_.column(title)) return *found;
    return csv_.missing({Code::corrupt, fmt::format("{} has no column '{}'", csv_.name, title),
                         "docs/prediction.md says what the study's figures are"});
  }

  // Above zero, but for errors, which may be none.
  Result<double> number(size_t row, const std::string& title, bool may_lack) const {
    FLYBALL_ASSIGN(const size_t at, column(title));
    if (may_lack && trim(csv_.rows[row][at]).empty()) return not_known;
    FLYBALL_ASSIGN(const double value, csv_.number(row, at));
    if (value > 0 || (value == 0 && title.ends_with("_pct"))) return value;
    return csv_.at(row, at, fmt::format("'{}' is not above zero", csv_.rows[row][at]),
                   "figures of an epoch are");
  }

  const Csv& csv_;
};

bool same_modes(const LinearStudyNetwork& a, const LinearStudyNetwork& b) {
  return std::ranges::equal(a.epochs, b.epochs, {}, &LinearStudyEpoch::settings,
                            &LinearStudyEpoch::settings);
}

}  // namespace

bool LinearStudyNetwork::ab_initio() const {
  return std::ranges::any_of(epochs, [](const LinearStudyEpoch& epoch) {
    return std::isnan(epoch.stages_s) || std::isnan(epoch.energy_mwh);
  });
}

Result<LinearStudy> parse_linear_study(const Csv& csv) {
  LinearStudy study;
  study.axes = {axis::cpu_cores, axis::cpu_mhz, axis::gpu_mhz, axis::mem_mhz};
  const Rows rows(csv);
  for (size_t row = 0; row < csv.rows.size(); ++row) {
    FLYBALL_ASSIGN(const std::string workload, rows.text(row, "workload"));
    if (study.networks.empty() || study.networks.back().workload != workload)
      study.networks.push_back({workload, {}});
    FLYBALL_ASSIGN(LinearStudyEpoch epoch, rows.epoch(row, study.axes));
    study.networks.back().epochs.push_back(std::move(epoch));
  }
  for (const LinearStudyNetwork& network : study.networks)
    if (!same_modes(network, study.networks.front()))
      return Error{Code::corrupt,
                   fmt::format("{}: {} is in other modes than {}", csv.name, network.workload,
                               study.networks.front().workload),
                   "give every network a row in each mode, in one order"};
  if (study.networks.empty())
    return Error{Code::corrupt, csv.name + " holds no epoch", "give each network its rows"};
  return study;
}

Result<LinearStudy> known_linear_study() {
  const auto& [file, text] = linear_study_texts().front();
  FLYBALL_ASSIGN(const Csv csv, parse_csv(text, file));
  return parse_linear_study(csv);
}

}  // namespace flyball
