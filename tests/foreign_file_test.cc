// Every option that names a file, and every data set, with what is no file to read: a pipe that
// nobody writes to, a device without an end, a folder, a file beyond all limits, one of others.
// Each is refused by its name, soon, and before it fills memory.
#include <gmock/gmock.h>
#include <linux/capability.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <algorithm>

#include "base/clock.h"
#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;
using Words = std::vector<std::string>;

constexpr double most_seconds = 20;  // on a machine that is busy with other tests
#ifdef __SANITIZE_ADDRESS__
constexpr long most_kib = 1 << 20;  // it keeps what is freed for a while
#else
constexpr long most_kib = 400 << 10;  // with LibTorch
#endif

struct Case {
  const char* name;
  Words words;  ///< % stands for the file, T for a table, I for one of inference, S for a script
  bool takes_folders = false, torch = false;
};

std::vector<Case> cases() {
  const Words serve = {"serve", "--infer", "lenet5", "--latency", "1s", "--duration", "1s"};
  const Words simulated = {"serve", "--infer", "I", "--latency", "1s"};
  const auto with = [](Words words, const Words& more) {
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  return {
      {"TuneTable", {"tune", "net", "--device", "table:%"}},
      {"TuneReference", {"tune", "net", "--device", "table:T", "--reference", "%"}},
      {"TuneStore", {"tune", "net", "--device", "table:T", "--store", "%"}, true},
      {"TuneScript", {"tune", "script:%", "--input", "3x8x8"}, false, true},
      {"TunePrior", {"tune", "net", "--device", "table:T", "--prior", "%"}},
      {"TuneLoss", {"tune", "script:S", "--input", "3x8x8", "--loss", "%"}, false, true},
      {"TuneData", {"tune", "lenet5", "--data", "%"}, false, true},
      {"PredictTable", {"predict", "--device", "table:%"}},
      {"PredictFrom", {"predict", "--device", "table:T", "--from", "%"}},
      {"PredictReference", {"predict", "--device", "table:T", "--reference", "%"}},
      {"PredictPrior", {"predict", "--device", "table:T", "--prior", "%"}},
      {"PlanTrain", {"plan", "training", "--train", "%"}},
      {"PlanInfer", {"plan", "inference", "--infer", "%", "--rate", "10"}},
      {"PlanPrior", {"plan", "training", "--train", "T", "--prior", "%"}},
      {"PlanReference", {"plan", "training", "--train", "T", "--reference", "%"}},
      {"PlanArrivals",
       {"plan", "inference", "--infer", "I", "--latency", "1s", "--arrivals", "trace:%"}},
      {"PlanData", {"plan", "training", "--train", "lenet5", "--data", "%"}, false, true},
      {"PlanDynamic", {"plan", "dynamic", "--infer", "%", "--windows", "10:1min"}},
      {"Pareto", {"pareto", "%"}},
      {"EvaluatePredict", {"evaluate", "predict", "--truth", "%"}},
      {"EvaluatePredictData", {"evaluate", "predict", "--phase", "train", "--tables", "%"}},
      {"EvaluatePredictReference", {"evaluate", "predict", "--truth", "T", "--reference", "%"}},
      {"EvaluateOptimise", {"evaluate", "optimise", "--truth", "%"}},
      {"EvaluateSearchTrain", {"evaluate", "search", "--problem", "training", "--train", "%"}},
      {"EvaluateSearchInfer", {"evaluate", "search", "--problem", "inference", "--infer", "%"}},
      {"EvaluateSearchData", {"evaluate", "search", "--problem", "training", "--tables", "%"}},
      {"EvaluateSearchProblems",
       {"evaluate", "search", "--problem", "training", "--train", "T", "--problems", "%"}},
      {"EvaluateLiveTrain", {"evaluate", "live", "--train", "%", "--infer", "I"}},
      {"EvaluateLiveInfer", {"evaluate", "live", "--train", "T", "--infer", "%"}},
      {"EvaluateLiveProblems",
       {"evaluate", "live", "--train", "T", "--infer", "I", "--problems", "%"}},
      {"EvaluateTwin", {"evaluate", "twin", "--truth", "%"}},
      {"EvaluateAll", {"evaluate", "all", "%"}},
      {"CompareTable", {"compare", "boards", "net", "--device", "table:%"}},
      {"CompareStore", {"compare", "boards", "net", "--device", "rig", "--store", "%"}, true},
      {"ComparePrices", {"compare", "boards", "net", "--device", "table:T", "--prices", "%"}},
      {"CompareMeasured", {"compare", "boards", "net", "--device", "table:T", "--measured", "%"}},
      {"Import", {"import", "%"}},
      {"ImportMap", {"import", "%", "--map", "a=b"}},
      {"ImportPowertrain", {"import", "--format", "powertrain", "%"}},
      {"ImportPowertrainLogs", {"import", "--format", "powertrain-logs", "%"}},
      {"ImportBofl", {"import", "--format", "bofl", "%"}},
      {"ImportExperiment", {"import", "--format", "experiment", "%"}},
      {"ImportTegrastats", {"import", "--format", "tegrastats", "%"}},
      {"ImportStore", {"import", "T", "--store", "%"}, true},
      {"ExportStore", {"export", "--store", "%"}, true},
      {"ExperimentRun", {"experiment", "run", "%"}},
      {"ExperimentReport", {"experiment", "report", "%"}},
      {"TwinCalibrate", {"twin", "calibrate", "--truth", "%"}},
      {"ReferenceAdd", {"reference", "add", "%"}},
      {"RunsList", {"runs", "list", "--store", "%"}, true},
      {"RunsSpread", {"runs", "spread", "%"}, true},
      {"Report", {"report", "1", "--store", "%"}, true},
      {"Study", {"study", "--store", "%"}, true},
      {"MeasurePlug", {"measure", "--plug", "%", "--", "true"}},
      {"ProfilePlug", {"profile", "--plug", "%", "--", "true"}},
      {"ProfileResume", {"profile", "lenet5", "--resume", "%"}, false, true},
      {"ProfileScript", {"profile", "script:%", "--input", "3x8x8"}, false, true},
      {"ProfileLoss", {"profile", "script:S", "--input", "3x8x8", "--loss", "%"}, false, true},
      {"ProfileData", {"profile", "lenet5", "--data", "%"}, false, true},
      {"RooflineData", {"roofline", "%"}},
      {"DescribeOnnx", {"describe", "onnx:%"}},
      {"DescribeScript", {"describe", "script:%", "--input", "3x8x8"}, false, true},
      {"MonitorReplay", {"monitor", "--replay", "%"}},
      {"CampaignRun", {"campaign", "run", "%"}},
      {"BrokerMeasured",
       {"broker", "--train", "net", "--infer", "det", "--latency", "1s", "--rate", "3",
        "--measured", "%"}},
      {"MetricsToken", {"metrics-server", "--listen", "127.0.0.1:0", "--token-file", "%"}},
      {"DatasetCheck", {"dataset", "check", "%"}},
      {"DoctorTable", {"doctor", "--device", "table:%"}},
      {"DoctorRoot", {"doctor", "--root", "%"}, true},
      {"ModeRoot", {"mode", "show", "--root", "%"}, true},
      {"ServeToken", with(serve, {"--token-file", "%"}), false, true},
      {"ServeWeights", with(serve, {"--weights", "%"}), false, true},
      {"ServeData", with(serve, {"--data", "%"}), false, true},
      {"ServeCheckpoint", with(serve, {"--train", "lenet5", "--checkpoint", "%"}), true, true},
      {"ServeArrivals", with(simulated, {"--arrivals", "trace:%"})},
      {"ServeProfiles", with(simulated, {"--arrivals", "poisson:3", "--measured", "%"})},
  };
}

class ForeignFileTest : public CommandTest, public ::testing::WithParamInterface<Case> {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    environment_["XDG_CACHE_HOME"] = (folder_ / "cache").string();
    table_ = small_table().string();
    infer_ = small_table("infer").string();
    // Root reads everything: what is started from here on may not.
    for (const int right : {CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH})
      ::prctl(PR_CAPBSET_DROP, right, 0, 0, 0);
  }
  void make_pipe(const std::string& path) { ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0); }
  void make_sparse(const std::string& path) {
    std::ofstream(path).flush();
    ASSERT_EQ(::truncate(path.c_str(), off_t{3} << 30), 0);
  }
  Finished run_watched(const Words& words) {
    const std::string line = ::testing::PrintToString(words);
    const Stopwatch watch;
    const pid_t child = start(words);
    int status = 0;
    rusage usage{};
    while (::wait4(child, &status, WNOHANG, &usage) == 0) {
      if (watch.seconds() > most_seconds) {
        ::kill(child, SIGKILL);
        ::wait4(child, &status, 0, &usage);
        ADD_FAILURE() << "it still runs: " << line;
        break;
      }
      ::usleep(2000);
    }
    EXPECT_LT(usage.ru_maxrss, most_kib) << line;
    return {WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status),
            slurp(told(child, "out")), slurp(told(child, "err"))};
  }
  void expect_refused(const std::string& file) {
    Words words = GetParam().words;
    for (std::string& word : words) {
      if (word.ends_with("%")) word.replace(word.size() - 1, 1, file);
      if (word == "T" || word.ends_with(":T")) word.replace(word.size() - 1, 1, table_);
      if (word == "I") word = infer_;
      if (word == "script:S") word = "script:" + write("script.pt", "PK\x03\x04").string();
    }
    const std::string line = ::testing::PrintToString(words);
    const Finished done = run_watched(words);
    EXPECT_EQ(done.exit_code, 2) << line << done.err;
    EXPECT_THAT(done.err, HasSubstr(file)) << line;
    EXPECT_THAT(done.err, HasSubstr("HINT: ")) << line;
    EXPECT_THAT(done.err, ::testing::Not(HasSubstr("listening on"))) << line;
  }
  std::string table_, infer_;
};

