#include "schedule/serving_timeline.h"

#include <gmock/gmock.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "base/json.h"
#include "base/random.h"
#include "schedule/schedule_testing.h"
#include "schedule/serving_result.h"

namespace flyball {
namespace {

TimelineWindow sum_of(const ServingTimeline& timeline) {
  TimelineWindow sum{.services = std::vector<ServiceWindow>(timeline.services()),
                     .trainings = std::vector<TrainingWindow>(timeline.trainings())};
  for (const TimelineWindow& window : timeline.windows()) sum.merge(window);
  return sum;
}

template <class T>
T sum_of(const Json& column) {
  return std::accumulate(column.begin(), column.end(), T{},
                         [](T sum, const Json& one) { return sum + one.get<T>(); });
}

// Whatever comes, and in whatever order: nothing is lost when windows are merged, each event lies
// in the window of its time, and there are never more windows or spans than may be.
TEST(ServingTimeline, MergingKeepsEveryCountInItsPlace) {
  for (uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const int64_t began_ns = static_cast<int64_t>(random.below(1'000'000'000'000));
    const size_t most = 2 + random.below(30);
    ServingTimeline timeline({"a", "b"}, {"c"},
                             {.most_windows = most, .least_window_ns = ms, .most_spans = 50});
    timeline.begin(began_ns);
    const double reach_ns = std::pow(10.0, 6 + 6 * random.uniform());
    std::vector<std::vector<int64_t>> arrivals(2);
    size_t answered = 0, late = 0, refused = 0, minibatches = 0, ran = 0;
    int64_t serving_ns = 0, training_ns = 0, switching_ns = 0, powered_ns = 0;
    double energy_j = 0;
    LatencyHistogram latency;
    for (int i = 0; i < 2000; ++i) {
      const size_t s = random.below(2);
      const int64_t at_ns = static_cast<int64_t>(random.uniform() * reach_ns);
      const int64_t until_ns = at_ns + static_cast<int64_t>(random.uniform() * reach_ns / 50);
      const bool yes = random.below(4) == 0;
      switch (random.below(5)) {
        case 0:
          timeline.arrived(s, began_ns + at_ns, yes, random.below(9));
          arrivals[s].push_back(at_ns);
          refused += yes;
          break;
        case 1:
          timeline.answered(s, began_ns + until_ns, until_ns - at_ns, yes);
          latency.add(until_ns - at_ns);
          ++answered;
          late += yes;
          break;
        case 2:
          timeline.served(s, began_ns + at_ns, began_ns + until_ns, 3, until_ns - at_ns);
          serving_ns += until_ns - at_ns;
          ++ran;
          break;
        case 3:
          timeline.trained(0, began_ns + at_ns, began_ns + until_ns);
          training_ns += until_ns - at_ns;
          ++minibatches;
          ++ran;
          break;
        default:
          timeline.switched(began_ns + at_ns, began_ns + until_ns);
          timeline.power(began_ns + at_ns, began_ns + until_ns, 7);
          switching_ns += until_ns - at_ns;
          powered_ns += until_ns - at_ns;
          energy_j += 7 * static_cast<double>(until_ns - at_ns) * 1e-9;
          ++ran;
      }
      ASSERT_LE(timeline.windows().size(), most);
    }
    const TimelineWindow sum = sum_of(timeline);
    EXPECT_EQ(sum.services[0].arrived + sum.services[1].arrived,
              arrivals[0].size() + arrivals[1].size());
    EXPECT_EQ(sum.services[0].answered + sum.services[1].answered, answered);
    EXPECT_EQ(sum.services[0].late + sum.services[1].late, late);
    EXPECT_EQ(sum.services[0].refused + sum.services[1].refused, refused);
    EXPECT_EQ(sum.services[0].samples, 3 * sum.services[0].batches);
    EXPECT_EQ(sum.services[0].busy_ns + sum.services[1].busy_ns, serving_ns);
    EXPECT_EQ(sum.trainings[0].minibatches, minibatches);
    EXPECT_EQ(sum.trainings[0].busy_ns, training_ns);
    EXPECT_EQ(sum.switching_ns, switching_ns);
    EXPECT_EQ(sum.powered_ns, powered_ns);
    EXPECT_NEAR(sum.energy_j, energy_j, 1e-9 * energy_j);
    LatencyHistogram all = sum.services[0].latency;
    all.merge(sum.services[1].latency);
    for (const double q : {0.0, 0.5, 0.99, 1.0})
      EXPECT_EQ(all.quantile_ms(q), latency.quantile_ms(q)) << q;
    EXPECT_EQ(all.max_ms(), latency.max_ms());
    for (size_t s = 0; s < 2; ++s)
      for (size_t w = 0; w < timeline.windows().size(); ++w)
        EXPECT_EQ(timeline.windows()[w].services[s].arrived,
                  static_cast<size_t>(std::ranges::count_if(arrivals[s], [&](int64_t at) {
                    return at / timeline.window_ns() == static_cast<int64_t>(w);
                  })));
    EXPECT_EQ(timeline.spans().size(), std::min<size_t>(50, ran));
    for (const TimelineSpan& span : timeline.spans()) EXPECT_GE(span.begin_ns, 0);
  }
}

TEST(ServingTimeline, ADayIsKeptInFewWindows) {
  ServingTimeline timeline({"net"}, {});
  for (int64_t s = 0; s < 86'400; ++s) timeline.arrived(0, s * 1000 * ms, false, 1);
  timeline.end(86'400 * 1000 * ms);
  EXPECT_EQ(timeline.window_ns(), 51'200 * ms);
  EXPECT_EQ(timeline.windows().size(), 1688u);
  EXPECT_EQ(sum_of(timeline).services[0].arrived, 86'400u);
}

TEST(ServingTimeline, PowerThatIsNotKnownAllTheTimeIsAGap) {
  ServingTimeline timeline({"net"}, {}, {.least_window_ns = 100 * ms});
  timeline.power(0, 100 * ms, 20);
  timeline.power(100 * ms, 150 * ms, 30);
  timeline.power(150 * ms, 200 * ms, std::numeric_limits<double>::quiet_NaN());
  timeline.power(200 * ms, 250 * ms, 10);
  timeline.power(250 * ms, 280 * ms, 20);
  timeline.end(280 * ms);
  ServingResult result;
  result.seconds = 0.28;
  const Json power = timeline_json(timeline, result)["power_w"];
  // The last window is as long as the run.
  EXPECT_EQ(power, (Json{20.0, nullptr, 13.75}));
}

// What a simulation tells its timeline is what it answers.
TEST(ServingTimeline, OfASimulationAddsUpToItsResult) {
  Simulation asked = one_and_one(150, 8, 6, 0.5, 40);
  asked.seconds = 50;
  asked.jitter = 0.5;
  asked.switch_s = 1;
  bool changed = false;
  asked.replan = [&](int64_t now_ns, const ServingResult&) -> std::optional<PlanChange> {
    if (changed || now_ns < 20'000 * ms) return std::nullopt;
    changed = true;
    RunningPlan other = one_and_one(150, 8, 5, 0.5, 40).plan;
    other.mode = 1;
    other.mode_text = "another";
    return PlanChange{other, {.why = "asked"}};
  };
  const auto source = make_arrivals(*parse_arrivals("poisson:120"), 3);
  asked.arrivals = {source.get()};
  ServingTimeline timeline({"net"}, {"learn"}, {.most_windows = 100});
  asked.timeline = &timeline;
  const ServingResult result = simulate(std::move(asked));
  const TimelineWindow sum = sum_of(timeline);
  const ServiceResult& service = result.services[0];
  EXPECT_GT(service.late + service.refused, 0u);
  EXPECT_EQ(sum.services[0].arrived, service.arrived);
  EXPECT_EQ(sum.services[0].answered, service.answered);
  EXPECT_EQ(sum.services[0].late, service.late);
  EXPECT_EQ(sum.services[0].refused, service.refused);
  EXPECT_EQ(sum.services[0].batches, service.batches);
  EXPECT_EQ(sum.services[0].samples, service.samples);
  EXPECT_EQ(sum.services[0].largest_queue, service.largest_queue);
  EXPECT_EQ(sum.services[0].latency.quantile_ms(0.99), service.latency.quantile_ms(0.99));
  EXPECT_NEAR(static_cast<double>(sum.services[0].busy_ns) * 1e-9, service.busy_s, 1e-6);
  EXPECT_EQ(sum.trainings[0].minibatches, result.trainings[0].minibatches);
  EXPECT_NEAR(static_cast<double>(sum.trainings[0].busy_ns) * 1e-9, result.trainings[0].busy_s,
              1e-6);
  EXPECT_EQ(sum.switching_ns, 1000 * ms);
  EXPECT_NEAR(sum.energy_j, result.energy_j, 1e-6 * result.energy_j);
  EXPECT_LE(timeline.windows().size(), 100u);

  const Json document = timeline_json(timeline, result);
  EXPECT_EQ(sum_of<size_t>(document["services"][0]["arrived"]), service.arrived);
  EXPECT_EQ(sum_of<size_t>(document["training"][0]["minibatches"]),
            result.trainings[0].minibatches);
  EXPECT_EQ(document["modes"].size(), 2u);
  EXPECT_EQ(document["modes"][1]["mode"], "another");
  EXPECT_EQ(document["power_w"].size(), timeline.windows().size());
  const Json spans = spans_json(timeline);
  EXPECT_EQ(spans["track"].size(), timeline.spans().size());
  EXPECT_EQ(spans["track"].size(), service.batches + result.trainings[0].minibatches + 1);
}

}  // namespace
}  // namespace flyball
