#include "report/tune_page.h"

#include <algorithm>
#include <cmath>

#include "answers/stored_json.h"
#include "base/json.h"
#include "report/apply.h"
#include "report/page.h"
#include "space/measurement.h"

namespace flyball {
namespace {

// A plain number where the spread is not known, else [value, low, high].
Json quantity(double value, double low, double high) {
  if (!std::isfinite(value)) return nullptr;
  if (!std::isfinite(low) || !std::isfinite(high) || (low == value && high == value)) return value;
  return Json::array({value, low, high});
}

// Values stand in the order of the answer's axes.
Json configurations_of(const TuneResult& result) {
  Json list = Json::array();
  for (size_t i = 0; i < result.configurations.size(); ++i) {
    const Configuration& c = result.configurations[i];
    const auto row = result.space.row(i);
    list.push_back({{"config", std::vector<double>(row.begin(), row.end())},
                    {"time_ms", quantity(c.minibatch_ms, c.time_lo, c.time_hi)},
                    {"power_w", quantity(c.power_w, c.power_lo, c.power_hi)},
                    {"provenance", provenance_name(c.provenance)}});
  }
  return list;
}

// Does any trial satisfy this?
bool any_trial(const Json& answer, bool (*holds)(const Json&)) {
  return std::ranges::any_of(list_of(answer, "profiled"), holds);
}

bool has_origin(const Json& trial, Origin origin) {
  return text_of(trial, "origin") == origin_name(origin);
}
bool was_told(const Json& trial) {
  return has_origin(trial, Origin::told);
}
bool was_live(const Json& trial) {
  return !has_origin(trial, Origin::table) && !has_origin(trial, Origin::imported);
}
bool was_simulated(const Json& trial) {
  return has_origin(trial, Origin::simulated);
}

Json tune_steps(const Json& answer, const std::string& command) {
  const Json choice = value_at(answer, "choice");
  if (!choice.is_object()) return Json::array();
  const Json request = value_at(answer, "request");
  Applied applied{text_of(request, "device"),
                  text_of(request, "workload"),
                  text_of(request, "phase") == "infer" ? Phase::infer : Phase::train,
                  any_trial(answer, was_live),
                  command,
                  any_trial(answer, was_told),
                  {},
                  {}};
  std::map<std::string, bool> board;
  for (const Json& axis : list_of(answer, "axes"))
    board[text_of(axis, "name")] = text_of(axis, "scope") == "board";
  for (const auto& [name, value] : settings_of(choice["config"]))
    (board[name] ? applied.mode : applied.run)[name] = value;
  applied.simulated = any_trial(answer, was_simulated);
  // With what trials ran beside, such as the loader's workers: without it figures are others.
  applied.run.merge(settings_of(value_at(request, "settings")));
  return apply_steps(applied);
}

}  // namespace

Json tune_page(const Json& answer, const std::string& command) {
  Json page = page_document("tune", command, answer);
  page["apply"] = tune_steps(answer, command);
  page["configurations"] = nullptr;
  return page;
}

Json tune_page(const Json& answer, const TuneResult& result) {
  Json page = tune_page(answer, result.request.command);
  page["configurations"] = configurations_of(result);
  return page;
}

}  // namespace flyball
