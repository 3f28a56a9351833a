// Input that was once taken for something else than was meant: each is refused before anything is
// measured, in words that name it, with a remedy.
#include <gmock/gmock.h>

#include <algorithm>

#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

using Words = std::vector<std::string>;

class BadInputTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    table_ = small_table().string();
    std::string served = slurp(table_);
    for (size_t at = 0; (at = served.find(",train,", at)) != std::string::npos;)
      served.replace(at, 7, ",infer,");
    infer_ = write("infer.csv", served).string();
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

TEST_F(BadInputTest, ABareNumberIsNoDurationPowerOrEnergy) {
  const std::string device = "table:" + table_;
  const Words tune = {"tune", "net", "--device", device};
  const Words training = {"plan", "training", "--train", table_};
  const Words inference = {"plan", "inference", "--infer", infer_, "--rate", "10"};
  const Words dynamic = {"plan", "dynamic", "--infer", infer_, "--windows", "10:1min"};
  struct Case {
    Words words;
    std::string option, value, likely;
  };
  const std::vector<Case> cases = {
      {tune, "--power-budget", "30", "say 30W or 30mW"},
      {tune, "--time-budget", "4", "say 4ms or 4s"},
      {tune, "--energy-budget", "2.5", "say 2.5J or 2.5kJ"},
      {tune, "--trial-time", "10", "say 10ms or 10s"},
      {training, "--power-budget", "30", "say 30W or 30mW"},
      {training, "--time-budget", "50", "say 50ms or 50s"},
      {training, "--energy-budget", "1", "say 1J or 1kJ"},
      {inference, "--latency", "800", "say 800ms or 800s"},
      {inference, "--trial-time", "1", "say 1ms or 1s"},
      {dynamic, "--switch-cost", "2", "say 2ms or 2s"},
      {{"plan", "dynamic", "--infer", infer_}, "--windows", "10:60", "say 60ms or 60s"},
      {{"measure"}, "--interval", "10", "say 10ms or 10s"},
      {{"measure"}, "--plug-ahead", "1", "say 1ms or 1s"},
      {{"profile", "lenet5"}, "--interval", "0.1", "say 0.1ms or 0.1s"},
      {{"profile", "lenet5"}, "--patience", "5", "say 5ms or 5s"},
      {{"experiment", "run", "x.toml"}, "--plug-zone", "3600", "say 3600ms or 3600s"},
      {{"evaluate", "optimise", "--target", table_}, "--budgets", "17:50:1", "say 17:50:1W"}};
  for (const Case& one : cases) {
    Words words = one.words;
    words.insert(words.end(), {one.option, one.value});
    if (words[0] == "measure") words.insert(words.end(), {"--", "true"});
    expect_refused(words, "has no unit", one.likely);
  }
  EXPECT_NE(run({"measure", "--interval", "10", "--", "true"}).err.find("--interval: '10'"),
            std::string::npos);
}

TEST_F(BadInputTest, ATimeOutOfBoundsIsRefused) {
  expect_refused({"profile", "lenet5", "--interval", "0s"}, "--interval: '0s'", "1ms to 1h");
  expect_refused({"measure", "--interval", "2h", "--", "true"}, "--interval: '2h'", "1ms to 1h");
  expect_refused({"tune", "net", "--device", "table:" + table_, "--trial-time", "1ms"},
                 "--trial-time: '1ms'", "100ms to 1h");
  expect_refused(
      {"plan", "dynamic", "--infer", infer_, "--windows", "10:1min", "--switch-cost=-1s"},
      "--switch-cost: '-1s'", "0s or more");
}

