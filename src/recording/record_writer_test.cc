#include "recording/record_writer.h"

#include <gmock/gmock.h>

#include "base/os/temp_folder.h"
#include "base/random.h"
#include "recording/record_reader.h"
#include "recording/record_testing.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;

class RecordWriterTest : public ::testing::Test {
 protected:
  RecordWriterTest()
      : writer_(*RecordWriter::create(file(), sample_info(RecordWriter::least_bytes),
                                      sample_channels())) {}
  std::filesystem::path file() const { return folder_.path() / "a.flyrec"; }

  // A block of a minute that does not deflate.
  Status add(BlockLevel level, int64_t minute, size_t numbers = 30'000) {
    Series noise;
    noise.columns.resize(level == BlockLevel::samples || level == BlockLevel::slow ? 1 : 4);
    for (size_t i = 0; i < numbers; ++i) {
      noise.times.push_back(minute * minute_ticks + static_cast<int64_t>(i));
      for (auto& column : noise.columns)
        column.push_back(static_cast<int64_t>(random_.below(uint64_t{1} << 50)));
    }
    return writer_.add(level, minute * minute_ticks, (minute + 1) * minute_ticks, false, {noise});
  }
  RecordReader read() {
    EXPECT_TRUE(writer_.commit().ok());
    auto reader = RecordReader::open(file());
    EXPECT_TRUE(reader.ok()) << reader.error().message;
    return *std::move(reader);
  }

  TempFolder folder_;
  RecordWriter writer_;
  Random random_{1};
};

TEST_F(RecordWriterTest, SamplesGoBeforeSlowOnesAndThoseBeforeSeconds) {
  for (int64_t minute = 0; minute < 40; ++minute) {
    ASSERT_TRUE(add(BlockLevel::samples, minute, 1000).ok());
    ASSERT_TRUE(add(BlockLevel::slow, minute, 3000).ok());
    ASSERT_TRUE(add(BlockLevel::seconds, minute, 5000).ok());
  }
  ASSERT_GT(*writer_.bytes(), RecordWriter::least_bytes);
  ASSERT_TRUE(writer_.thin().ok());
  EXPECT_LE(*writer_.bytes(), RecordWriter::least_bytes);
  const RecordReader reader = read();
  EXPECT_EQ(reader.samples_since(), 38 * minute_ticks) << "the newest two minutes stay";
  EXPECT_EQ(reader.slow_since(), 20 * minute_ticks) << "the newest twenty";
  EXPECT_GT(reader.seconds_since(), 0);
  EXPECT_LE(reader.seconds_since(), 20 * minute_ticks);
}

TEST_F(RecordWriterTest, OfMinutesNoneGoesAndTheBoundIsToldAsReached) {
  for (int64_t minute = 0; minute < 6; ++minute) ASSERT_TRUE(add(BlockLevel::minutes, minute).ok());
  const Status reached = writer_.thin();
  ASSERT_FALSE(reached.ok());
  EXPECT_THAT(reached.error().message,
              HasSubstr("has reached its bound of 4194304 bytes with a value a minute alone"));
  EXPECT_THAT(reached.error().hint, HasSubstr("--most-bytes"));
}

}  // namespace
}  // namespace flyball