TEST_P(ForeignFileTest, IsRefusedByItsName) {
  if (GetParam().torch && !built_with_torch) GTEST_SKIP() << "built without LibTorch";
  const auto path = [&](const char* name) { return (folder_ / name).string(); };
  make_pipe(path("a_pipe"));
  make_sparse(path("a_large_file"));
  fs::create_directory(folder_ / "a_folder");
  write("a_secret", "x");
  ASSERT_EQ(::chmod(path("a_secret").c_str(), 0), 0);
  expect_refused(path("a_pipe"));
  expect_refused("/dev/zero");
  expect_refused(path("a_large_file"));
  expect_refused(path("a_secret"));
  if (!GetParam().takes_folders) expect_refused(path("a_folder"));
}

INSTANTIATE_TEST_SUITE_P(Option, ForeignFileTest, ::testing::ValuesIn(cases()),
                         [](const auto& each) { return each.param.name; });

// The files of a data set, whoever made it: by kind, one that is read.
class ForeignDataTest : public ForeignFileTest {};

TEST_P(ForeignDataTest, IsNamedByDatasetCheck) {
  const std::string file = GetParam().words[0];
  const std::string folder = (folder_ / "set").string(), path = folder + "/" + file;
  ASSERT_EQ(run({"dataset", "make", GetParam().name, "--samples", "12", "--out", folder}).exit_code,
            0);
  ASSERT_TRUE(fs::remove(path)) << path;
  const auto expect_named = [&](const std::string& what) {
    const Finished done = run_watched({"dataset", "check", folder});
    EXPECT_NE(done.exit_code, 0) << what;
    EXPECT_THAT(done.out + done.err, HasSubstr(file)) << what;
    fs::remove(path);
  };
  make_pipe(path);
  expect_named("a pipe");
  fs::create_symlink("/dev/zero", path);
  expect_named("a device");
  make_sparse(path);
  expect_named("a large file");
}

