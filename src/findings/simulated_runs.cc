#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "experiment/twin_runner.h"
#include "findings/run_source.h"
#include "findings/table_figures.h"
#include "twin/twin.h"

namespace flyball {
namespace {

constexpr int simulated_epochs = 2;  ///< later ones are alike

class SimulatedRuns final : public RunSource {
 public:
  SimulatedRuns(const PublishedStudy& study, const Board& board) : study_(study), board_(board) {}

  std::string board() const override { return board_.twin()->id; }
  Provenance provenance() const override { return Provenance::simulated; }
  std::string usual_mode() const override { return "MAXN"; }

  std::optional<double> highest_cpu_mhz() const override {
    return board_.twin()->highest(axis::cpu_mhz);
  }

  Result<RunFigures> run(const FindingSetting& setting) override {
    const auto known = known_.find(setting);
    if (known != known_.end()) return known->second;
    auto made = simulate(setting);
    return known_.emplace(setting, std::move(made)).first->second;
  }

  Result<bool> fits(const std::string& workload) override {
    FLYBALL_ASSIGN(TwinWorkload known, known_twin_workload(workload, Phase::train));
    FLYBALL_ASSIGN(const Twin twin, Twin::make(*board_.twin(), std::move(known)));
    const auto steady = twin.steady(TwinConfiguration{});
    if (!steady.ok() && steady.error().code != Code::infeasible) return steady.error();
    return steady.ok();
  }

  Result<double> table_figure(const TableQuestion& question) override {
    return tables_.figure(board_, question);
  }

 private:
  Result<RunFigures> simulate(const FindingSetting& setting) const {
    const auto& storages = board_.twin()->storages;
    if (!setting.storage.empty() &&
        std::ranges::find(storages, setting.storage, &TwinStorage::name) == storages.end())
      return Error{Code::unavailable, fmt::format("{} has no {}", board(), setting.storage), ""};
    FLYBALL_ASSIGN(
        const ExperimentResult result,
        simulate_experiment(experiment_of(study_, setting, simulated_epochs), {}, board_));
    return result.runs.front();
  }

  const PublishedStudy& study_;
  const Board& board_;
  TableFigures tables_;
  std::map<FindingSetting, Result<RunFigures>> known_;
};

}  // namespace

std::unique_ptr<RunSource> simulated_runs(const PublishedStudy& study, const Board& board) {
  return std::make_unique<SimulatedRuns>(study, board);
}

}  // namespace flyball
