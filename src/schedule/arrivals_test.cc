#include "schedule/arrivals.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>

#include "base/os/temp_folder.h"

namespace flyball {
namespace {

std::vector<int64_t> drawn(const ArrivalSpec& spec, uint64_t seed, size_t most) {
  const auto source = make_arrivals(spec, seed);
  std::vector<int64_t> times;
  while (times.size() < most)
    if (const auto next = source->next_ns())
      times.push_back(*next);
    else
      break;
  return times;
}

TEST(Arrivals, ConstantIsClockwork) {
  const auto spec = parse_arrivals("constant:50");
  ASSERT_TRUE(spec.ok());
  EXPECT_THAT(drawn(*spec, 1, 3), testing::ElementsAre(20'000'000, 40'000'000, 60'000'000));
}

TEST(Arrivals, WhatWouldComeInThousandsOfYearsDoesNotCome) {
  for (const char* text : {"constant:1e-12", "poisson:1e-300"}) {
    const auto spec = parse_arrivals(text);
    ASSERT_TRUE(spec.ok()) << text;
    EXPECT_THAT(drawn(*spec, 1, 3), testing::IsEmpty()) << text;
  }
}

TEST(Arrivals, PoissonHasItsRateAndSpread) {
  const auto spec = parse_arrivals("poisson:60");
  ASSERT_TRUE(spec.ok());
  const auto times = drawn(*spec, 1, 60000);
  EXPECT_NEAR(static_cast<double>(times.back()) * 1e-9, 1000, 15);
  double squares = 0;
  for (size_t i = 1; i < times.size(); ++i) {
    const double gap = static_cast<double>(times[i] - times[i - 1]) * 1e-9 * 60;
    squares += gap * gap;
  }
  EXPECT_NEAR(squares / 6e4, 2, 0.1);  // of an exponential with mean 1
  EXPECT_EQ(times, drawn(*spec, 1, 60000));
  EXPECT_NE(times, drawn(*spec, 2, 60000));
}

TEST(Arrivals, WindowsFollowEachOther) {
  const auto spec = parse_arrivals("windows:30:10min,60:5min");
  ASSERT_TRUE(spec.ok());
  EXPECT_EQ(spec->seconds(), 900);
  EXPECT_NEAR(spec->rate_hz, 40, 1e-9);
  const auto times = drawn(*spec, 5, 1000000);
  const auto early = std::ranges::count_if(times, [](int64_t t) { return t < 600'000'000'000; });
  EXPECT_NEAR(static_cast<double>(early), 18000, 500);
  EXPECT_NEAR(static_cast<double>(times.size()) - static_cast<double>(early), 18000, 500);
  EXPECT_LE(times.back(), 900'000'000'000);
}

TEST(Arrivals, TracesAreStampsOrRates) {
  const TempFolder folder;
  const auto file = folder.path() / "trace.csv";
  std::ofstream(file) << "time_s\n0.5\n0.5\n2\n";
  const auto stamps = parse_arrivals("trace:" + file.string());
  ASSERT_TRUE(stamps.ok());
  EXPECT_THAT(drawn(*stamps, 1, 9), testing::ElementsAre(500'000'000, 500'000'000, 2'000'000'000));
  std::ofstream(file) << "time_s\n1700000000.5\n1700000002\n";
  const auto wall = parse_arrivals("trace:" + file.string());
  ASSERT_TRUE(wall.ok());
  EXPECT_THAT(drawn(*wall, 1, 9), testing::ElementsAre(0, 1'500'000'000));
  std::ofstream(file) << "rate_hz,seconds\n0,10\n100,10\n";
  const auto rates = parse_arrivals("trace:" + file.string());
  ASSERT_TRUE(rates.ok());
  const auto times = drawn(*rates, 1, 100000);
  EXPECT_GE(times.front(), 10'000'000'000);
  EXPECT_NEAR(static_cast<double>(times.size()), 1000, 150);
}

TEST(Arrivals, TheLastRequestOfATraceComesBeforeItsEnd) {
  for (const double last_s : {0.001, 2.0, 86400.1, longest_arrivals_s}) {
    ArrivalSpec spec;
    spec.times_s = {0, last_s};
    EXPECT_LT(drawn(spec, 1, 2).back(), static_cast<int64_t>(*spec.seconds() * 1e9)) << last_s;
    EXPECT_NEAR(*spec.seconds(), last_s, 2e-6);
  }
}

TEST(Arrivals, WhatIsNoSourceIsRefusedInOneLine) {
  const TempFolder folder;
  int files = 0;
  const auto trace = [&](const std::string& text) {
    const auto file = folder.path() / fmt::format("trace{}.csv", ++files);
    std::ofstream(file) << text;
    return "trace:" + file.string();
  };
  const std::vector<std::pair<std::string, std::string>> cases = {
      {"steady:60", "'steady:60' is not a source"},
      {"poisson", "'' is not a rate of 'poisson'"},
      {"poisson:-3", "'-3' is not a rate"},
      {"poisson:nan", "'nan' is not a rate"},
      {"constant:1e300", "'1e300' is not a rate"},
      {"trace:", "names no file"},
      {"trace:/nowhere.csv", "/nowhere.csv"},
      {"windows:30", "'30' is not a rate window"},
      {"windows:30:10", "'10'"},
      {"windows:0:10s", "above zero"},
      {trace("time_s\n3\n2\n"), ":3: column 'time_s': a request comes before the one above it"},
      {trace("time_s\nx\n"), ":2: column 'time_s'"},
      {trace("time_s\n"), "holds no requests"},
      {trace("when\n3\n"), "neither a column time_s"},
      {trace("rate_hz,seconds\n-1,3\n"), ":2: column 'rate_hz'"},
      {trace("rate_hz,seconds\n1,0\n"), ":2: column 'seconds'"},
      {trace("rate_hz,seconds\n0,5\n"), "all rates are 0"},
  };
  for (const auto& [text, complaint] : cases) {
    const auto spec = parse_arrivals(text);
    ASSERT_FALSE(spec.ok()) << text;
    EXPECT_THAT(spec.error().message, testing::HasSubstr(complaint)) << text;
    EXPECT_THAT(spec.error().message, testing::Not(testing::HasSubstr("\n")));
  }
}

TEST(Arrivals, AMisspeltSourceIsNamedAsItIsMeant) {
  EXPECT_EQ(parse_arrivals("poison:6").error().hint, "did you mean poisson:6?");
  EXPECT_EQ(parse_arrivals("windws:3:5s").error().hint, "did you mean windows:3:5s?");
  EXPECT_EQ(parse_arrivals("steady:3").error().hint.substr(0, 7), "one of:");
}

}  // namespace
}  // namespace flyball
