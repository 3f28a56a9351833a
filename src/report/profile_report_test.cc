#include "report/profile_report.h"

#include <gmock/gmock.h>

namespace flyball {
namespace {

using ::testing::HasSubstr;

// What is missing is said once; who measured beside it is said at all.
TEST(ProfileReport, SaysWhatIsMissingAndWhatDisturbed) {
  const nlohmann::ordered_json profile = {
      {"power_gap", "power is not available on this machine: no RAPL energy counters"},
      {"disturbed", "process 7 (flyball tune)"}};
  const auto notes = program_report(profile, "flyball profile -- ./a.out")["notes"];
  EXPECT_EQ(notes[0]["text"], "power is not available on this machine (`flyball doctor` says why)");
  EXPECT_THAT(notes[0]["hint"].dump(), HasSubstr("no RAPL energy counters"));
  EXPECT_EQ(notes[1]["level"], "warning");
  EXPECT_THAT(notes[1]["text"].dump(), HasSubstr("beside process 7 (flyball tune)"));
}

TEST(ProfileReport, ShowsWhatTrainingShowedAndWhatIdlingDraws) {
  const nlohmann::ordered_json profile = {
      {"request", {{"workload", "lstm"}, {"phase", "train"}, {"device", "cpu"}}},
      {"epochs",
       {{{"epoch", 0}, {"e2e_s", 2.0}, {"loss", 4.0}, {"figures", {{"perplexity", 54.6}}}},
        {{"epoch", 1}, {"e2e_s", 2.0}, {"loss", 3.0}, {"figures", {{"perplexity", 20.1}}}}}},
      {"idle", {{"power_w", 6.0}, {"share", 0.25}, {"measured_utc", "2026"}, {"run", 3}}}};
  const auto sheet = epochs_report(profile, "flyball profile lstm");
  const auto& table = sheet["tables"][0];
  EXPECT_EQ(table["columns"].back()["label"], "perplexity");
  EXPECT_EQ(table["rows"][1]["cells"].back(), 20.1);
  EXPECT_EQ(table["rows"][1]["cells"].size(), table["columns"].size());
  const auto& idle = sheet["figures"].back();
  EXPECT_EQ(idle["value"], 6.0);
  EXPECT_EQ(idle["note"], "25 %, measured 2026 (run 3)");
}

}  // namespace
}  // namespace flyball
