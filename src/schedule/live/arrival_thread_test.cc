#include "schedule/live/arrival_thread.h"

#include <gmock/gmock.h>

#include "schedule/live/live_serving_testing.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;

/// One request a millisecond; before one of them its thread is held up.
class HeldUp final : public ArrivalSource {
 public:
  std::optional<int64_t> next_ns() override {
    if (++came_ == 100) sleep_until_ns(monotonic_ns() + 100'000'000);
    if (came_ > 300) return std::nullopt;
    return came_ * 1'000'000;
  }

 private:
  int64_t came_ = 0;
};

TEST(ArrivalThread, RequestsThatComeLaterThanTheyWereDueAreSaid) {
  LiveServing serving({.warm_up_s = 0.1});
  serving.add(rules(2000), std::make_unique<Doubler>(10'000));
  ASSERT_TRUE(serving.warm_up().ok());
  const Doubler runner(0);
  ArrivalThread thread(serving, 0, runner, std::make_unique<HeldUp>());
  ASSERT_TRUE(serving.run(1).ok());
  thread.end();
  const ServiceResult served = serving.snapshot().services[0];
  EXPECT_EQ(served.answered, 300u);
  EXPECT_THAT(thread.late_note(served), HasSubstr("double: 1 % of the requests came "));
}

TEST(ArrivalThread, LatenessCountsAgainstWhatAnAnswerTakes) {
  EXPECT_FALSE(is_sent_late(0.9, 1));
  EXPECT_TRUE(is_sent_late(1.1, 1));
  EXPECT_FALSE(is_sent_late(1.1, 100));
  EXPECT_TRUE(is_sent_late(5.1, 100));
}

}  // namespace
}  // namespace flyball
