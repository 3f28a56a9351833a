// Simulated boards from the command line: `--device twin:BOARD`. Everything says `simulated`.
#include <gmock/gmock.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "base/json.h"
#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

using testing::HasSubstr;
using testing::Not;
class TwinTest : public CommandTest {
 protected:
  static std::vector<std::string> tuned(const std::string& seed) {
    return {"tune", "resnet18", "--device", "twin:orin_agx", "--modes", "paper", "--power-budget",
            "30W",  "--seed",   seed,       "--profiles",    "8",       "-q"};
  }
  SortedJson tune_json(const std::string& seed, const std::string& last = "--no-store") {
    auto words = tuned(seed);
    words.insert(words.end(), {"--json", last});
    const Finished done = run(words);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    return done.json();
  }
};

TEST_F(TwinTest, TuneSaysSimulatedOnTheTerminalInTheReportAndInTheStore) {
  auto words = tuned("1");
  const fs::path page = folder_ / "report.html";
  words.insert(words.end(), {"--report", page.string()});
  const Finished done = run(words);
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const std::string text = slurp(page);
  EXPECT_THAT(text, HasSubstr("(simulated)"));
  EXPECT_THAT(text, HasSubstr("\"provenance\":\"simulated\""));
  EXPECT_THAT(text, HasSubstr("Measure it first"));
  const fs::path again = folder_ / "again.html";
  ASSERT_EQ(run({"report", "1", "--out", again.string()}).exit_code, 0);
  EXPECT_THAT(slurp(again), HasSubstr("Measure it first")) << "as it was when it was made";
  const Finished table = run({"export", "--workload", "resnet18"});
  ASSERT_EQ(table.exit_code, 0) << table.err;
  EXPECT_THAT(table.out, HasSubstr(",simulated"));
  EXPECT_THAT(table.out, Not(HasSubstr("measured\n")));
}

// Settings and readings of each trial; when it was made is another's business.
SortedJson readings_of(const SortedJson& tune) {
  SortedJson readings = SortedJson::array();
  for (const SortedJson& trial : tune["profiled"])
    readings.push_back({trial["config"], trial["minibatch_ms"], trial["power_w"]});
  return readings;
}

TEST_F(TwinTest, TheSeedDecidesWhateverTheStoreHolds) {
  const SortedJson first = tune_json("5");
  ASSERT_EQ(run(tuned("5")).exit_code, 0);
  ASSERT_EQ(run(tuned("6")).exit_code, 0);
  const SortedJson again = tune_json("5", "--fresh"), other = tune_json("6");
  EXPECT_EQ(readings_of(first), readings_of(again));
  EXPECT_EQ(first["choice"]["config"], again["choice"]["config"]);
  EXPECT_NE(readings_of(first), readings_of(other));
  EXPECT_EQ(first["choice"]["provenance"], "simulated");
  EXPECT_LE(first["choice"]["power_w"], 30.0);
}

TEST_F(TwinTest, NothingSimulatedEntersAFitUnlessAsked) {
  ASSERT_EQ(run(tuned("1")).exit_code, 0);
  const fs::path table = folder_ / "twin.csv";
  ASSERT_EQ(run({"export", "--workload", "resnet18", "--out", table.string()}).exit_code, 0);
  const Finished left_out =
      run({"tune", "resnet18", "--device", "table:" + table.string(), "--no-store", "-q"});
  EXPECT_EQ(left_out.exit_code, 2);
  const Finished asked =
      run({"predict", "resnet18", "--device", "twin:orin_agx", "--predictor", "linear", "--json"});
  EXPECT_EQ(asked.exit_code, 0) << asked.err;
  EXPECT_GE(asked.json()["profiled"], 5);
  EXPECT_THAT(asked.json()["notes"].dump(), HasSubstr("what was profiled is simulated"));
  // What is predicted of somebody's measurements is not simulated, whatever board they are of.
  std::string rows = slurp(table);
  for (size_t at = 0; (at = rows.find(",simulated", at)) != std::string::npos;)
    rows.replace(at, std::string(",simulated").size(), ",measured");
  const fs::path measured = folder_ / "measured.csv";
  std::ofstream(measured) << rows;
  const Finished own = run({"predict", "resnet18", "--device", "twin:orin_agx", "--from",
                            measured.string(), "--predictor", "linear", "--json"});
  EXPECT_EQ(own.exit_code, 0) << own.err;
  EXPECT_THAT(own.json()["notes"].dump(), Not(HasSubstr("simulated")));
}

TEST_F(TwinTest, TwoRolesShareTheBoard) {
  const Finished done =
      run({"plan", "concurrent", "--device", "twin:orin_agx", "--modes", "paper", "--train",
           "resnet18", "--infer", "mobilenet_v3", "--rate", "60", "--latency", "1s",
           "--power-budget", "40W", "--json", "--no-store", "-q"});
  ASSERT_EQ(done.exit_code, 0) << done.err << done.out;
  EXPECT_THAT(done.out, HasSubstr("\"simulated\""));
}

