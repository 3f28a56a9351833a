// BERT-base on drawn questions, as a user types it: 109 million parameters take their time.
#include <gmock/gmock.h>

#include "base/json.h"
#include "live_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

class QuestionsTest : public LiveTest {
 protected:
  void SetUp() override {
    LiveTest::SetUp();
    if (IsSkipped()) return;
    questions_ = (folder_ / "questions").string();
    ASSERT_EQ(run({"dataset", "make", "squad", "--samples", "100", "--out", questions_}).exit_code,
              0);
  }
  std::string questions_;
};

TEST_F(QuestionsTest, ProfileTrainsBert) {
  const Finished done =
      run({"profile", "bert_base", "--data", questions_, "--epochs", "1", "--steps", "2",
           "--batch-size", "2", "--tokens", "32", "--channels-last", "-q", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("bert_base takes no pictures, so --channels-last"));
  const SortedJson json = done.json();
  EXPECT_EQ(json["parameters"], 108893186);
  EXPECT_EQ(json["dataset"]["kind"], "squad");
  EXPECT_EQ(json["request"]["tokens"], 32);
  EXPECT_EQ(json["request"]["channels_last"], false);
  const SortedJson epoch = json["epochs"][0];
  EXPECT_EQ(epoch["samples"], 4);
  EXPECT_GT(epoch["preprocess_s"], 0);  // tokenising is counted
  EXPECT_GT(epoch["fetch_s"], 0);
  EXPECT_GT(epoch["loss"], 0);
}

TEST_F(QuestionsTest, TuneChoosesAndKeepsTheTokens) {
  const Finished done = run({"tune",    "bert_base",   "--device",     "host",
                             "--phase", "infer",       "--data",       questions_,
                             "--axis",  "tokens=32",   "--axis",       "batch_size=1",
                             "--axis",  "cpu_cores=1", "--axis",       "loader_workers=0,1",
                             "--axis",  "prefetch=1",  "--trial-time", "1s",
                             "-q",      "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_FALSE(done.json()["choice"].is_null());
  EXPECT_EQ(done.json()["profiles"], 2);
  EXPECT_THAT(run({"export"}).out, HasSubstr("tokens"));
}

}  // namespace
}  // namespace flyball::testing_tools
