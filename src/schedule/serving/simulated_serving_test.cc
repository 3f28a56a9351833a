#include "schedule/serving/simulated_serving.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "base/files.h"
#include "base/os/temp_folder.h"
#include "profile/trials/table_profiler.h"
#include "schedule/serving/serving_testing.h"

namespace flyball {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

SharedBoard scripted_board() {
  std::vector<std::unique_ptr<Profiler>> profilers;
  for (const Phase phase : {Phase::train, Phase::infer})
    profilers.push_back(make_table_profiler(scripted_table(phase)));
  return *share_board(std::move(profilers));
}

Result<ServedRun> serve_alone(const std::string& arrivals, QueueRules queue) {
  ServeRequest request = asking(10, arrivals);
  request.train.clear();
  request.seconds = 60;
  request.queue = queue;
  std::vector<std::unique_ptr<Profiler>> profilers;
  profilers.push_back(make_table_profiler(scripted_table(Phase::infer)));
  return serve_simulated(request, *share_board(std::move(profilers)), {});
}

TEST(SimulatedServing, RunsThePlanThatItMakes) {
  ServeRequest request = asking(200, "poisson:20");
  request.seconds = 30;
  request.most_spans = 5;
  const auto served = serve_simulated(request, scripted_board(), {});
  ASSERT_TRUE(served.ok()) << served.error().message;
  EXPECT_TRUE(served->simulated);
  EXPECT_GE(served->result.seconds, 30);
  EXPECT_NEAR(static_cast<double>(served->result.services[0].arrived), 600, 100);
  EXPECT_EQ(served->result.services[0].late, 0u);
  EXPECT_GT(served->result.trainings[0].minibatches, 1000u);
  EXPECT_EQ(served->plan[0]["config"]["gpu_mhz"], 600);
  EXPECT_THAT(served->timeline.tracks(),
              ElementsAre("double", "learn", "checkpoint", "switch of mode"));
  ASSERT_EQ(served->spans.size(), 5u);
  EXPECT_EQ(served->spans[0].track, "learn training");
}

// Without a length it lasts as long as the windows, and a rate that changes makes new plans.
TEST(SimulatedServing, FollowsRatesThatChange) {
  ServeRequest request = asking(60, "windows:20:40s,300:40s");
  request.plan.switch_ms = 10;
  const auto served = serve_simulated(request, scripted_board(), {});
  ASSERT_TRUE(served.ok()) << served.error().message;
  EXPECT_NEAR(served->result.seconds, 80, 1);
  EXPECT_LT(served->result.services[0].late_share(), 0.05);
}

TEST(SimulatedServing, TellsOfARateThatNoPlanKeeps) {
  const auto served =
      serve_simulated(asking(60, "windows:20:20s,4000:5s,20:20s"), scripted_board(), {});
  ASSERT_TRUE(served.ok()) << served.error().message;
  EXPECT_TRUE(std::ranges::any_of(served->result.replans, [](const Replan& one) {
    return one.why.ends_with("nothing that was profiled keeps the limits: it stays as it is");
  }));
}

// Where nobody is refused, one who is late makes others late.
TEST(SimulatedServing, IsPlannedWithTheQueueThatItHas) {
  const auto refusing = serve_alone("poisson:1400", {});
  ASSERT_TRUE(refusing.ok()) << refusing.error().message;
  EXPECT_LT(refusing->result.services[0].late_share(), 0.012);
  const auto late = serve_alone("poisson:1400", {.overload = Overload::late});
  ASSERT_FALSE(late.ok());
  const std::string hint = late.error().hint, flag = "--arrivals ";
  ASSERT_THAT(hint, HasSubstr(flag));
  const auto eased =
      serve_alone(hint.substr(hint.find(flag) + flag.size()), {.overload = Overload::late});
  ASSERT_TRUE(eased.ok()) << eased.error().message;
  EXPECT_LT(eased->result.services[0].late_share(), 0.012);
  EXPECT_FALSE(serve_alone("poisson:1000", {.bound = 2}).ok());
}

// Without a length it lasts as long as the trace, whose last request is answered, too.
TEST(SimulatedServing, AnswersEveryRequestOfATrace) {
  const TempFolder folder;
  ASSERT_TRUE(write_file(folder / "trace.csv", "time_s\n0\n1\n2\n3\n5\n").ok());
  const auto served = serve_simulated(asking(200, "trace:" + (folder / "trace.csv").string()),
                                      scripted_board(), {});
  ASSERT_TRUE(served.ok()) << served.error().message;
  EXPECT_EQ(served->result.services[0].answered, 5u);
}

TEST(SimulatedServing, ToldOfSomeModesItSaysOfHowMany) {
  const TempFolder folder;
  WorkloadTable train = scripted_table(Phase::train), infer = scripted_table(Phase::infer);
  ASSERT_TRUE(
      write_file(folder / "some.csv", format_table(std::vector<WorkloadTable>{train, infer})).ok());
  ProfileSource source{.files = {(folder / "some.csv").string()}};
  source.read = [](const std::string&, const std::string&, Phase phase) {
    WorkloadTable slow = scripted_table(phase), part = slow;
    part.space = Space(slow.space.axes());
    part = WorkloadTable();
    part.device = slow.device;
    part.workload = slow.workload;
    part.phase = phase;
    part.power_total = slow.power_total;
    part.space = Space({named_axis("gpu_mhz"), named_axis("batch_size")});
    for (const double batch :
         phase == Phase::train ? std::vector<double>{16} : std::vector<double>{1, 4})
      part.add(std::vector{300.0, batch}, phase == Phase::train ? 8 : 1 + batch, 10);
    return Result<WorkloadTable>(std::move(part));
  };
  ServeRequest request = asking(200, "poisson:20");
  request.seconds = 20;
  const auto served = serve_simulated(request, scripted_board(), source);
  ASSERT_TRUE(served.ok()) << served.error().message;
  EXPECT_EQ(served->plan[0]["config"]["gpu_mhz"], 300);
  EXPECT_THAT(served->notes, ElementsAre("planned with the profiles of 1 of 2 modes"));
}

}  // namespace
}  // namespace flyball