TEST_F(TwinTest, ASimulatedTableIsKeptAsAReferenceOfItsOwnKindAlone) {
  const fs::path table = fs::path(FLYBALL_SOURCE_DIR) / "examples" / "orin_agx_twin.csv";
  const Finished added = run({"reference", "add", table.string()});
  ASSERT_EQ(added.exit_code, 0) << added.err;
  const auto with = [&](std::vector<std::string> more) {
    more.insert(more.begin(), {"tune", "mobilenet_v3", "--device", "twin:orin_agx", "--modes",
                               "paper", "--profiles", "5", "--no-store", "-q", "--json"});
    return run(more).json();
  };
  const SortedJson plain = with({}), accepted = with({"--accept", "simulated"});
  EXPECT_EQ(readings_of(plain), readings_of(with({"--no-reference"})));
  EXPECT_NE(readings_of(plain), readings_of(accepted));
}

TEST_F(TwinTest, TheExampleIsWhatTheTwinDraws) {
  const Finished drawn = run({"twin", "table", "resnet18", "-q"});
  ASSERT_EQ(drawn.exit_code, 0) << drawn.err;
  const fs::path file = fs::path(FLYBALL_SOURCE_DIR) / "examples" / "orin_agx_twin.csv";
  std::istringstream now(drawn.out), kept(slurp(file));
  std::string a, b;
  size_t lines = 0;
  while (std::getline(now, a) && std::getline(kept, b)) {
    ++lines;
    EXPECT_EQ(std::ranges::count(a, ','), std::ranges::count(b, ',')) << "line " << lines;
    std::istringstream left(a), right(b);
    // Up to the last figure of another machine's arithmetic.
    for (std::string x, y; std::getline(left, x, ',') && std::getline(right, y, ',');)
      if (char* end = nullptr; x != y) {
        EXPECT_NEAR(std::strtod(x.c_str(), &end) / std::strtod(y.c_str(), nullptr), 1, 0.002)
            << "line " << lines << ": draw it again by `flyball twin table resnet18 --out "
            << "examples/orin_agx_twin.csv`";
        EXPECT_EQ(*end, 0) << x << " " << y;
      }
  }
  EXPECT_EQ(lines, 442u);
  EXPECT_TRUE(now.eof() && !std::getline(kept, b)) << "rows that the one has alone";
}

TEST_F(TwinTest, AConcurrentPlanIsTriedWithBothRolesAtOnce) {
  std::vector<std::string> words = {
      "plan",      "concurrent", "--device",       "twin:orin_agx", "--modes",    "paper",
      "--train",   "resnet18",   "--infer",        "mobilenet_v3",  "--rate",     "60",
      "--latency", "1s",         "--power-budget", "40W",           "--no-store", "-q"};
  words.emplace_back("--json");
  const SortedJson together = run(words).json()["together"];
  ASSERT_TRUE(together.is_object());
  EXPECT_TRUE(together["refused"].is_null());
  EXPECT_EQ(together["provenance"], "simulated");
  const double planned = together["planned_per_s"];
  EXPECT_GT(planned, 5);
  // Whole minibatches that just fit into each window fit into most of them.
  EXPECT_GT(together["train_per_s"].get<double>(), 0.85 * planned);
  EXPECT_LT(together["train_per_s"].get<double>(), 1.05 * planned);
  EXPECT_LE(together["latency_ms"], 600);
  EXPECT_LE(together["hungrier_w"].get<double>(), 1.03 * 40);
  EXPECT_EQ(together["late"], 0);
  // A mode for each role is another schedule, and too many pairs of them are refused.
  words.emplace_back("--separate-modes");
  words[5] = "30";
  EXPECT_TRUE(run(words).json()["together"].is_null());
  words[5] = "all";
  EXPECT_EQ(run(words).exit_code, 2);
}

TEST_F(TwinTest, ChanceArrivalsAndServingRunOnIt) {
  const Finished plan = run({"plan", "concurrent", "--device", "twin:orin_agx", "--modes", "paper",
                             "--train", "resnet18", "--infer", "mobilenet_v3", "--arrivals",
                             "poisson:60", "--latency", "1s", "--power-budget", "40W", "--json"});
  ASSERT_EQ(plan.exit_code, 0) << plan.err;
  EXPECT_GT(plan.json()["simulated"]["trainings_per_s"], 5);
  const Finished serve = run({"serve", "--device", "twin:orin_agx", "--modes", "paper", "--infer",
                              "mobilenet_v3", "--train", "resnet18", "--latency", "500ms",
                              "--arrivals", "poisson:30", "--duration", "10s", "--json", "-q"});
  ASSERT_EQ(serve.exit_code, 0) << serve.err;
  EXPECT_EQ(serve.json()["simulated"], true);
  EXPECT_THAT(serve.json()["device"].get<std::string>(), HasSubstr("(simulated)"));
}

TEST_F(TwinTest, DoctorAndModeTellWhatTheBoardHas) {
  const Finished doctor = run({"doctor", "--device", "twin:orin_agx", "--json"});
  ASSERT_EQ(doctor.exit_code, 0) << doctor.err;
  const SortedJson board = doctor.json();
  EXPECT_EQ(board["simulated"], true);
  EXPECT_THAT(board["board"]["name"].get<std::string>(), HasSubstr("(simulated)"));
  EXPECT_EQ(board["axes"].size(), 4u);
  EXPECT_LT(board["totals"]["module"]["power_w"], board["totals"]["monitor"]["power_w"]);
  EXPECT_FALSE(run({"doctor", "--json"}).json()["simulated"]);
}

