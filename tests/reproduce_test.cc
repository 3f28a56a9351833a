// scripts/reproduce over a folder laid out like the public originals, with made-up tables.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cctype>

#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class ReproduceTest : public CommandTest {
 protected:
  Finished reproduce(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), FLYBALL_SOURCE_DIR "/scripts/reproduce");
    for (const std::string& word :
         {std::string("--out"), (folder_ / "page").string(), std::string("--flyball"),
          std::string(FLYBALL_BIN_DIR "/flyball")})
      arguments.push_back(word);
    program_ = "/usr/bin/python3";
    return run(arguments);
  }
  std::string page() { return slurp(folder_ / "page/reproduce.html"); }

  // The papers' 441 modes; time falls and power rises with every clock.
  void make_public(const std::string& name, double gpu_work) {
    const fs::path place = folder_ / "clones/Dream-Lab/data_final/train";
    fs::create_directories(place);
    std::ofstream file(place / name);
    file << "cores,cpu,gpu,mem,observed_time,observed_power\n";
    for (const double cores : {4, 8, 12})
      for (const double cpu : {422.4, 729.6, 1036.8, 1344.0, 1651.2, 1958.4, 2201.6})
        for (const double gpu : {114.75, 318.75, 522.75, 726.75, 930.75, 1134.75, 1300.5})
          for (const double mem : {665.6, 2133.0, 3199.0})
            file << cores << ',' << static_cast<int64_t>(cpu * 1e3) << ','
                 << static_cast<int64_t>(gpu * 1e6) << ',' << static_cast<int64_t>(mem * 1e6) << ','
                 << gpu_work / gpu + 60000 / cpu / cores + 20000 / mem << ','
                 << 8 + 0.02 * gpu + 0.0006 * cpu * cores + 0.002 * mem << '\n';
  }

  // Logs of 54 modes, as the loggers wrote them: 8 minibatches and power, on one clock.
  void make_logs(const std::string& name) {
    for (const double cores : {2, 4, 6})
      for (const double cpu : {729.6, 1113.6, 1510.4})
        for (const double gpu : {306.0, 408.0, 624.75})
          for (const double mem : {2133.0, 3199.0}) {
            const fs::path mode =
                folder_ / "clones" / name /
                fmt::format("pm_{}_{}_{}_{}", cores, cpu * 1e3, gpu * 1e6, mem * 1e6);
            fs::create_directories(mode);
            const double ms = 200000 / gpu + 200000 / cpu / cores + 40000 / mem;
            std::ofstream epochs(mode / "mn_nw4_pf2_epoch_stats.csv");
            std::ofstream power(mode / "mn_nw4_pf2_tegrastats.csv");
            epochs << "epoch,time,loss,accuracy,epochtime_ms,log_time\n0,null,\":\",null,6000,6\n";
            power << "time,power cur,log_time\n";
            for (int i = 1; i < 9; ++i) {
              epochs << "0,null,\":\",null," << ms << ',' << 6 + i * ms / 1e3 << '\n';
              power << i << ',' << 4000 + 5 * gpu + cpu * cores / 3 << ',' << 6 + i * ms / 1e3
                    << '\n';
            }
          }
  }
};

TEST_F(ReproduceTest, ComparesWhatItFindsWithWhatWasPublished) {
  make_public("resnet_train_data_final.csv", 60000);
  make_public("mobnet_train_data_final.csv", 20000);
  fs::create_directories(folder_ / "clones/BoFL/AGX");
  std::ofstream(folder_ / "clones/BoFL/AGX/CIFAR10.json") << "{\"1,2\": [1, 2]}";
  const Finished done = reproduce({(folder_ / "clones").string(), "--quick", "--only", "search"});
  EXPECT_EQ(done.exit_code, 1);  // a damaged table, and no module in some builds: named
  EXPECT_THAT(done.err, HasSubstr("entry '1,2'"));
  const std::string text = page();
  EXPECT_THAT(text, HasSubstr("orin_agx resnet18 train"));
  EXPECT_THAT(
      text,
      HasSubstr("<td>training resnet18</td><td>gmd</td><td>median excess %</td><td>8.8</td>"));
  EXPECT_THAT(text,
              HasSubstr("<td>training mobilenet_v3</td><td>flyball</td><td>problems solved</td>"));
  EXPECT_THAT(text, HasSubstr("AutoCITE, an earlier version of Fulcrum"));
  EXPECT_THAT(text, HasSubstr("<svg"));
  EXPECT_THAT(text, HasSubstr("entry &#x27;1,2&#x27;"));
  // The second time everything is known.
  const Finished again = reproduce({(folder_ / "clones").string(), "--quick", "--only", "search"});
  EXPECT_THAT(again.err, Not(HasSubstr("search_training_orin_agx_resnet18_flyball")));
}