TEST_F(BadInputTest, NumbersAreTakenAsTheyStandOrNotAtAll) {
  const std::string device = "table:" + table_;
  for (const char* wrong : {"-1", "0x10", "99999999999999999999", "1.5", "+1", " 1"})
    expect_refused({"tune", "net", "--device", device, "--profiles", wrong}, wrong, "HINT");
  for (const char* wrong : {"-1", "99999999999999999999999"})
    expect_refused({"evaluate", "predict", "--target", table_, "--threads", wrong}, wrong,
                   "whole number");
  for (const char* wrong : {"nan", "inf", "1e999"})
    expect_refused({"plan", "inference", "--infer", infer_, "--rate", wrong}, wrong,
                   "is not a number");
  expect_refused({"profile", "lenet5", "--epochs", "0x2"}, "0x2", "whole number");
  expect_refused({"profile", "lenet5", "--learning-rate", "nan"}, "nan", "is not a number");
}

// Every option that takes a number: what is beyond anything is refused by name, and soon.
TEST_F(BadInputTest, NumbersBeyondAnythingAreRefused) {
  const std::string device = "table:" + table_;
  const Words tune = {"tune", "net", "--device", device};
  const Words profile = {"profile", "lenet5"};
  const Words inference = {"plan", "inference", "--infer", infer_};
  const Words dynamic = {"plan", "dynamic", "--infer", infer_, "--windows", "10:1min"};
  const Words serve = {"serve", "--infer", infer_, "--latency", "1s", "--for", "1s"};
  const Words network = {"serve", "--infer", "lenet5", "--latency", "1s", "--for", "1s"};
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
      {tune, {"--time-budget", "--for", "--trial-time"}, "s"},
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
      {network, {"--batch", "--train-batch", "--workers", "--share", "--listen 127.0.0.1:"}},
      {network, {"--body-memory"}, "GB"},
      {network, {"--checkpoint-every", "--switch-cost"}, "s"},
      {{"evaluate", "predict", "--target", table_}, {"--modes", "--runs", "--threads"}},
      {{"evaluate", "optimise", "--target", table_}, {"--modes", "--runs", "--confidence"}},
      {search, {"--every", "--max-profiles", "--seeds", "--min-gain", "--draws"}},
      {live, {"--every", "--jitter", "--traces"}},
      {{"twin", "calibrate", "--target", table_}, {"--rows", "--rounds"}},
      {{"twin", "population", "--out", "p"}, {"--n"}},
      {{"dataset", "make", "images", "--out", "d"}, {"--samples", "--classes"}},
      {{"describe", "lenet5"}, {"--batch-size"}},
      {{"describe", "lenet5"}, {"--memory"}, "GB"},
      {{"roofline", "lenet5"}, {"--batch"}},
      {{"mode", "cost", "cpu_cores=1"}, {"--rounds"}},
      {{"experiment", "run", "x.toml"}, {"--scale"}},
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
        EXPECT_THAT(done.err, HasSubstr("HINT: ")) << line;
        EXPECT_THAT(done.out, "") << line;
      }
  expect_refused({"tune", "net", "--device", device, "--samples", "1e308"},
                 "--samples: '1e308' is beyond 1e+15", "HINT");
}

TEST_F(BadInputTest, AnEmptyNameIsNoName) {
  const std::string device = "table:" + table_;
  for (const Words& words : std::vector<Words>{{"tune", "", "--device", device},
                                               {"tune", "net", "--device", ""},
                                               {"tune", "net", "--device", device, "--phase", ""},
                                               {"predict", "", "--device", device},
                                               {"pareto", table_, "--workload", ""},
                                               {"pareto", ""},
                                               {"import", table_, "--out", ""},
                                               {"reference", "add", table_, "--name", ""},
                                               {"dataset", "make", "digits", "--out", ""},
                                               {"plan", "training", "--train", ""}})
    expect_refused(words, "empty", "HINT");
  EXPECT_EQ(run({"measure", "--", "true", ""}).exit_code, 0) << "a program's words are its own";
}

TEST_F(BadInputTest, ValuesAreAsManyAsThereAreServices) {
  expect_refused({"plan", "inference", "--infer", infer_, "--rate", "10", "20"},
                 "--rate has 2 values for 1 service", "one for each --infer");
  expect_refused({"plan", "two-inference", "--infer", infer_, infer_, "--rate", "1", "--latency",
                  "1s", "2s", "3s"},
                 "--latency has 3 values for 2 services", "one for all");
  expect_refused({"plan", "two-inference"}, "takes two --infer", "FILE.csv");
  expect_refused({"plan", "training", "--train", table_, "--train", table_},
                 "plan training takes one --train", "FILE.csv");
  expect_refused({"plan", "two-inference", "--train", table_}, "not expected", "--help");
}