TEST_F(TwinTest, IdlePowerIsToldAndKeptNowhere) {
  const Finished done = run({"mode", "idle", "cpu_cores=2,gpu_mhz=306", "cpu_cores=12", "--device",
                             "twin:orin_agx", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const SortedJson idle = done.json()["idle"];
  ASSERT_EQ(idle.size(), 2u);
  EXPECT_EQ(idle[0]["provenance"], "simulated");
  EXPECT_LT(idle[0]["power_w"], idle[1]["power_w"]);
  EXPECT_THAT(run({"runs", "list"}).out, Not(HasSubstr("idle")));
}

TEST_F(TwinTest, EveryBoardTunesAndProfiles) {
  for (const char* board : {"nano", "xavier_nx", "xavier_agx", "orin_nano", "orin_nx", "orin_agx",
                            "rpi5", "rtx3090", "rtx_a5000"}) {
    const std::string device = std::string("twin:") + board;
    const Finished tune = run({"tune", "lenet5", "--device", device, "--modes", "40", "--profiles",
                               "5", "--no-store", "-q", "--json"});
    ASSERT_EQ(tune.exit_code, 0) << board << tune.err;
    EXPECT_EQ(tune.json()["choice"]["provenance"], "simulated") << board;
    EXPECT_TRUE(tune.json()["choice"]["power_w"].is_number()) << board;
    const Finished profile =
        run({"profile", "lenet5", "--device", device, "--steps", "20", "--epochs", "1", "--json"});
    EXPECT_EQ(profile.exit_code, 0) << board << profile.err;
    EXPECT_EQ(run({"doctor", "--device", device}).exit_code, 0) << board;
  }
}

TEST_F(TwinTest, ProfilesAndTablesAreSimulatedToo) {
  const Finished profile = run({"profile", "resnet18", "--device", "twin:orin_agx", "--epochs", "2",
                                "--steps", "50", "--workers", "4", "--json"});
  ASSERT_EQ(profile.exit_code, 0) << profile.err;
  const SortedJson run_ = profile.json();
  EXPECT_EQ(run_["provenance"], "simulated");
  const SortedJson epoch = run_["epochs"][1];
  EXPECT_TRUE(epoch["loss"].is_null());
  EXPECT_NEAR(epoch["e2e_s"].get<double>(),
              epoch["stall_s"].get<double>() + epoch["compute_s"].get<double>() +
                  epoch["overhead_s"].get<double>(),
              1e-9);
  const Finished table =
      run({"twin", "table", "resnet18", "--device", "twin:orin_nano", "--modes", "12", "-q"});
  ASSERT_EQ(table.exit_code, 0) << table.err;
  EXPECT_EQ(std::count(table.out.begin(), table.out.end(), '\n'), 13);
}

TEST_F(TwinTest, ExperimentsRunWhereTheTwinHasTheKnob) {
  const fs::path folder = fs::path(FLYBALL_SOURCE_DIR) / "experiments";
  const auto simulated = [&](const std::string& name, const std::string& board) {
    return run({"experiment", "run", (folder / name).string(), "--device", "twin:" + board, "--out",
                (folder_ / "out").string(), "--json"});
  };
  const Finished workers = simulated("workers.toml", "xavier_agx");
  ASSERT_EQ(workers.exit_code, 0) << workers.err;
  const SortedJson document = workers.json();
  EXPECT_THAT(document["device"].get<std::string>(), HasSubstr("(simulated)"));
  ASSERT_EQ(document["groups"].size(), 3u);
  const SortedJson groups = document["groups"];
  EXPECT_LT(groups[1]["later"]["e2e_s"], groups[0]["later"]["e2e_s"]);
  // The first epoch reads the set, whose last part is no whole batch; later ones find it cached.
  EXPECT_NEAR(groups[0]["first"]["read_bytes"].get<double>(), 23080 * 122e3, 0.001 * 23080 * 122e3);
  EXPECT_GT(groups[0]["later"]["cached"], 0.99);
  const Finished dvfs = simulated("dvfs.toml", "xavier_agx");
  ASSERT_EQ(dvfs.exit_code, 0) << dvfs.err;
  const SortedJson free = dvfs.json()["groups"];
  ASSERT_EQ(free.size(), 2u);
  EXPECT_LT(free[1]["later"]["energy_j"], free[0]["later"]["energy_j"]);
  EXPECT_TRUE(free[1]["residency"].contains("gpu_mhz")) << free[1].dump();
  EXPECT_FALSE(free[0]["residency"].contains("gpu_mhz"));
  // Presets are those of its kind.
  const Finished presets = simulated("power_modes.toml", "orin_agx");
  ASSERT_EQ(presets.exit_code, 0) << presets.err;
}

}  // namespace
}  // namespace flyball::testing_tools
