#include "answers/request.h"

#include <nlohmann/json.hpp>

namespace flyball {

using Json = nlohmann::ordered_json;

Json options_json(const SessionOptions& options) {
  Json json;
  if (!options.limits.empty()) json["limits"] = limits_json(options.limits);
  json["profiles_limit"] = options.profiles;
  if (options.gap > 0) json["gap_pct"] = 100 * options.gap;
  if (options.time_limit_s != unlimited) json["time_limit_s"] = options.time_limit_s;
  json["strategy"] = options.strategy;
  json["predictor"] = options.predictor;
  json["seed"] = options.seed;
  json["references"] = Json::array();
  for (const WorkloadTable& reference : options.references)
    json["references"].push_back(reference.title());
  return json;
}

Json limits_json(std::span<const FigureLimit> limits) {
  Json all = Json::array();
  for (const FigureLimit& limit : limits)
    all.push_back(
        {{"figure", limit.figure}, {limit.at_most ? "at_most" : "at_least", limit.limit}});
  return all;
}

}  // namespace flyball