std::vector<Case> data_files() {
  return {{"digits", {"train-images-idx3-ubyte"}},
          {"cifar10", {"data_batch_1.bin"}},
          {"images", {"class_000/000000.jpg"}},
          {"coco", {"annotations/instances_train2017.json"}},
          {"wikitext", {"wiki.train.tokens"}},
          {"squad", {"train-v2.0.json"}},
          {"gld23k", {"data_user_dict/gld23k_user_dict_train.csv"}}};
}

INSTANTIATE_TEST_SUITE_P(Set, ForeignDataTest, ::testing::ValuesIn(data_files()),
                         [](const auto& each) { return each.param.name; });

// What others may put into a folder that is only named as a whole.
TEST_F(CommandTest, APipeInAFolderOfTablesIsNotRead) {
  const std::string tables = (folder_ / "tables").string();
  fs::create_directories(tables);
  fs::create_directories(folder_ / "references");
  const std::string table = small_table().string();
  for (const std::string& pipe : {tables + "/a.csv", (folder_ / "references/b.csv").string()})
    ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  const Finished data = run({"evaluate", "predict", "--phase", "train", "--tables", tables});
  EXPECT_EQ(data.exit_code, 2);
  EXPECT_THAT(data.err, HasSubstr("a.csv: it is a pipe"));
  // Of references that are kept the others serve.
  const Finished references = run({"predict", "--device", "table:" + table});
  EXPECT_EQ(references.exit_code, 0) << references.err;
  EXPECT_THAT(references.err, HasSubstr("b.csv: it is a pipe"));
}

}  // namespace
}  // namespace flyball::testing_tools
