// Records that somebody forged, or that nobody wrote whole.
#include "recording/record_reader.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "base/clock.h"
#include "base/json.h"
#include "base/os/temp_folder.h"
#include "recording/record_csv.h"
#include "recording/record_json.h"
#include "recording/record_testing.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;

class RecordReaderTest : public ::testing::Test {
 protected:
  void SetUp() override {
    auto recorder = SampleRecorder::create(file_, sample_info(), sample_channels());
    ASSERT_TRUE(recorder.ok()) << recorder.error().message;
    ASSERT_TRUE(write_samples(*recorder, 0, 130, 10).ok());
    ASSERT_TRUE(recorder->mark(1'000'000'000, "begin").ok());
    ASSERT_TRUE(recorder->set_fact("own_cpu_s", "1.3").ok());
    ASSERT_TRUE(recorder->finish(130'000'000'000, "duration").ok());
  }
  void forge(const std::string& sql) const {
    auto database = Database::open(file_, {});
    ASSERT_TRUE(database.ok()) << database.error().message;
    const Status status = database->run_script(sql.c_str());
    ASSERT_TRUE(status.ok()) << status.error().message;
  }
  Json read() const {
    auto reader = RecordReader::open(file_);
    EXPECT_TRUE(reader.ok()) << reader.error().message;
    if (!reader) return {};
    const auto json = record_json(*reader);
    EXPECT_TRUE(json.ok()) << json.error().message;
    return json ? *json : Json();
  }
  std::string refusal() const {
    const auto reader = RecordReader::open(file_);
    EXPECT_FALSE(reader.ok());
    return reader.ok() ? "" : reader.error().message;
  }

  TempFolder folder_;
  std::filesystem::path file_ = folder_.path() / "a.flyrec";
};

TEST_F(RecordReaderTest, TellsEnergyWithItsErrorAndWhatRecordingTook) {
  const Json json = read();
  EXPECT_DOUBLE_EQ(json["own_cpu_percent"].get<double>(), 1);
  const Json& rail = json["channels"][0];
  // Half of what a second ranges over, of a hundred samples each, for 130 s.
  const double error_j = rail["error_j"].get<double>();
  EXPECT_GT(error_j, 0);
  EXPECT_LT(error_j, 0.5 * 5 / std::sqrt(100.0) * std::sqrt(130.0));
  // A counter of 20 W that is read every 10 ms is off by as much at either end.
  EXPECT_NEAR(json["channels"][1]["error_j"].get<double>(), 20 * 0.01 * std::sqrt(2.0), 0.02);
  EXPECT_FALSE(json["channels"][2].contains("error_j"));
  EXPECT_DOUBLE_EQ(json["totals"][0]["error_j"].get<double>(), error_j);
}

// What the samples of record_testing.h come to between two times.
double joules_between(double from_s, double to_s) {
  const double turn = 2 * 3.14159265358979 / 60;
  return 10 * (to_s - from_s) + 5 / turn * (std::cos(turn * from_s) - std::cos(turn * to_s));
}

// Energy is that of the time that is told beside it, not of whole seconds near to it.
TEST_F(RecordReaderTest, APartOfARecordHasItsOwnEnergy) {
  auto reader = RecordReader::open(file_);
  ASSERT_TRUE(reader.ok());
  for (const auto& [from_s, to_s] : {std::pair(10.5, 13.5),
                                     {10.2, 10.8},
                                     {10.0, 13.0},
                                     {59.7, 61.1},
                                     {0.3, 129.4},
                                     {125.5, 126.0}}) {
    const auto figures = record_figures(*reader, std::llround(from_s * ticks_per_s),
                                        std::llround(to_s * ticks_per_s));
    ASSERT_TRUE(figures.ok());
    const RecordFigures& watts = figures->channels[0];
    EXPECT_NEAR(watts.covered_s, to_s - from_s, 1e-3) << from_s;
    EXPECT_EQ(watts.gap_s, 0) << from_s;
    EXPECT_NEAR(watts.energy_j, joules_between(from_s, to_s), 0.01) << from_s;
    EXPECT_NEAR(figures->channels[1].energy_j, 20 * (to_s - from_s), 0.02) << from_s;
  }
}

// Of whole minutes that stand for it, a part has its share.
TEST_F(RecordReaderTest, APartOfThinnedMinutesHasItsShare) {
  forge(
      fmt::format("UPDATE fact SET value='{0}' WHERE name IN ('samples_since', 'seconds_since');"
                  "INSERT INTO fact (name, value) SELECT n, '{0}' FROM (SELECT 'samples_since' AS "
                  "n UNION SELECT 'seconds_since') WHERE n NOT IN (SELECT name FROM fact)",
                  120 * ticks_per_s));
  auto reader = RecordReader::open(file_);
  ASSERT_TRUE(reader.ok());
  ASSERT_EQ(reader->seconds_since(), 120 * ticks_per_s);
  const auto figures = record_figures(*reader, 15 * ticks_per_s, 105 * ticks_per_s);
  ASSERT_TRUE(figures.ok());
  EXPECT_NEAR(figures->channels[0].covered_s, 90, 0.1);
  EXPECT_NEAR(figures->channels[0].energy_j, 900, 1);
  EXPECT_NEAR(figures->channels[1].energy_j, 1800, 2);
}

// Hours of looking into empty years would be as good as a hang.
TEST_F(RecordReaderTest, ALengthOfAHundredYearsIsNoWork) {
  forge(fmt::format("UPDATE fact SET value='{}' WHERE name='end'", most_ticks));
  const Stopwatch watch;
  const Json json = read();
  EXPECT_GT(json["seconds"].get<double>(), 3e9);
  EXPECT_NEAR(json["channels"][0]["covered_s"].get<double>(), 130, 0.1);
  auto reader = RecordReader::open(file_);
  ASSERT_TRUE(reader.ok());
  EXPECT_TRUE(record_page_json(*reader, {.begin = 0, .end = reader->end()}).ok());
  const auto rows = record_csv(*reader, 0, reader->end(), [](const auto&) { return Status(); });
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(*rows, 13'000u + 13'000 + 130);
  EXPECT_LT(watch.seconds(), 5);
}

TEST_F(RecordReaderTest, NamesThatATerminalWouldObeyAreRefused) {
  forge("UPDATE channel SET name='x' || char(27) || '[2J' WHERE number=0");
  EXPECT_THAT(refusal(), HasSubstr("whose name does not read"));
}

TEST_F(RecordReaderTest, TextsThatATerminalWouldObeyAreLeftOut) {
  forge(
      "UPDATE mark SET name='x' || char(27) || '[2J';"
      "UPDATE fact SET value='x' || char(27) || '[2J' WHERE name='stopped';"
      "UPDATE fact SET value=replace(value, 'a board', '\\u001b[2J') WHERE name='record'");
  const Json json = read();
  EXPECT_TRUE(json["marks"].empty());
  EXPECT_TRUE(json["stopped"].is_null());
  EXPECT_EQ(json["board"], "");
}

TEST_F(RecordReaderTest, StepsThatValuesOverflowWithAreRefused) {
  for (const char* step : {"1e300", "1e-300", "0", "-1", "9e999"}) {
    forge(fmt::format("UPDATE channel SET step={} WHERE number=0", step));
    EXPECT_THAT(refusal(), HasSubstr("step")) << step;
  }
}

// The second page is that of a table; errors and remedies are of a record, which no --store names.
TEST_F(RecordReaderTest, WhatIsDamagedIsCalledARecordWithItsOwnRemedy) {
  std::fstream(file_, std::ios::in | std::ios::out | std::ios::binary)
      .seekp(4096)
      .write(std::string(4000, 'x').data(), 4000);
  const auto reader = RecordReader::open(file_);
  ASSERT_FALSE(reader.ok());
  EXPECT_THAT(reader.error().message, HasSubstr("the record " + file_.string() + " is damaged"));
  EXPECT_THAT(reader.error().hint, HasSubstr(".recover"));
  EXPECT_THAT(reader.error().hint, ::testing::Not(HasSubstr("store")));
}

TEST_F(RecordReaderTest, ATruncatedFileIsRefusedOrReadsWhatIsThere) {
  std::ifstream in(file_, std::ios::binary);
  const std::string whole((std::istreambuf_iterator<char>(in)), {});
  size_t refused = 0;
  for (size_t length = 0; length < whole.size(); length += 1 + whole.size() / 23) {
    std::ofstream(file_, std::ios::binary | std::ios::trunc) << whole.substr(0, length);
    auto reader = RecordReader::open(file_);
    const auto json = reader ? record_json(*reader) : reader.error();
    if (!json) {
      ++refused;
      EXPECT_THAT(json.error().message, HasSubstr(file_.filename().string())) << length;
      EXPECT_NE(json.error().hint, "") << length;
    } else {
      EXPECT_EQ((*json)["channels"].size(), 3u) << length;
    }
  }
  EXPECT_GT(refused, 10u);
}

}  // namespace
}  // namespace flyball
