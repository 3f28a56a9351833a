#include "recording/sample_block.h"

#include <gmock/gmock.h>

#include "base/random.h"

namespace flyball {
namespace {

Series walk(uint32_t channel, size_t samples, uint64_t seed) {
  Series series{.channel = channel, .times = {}, .columns = {{}}};
  Random random(seed);
  for (size_t i = 0; i < samples; ++i) {
    series.times.push_back(static_cast<int64_t>(100 * i + random.below(3)));
    series.columns[0].push_back(static_cast<int64_t>(400 * random.below(4)));
  }
  return series;
}

TEST(SampleBlock, GivesBackWhatItWasGiven) {
  const std::vector<Series> block = {
      walk(0, 6000, 1),
      walk(7, 0, 2),
      {3, {-5, -5, largest_in_block}, {{-largest_in_block, 0, largest_in_block}, {1, 2, 3}}}};
  const auto bytes = encode_block(block);
  ASSERT_TRUE(bytes.ok()) << bytes.error().message;
  const auto back = decode_block(*bytes);
  ASSERT_TRUE(back.ok()) << back.error().message;
  EXPECT_EQ(*back, block);
}

TEST(SampleBlock, ASampleOfASteadyClockTakesLessThanABytePerSample) {
  const auto bytes = encode_block({walk(0, 6000, 3)});
  ASSERT_TRUE(bytes.ok());
  EXPECT_LT(bytes->size(), 6000u);
}

TEST(SampleBlock, RefusesWhatItCannotGiveBack) {
  EXPECT_FALSE(encode_block({{0, {2, 1}, {{0, 0}}}}).ok());
  EXPECT_FALSE(encode_block({{0, {1, 2}, {{0}}}}).ok());
  EXPECT_FALSE(encode_block({{0, {1}, {{largest_in_block + 1}}}}).ok());
}

TEST(SampleBlock, EveryFlippedBitIsNoticed) {
  const std::vector<Series> block = {walk(0, 200, 4)};
  const std::string bytes = encode_block(block).value();
  for (size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    const auto read = decode_block(flipped);
    // A few bits of zlib's header mean nothing to what it holds.
    if (!read.ok()) continue;
    EXPECT_EQ(*read, block) << "bit " << bit;
  }
}

TEST(SampleBlock, EveryShorterPieceIsRefused) {
  const std::string bytes = encode_block({walk(0, 200, 5)}).value();
  for (size_t length = 0; length < bytes.size(); ++length)
    EXPECT_FALSE(decode_block(std::string_view(bytes).substr(0, length)).ok()) << length;
}

TEST(SampleBlock, ASizeThatIsNotPossibleTakesNoMemory) {
  const std::string claims = "\xff\xff\xff\x03xyz";  // 8 MiB in three bytes
  EXPECT_FALSE(decode_block(claims).ok());
}

}  // namespace
}  // namespace flyball
