#include "server/live_state.h"

#include "base/json.h"
#include "base/json_line.h"
#include "server/infer_request.h"

namespace flyball {
namespace {

Json batch_or_null(int64_t samples) {
  return samples > 0 ? Json(samples) : Json(nullptr);
}

Json inputs_json(const std::vector<TensorSpec>& inputs) {
  Json all = Json::array();
  for (const TensorSpec& input : inputs) {
    Json shape = Json::array();
    for (const int64_t size : input.shape) shape.push_back(size);
    all.push_back(
        {{"name", input.name}, {"datatype", datatype_name(input.dtype)}, {"shape", shape}});
  }
  return all;
}

Json service_json(const ServiceState& s) {
  return {{"name", s.name},
          {"budget_ms", s.budget_ms},
          {"margin_ms", s.margin_ms},
          {"waiting", s.waiting},
          {"arrived", s.arrived},
          {"answered", s.answered},
          {"late", s.late},
          {"refused", s.refused},
          {"failed", s.failed},
          {"p50_ms", or_null(s.p50_ms)},
          {"p99_ms", or_null(s.p99_ms)},
          {"recent_p50_ms", or_null(s.recent_p50_ms)},
          {"recent_p99_ms", or_null(s.recent_p99_ms)},
          {"largest_batch", batch_or_null(s.largest_batch)},
          {"inputs", inputs_json(s.inputs)}};
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
                {"prefer", state.prefer},
                {"front", Json::array()},
                {"services", Json::array()},
                {"trainings", Json::array()}};
  for (const PreferenceState& p : state.front)
    event["front"].push_back({{"median_ms", or_null(p.median_ms)},
                              {"trainings_per_s", or_null(p.trainings_per_s)},
                              {"chosen", p.chosen}});
  for (const ServiceState& s : state.services) event["services"].push_back(service_json(s));
  for (const TrainingState& t : state.trainings)
    event["trainings"].push_back({{"name", t.name},
                                  {"minibatches", t.minibatches},
                                  {"loss", or_null(t.loss)},
                                  {"kept", t.kept}});
  return json_line(event);
}

}  // namespace flyball
