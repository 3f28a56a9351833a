#include "cli/text/profile_text.h"

#include <gmock/gmock.h>

#include "profile/characterise/epochs_testing.h"

namespace flyball::cli {
namespace {

using ::testing::HasSubstr;

std::string printed(const std::vector<double>& seconds) {
  ::testing::internal::CaptureStdout();
  print_epochs(run_of_epochs(seconds));
  return ::testing::internal::GetCapturedStdout();
}

TEST(ProfileText, RemarksOnAnEpochFarBeyondTheOthers) {
  const std::string far = "far beyond the others";
  EXPECT_THAT(printed({0.2, 0.8, 21, 1.5, 0.3, 1.1}), HasSubstr("epoch 2 took 21 s, " + far));
  EXPECT_THAT(printed({0.2, 0.8, 1.4, 1.5, 0.3, 1.1}), ::testing::Not(HasSubstr(far)));
}

TEST(ProfileText, NumbersEpochsOfATrainingThatGoesOnInOneWay) {
  EpochRun run = run_of_epochs({0.2, 0.8, 21, 1.5});
  for (EpochRecord& epoch : run.epochs) epoch.epoch += 4;
  ::testing::internal::CaptureStdout();
  print_epochs(run);
  const std::string text = ::testing::internal::GetCapturedStdout();
  EXPECT_THAT(text, HasSubstr("mean 5-7"));
  EXPECT_THAT(text, HasSubstr("epoch 6 took 21 s"));
  EXPECT_THAT(text, HasSubstr("all whole ones but epoch 4"));
}

TEST(ProfileText, NamesTheMedian) {
  EXPECT_THAT(printed({1, 1}), HasSubstr("median minibatch ms"));
}

}  // namespace
}  // namespace flyball::cli
