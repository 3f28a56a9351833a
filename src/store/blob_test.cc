#include "store/blob.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/random.h"

namespace flyball {
namespace {

TEST(Blob, GivesBackMinibatchesToTheNanosecond) {
  Random random(1);
  std::vector<MinibatchTimes> times(1000);
  for (MinibatchTimes& time : times) {
    const double scale = std::pow(10.0, random.uniform(-4, 6));
    time = {scale * random.uniform(), scale * random.uniform(), 2.5 * scale * random.uniform(),
            static_cast<int>(random.below(5))};
  }
  const auto bytes = encode_minibatches(times);
  ASSERT_TRUE(bytes.ok());
  const auto decoded = decode_minibatches(bytes.value());
  ASSERT_TRUE(decoded.ok());
  ASSERT_EQ(decoded->size(), times.size());
  for (size_t i = 0; i < times.size(); ++i) {
    EXPECT_NEAR((*decoded)[i].stall_ms, times[i].stall_ms, 0.6e-6);
    EXPECT_NEAR((*decoded)[i].compute_ms, times[i].compute_ms, 0.6e-6);
    EXPECT_NEAR((*decoded)[i].e2e_ms, times[i].e2e_ms, 0.6e-6);
    EXPECT_EQ((*decoded)[i].epoch, times[i].epoch);
  }
  EXPECT_EQ(encode_minibatches(decoded.value()).value(), bytes.value());
}

TEST(Blob, IsCompact) {
  const std::vector<MinibatchTimes> times(100, {0.2, 1.1, 1.305});
  EXPECT_LE(encode_minibatches(times).value().size(), 900u);
  Random random(2);
  std::vector<MinibatchTimes> noisy = times;
  for (MinibatchTimes& time : noisy) {
    time.stall_ms *= 1 + 0.05 * random.normal();
    time.compute_ms *= 1 + 0.05 * random.normal();
    time.e2e_ms = time.stall_ms + time.compute_ms + 0.005 * (1 + 0.05 * random.normal());
  }
  EXPECT_LE(encode_minibatches(noisy).value().size(), 900u);
}

TEST(Blob, GivesBackATrace) {
  const std::vector<PowerSample> trace = {{0, 0}, {0.01, 30.125}, {0.02, 29.5}, {3600, 0.000001}};
  EXPECT_EQ(decode_trace(encode_trace(trace).value()).value(), trace);
  EXPECT_TRUE(decode_trace("")->empty());
}

TEST(Blob, RefusesWhatCannotBeKept) {
  EXPECT_FALSE(encode_minibatches({{0, std::nan(""), 1}}).ok());
  EXPECT_FALSE(encode_minibatches({{1e300, 1, 1}}).ok());
  EXPECT_FALSE(encode_minibatches({{1, 1, 2, -1}}).ok());
  EXPECT_FALSE(encode_trace({{0, INFINITY}}).ok());
}

TEST(Blob, RefusesDamagedBytes) {
  std::string bytes = encode_minibatches({{0.2, 1.1, 1.305}}).value();
  bytes.pop_back();
  EXPECT_EQ(decode_minibatches(bytes).error().code, Code::corrupt);
  EXPECT_FALSE(decode_minibatches(std::string(30, '\xff')).ok());
  EXPECT_FALSE(decode_minibatches(std::string("\0\0\0\x01", 4)).ok()) << "an epoch below 0";
  EXPECT_FALSE(decode_trace("\x01").ok());
  EXPECT_FALSE(decode_trace(std::string(9, '\xff') + "\x01" + std::string(1, '\0')).ok());
}

}  // namespace
}  // namespace flyball
