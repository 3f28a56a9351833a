// What each option of a kind must refuse, in words that name it, with a remedy; the words of single
// refusals stand in tests/answers.
#include <gmock/gmock.h>

#include "base/files.h"
#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::AnyOf;
using ::testing::HasSubstr;

using Words = std::vector<std::string>;

class BadInputTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    table_ = small_table().string();
    infer_ = small_table("infer").string();
  }
  void expect_refused(const Words& words, const std::string& named, const std::string& remedy) {
    const Finished done = run(words);
    const std::string line = ::testing::PrintToString(words);
    EXPECT_EQ(done.exit_code, 2) << line;
    EXPECT_THAT(done.err, HasSubstr("flyball: ")) << line;
    EXPECT_THAT(done.err, HasSubstr(named)) << line;
    EXPECT_THAT(done.err, HasSubstr(remedy)) << line;
  }
  std::string table_, infer_;
};

// Every option whose help names a file that is written.
TEST_F(BadInputTest, AFileIsNotWrittenIntoAFolderThatIsNotThere) {
  const std::string folder = (folder_ / "nodir").string(), file = folder + "/x.html";
  const std::vector<Words> commands = {
      {"tune", "net", "--device", "table:" + table_, "--report"},
      {"plan", "training", "--train", table_, "--report"},
      {"profile", "lenet5", "--report"},
      {"profile", "lenet5", "--save"},
      {"profile", "lenet5", "--csv"},
      {"profile", "lenet5", "--trace"},
      {"serve", "--infer", infer_, "--rate", "10", "--latency", "1s", "--report"},
      {"serve", "--infer", infer_, "--rate", "10", "--latency", "1s", "--trace"},
      {"measure", "--csv", file, "--", "true"},
      {"runs", "show", "1", "--report"},
      {"report", "1", "--out"},
      {"export", "--out"},
      {"import", table_, "--out"},
      {"predict", table_, "--out"},
      {"twin", "table", "resnet18", "--device", "twin:orin_nano", "--out"},
      {"evaluate", "search", "--problem", "training", "--train", table_, "--cases"}};
  for (Words words : commands) {
    if (words[0] != "measure") words.push_back(file);
    expect_refused(words, "there is no folder '" + folder + "'", "make it (mkdir -p '" + folder);
    EXPECT_FALSE(fs::exists(folder)) << ::testing::PrintToString(words);
  }
  const fs::path page = folder_ / "page.html";
  EXPECT_EQ(run({"tune", "net", "--device", "table:" + table_, "-q", "--report", page.string()})
                .exit_code,
            0);
  EXPECT_TRUE(fs::exists(page));
}

