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

}  // namespace
}  // namespace flyball
