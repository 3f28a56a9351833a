// A store that a program before version 2 of the documents wrote: its answers are read, shown and
// printed as they were. Runs 1 to 3 are a tune, a plan and a plan that found nothing.
#include <gmock/gmock.h>
#include <sqlite3.h>

#include <fstream>
#include <sstream>

#include "answers/json_version.h"
#include "answers/stored_json.h"
#include "base/json.h"
#include "base/os/temp_folder.h"
#include "report/run_report.h"
#include "store/store.h"

namespace flyball {
namespace {

using testing::HasSubstr;

class OldStore : public testing::Test {
 protected:
  void SetUp() override {
    const auto place = folder_.path() / "old.db";
    std::ifstream file(FLYBALL_SOURCE_DIR "/tests/stores/before_schema_2.sql");
    std::stringstream text;
    text << file.rdbuf();
    sqlite3* database = nullptr;
    ASSERT_EQ(sqlite3_open(place.c_str(), &database), SQLITE_OK);
    ASSERT_EQ(sqlite3_exec(database, text.str().c_str(), nullptr, nullptr, nullptr), SQLITE_OK);
    sqlite3_close(database);
    auto store = Store::open(place);
    ASSERT_TRUE(store.ok()) << store.error().message;
    for (int64_t id = 1; id <= 3; ++id) {
      runs_.push_back(*store->run(id));
      trials_.push_back(*store->run_measurements(id));
    }
  }
  TempFolder folder_;
  std::vector<StoredRun> runs_;
  std::vector<std::vector<StoredMeasurement>> trials_;
};

TEST_F(OldStore, ItsAnswersAreReadAsVersionTwoAndPrintedAsTheyWere) {
  for (const StoredRun& run : runs_) {
    const Json now = stored_answer(run);
    EXPECT_EQ(now.begin().key(), "schema");
    EXPECT_EQ(now["schema"], 2);
    // Their keys may stand in another order.
    EXPECT_EQ(SortedJson::parse(in_version(now, 1).dump()), SortedJson::parse(run.answer));
  }
}

TEST_F(OldStore, ItsTuneIsCompleted) {
  const Json page = run_report(runs_[0], trials_[0], {}), answer = page["answer"];
  ASSERT_EQ(answer["profiled"].size(), trials_[0].size());
  EXPECT_TRUE(answer["choice"].is_object());
  EXPECT_EQ(answer["request"]["profiles_limit"], 6);
  EXPECT_EQ(answer["run"], 1);
  EXPECT_EQ(answer["axes"].size(), answer["default"]["config"].size());
  EXPECT_EQ(answer["measured"].size(), answer["profiles"]);
  EXPECT_FALSE(page["apply"].empty());
  for (size_t i = 0; i < trials_[0].size(); ++i) {
    EXPECT_FALSE(answer["profiled"][i]["reason"].empty());
    EXPECT_EQ(answer["profiled"][i]["workload"], trials_[0][i].measurement.trial.job.workload);
    EXPECT_TRUE(answer["profiled"][i].contains("minibatch_ms_90"));
  }
}

TEST_F(OldStore, ItsPlansAreCompleted) {
  const Json found = run_report(runs_[1], trials_[1], {}), answer = found["answer"];
  EXPECT_EQ(answer["choice"]["text"],
            "cpu_cores 4, cpu_mhz 1651.2, gpu_mhz 930.75, mem_mhz 3199; resnet18 batch_size 16");
  EXPECT_EQ(answer["would_buy"][0]["choice"]["roles"][0]["minibatch_ms"], nullptr);
  EXPECT_TRUE(answer["front"][0].contains("text") && answer.contains("together"));
  EXPECT_EQ(answer["request"]["power_budget_w"], 30);
  EXPECT_FALSE(answer["request"].contains("measured"));
  EXPECT_EQ(answer["device"]["name"], "orin_agx");
  EXPECT_EQ(answer["device"]["power_total"], "module");
  EXPECT_EQ(answer["profiled"].size(), trials_[1].size());
  EXPECT_EQ(answer["profiled"][0]["origin"], "table");
  EXPECT_FALSE(found["apply"].empty());
  const Json none = run_report(runs_[2], trials_[2], {});
  EXPECT_TRUE(none["answer"]["choice"].is_null());
  EXPECT_TRUE(none["apply"].empty());
}

TEST_F(OldStore, ItsRunsAreToldInALineAndAsPages) {
  const char* const best[] = {" ms", " ms/minibatch, ", "nothing feasible"};
  for (size_t i = 0; i < runs_.size(); ++i) {
    EXPECT_THAT(summary_of(runs_[i]).best, HasSubstr(best[i])) << i;
    EXPECT_EQ(run_report(runs_[i], trials_[i], {})["kind"], i == 0 ? "tune" : "plan");
  }
  EXPECT_THAT(run_report(runs_[2], trials_[2], {}).dump(), HasSubstr("try --power-budget"));
}

}  // namespace
}  // namespace flyball