TEST_F(ReproduceTest, OtherBoardsAreSimulatedUnlessTheirLogsAreThere) {
  make_logs("Orin-nano2/runs/ResNet");
  const Finished done =
      reproduce({(folder_ / "clones").string(), "--quick", "--only", "generalise"});
  const std::string text = page();
  // Without the module the networks fail, and are named; ours stands either way.
  EXPECT_THAT(text, HasSubstr("<td>orin_nano resnet18 train</td>"));
  const std::string modes = " from resnet18 on orin_agx, 50 modes</td><td>";
  for (const char* how : {"measured", "simulated"}) {
    const std::string row = "<td>resnet18 on orin_nano (" + std::string(how) + ")" + modes +
                            "auto</td><td>time error %</td><td>–</td><td>–</td><td>";
    const size_t at = text.find(row);
    ASSERT_NE(at, std::string::npos) << row << done.err;
    EXPECT_TRUE(std::isdigit(static_cast<unsigned char>(text.at(at + row.size()))))
        << text.substr(at, row.size() + 30);
  }
  EXPECT_THAT(text, HasSubstr(modes + "transfer-nn</td><td>time error %</td><td>7.85</td>"));
  EXPECT_THAT(text, HasSubstr("<td>AGX Xavier, worst network"));
  EXPECT_THAT(text, HasSubstr("<td>percentage points</td><td>88</td>"));
  EXPECT_THAT(text, HasSubstr("shapes, not figures"));
}

TEST_F(ReproduceTest, WithoutAFolderTheOwnExampleIsDone) {
  const Finished done = reproduce({});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(page(), HasSubstr("lenet5 (train, host), 10 modes"));
  EXPECT_THAT(page(), HasSubstr("PowerTrain, Future Generation Computer Systems 2024"));
}

// By a program that counts what it is asked, and says that each network is 12.5 % wrong.
class ReproduceAgainTest : public ReproduceTest {
 protected:
  void SetUp() override {
    ReproduceTest::SetUp();
    const std::string count = (folder_ / "count").string();
    write("version", "flyball 1");
    write("count", "");
    write("program",
          "#!/bin/sh\ncase $1 in\n--version) cat '" + (folder_ / "version").string() +
              "' ;;\nimport) cp \"$4\" \"$6\"; case $4 in *nano*) b=orin_nano ;; *) b=orin_agx ;; "
              "esac; echo \"{\\\"workloads\\\": [\\\"resnet18 train on $b\\\"]}\" ;;\n"
              "*) echo x >>'" +
              count +
              "'; echo '{\"rows\": [{\"predictor\": \"nn\", \"modes\": 10, \"time_mape\": "
              "{\"median\": "
              "12.5}, \"power_mape\": null}]}' ;;\nesac\n");
    fs::permissions(folder_ / "program", fs::perms::owner_all);
    for (const char* board : {"agx", "nano"}) write_table(board, "a table\n");
  }
  void write_table(const std::string& board, const std::string& text) {
    const fs::path place = folder_ / "clones" / board;
    fs::create_directories(place);
    std::ofstream(place / "resnet_train_data_final.csv") << text;
  }
  /// How many questions were asked of the program.
  ptrdiff_t asked() {
    write("count", "");
    program_ = "/usr/bin/python3";
    const Finished done =
        run({FLYBALL_SOURCE_DIR "/scripts/reproduce", (folder_ / "clones").string(), "--only",
             "predict", "--out", (folder_ / "page").string(), "--flyball",
             (folder_ / "program").string()});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return std::ranges::count(slurp(folder_ / "count"), '\n');
  }
};

TEST_F(ReproduceAgainTest, WhatIsKnownIsOfTheseTablesAndThisProgram) {
  EXPECT_EQ(asked(), 6);  // linear, nn and auto of two boards
  EXPECT_EQ(asked(), 0);
  write_table("nano", "another table\n");
  EXPECT_EQ(asked(), 3);
  std::ofstream(folder_ / "page/results/predict_orin_agx_resnet18_train_nn.json") << "{\"cut";
  EXPECT_EQ(asked(), 1);
  write("version", "flyball 2");
  EXPECT_EQ(asked(), 6);
}

TEST_F(ReproduceAgainTest, WhatWasPublishedIsOfItsBoard) {
  asked();
  const std::string more = "), 10 modes</td><td>nn</td><td>time error %</td><td>";
  EXPECT_THAT(page(), HasSubstr("<td>resnet18 (train, orin_agx" + more + "59.9</td><td>12.5</td>"));
  EXPECT_THAT(page(), HasSubstr("<td>resnet18 (train, orin_nano" + more + "–</td><td>12.5</td>"));
}

TEST_F(ReproduceTest, AFolderThatIsNoneIsRefused) {
  const Finished done = reproduce({"/no/such/folder"});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_THAT(done.err, HasSubstr("HINT"));
}

}  // namespace
}  // namespace flyball::testing_tools