TEST_F(BadInputTest, OptionsOfNetworksSayNothingToAProgram) {
  for (const Words& option : std::vector<Words>{
           {"--epochs", "3"}, {"--workers", "1"}, {"--learning-rate", "0.1"}, {"--data", "x"}}) {
    Words words = {"profile"};
    words.insert(words.end(), option.begin(), option.end());
    words.insert(words.end(), {"--", "true"});
    expect_refused(words, option[0] + " says nothing to a program", "leave it out");
  }
  expect_refused({"tune", "--phase", "train", "--", "true"}, "--phase says nothing",
                 "leave it out");
  expect_refused({"profile", "lenet5", "--patience", "1s"}, "--patience", "after --");
  expect_refused({"profile", "script:net.pt", "--patience", "1s"}, "--patience", "after --");
  expect_refused({"tune", "net", "--device", "table:" + table_, "--data", "x"}, "no data is read",
                 "leave --data out");
  expect_refused({"plan", "training", "--train", table_, "--data", "x"}, "no data is read",
                 "leave --data out");
}

TEST_F(BadInputTest, WhatChangesNothingIsRefusedWhateverIsRun) {
  const std::string device = "table:" + table_;
  for (const Words& option : std::vector<Words>{{"--memory", "1GB"},
                                                {"--no-memory-check"},
                                                {"--trial-time", "1s"},
                                                {"--loss", "x.pt"}}) {
    Words words = {"tune", "net", "--device", device};
    words.insert(words.end(), option.begin(), option.end());
    expect_refused(words, option[0] + " changes nothing", "leave " + option[0] + " out");
  }
  expect_refused({"plan", "training", "--train", table_, "--memory", "1GB"},
                 "--memory changes nothing", "leave --memory out");
  // A value that is the usual one was given all the same.
  expect_refused({"tune", "net", "--device", device, "--optimizer", "sgd"},
                 "--optimizer changes nothing", "leave --optimizer out");
  for (const std::string command : {"tune", "profile"})
    expect_refused({command, "resnet18", "--device", "twin:orin_agx", "--accumulate", "2"},
                   "--accumulate means nothing on a simulated board", "leave it out");
  expect_refused({"plan", "inference", "--infer", infer_, "--latency", "1s", "--arrivals",
                  "poisson:3", "--objective", "time"},
                 "--objective says nothing beside --arrivals", "plan without --arrivals");
}

TEST_F(BadInputTest, ADeviceThatATableIsNotOfIsRefused) {
  for (const std::string& device : {"table:" + infer_, std::string("twin:orin_agx")})
    expect_refused({"plan", "training", "--train", table_, "--device", device},
                   "--device " + device + " says nothing of the table " + table_,
                   "leave --device out");
}

TEST_F(BadInputTest, AMinibatchHasNoMorePartsThanSamples) {
  expect_refused({"profile", "lenet5", "--accumulate", "100000"},
                 "a minibatch of 16 samples has no 100000 parts", "--accumulate takes 1 to 16");
}

TEST_F(BadInputTest, OptionsOfServedNetworksSayNothingToTables) {
  const Words tables = {"serve", "--infer", infer_, "--latency", "1s", "--arrivals", "poisson:3"};
  for (const Words& option : std::vector<Words>{{"--weights", "x.ckpt"}, {"--workers", "1"}}) {
    Words words = tables;
    words.insert(words.end(), option.begin(), option.end());
    expect_refused(words, option[0] + " changes nothing", "leave " + option[0] + " out");
  }
  expect_refused({"serve", "--infer", "lenet5", "--latency", "1s", "--arrivals", "poisson:3",
                  "--jitter", "0.1"},
                 "--jitter says nothing to 'lenet5'", "simulated boards");
}

