#include "base/json.h"
#include "fleet/collected_fleet.h"

namespace flyball {
namespace {

Json board_json(const CollectedBoard& board) {
  return {{"name", board.name},
          {"store", board.store},
          {"kinds", board.kinds},
          {"flyball", text_or_null(board.flyball)},
          {"last_seen_utc", text_or_null(board.last_seen_utc)},
          {"collected_utc", text_or_null(board.collected_utc)},
          {"age_s", or_null(board.age_s)},
          {"stale", board.stale},
          {"runs", board.runs},
          {"unfinished_runs", board.unfinished},
          {"measurements", board.measurements},
          {"failed", board.failed},
          {"throttled", board.throttled},
          {"disturbed", board.disturbed},
          {"compared_trials", board.compared_trials},
          {"time_ratio", or_null(board.time_ratio)},
          {"power_ratio", or_null(board.power_ratio)},
          {"outlier", board.outlier}};
}

Json spread_json(const CollectedSpread& spread) {
  return {{"kind", spread.kind},
          {"workload", spread.workload},
          {"phase", spread.phase},
          {"provenance", spread.provenance},
          {"boards", spread.boards},
          {"trials", spread.configurations},
          {"time_cv", or_null(spread.time_cv)},
          {"max_time_cv", or_null(spread.max_time_cv)},
          {"energy_cv", or_null(spread.energy_cv)},
          {"max_energy_cv", or_null(spread.max_energy_cv)},
          {"outliers", to_json(spread.outliers)}};
}

Json mode_json(const CollectedMode& mode) {
  return {{"kind", mode.kind},
          {"workload", mode.workload},
          {"phase", mode.phase},
          {"provenance", mode.provenance},
          {"power_total", text_or_null(mode.power_total)},
          {"objective", mode.objective},
          {"budget_w", or_null(mode.budget_w)},
          {"settings", mode.settings},
          {"mode", mode.mode},
          {"boards", mode.boards},
          {"measurements", mode.measurements},
          {"minibatch_ms", or_null(mode.minibatch_ms)},
          {"power_w", or_null(mode.power_w)},
          {"sample_j", or_null(mode.sample_j)},
          {"epoch_samples", mode.epoch_samples > 0 ? Json(mode.epoch_samples) : Json()},
          {"epoch_s", or_null(mode.epoch_s)},
          {"epoch_j", or_null(mode.epoch_j)}};
}

template <class Entry>
Json list_json(const std::vector<Entry>& entries, Json (*to)(const Entry&)) {
  Json list = Json::array();
  for (const Entry& entry : entries) list.push_back(to(entry));
  return list;
}

Json software_json(const CollectedSoftware& software) {
  return {{"kind", software.kind},
          {"fingerprint", software.fingerprint},
          {"boards", software.boards},
          {"measurements", software.measurements}};
}

}  // namespace

Json to_json(const CollectedFleet& fleet) {
  return {{"store", fleet.store},
          {"now_utc", fleet.question.now_utc},
          {"stale_after_s", fleet.question.stale_s},
          {"budgets_w", fleet.question.budgets_w},
          {"runs", fleet.runs},
          {"measurements", fleet.measurements},
          {"whole_runs", fleet.whole_runs},
          {"other_conditions", fleet.other_conditions},
          {"stale", fleet.stale()},
          {"outliers", fleet.outliers()},
          {"boards", list_json(fleet.boards, board_json)},
          {"spread", list_json(fleet.spread, spread_json)},
          {"best", list_json(fleet.best, mode_json)},
          {"software", list_json(fleet.software, software_json)}};
}

}  // namespace flyball
