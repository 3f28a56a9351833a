#include "schedule/serving/serving_profiles.h"

#include <gmock/gmock.h>

#include "base/files.h"
#include "base/os/temp_folder.h"
#include "profile/trials/table_profiler.h"
#include "schedule/serving/serving_testing.h"
#include "store/sample_testing.h"

namespace flyball {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class ServingProfilesTest : public ::testing::Test {
 protected:
  ServingProfilesTest() {
    source_ = scripted_profiles();
    keep({scripted_table(Phase::train), scripted_table(Phase::infer)});
  }
  void keep(const std::vector<WorkloadTable>& tables) {
    const auto file = folder_ / "board.csv";
    ASSERT_TRUE(write_file(file, format_table(tables)).ok());
    source_.files = {file.string()};
  }
  Result<std::optional<ServingPlan>> plan() {
    return plan_live(request_, source_, {ScriptedBoard().info(), "module"}, &knobs_, notes_);
  }

  TempFolder folder_;
  ProfileSource source_;
  ServeRequest request_ = asking(200, "poisson:20");
  ScriptedDevice knobs_;
  std::vector<std::string> notes_;
};

TEST_F(ServingProfilesTest, PlansWithTheTablesThatAreNamed) {
  const auto made = plan();
  ASSERT_TRUE(made.ok()) << made.error().message;
  ASSERT_TRUE(made->has_value());
  EXPECT_EQ((*made)->mode().values.at("gpu_mhz"), 600);
  EXPECT_EQ(request_.train_batch, 16) << "the training runs with what the plan has";
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("planned with 6 trials of ")));
}

TEST_F(ServingProfilesTest, WithoutProfilesTheModeStaysButABudgetIsAnError) {
  source_ = {};
  request_.device = "host";
  const auto none = plan();
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->has_value());
  EXPECT_THAT(notes_,
              ElementsAre("no profiles of learn training, double inference on this board to plan "
                          "with: the mode stays as it is (`flyball plan concurrent --train learn "
                          "--infer double --device host --rate 20 --latency 200ms` makes them)"));
  request_.plan.power_budget_w = 15;
  EXPECT_THAT(plan().error().message, HasSubstr("no profiles of learn training"));
  source_.of_networks = false;  // as the broker asks for the user's own programs
  EXPECT_EQ(plan().error().hint, "name a table of each with --measured FILE.csv");
}

// Another board of this kind, whose store was collected into this one, has the same fingerprint.
TEST_F(ServingProfilesTest, OfTheStoreItsOwnTrialsAloneCount) {
  const auto place = folder_ / "store.db";
  source_.files.clear();
  source_.store = [&] { return Store::open(place); };
  const DeviceInfo board = ScriptedBoard().info().device;
  {
    Store store = Store::open(place).value();
    for (const Phase phase : {Phase::train, Phase::infer}) {
      const WorkloadTable table = scripted_table(phase);
      for (size_t row = 0; row < table.size(); ++row) {
        Measurement m;
        m.device = board.name;
        m.fingerprint = board.fingerprint;
        m.trial = table.space.trial(row, table.workload, phase);
        m.minibatch_ms = table.minibatch_ms[row];
        m.power = PowerReading{.mean_w = table.power_w[row], .total = "module"};
        ASSERT_TRUE(store.add_measurement(m).ok());
      }
    }
  }
  const auto own = plan();
  ASSERT_TRUE(own.ok() && own->has_value());
  ASSERT_TRUE(make_collected(place, "another").ok());
  const auto none = plan();
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->has_value());
}

TEST_F(ServingProfilesTest, ATableWithoutARoleIsAnError) {
  keep({scripted_table(Phase::train)});
  EXPECT_THAT(plan().error().message, HasSubstr("holds no double inference"));
}

TEST_F(ServingProfilesTest, FiguresOfAnotherBoardOrTotalAreRefused) {
  source_.read = [](const std::string&, const std::string&, Phase phase) {
    WorkloadTable table = scripted_table(phase);
    table.device = "another";
    return Result<WorkloadTable>(std::move(table));
  };
  EXPECT_THAT(plan().error().message, HasSubstr("and this board is scripted"));
  source_.read = [](const std::string&, const std::string&, Phase phase) {
    WorkloadTable table = scripted_table(phase);
    table.power_total = "GPU";
    return Result<WorkloadTable>(std::move(table));
  };
  EXPECT_THAT(plan().error().message, HasSubstr("is that of 'GPU', and this board's is that of"));
}

TEST_F(ServingProfilesTest, ATableThatDoesNotSayItsTotalIsTakenForTheBoards) {
  source_.read = [](const std::string&, const std::string&, Phase phase) {
    WorkloadTable table = scripted_table(phase);
    table.power_total.clear();
    return Result<WorkloadTable>(std::move(table));
  };
  ASSERT_TRUE(plan().ok());
  EXPECT_THAT(notes_, ElementsAre(HasSubstr("taken for that of this board, 'module'"),
                                  HasSubstr("planned with 6 trials")));
}

TEST_F(ServingProfilesTest, MoreRolesThanAPlanTakesAreServedWithoutOne) {
  request_.infer = {"double", "double"};
  const auto none = plan();
  ASSERT_TRUE(none.ok());
  EXPECT_FALSE(none->has_value());
  EXPECT_THAT(notes_, ElementsAre(HasSubstr(planned_roles)));
}

TEST_F(ServingProfilesTest, MeasuringNeedsModesThatNobodyProfiledAndAGapForTheSwitch) {
  const auto made = plan();
  ASSERT_TRUE(made.ok() && made->has_value());
  EXPECT_TRUE(check_measure(request_, source_, **made, 10).ok());
  request_.measure = 1;
  EXPECT_THAT(check_measure(request_, source_, **made, 10).error().message,
              HasSubstr("every mode that can be set here is profiled"));
}

TEST(ServeRequest, PromotionNeedsCheckpointsAndANetworkThatIsBoth) {
  ServeRequest request = asking(100, "poisson:10");
  EXPECT_TRUE(request.check().ok());
  EXPECT_EQ(request.checkpoint_of("learn", "key"), "");
  request.promote = true;
  EXPECT_THAT(request.check().error().message, HasSubstr("serves what checkpoints hold"));
  request.checkpoints = "/kept";
  EXPECT_THAT(request.check().error().message, HasSubstr("both served and trained"));
  request.train = {"double"};
  EXPECT_TRUE(request.check().ok());
  EXPECT_EQ(request.checkpoint_of("double", "key"), "/kept/double.ckpt");
  request.shared_checkpoints = true;
  EXPECT_EQ(request.checkpoint_of("double", "key"), "/kept/double-key.ckpt");
  request.train = {"double", "double"};
  EXPECT_THAT(request.check().error().message, HasSubstr("double is trained twice"));
  request.checkpoints.clear();
  request.promote = false;
  EXPECT_TRUE(request.check().ok()) << "none of them is kept";
}

}  // namespace
}  // namespace flyball
