#include "report/serve_report.h"

#include "base/json.h"
#include "report/page.h"
#include "schedule/serving_result.h"

namespace flyball {
namespace {

constexpr size_t steps_of_a_bar = 8;  // 4 % of the latency

Json latency_bars(const ServiceResult& service) {
  Json upper = Json::array(), count = Json::array();
  for (const auto& [upper_ms, answered] : service.latency.bars(steps_of_a_bar)) {
    upper.push_back(upper_ms);
    count.push_back(answered);
  }
  return {{"upper_ms", upper}, {"count", count}};
}

}  // namespace

Json serve_report(const Json& answer, const ServingResult& result, const ServingTimeline& timeline,
                  const std::string& command) {
  Json page = page_document("serve", command, answer);
  page["latency"] = Json::array();
  for (const ServiceResult& service : result.services)
    page["latency"].push_back(latency_bars(service));
  page["spans"] = spans_json(timeline);
  return page;
}

}  // namespace flyball