TEST_F(BadInputTest, APlugMetersLogMustBeThereBeforeTheRun) {
  const std::string ran = (folder_ / "ran").string();
  expect_refused({"measure", "--plug", "/no/such.csv", "--", "touch", ran}, "/no/such.csv", "HINT");
  expect_refused({"profile", "--plug", "/no/such.csv", "--", "touch", ran}, "/no/such.csv", "HINT");
  expect_refused({"profile", "--csv", "/proc/no/x.csv", "--", "touch", ran}, "/proc/no", "HINT");
  EXPECT_FALSE(fs::exists(ran));
}

TEST_F(BadInputTest, MessagesAreAboutWhatIsWrong) {
  const std::string device = "table:" + table_;
  expect_refused({"tune", "--device", "table:"}, "table", "FILE");
  expect_refused({"tune", "--device", device, "--report", "net"}, "--report takes a file",
                 "net.html");
  std::string semicolons = slurp(table_);
  std::ranges::replace(semicolons, ',', ';');
  const std::string file = write("semi.csv", semicolons).string();
  for (const Words& words :
       std::vector<Words>{{"import", file}, {"pareto", file}, {"reference", "add", file}})
    expect_refused(words, "columns are separated by ';'", "with commas");
  expect_refused({"pareto", table_, "--phase", "infer"}, "holds no workload in phase infer",
                 "it holds: net");
  expect_refused({"evaluate", "search", "--problem", "two-inference"}, "takes two --infer", "FILE");
  // What stands behind --axis is the workload, in whatever order they come.
  const Words first = {"tune", "--axis", "cpu_cores=4", "net", "--device", device, "--json", "-q"};
  EXPECT_EQ(run(first).exit_code, 0);
}

TEST_F(BadInputTest, ATableWithOneWorkloadNeedsNoNameForIt) {
  const Finished one = run({"tune", "--device", "table:" + table_, "--json", "-q"});
  ASSERT_EQ(one.exit_code, 0) << one.err;
  EXPECT_EQ(one.json()["request"]["workload"], "net");
  EXPECT_EQ(run({"predict", "--device", "table:" + table_}).exit_code, 0);
  const std::string rows = slurp(table_);
  std::string other = rows.substr(rows.find('\n') + 1);
  for (size_t at = 0; (at = other.find(",net,", at)) != std::string::npos;)
    other.replace(at, 5, ",dog,");
  const std::string two = write("two.csv", rows + other).string();
  for (const std::string command : {"tune", "predict"})
    expect_refused({command, "--device", "table:" + two}, "holds 2 workloads",
                   "it holds: net (train), dog (train)");
}

TEST_F(BadInputTest, AnAxisNarrowsATable) {
  const std::string device = "table:" + table_;
  const Words tune = {"tune", "net", "--device", device, "--json", "-q"};
  Words narrow = tune;
  narrow.insert(narrow.end(), {"--axis", "cpu_cores=2,4", "--axis", "gpu_mhz=500..1000"});
  const Finished done = run(narrow);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["configurations"], 2 * 5 * 2);
  for (const auto& trial : nlohmann::json(done.json()["profiled"])) {
    EXPECT_LE(trial["config"]["cpu_cores"], 4);
    EXPECT_GE(trial["config"]["gpu_mhz"], 500);
    EXPECT_LE(trial["config"]["gpu_mhz"], 1000);
  }
  const auto refused = [&](const std::string& axis, const std::string& named,
                           const std::string& remedy) {
    Words words = tune;
    words.insert(words.end(), {"--axis", axis});
    expect_refused(words, named, remedy);
  };
  refused("gpu_mhz=700", "the table has no gpu_mhz 700", "the nearest: 600 and 900");
  refused("gpu_mhz=610..890", "lies in gpu_mhz=610..890", "the nearest: 600 and 900");
  refused("mem_mhz=1", "no axis 'mem_mhz'", "it has: batch_size");
  refused("gpu_mhz=fast", "is not an axis", "LEAST..MOST");
  refused("gpu_mhz=nan", "gpu_mhz cannot be nan", "write the values");
}