// Every option that takes a number: what is beyond anything is refused by name, and soon.
TEST_F(BadInputTest, NumbersBeyondAnythingAreRefused) {
  const std::string device = "table:" + table_;
  const Words tune = {"tune", "net", "--device", device};
  const Words profile = {"profile", "lenet5"};
  const Words inference = {"plan", "inference", "--infer", infer_};
  const Words experiment = {"experiment", "run", FLYBALL_SOURCE_DIR "/experiments/workers.toml"};
  const Words dynamic = {"plan", "dynamic", "--infer", infer_, "--windows", "10:1min"};
  const Words serve = {"serve", "--infer", infer_, "--latency", "1s", "--duration", "1s"};
  const Words network = {"serve", "--infer", "lenet5", "--latency", "1s", "--duration", "1s"};
  const Words search = {"evaluate", "search", "--problem", "training", "--train", table_};
  const Words live = {"evaluate", "live", "--train", table_, "--infer", infer_};
  struct Case {
    Words words;
    std::vector<std::string> options;
    std::string unit = "";
  };
  const std::vector<Case> cases = {
      {tune, {"--samples", "--gap", "--profiles", "--axis gpu_mhz=", "--axis batch_size="}},
      {tune, {"--power-budget"}, "W"},
      {tune, {"--energy-budget"}, "J"},
      {tune, {"--time-budget", "--duration", "--trial-time"}, "s"},
      {tune, {"--memory", "--cache"}, "GB"},
      {profile,
       {"--learning-rate", "--weight-decay", "--accumulate", "--image-size", "--batch-size",
        "--epochs", "--workers", "--prefetch", "--threads", "--tokens"}},
      {profile, {"--interval", "--patience", "--plug-ahead", "--plug-zone"}, "s"},
      {inference, {"--rate", "--percentile", "--profiles", "--arrivals poisson:"}},
      {inference, {"--latency"}, "s"},
      {inference, {"--idle-power"}, "W"},
      {dynamic, {"--switch-cost"}, "s"},
      {dynamic, {"--switch-energy"}, "J"},
      {{"plan", "dynamic", "--infer", infer_}, {"--windows 10:"}, "s"},
      {serve,
       {"--rate", "--jitter", "--queue", "--measure",
        "--arrivals poisson:", "--arrivals constant:"}},
      {network,
       {"--batch-size", "--train-batch-size", "--workers", "--share", "--listen 127.0.0.1:"}},
      {network, {"--body-memory"}, "GB"},
      {network, {"--checkpoint-every", "--switch-cost"}, "s"},
      {{"evaluate", "predict", "--truth", table_}, {"--profiles", "--runs", "--threads"}},
      {{"evaluate", "optimise", "--truth", table_}, {"--profiles", "--runs", "--confidence"}},
      {search, {"--every", "--profiles", "--seeds", "--min-gain", "--draws"}},
      {live, {"--every", "--jitter", "--traces"}},
      {{"twin", "calibrate", "--truth", table_}, {"--rows", "--rounds"}},
      {{"twin", "population", "--out", "p"}, {"--networks"}},
      {{"dataset", "make", "images", "--out", "d"}, {"--samples", "--classes"}},
      {{"describe", "lenet5"}, {"--batch-size"}},
      {{"describe", "lenet5"}, {"--memory"}, "GB"},
      {{"roofline", "lenet5"}, {"--batch-size"}},
      {{"mode", "cost", "cpu_cores=1"}, {"--rounds"}},
      {experiment, {"--scale"}},
  };
  for (const Case& one : cases)
    for (const std::string& option : one.options)
      for (const char* number : {"1e308", "9223372036854775807"}) {
        Words words = one.words;
        const size_t blank = option.find(' ');
        words.push_back(option.substr(0, blank));
        words.push_back((blank == std::string::npos ? "" : option.substr(blank + 1)) + number +
                        one.unit);
        const Finished done = run(words);
        const std::string line = ::testing::PrintToString(words);
        EXPECT_EQ(done.exit_code, 2) << line;
        // This, not something else of the command.
        const size_t error = done.err.rfind("flyball: ");  // behind notes
        ASSERT_NE(error, std::string::npos) << line;
        EXPECT_THAT(done.err.substr(error, done.err.find('\n', error) - error),
                    AnyOf(HasSubstr(option.substr(2, blank - 2)), HasSubstr(number)))
            << line;
        EXPECT_THAT(done.err, HasSubstr("HINT: ")) << line;
        EXPECT_THAT(done.out, "") << line;
      }
  expect_refused({"tune", "net", "--device", device, "--samples", "1e308"},
                 "--samples: '1e308' is beyond 1e+15", "HINT");
}

TEST_F(BadInputTest, OnePlaceIsWrittenByOneOption) {
  const std::string file = (folder_ / "both").string();
  const std::string same = (folder_ / "./both").string();
  expect_refused({"profile", "lenet5", "--report", file, "--csv", same}, "--csv names",
                 "one would replace the other");
  expect_refused({"measure", "--trace", file, "--csv", file, "--", "true"}, "--trace names",
                 "one would replace the other");
  EXPECT_FALSE(fs::exists(file));
  // Nor is what is read replaced, whichever is named first.
  const std::string kept = (folder_ / "kept").string(), again = (folder_ / "./kept").string();
  ASSERT_TRUE(write_file(kept, "mine").ok());
  expect_refused({"fleet", "show", "--store", kept, "--report", again}, "--store names",
                 "one would replace the other");
  expect_refused({"campaign", "report", kept, "--csv", again}, "names",
                 "one would replace the other");
  expect_refused({"tune", "net", "--report", table_, "--device", "table:" + table_},
                 "--device names", "one would replace the other");
  EXPECT_EQ(*read_file(kept, 100), "mine");
  expect_refused({"export", "--out", "-"}, "'-' is no place", "stdout");
  expect_refused({"tune", "net", "--device", "table:" + table_, "--report", "-"}, "'-'", "./-");
  expect_refused({"evaluate", "search", "--problem", "training", "--train", table_, "--cases", "-"},
                 "'-' is no place", "stdout");
  EXPECT_FALSE(fs::exists("-"));
}

}  // namespace
}  // namespace flyball::testing_tools
