#include "server/live_state.h"

#include "base/json.h"
#include "base/json_line.h"

namespace flyball {
namespace {

Json batch_or_null(int64_t samples) {
  return samples > 0 ? Json(samples) : Json(nullptr);
}

}  // namespace

std::string live_event(const LiveState& state) {
  Json event = {{"seconds", state.seconds},
                {"draining", state.draining},
                {"device", state.device},
                {"mode", state.mode},
                {"power_w", or_null(state.power_w)},
                {"replans", state.replans},
                {"switches", state.switches},
                {"services", Json::array()},
                {"trainings", Json::array()}};
  for (const ServiceState& s : state.services)
    event["services"].push_back({{"name", s.name},
                                 {"budget_ms", s.budget_ms},
                                 {"waiting", s.waiting},
                                 {"arrived", s.arrived},
                                 {"answered", s.answered},
                                 {"late", s.late},
                                 {"refused", s.refused},
                                 {"failed", s.failed},
                                 {"p50_ms", or_null(s.p50_ms)},
                                 {"p99_ms", or_null(s.p99_ms)},
                                 {"largest_batch", batch_or_null(s.largest_batch)}});
  for (const TrainingState& t : state.trainings)
    event["trainings"].push_back({{"name", t.name}, {"minibatches", t.minibatches}});
  return json_line(event);
}

}  // namespace flyball