TEST_F(BadInputTest, AnAnswerSaysWhatWasAsked) {
  const Finished tune = run({"tune", "net", "--device", "table:" + table_, "--power-budget", "15W",
                             "--time-budget", "100ms", "-q"});
  ASSERT_EQ(tune.exit_code, 0) << tune.err;
  EXPECT_THAT(tune.out, HasSubstr("asked: objective time, power ≤ 15 W, minibatch ≤ 100 ms\n"));
  const Finished plan = run({"plan", "inference", "--infer", infer_, "--rate", "40", "--latency",
                             "0.8s", "--power-budget", "15W", "-q"});
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_THAT(plan.out, HasSubstr("asked: objective latency, power ≤ 15 W, net 40 requests/s with "
                                  "latency ≤ 800 ms\n"));
}

TEST_F(BadInputTest, WhatCannotBeDescribedIsRefused) {
  for (const char* wrong : {"0", "-3", "65537", "100000000000"})
    expect_refused({"describe", "lenet5", "--batch-size", wrong}, "--batch-size",
                   "describe --help");
  expect_refused({"describe", "model.onnx"}, "there is no workload 'model.onnx'",
                 "onnx:model.onnx");
  expect_refused({"profile", "nets/model.pt"}, "there is no workload 'nets/model.pt'",
                 "script:nets/model.pt");
}

TEST_F(BadInputTest, SharesAreOfTrainings) {
  expect_refused(
      {"serve", "--infer", infer_, "--latency", "1s", "--arrivals", "poisson:5", "--share", "2"},
      "--share has 1 value for 0 trainings", "one for each --train");
}

TEST_F(BadInputTest, RequestsNameTheirModelOnce) {
  expect_refused({"serve", "--infer", "lenet5", "--infer", "lenet5", "--latency", "1s"},
                 "lenet5 is served twice", "serve it once");
}

TEST_F(BadInputTest, TheHelpThatIsNamedIsThatOfTheCommand) {
  expect_refused({"roofline", "measure", "--nothing"}, "--nothing",
                 "`flyball roofline measure --help`");
  expect_refused({"runs", "show", "1", "--nothing"}, "--nothing", "`flyball runs show --help`");
}

TEST_F(BadInputTest, OnePlaceIsWrittenByOneOption) {
  const std::string file = (folder_ / "both").string();
  const std::string same = (folder_ / "none/../both").string();
  expect_refused({"profile", "lenet5", "--report", file, "--csv", same}, "--csv names",
                 "one would replace the other");
  expect_refused({"measure", "--trace", file, "--csv", file, "--", "true"}, "--trace names",
                 "one would replace the other");
  EXPECT_FALSE(fs::exists(file));
  expect_refused({"export", "--out", "-"}, "'-' is no place", "stdout");
  expect_refused({"tune", "net", "--device", "table:" + table_, "--report", "-"}, "'-'", "./-");
  expect_refused({"evaluate", "search", "--problem", "training", "--train", table_, "--cases", "-"},
                 "'-' is no place", "stdout");
  EXPECT_FALSE(fs::exists("-"));
}

TEST_F(BadInputTest, EveryPartKeepsItsThingsInOnePlace) {
  for (const char* name : {"FLYBALL_STORE", "FLYBALL_REFERENCES"}) environment_.erase(name);
  environment_["XDG_DATA_HOME"] = "";
  environment_["HOME"] = (folder_ / "home").string();
  ASSERT_EQ(run({"import", table_}).exit_code, 0);
  ASSERT_EQ(run({"reference", "add", table_}).exit_code, 0);
  const fs::path data = folder_ / "home/.local/share/flyball";
  EXPECT_TRUE(fs::exists(data / "store.db"));
  EXPECT_TRUE(fs::exists(data / "references/table.csv"));
}

}  // namespace
}  // namespace flyball::testing_tools
